//! Evil shapes of answers' heads and snapshots.

use crate::{check, repeated};

#[test]
fn no_answers_head_is_slow() {
    // A time, the line of the date, then lines.
    let shapes = |length| {
        let long = |head: &str, piece: &str| {
            repeated([b"\0\0\0\0\0\0\0\0", head.as_bytes()].concat(), piece, length)
        };
        vec![
            ("lines of dates", long("\n", "Sat, 01 Jan 2028 00:00:00 GMT\n")),
            ("one line of dates", long("\n", "Sat, 01 Jan 2028 00:00:00 GMT, ")),
            ("lines of seconds", long("\n", "1\n")),
            ("one line of seconds", long("\n", "1, ")),
            ("digits", long("\n", "9")),
            ("blanks", long("\n", " ")),
            ("commas", long("\n", ",")),
            ("empty lines", long("", "\n")),
            ("a long date", long("Sat, 01 Jan", " ")),
            ("policies", long("\n\n", "\"a\";r=0;t=9, ")),
            ("parameters", long("\n\n\"a\"", ";r=0")),
        ]
    };
    check(shapes, &["retry_after"]);
}

#[test]
fn no_snapshot_is_slow() {
    // Two times, then a text whose end closes what its head opens.
    let shapes = |length| {
        let long = |head: &str, piece: &dyn Fn(usize) -> String, tail: &str| {
            let mut text = [&[0; 16], head.as_bytes()].concat();
            for at in 0.. {
                if text.len() >= length {
                    break;
                }
                text.extend_from_slice(piece(at).as_bytes());
            }
            text.extend_from_slice(tail.as_bytes());
            text
        };
        let (hosts, host) =
            ("[1,{\"saved_at\":1,\"hosts\":{", "[1,{\"saved_at\":1,\"hosts\":{\"h\":{\"rare\":{");
        vec![
            ("hosts", long(hosts, &|at| format!("\"h{at}\":{{}},"), "\"h\":{}}}]")),
            ("one host again and again", long(hosts, &|_| "\"h\":{},".into(), "\"h\":{}}}]")),
            (
                "resources",
                long(&format!("{host}\"resources\":{{"), &|at| format!("\"r{at}\":{{}},"), "\"r\":{}}}}}}]"),
            ),
            (
                "visits",
                long(
                    &format!("{host}\"visits\":{{\"\":{{"),
                    &|at| format!("\"https://h/{at}\":1,"),
                    "\"https://h/x\":1}}}}}}]",
                ),
            ),
            ("starts", long(&format!("{host}\"quotas\":{{\"q\":["), &|_| "1,".into(), "1]}}}}}]")),
            (
                "groups",
                long(
                    "[1,{\"saved_at\":1,\"groups\":{",
                    &|at| format!("\"g{at}\":{{}},"),
                    "\"g\":{}},\"hosts\":{\"h\":{}}}]",
                ),
            ),
            (
                "kills",
                long(
                    "[1,{\"saved_at\":1,\"killed\":[",
                    &|at| format!("\"k{at}\","),
                    "\"k\"],\"hosts\":{\"h\":{}}}]",
                ),
            ),
            ("open lists", long("[7,", &|_| "[".into(), "")),
        ]
    };
    check(shapes, &["snapshot_import"]);
}
