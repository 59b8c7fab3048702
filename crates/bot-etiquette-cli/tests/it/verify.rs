use bot_etiquette_signing::{InvalidReason, SigningKey, UnverifiedReason};

use crate::run::{Ended, Folder};
use crate::sign::{covered, folder, raw};

const HEAD: &str = "GET /a HTTP/1.1\nHost: example.com\n";
const KEYS: [&str; 2] = ["--directory", "keys.json"];

fn verify(folder: &Folder, options: &[&str], message: &str) -> Ended {
    folder.write("message", message);
    folder.run(&[&["verify", "--json", "--now", "1800000030"], options, &["message"]].concat())
}

#[track_caller]
fn judged(ended: &Ended, outcome: &str, reason: &str) {
    let json = ended.exits(i32::from(outcome != "verified")).json();
    assert_eq!(json["outcome"], outcome, "{json}");
    assert_eq!(json["reason"].as_str().unwrap_or("none"), reason, "{json}");
}

#[test]
fn a_signed_request_verifies_with_every_form_of_key_and_profile() {
    let folder = folder("verify-good");
    for profile in ["cloudflare", "dictionary", "jwks-url"] {
        let message = raw(&folder, &["--profile", profile], HEAD);
        for keys in [KEYS, ["--key", "public.pem"], ["--key", "bot.pem"]] {
            let ended = verify(&folder, &keys, &message);
            judged(&ended, "verified", "none");
            let json = ended.exits(0).json();
            assert_eq!(json["schema"], 1);
            assert_eq!(json["label"], "sig1");
            assert_eq!(json["keyid"], SigningKey::from_seed(&[9; 32]).thumbprint().as_str());
            assert!(json["agent"].as_str().unwrap().starts_with("https://bot.example"));
            assert_eq!(covered(&json)[0], ("@authority", "example.com"));
            assert!(json["base"].as_str().unwrap().starts_with("\"@authority\": example.com\n"));
            assert_eq!(json.as_object().unwrap().len(), 8);
        }
    }
}

#[test]
fn line_ends_absolute_targets_and_stdin_are_taken() {
    let folder = folder("verify-forms");
    let message = raw(&folder, &[], HEAD);
    judged(&verify(&folder, &KEYS, &message.replace('\n', "\r\n")), "verified", "none");
    let absolute = raw(&folder, &[], "GET https://example.com/a HTTP/1.1\n");
    judged(&verify(&folder, &KEYS, &absolute), "verified", "none");
    let http = raw(&folder, &[], "GET /a HTTP/1.1\nHost: example.com:80\n");
    judged(&verify(&folder, &[&KEYS[..], &["--scheme", "http"]].concat(), &http), "verified", "none");
    judged(&verify(&folder, &KEYS, &http), "invalid", "signature-mismatch");
}

#[test]
fn reasons_come_with_exit_1() {
    let folder = folder("verify-reasons");
    let good = raw(&folder, &[], HEAD);
    judged(&verify(&folder, &KEYS, HEAD), "unverified", "no-signature");
    judged(
        &verify(&folder, &KEYS, &good.replace("Host: example", "Host: evil")),
        "invalid",
        "signature-mismatch",
    );
    judged(&verify(&folder, &KEYS, &good.replace("web-bot-auth", "other")), "invalid", "wrong-tag");
    judged(
        &verify(&folder, &KEYS, &good.replace("expires=1800000060", "expires=1900000000")),
        "invalid",
        "window-too-long",
    );
    judged(&verify(&folder, &KEYS, "GET /a HTTP/1.1\nbad field: x\n\n"), "invalid", "malformed");
    let agentless =
        good.replace("Signature-Agent: \"https://bot.example\"\n", "").replace(" \"signature-agent\"", "");
    judged(&verify(&folder, &KEYS, &agentless), "unverified", "no-agent");
    folder.write(
        "other.json",
        format!("{{\"keys\":[{}]}}", SigningKey::from_seed(&[1; 32]).verifying_key().to_jwk()),
    );
    judged(&verify(&folder, &["--directory", "other.json"], &good), "unverified", "key-unknown");
    judged(&verify(&folder, &[&KEYS[..], &["--label", "x"]].concat(), &good), "unverified", "no-signature");
    for now in ["1800000060", "2027-01-15T08:01:00Z"] {
        folder.write("message", &good);
        let late = folder.run(&["verify", "--json", "--now", now, KEYS[0], KEYS[1], "message"]);
        judged(&late, "invalid", "expired");
    }
}

#[test]
fn of_a_directory_the_keys_that_count_are_taken() {
    let folder = folder("verify-directory");
    let message = raw(&folder, &[], HEAD);
    let jwk = SigningKey::from_seed(&[9; 32]).verifying_key().to_jwk();
    let [open, close] = [jwk.trim_end_matches('}'), "}"];
    let ec = r#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#;
    for (document, counts) in [
        (jwk.clone(), true),
        (format!("\u{feff}{{\"keys\":[5,{ec},{jwk},{jwk}]}}"), true),
        (format!("{{\"keys\":[{open},\"use\":\"sig\",\"nbf\":1800000030,\"exp\":1800000031{close}]}}"), true),
        (format!("{{\"keys\":[{open},\"nbf\":1800000031{close}]}}"), false),
        (format!("{{\"keys\":[{open},\"exp\":1800000030{close}]}}"), false),
        (format!("{{\"keys\":[{open},\"exp\":\"never\"{close}]}}"), false),
        (format!("{{\"keys\":[{open},\"use\":\"enc\"{close}]}}"), false),
        (r#"{"keys":[]}"#.to_owned(), false),
    ] {
        folder.write("some.json", &document);
        let (outcome, reason) = if counts { ("verified", "none") } else { ("unverified", "key-unknown") };
        judged(&verify(&folder, &["--directory", "some.json"], &message), outcome, reason);
    }
    // The identity point: the verifier says why it will not do.
    let weak =
        r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}"#;
    folder.write("weak.json", weak);
    let keyid = |text: &str| {
        text.split("keyid=\"").nth(1).and_then(|tail| tail.split('"').next()).unwrap().to_owned()
    };
    let thumbprint = thumbprint_of(&folder, weak);
    let message = message.replace(&keyid(&message), &thumbprint);
    judged(&verify(&folder, &["--directory", "weak.json"], &message), "invalid", "weak-key");
}

/// The thumbprint of the one key of a set.
fn thumbprint_of(folder: &Folder, set: &str) -> String {
    folder.write("one.jwk", set.trim_start_matches("{\"keys\":[").trim_end_matches("]}"));
    folder.run(&["key", "show", "--json", "one.jwk"]).json()["thumbprint"].as_str().unwrap().to_owned()
}

#[test]
fn published_test_keys_need_a_word() {
    let folder = folder("verify-test-key");
    let jwk = r#"{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"}"#;
    folder.write("bot.pem", jwk);
    let message = raw(&folder, &[], HEAD);
    judged(&verify(&folder, &["--key", "bot.pem"], &message), "invalid", "test-key");
    judged(&verify(&folder, &["--key", "bot.pem", "--allow-test-keys"], &message), "verified", "none");
}

#[test]
fn a_response_is_judged_with_its_request() {
    // RFC 9421 2.4.
    let folder = folder("verify-response");
    folder.write(
        "key.jwk",
        r#"{"kty":"EC","crv":"P-256","x":"qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA","y":"Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0"}"#,
    );
    folder.write(
        "request",
        "POST /foo?param=Value&Pet=dog HTTP/1.1\nHost: example.com\nDate: Tue, 20 Apr 2021 02:07:55 GMT\n\
         Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:\n\
         Content-Type: application/json\nContent-Length: 18\n\n{\"hello\": \"world\"}",
    );
    let response = "HTTP/1.1 503 Service Unavailable\nDate: Tue, 20 Apr 2021 02:07:56 GMT\nContent-Type: application/json\n\
         Content-Length: 62\n\
         Content-Digest: sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:\n\
         Signature-Input: reqres=(\"@status\" \"content-digest\" \"content-type\" \"@authority\";req \"@method\";req \
         \"@path\";req \"content-digest\";req);created=1618884479;keyid=\"test-key-ecc-p256\"\n\
         Signature: reqres=:dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==:\n\n\
         {\"busy\": true, \"message\": \"Your call is very important to us\"}\n";
    let options = ["--profile", "rfc9421", "--key", "key.jwk", "--allow-test-keys"];
    let with = [&options[..], &["--request", "request"]].concat();
    let ended = verify(&folder, &with, response);
    judged(&ended, "verified", "none");
    assert_eq!(covered(&ended.exits(0).json())[3], ("@authority;req", "example.com"));
    judged(&verify(&folder, &options, response), "invalid", "component-unknown");
    judged(&verify(&folder, &with, &response.replace("busy", "free")), "invalid", "digest-mismatch");
}

#[test]
fn of_several_signatures_one_must_be_named() {
    let folder = folder("verify-several");
    let message =
        raw(&folder, &[], HEAD).replace("Signature: ", "Signature-Input: b=()\nSignature: b=:AAAA:, ");
    let rfc = ["--profile", "rfc9421", "--key", "public.pem"];
    verify(&folder, &rfc, &message).refuses("choose one with --label: sig1, b");
    judged(&verify(&folder, &[&rfc[..], &["--label", "sig1"]].concat(), &message), "verified", "none");
    // Among a bot's signatures the tag chooses.
    judged(&verify(&folder, &KEYS, &message), "verified", "none");
    // A label of one field alone is none.
    let stray = raw(&folder, &[], HEAD).replace("Signature: ", "Signature-Input: b=()\nSignature: ");
    judged(&verify(&folder, &rfc, &stray), "verified", "none");
}

#[test]
fn a_digest_over_content_that_was_taken_away_does_not_fit() {
    let folder = folder("verify-stripped");
    let digest = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:";
    let head = format!("POST /a HTTP/1.1\nHost: example.com\nContent-Digest: {digest}\n");
    let field = format!("Content-Digest: {digest}");
    let signed = raw(&folder, &["--component", "content-digest", "--header", &field], &head);
    let signed = signed.trim_end_matches('\n');
    for (end, outcome, reason) in [
        ("\n\nhello", "verified", "none"),
        ("\nContent-Length: 5\n\nhello", "verified", "none"),
        ("\n\n", "invalid", "digest-mismatch"),
        ("\nContent-Length: 0\n\n", "invalid", "digest-mismatch"),
        // It was left out of the file: there is nothing to compare.
        ("\nContent-Length: 5\n\n", "verified", "none"),
    ] {
        judged(&verify(&folder, &KEYS, &format!("{signed}{end}")), outcome, reason);
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_file() {
    let folder = folder("verify-refused");
    verify(&folder, &KEYS, "hello").refuses("message: line 1");
    verify(&folder, &KEYS, "").refuses("the file is empty");
    verify(&folder, &[], HEAD).refuses("--directory");
    verify(&folder, &["--directory", "keys.json", "--key", "public.pem"], HEAD)
        .refuses("cannot be used with");
    verify(&folder, &["--directory", "bot.pem"], HEAD)
        .refuses("bot.pem: the document is not a JSON object: error at line 1");
    verify(&folder, &["--key", "message"], HEAD).refuses("use --directory");
    folder.write("response", "HTTP/1.1 200 OK\n\n");
    verify(&folder, &[&KEYS[..], &["--request", "response"]].concat(), HEAD).refuses("response: a response");
    folder.write(
        "secret.json",
        format!("{{\"keys\":[{}]}}", SigningKey::from_seed(&[9; 32]).to_jwk().as_str()),
    );
    verify(&folder, &["--directory", "secret.json"], HEAD).refuses("secret.json: ");
}

#[test]
fn the_text_explains_every_step_down_to_the_first_byte() {
    let folder = folder("verify-text");
    let text = |message: &str, more: &[&str]| {
        folder.write("message", message);
        folder
            .run(&[&["verify", "--now", "1800000030", KEYS[0], KEYS[1]], more, &["message"]].concat())
            .stdout
    };
    let good = raw(&folder, &[], HEAD);
    let told = text(&good, &[]);
    for words in [
        "ok   fields",
        "ok   window: 1800000000 <= 1800000030 < 1800000060",
        "ok   signature",
        "verified, label sig1",
        "profile: cloudflare",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // A User-Agent that nothing covers may be anybody's.
    let vouches = "This vouches for the key and what it covers, not for the User-Agent.";
    assert!(!told.contains(vouches), "there is none: {told}");
    let named = HEAD.trim_end().to_owned() + "\nUser-Agent: SomeBot/1.0\n";
    assert!(text(&raw(&folder, &[], &named), &[]).contains(vouches));
    let covers = ["--component", "user-agent", "--header", "User-Agent: SomeBot/1.0"];
    assert!(!text(&raw(&folder, &covers, &named), &[]).contains(vouches));
    // A proxy that changed the port: which difference would explain it.
    let told = text(&good.replace("Host: example.com", "Host: example.com:8443"), &[]);
    assert!(told.contains("FAIL signature-mismatch"), "{told}");
    assert!(told.contains("no port in \"@authority\""), "{told}");
    assert!(told.contains("first difference is at byte 25 (line 1, column 26)"), "{told}");
    // The signer's own base, to compare with.
    folder.write("base", "\"@authority\": example.org\n");
    let told = text(&good, &["--base", "base"]);
    assert!(told.contains("first difference is at byte 22 (line 1, column 23)"), "{told}");
}

#[test]
fn every_reason_of_the_contract_is_a_code_of_the_library() {
    let invalid = "malformed missing-parameter wrong-tag expired not-yet-valid window-too-long bad-window \
        component-missing component-duplicate component-unknown component-not-covered algorithm-not-allowed \
        algorithm-mismatch key-id-mismatch weak-key test-key bad-encoding bad-length signature-mismatch digest-mismatch \
        agent-invalid replayed";
    let unverified = "no-signature no-agent key-unknown directory-unavailable";
    let codes: Vec<_> = InvalidReason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(codes, invalid.split_ascii_whitespace().collect::<Vec<_>>());
    let codes: Vec<_> = UnverifiedReason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(codes, unverified.split_ascii_whitespace().collect::<Vec<_>>());
}
