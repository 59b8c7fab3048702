//! Any bytes as a key directory: read within its limits or refused, checked without a panic, and what was read
//! can be published and read again.
#![no_main]

use std::time::{Duration, SystemTime};

use bot_etiquette_signing::directory::{
    DirectoryCache, DirectoryCheck, DirectoryDocument, KeyDirectory, MAX_DIRECTORY_KEYS, MEDIA_TYPE, PublishedKey,
    directory_url,
};
use bot_etiquette_signing::{KeyMaterial, SigningKey, VerifyingKey};
use http::{HeaderMap, HeaderValue, StatusCode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static(MEDIA_TYPE));
    let findings = DirectoryCheck::new(data).response(StatusCode::OK, &headers).authority("bot.example").run(now);
    assert_eq!(findings.len(), 5);
    let _ = KeyMaterial::parse(data);
    if let Ok(secret) = SigningKey::parse(data) {
        assert_eq!(&VerifyingKey::parse(data).unwrap(), secret.verifying_key());
    }

    let url = directory_url("https://bot.example").unwrap();
    let mut cache = DirectoryCache::new();
    let taken = cache.fetched(&url, StatusCode::OK, &headers, data, now).cloned();
    let Ok(document) = DirectoryDocument::parse(data) else {
        assert!(taken.is_err());
        return;
    };
    assert_eq!(taken.as_ref(), Ok(&document));
    assert!(document.entries().len() + document.skipped().len() <= MAX_DIRECTORY_KEYS);
    let keys = document.entries().iter().map(|entry| PublishedKey::unsigned(entry.key().clone()));
    if let Ok(directory) = KeyDirectory::builder().keys(keys).allow_test_keys(true).build() {
        let again = DirectoryDocument::parse(directory.document().as_bytes()).unwrap();
        let thumbprints = |document: &DirectoryDocument| {
            document.entries().iter().map(|entry| entry.thumbprint().clone()).collect::<Vec<_>>()
        };
        assert_eq!(thumbprints(&again), thumbprints(&document));
        assert!(again.entries().iter().all(|entry| entry.notes().is_empty()));
    }
});
