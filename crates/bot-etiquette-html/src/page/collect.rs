//! What is kept while the tokens go by; URLs are resolved afterwards, since the first `base` counts for all of them.

use html5gum::State;

use super::link::{LinkKind, Place};
use super::names::{Attribute, Element, breaks_out};
use super::text::Text;
use super::tokens::{Sink, Tag};
use super::{Finding, FindingKind, Meta};
use crate::{CssUrlKind, Limits, css_urls, srcset};

/// SVG and MathML open within each other that are told apart; deeper ones are counted.
const FOREIGN: usize = 64;

/// A piece of the arena.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Piece(pub(super) usize, pub(super) usize);

/// A link whose URL is not resolved yet.
#[derive(Debug)]
pub(super) struct RawLink {
    pub(super) value: Piece,
    pub(super) rel: Piece,
    pub(super) hreflang: Piece,
    pub(super) media_type: Piece,
    pub(super) kind: LinkKind,
    pub(super) element: Element,
    pub(super) attribute: Option<Attribute>,
    pub(super) place: Place,
    pub(super) in_body: bool,
    pub(super) text: String,
    pub(super) span: (usize, usize),
    pub(super) line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Foreign {
    Svg,
    Math,
    /// Within these, HTML again.
    Html,
    /// The title or the description of a picture: HTML too, but not shown.
    Label,
}

/// Text that the tokenizer reads as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    Title,
    JsonLd,
    Style,
    /// Text that a person sees.
    Shown,
    Ignored,
}

/// What the document says, as far as it can be told without its URL.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    pub(super) limits: Limits,
    pub(super) arena: String,
    pub(super) links: Vec<RawLink>,
    pub(super) base: Option<(Piece, u32)>,
    pub(super) lang: Option<String>,
    pub(super) title: Option<Text>,
    pub(super) h1: Vec<String>,
    pub(super) metas: Vec<Meta>,
    pub(super) refresh: Option<(String, u32)>,
    pub(super) json_ld: Vec<(String, u32)>,
    pub(super) srcdocs: Vec<(String, u32, (usize, usize))>,
    pub(super) forms: u32,
    pub(super) visible: Text,
    pub(super) findings: Vec<Finding>,
    source: &'a [u8],
    outer: Place,
    line: u32,
    line_at: usize,
    in_body: bool,
    foreign: Vec<Foreign>,
    foreign_beyond: u32,
    templates: u32,
    noscript: bool,
    hidden: Option<(Vec<u8>, u32)>,
    raw: Option<Raw>,
    raw_text: Vec<u8>,
    raw_line: u32,
    raw_span: (usize, usize),
    embedded: [usize; 3],
    anchor: Option<(usize, Text)>,
    heading: Option<Text>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(source: &'a str, limits: Limits, outer: Place) -> Self {
        Self {
            arena: String::new(),
            links: Vec::new(),
            base: None,
            lang: None,
            title: None,
            h1: Vec::new(),
            metas: Vec::new(),
            refresh: None,
            json_ld: Vec::new(),
            srcdocs: Vec::new(),
            forms: 0,
            visible: Text::new(limits.text),
            findings: Vec::new(),
            source: source.as_bytes(),
            outer,
            line: 1,
            line_at: 0,
            in_body: false,
            foreign: Vec::new(),
            foreign_beyond: 0,
            templates: 0,
            noscript: false,
            hidden: None,
            raw: None,
            raw_text: Vec::new(),
            raw_line: 0,
            raw_span: (0, 0),
            embedded: [0; 3],
            anchor: None,
            heading: None,
            limits,
        }
    }

    /// What is open at the end is closed.
    pub(super) fn finish(&mut self) {
        self.close_raw();
        self.close_anchor();
        self.close_heading();
    }

    pub(super) fn piece(&self, piece: Piece) -> &str {
        self.arena.get(piece.0..piece.1).unwrap_or_default()
    }

    pub(super) fn find(&mut self, kind: FindingKind, line: u32, detail: &str) {
        if self.findings.len() < self.limits.findings {
            self.findings.push(Finding::new(kind, Some(line), detail));
        }
    }

    fn line_of(&mut self, position: usize) -> u32 {
        if let Some(passed) = self.source.get(self.line_at..position) {
            let ends = memchr::memchr_iter(b'\n', passed).count();
            self.line = self.line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
            self.line_at = position;
        }
        self.line
    }

    fn place(&self) -> Place {
        match () {
            () if self.templates > 0 => Place::Template,
            () if self.outer != Place::Document => self.outer,
            () if self.noscript => Place::Noscript,
            () => Place::Document,
        }
    }

    fn keep(&mut self, text: &str) -> Piece {
        let start = self.arena.len();
        self.arena.push_str(text);
        Piece(start, self.arena.len())
    }

    fn in_foreign(&self) -> bool {
        self.foreign_beyond > 0 || matches!(self.foreign.last(), Some(Foreign::Svg | Foreign::Math))
    }

    /// A link of `tag` by one attribute; answers its index.
    fn link(&mut self, tag: &Tag, kind: LinkKind, attribute: Attribute) -> Option<usize> {
        let (value, cut) = tag.whole(attribute)?;
        if cut {
            let line = self.line_of(tag.start);
            self.find(FindingKind::LongUrl, line, attribute.as_str());
            return None;
        }
        self.link_to(tag, kind, Some(attribute), value)
    }

    fn link_to(
        &mut self,
        tag: &Tag,
        kind: LinkKind,
        attribute: Option<Attribute>,
        value: &str,
    ) -> Option<usize> {
        let line = self.line_of(tag.start);
        if self.links.len() >= self.limits.links {
            let is_told = self.findings.iter().any(|finding| finding.kind == FindingKind::LinksCut);
            if !is_told {
                self.find(FindingKind::LinksCut, line, "");
            }
            return None;
        }
        let optional = |this: &mut Self, attribute| {
            tag.value(attribute).map_or(Piece::default(), |text| this.keep(text))
        };
        let value = self.keep(value);
        let link = RawLink {
            value,
            rel: optional(self, Attribute::Rel),
            hreflang: optional(self, Attribute::Hreflang),
            media_type: optional(self, Attribute::Type),
            kind,
            element: tag.element(),
            attribute,
            place: self.place(),
            in_body: self.in_body,
            text: String::new(),
            span: (tag.start, tag.end),
            line,
        };
        self.links.push(link);
        Some(self.links.len().saturating_sub(1))
    }

    fn image_set(&mut self, tag: &Tag, kind: LinkKind, attribute: Attribute) {
        let Some((value, cut)) = tag.whole(attribute) else { return };
        let line = self.line_of(tag.start);
        if cut {
            self.find(FindingKind::AttributeCut, line, attribute.as_str());
        }
        for candidate in srcset(value) {
            if candidate.valid {
                self.link_to(tag, kind, Some(attribute), candidate.url);
            } else {
                self.find(FindingKind::BadSrcset, line, candidate.descriptors);
            }
        }
    }

    fn style(&mut self, tag: &Tag, attribute: Option<Attribute>, sheet: &str) {
        for found in css_urls(sheet) {
            let kind = match found.kind {
                CssUrlKind::Import => LinkKind::Stylesheet,
                CssUrlKind::Font => LinkKind::Font,
                CssUrlKind::Image => LinkKind::Image,
            };
            self.link_to(tag, kind, attribute, &found.url);
        }
    }

    /// Bytes of embedded text that may still be kept, by kind: JSON-LD, style, srcdoc.
    fn room(&self, which: usize) -> usize {
        self.limits.embedded.saturating_sub(self.embedded.get(which).copied().unwrap_or_default())
    }

    fn spend(&mut self, which: usize, bytes: usize) {
        if let Some(spent) = self.embedded.get_mut(which) {
            *spent = spent.saturating_add(bytes);
        }
    }

    fn open_raw(&mut self, raw: Raw, tag: &Tag) {
        self.raw = Some(raw);
        self.raw_text.clear();
        self.raw_line = self.line_of(tag.start);
        self.raw_span = (tag.start, tag.end);
    }

    fn close_raw(&mut self) {
        let Some(raw) = self.raw.take() else { return };
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.raw_text)).into_owned();
        match raw {
            Raw::JsonLd => {
                self.spend(0, text.len());
                if self.json_ld.len() < self.limits.items {
                    self.json_ld.push((text, self.raw_line));
                }
            }
            Raw::Style => {
                self.spend(1, text.len());
                let tag = Tag::at(Element::Style, self.raw_span);
                let (line, at) = (self.line, self.line_at);
                (self.line, self.line_at) = (self.raw_line, self.raw_span.0);
                self.style(&tag, None, &text);
                (self.line, self.line_at) = (line, at);
            }
            Raw::Title | Raw::Shown | Raw::Ignored => {}
        }
    }

    fn close_anchor(&mut self) {
        if let Some((index, text)) = self.anchor.take()
            && let Some(link) = self.links.get_mut(index)
        {
            link.text = text.into_string();
        }
    }

    fn close_heading(&mut self) {
        if let Some(text) = self.heading.take()
            && self.h1.len() < self.limits.items
        {
            self.h1.push(text.into_string());
        }
    }

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
    fn common(&mut self, tag: &Tag) {
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
    fn html(&mut self, tag: &Tag) -> Option<State> {
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
    fn svg(&mut self, tag: &Tag) {
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

    /// Keeps track of where SVG and MathML begin and end.
    fn foreign_start(&mut self, tag: &Tag) {
        if self.in_foreign() && breaks_out(&tag.name) {
            self.foreign_beyond = 0;
            while matches!(self.foreign.last(), Some(Foreign::Svg | Foreign::Math)) {
                self.foreign.pop();
            }
        }
        let top = self.foreign.last();
        let opened = match tag.element() {
            Element::Svg => Foreign::Svg,
            Element::Math => Foreign::Math,
            Element::ForeignObject if top == Some(&Foreign::Svg) => Foreign::Html,
            Element::Desc | Element::Title if top == Some(&Foreign::Svg) => Foreign::Label,
            Element::MathText if top == Some(&Foreign::Math) => Foreign::Html,
            _ => return,
        };
        if tag.self_closing {
            return;
        }
        if self.foreign.len() < FOREIGN {
            self.foreign.push(opened);
        } else {
            self.foreign_beyond = self.foreign_beyond.saturating_add(1);
        }
    }

    fn foreign_end(&mut self, element: Element) {
        let closes = match element {
            Element::Svg => Foreign::Svg,
            Element::Math => Foreign::Math,
            Element::ForeignObject | Element::MathText => Foreign::Html,
            Element::Desc | Element::Title => Foreign::Label,
            _ => return,
        };
        if self.foreign_beyond > 0 {
            self.foreign_beyond = self.foreign_beyond.saturating_sub(1);
        } else if let Some(at) = self.foreign.iter().rposition(|open| *open == closes) {
            self.foreign.truncate(at);
        }
    }

    fn hide(&mut self, tag: &Tag) {
        let is_void =
            tag.element().is_void() || tag.element() == Element::Inline && tag.name.as_slice() == b"wbr";
        if let Some((name, depth)) = &mut self.hidden
            && *name == tag.name
        {
            // A paragraph or list item that is not closed ends where the next one begins.
            if matches!(tag.name.as_slice(), b"p" | b"li" | b"dt" | b"dd" | b"option" | b"tr" | b"td" | b"th")
            {
                self.hidden = None;
            } else {
                *depth = depth.saturating_add(1);
            }
        }
        let is_hidden =
            tag.value(Attribute::Hidden).is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
                || tag.value(Attribute::AriaHidden).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if self.hidden.is_none() && is_hidden && !is_void && !tag.self_closing {
            self.hidden = Some((tag.name.clone(), 1));
        }
    }

    fn is_shown(&self) -> bool {
        self.templates == 0
            && !self.noscript
            && self.hidden.is_none()
            && self.outer == Place::Document
            && self.foreign.last() != Some(&Foreign::Label)
            && matches!(self.raw, None | Some(Raw::Shown))
    }
}

impl Sink for Collector<'_> {
    fn start_tag(&mut self, tag: &Tag) -> Option<State> {
        let element = tag.element();
        let was_in_foreign = self.in_foreign();
        if was_in_foreign || matches!(element, Element::Svg | Element::Math) {
            self.foreign_start(tag);
        }
        if !element.is_of_head() && !was_in_foreign {
            self.in_body = true;
        }
        if element.breaks_line() {
            self.visible.end_line();
            if let Some(text) = self.heading.as_mut() {
                text.gap();
            }
            if let Some((_, text)) = self.anchor.as_mut() {
                text.gap();
            }
        } else if matches!(element, Element::Td | Element::Cell) {
            self.visible.gap();
        }
        if self.hidden.is_some() || tag.has_any() {
            self.hide(tag);
        }
        if tag.has_more {
            let line = self.line_of(tag.start);
            self.find(FindingKind::AttributesCut, line, "");
        }
        if tag.has_any() {
            self.common(tag);
        }
        if was_in_foreign && self.in_foreign() || matches!(element, Element::Svg | Element::Math) {
            self.svg(tag);
            return None;
        }
        // The title and the description of an SVG picture hold HTML, but are none of the page's own.
        if was_in_foreign
            && matches!(element, Element::Title | Element::Desc | Element::ForeignObject | Element::MathText)
        {
            return None;
        }
        self.html(tag)
    }

    fn end_tag(&mut self, tag: &Tag) {
        let element = tag.element();
        self.close_raw();
        if !self.foreign.is_empty() {
            self.foreign_end(element);
        }
        match element {
            Element::A => self.close_anchor(),
            Element::H1 => self.close_heading(),
            Element::Head => self.in_body = true,
            Element::Noscript => self.noscript = false,
            Element::Template => self.templates = self.templates.saturating_sub(1),
            _ => {}
        }
        if element.breaks_line() {
            self.visible.end_line();
        }
        if let Some((name, depth)) = &mut self.hidden
            && *name == tag.name
        {
            *depth = depth.saturating_sub(1);
            if *depth == 0 {
                self.hidden = None;
            }
        }
    }

    fn text(&mut self, piece: &[u8]) {
        match self.raw {
            Some(Raw::Title) => {
                if let Some(title) = &mut self.title {
                    title.push(piece);
                }
                return;
            }
            Some(raw @ (Raw::JsonLd | Raw::Style)) => {
                let room = self.room(usize::from(raw == Raw::Style)).saturating_sub(self.raw_text.len());
                if piece.len() <= room {
                    self.raw_text.extend_from_slice(piece);
                } else {
                    let line = self.raw_line;
                    self.raw_text.clear();
                    self.raw = Some(Raw::Ignored);
                    self.find(
                        FindingKind::EmbeddedCut,
                        line,
                        if raw == Raw::Style { "style" } else { "json-ld" },
                    );
                }
                return;
            }
            Some(Raw::Ignored) => return,
            Some(Raw::Shown) | None => {}
        }
        if self.templates == 0
            && let Some(heading) = &mut self.heading
        {
            heading.push(piece);
        }
        if let Some((_, anchor)) = &mut self.anchor {
            anchor.push(piece);
        }
        if self.is_shown() {
            self.visible.push(piece);
        }
    }

    fn is_foreign(&self) -> bool {
        self.in_foreign()
    }
}
