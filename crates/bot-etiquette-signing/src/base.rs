//! The signature base (RFC 9421 2.5): the text that is signed.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::component::Component;
use crate::message::{Message, ValueError};
use crate::params::{ParamsError, SignatureParams};
use crate::value;

/// Components that one signature covers at the most.
pub const MAX_COMPONENTS: usize = 64;

/// Bytes of a signature base at the most.
pub const MAX_BASE_BYTES: usize = 256 * 1024;

/// The text over which a signature is made, with the values it covers.
///
/// ```
/// use bot_etiquette_signing::{Component, Message, SignatureBase, SignatureParams, SigningKey};
/// use http::Request;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let request = Request::get("https://example.com/a?b=c").body(())?;
/// let covered = [Component::method(), Component::authority()];
/// let params = SignatureParams::new().keyid("k1").tag("app");
/// let base = SignatureBase::build(&Message::request(&request), &covered, &params)?;
/// assert_eq!(
///     base.as_str(),
///     "\"@method\": GET\n\"@authority\": example.com\n\
///      \"@signature-params\": (\"@method\" \"@authority\");keyid=\"k1\";tag=\"app\"",
/// );
/// let signature = SigningKey::from_seed(&[7; 32]).sign(base.as_bytes());
/// # let _ = signature;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureBase {
    text: String,
    covered: Vec<(Component, Range<usize>)>,
    params: Range<usize>,
}

/// Why no signature base can be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BaseError {
    /// A component has no value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A component is listed twice (RFC 9421 2.5, step 2.1).
    #[error("{0} is covered twice")]
    Duplicate(String),
    /// More components than [`MAX_COMPONENTS`].
    #[error("{0} components; {MAX_COMPONENTS} are the limit")]
    TooMany(usize),
    /// The text would be longer than [`MAX_BASE_BYTES`].
    #[error("a signature base of more than {MAX_BASE_BYTES} bytes")]
    TooLong,
    /// A signature parameter cannot be written.
    #[error(transparent)]
    Params(#[from] ParamsError),
}

impl SignatureBase {
    /// Builds the base of `message` for these components, in this order.
    ///
    /// # Errors
    /// See [`BaseError`].
    pub fn build(
        message: &Message<'_>,
        components: &[Component],
        params: &SignatureParams,
    ) -> Result<Self, BaseError> {
        if components.len() > MAX_COMPONENTS {
            return Err(BaseError::TooMany(components.len()));
        }
        params.check_texts()?;
        if let Some(twice) = first_duplicate(components) {
            return Err(BaseError::Duplicate(twice.to_string()));
        }
        let mut text = String::with_capacity(512);
        let mut covered = Vec::with_capacity(components.len());
        for component in components {
            text.push_str(component.as_str());
            text.push_str(": ");
            let start = text.len();
            value::push(&mut text, message, component)?;
            covered.push((component.clone(), start..text.len()));
            text.push('\n');
            // Not only at the end: sixty components may repeat one large field.
            if text.len() > MAX_BASE_BYTES {
                return Err(BaseError::TooLong);
            }
        }
        text.push_str("\"@signature-params\": ");
        let start = text.len();
        push_list(&mut text, components);
        params.push(&mut text);
        let params = start..text.len();
        if text.len() > MAX_BASE_BYTES {
            return Err(BaseError::TooLong);
        }
        Ok(Self { text, covered, params })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes to sign.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// What the signature covers, with the values as signed.
    pub fn covered(&self) -> impl ExactSizeIterator<Item = (&Component, &str)> {
        self.covered
            .iter()
            .map(|(component, range)| (component, self.text.get(range.clone()).unwrap_or_default()))
    }

    /// The covered value of one component.
    #[must_use]
    pub fn value(&self, component: &Component) -> Option<&str> {
        self.covered().find(|(known, _)| *known == component).map(|(_, value)| value)
    }

    /// The inner list with the parameters: the value of the Signature-Input member.
    #[must_use]
    pub fn signature_params(&self) -> &str {
        self.text.get(self.params.clone()).unwrap_or_default()
    }

    /// The first byte at which this base and another text differ, or none when they are the same.
    ///
    /// ```
    /// # use bot_etiquette_signing::{Component, Message, SignatureBase, SignatureParams};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let request = http::Request::get("https://example.com/").body(())?;
    /// let base = SignatureBase::build(&Message::request(&request), &[], &SignatureParams::new())?;
    /// assert_eq!(base.first_difference(b"\"@signature-params\": ()"), None);
    /// assert_eq!(base.first_difference(b"\"@signature-params\": (\"date\")"), Some(22));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn first_difference(&self, other: &[u8]) -> Option<usize> {
        let own = self.as_bytes();
        let same = own.iter().zip(other).take_while(|(one, two)| one == two).count();
        (same < own.len().max(other.len())).then_some(same)
    }
}

impl fmt::Display for SignatureBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The first component that equals one before it.
pub(crate) fn first_duplicate(components: &[Component]) -> Option<&Component> {
    components.iter().enumerate().find_map(|(index, component)| {
        components.get(..index).is_some_and(|before| before.contains(component)).then_some(component)
    })
}

/// Appends `("a" "b")`.
pub(crate) fn push_list(out: &mut String, components: &[Component]) {
    out.push('(');
    for (index, component) in components.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(component.as_str());
    }
    out.push(')');
}
