//! [`Language`]: the page's own words, which are data files.

use std::{collections::BTreeMap, str::FromStr, sync::LazyLock};

use crate::Number;

/// A language that the page is written in.
///
/// ```
/// use bot_etiquette_identity::Language;
///
/// assert_eq!("ES".parse(), Ok(Language::Spanish));
/// assert_eq!(Language::Italian.tag(), "it");
/// assert!("fr".parse::<Language>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// `en`
    #[default]
    English,
    /// `es`
    Spanish,
    /// `it`
    Italian,
}

/// The page is not written in the language that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page is not written in {asked:?}; there are en, es and it")]
pub struct UnknownLanguage {
    asked: String,
}

type Words = BTreeMap<String, String>;

impl Language {
    /// All of them.
    pub const ALL: &[Self] = &[Self::English, Self::Spanish, Self::Italian];

    /// The tag that stands in the page's `lang`.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::Italian => "it",
        }
    }

    pub(crate) fn words(self) -> &'static Words {
        // The files are part of the crate, and a test reads each.
        fn read(text: &str) -> Words {
            toml::from_str(text).unwrap_or_default()
        }
        static ENGLISH: LazyLock<Words> = LazyLock::new(|| read(include_str!("../lang/en.toml")));
        static SPANISH: LazyLock<Words> = LazyLock::new(|| read(include_str!("../lang/es.toml")));
        static ITALIAN: LazyLock<Words> = LazyLock::new(|| read(include_str!("../lang/it.toml")));
        match self {
            Self::English => &ENGLISH,
            Self::Spanish => &SPANISH,
            Self::Italian => &ITALIAN,
        }
    }

    /// A sentence with `{0}`, `{1}`, .. filled in.
    pub(crate) fn say(self, key: &str, values: &[&str]) -> String {
        let Some(sentence) = self.words().get(key) else { return key.to_owned() };
        let mut said = String::with_capacity(sentence.len());
        let mut rest = sentence.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            said.push_str(before);
            let filled = after
                .split_once('}')
                .and_then(|(number, after)| Some((values.get(number.parse::<usize>().ok()?)?, after)));
            match filled {
                Some((value, after)) => {
                    said.push_str(value);
                    rest = after;
                }
                None => {
                    said.push('{');
                    rest = after;
                }
            }
        }
        said.push_str(rest);
        said
    }

    /// A number as the language writes it, to three decimals at most.
    pub(crate) fn number(self, value: f64) -> String {
        let text = format!("{value:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        text.replace('.', &self.say("decimal", &[]))
    }

    /// Seconds in the largest unit that needs no fraction: `15 minutes`, `24 hours`, `7 days`.
    pub(crate) fn span(self, seconds: Number) -> String {
        // A thousandth of a second more than a month only says that a month itself is not enough.
        let seconds = seconds.value();
        let whole = seconds.floor();
        let value = if seconds - whole < 0.01 && seconds >= 60.0 { whole } else { seconds };
        let unit = |size: f64| (value >= size && value % size == 0.0).then(|| value / size);
        let (one, many, count) = if let Some(count) = unit(86_400.0).filter(|days| *days > 1.0) {
            ("days", "days", count)
        } else if let Some(count) = unit(3600.0) {
            ("hour", "hours_many", count)
        } else if let Some(count) = unit(60.0) {
            ("minute", "minutes", count)
        } else {
            ("second", "seconds", value)
        };
        if count == 1.0 { self.say(one, &[]) } else { self.say(many, &[&self.number(count)]) }
    }

    /// Bytes in the units that people know: `5 MB`.
    pub(crate) fn size(self, bytes: u64) -> String {
        match bytes {
            _ if bytes >= 1_000_000 && bytes.is_multiple_of(10_000) => {
                format!("{} MB", self.number(bytes as f64 / 1e6))
            }
            _ if bytes >= 1000 && bytes.is_multiple_of(10) => {
                format!("{} kB", self.number(bytes as f64 / 1e3))
            }
            _ => format!("{bytes} B"),
        }
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let known = Self::ALL.iter().copied().find(|language| language.tag().eq_ignore_ascii_case(text));
        known.ok_or_else(|| UnknownLanguage { asked: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_the_same_sentences_with_the_same_gaps() {
        let gaps = |text: &str| {
            let mut gaps: Vec<_> =
                text.match_indices('{').filter_map(|(at, _)| text.get(at..at + 3)).collect();
            gaps.sort_unstable();
            gaps.dedup();
            gaps.join("")
        };
        let english = Language::English.words();
        assert!(english.len() > 100, "{}", english.len());
        for language in Language::ALL {
            let words = language.words();
            assert_eq!(words.keys().collect::<Vec<_>>(), english.keys().collect::<Vec<_>>(), "{language:?}");
            for (key, text) in words {
                assert_eq!(gaps(text), gaps(&english[key]), "{language:?} {key}");
            }
        }
    }

    #[test]
    fn every_sentence_is_used_and_every_one_used_is_there() {
        let sources = concat!(
            include_str!("language.rs"),
            include_str!("pace.rs"),
            include_str!("../page.rs"),
            include_str!("sections.rs")
        );
        for key in Language::English.words().keys() {
            assert!(sources.contains(&format!("\"{key}\"")), "{key} is in the files and nowhere else");
        }
        for call in ["say(\"", "line(\"", "section(\"", "pair(\""] {
            for (at, _) in sources.match_indices(call) {
                let key = sources[at + call.len()..].split('"').next().unwrap();
                assert!(Language::English.words().contains_key(key) || key.contains('.'), "{key}");
            }
        }
    }

    #[track_caller]
    fn spans(seconds: f64, english: &str, spanish: &str) {
        let seconds = Number::new(seconds).unwrap();
        assert_eq!(Language::English.span(seconds), english);
        assert_eq!(Language::Spanish.span(seconds), spanish);
    }

    #[test]
    fn spans_are_in_the_unit_people_say() {
        spans(0.25, "0.25 seconds", "0,25 segundos");
        spans(1.0, "1 second", "1 segundo");
        spans(2.001, "2.001 seconds", "2,001 segundos");
        spans(60.0, "1 minute", "1 minuto");
        spans(61.0, "61 seconds", "61 segundos");
        spans(900.0, "15 minutes", "15 minutos");
        spans(3600.0, "1 hour", "1 hora");
        spans(86_400.0, "24 hours", "24 horas");
        spans(90_000.0, "25 hours", "25 horas");
        spans(604_800.0, "7 days", "7 días");
        spans(2_592_000.001, "30 days", "30 días");
        assert_eq!(Language::Italian.size(5_000_000), "5 MB");
        assert_eq!(Language::Italian.size(65_530), "65,53 kB");
        assert_eq!(Language::English.size(65_536), "65536 B");
    }
}
