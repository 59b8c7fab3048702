//! Signature parameters (RFC 9421 2.3): when, with which key, and what for.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::SystemTime;

use sfv::{BareItemFromInput, ItemSerializer};
use thiserror::Error;

use crate::member::Params;
use crate::sf;
use crate::time::{system_time, unix_seconds};

/// Bytes of a `nonce` at the most.
pub const MAX_NONCE_BYTES: usize = 256;

/// The parameters of one signature, in the order they were set or received.
///
/// Parameters that RFC 9421 does not define are kept where they stand, because they are signed too.
///
/// ```
/// use bot_etiquette_signing::SignatureParams;
/// use std::time::{Duration, SystemTime};
///
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_618_884_473);
/// let params = SignatureParams::new().created(now).keyid("test-key").tag("app");
/// assert_eq!(params.to_string(), r#";created=1618884473;keyid="test-key";tag="app""#);
/// assert_eq!(params.created_at(), Some(now));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignatureParams {
    list: Vec<(Cow<'static, str>, ParamValue)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ParamValue {
    Integer(i64),
    Text(String),
    /// Any other type, serialized with its `=`; a bare flag is empty.
    Other(String),
}

/// Why a signature parameter is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// A parameter of RFC 9421 that has another type.
    #[error("parameter \"{name}\" must be {expected}")]
    WrongType {
        /// The parameter.
        name: String,
        /// The type it must have.
        expected: &'static str,
    },
    /// A text that cannot be written: not printable ASCII, or longer than its limit.
    #[error("parameter \"{name}\" must be printable ASCII of at most {limit} bytes")]
    Unwritable {
        /// The parameter.
        name: String,
        /// The limit in bytes.
        limit: usize,
    },
}

/// The parameters that RFC 9421 2.3 defines.
const DEFINED: [&str; 6] = ["created", "expires", "keyid", "tag", "nonce", "alg"];

/// Bytes of any other text parameter at the most.
const MAX_TEXT_BYTES: usize = 1024;

impl SignatureParams {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `created`: when the signature was made, in whole seconds.
    #[must_use]
    pub fn created(self, at: SystemTime) -> Self {
        self.set("created", ParamValue::Integer(unix_seconds(at)))
    }

    /// `expires`: from when the signature is no longer valid, in whole seconds.
    #[must_use]
    pub fn expires(self, at: SystemTime) -> Self {
        self.set("expires", ParamValue::Integer(unix_seconds(at)))
    }

    /// `nonce`: a value used once.
    #[must_use]
    pub fn nonce(self, value: impl Into<String>) -> Self {
        self.set("nonce", ParamValue::Text(value.into()))
    }

    /// `alg`: the algorithm by its name in the registry of HTTP signature algorithms.
    #[must_use]
    pub fn alg(self, value: impl Into<String>) -> Self {
        self.set("alg", ParamValue::Text(value.into()))
    }

    /// `keyid`: which key signed.
    #[must_use]
    pub fn keyid(self, value: impl Into<String>) -> Self {
        self.set("keyid", ParamValue::Text(value.into()))
    }

    /// `tag`: which application the signature is for.
    #[must_use]
    pub fn tag(self, value: impl Into<String>) -> Self {
        self.set("tag", ParamValue::Text(value.into()))
    }

    /// `created` as received. A time out of the range of `SystemTime` reads as none.
    #[must_use]
    pub fn created_at(&self) -> Option<SystemTime> {
        system_time(self.integer("created")?)
    }

    /// `expires` as received. A time out of the range of `SystemTime` reads as none.
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        system_time(self.integer("expires")?)
    }

    /// A parameter that is a text: `nonce`, `alg`, `keyid`, `tag`, or another by its name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.find(name)? {
            ParamValue::Text(value) => Some(value),
            _ => None,
        }
    }

    /// A parameter that is an integer: `created`, `expires`, or another by its name.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.find(name)? {
            ParamValue::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether a parameter of that name is present, of any type.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&ParamValue> {
        self.list.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn set(mut self, name: &'static str, value: ParamValue) -> Self {
        match self.list.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.list.push((Cow::Borrowed(name), value)),
        }
        self
    }

    /// Takes over what was received, types as they came.
    pub(crate) fn received(params: &Params<'_>) -> Self {
        let value = |value: &BareItemFromInput<'_>| match value {
            BareItemFromInput::Integer(integer) => ParamValue::Integer(i64::from(*integer)),
            BareItemFromInput::String(text) => ParamValue::Text(text.as_str().to_owned()),
            BareItemFromInput::Boolean(true) => ParamValue::Other(String::new()),
            other => ParamValue::Other(format!("={}", ItemSerializer::new().bare_item(other).finish())),
        };
        let name = |key: &str| match DEFINED.iter().find(|known| **known == key) {
            Some(known) => Cow::Borrowed(*known),
            None => Cow::Owned(key.to_owned()),
        };
        Self { list: params.iter().map(|(key, found)| (name(key), value(found))).collect() }
    }

    /// Checks the types that RFC 9421 2.3 gives its parameters.
    pub(crate) fn check_types(&self) -> Result<(), ParamsError> {
        for (name, value) in &self.list {
            let expected = match (&**name, value) {
                ("created" | "expires", ParamValue::Integer(_)) => continue,
                ("created" | "expires", _) => "an integer",
                ("nonce" | "alg" | "keyid" | "tag", ParamValue::Text(_)) => continue,
                ("nonce" | "alg" | "keyid" | "tag", _) => "a string",
                _ => continue,
            };
            return Err(ParamsError::WrongType { name: name.to_string(), expected });
        }
        Ok(())
    }

    /// Checks that every text can be written, and none is longer than its limit.
    pub(crate) fn check_texts(&self) -> Result<(), ParamsError> {
        for (name, value) in &self.list {
            let limit = if name == "nonce" { MAX_NONCE_BYTES } else { MAX_TEXT_BYTES };
            if let ParamValue::Text(text) = value
                && (text.len() > limit || !sf::is_sf_string(text))
            {
                return Err(ParamsError::Unwritable { name: name.to_string(), limit });
            }
        }
        Ok(())
    }

    pub(crate) fn push(&self, out: &mut String) {
        for (name, value) in &self.list {
            out.push(';');
            out.push_str(name);
            match value {
                ParamValue::Integer(integer) => {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "={integer}");
                }
                ParamValue::Text(text) => {
                    out.push('=');
                    sf::push_string(out, text);
                }
                ParamValue::Other(text) => out.push_str(text),
            }
        }
    }
}

impl std::fmt::Display for SignatureParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        self.push(&mut text);
        f.write_str(&text)
    }
}
