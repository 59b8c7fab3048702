//! The `Link` header field.
//!
//! Source: RFC 8288, section 3 and appendix B.2. Read as tolerantly as that appendix asks.

use std::borrow::Cow;

/// One link of a `Link` field.
///
/// ```
/// use bot_etiquette_html::link_header;
///
/// let mut links = link_header(r#"</a,b>; rel="canonical prev"; title="x, y", </c>; rel=next"#);
/// let first = links.next().ok_or("no link")?;
/// assert_eq!(first.target, "/a,b");
/// assert!(first.has_rel("CANONICAL") && !first.has_rel("next"));
/// assert_eq!(links.next().map(|link| link.target), Some("/c"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderLink<'a> {
    /// The target as written between `<` and `>`.
    pub target: &'a str,
    /// The parameters in order, names as written; only the first [`MAX_PARAMETERS`].
    pub parameters: Vec<(&'a str, Cow<'a, str>)>,
}

/// Parameters kept of one link; the rest is passed over.
pub const MAX_PARAMETERS: usize = 32;

impl HeaderLink<'_> {
    /// The first parameter of that name, in any case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_ref())
    }

    /// Whether the first `rel` names this relation, in any case.
    #[must_use]
    pub fn has_rel(&self, rel: &str) -> bool {
        self.parameter("rel")
            .is_some_and(|rels| rels.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(rel)))
    }

    /// Whether the link is of another resource than the one answered: it has an `anchor`.
    #[must_use]
    pub fn is_of_another_resource(&self) -> bool {
        self.parameter("anchor").is_some_and(|anchor| !anchor.is_empty())
    }
}

/// The links of one field line, in order; what is no link is passed over up to the next comma.
pub fn link_header(field: &str) -> impl Iterator<Item = HeaderLink<'_>> {
    let mut rest = field;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            if rest.is_empty() {
                return None;
            }
            let Some((target, after)) = rest.strip_prefix('<').and_then(|open| open.split_once('>')) else {
                rest = rest.find(',').and_then(|comma| rest.get(comma..)).unwrap_or_default();
                continue;
            };
            let (parameters, after) = parameters(after);
            rest = after;
            return Some(HeaderLink { target: target.trim(), parameters });
        }
    })
}

type Parameters<'a> = Vec<(&'a str, Cow<'a, str>)>;

/// The parameters up to the comma that ends the link, and what follows.
fn parameters(mut rest: &str) -> (Parameters<'_>, &str) {
    let mut found = Parameters::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(after) = rest.strip_prefix(';') else {
            let comma = rest.find(',').unwrap_or(rest.len());
            return (found, rest.get(comma..).unwrap_or_default());
        };
        let after = after.trim_start_matches([' ', '\t', ';']);
        let end = after.find(['=', ';', ',', ' ', '\t']).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let value_follows = after.trim_start_matches([' ', '\t']).strip_prefix('=');
        let (value, after) = match value_follows {
            Some(after) => value(after.trim_start_matches([' ', '\t'])),
            None => (Cow::Borrowed(""), after),
        };
        if !name.is_empty() && found.len() < MAX_PARAMETERS {
            found.push((name, value));
        }
        rest = after;
    }
}

fn value(rest: &str) -> (Cow<'_, str>, &str) {
    let Some(quoted) = rest.strip_prefix('"') else {
        let end = rest.find([';', ',']).unwrap_or(rest.len());
        let (value, after) = rest.split_at(end);
        return (Cow::Borrowed(value.trim_end()), after);
    };
    let mut unescaped: Option<String> = None;
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            '"' if !escaped => {
                let raw = quoted.get(..at).unwrap_or_default();
                let after = quoted.get(at.saturating_add(1)..).unwrap_or_default();
                return (unescaped.map_or(Cow::Borrowed(raw), Cow::Owned), after);
            }
            '\\' if !escaped => {
                escaped = true;
                unescaped.get_or_insert_with(|| quoted.get(..at).unwrap_or_default().to_owned());
            }
            _ => {
                escaped = false;
                if let Some(text) = &mut unescaped {
                    text.push(c);
                }
            }
        }
    }
    // The quote never closes: the value ends with the field.
    (unescaped.map_or(Cow::Borrowed(quoted), Cow::Owned), "")
}
