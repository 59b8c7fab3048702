//! Keys of the registered algorithms beside Ed25519, verified by `ring`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::{hmac, signature};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::{Algorithm, MAX_KEY_BYTES, Thumbprint};

/// An RSA, P-256, P-384 or HMAC key.
///
/// `Debug` prints the kind and the thumbprint, never the secret of an HMAC key.
///
/// ```
/// use bot_etiquette_signing::{Algorithm, OtherKey};
///
/// let key = OtherKey::parse(br#"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#).ok_or("no key")?;
/// assert_eq!(key.algorithms(), [Algorithm::HmacSha256]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct OtherKey {
    material: Material,
    algorithms: Vec<Algorithm>,
    thumbprint: Thumbprint,
}

#[derive(Clone, PartialEq, Eq)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// The uncompressed point.
    Ec(Vec<u8>),
    Secret(Zeroizing<Vec<u8>>),
}

/// Bits of an RSA modulus at the least; below, a key counts as weak (NIST SP 800-131A).
const MIN_RSA_BITS: usize = 2048;

#[derive(Deserialize)]
struct Members {
    kty: String,
    crv: Option<String>,
    alg: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    #[serde(default, deserialize_with = "secret")]
    k: Option<Zeroizing<String>>,
}

/// Text that is erased when dropped.
fn secret<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Zeroizing<String>>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Zeroizing::new))
}

impl OtherKey {
    /// Reads a JWK (RFC 7518 6: `RSA`, `EC` with P-256 or P-384, `oct`), or the public part of a PEM file.
    /// None when the bytes are no such key.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > MAX_KEY_BYTES {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        if text.trim_start().starts_with('{') {
            return Self::from_members(&serde_json::from_str(text).ok()?);
        }
        let (label, der) = pem(text)?;
        Self::from_der(label, &der)
    }

    fn from_members(members: &Members) -> Option<Self> {
        let bytes = |text: &Option<String>| URL_SAFE_NO_PAD.decode(text.as_deref()?).ok();
        match members.kty.as_str() {
            "RSA" => {
                let mut key = Self::rsa(&bytes(&members.n)?, &bytes(&members.e)?)?;
                match members.alg.as_deref() {
                    Some("PS512" | "rsa-pss-sha512") => key.algorithms = vec![Algorithm::RsaPssSha512],
                    Some("RS256" | "rsa-v1_5-sha256") => key.algorithms = vec![Algorithm::RsaV15Sha256],
                    _ => {}
                }
                Some(key)
            }
            "EC" => Self::ec(members.crv.as_deref()?, &bytes(&members.x)?, &bytes(&members.y)?),
            "oct" => {
                let secret = Zeroizing::new(URL_SAFE_NO_PAD.decode(members.k.as_ref()?.as_bytes()).ok()?);
                let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(secret.as_slice()));
                let json = Zeroizing::new(format!(r#"{{"k":"{}","kty":"oct"}}"#, text.as_str()));
                Some(Self::new(Material::Secret(secret), vec![Algorithm::HmacSha256], &json))
            }
            _ => None,
        }
    }

    fn from_der(label: &str, der: &[u8]) -> Option<Self> {
        let (outer, _) = tlv(der, SEQUENCE)?;
        match label {
            "RSA PUBLIC KEY" => Self::from_pkcs1(outer),
            "RSA PRIVATE KEY" => Self::from_pkcs1(tlv(outer, INTEGER)?.1),
            "PUBLIC KEY" => {
                let (algorithm, rest) = tlv(outer, SEQUENCE)?;
                let (bits, _) = tlv(rest, BIT_STRING)?;
                let key = bits.strip_prefix(&[0])?;
                if contains(algorithm, EC_OID) {
                    Self::from_point(key)
                } else {
                    Self::from_pkcs1(tlv(key, SEQUENCE)?.0)
                }
            }
            "PRIVATE KEY" => {
                let (algorithm, rest) = tlv(tlv(outer, INTEGER)?.1, SEQUENCE)?;
                let (key, _) = tlv(rest, OCTET_STRING)?;
                if contains(algorithm, EC_OID) {
                    return Self::from_point(public_tail(key)?);
                }
                Self::from_pkcs1(tlv(tlv(key, SEQUENCE)?.0, INTEGER)?.1)
            }
            "EC PRIVATE KEY" => Self::from_point(public_tail(der)?),
            _ => None,
        }
    }

    /// Modulus and exponent, as both the public and the private form of PKCS#1 list them.
    fn from_pkcs1(integers: &[u8]) -> Option<Self> {
        let (modulus, rest) = tlv(integers, INTEGER)?;
        let (exponent, _) = tlv(rest, INTEGER)?;
        Self::rsa(modulus, exponent)
    }

    fn from_point(point: &[u8]) -> Option<Self> {
        let (crv, half) = match point.len() {
            65 => ("P-256", 32),
            97 => ("P-384", 48),
            _ => return None,
        };
        let (x, y) = point.strip_prefix(&[4])?.split_at_checked(half)?;
        Self::ec(crv, x, y)
    }

    fn rsa(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        let modulus = without_zeros(modulus);
        let exponent = without_zeros(exponent);
        if modulus.is_empty() || exponent.is_empty() {
            return None;
        }
        let json = format!(
            r#"{{"e":"{}","kty":"RSA","n":"{}"}}"#,
            URL_SAFE_NO_PAD.encode(exponent),
            URL_SAFE_NO_PAD.encode(modulus),
        );
        let material = Material::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() };
        Some(Self::new(material, vec![Algorithm::RsaPssSha512, Algorithm::RsaV15Sha256], &json))
    }

    fn ec(crv: &str, x: &[u8], y: &[u8]) -> Option<Self> {
        let (algorithm, half) = match crv {
            "P-256" => (Algorithm::EcdsaP256Sha256, 32),
            "P-384" => (Algorithm::EcdsaP384Sha384, 48),
            _ => return None,
        };
        if x.len() != half || y.len() != half {
            return None;
        }
        let json = format!(
            r#"{{"crv":"{crv}","kty":"EC","x":"{}","y":"{}"}}"#,
            URL_SAFE_NO_PAD.encode(x),
            URL_SAFE_NO_PAD.encode(y),
        );
        let point = [&[4], x, y].concat();
        Some(Self::new(Material::Ec(point), vec![algorithm], &json))
    }

    fn new(material: Material, algorithms: Vec<Algorithm>, json: &str) -> Self {
        Self { material, algorithms, thumbprint: Thumbprint::of_json(json) }
    }

    /// The algorithms this key can be used with, the preferred one first.
    #[must_use]
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// The RFC 7638 thumbprint.
    #[must_use]
    pub fn thumbprint(&self) -> &Thumbprint {
        &self.thumbprint
    }

    /// Whether an RSA modulus has fewer than 2048 bits, or an HMAC secret fewer than 128.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        match &self.material {
            Material::Rsa { modulus, .. } => {
                let zeros = modulus.first().map_or(0, |byte| byte.leading_zeros());
                modulus.len().saturating_mul(8).saturating_sub(usize::try_from(zeros).unwrap_or(0))
                    < MIN_RSA_BITS
            }
            Material::Ec(_) => false,
            Material::Secret(secret) => secret.len() < 16,
        }
    }

    /// Whether RFC 9421 appendix B.1 or RFC 7638 prints this key.
    #[must_use]
    pub fn is_published_test_key(&self) -> bool {
        PUBLISHED.contains(&self.thumbprint.as_str())
    }

    /// The length of a signature in bytes.
    #[must_use]
    pub fn signature_length(&self) -> usize {
        match &self.material {
            Material::Rsa { modulus, .. } => modulus.len(),
            Material::Ec(point) => point.len().saturating_sub(1),
            Material::Secret(_) => 32,
        }
    }

    /// Whether `signature` is this key's over `base`.
    #[must_use]
    pub fn verify(&self, algorithm: Algorithm, base: &[u8], signature: &[u8]) -> bool {
        if !self.algorithms.contains(&algorithm) {
            return false;
        }
        match (&self.material, algorithm) {
            (Material::Rsa { modulus, exponent }, _) => {
                let parameters = match algorithm {
                    Algorithm::RsaPssSha512 => &signature::RSA_PSS_2048_8192_SHA512,
                    _ => &signature::RSA_PKCS1_2048_8192_SHA256,
                };
                let key = signature::RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(parameters, base, signature).is_ok()
            }
            (Material::Ec(point), Algorithm::EcdsaP384Sha384) => {
                signature::UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, point)
                    .verify(base, signature)
                    .is_ok()
            }
            (Material::Ec(point), _) => {
                signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(base, signature)
                    .is_ok()
            }
            (Material::Secret(secret), _) => {
                hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, secret), base, signature).is_ok()
            }
        }
    }
}

impl fmt::Debug for OtherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherKey")
            .field("algorithms", &self.algorithms)
            .field("thumbprint", &self.thumbprint)
            .finish_non_exhaustive()
    }
}

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const SEQUENCE: u8 = 0x30;
/// id-ecPublicKey (RFC 5480 2.1.1).
const EC_OID: &[u8] = &[0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];

/// Thumbprints of test-key-rsa, test-key-rsa-pss, test-key-ecc-p256 and test-shared-secret (RFC 9421 B.1),
/// and of the key of RFC 7638 3.1.
const PUBLISHED: [&str; 5] = [
    "BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo",
    "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
    "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI",
    "CB3RFzX-1pAtHPl7fOKnQgQV1gnrFFXGXoObwmcm4rY",
    "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
];

/// The content of the DER element at the start of `bytes`, which must have this tag, and what follows.
fn tlv(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(&[tag])?;
    let (&first, rest) = rest.split_first()?;
    if first < 0x80 {
        return rest.split_at_checked(usize::from(first));
    }
    let (length, rest) =
        rest.split_at_checked(usize::from(first & 0x7f)).filter(|(length, _)| length.len() <= 2)?;
    rest.split_at_checked(length.iter().fold(0, |sum, &byte| (sum << 8) | usize::from(byte)))
}

/// The uncompressed point with which an EC private key ends (RFC 5915 3).
fn public_tail(der: &[u8]) -> Option<&[u8]> {
    [65, 97].into_iter().find_map(|length| {
        let at = der.len().checked_sub(length)?;
        let (before, point) = der.split_at_checked(at)?;
        (before.ends_with(&[0x03, u8::try_from(length).ok()?.checked_add(1)?, 0x00])
            && point.first() == Some(&4))
        .then_some(point)
    })
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    bytes.get(zeros..).unwrap_or_default()
}

/// Label and bytes of the first PEM block (RFC 7468).
fn pem(text: &str) -> Option<(&str, Zeroizing<Vec<u8>>)> {
    let (_, rest) = text.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: Zeroizing<String> = Zeroizing::new(body.split_ascii_whitespace().collect());
    Some((label, Zeroizing::new(STANDARD.decode(body.as_bytes()).ok()?)))
}
