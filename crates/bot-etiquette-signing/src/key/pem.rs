//! PEM text (RFC 7468).

use std::str::Lines;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use super::{KeyError, quoted};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Base64 characters a line, as RFC 7468 asks of those who write.
const LINE: usize = 64;

/// One block of a text, not decoded yet.
pub(crate) struct Block<'a> {
    pub(crate) label: &'a str,
    /// What follows the BEGIN line.
    lines: Lines<'a>,
}

/// The blocks of a text. What stands around them is passed over, as OpenSSL does.
pub(crate) fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        let label = lines.by_ref().find_map(|line| line.trim().strip_prefix(BEGIN)?.strip_suffix(DASHES))?;
        Some(Block { label, lines: lines.clone() })
    })
}

/// The bytes of the first block with this label. The error names the first block of any other.
pub(super) fn decode(text: &str, label: &'static str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    if let Some(block) = blocks(text).find(|block| block.label == label) {
        return block.decode();
    }
    match blocks(text).next().map(|block| block.label) {
        Some("ENCRYPTED PRIVATE KEY") => Err(KeyError::Encrypted),
        Some("RSA PRIVATE KEY" | "RSA PUBLIC KEY") => Err(other("an RSA key")),
        Some("EC PRIVATE KEY" | "EC PARAMETERS") => Err(other("an elliptic curve (ECDSA) key")),
        found => {
            let found = found.map_or_else(|| "none".to_owned(), quoted);
            Err(KeyError::PemLabel { expected: label, found })
        }
    }
}

impl<'a> Block<'a> {
    /// The bytes of the block.
    pub(crate) fn decode(self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        // Sized beforehand, so that no copy of a secret is left behind by growing.
        let length = self.body().map(str::len).sum();
        let mut body = Zeroizing::new(String::with_capacity(length));
        body.extend(self.body());
        let ends = self.lines.map(str::trim).find_map(|line| line.strip_prefix(END));
        if ends.and_then(|end| end.strip_suffix(DASHES)) != Some(self.label) {
            return Err(KeyError::PemUnended);
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(length));
        match BASE64_STANDARD.decode_vec(body.as_str(), &mut bytes) {
            Ok(()) => Ok(bytes),
            Err(_) => Err(KeyError::Base64 { place: "the PEM block", form: "base64" }),
        }
    }

    /// The lines up to the next END line.
    fn body(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.lines.clone().map(str::trim).take_while(|line| !line.starts_with(END))
    }
}

/// One block with `label`, ended by a line end.
pub(super) fn encode(label: &str, bytes: &[u8]) -> Zeroizing<String> {
    let mut body = Zeroizing::new(String::with_capacity(bytes.len().saturating_mul(2).saturating_add(4)));
    BASE64_STANDARD.encode_string(bytes, &mut body);
    let size = body.len().saturating_mul(2).saturating_add(label.len().saturating_mul(2)).saturating_add(64);
    let mut text = Zeroizing::new(String::with_capacity(size));
    for part in [BEGIN, label, DASHES, "\n"] {
        text.push_str(part);
    }
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at_checked(LINE).unwrap_or((rest, ""));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    for part in [END, label, DASHES, "\n"] {
        text.push_str(part);
    }
    text
}

fn other(found: &str) -> KeyError {
    KeyError::NotEd25519 { found: found.to_owned() }
}
