//! `<meta http-equiv="refresh">` and the `Refresh` header.
//!
//! Source: HTML Standard, "shared declarative refresh steps".

/// What a refresh asks for: after how many seconds, and where to; `None` is the page itself.
///
/// `None` as a whole where the value is none.
///
/// ```
/// use bot_etiquette_html::parse_refresh;
///
/// assert_eq!(parse_refresh("0; URL='/new'"), Some((0, Some("/new"))));
/// assert_eq!(parse_refresh("5"), Some((5, None)));
/// assert_eq!(parse_refresh("soon"), None);
/// ```
#[must_use]
pub fn parse_refresh(value: &str) -> Option<(u32, Option<&str>)> {
    let value = value.trim_start_matches(is_space);
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (seconds, rest) = value.split_at(digits);
    if seconds.is_empty() && !rest.starts_with('.') {
        return None;
    }
    // More seconds than fit are as good as never.
    let seconds = if seconds.is_empty() { 0 } else { seconds.parse().unwrap_or(u32::MAX) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if rest.is_empty() {
        return Some((seconds, None));
    }
    if !rest.starts_with([';', ',']) && !rest.starts_with(is_space) {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_space);
    let target = target(rest);
    Some((seconds, (!target.is_empty()).then_some(target)))
}

fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\x0c' | '\r' | ' ')
}

/// The URL: `url = x`, quoted or not; where `url` has no `=` it is the start of the URL itself.
fn target(rest: &str) -> &str {
    let named = rest
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| rest.get(3..))
        .and_then(|after| after.trim_start_matches(is_space).strip_prefix('='))
        .map(|after| after.trim_start_matches(is_space));
    let rest = named.unwrap_or(rest);
    for quote in ['"', '\''] {
        if let Some(quoted) = rest.strip_prefix(quote) {
            return quoted.split(quote).next().unwrap_or_default();
        }
    }
    rest.trim_end_matches(is_space)
}
