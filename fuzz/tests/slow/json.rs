//! Evil shapes of JSON, broken and not.

use crate::{Shape, repeated};

/// Shapes of JSON, broken and not; the tail closes what the head opens.
pub(crate) fn json_shapes(length: usize) -> Vec<Shape> {
    let long = |head: &str, piece: &str, tail: &str| {
        let mut text = repeated(head, piece, length);
        text.extend_from_slice(tail.as_bytes());
        text
    };
    vec![
        ("no numbers", long("[", "NaN,", "1]")),
        ("commas", long("[", ",", "]")),
        ("controls", long("[\"", "\t", "\"]")),
        ("short strings with controls", long("[", "\"\t\",", "1]")),
        ("bad escapes", long("[\"", "\\P", "\"]")),
        ("good escapes", long("[\"", "\\u00fc", "\"]")),
        ("lone surrogates", long("[\"", "\\ud800", "\"]")),
        ("backslashes", long("[\"", "\\", "\"]")),
        ("no quote at the end", long("[\"", "a", "")),
        ("digits", long("[", "9", "]")),
        ("signs", long("[", "-", "]")),
        ("open lists", long("", "[", "")),
        ("open objects", long("", "{\"a\":", "")),
        ("closed lists", long("", "[]", "")),
        ("equal keys", long("{", "\"a\":1,", "\"a\":1}")),
        ("layers", long("{\"layers\":[", "{\"id\":1},", "{\"id\":2}]}")),
        ("broken layers", long("{\"layers\":[", "{\"id\":\"x\"},", "7]}")),
        ("layers of equal keys", long("{\"layers\":[", "{\"id\":1,\"id\":2},", "7]}")),
        ("equal lists", long("{", "\"layers\":[1],", "\"layers\":[]}")),
        ("features", long("{\"features\":[", "{\"geometry\":{\"x\":1,\"y\":NaN}},", "{}]}")),
        ("features cut off", long("{\"features\":[", "{\"attributes\":{\"a\":1}},", "")),
        ("fields", long("{\"id\":1,\"fields\":[", "{\"name\":\"a\"},", "{}]}")),
        ("an error", long("{\"error\":{\"code\":499,\"details\":[", "\"a\",", "\"\"]}}")),
        ("blanks", long("", " ", "")),
        ("names of a call", long("", "a", "({})")),
        ("calls", long("", "a(", "")),
        ("comments", long("{}", "<!-- -->", "")),
        ("an open comment", long("{}<!--", "-", "")),
        ("HTML", long("", "<html>sign i", "")),
        ("byte order marks", long("", "\u{feff}", "")),
        ("no UTF-8", [&b"[\""[..], &vec![0xfc; length], b"\"]"].concat()),
    ]
}
