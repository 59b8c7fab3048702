//! [`PageInput`]: a page as the crawler fetched it.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use url::Url;

use crate::{Device, RenderError};

/// A page as the crawler fetched it: it is not asked for again.
///
/// ```
/// use bot_etiquette_render::{Device, PageInput};
///
/// let url = "https://shop.example/".parse()?;
/// let page = PageInput::new(url, "<!doctype html><title>Shop</title>", "ShopBot/1.0 (+https://bot.example)")
///     .device(Device::Desktop);
/// assert_eq!(page.status, 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageInput {
    /// Where it was found, after redirects. `http` or `https`.
    pub url: Url,
    /// Its bytes, content codings undone.
    pub html: Bytes,
    /// The status it came with. 200 by default.
    pub status: StatusCode,
    /// The headers it came with. The page sees what bears on how it is shown: not its cookies, nor what would send the
    /// browser elsewhere.
    pub headers: HeaderMap,
    /// The device it is shown on. A phone by default.
    pub device: Device,
    /// The User-Agent, as scripts read it.
    pub user_agent: String,
    /// The languages, as in `Accept-Language`. `en` by default.
    pub language: String,
}

impl PageInput {
    /// A page and the name under which it was fetched.
    #[must_use]
    pub fn new(url: Url, html: impl Into<Bytes>, user_agent: impl Into<String>) -> Self {
        Self {
            url,
            html: html.into(),
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            device: Device::default(),
            user_agent: user_agent.into(),
            language: "en".to_owned(),
        }
    }

    /// Sets the status it came with.
    #[must_use]
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Sets the headers it came with.
    #[must_use]
    pub fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Sets the device it is shown on.
    #[must_use]
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Sets the languages scripts read.
    #[must_use]
    pub fn language(mut self, language: impl Into<String>) -> Self {
        self.language = language.into();
        self
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let fault = |reason| Err(RenderError::Input { reason });
        if !matches!(self.url.scheme(), "http" | "https") {
            return fault(format!("its URL is {}:, which is neither http: nor https:", self.url.scheme()));
        }
        for (name, value) in [("User-Agent", &self.user_agent), ("language", &self.language)] {
            if value.is_empty() || HeaderValue::from_str(value).is_err() {
                return fault(format!("its {name} is empty, or no header's value"));
            }
        }
        if matches!(self.status.as_u16(), 100..=199 | 204 | 205 | 300..=399) {
            return fault(format!("status {} comes with no page", self.status));
        }
        let Some(kind) = self.headers.get(header::CONTENT_TYPE) else { return Ok(()) };
        let kind = String::from_utf8_lossy(kind.as_bytes()).to_ascii_lowercase();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        if matches!(essence, "text/html" | "application/xhtml+xml") {
            return Ok(());
        }
        fault(format!("it is {essence}, not HTML"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(&mut PageInput), wrong: Option<&str>) {
        let mut page = PageInput::new("https://shop.example/".parse().unwrap(), "", "ShopBot/1.0");
        change(&mut page);
        match (page.check(), wrong) {
            (Ok(()), None) => {}
            (Err(error), Some(wrong)) => assert!(error.to_string().contains(wrong), "{error}"),
            (got, _) => panic!("{got:?} instead of {wrong:?}"),
        }
    }

    #[test]
    fn what_is_no_page_is_refused_with_its_reason() {
        check(|_| {}, None);
        check(|page| page.url = "file:///etc/passwd".parse().unwrap(), Some("file:"));
        check(|page| page.url = "chrome://settings".parse().unwrap(), Some("chrome:"));
        check(|page| page.user_agent.clear(), Some("User-Agent"));
        check(|page| page.user_agent.push('\n'), Some("User-Agent"));
        check(|page| page.language.push('\0'), Some("language"));
        check(|page| page.status = StatusCode::NOT_FOUND, None);
        check(|page| page.status = StatusCode::FOUND, Some("302"));
        check(|page| page.status = StatusCode::NO_CONTENT, Some("204"));
        let of = |kind: &'static str| {
            move |page: &mut PageInput| {
                drop(page.headers.insert("content-type", HeaderValue::from_static(kind)))
            }
        };
        check(of("TEXT/HTML ; charset=latin1"), None);
        check(of("application/xhtml+xml"), None);
        check(of("application/pdf"), Some("application/pdf"));
    }
}
