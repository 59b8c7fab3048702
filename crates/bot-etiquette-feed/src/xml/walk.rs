//! The way through a document, piece by piece, along the paths of a map.

use quick_xml::Reader;
use quick_xml::errors::SyntaxError;
use quick_xml::events::Event;

use super::attribute::{attribute, named_attribute};
use super::markup::{self, Piece, Tag};
use crate::feed::Gather;
use crate::field::Field;
use crate::html::{self, Resolved};
use crate::namespaces::Bindings;
use crate::path::local_name;
use crate::plan::Cursor;
use crate::report::Note;
use crate::source_map::Rule;
use crate::tail::Tail;

/// The state between two tokens.
#[derive(Debug, Default)]
pub(super) struct Walk {
    cursor: Cursor,
    /// The names of the elements that are open.
    names: Vec<OpenName>,
    /// The depth above which nothing is wanted.
    skip: Option<usize>,
    elements: Vec<Element>,
    /// Whether somebody wants the text that stands here.
    wanted: bool,
    /// Whether a byte order mark may stand in the window: its first byte is rare in Latin letters.
    marks: bool,
    root_seen: bool,
    high: Option<u32>,
    bindings: Bindings,
}

/// A name, which may be too long to be kept.
#[derive(Debug)]
struct OpenName {
    hash: u64,
    /// Its length, where the first `>` behind it ends its tag.
    plain: Option<usize>,
}

/// An element on the way to mapped values.
#[derive(Debug, Default)]
struct Element {
    record: bool,
    /// Its text so far, when a rule wants it.
    text: Option<String>,
    /// Whether that text holds the text of inner elements.
    nested: bool,
    /// Whether it holds that of HTML's elements alone.
    markup: bool,
    /// Whether it or an element around it is nested.
    within: bool,
}

impl Walk {
    /// Whether a document was read to its end.
    pub(super) fn is_over(&self) -> bool {
        self.root_seen && self.names.is_empty()
    }

    /// Reads all whole tokens of `window`; returns how many bytes they take.
    pub(super) fn tokens(&mut self, window: &str, last: bool, gather: &mut Gather<'_>) -> usize {
        self.marks = memchr::memchr(0xEF, window.as_bytes()).is_some();
        let mut rest = window;
        while !gather.truncated {
            if !self.wanted {
                // Tags alone count.
                rest = behind(rest, markup::next_tag(rest).unwrap_or(0));
            }
            if let Some(length) = self.closing(rest) {
                self.close(gather);
                self.wanted = self.target().is_some();
                rest = behind(rest, length);
                continue;
            }
            let length = match markup::first(rest) {
                Some((Piece::Start(tag), _)) if !is_name(tag.name) => self.no_markup(rest, last, gather),
                Some((piece, length)) => {
                    self.piece(piece, gather);
                    length
                }
                None => self.uncommon(rest, last, gather),
            };
            if length == 0 {
                break;
            }
            rest = behind(rest, length);
        }
        window.len().saturating_sub(rest.len())
    }

    /// Reads what is no common piece, and returns how long it is: 0 for what is not whole.
    fn uncommon(&mut self, rest: &str, last: bool, gather: &mut Gather<'_>) -> usize {
        if !rest.starts_with('<') {
            // A text may go on in the next chunk.
            if last {
                self.text_piece(rest, gather);
            }
            return if last { rest.len() } else { 0 };
        }
        let mut reader = Reader::from_str(rest);
        match reader.read_event() {
            Ok(event) => {
                if matches!(event, Event::DocType(_)) {
                    gather.notes.add(Note::Doctype);
                }
                usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(rest.len())
            }
            Err(quick_xml::Error::Syntax(error)) if error != SyntaxError::InvalidBangMarkup => 0,
            Err(_) => self.no_markup(rest, last, gather),
        }
    }

    /// Takes the `<` that begins no markup as text.
    fn no_markup(&mut self, rest: &str, last: bool, gather: &mut Gather<'_>) -> usize {
        if rest.len() < 16 && !last {
            return 0;
        }
        gather.notes.add(Note::Unbalanced);
        self.text("<", gather);
        1
    }

    fn piece(&mut self, piece: Piece<'_>, gather: &mut Gather<'_>) {
        match piece {
            Piece::Start(tag) => {
                self.start(tag, gather);
                if tag.empty {
                    self.end(tag.name, gather);
                }
                self.wanted = self.target().is_some();
            }
            Piece::End(name) => {
                self.end(name, gather);
                self.wanted = self.target().is_some();
            }
            Piece::Text(text) => self.text_piece(text, gather),
            Piece::CData(text) => {
                self.high = None;
                self.text(text, gather);
            }
            Piece::Reference(name) if self.wanted => self.reference(name, gather),
            Piece::Reference(_) | Piece::Comment => {}
        }
    }

    fn text_piece(&mut self, text: &str, gather: &mut Gather<'_>) {
        self.high = None;
        if text.starts_with('&') && self.wanted {
            gather.notes.add(Note::BareAmpersand);
        }
        self.text(text, gather);
    }

    fn start(&mut self, tag: Tag<'_>, gather: &mut Gather<'_>) {
        let Tag { name, attributes, .. } = tag;
        self.root_seen = true;
        if self.names.len() >= gather.limits.depth {
            gather.truncated = true;
            return;
        }
        self.names.push(OpenName { hash: hash(name), plain: tag.plain.then_some(name.len()) });
        if self.skip.is_some() {
            return;
        }
        if gather.map.plan.namespaces() {
            self.bindings.open(self.names.len(), attributes);
        }
        let bindings = &self.bindings;
        let namespace = || bindings.of_element(name);
        let attribute = |wanted: &str| attribute(attributes, |name| name == wanted);
        if !self.cursor.enter(&gather.map.plan, name, namespace, attribute) {
            if !self.takes(local_name(name), gather.in_record()) {
                self.skip = Some(self.names.len());
                return;
            }
            // Inside a value that takes the text of inner elements.
            if !html::is_inline(local_name(name)) {
                self.text(" ", gather);
            }
            self.push(Element::default());
            self.cursor.stay();
            return;
        }
        let map = gather.map;
        let record = !gather.in_record() && self.cursor.at_record(&map.plan);
        if record {
            gather.begin_record();
        }
        gather.found = gather.found || self.cursor.at_list(&map.plan);
        let mut element = Element { record, ..Element::default() };
        if gather.in_record() {
            if !attributes.is_empty() {
                self.cursor.attributes(&map.plan).for_each(|(name, rule)| {
                    if let Some(value) = named_attribute(attributes, name, &self.bindings) {
                        gather.value(rule, &value);
                    }
                });
            }
            self.cursor.rules(&map.plan).for_each(|index| match map.rule(index) {
                Some(Rule { field: Field::Range, .. }) => gather.value(index, ""),
                Some(rule) => {
                    element.text.get_or_insert_with(|| gather.text());
                    element.nested |= rule.nested;
                }
                None => {}
            });
        } else if self.cursor.at_total(&map.plan) {
            element.text = Some(gather.text());
        }
        self.push(element);
    }

    fn push(&mut self, mut element: Element) {
        element.within = element.nested || self.elements.last().is_some_and(|around| around.within);
        self.elements.push(element);
    }

    /// The length of the tag that `rest` begins with, where it ends the innermost element in the plainest form: `</name>`.
    fn closing(&self, rest: &str) -> Option<usize> {
        let open = self.names.last()?;
        let end = open.plain?.saturating_add(2);
        let is_tag = rest.starts_with("</") && rest.as_bytes().get(end) == Some(&b'>');
        (is_tag && hash(rest.get(2..end)?) == open.hash).then_some(end.saturating_add(1))
    }

    fn end(&mut self, name: &str, gather: &mut Gather<'_>) {
        let hash = hash(name);
        let Some(at) = self.names.iter().rposition(|open| open.hash == hash) else {
            gather.notes.add(Note::Unbalanced);
            return;
        };
        if at.saturating_add(1) < self.names.len() {
            gather.notes.add(Note::Unbalanced);
        }
        while self.names.len() > at {
            self.close(gather);
        }
    }

    fn close(&mut self, gather: &mut Gather<'_>) {
        let depth = self.names.len();
        self.bindings.close(depth);
        self.names.pop();
        self.high = None;
        if let Some(skip) = self.skip {
            if depth <= skip {
                self.skip = None;
            }
            return;
        }
        let Some(element) = self.elements.pop() else { return };
        let map = gather.map;
        let plan = &map.plan;
        if let Some(text) = element.text {
            if gather.in_record() {
                let is_range = |rule: &usize| map.rule(*rule).is_some_and(|rule| rule.field == Field::Range);
                let mut first = None;
                self.cursor.rules(plan).filter(|rule| !is_range(rule)).for_each(|rule| match first {
                    None => first = Some(rule),
                    Some(_) => gather.value(rule, &text),
                });
                if let Some(first) = first {
                    gather.value_owned(first, text);
                }
            } else if self.cursor.at_total(plan) {
                gather.announce(&text);
            }
        }
        self.cursor.leave();
        if element.record {
            gather.end_record();
        }
    }

    /// Whether the text around takes that of an element to which no path leads: where the map says so, or where it marks up text.
    fn takes(&mut self, name: &str, in_record: bool) -> bool {
        if let Some(around) = self.nested().and_then(|at| self.elements.get(at)) {
            return !around.markup || html::is_markup(name);
        }
        let around = self.elements.last_mut().filter(|around| around.text.is_some());
        let Some(around) = around.filter(|_| in_record && html::is_markup(name)) else { return false };
        (around.nested, around.markup, around.within) = (true, true, true);
        true
    }

    /// The innermost element that takes the text of inner ones.
    fn nested(&self) -> Option<usize> {
        self.elements.last().filter(|element| element.within)?;
        self.elements.iter().rposition(|element| element.nested)
    }

    fn target(&mut self) -> Option<&mut String> {
        if self.skip.is_some() {
            return None;
        }
        let at = match self.elements.last() {
            Some(Element { text: Some(_), .. }) => self.elements.len().saturating_sub(1),
            _ => self.nested()?,
        };
        self.elements.get_mut(at)?.text.as_mut()
    }

    fn text(&mut self, text: &str, gather: &mut Gather<'_>) {
        let (limit, marks) = (gather.limits.token, self.marks);
        let Some(target) = self.target() else { return };
        if target.len().saturating_add(text.len()) > limit {
            target.clear();
            gather.spoil(Note::TokenTooLarge);
            return;
        }
        // A byte order mark inside a text says nothing, and the tokenizer drops one at the start of its window.
        if marks {
            target.extend(text.split('\u{FEFF}'));
        } else {
            target.push_str(text);
        }
    }

    fn reference(&mut self, name: &str, gather: &mut Gather<'_>) {
        let predefined = matches!(name, "amp" | "lt" | "gt" | "quot" | "apos");
        match html::resolve(name) {
            Some(Resolved::Text(text)) => {
                if !predefined {
                    gather.notes.add(Note::HtmlEntity);
                }
                self.text(text, gather);
            }
            Some(Resolved::Code(code)) => {
                let mut high = self.high;
                let good = self.target().is_none_or(|target| html::push_code(code, &mut high, target));
                self.high = high;
                if !good {
                    gather.notes.add(Note::BadReference);
                }
                return;
            }
            None => {
                gather.notes.add(Note::BadReference);
                for part in ["&", name, ";"] {
                    self.text(part, gather);
                }
            }
        }
        self.high = None;
    }
}

/// What comes behind the first bytes.
fn behind(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_default()
}

/// Whether a tag can have this name: what follows `<` in "1 < 2" is none.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | ':'))
}

/// Eight bytes at a time: names are only compared with names of the same document.
fn hash(name: &str) -> u64 {
    let (words, _) = name.as_bytes().as_chunks();
    let words = words.iter().map(|word| u64::from_be_bytes(*word)).chain([Tail::of(name).number()]);
    words.fold(name.len() as u64, |hash, word| {
        (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}
