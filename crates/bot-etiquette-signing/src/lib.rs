//! HTTP message signatures (RFC 9421) on `http` types, and the Web Bot Auth profiles for crawlers.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod key;

pub use key::{KeyError, MAX_KEY_BYTES, SigningKey, Thumbprint, VerifyingKey};
