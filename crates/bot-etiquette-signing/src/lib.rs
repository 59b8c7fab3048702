//! HTTP message signatures (RFC 9421) on `http` types, and the Web Bot Auth profiles for crawlers.
//!
//! It sends and receives nothing: no client, no server, no clock, no random numbers. Time and nonces are
//! arguments, keys come through a [`KeyLookup`], and the fields go into the headers of your own request.
//!
//! # A bot signs
//!
//! Make a key once (`bot-etiquette key new --out bot.pem`), publish its public part ([`directory`]), and sign
//! each request just before it is sent:
//!
//! ```
//! use bot_etiquette_signing::{Signer, SigningKey};
//! use http::Request;
//! use std::time::SystemTime;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let pem = SigningKey::from_seed(&[7; 32]).to_pkcs8_pem();
//! let signer = Signer::builder(SigningKey::from_pkcs8_pem(&pem)?, "https://bot.example").build()?;
//!
//! let mut request = Request::get("https://example.com/page").body(())?;
//! signer.sign(&mut request, SystemTime::now(), None)?;
//! # Ok(()) }
//! ```
//!
//! The default is the form that Cloudflare verifies; see [`Profile`] for the others, and [`explain_for`] for what
//! a verifier would object to.
//!
//! # A site verifies
//!
//! A [`Verifier`] judges by a [`Policy`] and answers with an [`Outcome`]: verified, with all that was covered;
//! invalid, with the reason; or unverified, when there is nothing to believe or to refuse.
//!
//! ```
//! use bot_etiquette_signing::{
//!     KeyMaterial, Lookup, Message, Outcome, Policy, SignatureAgent, Signer, SigningKey, Verifier,
//! };
//! use std::time::SystemTime;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let key = SigningKey::from_seed(&[7; 32]);
//! # let public = KeyMaterial::from(&key);
//! # let now = SystemTime::now();
//! # let mut request = http::Request::get("https://example.com/page").body(())?;
//! # Signer::builder(key, "https://bot.example").build()?.sign(&mut request, now, None)?;
//! // The keys by agent and keyid, from the agents' directories:
//! let keys = |agent: Option<&SignatureAgent>, keyid: Option<&str>| match agent {
//!     Some(agent) if agent.as_str() == "https://bot.example" => Lookup::Found(public.clone()),
//!     _ => Lookup::Unknown,
//! };
//! match Verifier::new(Policy::web_bot_auth()).verify(&Message::request(&request), now, &keys) {
//!     Outcome::Verified(bot) => println!("{:?} signed {:?}", bot.agent, bot.base.as_str()),
//!     Outcome::Invalid { reason, detail } => println!("refused, {reason}: {detail}"),
//!     other => println!("unknown: {other}"),
//! }
//! # Ok(()) }
//! ```
//!
//! # RFC 9421 by itself
//!
//! A [`Component`] names a part of a [`Message`]; [`SignatureBase::build`] writes what is signed;
//! [`append_signature`] adds a signature of any key beside those a message has; [`Policy::rfc9421`] verifies;
//! [`SignatureRequest`] is Accept-Signature; [`content_digest`] binds the content.
//!
//! # Limits
//!
//! | what | limit |
//! |---|---|
//! | a signature field, lines joined | [`MAX_FIELD_BYTES`] |
//! | signatures of a message | [`MAX_SIGNATURES`] |
//! | components of a signature | [`MAX_COMPONENTS`] |
//! | a component identifier | [`MAX_COMPONENT_BYTES`] |
//! | a nonce | [`MAX_NONCE_BYTES`] |
//! | a signature base | [`MAX_BASE_BYTES`] |
//!
//! # Features
//!
//! - `algorithms`: the registered algorithms beside Ed25519, for verification, by `ring`.
//! - `tower`: layers that sign what goes out and verify what comes in, and the key directory as a service
//!   (the module `tower`).
#![cfg_attr(docsrs, feature(doc_cfg))]

mod accept;
mod agent;
mod algorithm;
mod append;
mod base;
mod component;
mod derived;
mod digest;
pub mod directory;
mod explain;
mod field_type;
mod key;
mod key_material;
mod lookup;
mod member;
mod message;
mod outcome;
mod params;
mod policy;
mod received;
mod sf;
mod signer;
mod time;
#[cfg(feature = "tower")]
pub mod tower;
mod value;
mod verify;

pub use accept::{ACCEPT_SIGNATURE, SignatureRequest};
pub use agent::{DIRECTORY_PATH, Profile, SIGNATURE_AGENT, SignatureAgent, UnknownProfile};
pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use append::{AppendError, append_signature};
pub use base::{BaseError, MAX_BASE_BYTES, MAX_COMPONENTS, SignatureBase};
pub use component::{Component, ComponentError, MAX_COMPONENT_BYTES};
pub use digest::{CONTENT_DIGEST, DigestAlgorithm, DigestError, check_content_digest, content_digest};
pub use explain::{Objection, explain_for};
pub use field_type::FieldType;
pub use key::{KeyError, MAX_KEY_BYTES, SecretText, SigningKey, Thumbprint, VerifyingKey};
pub use key_material::KeyMaterial;
#[cfg(feature = "algorithms")]
pub use key_material::OtherKey;
pub use lookup::{KeyLookup, Lookup, NonceStore};
pub use message::{Message, ValueError};
pub use outcome::{ContentCheck, InvalidReason, Outcome, UnverifiedReason, Verified};
pub use params::{MAX_NONCE_BYTES, ParamsError, SignatureParams};
pub use policy::{DEFAULT_SKEW, DIRECTORY_TAG, MAX_LIFETIME, MAX_SKEW, Policy, WEB_BOT_AUTH_TAG};
pub use received::{FieldError, MAX_FIELD_BYTES, MAX_SIGNATURES, MemberError, ReceivedSignature};
pub use sf::SyntaxError;
pub use signer::{
    DEFAULT_LIFETIME, ExternalSigner, MAX_PROFILE_HOSTS, SignError, SignatureBuffer, Signer, SignerBuilder,
    SignerError,
};
pub use verify::{Examination, Step, Verifier};

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
