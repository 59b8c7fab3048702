//! Where it is and what it costs.

use crate::clean::CleanText;

/// Where an event takes place, as far as the source says.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Place {
    /// The name of the place.
    pub venue: Option<CleanText>,
    /// Street and number.
    pub address: Option<CleanText>,
    /// Postal code.
    pub postal_code: Option<CleanText>,
    /// The town, with its article in front: `El Tiemblo` for `Tiemblo (El)`.
    pub city: Option<CleanText>,
    /// The province.
    pub province: Option<CleanText>,
    /// Degrees north and east, WGS 84.
    pub point: Option<(f64, f64)>,
}

/// The price in the source's words, and what they mean.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Price {
    /// The words; empty when the source only says whether it is free.
    pub text: CleanText,
    /// Their meaning.
    pub kind: PriceKind,
}

/// What a price says. Silence is never `Free`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PriceKind {
    /// Nothing is paid.
    Free,
    /// One price, in euros.
    Euros(f64),
    /// The lowest of several, in euros.
    From(f64),
    /// Words alone.
    Unknown,
}

/// `Tiemblo (El)` is `El Tiemblo`.
pub(crate) fn article_first(name: &str) -> Option<String> {
    let (name, article) = name.strip_suffix(')')?.rsplit_once(" (")?;
    let articles = ["el", "la", "los", "las", "l'", "els", "les"];
    articles.contains(&article.to_lowercase().as_str()).then(|| {
        let gap = if article.ends_with('\'') { "" } else { " " };
        format!("{article}{gap}{name}")
    })
}

/// A number with the marks that the map names; any other mark makes it none.
pub(crate) fn number(text: &str, comma: bool, thousands: Option<char>) -> Option<f64> {
    let text = text.trim();
    let plain = match thousands {
        Some(mark) => without_thousands(text, mark, if comma { ',' } else { '.' })?,
        None => text.to_owned(),
    };
    let plain = match comma {
        true if plain.contains('.') => return None,
        true => plain.replace(',', "."),
        false => plain,
    };
    plain.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Without the marks between groups of three digits, where they all are.
fn without_thousands(text: &str, mark: char, decimal: char) -> Option<String> {
    let (whole, rest) = text.split_at_checked(text.find(decimal).unwrap_or(text.len()))?;
    let mut groups = whole.split(|character| character == mark || mark == ' ' && character == '\u{a0}');
    let first = groups.next()?;
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let mut plain = first.to_owned();
    for group in groups {
        if !is_group(group) || !(1..=3).contains(&first.trim_start_matches(['-', '+']).len()) {
            return None;
        }
        plain.push_str(group);
    }
    plain.push_str(rest);
    Some(plain)
}

/// Two numbers, with points or with commas for their decimals; `None` where it is left open which comma is which.
pub(crate) fn pair(text: &str) -> Option<(f64, f64)> {
    let blank = |character: char| character.is_whitespace() || character == ';';
    let numbers = |numbers: [Option<&str>; 2]| {
        let [first, second] = numbers.map(|number| number?.replace(',', ".").parse().ok());
        first.zip(second)
    };
    if text.contains('.') {
        let mut parts =
            text.split(|character| blank(character) || character == ',').filter(|part| !part.is_empty());
        let (first, second, more) = (parts.next(), parts.next(), parts.next());
        // A third one may be the height, or a decimal of the second.
        let is_clear = more.is_none() || [first, second].iter().flatten().all(|part| part.contains('.'));
        return is_clear.then(|| numbers([first, second])).flatten();
    }
    let parts = text.split(blank).map(|part| part.trim_matches(',')).filter(|part| !part.is_empty());
    match parts.collect::<Vec<_>>().as_slice() {
        [one] => match one.split(',').collect::<Vec<_>>().as_slice() {
            [first, second] => numbers([Some(first), Some(second)]),
            [_, _, _, _] => {
                let middle = one.match_indices(',').nth(1).map_or(0, |(at, _)| at);
                numbers([one.get(..middle), one.get(middle.saturating_add(1)..)])
            }
            _ => None,
        },
        [first, second] if first.contains(',') == second.contains(',') => {
            numbers([Some(first), Some(second)])
        }
        _ => None,
    }
}

/// A point on the earth; (0, 0) is a filler.
pub(crate) fn point(latitude: f64, longitude: f64) -> Option<(f64, f64)> {
    let on_earth = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
    (on_earth && !(latitude == 0.0 && longitude == 0.0)).then_some((latitude, longitude))
}

/// What the words of a price mean.
pub(crate) fn price_kind(text: &str) -> PriceKind {
    let folded = crate::fold::fold(text);
    let amounts: Vec<f64> = amounts(&folded);
    match amounts.as_slice() {
        [] if says_free(&folded) == Some(true) => PriceKind::Free,
        [] => PriceKind::Unknown,
        [one] if folded.contains("desde") || folded.contains("a partir") => PriceKind::From(*one),
        [one] => PriceKind::Euros(*one),
        several => PriceKind::From(several.iter().copied().fold(f64::INFINITY, f64::min)),
    }
}

/// Whether the words say that it is not free.
pub(crate) fn denies_free(text: &str) -> bool {
    says_free(&crate::fold::fold(text)) == Some(false)
}

/// What nothing is paid for, as the languages of these feeds say it: whole words, a star for any ending.
const FREE: [&[&str]; 16] = [
    &["gratuit*"],
    &["gratis"],
    &["gratuidad"],
    &["gratuitat"],
    &["free"],
    &["kostenlos*"],
    &["kostenfrei*"],
    &["doan"],
    &["doako*"],
    &["entrada", "libre"],
    &["acceso", "libre"],
    &["entrada", "lliure"],
    &["acces", "lliure"],
    &["entree", "libre"],
    &["ingresso", "libero"],
    &["eintritt", "frei"],
];
/// Words that turn a word around that comes soon behind them.
const NOT: [&str; 20] = [
    "no", "non", "not", "nicht", "kein", "keine", "keinen", "niet", "geen", "nao", "ez", "pas", "ni",
    "nunca", "mai", "never", "isn", "isnt", "sin", "sense",
];
/// Words between the two at the most.
const BETWEEN: usize = 3;

/// Whether folded words say that it is free, or that it is not; `None` when they say neither.
fn says_free(folded: &str) -> Option<bool> {
    let mut free = None;
    for clause in folded.split(['.', ',', ';', ':', '!', '?', '(', ')', '\n']) {
        let words: Vec<&str> = clause
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let is = |word: &str, known: &str| match known.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == known,
        };
        let stands = |at: usize| {
            let rest = words.get(at..).unwrap_or_default();
            FREE.iter().any(|known| {
                rest.len() >= known.len() && known.iter().zip(rest).all(|(known, word)| is(word, known))
            })
        };
        for at in (0..words.len()).filter(|at| stands(*at)) {
            let before = words.get(at.saturating_sub(BETWEEN.saturating_add(1))..at).unwrap_or_default();
            if before.iter().any(|word| NOT.contains(word)) {
                return Some(false);
            }
            free = Some(true);
        }
        // "Gratuito: no".
        if free == Some(true) && matches!(words.as_slice(), [word] if NOT.contains(word)) {
            return Some(false);
        }
    }
    free
}

/// The numbers before `€`, `euro` or `eur`.
fn amounts(text: &str) -> Vec<f64> {
    let mut amounts = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(['€', 'e']) {
        let rest = text.get(at..).unwrap_or_default();
        if !(rest.starts_with('€') || rest.starts_with("euro") || rest.starts_with("eur ")) {
            continue;
        }
        let left = text.get(from..at).unwrap_or_default().trim_end();
        let digits = left.len().saturating_sub(
            left.trim_end_matches(|character: char| {
                character.is_ascii_digit() || matches!(character, ',' | '.')
            })
            .len(),
        );
        let figure =
            left.get(left.len().saturating_sub(digits)..).unwrap_or_default().trim_matches(['.', ',']);
        let decimals = figure.rsplit([',', '.']).next().map_or(0, str::len);
        // `1.200` and `1.200,50` are above a thousand, `12.50` is not.
        let comma = figure.contains(',') || figure.contains('.') && decimals == 3;
        amounts.extend(number(figure, comma, comma.then_some('.')));
        from = at;
    }
    amounts
}
