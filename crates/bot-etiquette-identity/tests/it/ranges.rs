//! The rules of draft-illyes-webbotauth-jafar-00, one by one.

use std::time::{Duration, SystemTime};

use bot_etiquette_identity::{Prefix, RangeError, RangeFile, RangeWarning};
use serde_json::{Value, json};

const NOW: Duration = Duration::from_secs(1_800_000_000);

fn prefixes(texts: &[&str]) -> Vec<Prefix> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn made(texts: &[&str]) -> RangeFile {
    RangeFile::new(prefixes(texts), SystemTime::UNIX_EPOCH + NOW)
}

#[track_caller]
fn read(value: &Value) -> (RangeFile, Vec<RangeWarning>) {
    RangeFile::read(value.to_string().as_bytes()).unwrap()
}

/// A file with nothing amiss, to change in one place.
fn whole() -> Value {
    json!({"formatVersion": "1.0", "synctoken": "a", "creationTime": "2027-01-15T08:00:00Z", "prefixes": []})
}

fn with(key: &str, value: Value) -> Value {
    let mut file = whole();
    file[key] = value;
    file
}

#[test]
fn what_is_written_has_every_key_that_must_be_there() {
    let file: Value = serde_json::from_str(&made(&["8.8.8.0/24", "2606:4700::/32"]).to_json()).unwrap();
    assert_eq!(file["formatVersion"], "1.0");
    assert_eq!(file["creationTime"], "2027-01-15T08:00:00Z");
    assert_eq!(file["synctoken"].as_str().unwrap().len(), 16);
    assert_eq!(file["prefixes"], json!([{"ipv4Prefix": "8.8.8.0/24"}, {"ipv6Prefix": "2606:4700::/32"}]));
    let empty: Value = serde_json::from_str(&made(&[]).to_json()).unwrap();
    assert_eq!(empty["prefixes"], json!([]));
}

#[test]
fn the_token_changes_with_the_blocks_and_not_with_the_time() {
    let one = made(&["8.8.8.0/24"]);
    let later = RangeFile::new(prefixes(&["8.8.8.0/24"]), SystemTime::UNIX_EPOCH + NOW * 2);
    assert_eq!(one.sync_token(), later.sync_token());
    assert_ne!(one.sync_token(), made(&["8.8.8.0/25"]).sync_token());
    assert_ne!(one.to_json(), later.to_json());
}

#[test]
fn what_is_written_is_read_back_without_a_word() {
    for texts in [&[][..], &["8.8.8.0/24", "2606:4700::/32", "1.1.1.1"]] {
        let file = made(texts);
        assert_eq!(RangeFile::read(file.to_json().as_bytes()).unwrap(), (file, Vec::new()));
    }
}

#[test]
fn a_later_major_version_is_refused_and_a_later_minor_one_read() {
    for version in ["2.0", "10.3"] {
        let error =
            RangeFile::read(with("formatVersion", json!(version)).to_string().as_bytes()).unwrap_err();
        assert!(matches!(&error, RangeError::NewerVersion { version: seen } if seen == version), "{error}");
    }
    for version in ["1.1", "1.10", "1.9"] {
        assert_eq!(read(&with("formatVersion", json!(version))).1, []);
    }
    for version in [json!("1"), json!("one"), json!(1), json!("1.0.0")] {
        let warned = read(&with("formatVersion", version)).1;
        assert!(matches!(warned[..], [RangeWarning::Value { key: "formatVersion", .. }]), "{warned:?}");
    }
}

#[test]
fn unknown_keys_are_passed_over() {
    assert_eq!(read(&with("comment", json!([1, 2]))).1, []);
    let entry = json!([{"ipv4Prefix": "8.8.8.0/24", "region": "eu"}]);
    assert_eq!(read(&with("prefixes", entry)).0.ranges().len(), 1);
}

#[test]
fn the_files_in_the_field_are_read_with_a_warning_for_each_thing() {
    let (file, warned) = read(&json!({
        "creationTime": "2027-01-15T08:00:00.000000",
        "prefixes": [{"ipv4Prefix": "8.8.8.0/24"}],
    }));
    assert_eq!(file.created(), Some(SystemTime::UNIX_EPOCH + NOW));
    assert_eq!(file.ranges().len(), 1);
    let codes: Vec<_> = warned.iter().map(ToString::to_string).collect();
    assert_eq!(
        codes,
        [
            "has no formatVersion",
            "has no synctoken",
            "creationTime is not a time such as 2027-11-30T12:00:00Z"
        ]
    );
}

#[test]
fn an_entry_that_is_wrong_costs_only_itself() {
    let (file, warned) = read(&with(
        "prefixes",
        json!([
            {"ipv4Prefix": "8.8.8.0/24", "ipv6Prefix": "2606:4700::/32"},
            {},
            {"ipv4Prefix": "2606:4700::/32"},
            {"ipv4Prefix": 8},
            "8.8.8.0/24",
            {"ipv4Prefix": "8.8.8.9/24"},
            {"ipv6Prefix": "2606:4700::/32", "service": "Search"},
        ]),
    ));
    assert_eq!(
        file.ranges().iter().map(|range| range.prefix.to_string()).collect::<Vec<_>>(),
        ["8.8.8.0/24", "2606:4700::/32"]
    );
    assert_eq!(file.ranges()[1].service.as_deref(), Some("Search"));
    assert_eq!(warned.len(), 6);
    assert!(matches!(warned[5], RangeWarning::Mended { index: 5, .. }), "{warned:?}");
}

#[test]
fn the_longest_prefix_wins() {
    let (file, _) = read(&with(
        "prefixes",
        json!([
            {"ipv4Prefix": "8.8.0.0/16", "service": "wide"},
            {"ipv4Prefix": "8.8.8.0/24", "service": "narrow"},
        ]),
    ));
    let service = |address: &str| file.find(address.parse().unwrap())?.service.clone();
    assert_eq!(service("8.8.8.1").as_deref(), Some("narrow"));
    assert_eq!(service("8.8.9.1").as_deref(), Some("wide"));
    assert_eq!(service("9.8.8.1"), None);
    assert_eq!(service("::8.8.8.1"), None);
}

#[test]
fn nobody_asks_more_than_once_an_hour() {
    let minute = Duration::from_secs(60);
    assert_eq!(RangeFile::next_poll(None), minute * 1440);
    assert_eq!(RangeFile::next_poll(Some(minute * 59)), minute * 60);
    assert_eq!(RangeFile::next_poll(Some(minute * 60)), minute * 60);
    assert_eq!(RangeFile::next_poll(Some(minute * 61)), minute * 61);
}

#[test]
fn what_is_no_file_of_addresses_is_refused() {
    for bytes in [&b""[..], b"[]", b"<html>", b"{\"prefixes\": 1}", b"{}", b"\xff"] {
        assert!(RangeFile::read(bytes).is_err(), "{bytes:?}");
    }
    let mark = [b"\xef\xbb\xbf", whole().to_string().as_bytes()].concat();
    assert!(RangeFile::read(&mark).is_ok());
}

#[test]
fn limits_hold_to_the_entry_and_to_the_byte() {
    let file = |entries: usize| {
        let list = vec!["{\"ipv4Prefix\":\"8.8.8.8/32\"}"; entries].join(",");
        format!(
            "{{\"formatVersion\":\"1.0\",\"synctoken\":\"\",\"creationTime\":\"2027-01-15T08:00:00Z\",\"prefixes\":[{list}]}}"
        )
    };
    for (entries, warned) in [
        (RangeFile::MAX_RANGES - 1, false),
        (RangeFile::MAX_RANGES, false),
        (RangeFile::MAX_RANGES + 1, true),
    ] {
        let (read, warnings) = RangeFile::read(file(entries).as_bytes()).unwrap();
        assert_eq!(read.ranges().len(), entries.min(RangeFile::MAX_RANGES));
        assert_eq!(warnings.contains(&RangeWarning::TooMany), warned, "{entries}");
    }
    for (length, fits) in
        [(RangeFile::MAX_BYTES - 1, true), (RangeFile::MAX_BYTES, true), (RangeFile::MAX_BYTES + 1, false)]
    {
        let mut bytes = whole().to_string().into_bytes();
        bytes.resize(length, b' ');
        assert_eq!(RangeFile::read(&bytes).is_ok(), fits, "{length}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_file_or_an_error(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = RangeFile::read(&bytes);
    }

    #[test]
    fn any_value_of_any_key_is_a_file_or_an_error(key in "formatVersion|synctoken|creationTime|prefixes", text in ".{0,30}") {
        let _ = RangeFile::read(with(&key, json!(text)).to_string().as_bytes());
        let _ = RangeFile::read(with("prefixes", json!([{"ipv4Prefix": text}])).to_string().as_bytes());
    }
}
