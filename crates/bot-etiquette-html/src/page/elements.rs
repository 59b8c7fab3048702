//! What each element says.

use html5gum::State;

use super::collect::{Collector, Raw};
use super::link::{LinkKind, Place};
use super::names::{Attribute, Element};
use super::text::Text;
use super::tokens::Tag;
use super::{FindingKind, Meta};

impl Collector<'_> {
    fn meta(&mut self, tag: &Tag) {
        let content = tag.value(Attribute::Content);
        let line = self.line_of(tag.start);
        let equivalent = tag.value(Attribute::HttpEquiv);
        if let (Some(content), Some("refresh")) =
            (content, equivalent.map(str::to_ascii_lowercase).as_deref())
            && self.refresh.is_none()
            && self.place() == Place::Document
        {
            self.refresh = Some((content.to_owned(), line));
        }
        let name = tag.value(Attribute::Name).or_else(|| tag.value(Attribute::Property));
        let (Some(name), Some(content)) = (name, content) else { return };
        let name = name.trim().to_ascii_lowercase();
        if name.is_empty() || self.place() != Place::Document {
            return;
        }
        let is_url =
            ["og:url", "og:image", "og:image:url", "og:image:secure_url", "og:video", "og:video:url"]
                .iter()
                .chain(&[
                    "og:audio",
                    "twitter:image",
                    "twitter:image:src",
                    "twitter:player",
                    "msapplication-tileimage",
                ])
                .any(|property| *property == name);
        if is_url && !content.trim().is_empty() {
            let is_image = name.contains("image");
            self.link(tag, if is_image { LinkKind::Image } else { LinkKind::Metadata }, Attribute::Content);
        }
        if self.metas.len() < self.limits.items {
            let mut text = Text::new(self.limits.short_text);
            text.push(content.as_bytes());
            self.metas.push(Meta { name, content: text.into_string(), line });
        }
    }

    /// The attributes that any element may have.
    pub(super) fn common(&mut self, tag: &Tag) {
        if let Some(sheet) = tag.value(Attribute::Style)
            && memchr::memchr(b'(', sheet.as_bytes()).is_some()
        {
            let sheet = sheet.to_owned();
            self.style(tag, Some(Attribute::Style), &sheet);
        }
        for late in [Attribute::DataSrc, Attribute::DataLazySrc, Attribute::DataOriginal, Attribute::DataBg] {
            if tag.value(late).is_some_and(|value| !value.trim().is_empty()) {
                let kind = match tag.element() {
                    Element::Iframe => LinkKind::Frame,
                    Element::Script => LinkKind::Script,
                    Element::Audio | Element::Video => LinkKind::Media,
                    _ => LinkKind::Image,
                };
                self.link(tag, kind, late);
            }
        }
        self.image_set(tag, LinkKind::Image, Attribute::DataSrcset);
    }

    fn image(&mut self, tag: &Tag) {
        let first = self.links.len();
        if tag.value(Attribute::Src).is_some_and(|src| !src.trim().is_empty()) {
            self.link(tag, LinkKind::Image, Attribute::Src);
        }
        self.image_set(tag, LinkKind::Image, Attribute::Srcset);
        let Some(alt) = tag.value(Attribute::Alt) else { return };
        let mut text = Text::new(self.limits.short_text);
        text.push(alt.as_bytes());
        if let Some((_, anchor)) = &mut self.anchor {
            anchor.gap();
            anchor.push(alt.as_bytes());
            anchor.gap();
        }
        if let Some(link) = self.links.get_mut(first) {
            link.text = text.into_string();
        }
    }

    fn srcdoc(&mut self, tag: &Tag) {
        let Some(document) = tag.value(Attribute::Srcdoc) else { return };
        let line = self.line_of(tag.start);
        if self.outer == Place::Document && document.len() <= self.room(2) {
            self.spend(2, document.len());
            self.srcdocs.push((document.to_owned(), line, (tag.start, tag.end)));
        } else {
            self.find(FindingKind::EmbeddedCut, line, "srcdoc");
        }
    }

    /// What an element of HTML says, and how the text after it is read.
    pub(super) fn html(&mut self, tag: &Tag) -> Option<State> {
        match tag.element() {
            Element::A | Element::Area => {
                if tag.element() == Element::A {
                    self.close_anchor();
                }
                let link = self.link(tag, LinkKind::Page, Attribute::Href);
                if let (Some(link), Element::A) = (link, tag.element()) {
                    self.anchor = Some((link, Text::new(self.limits.short_text)));
                } else if let Some(alt) = tag.value(Attribute::Alt)
                    && let Some(link) = link.and_then(|link| self.links.get_mut(link))
                {
                    alt.clone_into(&mut link.text);
                }
            }
            Element::Base => self.base(tag),
            Element::Link => {
                if tag.value(Attribute::Href).is_some_and(|href| !href.trim().is_empty()) {
                    self.link(tag, LinkKind::Metadata, Attribute::Href);
                }
                self.image_set(tag, LinkKind::Preload, Attribute::Imagesrcset);
            }
            Element::Meta => self.meta(tag),
            Element::Img | Element::Image => self.image(tag),
            Element::Source => {
                self.filled(tag, LinkKind::Media, Attribute::Src);
                self.image_set(tag, LinkKind::Image, Attribute::Srcset);
            }
            Element::Input
                if tag
                    .value(Attribute::Type)
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("image")) =>
            {
                self.filled(tag, LinkKind::Image, Attribute::Src);
            }
            Element::Audio | Element::Video | Element::Track => {
                self.filled(tag, LinkKind::Media, Attribute::Src);
                self.filled(tag, LinkKind::Image, Attribute::Poster);
            }
            Element::Embed => self.filled(tag, LinkKind::Object, Attribute::Src),
            Element::Object => self.filled(tag, LinkKind::Object, Attribute::Data),
            Element::Frame => self.filled(tag, LinkKind::Frame, Attribute::Src),
            Element::Body | Element::Table | Element::Td | Element::Cell => {
                self.filled(tag, LinkKind::Image, Attribute::Background);
            }
            Element::Form => {
                self.forms = self.forms.saturating_add(1);
            }
            Element::Html if self.lang.is_none() => {
                let lang = tag.value(Attribute::Lang).or_else(|| tag.value(Attribute::XmlLang));
                self.lang = lang.map(str::trim).filter(|lang| !lang.is_empty()).map(str::to_owned);
            }
            Element::H1 => {
                self.close_heading();
                if self.place() == Place::Document {
                    self.heading = Some(Text::new(self.limits.short_text));
                }
            }
            Element::Noscript => self.noscript = true,
            Element::Template => self.templates = self.templates.saturating_add(1),
            _ => {}
        }
        self.raw_state(tag)
    }

    fn raw_state(&mut self, tag: &Tag) -> Option<State> {
        let (raw, state) = match tag.element() {
            Element::Title => {
                let is_first = self.title.is_none() && self.place() == Place::Document;
                if is_first {
                    self.title = Some(Text::new(self.limits.short_text));
                }
                (if is_first { Raw::Title } else { Raw::Ignored }, State::RcData)
            }
            Element::Textarea => (Raw::Shown, State::RcData),
            Element::Script => {
                self.filled(tag, LinkKind::Script, Attribute::Src);
                let media_type = tag.value(Attribute::Type).unwrap_or_default();
                let is_data = media_type
                    .split(';')
                    .next()
                    .is_some_and(|name| name.trim().eq_ignore_ascii_case("application/ld+json"));
                let is_data = is_data && self.place() == Place::Document;
                (if is_data { Raw::JsonLd } else { Raw::Ignored }, State::ScriptData)
            }
            Element::Style => (Raw::Style, State::RawText),
            Element::Iframe => {
                self.filled(tag, LinkKind::Frame, Attribute::Src);
                self.srcdoc(tag);
                (Raw::Ignored, State::RawText)
            }
            Element::Raw => (Raw::Ignored, State::RawText),
            Element::Plaintext => (Raw::Shown, State::PlainText),
            _ => return None,
        };
        self.open_raw(raw, tag);
        Some(state)
    }

    /// A link where the attribute is not empty: an empty one loads nothing.
    fn filled(&mut self, tag: &Tag, kind: LinkKind, attribute: Attribute) {
        if tag.value(attribute).is_some_and(|value| !value.trim().is_empty()) {
            self.link(tag, kind, attribute);
        }
    }

    fn base(&mut self, tag: &Tag) {
        let Some(href) = tag.value(Attribute::Href) else { return };
        if self.place() == Place::Template {
            return;
        }
        let line = self.line_of(tag.start);
        if self.base.is_some() {
            self.find(FindingKind::BaseRepeated, line, href);
        } else {
            self.base = Some((self.keep(href), line));
        }
    }

    /// What an element of SVG or MathML says.
    pub(super) fn svg(&mut self, tag: &Tag) {
        let kind = match tag.element() {
            Element::A => LinkKind::Page,
            Element::Script => LinkKind::Script,
            Element::Image | Element::Use | Element::FeImage | Element::Pattern => LinkKind::Image,
            _ => return,
        };
        let href =
            [Attribute::Href, Attribute::XlinkHref].into_iter().find(|href| tag.value(*href).is_some());
        let Some(href) = href else { return };
        let is_own_part =
            tag.value(href).is_some_and(|value| value.trim().starts_with('#') || value.trim().is_empty());
        if kind == LinkKind::Page || !is_own_part {
            self.link(tag, kind, href);
        }
    }
}
