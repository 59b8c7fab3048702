//! Keys of the registered algorithms beside Ed25519, verified by `ring`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::{hmac, signature};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::key::der::{BIT_STRING, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, Reader};
use crate::key::{Form, pem};
use crate::{Algorithm, KeyError, Thumbprint};

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
    /// Reads a JWK (RFC 7518 6: `RSA`, `EC` with P-256 or P-384, `oct`), or the public part of a PEM or DER file:
    /// SPKI, PKCS#8, PKCS#1 or SEC1. None when the bytes are no such key.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match Form::of(bytes).ok()? {
            Form::Json => Self::from_members(&serde_json::from_slice(bytes).ok()?),
            Form::Pem(text) => pem::blocks(text).find_map(|block| {
                let shape = SHAPES.iter().find(|(label, _)| *label == block.label)?.1;
                shape(Reader::new(&block.decode().ok()?)).ok()?
            }),
            Form::Der => SHAPES.iter().find_map(|(_, shape)| shape(Reader::new(bytes)).ok()?),
            Form::Seed(_) => None,
        }
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

    /// Modulus and exponent, as both the public and the private form of PKCS#1 list them.
    fn from_pkcs1(key: &mut Reader<'_>) -> Result<Option<Self>, KeyError> {
        let modulus = key.value(INTEGER, "the modulus")?;
        let exponent = key.value(INTEGER, "the exponent")?;
        Ok(Self::rsa(modulus.bytes, exponent.bytes))
    }

    /// The key of one kind, from what stands beside its algorithm.
    fn of_kind(kind: Kind, key: Reader<'_>) -> Result<Option<Self>, KeyError> {
        match kind {
            Kind::Rsa(algorithms) => {
                let found = Self::from_pkcs1(&mut { key }.sequence("the RSA key")?)?;
                Ok(found.map(|key| Self { algorithms: algorithms.to_vec(), ..key }))
            }
            Kind::Ec(point_length) => {
                Ok(Some(key.bytes).filter(|point| point.len() == point_length).and_then(Self::from_point))
            }
        }
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
        let material = Material::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() };
        Some(Self::new(material, RSA_ALGORITHMS.to_vec(), &rsa_jwk(modulus, exponent)))
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
        let point = [&[4], x, y].concat();
        let jwk = ec_jwk(&point);
        Some(Self::new(Material::Ec(point), vec![algorithm], &jwk))
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

    /// A public JWK with the members that its thumbprint is made of (RFC 7638 3.2); none of a shared secret, which has
    /// no public part.
    #[must_use]
    pub fn to_jwk(&self) -> Option<String> {
        match &self.material {
            Material::Rsa { modulus, exponent } => Some(rsa_jwk(modulus, exponent)),
            Material::Ec(point) => Some(ec_jwk(point)),
            Material::Secret(_) => None,
        }
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

fn rsa_jwk(modulus: &[u8], exponent: &[u8]) -> String {
    let (n, e) = (URL_SAFE_NO_PAD.encode(modulus), URL_SAFE_NO_PAD.encode(exponent));
    format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#)
}

/// The JWK of an uncompressed point.
fn ec_jwk(point: &[u8]) -> String {
    let numbers = point.get(1..).unwrap_or_default();
    let (x, y) = numbers.split_at(numbers.len() / 2);
    let crv = if x.len() == 32 { "P-256" } else { "P-384" };
    let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
    format!(r#"{{"crv":"{crv}","kty":"EC","x":"{x}","y":"{y}"}}"#)
}

/// Thumbprints of test-key-rsa, test-key-rsa-pss, test-key-ecc-p256 and test-shared-secret (RFC 9421 B.1),
/// and of the key of RFC 7638 3.1.
const PUBLISHED: [&str; 5] = [
    "BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo",
    "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
    "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI",
    "CB3RFzX-1pAtHPl7fOKnQgQV1gnrFFXGXoObwmcm4rY",
    "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
];

/// A reader of one DER shape. None when it holds a key of another algorithm.
type Shape = fn(Reader<'_>) -> Result<Option<OtherKey>, KeyError>;

/// The shapes by the labels of their PEM blocks. No file has two of them.
const SHAPES: [(&str, Shape); 5] = [
    ("PUBLIC KEY", spki),
    ("PRIVATE KEY", pkcs8),
    ("RSA PUBLIC KEY", rsa_public),
    ("RSA PRIVATE KEY", rsa_private),
    ("EC PRIVATE KEY", ec_private),
];

/// RFC 5280 4.1.2.7
fn spki(mut outer: Reader<'_>) -> Result<Option<OtherKey>, KeyError> {
    let mut key = outer.sequence("the public key info")?;
    let Some(kind) = Kind::read(&mut key)? else { return Ok(None) };
    OtherKey::of_kind(kind, key.value(BIT_STRING, "the public key")?.whole_bytes()?)
}

/// RFC 5958 2
fn pkcs8(mut outer: Reader<'_>) -> Result<Option<OtherKey>, KeyError> {
    let mut key = outer.sequence("the private key info")?;
    key.value(INTEGER, "the version")?;
    let Some(kind) = Kind::read(&mut key)? else { return Ok(None) };
    let secret = key.value(OCTET_STRING, "the private key")?;
    match kind {
        Kind::Rsa(algorithms) => {
            Ok(rsa_private(secret)?.map(|key| OtherKey { algorithms: algorithms.to_vec(), ..key }))
        }
        Kind::Ec(_) => OtherKey::of_kind(kind, ec_point(secret)?),
    }
}

/// RFC 8017 A.1.1
fn rsa_public(mut outer: Reader<'_>) -> Result<Option<OtherKey>, KeyError> {
    OtherKey::from_pkcs1(&mut outer.sequence("the RSA key")?)
}

/// RFC 8017 A.1.2
fn rsa_private(mut outer: Reader<'_>) -> Result<Option<OtherKey>, KeyError> {
    let mut key = outer.sequence("the RSA key")?;
    key.value(INTEGER, "the version")?;
    OtherKey::from_pkcs1(&mut key)
}

fn ec_private(outer: Reader<'_>) -> Result<Option<OtherKey>, KeyError> {
    ec_point(outer).map(|point| OtherKey::from_point(point.bytes))
}

/// The public point in an EC private key (RFC 5915 3).
fn ec_point(mut outer: Reader<'_>) -> Result<Reader<'_>, KeyError> {
    let mut key = outer.sequence("the EC key")?;
    key.value(INTEGER, "the version")?;
    key.value(OCTET_STRING, "the private key")?;
    if let Some(mut curve) = key.optional(CURVE)?
        && !matches!(curve.value(OBJECT_IDENTIFIER, "the curve")?.bytes, P256 | P384)
    {
        return Err(curve.expected("P-256 or P-384"));
    }
    key.value(POINT, "the public key")?.value(BIT_STRING, "the public key")?.whole_bytes()
}

/// `parameters [0]` and `publicKey [1]` of an EC private key.
const CURVE: u8 = 0xa0;
const POINT: u8 = 0xa1;

/// What an AlgorithmIdentifier says a key is for.
#[derive(Clone, Copy)]
enum Kind {
    Rsa(&'static [Algorithm]),
    /// With the length of an uncompressed point.
    Ec(usize),
}

impl Kind {
    /// None for an algorithm or a curve that no signature here uses.
    fn read(key: &mut Reader<'_>) -> Result<Option<Self>, KeyError> {
        let mut algorithm = key.sequence("the algorithm")?;
        Ok(match algorithm.value(OBJECT_IDENTIFIER, "the algorithm's identifier")?.bytes {
            RSA => Some(Self::Rsa(RSA_ALGORITHMS)),
            RSA_PSS => Some(Self::Rsa(&[Algorithm::RsaPssSha512])),
            EC => match algorithm.value(OBJECT_IDENTIFIER, "the curve")?.bytes {
                P256 => Some(Self::Ec(65)),
                P384 => Some(Self::Ec(97)),
                _ => None,
            },
            _ => None,
        })
    }
}

/// rsaEncryption and id-RSASSA-PSS (RFC 4055 1.2, 3.1).
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const RSA_PSS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a];
/// id-ecPublicKey, secp256r1 and secp384r1 (RFC 5480 2.1.1).
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];

/// The algorithms of an RSA key that does not name one, the preferred one first.
const RSA_ALGORITHMS: &[Algorithm] = &[Algorithm::RsaPssSha512, Algorithm::RsaV15Sha256];

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    bytes.get(zeros..).unwrap_or_default()
}
