//! What passes of headers, from the page to the crawler and back.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::{Map, Value, json};

/// Of a page's request: what says who asks, what the crawler's own client sets, and secrets.
const NOT_FROM_THE_PAGE: &[HeaderName] = &[
    header::ACCEPT_ENCODING,
    header::AUTHORIZATION,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::COOKIE,
    header::FORWARDED,
    header::FROM,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::REFERER,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::USER_AGENT,
    header::VIA,
];

/// Of an answer: what was undone with the body, what would be stored, and what would send the browser elsewhere.
const NOT_TO_THE_PAGE: &[&str] = &[
    "accept-ch",
    "alt-svc",
    "clear-site-data",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-length",
    "critical-ch",
    "keep-alive",
    "link",
    "location",
    "nel",
    "observe-browsing-topics",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "set-cookie",
    "set-cookie2",
    "set-login",
    "sourcemap",
    "speculation-rules",
    "strict-transport-security",
    "supports-loading-mode",
    "trailer",
    "transfer-encoding",
    "use-as-dictionary",
    "x-sourcemap",
];

/// The headers of a page's request that the crawler gets: the script's own and those that decide what comes.
pub(crate) fn from_page(headers: &Map<String, Value>) -> HeaderMap {
    let pairs = headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(name.as_str()).ok()?;
        let value = HeaderValue::from_str(value.as_str()?).ok()?;
        passes(&name).then_some((name, value))
    });
    pairs.collect()
}

fn passes(name: &HeaderName) -> bool {
    let starts = |prefix| name.as_str().starts_with(prefix);
    !NOT_FROM_THE_PAGE.contains(name)
        && !starts("sec-")
        && !starts("proxy-")
        && !starts("signature")
        && !starts("x-forwarded-")
}

/// The headers of an answer that the page sees, as the protocol writes them.
pub(crate) fn to_page(headers: &HeaderMap) -> Vec<Value> {
    let pairs = headers.iter().filter(|(name, _)| !NOT_TO_THE_PAGE.contains(&name.as_str()));
    pairs.map(|(name, value)| entry(name.as_str(), &String::from_utf8_lossy(value.as_bytes()))).collect()
}

/// The headers of the page itself.
pub(crate) fn of_page(headers: &HeaderMap) -> Vec<Value> {
    let mut entries = to_page(headers);
    if !headers.contains_key(header::CONTENT_TYPE) {
        entries.push(entry("content-type", "text/html"));
    }
    entries
}

/// The answer to a preflight: the request that follows is judged like any other, and what the site allows is read
/// from its own answer to that.
pub(crate) fn of_preflight(request: &Map<String, Value>) -> Vec<Value> {
    let asked = |name| field(request, name);
    let mut entries = vec![
        entry("access-control-allow-origin", asked("origin").unwrap_or("*")),
        entry("access-control-allow-credentials", "true"),
        entry("access-control-allow-methods", asked("access-control-request-method").unwrap_or("GET")),
        entry("access-control-allow-private-network", "true"),
    ];
    entries.extend(
        asked("access-control-request-headers").map(|names| entry("access-control-allow-headers", names)),
    );
    entries
}

/// A field of the protocol's header object, whatever its case.
pub(crate) fn field<'a>(headers: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).and_then(|(_, value)| value.as_str())
}

pub(crate) fn entry(name: &str, value: &str) -> Value {
    json!({"name": name, "value": value})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pages_request_says_nothing_of_the_browser_and_carries_no_secret() {
        let sent = json!({
            "Accept": "application/json", "X-Requested-With": "XMLHttpRequest", "Origin": "https://shop.example",
            "Content-Type": "application/json", "Cookie": "a=b", "Authorization": "Bearer x", "User-Agent": "x",
            "sec-ch-ua": "x", "Sec-Purpose": "prefetch", "Referer": "https://shop.example/", "From": "x",
            "Signature-Input": "x", "Proxy-Authorization": "x", "X-Forwarded-For": "x", "bad name": "x",
            "X-Broken": "a\r\nb",
        });
        let headers = from_page(sent.as_object().unwrap());
        let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "content-type", "origin", "x-requested-with"]);
    }

    #[test]
    fn a_page_is_given_no_cookie_and_nothing_that_leads_elsewhere() {
        let mut headers = HeaderMap::new();
        for name in NOT_TO_THE_PAGE {
            headers.insert(HeaderName::try_from(*name).unwrap(), HeaderValue::from_static("x"));
        }
        headers.insert("content-type", HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert("content-security-policy", HeaderValue::from_static("default-src 'self'"));
        let kept: Vec<String> = to_page(&headers).iter().map(|entry| entry["name"].to_string()).collect();
        assert_eq!(kept, [r#""content-type""#, r#""content-security-policy""#]);
    }

    #[test]
    fn a_page_without_a_type_is_html() {
        assert_eq!(of_page(&HeaderMap::new()), [entry("content-type", "text/html")]);
    }
}
