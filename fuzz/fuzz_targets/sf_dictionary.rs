//! Any text as a dictionary field: a member's value is what `sfv` reads and writes, and the two signature fields
//! never hold a label twice.
#![no_main]

use std::collections::HashSet;

use bot_etiquette_signing::{Component, FieldType, Message, ReceivedSignature};
use http::{HeaderValue, Request};
use libfuzzer_sys::fuzz_target;
use sfv::{Dictionary, FieldType as _, Parser};

fuzz_target!(|text: &str| {
    let Ok(value) = HeaderValue::from_str(text) else { return };
    let mut request = Request::get("https://example.com/").body(()).unwrap();
    for name in ["x-any", "signature-input", "signature"] {
        request.headers_mut().insert(name, value.clone());
    }
    let types = [("x-any", FieldType::Dictionary)];
    let message = Message::request(&request).field_types(&types);

    let parsed = Parser::new(text.trim_matches([' ', '\t'])).parse::<Dictionary>().ok();
    let whole: Component = "x-any;sf".parse().unwrap();
    match &parsed {
        Some(members) => {
            assert_eq!(message.value(&whole).unwrap(), members.serialize().unwrap_or_default());
            for key in members.keys() {
                let member = Component::member("x-any", key.as_str()).unwrap();
                assert!(message.value(&member).is_ok());
            }
        }
        None => assert!(message.value(&whole).is_err()),
    }
    if let Ok(all) = ReceivedSignature::all(&message) {
        let labels: HashSet<_> = all.iter().map(ReceivedSignature::label).collect();
        assert_eq!(labels.len(), all.len());
        assert_eq!(labels.len(), parsed.map_or(0, |members| members.len()));
    }
});
