//! Firewalls that answer in the place of the site.
//!
//! A wall is neither a page nor a broken link: nothing of its body is the site's. What is no wall by these marks (a plain
//! 403, a 429 with `Retry-After`) is judged by its status, as ever.

use std::borrow::Cow;

use http::{HeaderMap, StatusCode, header};

/// Bytes of a body that are looked at.
pub const WALL_WINDOW: usize = 65_536;
/// A page of status 200 with Imperva's frame is a wall only below this many bytes.
const SMALL: usize = 20_000;

/// A firewall's answer in the place of the site's.
///
/// ```
/// use bot_etiquette_html::{Vendor, Wall, WallKind};
/// use http::{HeaderMap, HeaderValue, StatusCode};
///
/// let mut headers = HeaderMap::new();
/// headers.insert("cf-mitigated", HeaderValue::from_static("challenge"));
/// let wall = Wall::detect(StatusCode::TOO_MANY_REQUESTS, &headers, b"").ok_or("no wall")?;
/// assert_eq!((wall.vendor, wall.kind), (Vendor::Cloudflare, WallKind::Challenge));
/// assert!(wall.vendor.advice().contains("Skip"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Wall {
    /// Whose it is.
    pub vendor: Vendor,
    /// What it wants.
    pub kind: WallKind,
    /// The marks it was known by.
    pub evidence: Vec<Cow<'static, str>>,
}

/// What a wall wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum WallKind {
    /// Work that a browser does by itself.
    Challenge,
    /// Work that a person does.
    Captcha,
    /// Nothing: it refuses.
    Block,
}

/// Whose wall it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Vendor {
    /// Cloudflare.
    Cloudflare,
    /// AWS WAF.
    AwsWaf,
    /// Vercel.
    Vercel,
    /// Sucuri.
    Sucuri,
    /// Wordfence, a WordPress plugin.
    Wordfence,
    /// Akamai.
    Akamai,
    /// Imperva, once Incapsula.
    Imperva,
    /// `DataDome`.
    DataDome,
    /// HUMAN, once `PerimeterX`.
    Human,
    /// Anubis.
    Anubis,
    /// Kasada.
    Kasada,
    /// F5.
    F5,
    /// Reblaze.
    Reblaze,
    /// DDoS-Guard.
    DdosGuard,
    /// `SiteGround`.
    SiteGround,
    /// `BitNinja`.
    BitNinja,
}

impl Vendor {
    /// Whose servers the answer came through, wall or not: whose settings an owner looks at first where a plain 403 came.
    ///
    /// ```
    /// use bot_etiquette_html::Vendor;
    /// use http::{HeaderMap, HeaderValue, header};
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert(header::SERVER, HeaderValue::from_static("cloudflare"));
    /// assert_eq!(Vendor::in_front(&headers), Some(Vendor::Cloudflare));
    /// ```
    #[must_use]
    pub fn in_front(headers: &HeaderMap) -> Option<Self> {
        let has = |name: &str| headers.contains_key(name);
        let serves = |wanted| server_starts(headers, wanted);
        match () {
            () if serves("cloudflare") || has("cf-ray") => Some(Self::Cloudflare),
            () if serves("Sucuri") || has("x-sucuri-id") => Some(Self::Sucuri),
            () if serves("AkamaiGHost") || has("x-akamai-session-info") => Some(Self::Akamai),
            () if has("x-iinfo") => Some(Self::Imperva),
            () if serves("Vercel") || has("x-vercel-id") => Some(Self::Vercel),
            () if has("x-datadome") || has("x-datadome-cid") => Some(Self::DataDome),
            () if serves("Reblaze") => Some(Self::Reblaze),
            () if serves("ddos-guard") => Some(Self::DdosGuard),
            () => None,
        }
    }

    /// What an owner who wants the bot in can do. None of it takes the protection away; a User-Agent alone can be
    /// forged, so that a rule names the addresses or the signature with it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Cloudflare => {
                "Add a WAF custom rule for the bot's User-Agent and its published addresses with the action Skip (Super Bot Fight Mode \
                 included), or an IP Access rule Allow for the addresses. Bot Fight Mode of the free plan heeds only IP Access \
                 rules. A bot that signs its requests can be let in as a verified or signed agent (Web Bot Auth)."
            }
            Self::AwsWaf => {
                "Put a rule before Bot Control that allows the bot's published addresses (an IP set) together with its User-Agent, or \
                 allow requests that carry Bot Control's label for a verified Web Bot Auth signature."
            }
            Self::Vercel => {
                "Add a WAF custom rule with the action Bypass for the bot's published addresses (ip_address) together with its User-Agent \
                 (user_agent)."
            }
            Self::Sucuri => {
                "Add the bot's published addresses to the allowlist of the firewall; it takes no User-Agent."
            }
            Self::Wordfence => {
                "Add the bot's published addresses to the allowlisted IP addresses that bypass all rules, in the firewall's options."
            }
            Self::Akamai => {
                "Define the bot as a custom bot category with the action Monitor or Allow, and put its published addresses on a network list."
            }
            Self::Imperva => {
                "Add the bot to the custom list of good bots in Bot Access Control, or its published addresses to an allowlist policy."
            }
            Self::DataDome => {
                "Add a custom rule with the answer Allow for the bot's published addresses together with its User-Agent."
            }
            Self::Human => {
                "Allow the bot's published addresses together with its User-Agent in the policy of the application."
            }
            Self::Anubis => {
                "Add a bot policy of action ALLOW with an anchored user_agent_regex of the bot's URL and its published addresses as remote_addresses."
            }
            Self::Kasada | Self::F5 | Self::Reblaze | Self::DdosGuard | Self::SiteGround | Self::BitNinja => {
                "Allow the bot's published addresses in the settings of the protection, together with its User-Agent where it takes one; \
                 the provider's support does it where there is no setting."
            }
        }
    }
}

/// What an owner who wants the bot in can do where a status refuses it and no [`Wall`] says who does: 401, 403, 406, 429.
///
/// ```
/// use bot_etiquette_html::refusal_advice;
/// use http::StatusCode;
///
/// assert!(refusal_advice(StatusCode::FORBIDDEN).is_some_and(|advice| advice.contains("User-Agent")));
/// assert_eq!(refusal_advice(StatusCode::NOT_FOUND), None);
/// ```
#[must_use]
pub fn refusal_advice(status: StatusCode) -> Option<&'static str> {
    match status.as_u16() {
        401 => Some("The page asks for a login; the bot reads what is public alone and has none."),
        403 | 406 => Some(
            "The server, its host or a security plugin refuses the bot. Look there for a rule on User-Agents, addresses or bots, and \
             allow requests whose User-Agent carries the bot's name, where it can be done together with its published addresses or its \
             signature, so that nobody passes as the bot. Whoever cannot change that may send the bot's page to the host.",
        ),
        429 => Some(
            "The server allows fewer requests than the bot makes. A Crawl-delay in robots.txt slows the bot down; else raise the \
             limit for the bot's published addresses.",
        ),
        _ => None,
    }
}

impl Wall {
    /// Looks at an answer. Of the body only the first [`WALL_WINDOW`] bytes count; an empty one (of a HEAD) is fine.
    ///
    /// A mark in the header is enough. Marks in the body count with a status that walls use; with status 200 only a mark
    /// of structure does, since articles quote the phrases.
    #[must_use]
    pub fn detect(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        by_header(status, headers).or_else(|| by_body(status, body))
    }
}

fn wall(vendor: Vendor, kind: WallKind, evidence: &'static str) -> Option<Wall> {
    Some(Wall { vendor, kind, evidence: vec![evidence.into()] })
}

fn by_header(status: StatusCode, headers: &HeaderMap) -> Option<Wall> {
    let value = |name: &str| headers.get(name).map(|value| value.as_bytes().trim_ascii());
    let is = |name: &str, wanted: &str| {
        value(name).is_some_and(|value| value.eq_ignore_ascii_case(wanted.as_bytes()))
    };
    let server_starts = |wanted| server_starts(headers, wanted);
    let is_refusal = matches!(status.as_u16(), 401 | 403 | 429 | 503);
    if is("cf-mitigated", "challenge") {
        return wall(Vendor::Cloudflare, WallKind::Challenge, "cf-mitigated");
    }
    if is("x-amzn-waf-action", "challenge") {
        return wall(Vendor::AwsWaf, WallKind::Challenge, "x-amzn-waf-action");
    }
    if is("x-amzn-waf-action", "captcha") {
        return wall(Vendor::AwsWaf, WallKind::Captcha, "x-amzn-waf-action");
    }
    if is("x-vercel-mitigated", "challenge") || value("x-vercel-challenge-token").is_some() {
        return wall(Vendor::Vercel, WallKind::Challenge, "x-vercel-mitigated");
    }
    if is("x-vercel-mitigated", "deny") {
        return wall(Vendor::Vercel, WallKind::Block, "x-vercel-mitigated");
    }
    if value("x-sucuri-block").is_some() {
        return wall(Vendor::Sucuri, WallKind::Block, "x-sucuri-block");
    }
    if value("x-datadome").is_some_and(|value| !value.is_empty() && !value.eq_ignore_ascii_case(b"protected"))
    {
        return wall(Vendor::DataDome, WallKind::Captcha, "x-datadome");
    }
    if is("x-dd-b", "1") || is("x-dd-b", "2") || value("x-datadome-cid").is_some() && is_refusal {
        return wall(Vendor::DataDome, WallKind::Captcha, "x-dd-b");
    }
    if server_starts("AkamaiGHost") && status == StatusCode::FORBIDDEN {
        return wall(Vendor::Akamai, WallKind::Block, "server: AkamaiGHost");
    }
    if headers.keys().any(|name| name.as_str().starts_with("x-kasada")) && is_refusal {
        return wall(Vendor::Kasada, WallKind::Challenge, "x-kasada");
    }
    if server_starts("Reblaze") && is_refusal {
        return wall(Vendor::Reblaze, WallKind::Block, "server: Reblaze");
    }
    if server_starts("ddos-guard") && is_refusal {
        return wall(Vendor::DdosGuard, WallKind::Challenge, "server: ddos-guard");
    }
    None
}

fn server_starts(headers: &HeaderMap, wanted: &str) -> bool {
    let server = headers.get(header::SERVER).map(|server| server.as_bytes().trim_ascii());
    let start = server.and_then(|server| server.get(..wanted.len()));
    start.is_some_and(|start| start.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// A mark in the body: whose, what it wants, the text, and whether it is one of structure, which counts at status 200.
type Mark = (Vendor, WallKind, &'static str, bool);

const MARKS: [Mark; 24] = [
    (Vendor::Cloudflare, WallKind::Challenge, "_cf_chl_opt", true),
    (Vendor::Cloudflare, WallKind::Challenge, "<title>Just a moment...", false),
    (Vendor::Cloudflare, WallKind::Block, "Attention Required! | Cloudflare", false),
    (Vendor::Cloudflare, WallKind::Block, "error code: 1020", false),
    (Vendor::AwsWaf, WallKind::Challenge, "gokuProps", false),
    (Vendor::AwsWaf, WallKind::Challenge, "awswaf.com", false),
    (Vendor::Vercel, WallKind::Challenge, "Vercel Security Checkpoint", false),
    (Vendor::Vercel, WallKind::Challenge, "/vercel/security/", false),
    (Vendor::Sucuri, WallKind::Block, "Sucuri WebSite Firewall - Access Denied", false),
    (Vendor::Sucuri, WallKind::Block, "cloudproxy@sucuri.net", false),
    (Vendor::Wordfence, WallKind::Block, "Generated by Wordfence at", false),
    (
        Vendor::Wordfence,
        WallKind::Block,
        "Your access to this site has been limited by the site owner",
        false,
    ),
    (Vendor::Akamai, WallKind::Block, "errors.edgesuite.net", false),
    (Vendor::Akamai, WallKind::Block, "errors&#46;edgesuite&#46;net", false),
    (Vendor::Imperva, WallKind::Challenge, "_Incapsula_Resource?SWJIYLWA", true),
    (Vendor::Imperva, WallKind::Block, "Incapsula incident ID", false),
    (Vendor::DataDome, WallKind::Captcha, "captcha-delivery.com", false),
    (Vendor::Human, WallKind::Captcha, "window._pxAppId", false),
    (Vendor::Anubis, WallKind::Challenge, "id=\"anubis_challenge\"", true),
    (Vendor::Anubis, WallKind::Challenge, "/.within.website/x/cmd/anubis/", false),
    (
        Vendor::F5,
        WallKind::Block,
        "The requested URL was rejected. Please consult with your administrator.",
        false,
    ),
    (Vendor::SiteGround, WallKind::Captcha, "Our system thinks you might be a robot!", false),
    (Vendor::BitNinja, WallKind::Captcha, "Security check by BitNinja", false),
    (Vendor::Human, WallKind::Captcha, "px-captcha", false),
];

fn by_body(status: StatusCode, body: &[u8]) -> Option<Wall> {
    let is_wall_status = matches!(status.as_u16(), 202 | 401 | 403 | 405 | 406 | 429 | 503);
    if !is_wall_status && status != StatusCode::OK {
        return None;
    }
    let window = body.get(..WALL_WINDOW).unwrap_or(body);
    // A page that only ever quotes a structure has links of its own beside it.
    let is_small = body.len() < SMALL && memchr::memmem::find_iter(window, b"<a ").count() == 0;
    let stands = |(vendor, _, text, is_structure): &&Mark| {
        let counts = is_wall_status || (*is_structure && (*vendor != Vendor::Imperva || is_small));
        counts && memchr::memmem::find(window, text.as_bytes()).is_some()
    };
    let (vendor, kind, text, _) = MARKS.iter().find(stands)?;
    wall(*vendor, *kind, text)
}
