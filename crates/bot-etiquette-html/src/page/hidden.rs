//! What the HTML itself hides: `hidden` and `aria-hidden`, without a tree.

use super::names::{Attribute, Element};
use super::tokens::Tag;

/// The outermost element that is hidden, and how many of its name are open within each other.
#[derive(Debug, Default)]
pub(super) struct Hidden(Option<(Vec<u8>, u32)>);

impl Hidden {
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn start(&mut self, tag: &Tag, is_foreign: bool) {
        if let Some((name, depth)) = &mut self.0
            && *name == tag.name
        {
            // A paragraph or list item that is not closed ends where the next one begins.
            if matches!(name.as_slice(), b"p" | b"li" | b"dt" | b"dd" | b"option" | b"tr" | b"td" | b"th") {
                self.0 = None;
            } else {
                *depth = depth.saturating_add(1);
            }
        }
        let is =
            |attribute, wanted: &str| tag.value(attribute).map(|value| value.eq_ignore_ascii_case(wanted));
        let is_hidden = is(Attribute::Hidden, "until-found") == Some(false)
            || is(Attribute::AriaHidden, "true") == Some(true);
        // Only in SVG and MathML does the slash close.
        let is_empty = is_foreign && tag.self_closing;
        let is_void = tag.element().is_void() || (tag.element() == Element::Inline && tag.name == b"wbr");
        if self.0.is_none() && is_hidden && !is_void && !is_empty {
            self.0 = Some((tag.name.clone(), 1));
        }
    }

    pub(super) fn end(&mut self, tag: &Tag) {
        if let Some((name, depth)) = &mut self.0
            && *name == tag.name
        {
            *depth = depth.saturating_sub(1);
            if *depth == 0 {
                self.0 = None;
            }
        }
    }
}
