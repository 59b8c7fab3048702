mod cache;
mod cases;
mod document;
mod proof;
mod rotation;
mod schedule;
mod writer;

use std::time::{Duration, SystemTime};

use bot_etiquette_signing::SigningKey;

pub(crate) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

pub(crate) fn key(byte: u8) -> SigningKey {
    SigningKey::from_seed(&[byte; 32])
}

pub(crate) fn keyid(byte: u8) -> String {
    key(byte).thumbprint().to_string()
}

/// A JWK Set of public keys, each with more members after its own.
pub(crate) fn set(keys: &[(u8, &str)]) -> String {
    let jwk = |(byte, more): &(u8, &str)| key(*byte).verifying_key().to_jwk().replace('}', more) + "}";
    format!("{{\"keys\":[{}]}}", keys.iter().map(jwk).collect::<Vec<_>>().join(","))
}
