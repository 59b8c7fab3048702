//! HTTP message signatures (RFC 9421) on `http` types, and the Web Bot Auth profiles for crawlers.
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
pub use key::{KeyError, MAX_KEY_BYTES, SigningKey, Thumbprint, VerifyingKey};
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
