use bot_etiquette_signing::{KeyError, MAX_KEY_BYTES, SigningKey, VerifyingKey};

/// The example of RFC 8410 10.3, version 1.
const RFC8410_V1: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
/// The example of RFC 8410 10.3, version 2 with attributes and the public key.
const RFC8410_V2: &str = "-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
";
/// The example of RFC 8410 10.1.
const RFC8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
";
/// The secret key of RFC 8037 A.1.
const RFC8037: &str = r#"{"kty":"OKP","crv":"Ed25519",
"d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn the_vectors_of_rfc_8032_are_signed_to_the_byte() {
    for (seed, message, signature) in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ] {
        let key = SigningKey::from_seed(&hex(seed).try_into().unwrap());
        let signed = key.sign(&hex(message));
        assert_eq!(signed.as_slice(), hex(signature));
        assert!(key.verifying_key().verify(&hex(message), &signed));
        assert!(!key.verifying_key().verify(b"another message", &signed));
    }
}

#[test]
fn the_examples_of_rfc_8410_and_rfc_8037_are_read() {
    let v1 = SigningKey::from_pkcs8_pem(RFC8410_V1).unwrap();
    let v2 = SigningKey::from_pkcs8_pem(RFC8410_V2).unwrap();
    assert_eq!(v1.seed(), v2.seed());
    assert_eq!(v1.verifying_key(), &VerifyingKey::from_spki_pem(RFC8410_PUBLIC).unwrap());
    assert_eq!(v1.to_pkcs8_pem().as_str(), RFC8410_V1);
    assert_eq!(v1.verifying_key().to_spki_pem(), RFC8410_PUBLIC);

    let jwk = SigningKey::from_jwk(RFC8037.as_bytes()).unwrap();
    assert_eq!(jwk.thumbprint().to_string(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

#[test]
fn a_key_comes_back_from_every_form_it_is_written_in() {
    let key = SigningKey::from_seed(&[42; 32]);
    let seed = key.seed();
    for written in [
        key.to_pkcs8_pem().as_bytes(),
        key.to_pkcs8_pem().replace('\n', "\r\n").as_bytes(),
        format!("Bag Attributes\n  none\n{}", key.to_pkcs8_pem().as_str()).as_bytes(),
        key.to_pkcs8_v2_pem().as_bytes(),
        key.to_jwk().as_bytes(),
        seed.as_slice(),
    ] {
        assert_eq!(SigningKey::parse(written).unwrap().seed(), seed);
        assert_eq!(&VerifyingKey::parse(written).unwrap(), key.verifying_key());
    }
    let public = key.verifying_key();
    assert_eq!(&VerifyingKey::parse(public.to_jwk().as_bytes()).unwrap(), public);
    assert_eq!(&VerifyingKey::parse(public.to_spki_pem().as_bytes()).unwrap(), public);
}

#[test]
fn both_tags_of_a_version_2_public_part_are_read() {
    let key = SigningKey::from_seed(&[42; 32]);
    let seed = key.seed();
    let start = hex("3053020101300506032b657004220420");
    let explicit = [&start, seed.as_slice(), &hex("a123032100"), key.verifying_key().as_bytes()].concat();
    assert_eq!(SigningKey::from_pkcs8_der(&explicit).unwrap().seed(), seed);
}

#[test]
fn a_public_part_of_another_key_is_refused_in_every_form() {
    let [key, other] = [1, 2].map(|byte| SigningKey::from_seed(&[byte; 32]));
    let mixed =
        key.to_jwk().replace(&key.verifying_key().to_jwk()[..66], &other.verifying_key().to_jwk()[..66]);
    assert_ne!(mixed, *key.to_jwk());
    assert_eq!(SigningKey::from_jwk(mixed.as_bytes()).unwrap_err(), KeyError::PublicMismatch);

    let start = hex("3051020101300506032b657004220420");
    let der = [&start, key.seed().as_slice(), &hex("812100"), other.verifying_key().as_bytes()].concat();
    assert_eq!(SigningKey::parse(&der).unwrap_err(), KeyError::PublicMismatch);
}

#[track_caller]
fn refused(bytes: &[u8], words: &str) {
    let error = SigningKey::parse(bytes).unwrap_err();
    assert_eq!(error.to_string(), words);
}

#[test]
fn what_is_no_key_is_refused_with_the_reason() {
    refused(b"", "not a key: expected PEM, a JWK, DER, or a raw seed of 32 bytes");
    refused(&[7; 31], "not a key: expected PEM, a JWK, DER, or a raw seed of 32 bytes");
    refused(
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIG\n-----END ENCRYPTED PRIVATE KEY-----",
        "the key is encrypted: decrypt it first, for example with `openssl pkey -in FILE -out PLAIN`",
    );
    refused(b"-----BEGIN RSA PRIVATE KEY-----", "expected an Ed25519 key, found an RSA key");
    refused(
        b"-----BEGIN OPENSSH PRIVATE KEY-----",
        "expected a PEM block \"PRIVATE KEY\", found \"OPENSSH PRIVATE KEY\"",
    );
    refused(RFC8410_PUBLIC.as_bytes(), "expected a PEM block \"PRIVATE KEY\", found \"PUBLIC KEY\"");
    refused(b"-----BEGIN PRIVATE KEY-----\nMC4C", "the PEM block has no END line of the same label");
    refused(b"-----BEGIN PRIVATE KEY-----\nMC4*\n-----END PRIVATE KEY-----", "the PEM block is not base64");
    refused(
        b"-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----",
        "bad DER at byte 0: expected as many bytes as the length says",
    );
    refused(
        &hex("3010020100300b06072a8648ce3d02010500"),
        "expected an Ed25519 key, found an elliptic curve (ECDSA) key",
    );
    refused(b"{\"kty\":\"RSA\"}", "expected an Ed25519 key, found \"kty\": \"RSA\"");
    refused(b"{\"kty\":\"OKP\",\"crv\":\"X25519\"}", "expected an Ed25519 key, found \"crv\": \"X25519\"");
    refused(b"{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}", "the JWK has no member \"x\"");
    refused(
        b"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}",
        "member \"x\" holds 3 bytes, expected 32",
    );
    refused(
        b"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAA=\"}",
        "member \"x\" is not base64url without padding",
    );
    let public = SigningKey::from_seed(&[1; 32]).verifying_key().to_jwk();
    refused(public.as_bytes(), "the JWK has no member \"d\"");
    refused(b"{\"d\":\"secret\",\"d\":\"secret\"}", "not a JWK: bad JSON at line 1 column 17");
}

#[test]
fn the_size_of_a_key_file_is_bounded() {
    let mut text = SigningKey::from_seed(&[1; 32]).to_pkcs8_pem().as_bytes().to_vec();
    text.resize(MAX_KEY_BYTES, b' ');
    assert!(SigningKey::parse(&text).is_ok());
    text.push(b' ');
    let found = MAX_KEY_BYTES + 1;
    assert_eq!(SigningKey::parse(&text).unwrap_err(), KeyError::TooLarge { limit: MAX_KEY_BYTES, found });
}

#[test]
fn a_public_form_never_takes_a_secret() {
    let error = VerifyingKey::from_jwk(RFC8037.as_bytes()).unwrap_err();
    assert_eq!(error, KeyError::PrivateMember { member: "d" });
}

#[test]
fn nothing_of_the_secret_reaches_debug_or_an_error() {
    let key = SigningKey::from_seed(&[0xab; 32]);
    assert_eq!(format!("{key:?}"), format!("SigningKey {{ thumbprint: \"{}\", .. }}", key.thumbprint()),);
    let typo = key.to_jwk().replace("\"d\":\"", "\"d\":[\"").replace("\"}", "\"]}");
    let error = SigningKey::from_jwk(typo.as_bytes()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("q6ur"), "{error:?}");
}

#[test]
fn the_keys_printed_in_rfcs_are_known() {
    for seed in [
        "9f8362f87a484a954e6e740c5b4c0e84229139a20aa8ab56ff66586f6a7d29c5",
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
        "ab9c2853ce297ddab85c993b3ae14bcad39b2c682beabc27d6d4eb20711d6560",
        "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842",
    ] {
        let key = SigningKey::from_seed(&hex(seed).try_into().unwrap());
        assert!(key.verifying_key().is_published_test_key(), "{seed}");
    }
    assert!(!SigningKey::from_seed(&[1; 32]).verifying_key().is_published_test_key());
}

#[test]
fn a_weak_key_is_named_and_verifies_nothing() {
    // The neutral element: with R the same and S = 0, the plain equation holds for every message.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut forged = [0; 64];
    forged[0] = 1;
    let key = VerifyingKey::from_bytes(&neutral).unwrap();
    assert!(key.is_weak());
    assert!(!key.verify(b"any message", &forged));
    // y = p + 1 is the neutral element in a second form.
    let mut second = [0xff; 32];
    second[0] = 0xee;
    second[31] = 0x7f;
    assert!(VerifyingKey::from_bytes(&second).unwrap().is_weak());
    assert!(!SigningKey::from_seed(&[1; 32]).verifying_key().is_weak());
}

#[test]
fn no_bytes_make_the_readers_panic() {
    let der = SigningKey::from_seed(&[1; 32]).to_pkcs8_v2_pem();
    let mut random = 1_u64;
    for _ in 0..20_000 {
        let mut bytes = der.as_bytes().to_vec();
        for _ in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = usize::try_from(random >> 33).unwrap() % bytes.len();
            bytes[at] = u8::try_from(random >> 56).unwrap();
        }
        if let Ok(key) = SigningKey::parse(&bytes) {
            assert_eq!(key.verifying_key(), &VerifyingKey::parse(&bytes).unwrap());
        }
    }
}
