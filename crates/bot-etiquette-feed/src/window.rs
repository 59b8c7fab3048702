//! Where a feed's text stands while it is read; it leaves nothing behind.

use std::hint::black_box;
use std::ops::Deref;

/// Text that was not read yet. What was read, moved or dropped is overwritten: it may hold what nobody may keep.
#[derive(Debug, Default)]
pub(crate) struct Window(String);

/// Overwrites text of this length at once.
const BLANK: &str = match std::str::from_utf8(&[0; 4096]) {
    Ok(blank) => blank,
    Err(_) => "",
};

impl Window {
    pub(crate) fn push_str(&mut self, text: &str) {
        self.reserve(text.len()).push_str(text);
    }

    /// The text, with room for `more` bytes: a decoder that adds no more never moves it.
    pub(crate) fn reserve(&mut self, more: usize) -> &mut String {
        let needed = self.0.len().saturating_add(more);
        if needed > self.0.capacity() {
            let mut larger = String::with_capacity(needed.max(self.0.capacity().saturating_mul(2)));
            larger.push_str(&self.0);
            wipe(std::mem::replace(&mut self.0, larger));
        }
        &mut self.0
    }

    /// Forgets the first `length` bytes.
    pub(crate) fn consume(&mut self, length: usize) {
        let before = self.0.len();
        self.0.drain(..length);
        let kept = self.0.len();
        while let Some(blank) = BLANK.get(..before.saturating_sub(self.0.len()).min(BLANK.len()))
            && !blank.is_empty()
        {
            self.0.push_str(blank);
        }
        self.0.truncate(kept);
    }

    pub(crate) fn clear(&mut self) {
        self.consume(self.0.len());
    }
}

impl Deref for Window {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        wipe(std::mem::take(&mut self.0));
    }
}

/// Overwrites what is dropped.
pub(crate) fn wipe(bytes: impl Into<Vec<u8>>) {
    let mut bytes = bytes.into();
    bytes.fill(0);
    // Without a reader the compiler would leave the writing out.
    black_box(&bytes);
}
