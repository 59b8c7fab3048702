use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use bot_etiquette_signing::SigningKey;
use serde_json::{Value, json};

use crate::run::{Ended, Folder};

fn key(byte: u8) -> SigningKey {
    SigningKey::from_seed(&[byte; 32])
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("one.pem", key(1).to_pkcs8_pem().as_bytes());
    folder.write("two.jwk", key(2).to_jwk().as_bytes());
    folder.write("public.pem", key(3).verifying_key().to_spki_pem());
    folder
}

#[track_caller]
fn document(ended: &Ended) -> Value {
    let document = ended.exits(0).json();
    assert_eq!(document.as_object().unwrap().keys().collect::<Vec<_>>(), ["keys"]);
    document
}

#[test]
fn the_document_is_a_bare_key_set_without_secrets() {
    let folder = folder("directory-build");
    let built = folder.run(&[
        "directory",
        "build",
        "--key",
        "one.pem",
        "--key",
        "two.jwk",
        "--key",
        "public.pem",
        "--not-before",
        "2025-01-01T00:00:00Z",
        "--expires",
        "1767225600",
    ]);
    let document = document(&built);
    let keys = document["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 3);
    for (jwk, byte) in keys.iter().zip(1..) {
        let mut expected: Value = serde_json::from_str(&key(byte).verifying_key().to_jwk()).unwrap();
        let more = json!({"kid": key(byte).thumbprint().as_str(), "use": "sig", "alg": "EdDSA", "nbf": 1_735_689_600, "exp": 1_767_225_600});
        expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(jwk, &expected);
    }
    assert!(built.stderr.contains("does not verify at Cloudflare"), "{}", built.stderr);
    assert!(built.stderr.contains("--expires lies in the past"), "{}", built.stderr);
    let together = folder.run(&["directory", "build", "--json", "--key", "one.pem", "two.jwk"]);
    assert_eq!(self::document(&together)["keys"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_published_is_refused() {
    let folder = folder("directory-refused");
    let build = |more: &[&str]| folder.run(&[&["directory", "build"], more].concat());
    build(&[]).refuses("--key");
    build(&["--key", "absent.pem"]).refuses("absent.pem: cannot read");
    build(&["--key", "one.pem", "--key", "one.pem"]).refuses("stands twice");
    build(&["--key", "one.pem", "--expires", "soon"]).refuses("expected Unix seconds");
    build(&["--key", "one.pem", "--not-before", "2", "--expires", "2"]).refuses("no time");
    let signed = ["--key", "one.pem", "--authority", "bot.example", "--headers", "h"];
    build(&[&signed[..], &["--expires", "2025-01-01T00:00:00Z"]].concat())
        .refuses("--expires lies in the past");
    for lifetime in ["0", "5m", "99999999999"] {
        build(&[&signed[..], &["--lifetime", lifetime]].concat())
            .refuses("expected whole seconds from 1 to 31536000, such as 2592000");
    }
    build(&["--key", "public.pem", "--authority", "bot.example", "--headers", "h"]).refuses("public.pem: ");
    build(&["--key", "one.pem", "--authority", "https://bot.example", "--headers", "h"])
        .refuses("no authority");
}

#[track_caller]
fn steps(ended: &Ended, ok: bool, expected: [Option<bool>; 5]) -> Value {
    let json = ended.exits(if ok { 0 } else { 1 }).json();
    assert_eq!((&json["schema"], &json["ok"]), (&json!(1), &json!(ok)), "{json}");
    let names: Vec<_> = json["steps"].as_array().unwrap().iter().map(|step| step["step"].clone()).collect();
    assert_eq!(names, ["media-type", "keys", "kids", "dates", "signatures"]);
    let ends: Vec<_> = json["steps"].as_array().unwrap().iter().map(|step| step["ok"].clone()).collect();
    assert_eq!(ends, expected.map(|end| json!(end)), "{json:#}");
    json
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn a_directory_signed_for_one_host_passes_every_step_for_it() {
    let folder = folder("directory-presigned");
    let now = "1800000000";
    let built = folder.run(&[
        "directory",
        "build",
        "--key",
        "one.pem",
        "--authority",
        "bot.example",
        "--headers",
        "headers.txt",
        "--lifetime",
        "7200",
        "--now",
        now,
    ]);
    folder.write("directory.json", document(&built).to_string());
    let check = |more: &[&str]| {
        folder.run(&[&["directory", "check", "directory.json", "--json", "--now", now], more].concat())
    };
    steps(&check(&["--headers", "headers.txt", "--authority", "bot.example"]), true, [YES; 5]);
    steps(
        &check(&["--headers", "headers.txt", "--authority", "copy.example"]),
        false,
        [YES, YES, YES, YES, NO],
    );
    steps(&check(&["--headers", "headers.txt"]), true, [YES, YES, YES, YES, None]);
    steps(&check(&["--authority", "bot.example"]), true, [None, YES, YES, YES, None]);
    steps(&check(&[]), true, [None, YES, YES, YES, None]);
    let late = folder.run(&[
        "directory",
        "check",
        "directory.json",
        "--headers",
        "headers.txt",
        "--authority",
        "bot.example",
        "--now",
        "1800007200",
        "--json",
    ]);
    let json = steps(&late, false, [YES, YES, YES, YES, NO]);
    assert!(json["steps"][4]["message"].as_str().unwrap().contains("expired"), "{json}");
    let text = check(&["--headers", "headers.txt"]).code;
    assert_eq!(text, 0);
}

#[test]
fn headers_are_read_as_curl_dumps_them() {
    let folder = folder("directory-headers");
    folder.write("directory.json", folder.run(&["directory", "build", "--key", "one.pem"]).stdout);
    let check = |headers: &str| {
        folder.write("headers.txt", headers);
        folder.run(&["directory", "check", "directory.json", "--headers", "headers.txt", "--json"])
    };
    let media_type = "Content-Type: application/http-message-signatures-directory+json\r\n";
    steps(&check(&format!("HTTP/2 200 \r\n{media_type}\r\n")), true, [YES, YES, YES, YES, None]);
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    steps(&check(html), false, [NO, YES, YES, YES, None]);
    steps(&check(&format!("HTTP/1.1 404 Not Found\r\n{media_type}\r\n")), false, [NO, YES, YES, YES, None]);
    let redirected = format!("HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\nHTTP/1.1 200 OK\r\n{media_type}\r\n");
    let json = steps(&check(&redirected), false, [NO, YES, YES, YES, None]);
    assert!(json["steps"][0]["message"].as_str().unwrap().contains("redirect"));
    check("HTTP/1.1 200 OK\nwhat is this\n").refuses("headers.txt: line 2: no field");
    check("HTTP/1.1 abc\n").refuses("line 1: no status");
}

#[test]
fn a_bad_document_is_told_step_by_step() {
    let folder = folder("directory-bad");
    let check = |json: &str| {
        folder.write("bad.json", json);
        folder.run(&["directory", "check", "bad.json", "--json"])
    };
    steps(&check("[]"), false, [None, NO, None, None, None]);
    let secret = format!("{{\"keys\":[{}]}}", &*key(1).to_jwk());
    let ended = check(&secret);
    let json = steps(&ended, false, [None, NO, None, None, None]);
    assert!(json["steps"][1]["message"].as_str().unwrap().contains("private member \"d\""));
    assert!(
        !ended.stdout.contains(key(1).to_jwk().split("\"d\":\"").nth(1).unwrap().trim_end_matches("\"}"))
    );
    folder.run(&["directory", "check", "absent.json"]).refuses("absent.json: cannot read");
    for authority in ["", "https://bot.example", "bot.example/x", "me@bot.example", "a b"] {
        folder
            .run(&["directory", "check", "absent.json", "--authority", authority])
            .refuses("expected the host alone, such as bot.example");
    }
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The head and the body of the answer to one request.
fn ask(address: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

#[test]
fn the_served_directory_passes_the_check() {
    let folder = folder("directory-serve");
    let serve = ["directory", "serve", "--key", "one.pem", "--key", "two.jwk", "--listen", "127.0.0.1:0"];
    let mut command = folder.command(&serve);
    command.args(["--authority", "bot.example"]).stdout(Stdio::piped());
    let mut server = Server(command.spawn().unwrap());
    let mut url = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let (address, path) = url.trim_end().strip_prefix("http://").unwrap().split_once('/').unwrap();
    for host in [address, "bot.example"] {
        let (head, body) =
            ask(address, &format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        folder.write("head.txt", head);
        folder.write("body.json", body);
        let checked = folder.run(&[
            "directory",
            "check",
            "body.json",
            "--headers",
            "head.txt",
            "--authority",
            host,
            "--json",
        ]);
        steps(&checked, true, [YES; 5]);
    }
    let (head, _) =
        ask(address, &format!("GET /{path} HTTP/1.1\r\nHost: thief.example\r\nConnection: close\r\n\r\n"));
    assert!(head.starts_with("HTTP/1.1 421 "), "{head}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_sigterm_end_the_serving_as_done() {
    let folder = folder("directory-end");
    for signal in ["-INT", "-TERM"] {
        let mut command =
            folder.command(&["directory", "serve", "--key", "one.pem", "--listen", "127.0.0.1:0"]);
        let mut server = Server(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut url = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim_start_matches("http://").split('/').next().unwrap();
        // Whoever is answered was served by a command that listens for signals already.
        ask(address, &format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
        let sent = std::process::Command::new("kill").args([signal, &server.0.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(server.0.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn only_loopback_is_served() {
    let folder = folder("directory-listen");
    for address in ["0.0.0.0:0", "192.0.2.1:80", "[::]:0", "example.com:80", "8080"] {
        let ended = folder.run(&["directory", "serve", "--key", "one.pem", "--listen", address]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{address}: {ended:?}");
    }
}
