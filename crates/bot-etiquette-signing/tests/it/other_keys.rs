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
