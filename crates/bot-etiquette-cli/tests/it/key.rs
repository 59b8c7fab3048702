use bot_etiquette_signing::SigningKey;

use crate::run::Folder;

#[test]
fn a_new_key_lies_in_its_file_alone() {
    let folder = Folder::new("key-new");
    let shown = folder.run(&["key", "new", "--out", "bot.pem", "--json"]);
    let json = shown.exits(0).json();
    let pem = folder.read("bot.pem");
    let key = SigningKey::from_pkcs8_pem(&pem).unwrap();
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI"), "PKCS#8 version 1");
    assert_eq!(json["schema"], 1);
    assert_eq!(json["thumbprint"], key.thumbprint().as_str());
    assert_eq!(
        json["jwk"],
        serde_json::from_str::<serde_json::Value>(&key.verifying_key().to_jwk()).unwrap()
    );
    assert!(json["jwk"].get("d").is_none());
    let body = pem.lines().nth(1).unwrap();
    assert!(!shown.stdout.contains(body) && !shown.stderr.contains(body));
    assert_eq!(folder.run(&["key", "show", "bot.pem", "--json"]).exits(0).json(), json);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_secret() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("key-mode");
    for umask in ["000", "022", "077", "277", "777"] {
        for format in ["pem", "jwk"] {
            let (file, program) = (format!("{umask}.{format}"), env!("CARGO_BIN_EXE_bot-etiquette"));
            let line = format!("umask {umask} && exec '{program}' key new --out {file} --format {format}");
            let made =
                std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).output();
            assert!(made.unwrap().status.success(), "{line}");
            let mode = std::fs::metadata(folder.path(&file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
    }
}

#[test]
fn two_new_keys_differ() {
    let folder = Folder::new("key-two");
    let [first, second] = ["1.pem", "2.pem"].map(|file| {
        folder.run(&["key", "new", "--out", file, "--json"]).exits(0).json()["thumbprint"].clone()
    });
    assert_ne!(first, second);
}

#[test]
fn a_file_is_never_overwritten() {
    let folder = Folder::new("key-again");
    folder.write("bot.pem", "what was here before");
    folder.run(&["key", "new", "--out", "bot.pem"]).refuses("bot.pem: cannot write");
    assert_eq!(folder.read("bot.pem"), "what was here before");
    folder.run(&["key", "new", "--out", "no/such/folder.pem"]).refuses("make the folder first");
    folder.run(&["key", "new", "--out", "-"]).refuses("never written to stdout");
}

#[test]
fn every_form_of_a_key_is_shown_without_its_secret() {
    let folder = Folder::new("key-show");
    let key = SigningKey::from_seed(&[9; 32]);
    folder.write("v1.pem", key.to_pkcs8_pem().as_bytes());
    folder.write("v2.pem", key.to_pkcs8_v2_pem().as_bytes());
    folder.write("secret.jwk", key.to_jwk().as_bytes());
    folder.write("seed", key.seed().as_slice());
    folder.write("public.pem", key.verifying_key().to_spki_pem());
    folder.write("public.jwk", key.verifying_key().to_jwk());
    for file in ["v1.pem", "v2.pem", "secret.jwk", "seed", "public.pem", "public.jwk"] {
        let json = folder.run(&["key", "show", file, "--json"]).exits(0).json();
        assert_eq!(json["thumbprint"], key.thumbprint().as_str(), "{file}");
        assert_eq!(json["jwk"].as_object().unwrap().len(), 3, "{file}");
        let text = folder.run(&["key", "show", file]).stdout;
        assert!(text.contains(key.thumbprint().as_str()), "{file}: {text}");
    }
}

/// The example of RFC 7638 3.1, and test-key-ecc-p256 of RFC 9421 B.1.3.
#[test]
fn a_key_of_another_kind_that_verify_takes_is_named_too() {
    let folder = Folder::new("key-other");
    let rsa = r#"{"kty":"RSA","alg":"RS256","kid":"2011-04-29","e":"AQAB","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}"#;
    let ec = r#"{"kty":"EC","crv":"P-256","x":"qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA","y":"Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0","d":"UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs"}"#;
    for (jwk, thumbprint, members) in [
        (rsa, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", ["e", "kty", "n"].as_slice()),
        (ec, "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI", &["crv", "kty", "x", "y"]),
    ] {
        folder.write("other.jwk", jwk);
        let json = folder.run(&["key", "show", "other.jwk", "--json"]).exits(0).json();
        assert_eq!(json["thumbprint"], thumbprint);
        assert_eq!(json["jwk"].as_object().unwrap().keys().collect::<Vec<_>>(), members);
    }
    folder.write("shared.jwk", r#"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#);
    folder.run(&["key", "show", "shared.jwk"]).refuses("shared.jwk: a shared secret has no public part");
}

#[test]
fn what_is_no_key_is_refused_with_its_file_and_reason() {
    let folder = Folder::new("key-bad");
    folder.write("note.txt", "not a key at all, and longer than a seed");
    folder.write("locked.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n");
    folder.run(&["key", "show", "note.txt"]).refuses("note.txt: not a key");
    folder.run(&["key", "show", "locked.pem"]).refuses("locked.pem: the key is encrypted");
    folder.run(&["key", "show", "absent.pem"]).refuses("absent.pem: cannot read");
}
