//! Accept-Signature: asking for a signature, and giving the one that was asked for (RFC 9421 5).

use std::fmt;
use std::time::{Duration, SystemTime};

use http::HeaderMap;

use crate::base::{BaseError, MAX_COMPONENTS, SignatureBase, push_list};
use crate::component::Component;
use crate::member::{self, Member};
use crate::message::Message;
use crate::params::SignatureParams;
use crate::received::{FieldError, MAX_FIELD_BYTES, MAX_SIGNATURES};
use crate::value::push_joined;
use crate::{Algorithm, sf};

/// The field that asks for signatures.
pub const ACCEPT_SIGNATURE: &str = "accept-signature";

/// One signature that the other side asks for.
///
/// ```
/// use bot_etiquette_signing::{Component, SignatureRequest};
/// use http::HeaderMap;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A server asks a bot to sign:
/// let asked = SignatureRequest::new("sig1")
///     .component(Component::authority())
///     .created()
///     .tag("web-bot-auth");
/// assert_eq!(asked.to_string(), r#"sig1=("@authority");created;tag="web-bot-auth""#);
///
/// // The bot reads it:
/// let mut headers = HeaderMap::new();
/// headers.insert("accept-signature", asked.to_string().parse()?);
/// assert_eq!(SignatureRequest::all(&headers)?, [asked]);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureRequest {
    label: String,
    components: Vec<Component>,
    created: bool,
    expires: bool,
    nonce: Option<String>,
    alg: Option<String>,
    keyid: Option<String>,
    tag: Option<String>,
}

impl SignatureRequest {
    /// Asks for a signature with this label over nothing yet.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            components: Vec::new(),
            created: false,
            expires: false,
            nonce: None,
            alg: None,
            keyid: None,
            tag: None,
        }
    }

    /// Asks for one more component to be covered.
    #[must_use]
    pub fn component(mut self, component: Component) -> Self {
        self.components.push(component);
        self
    }

    /// Asks for the parameter `created`.
    #[must_use]
    pub fn created(mut self) -> Self {
        self.created = true;
        self
    }

    /// Asks for the parameter `expires`.
    #[must_use]
    pub fn expires(mut self) -> Self {
        self.expires = true;
        self
    }

    /// Asks for this very nonce.
    #[must_use]
    pub fn nonce(mut self, nonce: impl Into<String>) -> Self {
        self.nonce = Some(nonce.into());
        self
    }

    /// Asks for this algorithm.
    #[must_use]
    pub fn alg(mut self, algorithm: Algorithm) -> Self {
        self.alg = Some(algorithm.as_str().to_owned());
        self
    }

    /// Asks for this key.
    #[must_use]
    pub fn keyid(mut self, keyid: impl Into<String>) -> Self {
        self.keyid = Some(keyid.into());
        self
    }

    /// Asks for this application tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// All that `headers` ask for. What cannot be read or fulfilled by anyone is passed over, as RFC 9421
    /// 5.2 says.
    ///
    /// # Errors
    /// When the field as a whole cannot be read.
    pub fn all(headers: &HeaderMap) -> Result<Vec<Self>, FieldError> {
        let field = ACCEPT_SIGNATURE;
        let mut text = String::new();
        push_joined(&mut text, headers, field)
            .map_err(|position| FieldError::NotAscii { field, position })?;
        if text.len() > MAX_FIELD_BYTES {
            return Err(FieldError::TooLarge { field, length: text.len() });
        }
        let members = member::members(&text).map_err(|error| FieldError::Syntax { field, error })?;
        if members.len() > MAX_SIGNATURES {
            return Err(FieldError::TooMany { field, count: members.len() });
        }
        Ok(members.iter().filter_map(Self::read).collect())
    }

    fn read(member: &Member<'_>) -> Option<Self> {
        let items = member.inner_list()?;
        if items.len() > MAX_COMPONENTS {
            return None;
        }
        let mut asked = Self::new(member.key);
        asked.components = items.iter().map(Component::from_item).collect::<Result<_, _>>().ok()?;
        for (name, value) in member.params().iter() {
            let text = value.as_string().map(|text| text.as_str().to_owned());
            match name {
                "created" => asked.created = value.as_boolean()?,
                "expires" => asked.expires = value.as_boolean()?,
                "nonce" => asked.nonce = Some(text?),
                "alg" => asked.alg = Some(text?),
                "keyid" => asked.keyid = Some(text?),
                "tag" => asked.tag = Some(text?),
                // A demand that is not understood cannot be met.
                _ => return None,
            }
        }
        Some(asked)
    }

    /// The label, which the answer must use.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The components, all of which and no others the answer must cover.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The application tag that is asked for.
    #[must_use]
    pub fn tag_asked(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The base of the answer over `message`, to be signed and added with [`append_signature`](crate::append_signature) under
    /// [`label`](Self::label); none when another key or algorithm is asked for.
    ///
    /// `created` and `keyid` are always given; `expires` when asked for, `lifetime` later.
    ///
    /// # Errors
    /// When `message` lacks a component that is asked for.
    ///
    /// ```
    /// use bot_etiquette_signing::{Algorithm, Message, SignatureRequest};
    /// use http::{HeaderMap, Request};
    /// use std::time::{Duration, SystemTime};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut headers = HeaderMap::new();
    /// headers.insert("accept-signature", r#"sig1=("@method");keyid="k1";tag="app""#.parse()?);
    /// let asked = &SignatureRequest::all(&headers)?[0];
    ///
    /// let request = Request::get("https://example.com/").body(())?;
    /// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_618_884_473);
    /// let minute = Duration::from_secs(60);
    /// let base = asked.base(&Message::request(&request), "k1", Algorithm::Ed25519, now, minute)?;
    /// assert_eq!(
    ///     base.ok_or("another key")?.signature_params(),
    ///     r#"("@method");created=1618884473;keyid="k1";tag="app""#,
    /// );
    /// # Ok(()) }
    /// ```
    pub fn base(
        &self,
        message: &Message<'_>,
        keyid: &str,
        algorithm: Algorithm,
        now: SystemTime,
        lifetime: Duration,
    ) -> Result<Option<SignatureBase>, BaseError> {
        let other_key = self.keyid.as_deref().is_some_and(|asked| asked != keyid);
        let other_algorithm = self.alg.as_deref().is_some_and(|asked| asked != algorithm.as_str());
        if other_key || other_algorithm {
            return Ok(None);
        }
        let mut params = SignatureParams::new().created(now);
        if self.expires {
            params = params.expires(now.checked_add(lifetime).unwrap_or(now));
        }
        params = params.keyid(keyid);
        if let Some(alg) = &self.alg {
            params = params.alg(alg);
        }
        if let Some(nonce) = &self.nonce {
            params = params.nonce(nonce);
        }
        if let Some(tag) = &self.tag {
            params = params.tag(tag);
        }
        SignatureBase::build(message, &self.components, &params).map(Some)
    }
}

impl fmt::Display for SignatureRequest {
    /// A member of an Accept-Signature field. Texts must be printable ASCII.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}=", self.label);
        push_list(&mut text, &self.components);
        for (asked, name) in [(self.created, ";created"), (self.expires, ";expires")] {
            text.push_str(if asked { name } else { "" });
        }
        let demands =
            [("nonce", &self.nonce), ("alg", &self.alg), ("keyid", &self.keyid), ("tag", &self.tag)];
        for (name, value) in demands {
            if let Some(value) = value {
                text.push_str(&format!(";{name}="));
                sf::push_string(&mut text, value);
            }
        }
        f.write_str(&text)
    }
}
