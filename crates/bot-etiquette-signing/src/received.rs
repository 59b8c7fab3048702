//! The Signature-Input and Signature fields of a message (RFC 9421 4), read strictly.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName};
use thiserror::Error;

use crate::base::MAX_COMPONENTS;
use crate::component::{Component, ComponentError};
use crate::member::{self, Member};
use crate::message::Message;
use crate::params::SignatureParams;
use crate::sf::SyntaxError;
use crate::value::{push_joined, trimmed};

/// Bytes of one signature field, its lines joined, at the most.
pub const MAX_FIELD_BYTES: usize = 16 * 1024;

/// Signatures of one message at the most.
pub const MAX_SIGNATURES: usize = 16;

static SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
static SIGNATURE: HeaderName = HeaderName::from_static("signature");

/// One signature as it came, not verified.
///
/// ```
/// use bot_etiquette_signing::{Message, ReceivedSignature};
/// use http::Request;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let request = Request::get("https://example.com/")
///     .header("signature-input", r#"sig1=("@authority");tag="app", sig2=("@path")"#)
///     .header("signature", "sig1=:AAAA:")
///     .body(())?;
/// let found = ReceivedSignature::all(&Message::request(&request))?;
/// assert_eq!(found[0].label(), "sig1");
/// assert_eq!(found[0].params().and_then(|params| params.text("tag")), Some("app"));
/// assert_eq!(found[0].signature(), Ok(&[0, 0, 0][..]));
/// // A label that stands in one of the two fields alone spoils its own signature and no other.
/// assert!(found[1].signature().is_err());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSignature {
    label: String,
    params: Option<SignatureParams>,
    components: Result<Vec<Component>, MemberError>,
    signature: Result<Vec<u8>, MemberError>,
    /// Whether the base64 was the one form that an encoder writes.
    canonical: bool,
}

/// Why the signature fields of a message cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The field is longer than [`MAX_FIELD_BYTES`].
    #[error("{field}: {length} bytes; {MAX_FIELD_BYTES} are the limit")]
    TooLarge {
        /// The field.
        field: &'static str,
        /// Its length in bytes.
        length: usize,
    },
    /// More labels than [`MAX_SIGNATURES`].
    #[error("{field}: {count} members; {MAX_SIGNATURES} are the limit")]
    TooMany {
        /// The field.
        field: &'static str,
        /// How many it has.
        count: usize,
    },
    /// A byte that is no visible ASCII.
    #[error("{field}: no printable ASCII at byte {position} of one line")]
    NotAscii {
        /// The field.
        field: &'static str,
        /// Where, in bytes from the start of the line.
        position: usize,
    },
    /// No dictionary, or a label that stands twice.
    #[error("{field}: {error}")]
    Syntax {
        /// The field.
        field: &'static str,
        /// What is wrong and where.
        error: SyntaxError,
    },
}

/// Why the member of one label cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemberError {
    /// The label stands in the other field alone.
    #[error("label \"{label}\" is missing from {field}")]
    Missing {
        /// The label.
        label: String,
        /// The field that lacks it.
        field: &'static str,
    },
    /// The member has another type.
    #[error("{field}: member \"{label}\" at byte {position} is no {expected}")]
    WrongType {
        /// The label.
        label: String,
        /// The field.
        field: &'static str,
        /// Where the member starts, in bytes.
        position: usize,
        /// The type it must have.
        expected: &'static str,
    },
    /// A covered component that cannot be read.
    #[error(transparent)]
    Component(#[from] ComponentError),
    /// More components than [`MAX_COMPONENTS`].
    #[error("{0} components; {MAX_COMPONENTS} are the limit")]
    TooManyComponents(usize),
}

impl ReceivedSignature {
    /// All signatures of a message, of its headers and its trailers, in the order of Signature-Input.
    ///
    /// # Errors
    /// When a field as a whole cannot be read. A member that is wrong spoils its own signature alone.
    pub fn all(message: &Message<'_>) -> Result<Vec<Self>, FieldError> {
        let mut found = Vec::new();
        for headers in [Some(message.headers), message.trailers].into_iter().flatten() {
            read(headers, &mut found)?;
        }
        Ok(found)
    }

    /// The label, which is not signed: never decide by it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The parameters, when the label has a Signature-Input member.
    #[must_use]
    pub fn params(&self) -> Option<&SignatureParams> {
        self.params.as_ref()
    }

    /// The covered components, in the order they are signed.
    ///
    /// # Errors
    /// See [`MemberError`].
    pub fn components(&self) -> Result<&[Component], &MemberError> {
        self.components.as_deref()
    }

    /// The bytes of the signature.
    ///
    /// # Errors
    /// See [`MemberError`].
    pub fn signature(&self) -> Result<&[u8], &MemberError> {
        self.signature.as_deref()
    }

    /// Whether the base64 is padded and has no stray bits, as an encoder writes it (RFC 4648 3.5).
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }
}

fn read(headers: &HeaderMap, found: &mut Vec<ReceivedSignature>) -> Result<(), FieldError> {
    let inputs_text = joined(headers, &SIGNATURE_INPUT, "signature-input")?;
    let signatures_text = joined(headers, &SIGNATURE, "signature")?;
    let inputs = members("signature-input", &inputs_text)?;
    let mut signatures = members("signature", &signatures_text)?;
    for input in inputs {
        let at = signatures.iter().position(|signature| signature.key == input.key);
        let signature = at.map(|at| signatures.swap_remove(at));
        found.push(one(input.key, Some(input), signature));
    }
    signatures.sort_by_key(|signature| signature.position);
    found.extend(signatures.into_iter().map(|signature| one(signature.key, None, Some(signature))));
    match found.len() {
        count if count > MAX_SIGNATURES => Err(FieldError::TooMany { field: "signature-input", count }),
        _ => Ok(()),
    }
}

/// The lines of a field joined; the only one is borrowed.
fn joined<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
    field: &'static str,
) -> Result<Cow<'h, str>, FieldError> {
    let lines = headers.get_all(name);
    let length = lines.iter().map(|value| value.len().saturating_add(2)).sum::<usize>().saturating_sub(2);
    if length > MAX_FIELD_BYTES {
        return Err(FieldError::TooLarge { field, length });
    }
    let text = match (lines.iter().next(), lines.iter().nth(1)) {
        (Some(only), None) => trimmed(only).map(Cow::Borrowed),
        _ => {
            let mut text = String::with_capacity(length);
            push_joined(&mut text, headers, name).map(|_| Cow::Owned(text))
        }
    };
    text.map_err(|position| FieldError::NotAscii { field, position })
}

fn members<'a>(field: &'static str, text: &'a str) -> Result<Vec<Member<'a>>, FieldError> {
    let members = member::members(text).map_err(|error| FieldError::Syntax { field, error })?;
    match members.len() {
        count if count > MAX_SIGNATURES => Err(FieldError::TooMany { field, count }),
        _ => Ok(members),
    }
}

fn one(label: &str, input: Option<Member<'_>>, signature: Option<Member<'_>>) -> ReceivedSignature {
    let missing = |field| MemberError::Missing { label: label.to_owned(), field };
    let wrong = |field, position, expected| MemberError::WrongType {
        label: label.to_owned(),
        field,
        position,
        expected,
    };
    let params = input.as_ref().map(|member| SignatureParams::received(member.params()));
    let components = match input.as_ref().map(|member| (member.inner_list(), member.position)) {
        None => Err(missing("signature-input")),
        Some((None, position)) => {
            Err(wrong("signature-input", position, "list of components in parentheses"))
        }
        Some((Some(items), _)) if items.len() > MAX_COMPONENTS => {
            Err(MemberError::TooManyComponents(items.len()))
        }
        Some((Some(items), _)) => items.iter().map(|item| Ok(Component::from_item(item)?)).collect(),
    };
    let mut canonical = true;
    let signature = match signature.as_ref().map(|member| (member.item(), member)) {
        None => Err(missing("signature")),
        Some((Some(item), member)) if let Some(bytes) = item.bare.as_byte_sequence() => {
            canonical = is_canonical(member.rest, bytes);
            Ok(bytes.to_vec())
        }
        Some((_, member)) => Err(wrong("signature", member.position, "byte sequence between colons")),
    };
    ReceivedSignature { label: label.to_owned(), params, components, signature, canonical }
}

/// Whether `text`, which begins with a byte sequence that was decoded to `bytes`, has it as an encoder writes it. Beside its length,
/// only its last characters can be written in more than one way.
fn is_canonical(text: &str, bytes: &[u8]) -> bool {
    let written = text.trim_start_matches(':').split(':').next().unwrap_or_default();
    let (groups, rest) = bytes.as_chunks::<3>();
    let length = groups.len().saturating_add(usize::from(!rest.is_empty())).saturating_mul(4);
    written.len() == length && written.ends_with(&STANDARD.encode(rest))
}
