//! [`Device`]: the device a page is shown on, and the client hints that go with its name.

use serde_json::{Value, json};

/// The device a page is shown on: its screen, its touch, its client hints. The User-Agent is the crawler's own.
///
/// | | screen (CSS pixels) | density | touch | platform |
/// |---|---|---|---|---|
/// | `Phone` | 412 x 915 | 2.625 | yes | Android 10 |
/// | `Desktop` | 1366 x 768 | 1 | no | Linux |
///
/// ```
/// use bot_etiquette_render::Device;
/// assert_eq!(Device::default(), Device::Phone);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Device {
    /// A phone.
    #[default]
    Phone,
    /// A desktop computer.
    Desktop,
}

impl Device {
    pub(crate) fn metrics(self) -> Value {
        match self {
            Self::Phone => json!({"width": 412, "height": 915, "deviceScaleFactor": 2.625, "mobile": true}),
            Self::Desktop => json!({"width": 1366, "height": 768, "deviceScaleFactor": 1, "mobile": false}),
        }
    }

    pub(crate) fn touch(self) -> Value {
        json!({"enabled": self == Self::Phone})
    }

    /// The parameters of `Emulation.setUserAgentOverride`: without the hints a page would read another name in
    /// `navigator.userAgentData` than in the User-Agent.
    pub(crate) fn user_agent(self, user_agent: &str, language: &str, chromium: &str) -> Value {
        let major = chromium.split('.').next().unwrap_or_default();
        let mut brands = vec![json!({"brand": "Chromium", "version": major})];
        let mut full = vec![json!({"brand": "Chromium", "version": chromium})];
        if let Some((name, version)) = own_name(user_agent) {
            let major = version.split('.').next().unwrap_or_default();
            brands.insert(0, json!({"brand": name, "version": major}));
            full.insert(0, json!({"brand": name, "version": version}));
        }
        let (platform, hint, version, architecture, bitness, model) = match self {
            Self::Phone => ("Linux armv81", "Android", "10", "", "", "K"),
            Self::Desktop => ("Linux x86_64", "Linux", "", "x86", "64", ""),
        };
        json!({
            "userAgent": user_agent,
            "acceptLanguage": language,
            "platform": platform,
            "userAgentMetadata": {
                "brands": brands,
                "fullVersionList": full,
                "platform": hint,
                "platformVersion": version,
                "architecture": architecture,
                "bitness": bitness,
                "model": model,
                "mobile": self == Self::Phone,
            },
        })
    }
}

/// The crawler's name and version in a User-Agent: the product after `compatible;`, else the first one if that is no
/// browser's.
fn own_name(user_agent: &str) -> Option<(&str, &str)> {
    let product = match user_agent.split_once("compatible;") {
        Some((_, rest)) => rest.trim_start().split([';', ')', ' ']).next(),
        None => user_agent.split_whitespace().next().filter(|first| !first.starts_with("Mozilla/")),
    }?;
    product.split_once('/').filter(|(name, version)| !name.is_empty() && !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(user_agent: &str, name: Option<(&str, &str)>) {
        assert_eq!(own_name(user_agent), name, "{user_agent}");
    }

    #[test]
    fn the_crawlers_name_is_found_in_a_browsers_user_agent_and_in_its_own() {
        check(
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile \
             Safari/537.36 (compatible; ShopBot/1.2; bot; +https://bot.example)",
            Some(("ShopBot", "1.2")),
        );
        check("ShopBot/2.0.1 (+https://bot.example)", Some(("ShopBot", "2.0.1")));
        check("Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0", None);
        check("ShopBot", None);
        check("Mozilla/5.0 (compatible; /1)", None);
        check("Mozilla/5.0 (compatible;", None);
        check("", None);
    }

    #[test]
    fn the_hints_name_what_the_user_agent_names() {
        let hints = Device::Phone.user_agent("ShopBot/1.2 (+https://bot.example)", "en", "156.0.8078.114");
        let data = &hints["userAgentMetadata"];
        assert_eq!(data["brands"][0], json!({"brand": "ShopBot", "version": "1"}));
        assert_eq!(data["brands"][1], json!({"brand": "Chromium", "version": "156"}));
        assert_eq!(data["fullVersionList"][1], json!({"brand": "Chromium", "version": "156.0.8078.114"}));
        assert_eq!((&data["platform"], &data["mobile"]), (&json!("Android"), &json!(true)));
        let desktop = Device::Desktop.user_agent("", "en", "156.0.8078.114");
        assert_eq!(desktop["userAgentMetadata"]["brands"].as_array().unwrap().len(), 1);
        assert_eq!(desktop["userAgentMetadata"]["platform"], "Linux");
    }
}
