//! The few DER shapes an Ed25519 key has (RFC 8410, RFC 5958), read strictly and written as constants.

use zeroize::Zeroizing;

use super::KeyError;
use super::der::{BIT_STRING, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, Reader};

/// `attributes [0]`, which are passed over.
const ATTRIBUTES: u8 = 0xa0;
/// `publicKey [1]` as RFC 5958 tags it.
const PUBLIC: u8 = 0x81;
/// `publicKey [1]` as old versions of ring tag it, with the BIT STRING inside.
const PUBLIC_EXPLICIT: u8 = 0xa1;

const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const PRIVATE_V1: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const PRIVATE_V2: [u8; 16] =
    [0x30, 0x51, 0x02, 0x01, 0x01, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const PRIVATE_V2_PUBLIC: [u8; 3] = [PUBLIC, 0x21, 0x00];
const PUBLIC_INFO: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The parts of a `OneAsymmetricKey`, borrowed.
pub(super) struct PrivateParts<'a> {
    pub(super) seed: &'a [u8; 32],
    pub(super) public: Option<&'a [u8; 32]>,
}

pub(super) fn read_private(bytes: &[u8]) -> Result<PrivateParts<'_>, KeyError> {
    let mut outer = Reader::new(bytes);
    let mut key = outer.sequence("a SEQUENCE, the private key info")?;
    outer.end("the end of the private key info")?;
    let version = key.value(INTEGER, "the version")?;
    if !matches!(version.bytes, [0 | 1]) {
        return Err(version.expected("version 0 or 1"));
    }
    algorithm(&mut key)?;
    let mut octets = key.value(OCTET_STRING, "the private key")?;
    let inner = octets.value(OCTET_STRING, "the Ed25519 private key")?;
    let seed = inner.bytes.try_into().map_err(|_| inner.expected("32 bytes"))?;
    octets.end("the end of the private key")?;
    key.optional(ATTRIBUTES)?;
    let public = match key.optional(PUBLIC)? {
        Some(bits) => Some(bits),
        None => match key.optional(PUBLIC_EXPLICIT)? {
            Some(mut explicit) => Some(explicit.value(BIT_STRING, "the public key")?),
            None => None,
        },
    };
    let public = public.map(|bits| public_bytes(&bits)).transpose()?;
    key.end("the end of the private key info")?;
    Ok(PrivateParts { seed, public })
}

pub(super) fn read_public(bytes: &[u8]) -> Result<&[u8; 32], KeyError> {
    let mut outer = Reader::new(bytes);
    let mut key = outer.sequence("a SEQUENCE, the public key info")?;
    outer.end("the end of the public key info")?;
    algorithm(&mut key)?;
    let bits = key.value(BIT_STRING, "the public key")?;
    key.end("the end of the public key info")?;
    public_bytes(&bits)
}

pub(super) fn write_private(seed: &[u8; 32]) -> Zeroizing<[u8; 48]> {
    let mut bytes = Zeroizing::new([0; 48]);
    copy(bytes.as_mut_slice(), &[&PRIVATE_V1, seed]);
    bytes
}

pub(super) fn write_private_v2(seed: &[u8; 32], public: &[u8; 32]) -> Zeroizing<[u8; 83]> {
    let mut bytes = Zeroizing::new([0; 83]);
    copy(bytes.as_mut_slice(), &[&PRIVATE_V2, seed, &PRIVATE_V2_PUBLIC, public]);
    bytes
}

pub(super) fn write_public(public: &[u8; 32]) -> [u8; 44] {
    let mut bytes = [0; 44];
    copy(&mut bytes, &[&PUBLIC_INFO, public]);
    bytes
}

fn copy(into: &mut [u8], parts: &[&[u8]]) {
    for (slot, byte) in into.iter_mut().zip(parts.iter().copied().flatten()) {
        *slot = *byte;
    }
}

fn algorithm(key: &mut Reader<'_>) -> Result<(), KeyError> {
    let mut algorithm = key.sequence("the algorithm")?;
    let oid = algorithm.value(OBJECT_IDENTIFIER, "the algorithm's identifier")?;
    if oid.bytes != ED25519 {
        return Err(KeyError::NotEd25519 { found: name(oid.bytes).to_owned() });
    }
    algorithm.end("no algorithm parameters")
}

fn name(oid: &[u8]) -> &'static str {
    match oid {
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01 | 0x0a] => "an RSA key",
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01] => "an elliptic curve (ECDSA) key",
        [0x2b, 0x65, 0x6e] => "an X25519 key",
        [0x2b, 0x65, 0x6f] => "an X448 key",
        [0x2b, 0x65, 0x71] => "an Ed448 key",
        _ => "a key of an algorithm unknown here",
    }
}

fn public_bytes<'a>(bits: &Reader<'a>) -> Result<&'a [u8; 32], KeyError> {
    let public = bits.whole_bytes()?;
    public.bytes.try_into().map_err(|_| public.expected("32 bytes"))
}
