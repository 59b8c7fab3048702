use std::time::SystemTime;

use super::{DirectoryDocument, DirectoryEntry};
use crate::{
    Component, DIRECTORY_TAG, KeyMaterial, Lookup, Message, Outcome, Policy, ReceivedSignature,
    SignatureAgent, Thumbprint, UnverifiedReason, Verifier,
};

/// Whether the signatures of a response prove that its sender holds a key of the directory.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bot_etiquette_signing::directory::{DirectoryDocument, KeyDirectory, KeyProof, PublishedKey};
/// use bot_etiquette_signing::{Message, SigningKey};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// # let key = SigningKey::from_seed(&[1; 32]);
/// let directory = KeyDirectory::builder().key(PublishedKey::new(key)).build()?;
/// let response = directory.response("bot.example", now)?;
///
/// let document = DirectoryDocument::parse(response.body().as_bytes())?;
/// let proofs = |address: &str| -> Result<Vec<KeyProof>, http::Error> {
///     let request = http::Request::get(address).body(())?;
///     let request = Message::request(&request);
///     let message = Message::response(&response).body(response.body().as_bytes()).answering(&request);
///     Ok(document.proofs(&message, now))
/// };
/// assert!(proofs("https://bot.example/")?[0].outcome.verified().is_some());
/// assert_eq!(proofs("https://copy.example/")?[0].outcome.reason(), Some("signature-mismatch"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyProof {
    /// The key.
    pub thumbprint: Thumbprint,
    /// The end of the verification of its signature.
    pub outcome: Outcome,
}

impl DirectoryDocument {
    /// For each key, whether a signature of the response that brought this document proves it.
    ///
    /// A proof has the tag of directories, `created`, `expires` and `keyid`, covers `"@authority";req`, counts
    /// at `now`, and fits the request that `response` was [`answering`](Message::answering); where it covers
    /// `content-digest`, give the message its [`body`](Message::body). The keys printed in RFCs can prove
    /// themselves: ask [`is_published_test_key`](crate::VerifyingKey::is_published_test_key).
    #[must_use]
    pub fn proofs(&self, response: &Message<'_>, now: SystemTime) -> Vec<KeyProof> {
        let received = ReceivedSignature::all(response).unwrap_or_default();
        let prove = |entry: &DirectoryEntry| {
            let thumbprint = entry.thumbprint();
            let mut first = None;
            for signature in &received {
                let params = signature.params();
                let text = |name: &str| params.and_then(|params| params.text(name));
                if text("tag") != Some(DIRECTORY_TAG) || text("keyid") != Some(thumbprint.as_str()) {
                    continue;
                }
                let outcome = verify(response, signature.label(), entry, now);
                if outcome.verified().is_some() {
                    return outcome;
                }
                first.get_or_insert(outcome);
            }
            first.unwrap_or_else(|| Outcome::Unverified {
                reason: UnverifiedReason::NoSignature,
                detail: format!("no signature with the tag {DIRECTORY_TAG} and the keyid {thumbprint}"),
            })
        };
        self.entries()
            .iter()
            .map(|entry| KeyProof { thumbprint: entry.thumbprint().clone(), outcome: prove(entry) })
            .collect()
    }
}

fn verify(response: &Message<'_>, label: &str, entry: &DirectoryEntry, now: SystemTime) -> Outcome {
    let mut policy = Policy::rfc9421().with_tag(DIRECTORY_TAG).allow_test_keys();
    policy.required_params = vec!["created", "expires", "keyid"];
    if let Ok(authority) = Component::authority().of_request() {
        policy = policy.require_component(authority);
    }
    let keys = |_: Option<&SignatureAgent>, _: Option<&str>| {
        Lookup::Found(KeyMaterial::Ed25519(entry.key().clone()))
    };
    Verifier::new(policy).with_label(label).verify(response, now, &keys)
}
