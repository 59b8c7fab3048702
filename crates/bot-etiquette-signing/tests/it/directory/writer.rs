use bot_etiquette_signing::SigningKey;
use bot_etiquette_signing::directory::{
    DirectoryDocument, DirectoryError, KeyDirectory, MAX_DIRECTORY_KEYS, PublishedKey,
};

use super::{at, key, keyid};

#[test]
fn the_document_is_written_to_the_byte() {
    let directory = KeyDirectory::builder()
        .key(PublishedKey::new(key(1)).not_before(at(1_700_000_000)).expires(at(1_800_000_000)))
        .key(PublishedKey::unsigned(key(2).verifying_key().clone()))
        .build()
        .unwrap();
    let x = |byte| {
        let jwk: serde_json::Value = serde_json::from_str(&key(byte).verifying_key().to_jwk()).unwrap();
        jwk["x"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        directory.document(),
        format!(
            r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"{}","x":"{}","use":"sig","alg":"EdDSA","nbf":1700000000,"exp":1800000000}},{{"kty":"OKP","crv":"Ed25519","kid":"{}","x":"{}","use":"sig","alg":"EdDSA"}}]}}"#,
            keyid(1),
            x(1),
            keyid(2),
            x(2)
        )
    );
    let document = DirectoryDocument::parse(directory.document().as_bytes()).unwrap();
    assert!(document.entries().iter().all(|entry| entry.notes().is_empty()));
    assert_eq!(document.entries().len(), 2);
}

#[test]
fn a_key_is_listed_from_its_publication_until_it_expires() {
    let directory = KeyDirectory::builder()
        .key(PublishedKey::new(key(1)).publish_from(at(100)).expires(at(200)))
        .key(PublishedKey::new(key(2)))
        .build()
        .unwrap();
    for (now, listed) in [(99, 1), (100, 2), (199, 2), (200, 1)] {
        let document = DirectoryDocument::parse(directory.document_at(at(now)).as_bytes()).unwrap();
        assert_eq!(document.entries().len(), listed, "{now}");
    }
}

#[test]
fn what_no_verifier_takes_is_not_built() {
    let build = |keys: Vec<PublishedKey>| KeyDirectory::builder().keys(keys).build().unwrap_err();
    assert_eq!(build(vec![]), DirectoryError::NoKeys);
    let twice = vec![PublishedKey::new(key(1)), PublishedKey::new(key(1))];
    assert_eq!(build(twice), DirectoryError::DuplicateKey { thumbprint: keyid(1) });
    let dates = vec![PublishedKey::new(key(1)).not_before(at(5)).expires(at(5))];
    assert!(matches!(build(dates), DirectoryError::DatesOrder { .. }));
    let keys = |count: usize| {
        (0..count).map(|number| {
            let mut seed = [7; 32];
            seed[..8].copy_from_slice(&number.to_le_bytes());
            PublishedKey::new(SigningKey::from_seed(&seed))
        })
    };
    assert!(KeyDirectory::builder().keys(keys(MAX_DIRECTORY_KEYS)).build().is_ok());
    let found = MAX_DIRECTORY_KEYS + 1;
    assert_eq!(
        build(keys(found).collect()),
        DirectoryError::TooManyKeys { limit: MAX_DIRECTORY_KEYS, found }
    );
}

#[test]
fn a_published_test_key_needs_a_word() {
    let seed = b"\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
    let builder = KeyDirectory::builder().key(PublishedKey::new(SigningKey::from_seed(seed)));
    assert!(matches!(builder.clone().build(), Err(DirectoryError::UnfitKey { .. })));
    assert!(builder.allow_test_keys(true).build().is_ok());
}
