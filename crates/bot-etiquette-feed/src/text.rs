//! Texts in several languages.

use std::sync::Arc;

use crate::clean::CleanText;
use crate::scrub::Scrubbed;

/// A text, its language and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Text {
    lang: Arc<str>,
    text: CleanText,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    translated: Option<Box<Translated>>,
}

/// That a text is a translation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Translated {
    /// The language it was translated from.
    pub from: String,
    /// The translator's name.
    pub by: String,
}

impl Text {
    /// The language (BCP 47).
    #[must_use]
    pub fn lang(&self) -> &str {
        &self.lang
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &CleanText {
        &self.text
    }

    /// Whether and how it was translated; `None` for the source's own words.
    #[must_use]
    pub fn translated(&self) -> Option<&Translated> {
        self.translated.as_deref()
    }
}

/// One text in the languages it is known in, the source's own first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(from = "Vec<Text>"))]
pub struct Texts {
    /// Most have this one alone.
    source: Option<Text>,
    others: Vec<Text>,
}

impl Texts {
    /// The first text: the one of the source.
    #[must_use]
    pub fn source(&self) -> Option<&Text> {
        self.source.as_ref()
    }

    /// The text in a language.
    #[must_use]
    pub fn in_language(&self, lang: &str) -> Option<&Text> {
        self.iter().find(|text| text.lang.eq_ignore_ascii_case(lang))
    }

    /// The text in a language, or else the source's own, which says its language itself.
    #[must_use]
    pub fn best(&self, lang: &str) -> Option<&Text> {
        self.in_language(lang).or_else(|| self.source())
    }

    /// All texts.
    pub fn iter(&self) -> impl Iterator<Item = &Text> {
        self.source.iter().chain(&self.others)
    }

    /// Adds what `translator` makes of the source's text for each language that is missing; returns what had to be
    /// taken out of the translations, which are scrubbed like any other text.
    ///
    /// # Errors
    /// The translator's.
    pub fn translate<T: Translator>(
        &mut self,
        languages: &[&str],
        translator: &mut T,
    ) -> Result<Scrubbed, T::Error> {
        let mut all = Scrubbed::default();
        let Some(source) = self.source().cloned() else { return Ok(all) };
        for lang in languages {
            if self.in_language(lang).is_some() {
                continue;
            }
            if let Some(text) = translator.translate(&source.text, &source.lang, lang)? {
                // A title stays on one line, whatever the translator makes of it.
                let lines = source.text.contains('\n');
                let (text, scrubbed) = if lines { CleanText::block(&text) } else { CleanText::line(&text) };
                all.add(scrubbed);
                let translated =
                    Translated { from: source.lang.to_string(), by: translator.name().to_owned() };
                self.push(Text { lang: Arc::from(*lang), text, translated: Some(Box::new(translated)) });
            }
        }
        Ok(all)
    }

    pub(crate) fn add(&mut self, lang: &Arc<str>, text: CleanText) {
        if !text.is_empty() && self.in_language(lang).is_none() {
            self.push(Text { lang: Arc::clone(lang), text, translated: None });
        }
    }

    fn push(&mut self, text: Text) {
        match &self.source {
            None => self.source = Some(text),
            Some(_) => self.others.push(text),
        }
    }

    /// Takes over the languages that are missing; a source's own words take the place of a translation.
    pub(crate) fn merge(&mut self, other: &Self) {
        for text in other.iter() {
            match self
                .source
                .iter_mut()
                .chain(&mut self.others)
                .find(|known| known.lang.eq_ignore_ascii_case(&text.lang))
            {
                Some(known) if known.translated.is_some() && text.translated.is_none() => {
                    *known = text.clone()
                }
                Some(_) => {}
                None => self.push(text.clone()),
            }
        }
    }
}

#[cfg(feature = "serde")]
impl From<Vec<Text>> for Texts {
    fn from(texts: Vec<Text>) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Texts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Who translates what a feed does not publish in a language.
///
/// ```
/// use bot_etiquette_feed::{CleanText, Translator};
///
/// struct Shout;
///
/// impl Translator for Shout {
///     type Error = std::convert::Infallible;
///
///     fn name(&self) -> &str {
///         "shout"
///     }
///
///     fn translate(&mut self, text: &CleanText, _from: &str, to: &str) -> Result<Option<String>, Self::Error> {
///         Ok((to == "en").then(|| text.to_uppercase()))
///     }
/// }
///
/// let (text, _) = CleanText::line("hola");
/// assert_eq!(Shout.translate(&text, "es", "en"), Ok(Some("HOLA".to_owned())));
/// ```
pub trait Translator {
    /// Why a text could not be translated.
    type Error;

    /// A name that readers see beside the text.
    fn name(&self) -> &str;

    /// The text in another language, `None` when this translator does not know it.
    ///
    /// # Errors
    /// What kept it from translating.
    fn translate(&mut self, text: &CleanText, from: &str, to: &str) -> Result<Option<String>, Self::Error>;
}
