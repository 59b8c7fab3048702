//! Folded lines (RFC 5545, 3.1): a line end before a blank says nothing, and may stand inside a character.

/// Takes folds out of bytes, before anybody decodes them.
#[derive(Debug, Default)]
pub(crate) struct Unfold {
    /// A line end whose next byte has not come.
    held: Vec<u8>,
}

impl Unfold {
    pub(crate) fn push(&mut self, chunk: &[u8], last: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len().saturating_add(2));
        let mut rest = chunk;
        while let Some(byte) = rest.first().copied() {
            match (self.held.as_slice(), byte) {
                ([.., b'\n'], b' ' | b'\t') => self.held.clear(),
                ([.., b'\n'], _) | ([b'\r'], b'\r') => {
                    out.append(&mut self.held);
                    continue;
                }
                ([], b'\r' | b'\n') | ([b'\r'], b'\n') => self.held.push(byte),
                ([], _) => {
                    let end = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
                    let (plain, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                    out.extend_from_slice(plain);
                    rest = after;
                    continue;
                }
                _ => {
                    out.append(&mut self.held);
                    continue;
                }
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        if last {
            out.append(&mut self.held);
        }
        out
    }
}
