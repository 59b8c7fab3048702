//! The buffer that one signature after another is written into.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::agent::SIGNATURE_AGENT;

/// The fields of one signature, and the base it was made over. Use one again and again: it keeps its memory.
///
/// ```
/// use bot_etiquette_signing::{Message, SignatureBuffer, Signer, SigningKey};
/// use http::Request;
/// use std::time::{Duration, SystemTime};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = Signer::builder(SigningKey::from_seed(&[7; 32]), "https://bot.example").build()?;
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// let mut buffer = SignatureBuffer::new();
/// for page in ["/a", "/b"] {
///     let request = Request::get(format!("https://example.com{page}")).body(())?;
///     signer.sign_into(&Message::request(&request), now, None, &mut buffer)?;
///     for (name, value) in buffer.fields() {
///         println!("{name}: {value}");
///     }
/// }
/// assert!(buffer.base().starts_with("\"@authority\": example.com\n"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SignatureBuffer {
    pub(super) base: String,
    pub(super) agent: String,
    pub(super) label: String,
    pub(super) input: String,
    pub(super) raw: Vec<u8>,
    signature: String,
}

impl SignatureBuffer {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The signature base that was or is to be signed.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The value of Signature-Agent.
    #[must_use]
    pub fn signature_agent(&self) -> &str {
        &self.agent
    }

    /// The value of Signature-Input.
    #[must_use]
    pub fn signature_input(&self) -> &str {
        &self.input
    }

    /// The value of Signature; empty until it is made.
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// Names and values of the three fields, in the order they are sent.
    #[must_use]
    pub fn fields(&self) -> [(&'static str, &str); 3] {
        [
            (SIGNATURE_AGENT, self.signature_agent()),
            ("signature-input", self.signature_input()),
            ("signature", self.signature()),
        ]
    }

    /// Takes the signature of [`base`](Self::base) that was made elsewhere.
    pub fn complete(&mut self, signature: &[u8]) {
        self.raw.clear();
        self.raw.extend_from_slice(signature);
        self.write_signature();
    }

    /// Sets the three fields in `headers`, in place of any that were there.
    pub fn insert_into(&self, headers: &mut HeaderMap) {
        for (name, value) in self.fields() {
            // Every part was checked to be printable ASCII when it was written.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        for text in [&mut self.base, &mut self.agent, &mut self.label, &mut self.input, &mut self.signature] {
            text.clear();
        }
    }

    pub(super) fn write_signature(&mut self) {
        self.signature.clear();
        self.signature.push_str(&self.label);
        self.signature.push_str("=:");
        STANDARD.encode_string(&self.raw, &mut self.signature);
        self.signature.push(':');
    }
}

/// Appends a number without going through the formatting machinery, which costs more than the rest.
pub(super) fn push_integer(out: &mut String, value: i64) {
    let mut digits = [b'0'; 20];
    let mut rest = value.unsigned_abs();
    let mut count = 0_usize;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push('-');
    }
    for &digit in digits.iter().skip(digits.len().saturating_sub(count)) {
        out.push(char::from(digit));
    }
}

#[cfg(test)]
mod tests {
    use super::push_integer;

    #[test]
    fn integers_are_written_as_the_formatter_writes_them() {
        for value in [0, 7, 10, 1_800_000_000, -1, i64::MAX, i64::MIN] {
            let mut text = String::new();
            push_integer(&mut text, value);
            assert_eq!(text, value.to_string());
        }
    }
}
