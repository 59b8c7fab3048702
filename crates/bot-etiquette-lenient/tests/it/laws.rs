use bot_etiquette_lenient::json::{JsonError, Limits, Repairs, Step, Stream, Token, Tokens, repair};
use proptest::prelude::*;

/// A token with its text decoded, to compare readers.
fn owned(token: Token<'_>, repairs: &mut Repairs) -> String {
    match token {
        Token::Key(text) => format!("key {}@{}", text.decode(repairs), text.offset()),
        Token::String(text) => format!("string {}@{}", text.decode(repairs), text.offset()),
        other => format!("{other:?}"),
    }
}

fn from_slice(input: &[u8]) -> (Vec<String>, Option<JsonError>) {
    let (mut seen, mut repairs) = (Vec::new(), Repairs::default());
    for token in Tokens::new(input, Limits::default()) {
        match token {
            Ok(token) => seen.push(owned(token, &mut repairs)),
            Err(error) => return (seen, Some(error)),
        }
    }
    (seen, None)
}

fn from_chunks(input: &[u8], size: usize) -> (Vec<String>, Option<JsonError>) {
    chunked(input, size, true)
}

fn chunked(input: &[u8], size: usize, strings: bool) -> (Vec<String>, Option<JsonError>) {
    let (mut seen, mut repairs) = (Vec::new(), Repairs::default());
    let mut stream = Stream::new(Limits::default());
    stream.want_strings(strings);
    let mut chunks = input.chunks(size);
    loop {
        match stream.next_token() {
            Ok(Step::Token(token)) => seen.push(owned(token, &mut repairs)),
            Ok(Step::End) => return (seen, None),
            Ok(Step::NeedMore) => match chunks.next() {
                Some(chunk) => stream.feed(chunk),
                None => stream.finish(),
            },
            Err(error) => return (seen, Some(error)),
        }
    }
}

/// Bytes that look like JSON more often than chance has it.
fn jsonish() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\""),
        Just("\\"),
        Just("\\u00e9"),
        Just("\\ud83d"),
        Just("12"),
        Just("-"),
        Just("."),
        Just("e5"),
        Just("NaN"),
        Just("null"),
        Just("tru"),
        Just("cb("),
        Just(")"),
        Just(";"),
        Just("<!--"),
        Just("-->"),
        Just(" "),
        Just("\n"),
        Just("\u{feff}"),
        Just("\u{f1}"),
    ];
    prop_oneof![
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..64),
    ]
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(".{0,6}", inner, 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_stream_reads_what_a_slice_reads_however_it_is_cut(input in jsonish(), size in 1_usize..9) {
        prop_assert_eq!(from_chunks(&input, size), from_slice(&input));
    }

    #[test]
    fn strings_that_nobody_wants_are_empty_and_change_nothing_else(input in jsonish(), size in 1_usize..9) {
        let plain = |(tokens, error): (Vec<String>, Option<JsonError>)| {
            let name = |token: String| if token.starts_with("string ") { "string".to_owned() } else { token };
            (tokens.into_iter().map(name).collect::<Vec<_>>(), error)
        };
        let skipped = chunked(&input, size, false);
        let empty = |token: &String| !token.starts_with("string ") || token.starts_with("string @");
        prop_assert!(skipped.0.iter().all(empty));
        prop_assert_eq!(plain(skipped), plain(from_slice(&input)));
    }

    #[test]
    fn what_is_repaired_is_strict_and_stays_as_it_is(input in jsonish()) {
        if let Ok(mended) = repair(&input, Limits::default()) {
            let strict: Result<serde_json::Value, _> = serde_json::from_slice(mended.json());
            prop_assert!(strict.is_ok() || strict.is_err_and(|error| error.to_string().contains("out of range")));
            let again = repair(mended.json(), Limits::default()).map_err(|error| error.to_string());
            let again = again.map(|again| (again.json().to_vec(), again.repairs().is_empty()));
            prop_assert_eq!(again, Ok((mended.json().to_vec(), true)));
        }
    }

    #[test]
    fn strict_documents_keep_their_meaning(value in value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        let mended = repair(&text, Limits::default()).unwrap();
        prop_assert!(mended.repairs().is_empty());
        prop_assert_eq!(serde_json::from_slice::<serde_json::Value>(mended.json()).unwrap(), value);
    }

    #[test]
    fn a_document_cut_anywhere_is_told_to_be_cut(value in value(), share in 0.0_f64..1.0) {
        let text = serde_json::to_vec(&serde_json::json!([value])).unwrap();
        let cut = (text.len() as f64 * share) as usize;
        let kept = text.get(..cut).unwrap();
        match repair(kept, Limits::default()) {
            Ok(mended) => prop_assert!(mended.repairs().contains(bot_etiquette_lenient::json::RepairKind::CutEnd)),
            Err(error) => prop_assert!(cut == 0, "{error}"),
        }
    }
}
