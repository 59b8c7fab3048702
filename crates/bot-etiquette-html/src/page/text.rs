//! Text with its white space collapsed.

/// Collects text, white space collapsed to single blanks, up to a limit.
#[derive(Debug, Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    limit: usize,
    gap: bool,
    cut: bool,
}

impl Text {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        if self.cut {
            return;
        }
        let mut rest = piece;
        if !is_ragged(piece) {
            // Most pieces need nothing done but at their ends.
            let words = piece.trim_ascii();
            self.gap |= piece.first() == Some(&b' ');
            if !words.is_empty() {
                self.word(words);
                self.gap = piece.last() == Some(&b' ');
            }
            return;
        }
        while !self.cut {
            let word = rest.iter().position(|byte| !is_space(*byte));
            self.gap |= word != Some(0) && !rest.is_empty();
            let Some(from) = word.and_then(|word| rest.get(word..)) else { return };
            let end = from.iter().position(|byte| is_space(*byte)).unwrap_or(from.len());
            let (word, after) = from.split_at_checked(end).unwrap_or((from, &[]));
            self.word(word);
            rest = after;
        }
    }

    fn word(&mut self, word: &[u8]) {
        if std::mem::take(&mut self.gap) && self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.keep(b" ");
        }
        self.keep(word);
    }

    /// What follows is another word.
    pub(super) fn gap(&mut self) {
        self.gap = true;
    }

    /// What follows is on another line.
    pub(super) fn end_line(&mut self) {
        self.gap = false;
        if !self.cut && self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.keep(b"\n");
        }
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether some was dropped.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn into_string(self) -> String {
        let mut bytes = self.bytes;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        if self.cut {
            // The cut may have gone through a character.
            let valid = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
            if bytes.len().saturating_sub(valid) < 4 {
                bytes.truncate(valid);
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.cut |= piece.len() > room;
        self.bytes.extend_from_slice(piece.get(..room).unwrap_or(piece));
    }
}

/// Whether white space stands in a text otherwise than as single blanks. Looks at each byte, so that it can look at many at once.
fn is_ragged(piece: &[u8]) -> bool {
    let after = piece.get(1..).unwrap_or_default();
    let is_double = piece.iter().zip(after).fold(false, |is, (a, b)| is | (*a == b' ') & (*b == b' '));
    piece.iter().fold(is_double, |is, byte| is | matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r'))
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}
