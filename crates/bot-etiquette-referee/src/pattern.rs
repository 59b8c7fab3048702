//! Patterns a promise is written in: for field values, for paths and for site names.

use regex_lite::Regex;

/// What a field value must look like.
#[derive(Debug, Clone)]
pub(crate) enum ValuePattern {
    /// A bare product token: any value that names this product.
    Product(String),
    /// The whole value, where `*` stands for any run of characters.
    Glob(String),
    /// A regular expression, found anywhere unless anchored.
    Regex(Regex),
}

impl ValuePattern {
    /// Reads a pattern: `^..` or anything with a backslash is a regular expression, a bare token a product.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("is empty: give the value the crawler sends, where * stands for anything".into());
        }
        if text.starts_with('^') || text.contains('\\') {
            return Regex::new(text)
                .map(Self::Regex)
                .map_err(|error| format!("is no regular expression: {error}"));
        }
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return Ok(Self::Product(text.to_owned()));
        }
        Ok(Self::Glob(text.to_owned()))
    }

    pub(crate) fn matches(&self, value: &str) -> bool {
        match self {
            Self::Product(token) => names_product(value, token),
            Self::Glob(glob) => glob_matches(glob.as_bytes(), value.as_bytes()),
            Self::Regex(regex) => regex.is_match(value),
        }
    }

    /// The robots.txt product token in the pattern: what follows `compatible;`, else the first product.
    pub(crate) fn token(&self) -> Option<String> {
        let text = match self {
            Self::Product(text) | Self::Glob(text) => text.clone(),
            Self::Regex(regex) => regex.as_str().replace(['^', '\\', '$'], ""),
        };
        let start =
            text.rfind("compatible;").map_or(text.as_str(), |at| text.get(at + 11..).unwrap_or_default());
        let token: String = start
            .trim_start()
            .chars()
            .take_while(|c| c.is_ascii_alphabetic() || *c == '-' || *c == '_')
            .collect();
        (!token.is_empty()).then_some(token)
    }
}

/// Whether a User-Agent names `product`, upper and lower case alike: as a whole product, at the start or after a space, `(`,
/// `;` or `,`. A longer name that ends or begins so is another's, and a name in an address is nobody's.
pub(crate) fn names_product(value: &str, product: &str) -> bool {
    let (value, product) = (value.to_ascii_lowercase(), product.to_ascii_lowercase());
    !product.is_empty()
        && value.match_indices(&product).any(|(at, found)| {
            let before = value.get(..at).and_then(|before| before.chars().next_back());
            let after = value.get(at + found.len()..).and_then(|after| after.chars().next());
            before.is_none_or(|c| c.is_ascii_whitespace() || "(;,\"".contains(c))
                && after.is_none_or(|c| !(c.is_alphanumeric() || "-_.".contains(c)))
        })
}

/// The name that a User-Agent gives its sender: of the last product after `compatible;`, else of the first, without its version.
pub(crate) fn product_of(value: &str) -> Option<String> {
    /// Characters of a name that are told.
    const LONGEST: usize = 40;
    let named = value.rfind("compatible;").and_then(|at| value.get(at + 11..)).unwrap_or(value);
    let name = named.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c));
    let name: String = name.take(LONGEST).collect();
    (!name.is_empty()).then_some(name)
}

/// Whether all of `text` matches `glob`, where `*` stands for any run of bytes. Linear in both for each star.
pub(crate) fn glob_matches(glob: &[u8], text: &[u8]) -> bool {
    let (mut g, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match glob.get(g) {
            Some(b'*') => {
                retry = Some((g + 1, t));
                g += 1;
            }
            Some(byte) if Some(byte) == text.get(t) => {
                g += 1;
                t += 1;
            }
            _ => match retry {
                Some((after_star, from)) => {
                    retry = Some((after_star, from + 1));
                    g = after_star;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob.get(g..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// A path that is promised never to be asked for: `/private/` on every site, or `name/private/` on one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClosedPath {
    pub(crate) site: Option<String>,
    glob: String,
    pub(crate) written: String,
}

impl ClosedPath {
    /// `*` stands for anything, `$` at the end ends the path; without it whatever begins so is closed.
    pub(crate) fn new(written: &str) -> Result<Self, String> {
        let Some(slash) = written.find('/') else {
            return Err(format!("{written:?} has no slash: write /path, or site/path for one site"));
        };
        let (site, path) = written.split_at(slash);
        let glob = match path.strip_suffix('$') {
            Some(whole) => plain_path(whole),
            None => format!("{}*", plain_path(path)),
        };
        if glob_matches(glob.as_bytes(), b"/robots.txt") {
            return Err(format!(
                "{written:?} closes /robots.txt too, which has to be asked for: name the other paths"
            ));
        }
        Ok(Self {
            site: (!site.is_empty()).then(|| site.to_ascii_lowercase()),
            glob,
            written: written.to_owned(),
        })
    }

    pub(crate) fn closes(&self, site: &str, target: &str) -> bool {
        self.site.as_deref().is_none_or(|name| name == site)
            && glob_matches(self.glob.as_bytes(), plain_path(target).as_bytes())
    }
}

/// A path in one spelling: needless percent-encoding undone, `.` and `..` resolved, doubled slashes kept.
pub(crate) fn plain_path(target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let path = decode_unreserved(path);
    let mut segments: Vec<&str> = Vec::new();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." if last => segments.push(""),
            "." => {}
            ".." => {
                if segments.len() > 1 {
                    segments.pop();
                }
                if last {
                    segments.push("");
                }
            }
            other => segments.push(other),
        }
    }
    let mut plain = segments.join("/");
    if let Some(query) = query {
        plain.push('?');
        plain.push_str(&decode_unreserved(query));
    }
    plain
}

/// Percent-decodes what needs no encoding (RFC 3986 2.3) and writes the other escapes in capitals.
fn decode_unreserved(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match from.get(1..3).and_then(|hex| u8::from_str_radix(hex, 16).ok().map(|byte| (hex, byte))) {
            Some((_, byte)) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                out.push(char::from(byte));
                rest = from.get(3..).unwrap_or_default();
            }
            Some((hex, _)) => {
                out.push('%');
                out.push_str(&hex.to_ascii_uppercase());
                rest = from.get(3..).unwrap_or_default();
            }
            None => {
                out.push('%');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// Percent-decodes everything, with `+` as a space: the reading that finds a canary.
pub(crate) fn decode_all(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex =
            (first == b'%').then(|| after.get(..2).and_then(|two| std::str::from_utf8(two).ok())).flatten();
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(if first == b'+' { b' ' } else { first });
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a site's name is `pattern`, or below it where it reads `*.name`.
pub(crate) fn site_matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(suffix) => {
            name.strip_suffix(suffix).is_some_and(|front| front.len() > 1 && front.ends_with('.'))
        }
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, value: &str, expected: bool) {
        let pattern = ValuePattern::new(pattern).unwrap();
        assert_eq!(pattern.matches(value), expected, "{pattern:?} on {value:?}");
    }

    #[test]
    fn a_user_agent_is_promised_as_token_as_whole_value_or_as_expression() {
        check("MyBot", "MyBot/1.0 (+https://example.com/bot)", true);
        check("MyBot", "Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com)", true);
        check("MyBot", "NotMyBot/1.0", false);
        check("MyBot", "mybot", true);
        check("MyBot", "MyBot-Image/1.0", false);
        check("MyBot", "Other/1.0 (+https://example.com/MyBot)", false);
        check("MyBot/1.0 (+https://example.com/bot)", "MyBot/1.0 (+https://example.com/bot)", true);
        check("MyBot/1.0 (+https://example.com/bot)", "MyBot/1.0 (+https://example.com/bot) x", false);
        check(
            "Mozilla/5.0 * Chrome/*.0.0.0 * (compatible; MyBot/1.0)",
            "Mozilla/5.0 (X) Chrome/130.0.0.0 Safari (compatible; MyBot/1.0)",
            true,
        );
        check("MyBot/*", "MyBot/", true);
        check(r"^MyBot/\d+$", "MyBot/12", true);
        check(r"^MyBot/\d+$", "MyBot/x", false);
        assert!(ValuePattern::new("^(").is_err());
        assert!(ValuePattern::new(" ").is_err());
    }

    #[test]
    fn the_robots_token_is_read_from_the_pattern() {
        let token = |text: &str| ValuePattern::new(text).unwrap().token();
        assert_eq!(token("MyBot/1.0 (+x)").as_deref(), Some("MyBot"));
        assert_eq!(token("Mozilla/5.0 (compatible; My_Bot-x/1.0; +u)").as_deref(), Some("My_Bot-x"));
        assert_eq!(token("^MyBot/1").as_deref(), Some("MyBot"));
        assert_eq!(token("* *"), None);
    }

    #[test]
    fn a_sender_is_told_by_its_product() {
        assert_eq!(product_of("MyBot/1.0 (+x)").as_deref(), Some("MyBot"));
        assert_eq!(product_of("Mozilla/5.0 (compatible; My_Bot-x/1.0; +u)").as_deref(), Some("My_Bot-x"));
        assert_eq!(product_of(&"x".repeat(99)).map(|name| name.len()), Some(40));
        assert_eq!(product_of("(..)"), None);
    }

    #[test]
    fn a_closed_path_is_closed_in_every_spelling() {
        let closed = ClosedPath::new("/private/").unwrap();
        for target in
            ["/private/", "/private/x?y", "/%70rivate/x", "/a/../private/x", "/./private/", "/%2e/private/a"]
        {
            assert!(closed.closes("a", target), "{target}");
        }
        for target in ["/", "/private", "/a/private/", "/Private/"] {
            assert!(!closed.closes("a", target), "{target}");
        }
        assert!(ClosedPath::new("/*.pdf$").unwrap().closes("a", "/x/y.pdf"));
        assert!(!ClosedPath::new("/*.pdf$").unwrap().closes("a", "/x/y.pdf?z"));
        assert!(!ClosedPath::new("b/private/").unwrap().closes("a", "/private/"));
        assert!(ClosedPath::new("/").is_err());
        assert!(ClosedPath::new("private").is_err());
    }

    #[test]
    fn globs_stay_linear_on_many_stars() {
        let glob = "*a".repeat(200) + "b";
        assert!(!glob_matches(glob.as_bytes(), "a".repeat(20_000).as_bytes()));
        assert!(glob_matches(b"", b"") && glob_matches(b"**", b"") && !glob_matches(b"", b"x"));
    }

    #[test]
    fn sites_match_whole_or_by_suffix() {
        assert!(site_matches("a.example", "a.example"));
        assert!(site_matches("*.a.example", "x.a.example"));
        assert!(!site_matches("*.a.example", "a.example"));
        assert!(!site_matches("*.a.example", ".a.example"));
        assert!(!site_matches("*.a.example", "xa.example"));
    }
}
