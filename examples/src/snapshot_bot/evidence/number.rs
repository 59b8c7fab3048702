//! Numbers as people's tables write them, in whatever language.

/// A whole number: every point, comma, apostrophe and blank in it groups digits.
pub(super) fn whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !is_grouping(*c)).collect();
    // APIs write whole numbers as 10.0 too, but tables never do.
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

/// A number with a fraction: the last point or comma is its mark. A percent sign on either side is left out.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let text: String =
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '%' | '\u{2019}' | '\'')).collect();
    let mark = text.rfind(['.', ',']);
    let plain: String = text
        .char_indices()
        .filter_map(|(at, c)| match c {
            '.' | ',' if Some(at) == mark => Some('.'),
            '.' | ',' => None,
            other => Some(other),
        })
        .collect();
    plain.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// A place among results: 0 is written where there is none.
pub(super) fn position(text: &str) -> Option<f64> {
    decimal(text).filter(|position| *position > 0.0)
}

/// White space holds the no-break kinds too.
fn is_grouping(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | ',' | '\'' | '\u{2019}')
}
