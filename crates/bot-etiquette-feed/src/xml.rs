//! XML feeds, RSS and Atom: what no path leads to is passed over.

mod attribute;
mod markup;
mod walk;

use crate::feed::Gather;
use crate::report::Note;
use crate::window::Window;

use walk::Walk;

#[derive(Debug)]
pub(crate) struct Xml {
    /// Text that holds no whole token yet.
    buffer: Window,
    /// How long the buffer must be before it is looked at again: no byte is read more than a few times.
    enough: usize,
    discard: Option<&'static str>,
    walk: Walk,
    done: bool,
}

impl Xml {
    pub(crate) fn new() -> Self {
        Self { buffer: Window::default(), enough: 0, discard: None, walk: Walk::default(), done: false }
    }

    /// Where the text that comes is to be put.
    pub(crate) fn window(&mut self) -> &mut Window {
        &mut self.buffer
    }

    /// Reads what was put into the window.
    pub(crate) fn read(&mut self, last: bool, gather: &mut Gather<'_>) {
        if self.done {
            self.buffer.clear();
            return;
        }
        if self.buffer.len() < self.enough && !last {
            return;
        }
        loop {
            if !self.discard_over() {
                break;
            }
            let used = self.walk.tokens(&self.buffer, last, gather);
            self.buffer.consume(used);
            if self.buffer.len() <= gather.limits.token {
                break;
            }
            gather.spoil(Note::TokenTooLarge);
            let Some(end) = end_of(&self.buffer) else {
                // Without a tag nobody knows any more where one is.
                gather.truncated = true;
                gather.abandon();
                self.done = true;
                self.buffer.clear();
                return;
            };
            self.discard = Some(end);
        }
        self.enough = self.buffer.len().saturating_add(self.buffer.len() / 2);
        if gather.truncated {
            self.done = true;
            gather.abandon();
        }
        if last {
            self.done = true;
            if !self.walk.is_over() || !self.buffer.trim().is_empty() || self.discard.is_some() {
                gather.truncated = true;
            }
            gather.abandon();
        }
    }

    /// Drops the rest of a token over the limit; `false` while its end has not come.
    fn discard_over(&mut self) -> bool {
        let Some(end) = self.discard else { return true };
        match self.buffer.find(end) {
            Some(at) => {
                // A text ends before the tag, all else behind its end mark.
                let length = if end == "<" { 0 } else { end.len() };
                self.buffer.consume(at.saturating_add(length));
                self.discard = None;
                true
            }
            None => {
                let kept = self.buffer.len().saturating_sub(end.len());
                let kept = (0..=kept).rev().find(|at| self.buffer.is_char_boundary(*at)).unwrap_or(0);
                self.buffer.consume(kept);
                false
            }
        }
    }
}

/// What ends the token that begins here; `None` for a tag, which cannot be passed over.
fn end_of(buffer: &str) -> Option<&'static str> {
    match buffer {
        _ if buffer.starts_with("<![CDATA[") => Some("]]>"),
        _ if buffer.starts_with("<!--") => Some("-->"),
        _ if buffer.starts_with("<?") => Some("?>"),
        _ if buffer.starts_with('<') => None,
        _ => Some("<"),
    }
}
