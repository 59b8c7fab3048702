//! Evil shapes of signature fields, bases and key directories.

use crate::{check, repeated};

#[test]
fn no_signature_field_is_slow() {
    let shapes = |length| {
        let repeated = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("members", repeated("a=1", ", a=1")),
            ("labels", repeated("sig=()", ", s=()")),
            ("components", repeated("sig1=(\"@method\"", " \"@path\"")),
            ("parameters", repeated("sig1=()", ";a=1")),
            ("one string", repeated("sig1=(\"", "\\\"")),
            ("one byte sequence", repeated("sig1=:", "AAAA")),
            ("open lists", repeated("", "a=(")),
            ("blanks", repeated("a=1,", " ")),
            ("commas", repeated("a=1", ",")),
            ("digits", repeated("a=", "1")),
            ("lines", repeated("sig1=()\nsig1=:AA==:\n", "a=1\n")),
            ("empty lines", repeated("", "\n")),
            ("escapes", repeated("a=%\"", "%c3%bc")),
        ]
    };
    check(shapes, &["signature_input", "sf_dictionary"]);
}

#[test]
fn no_signature_base_is_slow() {
    let shapes = |length| {
        let head = "GET\nhttps://example.com/?a=b\nx-a: b\n\n";
        let url = "GET\nhttps://example.com/";
        let components = "\n\n\"@path\"\n\"@query\"\n\"@target-uri\"\n\"@query-param\";name=\"a\"\n";
        let long = |head: &str, piece: &str, tail: &str| {
            let mut text = repeated(head, piece, length);
            text.extend_from_slice(tail.as_bytes());
            text
        };
        let field = "GET\n/\nhost: a\nx: ";
        vec![
            ("components", long(head, "\"x-a\"\n", "")),
            ("one component", long(head, "\"x-a\";", "")),
            ("query parameters", long(&format!("{url}?"), "a&", components)),
            ("escapes in the query", long(&format!("{url}?a="), "%41", components)),
            ("path segments", long(url, "../", components)),
            ("one field", long(field, "a", "\n\n\"x\"\n\"x\";bs\n")),
            ("one field of members", long(field, "a=1, ", "b\n\n\"x\"\n\"x\";sf\n\"x\";key=\"b\"\n")),
            ("fields", long("GET\n/\nhost: a\n", "x: y\n", "\n\"x\"\n\"x\";bs\n")),
        ]
    };
    check(shapes, &["signature_base"]);
}

#[test]
fn no_key_directory_is_slow() {
    let shapes = |length| {
        let repeated = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("keys without an end", repeated("{\"keys\":[", "{},")),
            ("open lists", repeated("{\"keys\":", "[")),
            ("open objects", repeated("", "{\"keys\":")),
            ("digits", repeated("{\"keys\":[{\"nbf\":", "9")),
            ("one string", repeated("{\"keys\":[{\"x\":\"", "A")),
            ("escapes", repeated("{\"keys\":[{\"x\":\"", "\\u0041")),
            ("blanks", repeated("", " ")),
            ("lines of a key", repeated("-----BEGIN PRIVATE KEY-----\n", "AAAA\n")),
            ("heads of keys", repeated("", "-----BEGIN PRIVATE KEY-----\n")),
            ("one base64url text", repeated("", "A")),
        ]
    };
    check(shapes, &["directory_json"]);
}
