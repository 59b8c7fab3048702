//! Keys of the other registered algorithms, in the forms they are kept in.

use bot_etiquette_signing::{Algorithm, KeyMaterial};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

fn pem(label: &str, bytes: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64_STANDARD.encode(bytes))
}

#[test]
fn a_p384_signature_verifies() {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &random).unwrap();
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, document.as_ref(), &random).unwrap();
    let signature = pair.sign(&random, b"base").unwrap();

    let point = pair.public_key().as_ref();
    let encode = |half: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(half);
    let jwk = format!(
        r#"{{"kty":"EC","crv":"P-384","x":"{}","y":"{}"}}"#,
        encode(&point[1..49]),
        encode(&point[49..])
    );
    let public = KeyMaterial::parse(jwk.as_bytes()).unwrap();
    let secret = KeyMaterial::parse(pem("PRIVATE KEY", document.as_ref()).as_bytes()).unwrap();
    assert_eq!(public, secret, "of a secret key the public part alone is kept");
    assert_eq!(public.algorithms(), [Algorithm::EcdsaP384Sha384]);
    assert_eq!(public.signature_length(), 96);
    assert!(public.verify(Algorithm::EcdsaP384Sha384, b"base", signature.as_ref()));
    assert!(!public.verify(Algorithm::EcdsaP384Sha384, b"bass", signature.as_ref()));
    assert!(!public.verify(Algorithm::Ed25519, b"base", signature.as_ref()));
}

/// One DER value; the length has the shortest form up to 65535.
fn der(tag: u8, content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
    let head = match content.len() {
        0..=0x7f => vec![tag, low],
        0x80..=0xff => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [head, content].concat()
}

const EC: &[u8] = &[0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const SECP256K1: &[u8] = &[0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a];
const ED25519: &[u8] = &[0x06, 0x03, 0x2b, 0x65, 0x70];
const RSA: &[u8] = &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const RSA_PSS: &[u8] = &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a];

fn spki(algorithm: &[&[u8]], key: &[u8]) -> Vec<u8> {
    der(0x30, &[&der(0x30, algorithm), &der(0x03, &[&[0], key])])
}

fn pkcs8(algorithm: &[&[u8]], key: &[u8]) -> Vec<u8> {
    der(0x30, &[&[0x02, 0x01, 0x00], &der(0x30, algorithm), &der(0x04, &[key])])
}

/// All of them must hold the same key, bare and wrapped in PEM, after a block that is passed over.
#[track_caller]
fn same(files: &[(&str, Vec<u8>)], algorithms: &[Algorithm]) {
    let first = KeyMaterial::parse(&files[0].1).unwrap();
    assert_eq!(first.algorithms(), algorithms);
    for (label, bytes) in files {
        assert_eq!(KeyMaterial::parse(bytes).as_ref(), Ok(&first), "{label}, DER");
        let text = pem("EC PARAMETERS", P256) + &pem(label, bytes);
        assert_eq!(KeyMaterial::parse(text.as_bytes()).as_ref(), Ok(&first), "{label}, PEM");
    }
}

#[test]
fn an_ec_key_is_read_from_every_file_it_is_kept_in() {
    let point = [[4].as_slice(), &[7; 64]].concat();
    let sec1 = |curve: &[u8]| {
        let public = der(0xa1, &[&der(0x03, &[&[0], &point])]);
        der(0x30, &[&[0x02, 0x01, 0x01], &der(0x04, &[&[5; 32]]), &der(0xa0, &[curve]), &public])
    };
    same(
        &[
            ("PUBLIC KEY", spki(&[EC, P256], &point)),
            ("PRIVATE KEY", pkcs8(&[EC, P256], &sec1(P256))),
            ("EC PRIVATE KEY", sec1(P256)),
        ],
        &[Algorithm::EcdsaP256Sha256],
    );
    for other in [spki(&[EC, SECP256K1], &point), pkcs8(&[EC, SECP256K1], &sec1(SECP256K1)), sec1(SECP256K1)]
    {
        assert!(KeyMaterial::parse(&other).is_err(), "the points of another curve are as long");
    }
}

#[test]
fn an_rsa_key_is_read_from_every_file_it_is_kept_in() {
    let [modulus, exponent] = [der(0x02, &[&[0], &[0xff; 256]]), der(0x02, &[&[1, 0, 1]])];
    let public = der(0x30, &[&modulus, &exponent]);
    let private = der(0x30, &[&[0x02, 0x01, 0x00], &modulus, &exponent, &der(0x02, &[&[9; 256]])]);
    let null: &[u8] = &[0x05, 0x00];
    same(
        &[
            ("RSA PUBLIC KEY", public.clone()),
            ("RSA PRIVATE KEY", private.clone()),
            ("PUBLIC KEY", spki(&[RSA, null], &public)),
            ("PRIVATE KEY", pkcs8(&[RSA, null], &private)),
        ],
        &[Algorithm::RsaPssSha512, Algorithm::RsaV15Sha256],
    );
    same(
        &[("PUBLIC KEY", spki(&[RSA_PSS], &public)), ("PRIVATE KEY", pkcs8(&[RSA_PSS], &private))],
        &[Algorithm::RsaPssSha512],
    );
}

#[test]
fn a_file_that_is_cut_short_or_of_another_algorithm_is_no_key() {
    let point = [[4].as_slice(), &[7; 64]].concat();
    let whole = spki(&[EC, P256], &point);
    // Any 32 bytes are a seed.
    for length in (0..whole.len()).filter(|length| *length != 32) {
        assert!(KeyMaterial::parse(&whole[..length]).is_err(), "{length} bytes");
    }
    assert!(KeyMaterial::parse(&spki(&[ED25519], &point)).is_err());
    assert!(KeyMaterial::parse(&spki(&[EC, P256], &point[..64])).is_err());
}

#[test]
fn an_rsa_key_names_its_algorithm_or_serves_for_both() {
    let modulus = BASE64_URL_SAFE_NO_PAD.encode([0xff; 256]);
    let read = |more: &str| {
        let jwk = format!(r#"{{"kty":"RSA","e":"AQAB","n":"{modulus}"{more}}}"#);
        KeyMaterial::parse(jwk.as_bytes()).unwrap().algorithms().to_vec()
    };
    assert_eq!(read(""), [Algorithm::RsaPssSha512, Algorithm::RsaV15Sha256]);
    assert_eq!(read(r#","alg":"PS512""#), [Algorithm::RsaPssSha512]);
    assert_eq!(read(r#","alg":"RS256""#), [Algorithm::RsaV15Sha256]);
}

#[test]
fn short_keys_are_weak() {
    let rsa = |bytes: &[u8]| {
        let jwk = format!(r#"{{"kty":"RSA","e":"AQAB","n":"{}"}}"#, BASE64_URL_SAFE_NO_PAD.encode(bytes));
        KeyMaterial::parse(jwk.as_bytes()).unwrap().is_weak()
    };
    let mut modulus = [0xff; 256];
    assert!(!rsa(&modulus));
    modulus[0] = 0x7f;
    assert!(rsa(&modulus), "2047 bits");
    assert!(!rsa(&[&[0xff], &modulus[..]].concat()), "2056 bits");
    let secret = |bytes: &[u8]| {
        let jwk = format!(r#"{{"kty":"oct","k":"{}"}}"#, BASE64_URL_SAFE_NO_PAD.encode(bytes));
        KeyMaterial::parse(jwk.as_bytes()).unwrap().is_weak()
    };
    assert_eq!((secret(&[1; 15]), secret(&[1; 16]), secret(&[1; 17])), (true, false, false));
}

#[test]
fn what_is_no_key_is_refused_and_secrets_stay_unseen() {
    for bad in [
        "{}",
        r#"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#,
        r#"{"kty":"RSA","n":"","e":"AQAB"}"#,
        "-----BEGIN RSA PUBLIC KEY-----\nMAA=\n-----END RSA PUBLIC KEY-----",
    ] {
        assert!(KeyMaterial::parse(bad.as_bytes()).is_err(), "{bad}");
    }
    let secret = KeyMaterial::parse(br#"{"kty":"oct","k":"c2VjcmV0c2VjcmV0c2VjcmV0"}"#).unwrap();
    let shown = format!("{secret:?}");
    assert!(!shown.contains("c2Vj") && !shown.contains("115"), "{shown}");
}
