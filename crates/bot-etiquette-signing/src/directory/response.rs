use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use sha2::{Digest, Sha256};

use super::{DirectoryError, KeyDirectory, MEDIA_TYPE};
use crate::key::quoted;
use crate::{
    CONTENT_DIGEST, Component, DIRECTORY_PATH, DIRECTORY_TAG, DigestAlgorithm, Message, SignatureBase,
    SignatureParams, content_digest,
};

impl KeyDirectory {
    /// The response to a request for this directory at `authority` (such as `bot.example`), signed once by
    /// each listed key over that authority.
    ///
    /// The caller vouches for the authority: sign only for hosts that are the bot's own, never for whatever a
    /// `Host` field says, or a stranger's directory can be passed off with these keys.
    ///
    /// # Errors
    /// [`DirectoryError::Authority`] when `authority` is no host with an optional port;
    /// [`DirectoryError::NotSigned`] when a key kept elsewhere fails; a time beyond what a signature can say.
    pub fn response(&self, authority: &str, now: SystemTime) -> Result<Response<String>, DirectoryError> {
        self.presigned(authority, now, self.signature_lifetime())
    }

    /// The same response with signatures that last for `lifetime`: to be stored and served as it is, by a host
    /// that cannot sign.
    ///
    /// **The body alone does not verify.** The web server has to send every header of this response, for this
    /// authority only, and the response has to be made anew well before `lifetime` ends. Cloudflare passes a
    /// key over whose signature is missing, expired, or made for another authority.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use bot_etiquette_signing::SigningKey;
    /// use bot_etiquette_signing::directory::{KeyDirectory, PublishedKey};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    /// # let key = SigningKey::from_seed(&[1; 32]);
    /// let directory = KeyDirectory::builder().key(PublishedKey::new(key)).build()?;
    /// let month = Duration::from_secs(30 * 86_400);
    /// for (name, value) in directory.presigned("bot.example", now, month)?.headers() {
    ///     println!("add_header {name} '{}' always;", value.to_str()?); // for nginx
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`response`](Self::response), and [`DirectoryError::LifetimeTooShort`] when the signatures would end
    /// before cached copies do.
    pub fn presigned(
        &self,
        authority: &str,
        now: SystemTime,
        lifetime: Duration,
    ) -> Result<Response<String>, DirectoryError> {
        let (seconds, max_age) = (lifetime.as_secs(), self.max_age().as_secs());
        if seconds <= max_age {
            return Err(DirectoryError::LifetimeTooShort { lifetime: seconds, max_age });
        }
        let uri = address(authority).ok_or_else(|| DirectoryError::Authority { found: quoted(authority) })?;
        let body = self.document_at(now);
        let mut response = Response::new(body);
        *response.headers_mut() = self.plain_headers(response.body());
        let signed = self.sign(&uri, response.headers(), now, lifetime)?;
        response.headers_mut().extend(signed);
        Ok(response)
    }

    /// The headers that no key has a part in.
    fn plain_headers(&self, body: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        let max_age = format!("public, max-age={}", self.max_age().as_secs());
        // RFC 9110 8.8.3: a strong tag, of the bytes of the document.
        let tag = format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(body)));
        for (name, text) in [(header::CACHE_CONTROL, max_age), (header::ETAG, tag)] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(name, value);
            }
        }
        if self.covers_digest() {
            headers.insert(CONTENT_DIGEST, content_digest(DigestAlgorithm::Sha256, body.as_bytes()));
        }
        headers
    }

    /// Signature-Input and Signature, one member by each key.
    fn sign(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        now: SystemTime,
        lifetime: Duration,
    ) -> Result<HeaderMap, DirectoryError> {
        let none = HeaderMap::new();
        let request = Message::request_head(&Method::GET, uri, &none);
        let response = Message::response_head(StatusCode::OK, headers).answering(&request);
        let mut covered = vec![Component::authority().of_request().map_err(unsigned)?];
        if self.covers_digest() {
            covered.push(Component::field(CONTENT_DIGEST).map_err(unsigned)?);
        }
        let expires =
            now.checked_add(lifetime).ok_or_else(|| unsigned("the lifetime ends beyond all time"))?;
        let (mut inputs, mut signatures) = (Vec::new(), Vec::new());
        for key in self.listed(now) {
            let keyid = key.thumbprint().as_str();
            let params = SignatureParams::new().created(now).expires(expires).keyid(keyid).tag(DIRECTORY_TAG);
            let base = SignatureBase::build(&response, &covered, &params).map_err(unsigned)?;
            let Some(signature) = key.sign(base.as_bytes()) else { continue };
            let number = inputs.len().saturating_add(1);
            inputs.push(format!("sig{number}={}", base.signature_params()));
            signatures.push(format!("sig{number}=:{}:", BASE64_STANDARD.encode(signature?)));
        }
        let mut signed = HeaderMap::new();
        if !inputs.is_empty() {
            for (name, members) in [("signature-input", inputs), ("signature", signatures)] {
                signed.insert(name, HeaderValue::from_str(&members.join(", ")).map_err(unsigned)?);
            }
        }
        Ok(signed)
    }
}

fn unsigned(reason: impl ToString) -> DirectoryError {
    DirectoryError::Unsigned { reason: reason.to_string() }
}

/// The directory's address at an authority that is a host with an optional port.
pub(crate) fn address(authority: &str) -> Option<Uri> {
    let authority: Authority = authority.parse().ok()?;
    if authority.as_str().contains('@') || authority.host().is_empty() {
        return None;
    }
    let mut parts = http::uri::Parts::default();
    parts.scheme = Some(Scheme::HTTPS);
    parts.authority = Some(authority);
    parts.path_and_query = Some(PathAndQuery::from_static(DIRECTORY_PATH));
    Uri::from_parts(parts).ok()
}
