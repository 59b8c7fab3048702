//! What is kept while the tokens go by; URLs are resolved afterwards, since the first `base` counts for all of them.

use html5gum::State;

use super::foreign::Foreign;
use super::hidden::Hidden;
use super::link::{LinkKind, Place};
use super::main_text::Outline;
use super::names::{Attribute, Element};
use super::text::Text;
use super::tokens::{Sink, Tag};
use super::{Finding, FindingKind, Meta};
use crate::{CssUrlKind, Limits, css_urls, srcset};

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

/// Text that the tokenizer reads as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
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
    pub(super) outline: Outline,
    pub(super) findings: Vec<Finding>,
    pub(super) source: &'a [u8],
    pub(super) outer: Place,
    pub(super) line: u32,
    pub(super) line_at: usize,
    pub(super) in_body: bool,
    pub(super) foreign: Foreign,
    pub(super) templates: u32,
    pub(super) noscript: bool,
    pub(super) hidden: Hidden,
    pub(super) raw: Option<Raw>,
    pub(super) raw_text: Vec<u8>,
    pub(super) raw_line: u32,
    pub(super) raw_span: (usize, usize),
    pub(super) embedded: [usize; 3],
    pub(super) anchor: Option<(usize, Text)>,
    pub(super) heading: Option<Text>,
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
            outline: Outline::new(if limits.text > 0 { limits.parts } else { 0 }, limits.depth),
            findings: Vec::new(),
            source: source.as_bytes(),
            outer,
            line: 1,
            line_at: 0,
            in_body: false,
            foreign: Foreign::default(),
            templates: 0,
            noscript: false,
            hidden: Hidden::default(),
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

    pub(super) fn line_of(&mut self, position: usize) -> u32 {
        if let Some(passed) = self.source.get(self.line_at..position) {
            let ends = memchr::memchr_iter(b'\n', passed).count();
            self.line = self.line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
            self.line_at = position;
        }
        self.line
    }

    pub(super) fn place(&self) -> Place {
        match () {
            () if self.templates > 0 => Place::Template,
            () if self.outer != Place::Document => self.outer,
            () if self.noscript => Place::Noscript,
            () => Place::Document,
        }
    }

    pub(super) fn keep(&mut self, text: &str) -> Piece {
        let start = self.arena.len();
        self.arena.push_str(text);
        Piece(start, self.arena.len())
    }

    /// A link of `tag` by one attribute; answers its index.
    pub(super) fn link(&mut self, tag: &Tag, kind: LinkKind, attribute: Attribute) -> Option<usize> {
        let (value, cut) = tag.whole(attribute)?;
        if cut {
            let line = self.line_of(tag.start);
            self.find(FindingKind::LongUrl, line, attribute.as_str());
            return None;
        }
        self.link_to(tag, kind, Some(attribute), value)
    }

    pub(super) fn link_to(
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

    pub(super) fn image_set(&mut self, tag: &Tag, kind: LinkKind, attribute: Attribute) {
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

    pub(super) fn style(&mut self, tag: &Tag, attribute: Option<Attribute>, sheet: &str) {
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
    pub(super) fn room(&self, which: usize) -> usize {
        self.limits.embedded.saturating_sub(self.embedded.get(which).copied().unwrap_or_default())
    }

    pub(super) fn spend(&mut self, which: usize, bytes: usize) {
        if let Some(spent) = self.embedded.get_mut(which) {
            *spent = spent.saturating_add(bytes);
        }
    }

    pub(super) fn open_raw(&mut self, raw: Raw, tag: &Tag) {
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

    pub(super) fn close_anchor(&mut self) {
        if let Some((index, text)) = self.anchor.take()
            && let Some(link) = self.links.get_mut(index)
        {
            link.text = text.into_string();
        }
    }

    pub(super) fn close_heading(&mut self) {
        if let Some(text) = self.heading.take()
            && self.h1.len() < self.limits.items
        {
            self.h1.push(text.into_string());
        }
    }

    fn is_shown(&self) -> bool {
        self.templates == 0
            && !self.noscript
            && !self.hidden.is_open()
            && self.outer == Place::Document
            && !self.foreign.is_label()
            && matches!(self.raw, None | Some(Raw::Shown))
    }
}

impl Sink for Collector<'_> {
    fn start_tag(&mut self, tag: &Tag) -> Option<State> {
        let element = tag.element();
        let was_in_foreign = self.foreign.is_inside();
        if was_in_foreign || matches!(element, Element::Svg | Element::Math) {
            self.foreign.start(tag);
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
            if !was_in_foreign {
                self.outline.start(tag, self.visible.len());
            }
        } else if matches!(element, Element::Td | Element::Cell) {
            self.visible.gap();
        }
        if self.hidden.is_open() || tag.has_any() {
            self.hidden.start(tag, was_in_foreign);
        }
        if tag.has_more {
            let line = self.line_of(tag.start);
            self.find(FindingKind::AttributesCut, line, "");
        }
        if tag.has_any() {
            self.common(tag);
        }
        if was_in_foreign && self.foreign.is_inside() || matches!(element, Element::Svg | Element::Math) {
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
        self.foreign.end(element);
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
            self.outline.end(tag, self.visible.len());
        }
        self.hidden.end(tag);
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
            let before = self.visible.len();
            self.visible.push(piece);
            if self.anchor.is_some() {
                self.outline.link_text(self.visible.len().saturating_sub(before));
            }
        }
    }

    fn is_foreign(&self) -> bool {
        self.foreign.is_inside()
    }
}
