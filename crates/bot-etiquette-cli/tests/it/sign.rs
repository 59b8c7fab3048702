use bot_etiquette_signing::SigningKey;
use serde_json::{Value, json};

use crate::run::{Ended, Folder};

const AGENT: &str = "https://bot.example";

pub(crate) fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    let key = SigningKey::from_seed(&[9; 32]);
    folder.write("bot.pem", key.to_pkcs8_pem().as_bytes());
    folder.write("public.pem", key.verifying_key().to_spki_pem());
    folder.write("keys.json", format!("{{\"keys\":[{}]}}", key.verifying_key().to_jwk()));
    folder
}

pub(crate) fn sign(folder: &Folder, more: &[&str]) -> Ended {
    let start = ["sign", "--key", "bot.pem", "--agent", AGENT, "--now", "1800000000"];
    folder.run(&[&start[..], more].concat())
}

#[test]
fn a_request_is_signed_with_the_defaults() {
    let folder = folder("sign-default");
    let json = sign(&folder, &["--json", "GET", "https://Example.com:443/a?b"]).exits(0).json();
    let keyid = SigningKey::from_seed(&[9; 32]).thumbprint().to_string();
    let params = format!(
        "(\"@authority\" \"signature-agent\");created=1800000000;expires=1800000060;keyid=\"{keyid}\";tag=\"web-bot-auth\""
    );
    assert_eq!(json["schema"], 1);
    assert_eq!(json["keyid"], keyid);
    assert_eq!(json["headers"][0], json!(["signature-agent", "\"https://bot.example\""]));
    assert_eq!(json["headers"][1], json!(["signature-input", format!("sig1={params}")]));
    assert_eq!(json["headers"][2][0], "signature");
    let base = format!(
        "\"@authority\": example.com\n\"signature-agent\": \"https://bot.example\"\n\"@signature-params\": {params}"
    );
    assert_eq!(json["base"], base);
    assert_eq!(json.as_object().unwrap().len(), 4);
}

#[test]
fn without_json_the_lines_are_ready_for_curl() {
    let folder = folder("sign-lines");
    let lines = sign(&folder, &["GET", "https://example.com/"]).stdout;
    let names: Vec<_> = lines.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    assert_eq!(names, ["Signature-Agent", "Signature-Input", "Signature"]);
}

#[test]
fn options_reach_the_signature() {
    let folder = folder("sign-options");
    let input = |options: &[&str]| {
        let all = [&["--json"], options, &["PUT", "https://example.com/a?b=c"]].concat();
        let json = sign(&folder, &all).exits(0).json();
        (json["headers"][1][1].as_str().unwrap().to_owned(), json)
    };
    let (text, json) = input(&["--profile", "dictionary", "--lifetime", "120", "--nonce", "n1"]);
    assert!(text.starts_with(
        "sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1800000000;expires=1800000120;"
    ));
    assert!(text.contains(";nonce=\"n1\";"));
    assert_eq!(json["headers"][0][1], "sig1=\"https://bot.example\"");
    let (_, json) = input(&["--profile", "jwks-url"]);
    assert!(
        json["headers"][0][1].as_str().unwrap().ends_with("/.well-known/http-message-signatures-directory\"")
    );
    let (first, second) = (input(&["--nonce", "auto"]).0, input(&["--nonce", "auto"]).0);
    assert_ne!(first, second);
    let more =
        ["--component", "@method", "--component", "\"accept\"", "--component", "@query-param;name=\"b\""];
    let (text, json) = input(&[&more[..], &["--header", "Accept: text/html"]].concat());
    assert!(text.starts_with(
        "sig1=(\"@authority\" \"signature-agent\" \"@method\" \"accept\" \"@query-param\";name=\"b\");"
    ));
    assert!(
        json["base"]
            .as_str()
            .unwrap()
            .contains("\"@method\": PUT\n\"accept\": text/html\n\"@query-param\";name=\"b\": c\n")
    );
}

#[test]
fn what_cannot_be_signed_is_refused_with_a_fix() {
    let folder = folder("sign-refused");
    for (options, words) in [
        (&["GET", "/path"][..], "no absolute URL"),
        (&["GET", "mailto:bot@bot.example"], "not http or https but mailto"),
        (&["GET", "data:text/plain,hi"], "not http or https but data"),
        (&["GET", "https://"], "https://"),
        (&["--lifetime", "0", "GET", "https://a.example/"], "lifetime"),
        (&["--lifetime", "86401", "GET", "https://a.example/"], "from 1 to 86400"),
        (&["--component", "@status", "GET", "https://a.example/"], "not a part of a request"),
        (&["--component", "@nonsense", "GET", "https://a.example/"], "no such derived component"),
        (&["--component", "accept", "GET", "https://a.example/"], "not in the message"),
        (&["--header", "nothing", "GET", "https://a.example/"], "expected 'Name: value'"),
        (&["--header", "Host: b.example", "GET", "https://a.example/"], "different authorities"),
        (&["--nonce", "é", "GET", "https://a.example/"], "printable ASCII"),
        (&["--profile", "none", "GET", "https://a.example/"], "jwks-url"),
    ] {
        sign(&folder, options).refuses(words);
    }
    let http = ["sign", "--key", "bot.pem", "--agent", "http://bot.example", "GET", "https://a.example/"];
    folder.run(&http).refuses("no https URL");
    let missing = ["sign", "--key", "no.pem", "--agent", AGENT, "GET", "https://a.example/"];
    folder.run(&missing).refuses("no.pem: cannot read");
}

#[test]
fn a_warning_tells_what_the_profile_will_refuse() {
    let folder = folder("sign-warning");
    let ended = sign(
        &folder,
        &["--component", "priority;sf", "--header", "Priority: u=1", "GET", "https://a.example/"],
    );
    assert_eq!(ended.code, 0);
    assert!(ended.stderr.contains("cloudflare will refuse this: \"priority\";sf"), "{}", ended.stderr);
    assert_eq!(sign(&folder, &["GET", "https://a.example/"]).stderr, "");
}

/// The raw request with the fields that `sign` printed.
pub(crate) fn raw(folder: &Folder, options: &[&str], head: &str) -> String {
    let lines = sign(folder, &[options, &["GET", "https://example.com/a"]].concat());
    assert_eq!(lines.code, 0, "{lines:?}");
    format!("{head}{}\n", lines.stdout)
}

pub(crate) fn covered(json: &Value) -> Vec<(&str, &str)> {
    let list = json["covered"].as_array().unwrap();
    list.iter().map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap())).collect()
}
