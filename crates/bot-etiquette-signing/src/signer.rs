//! Signing requests as a bot (Web Bot Auth on RFC 9421).

mod buffer;
mod builder;
mod external;

pub use buffer::SignatureBuffer;
pub use builder::{MAX_PROFILE_HOSTS, SignerBuilder, SignerError};
pub use external::ExternalSigner;

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Request, header};
use thiserror::Error;

use crate::agent::Profile;
use crate::component::Component;
use crate::derived;
use crate::message::{Head, Message, ValueError};
use crate::params::MAX_NONCE_BYTES;
use crate::policy::WEB_BOT_AUTH_TAG;
use crate::time::unix_seconds;
use crate::{SigningKey, sf, value};

/// The time from `created` to `expires` unless said otherwise: a minute.
pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(60);

/// Signs requests for one agent with one key.
///
/// Each signature covers `@authority`, the Signature-Agent it sends, and the components added; it names the
/// key by its thumbprint, carries the tag `web-bot-auth`, and ends after a minute. Sign each hop and each
/// retry anew: the authority and the time are covered.
///
/// ```
/// use bot_etiquette_signing::{Signer, SigningKey};
/// use http::Request;
/// use std::time::{Duration, SystemTime};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = Signer::builder(SigningKey::from_seed(&[7; 32]), "https://bot.example").build()?;
///
/// let mut request = Request::get("https://example.com/page").body(())?;
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// signer.sign(&mut request, now, None)?;
///
/// assert_eq!(request.headers()["signature-agent"], "\"https://bot.example\"");
/// assert!(request.headers()["signature-input"].to_str()?.starts_with(
///     r#"sig1=("@authority" "signature-agent");created=1800000000;expires=1800000060;keyid=""#
/// ));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Signer<K = SigningKey> {
    key: K,
    keyid: String,
    label: String,
    lifetime: i64,
    profile: Profile,
    /// Hosts in lower case with a profile of their own.
    hosts: Vec<(String, Profile)>,
    components: Vec<Component>,
    forms: [Form; 3],
}

/// What is the same in every signature of one profile; empty for a profile that is not used.
#[derive(Debug, Default)]
struct Form {
    /// The value of Signature-Agent.
    agent: String,
    /// The line of the base for it.
    agent_line: String,
    /// The inner list of components.
    list: String,
}

/// Why a request was not signed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SignError {
    /// A component has no value in this message.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The message is a response; Web Bot Auth signs requests.
    #[error("a response cannot be signed as a bot's request")]
    NotARequest,
    /// The `Host` field names another authority than the URI: what is signed would not be what is sent.
    #[error("the Host field and the URI name different authorities; remove one of them")]
    HostConflict,
    /// The nonce is empty, longer than [`MAX_NONCE_BYTES`], or no printable ASCII.
    #[error("the nonce must be 1 to {MAX_NONCE_BYTES} bytes of printable ASCII")]
    Nonce,
    /// The time is before 1970 or too far ahead to write.
    #[error("the time of signing is out of range")]
    Time,
    /// The external signer failed.
    #[error("the signing key did not sign")]
    Key(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Signer {
    /// Starts a signer for the agent at `agent`, an https URL: the origin under which its key directory is
    /// published, or the full URL of the key set for [`Profile::JwksUrl`].
    pub fn builder<K: ExternalSigner>(key: K, agent: &str) -> SignerBuilder<K> {
        SignerBuilder::new(key, agent)
    }
}

impl<K: ExternalSigner> Signer<K> {
    /// Signs `request`: sets Signature-Agent, Signature-Input and Signature, in place of any it had.
    ///
    /// `nonce` is sent as it is; draw it from the operating system's random source, or leave it out.
    ///
    /// # Errors
    /// See [`SignError`].
    pub fn sign<B>(
        &self,
        request: &mut Request<B>,
        now: SystemTime,
        nonce: Option<&str>,
    ) -> Result<(), SignError> {
        let mut buffer = SignatureBuffer::new();
        self.sign_into(&Message::request(request), now, nonce, &mut buffer)?;
        buffer.insert_into(request.headers_mut());
        Ok(())
    }

    /// Signs `message` into a buffer that is used again and again; nothing is copied out of it.
    ///
    /// Once the buffer has grown to its size, nothing is allocated as long as the components added take
    /// their values as sent (no `sf`, `key`, `bs`, `@query-param`).
    ///
    /// # Errors
    /// See [`SignError`].
    pub fn sign_into(
        &self,
        message: &Message<'_>,
        now: SystemTime,
        nonce: Option<&str>,
        buffer: &mut SignatureBuffer,
    ) -> Result<(), SignError> {
        self.prepare_into(message, now, nonce, buffer)?;
        buffer.raw.clear();
        self.key.sign(buffer.base.as_bytes(), &mut buffer.raw).map_err(SignError::Key)?;
        buffer.write_signature();
        Ok(())
    }

    /// Writes all but the signature, for a key that signs elsewhere in its own time: sign
    /// [`SignatureBuffer::base`], then call [`SignatureBuffer::complete`].
    ///
    /// # Errors
    /// See [`SignError`].
    pub fn prepare_into(
        &self,
        message: &Message<'_>,
        now: SystemTime,
        nonce: Option<&str>,
        buffer: &mut SignatureBuffer,
    ) -> Result<(), SignError> {
        buffer.clear();
        let host = sent_host(message)?;
        if nonce.is_some_and(|nonce| {
            nonce.is_empty() || nonce.len() > MAX_NONCE_BYTES || !sf::is_sf_string(nonce)
        }) {
            return Err(SignError::Nonce);
        }
        let created = unix_seconds(now);
        let expires = created.checked_add(self.lifetime).filter(|&end| created >= 0 && end <= MAX_SF_INTEGER);
        let expires = expires.ok_or(SignError::Time)?;
        let form = self.form(host);

        let base = &mut buffer.base;
        base.push_str("\"@authority\": ");
        derived::push_request_authority(base, message, "\"@authority\"")?;
        base.push('\n');
        base.push_str(&form.agent_line);
        for component in &self.components {
            base.push_str(component.as_str());
            base.push_str(": ");
            value::push(base, message, component)?;
            base.push('\n');
        }
        base.push_str("\"@signature-params\": ");
        let params_start = base.len();
        base.push_str(&form.list);
        base.push_str(";created=");
        buffer::push_integer(base, created);
        base.push_str(";expires=");
        buffer::push_integer(base, expires);
        base.push_str(";keyid=\"");
        base.push_str(&self.keyid);
        base.push('"');
        if let Some(nonce) = nonce {
            base.push_str(";nonce=");
            sf::push_string(base, nonce);
        }
        base.push_str(";tag=\"");
        base.push_str(WEB_BOT_AUTH_TAG);
        base.push('"');

        buffer.agent.push_str(&form.agent);
        buffer.label.push_str(&self.label);
        buffer.input.push_str(&self.label);
        buffer.input.push('=');
        buffer.input.push_str(buffer.base.get(params_start..).unwrap_or_default());
        Ok(())
    }

    /// The `keyid` of every signature.
    #[must_use]
    pub fn keyid(&self) -> &str {
        &self.keyid
    }

    /// The profile used for a host.
    #[must_use]
    pub fn profile_for(&self, host: &str) -> Profile {
        let own = self.hosts.iter().find(|(name, _)| name.eq_ignore_ascii_case(host));
        own.map_or(self.profile, |(_, profile)| *profile)
    }

    fn form(&self, host: &str) -> &Form {
        let profile = if self.hosts.is_empty() { self.profile } else { self.profile_for(host) };
        let [cloudflare, dictionary, jwks_url] = &self.forms;
        match profile {
            Profile::Cloudflare => cloudflare,
            Profile::Dictionary => dictionary,
            Profile::JwksUrl => jwks_url,
        }
    }
}

/// The largest integer a structured field can write (RFC 9651 3.3.1).
const MAX_SF_INTEGER: i64 = 999_999_999_999_999;

/// The host the request goes to. A Host field beside a full URI must name the same authority, because
/// clients send the field and servers read it.
fn sent_host<'a>(message: &Message<'a>) -> Result<&'a str, SignError> {
    let Head::Request { uri, .. } = message.head else { return Err(SignError::NotARequest) };
    let sent = message
        .authority_as_sent()
        .map_err(|reason| ValueError::Authority { component: "\"@authority\"".to_owned(), reason })?;
    if uri.authority().is_some() && has_other_host(message.headers, sent, message.scheme_as_sent()) {
        return Err(SignError::HostConflict);
    }
    Ok(sent.host)
}

fn has_other_host(headers: &HeaderMap, sent: crate::message::HostPort<'_>, scheme: &str) -> bool {
    headers.get_all(header::HOST).iter().any(|host| {
        let named = host.to_str().ok().and_then(|text| crate::message::HostPort::of(text.trim()).ok());
        named.is_none_or(|named| {
            !named.host.eq_ignore_ascii_case(sent.host)
                || derived::explicit_port(named, scheme) != derived::explicit_port(sent, scheme)
        })
    })
}
