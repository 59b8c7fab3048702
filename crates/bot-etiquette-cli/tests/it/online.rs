//! `--online`, on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};

use bot_etiquette_identity::BotIdentity;
use serde_json::json;

use crate::run::{Folder, with_stdin};

/// A site that answers by path, and tells what it was asked.
fn site(pages: &'static [(&'static str, &'static str)]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
            let path = head.split(' ').nth(1).unwrap_or_default();
            let answer = pages
                .iter()
                .find(|(page, _)| *page == path)
                .map_or("404 Not Found\r\n\r\n", |(_, answer)| *answer);
            let _ = tell.send(head.clone());
            let (start, body) = answer.split_once("\r\n\r\n").unwrap();
            let length = body.len();
            write!(stream, "HTTP/1.1 {start}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
                .unwrap();
        }
    });
    (address, told)
}

const ROBOTS: &[(&str, &str)] = &[
    ("/robots.txt", "200 OK\r\n\r\nUser-agent: *\nDisallow: /x\nDisallow: /closed\nCrawl-delay: 0.1\n"),
    ("/moved", "302 Found\r\nLocation: /robots.txt\r\n\r\n"),
    ("/closed/robots.txt", "200 OK\r\n\r\nUser-agent: *\nDisallow:\n"),
];

#[test]
fn a_robots_txt_is_fetched_and_checked() {
    let (address, told) = site(ROBOTS);
    let url = format!("http://{address}/robots.txt");
    let ended = with_stdin(
        &[
            "robots",
            "check",
            "--online",
            "--json",
            "--agent",
            "TestBot",
            &url,
            "https://site.example/x",
            "https://site.example/",
        ],
        b"",
    );
    let json = ended.exits(1).json();
    assert_eq!(json["results"][0]["rule"]["line"], 2);
    assert_eq!(json["results"][1]["allowed"], true);
    assert!(ended.stderr.contains("200 OK, asked as bot-etiquette/"), "{ended:?}");
    let head = told.recv().unwrap();
    assert!(head.contains("user-agent: bot-etiquette/") && !head.contains("signature"), "{head}");
    assert!(told.try_recv().is_err(), "one request");
    let lint = with_stdin(&["robots", "lint", "--online", "--json", &url], b"");
    lint.exits(0);
    assert_eq!(lint.json()["diagnostics"], json!([]));
}

#[test]
fn the_end_of_the_fetch_decides_as_rfc_9309_says() {
    let check = |url: &str| {
        with_stdin(
            &["robots", "check", "--online", "--json", "--agent", "TestBot", url, "https://site.example/"],
            b"",
        )
    };
    for (pages, code, reason) in [
        (&[("/robots.txt", "503 Busy\r\n\r\n")], 1, "disallow-all"),
        (&[("/robots.txt", "301 Moved\r\n\r\n")], 1, "disallow-all"),
        (&[("/robots.txt", "300 Choose\r\nLocation: /robots.en.txt\r\n\r\n")], 1, "disallow-all"),
        (&[("/robots.txt", "302 Found\r\nLocation: /robots.txt\r\n\r\n")], 0, "no-file"),
        (&[("/robots.txt", "410 Gone\r\n\r\n")], 0, "no-file"),
    ] {
        let (address, _told) = site(pages);
        let ended = check(&format!("http://{address}/robots.txt"));
        assert_eq!(ended.exits(code).json()["results"][0]["reason"], reason, "{pages:?}");
    }
    let (address, _told) = site(&[("/robots.txt", "410 Gone\r\n\r\n")]);
    with_stdin(&["robots", "lint", "--online", &format!("http://{address}/robots.txt")], b"")
        .refuses("there is no robots.txt to lint");
    // Nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = check(&format!("http://{free}/robots.txt"));
    assert_eq!(silent.exits(1).json()["results"][0]["reason"], "disallow-all");
    assert!(silent.stderr.contains("no answer"), "{silent:?}");
}

#[test]
fn redirects_are_followed_and_closed_paths_are_not_asked() {
    let (address, told) = site(ROBOTS);
    let check = |path: &str| {
        let url = format!("http://{address}{path}");
        with_stdin(
            &["robots", "check", "--online", "--agent", "TestBot", &url, "https://site.example/x"],
            b"",
        )
    };
    check("/moved").exits(1);
    let asked: Vec<String> = told.try_iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(
        asked,
        ["/robots.txt", "/moved", "/robots.txt"],
        "a path that is no robots.txt is asked for first"
    );
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = with_stdin(&["directory", "check", "--online", &format!("http://{free}/keys")], b"");
    silent.refuses("is closed for now: robots.txt could not be asked for: no connection to 127.0.0.1");
    check("/closed/robots.txt").refuses("not fetched: ");
    let asked: Vec<String> = told.try_iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(asked, ["/robots.txt"]);
}

const OWN: &str = "user_agent = \"CrumbBot/1.0 (+https://crumb.dev/bot)\"\ntoken = \"CrumbBot\"\n\
                   page = \"https://crumb.dev/bot\"\ncontact = \"mailto:bot@crumb.dev\"\nfrom = \"bot@crumb.dev\"\n\
                   key_file = \"bot.pem\"\ndirectory = \"https://crumb.dev\"\npolicy = \"policy.toml\"\n";

#[test]
fn the_persons_own_identity_asks_signed_and_by_its_policy() {
    let (address, told) = site(ROBOTS);
    let folder = Folder::new("online-own");
    folder.write("bot.toml", OWN);
    folder.write("policy.toml", "[default]\nmin_delay = 0.0\n");
    folder.run(&["key", "new", "--out", "bot.pem"]).exits(0);
    let url = format!("http://{address}/robots.txt");
    let check = [
        "robots",
        "check",
        "--online",
        "--identity",
        "bot.toml",
        "--agent",
        "CrumbBot",
        &url,
        "https://site.example/",
    ];
    folder.run(&check).exits(0);
    let head = told.recv().unwrap();
    for field in [
        "user-agent: CrumbBot/1.0 (+https://crumb.dev/bot)",
        "from: bot@crumb.dev",
        "signature-agent: \"https://crumb.dev\"",
        "tag=\"web-bot-auth\"",
    ] {
        assert!(head.contains(field), "{field}: {head}");
    }
    folder.write("policy.toml", "[default]\nblocked = true\n");
    folder.run(&check).refuses("not fetched: ");
    std::fs::remove_file(folder.path("bot.pem")).unwrap();
    folder.run(&check).refuses("bot.pem: cannot read");
}

#[test]
fn somebodys_site_is_asked_only_under_an_identity_of_ones_own() {
    let template = BotIdentity::TEMPLATE.lines().next().unwrap();
    let folder = Folder::new("online-refused");
    folder.write("template.toml", BotIdentity::TEMPLATE);
    folder.write("demo.toml", OWN.to_owned() + "loopback_only = true\n");
    folder.write("known.toml", OWN.replace("CrumbBot", "Googlebot"));
    for command in [
        &["robots", "lint", "https://site.example/robots.txt"][..],
        &["robots", "check", "--agent", "A", "https://site.example/robots.txt", "https://site.example/"],
        &["directory", "check", "https://site.example/.well-known/http-message-signatures-directory"],
    ] {
        let online = |more: &[&str]| folder.run(&[command, &["--online"], more].concat());
        for (more, says) in [
            (&[][..], "under an identity of your own"),
            (&["--identity", "template.toml"], "page: example.com is a name for documentation"),
            (&["--identity", "demo.toml"], "loopback_only"),
            (&["--identity", "known.toml"], "Googlebot is the name of another bot"),
        ] {
            let ended = online(more);
            ended.refuses(says);
            ended.refuses(template);
        }
        online(&["--identity", "absent.toml"]).refuses("absent.toml: cannot read");
        folder.run(command).refuses("--online");
    }
}

#[test]
fn a_key_directory_is_fetched_and_checked_for_the_host_that_was_asked() {
    let folder = Folder::new("online-directory");
    folder.run(&["key", "new", "--out", "one.pem"]).exits(0);
    let mut command = folder.command(&["directory", "serve", "--key", "one.pem", "--listen", "127.0.0.1:0"]);
    let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let ended = folder.run(&["directory", "check", "--online", "--json", url.trim_end()]);
    server.kill().unwrap();
    server.wait().unwrap();
    let json = ended.exits(0).json();
    let ends: Vec<_> = json["steps"].as_array().unwrap().iter().map(|step| step["ok"].clone()).collect();
    assert_eq!(ends, [true; 5].map(|end| json!(end)), "{json:#}");

    let (address, told) = site(&[
        ("/moved", "301 Moved\r\nLocation: /keys\r\n\r\n"),
        ("/keys", "200 OK\r\nContent-Type: application/json\r\n\r\n{\"keys\": []}"),
    ]);
    let moved = folder.run(&["directory", "check", "--online", "--json", &format!("http://{address}/moved")]);
    let json = moved.exits(1).json();
    assert_eq!(json["steps"][0]["ok"], false);
    assert!(json["steps"][0]["message"].as_str().unwrap().contains("redirect"), "{json:#}");
    assert!(told.try_iter().all(|head| !head.starts_with("GET /keys")), "verifiers stop at the first answer");
    let empty = folder.run(&["directory", "check", "--online", "--json", &format!("http://{address}/keys")]);
    assert_eq!(empty.exits(1).json()["steps"][1]["ok"], false);
}

#[test]
fn only_http_and_https_are_fetched() {
    for command in
        [&["robots", "lint"][..], &["robots", "check", "--agent", "MyBot"], &["directory", "check"]]
    {
        let more =
            if command[1] == "check" && command[0] == "robots" { &["https://a.example/"][..] } else { &[] };
        for (url, scheme) in
            [("ftp://127.0.0.1/robots.txt", "ftp"), ("mailto:bot@a.example", "mailto"), ("data:,x", "data")]
        {
            let arguments = [command, &["--online", url], more].concat();
            with_stdin(&arguments, b"").refuses(&format!(
                "{url}: is not fetched: --online takes http and https URLs alone, and this is {scheme}"
            ));
        }
    }
}

#[test]
fn online_changes_nothing_for_a_file() {
    let folder = Folder::new("online-file");
    folder.write("robots.txt", "User-agent: *\nDisallow: /\n");
    let ended =
        folder.run(&["robots", "check", "--online", "--agent", "A", "robots.txt", "https://site.example/"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    folder.run(&["robots", "lint", "--identity", "bot.toml", "robots.txt"]).refuses("--online");
    folder
        .run(&[
            "robots",
            "check",
            "--online",
            "--status",
            "404",
            "--agent",
            "A",
            "robots.txt",
            "https://site.example/",
        ])
        .refuses("--status");
}

#[test]
fn the_stack_is_the_file_of_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = std::fs::read(root.join("src/stack.rs")).unwrap();
    let copied = std::fs::read(root.join("../../examples/src/stack.rs")).unwrap();
    assert!(own == copied, "copy examples/src/stack.rs to crates/bot-etiquette-cli/src/stack.rs");
}
