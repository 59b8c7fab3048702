//! What a verifier must be given from outside: keys by agent, and a memory of nonces.

use std::time::SystemTime;

use crate::KeyMaterial;
use crate::agent::SignatureAgent;

/// Where the keys are: asked by the pair of agent and `keyid`, never by the `keyid` alone, so that one agent
/// cannot speak with the key of another.
///
/// A closure will do:
///
/// ```
/// use bot_etiquette_signing::{KeyLookup, KeyMaterial, Lookup, SignatureAgent, SigningKey};
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let lookup = |agent: Option<&SignatureAgent>, keyid: Option<&str>| match agent {
///     Some(agent) if agent.directory().host_str() == Some("bot.example") => {
///         match keyid == Some(key.thumbprint().as_str()) {
///             true => Lookup::Found(KeyMaterial::from(&key)),
///             false => Lookup::Unknown,
///         }
///     }
///     _ => Lookup::Unknown,
/// };
/// assert!(matches!(lookup.key(None, Some("x")), Lookup::Unknown));
/// ```
pub trait KeyLookup {
    /// The key of this agent with this `keyid`.
    ///
    /// `agent` is none when the message names none; `keyid` is none when the signature has no such parameter,
    /// which Web Bot Auth never lets come this far.
    fn key(&self, agent: Option<&SignatureAgent>, keyid: Option<&str>) -> Lookup;
}

impl<F> KeyLookup for F
where
    F: Fn(Option<&SignatureAgent>, Option<&str>) -> Lookup,
{
    fn key(&self, agent: Option<&SignatureAgent>, keyid: Option<&str>) -> Lookup {
        self(agent, keyid)
    }
}

/// The answer of a [`KeyLookup`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lookup {
    /// The key.
    Found(KeyMaterial),
    /// The agent has no such key, or there is no agent.
    Unknown,
    /// The agent's directory could not be read.
    Unavailable,
}

/// A memory of used nonces. It is asked after the signature has proved good, never before.
///
/// ```
/// use bot_etiquette_signing::NonceStore;
/// use std::collections::HashSet;
/// use std::sync::Mutex;
/// use std::time::SystemTime;
///
/// #[derive(Default)]
/// struct Seen(Mutex<HashSet<(String, String)>>);
///
/// impl NonceStore for Seen {
///     fn check_and_record(&self, keyid: &str, nonce: &str, _expires: Option<SystemTime>) -> bool {
///         let mut seen = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
///         seen.insert((keyid.to_owned(), nonce.to_owned()))
///     }
/// }
/// let seen = Seen::default();
/// assert!(seen.check_and_record("k", "n", None));
/// assert!(!seen.check_and_record("k", "n", None));
/// ```
pub trait NonceStore {
    /// Records the nonce of this key; true when it was not known before. It may be forgotten after `expires`.
    ///
    /// A store that cannot answer says false: the signature is then refused.
    fn check_and_record(&self, keyid: &str, nonce: &str, expires: Option<SystemTime>) -> bool;
}
