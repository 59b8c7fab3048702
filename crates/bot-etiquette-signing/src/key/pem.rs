//! PEM text (RFC 7468), one block.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use super::{KeyError, quoted};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Base64 characters a line, as RFC 7468 asks of those who write.
const LINE: usize = 64;

/// The bytes of the first block, which must carry `label`. Text before it is passed over, as OpenSSL does.
pub(super) fn decode(text: &str, label: &'static str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let mut lines = text.lines().map(str::trim);
    let found = lines.by_ref().find_map(|line| line.strip_prefix(BEGIN)?.strip_suffix(DASHES));
    match found {
        Some(found) if found == label => {}
        Some("ENCRYPTED PRIVATE KEY") => return Err(KeyError::Encrypted),
        Some("RSA PRIVATE KEY" | "RSA PUBLIC KEY") => return Err(other("an RSA key")),
        Some("EC PRIVATE KEY") => return Err(other("an elliptic curve (ECDSA) key")),
        found => {
            let found = found.map_or_else(|| "none".to_owned(), quoted);
            return Err(KeyError::PemLabel { expected: label, found });
        }
    }
    // Sized beforehand, so that no copy of a secret is left behind by growing.
    let mut body = Zeroizing::new(String::with_capacity(text.len()));
    for line in lines {
        if let Some(end) = line.strip_prefix(END) {
            if end.strip_suffix(DASHES) != Some(label) {
                return Err(KeyError::PemUnended);
            }
            let mut bytes = Zeroizing::new(Vec::with_capacity(body.len()));
            return match BASE64_STANDARD.decode_vec(body.as_str(), &mut bytes) {
                Ok(()) => Ok(bytes),
                Err(_) => Err(KeyError::Base64 { place: "the PEM block", form: "base64" }),
            };
        }
        body.push_str(line);
    }
    Err(KeyError::PemUnended)
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
