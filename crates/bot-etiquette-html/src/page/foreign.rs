//! Where SVG and MathML begin and end, without a tree.

use super::names::{Element, breaks_out};
use super::tokens::Tag;

/// SVG and MathML open within each other that are told apart; deeper ones are counted.
const DEPTH: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Svg,
    Math,
    /// Within these, HTML again.
    Html,
    /// The title or the description of a picture: HTML too, but not shown.
    Label,
}

/// The vocabularies that are open.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    open: Vec<Open>,
    beyond: u32,
}

impl Foreign {
    /// Whether the elements here are of SVG or MathML.
    pub(super) fn is_inside(&self) -> bool {
        self.beyond > 0 || matches!(self.open.last(), Some(Open::Svg | Open::Math))
    }

    /// Whether the text here is that of a picture's title or description.
    pub(super) fn is_label(&self) -> bool {
        self.open.last() == Some(&Open::Label)
    }

    pub(super) fn start(&mut self, tag: &Tag) {
        if self.is_inside() && breaks_out(&tag.name) {
            self.beyond = 0;
            while matches!(self.open.last(), Some(Open::Svg | Open::Math)) {
                self.open.pop();
            }
        }
        let top = self.open.last();
        let opened = match tag.element() {
            Element::Svg => Open::Svg,
            Element::Math => Open::Math,
            Element::ForeignObject if top == Some(&Open::Svg) => Open::Html,
            Element::Desc | Element::Title if top == Some(&Open::Svg) => Open::Label,
            Element::MathText if top == Some(&Open::Math) => Open::Html,
            _ => return,
        };
        if tag.self_closing {
            return;
        }
        if self.open.len() < DEPTH {
            self.open.push(opened);
        } else {
            self.beyond = self.beyond.saturating_add(1);
        }
    }

    pub(super) fn end(&mut self, element: Element) {
        let closes = match element {
            Element::Svg => Open::Svg,
            Element::Math => Open::Math,
            Element::ForeignObject | Element::MathText => Open::Html,
            Element::Desc | Element::Title => Open::Label,
            _ => return,
        };
        if self.beyond > 0 {
            self.beyond = self.beyond.saturating_sub(1);
        } else if let Some(at) = self.open.iter().rposition(|open| *open == closes) {
            self.open.truncate(at);
        }
    }
}
