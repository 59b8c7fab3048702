//! From html5gum's events to tags with decoded values, keeping no more than is asked for.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State};

use super::names::{Attribute, Element};

/// Longer names are none that matter; what lies beyond is not kept.
const NAME: usize = 32;

/// What reads the tags and the text.
pub(super) trait Sink {
    /// A start tag, and how the text after it is to be read.
    fn start_tag(&mut self, tag: &Tag) -> Option<State>;
    /// An end tag.
    fn end_tag(&mut self, tag: &Tag);
    /// A piece of text, decoded; one text may come in many pieces, and a piece may end inside a character.
    fn text(&mut self, piece: &[u8]);
    /// Whether `<![CDATA[` opens a section here, as it does in SVG and MathML.
    fn is_foreign(&self) -> bool;
}

/// A start or an end tag.
#[derive(Debug, Default)]
pub(super) struct Tag {
    /// In lower case.
    pub(super) name: Vec<u8>,
    pub(super) element: Option<Element>,
    pub(super) self_closing: bool,
    /// Where it stands, in bytes of the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether there were more attributes than are read.
    pub(super) has_more: bool,
    values: Vec<u8>,
    list: Vec<Value>,
    seen: u64,
}

#[derive(Debug, Clone, Copy)]
struct Value {
    attribute: Attribute,
    start: usize,
    end: usize,
    cut: bool,
}

impl Tag {
    /// A tag without attributes at that place.
    pub(super) fn at(element: Element, (start, end): (usize, usize)) -> Self {
        Self { element: Some(element), start, end, ..Self::default() }
    }

    pub(super) fn element(&self) -> Element {
        self.element.unwrap_or(Element::Inline)
    }

    /// The value of an attribute; its first where it is given twice.
    pub(super) fn value(&self, attribute: Attribute) -> Option<&str> {
        if self.seen & bit(attribute) == 0 {
            return None;
        }
        self.list.iter().find(|value| value.attribute == attribute).map(|value| self.text(value))
    }

    /// The same, and whether it was longer than is kept.
    pub(super) fn whole(&self, attribute: Attribute) -> Option<(&str, bool)> {
        let value = self.list.iter().find(|value| value.attribute == attribute)?;
        Some((self.text(value), value.cut))
    }

    /// Whether it has any attribute that says something.
    pub(super) fn has_any(&self) -> bool {
        self.seen != 0
    }

    fn text(&self, value: &Value) -> &str {
        let bytes = self.values.get(value.start..value.end).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // Only the cut can have broken a character.
            Err(error) => bytes
                .get(..error.valid_up_to())
                .and_then(|bytes| std::str::from_utf8(bytes).ok())
                .unwrap_or_default(),
        }
    }
}

fn bit(attribute: Attribute) -> u64 {
    1_u64.checked_shl(attribute as u32).unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Start,
    End,
}

/// The emitter: one tag at a time in buffers that are used again.
#[derive(Debug)]
pub(super) struct Tags<'s, S> {
    sink: &'s mut S,
    position: usize,
    kind: Kind,
    tag: Tag,
    last_start: Vec<u8>,
    attributes: usize,
    attribute_name: Vec<u8>,
    /// The attribute whose value is being read.
    open: Option<Value>,
    in_attribute: bool,
    max_attributes: usize,
    max_value: usize,
}

impl<'s, S: Sink> Tags<'s, S> {
    pub(super) fn new(sink: &'s mut S, max_attributes: usize, max_value: usize) -> Self {
        Self {
            sink,
            position: 0,
            kind: Kind::Start,
            tag: Tag::default(),
            last_start: Vec::new(),
            attributes: 0,
            attribute_name: Vec::new(),
            open: None,
            in_attribute: false,
            max_attributes,
            max_value,
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.kind = kind;
        self.tag.name.clear();
        self.tag.self_closing = false;
        self.tag.has_more = false;
        self.tag.values.clear();
        self.tag.list.clear();
        self.tag.seen = 0;
        self.attributes = 0;
        self.in_attribute = false;
        self.open = None;
    }

    /// The name is complete: is it one that says something?
    fn open_value(&mut self) {
        let attribute = Attribute::named(&self.attribute_name);
        self.attribute_name.clear();
        self.in_attribute = false;
        let start = self.tag.values.len();
        self.open = attribute
            .filter(|attribute| self.tag.seen & bit(*attribute) == 0)
            .map(|attribute| Value { attribute, start, end: start, cut: false });
    }

    fn close_attribute(&mut self) {
        if self.in_attribute {
            self.open_value();
        }
        if let Some(value) = self.open.take() {
            self.tag.seen |= bit(value.attribute);
            self.tag.list.push(Value { end: self.tag.values.len(), ..value });
        }
    }
}

impl<S: Sink> Emitter for Tags<'_, S> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(name.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    #[inline]
    fn emit_string(&mut self, piece: &[u8]) {
        self.sink.text(piece);
    }

    fn init_start_tag(&mut self) {
        self.begin(Kind::Start);
    }

    fn init_end_tag(&mut self) {
        self.begin(Kind::End);
    }

    fn init_comment(&mut self) {}

    fn emit_current_tag(&mut self) -> Option<State> {
        self.close_attribute();
        self.tag.element = Some(Element::named(&self.tag.name));
        self.tag.end = self.position;
        if self.kind == Kind::End {
            self.last_start.clear();
            self.sink.end_tag(&self.tag);
            return None;
        }
        let state = self.sink.start_tag(&self.tag);
        if state.is_some() {
            self.last_start.clear();
            self.last_start.extend_from_slice(&self.tag.name);
        }
        state
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_self_closing(&mut self) {
        self.tag.self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    #[inline]
    fn push_tag_name(&mut self, piece: &[u8]) {
        push_name(&mut self.tag.name, piece);
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {}

    #[inline]
    fn init_attribute(&mut self) {
        self.close_attribute();
        self.attributes = self.attributes.saturating_add(1);
        self.in_attribute = self.attributes <= self.max_attributes;
        self.tag.has_more |= !self.in_attribute;
    }

    #[inline]
    fn push_attribute_name(&mut self, piece: &[u8]) {
        if self.in_attribute {
            push_name(&mut self.attribute_name, piece);
        }
    }

    #[inline]
    fn push_attribute_value(&mut self, piece: &[u8]) {
        if self.in_attribute {
            self.open_value();
        }
        let Some(value) = &mut self.open else { return };
        let room = value.start.saturating_add(self.max_value).saturating_sub(self.tag.values.len());
        match piece.get(..room) {
            Some(head) if head.len() < piece.len() => {
                self.tag.values.extend_from_slice(head);
                value.cut = true;
            }
            _ => self.tag.values.extend_from_slice(piece),
        }
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    #[inline]
    fn start_open_tag(&mut self) {
        self.tag.start = self.position.saturating_sub(1);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.kind == Kind::End && !self.last_start.is_empty() && self.last_start == self.tag.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.sink.is_foreign()
    }

    #[inline]
    fn move_position(&mut self, offset: isize) {
        self.position = self.position.saturating_add_signed(offset);
    }
}

fn push_name(name: &mut Vec<u8>, piece: &[u8]) {
    let room = NAME.saturating_sub(name.len());
    name.extend_from_slice(piece.get(..room).unwrap_or(piece));
}
