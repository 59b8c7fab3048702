//! What a person is told who runs a bot: of a site on this machine, and of what is wrong in a command or a file.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_etiquette::signing::SigningKey;

use crate::program::program;

/// An identity that could be a person's own.
const OWN: &str = "user_agent = \"CrumbBot/1.0 (+https://crumb.botpage.net/bot)\"
token = \"CrumbBot\"
page = \"https://crumb.botpage.net/bot\"
contact = \"mailto:bot@crumb.botpage.net\"
key_file = \"crumb.key\"
directory = \"https://crumb.botpage.net\"
";

/// A line of the template of an identity.
const TEMPLATE: &str = "Fill in every line";

fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commands-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("crumb.key"), SigningKey::from_seed(&[7; 32]).to_pkcs8_pem().as_bytes()).unwrap();
    folder
}

fn run(name: &str, folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        Command::new(program(name)).current_dir(folder).args(arguments).output().unwrap();
    (status.code(), [stdout, stderr].map(|told| String::from_utf8_lossy(&told).into_owned()).concat())
}

/// It ends so, and says all of this.
#[track_caller]
fn told(name: &str, folder: &Path, arguments: &[&str], code: i32, words: &[&str]) -> String {
    let (ended, told) = run(name, folder, arguments);
    assert_eq!(ended, Some(code), "{name} {arguments:?}: {told}");
    for word in words {
        assert!(told.contains(word), "{name} {arguments:?}: no {word:?} in {told}");
    }
    told
}

/// A site on this machine that has one page for every path.
fn served() -> String {
    let site = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = site.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut client in site.incoming().map_while(Result::ok) {
            // Whoever hangs up on a request that was not read to its end resets the connection.
            let mut request = Vec::new();
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = client.read(&mut piece) {
                request.extend_from_slice(&piece[..read]);
                if request.ends_with(b"\r\n\r\n") {
                    break;
                }
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 18\r\nConnection: close\r\n\r\n";
            let _ = client.write_all(format!("{head}<title>Hi</title>\n").as_bytes());
        }
    });
    format!("http://{address}/")
}

#[test]
fn a_site_on_this_machine_needs_no_identity() {
    let (folder, url) = (folder("here"), served());
    told("snapshot_bot", &folder, &["add", &url], 0, &[&format!("{url} is watched")]);
    told("snapshot_bot", &folder, &["--no-render", "crawl"], 0, &["1 read"]);
    let root = format!("{url}arcgis/rest/services");
    told("arcgis_bot", &folder, &["crawl", &root], 3, &["answered, but"]);
    told("polite_get", &folder, &[&url], 0, &["200 OK"]);
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/identities/smart-site-plan.toml");
    fs::write(
        folder.join("demo.toml"),
        fs::read_to_string(demo).unwrap().replace("smart-site-plan.key", "crumb.key"),
    )
    .unwrap();
    told("polite_get", &folder, &[&url, "--identity", "demo.toml"], 0, &["200 OK"]);
    let elsewhere = ["--identity", "demo.toml", "crawl", "https://site.invalid/arcgis/rest/services"];
    told("arcgis_bot", &folder, &elsewhere, 2, &["identity demo.toml: line ", "loopback_only"]);
}

#[test]
fn an_address_that_is_refused_is_told_as_such() {
    let folder = folder("refused");
    fs::write(folder.join("own.toml"), OWN).unwrap();
    let why = "refused by us: the address 10.0.0.1 is of a private network";
    told("snapshot_bot", &folder, &["add", "http://10.0.0.1/"], 0, &["http://10.0.0.1/ is watched"]);
    told("snapshot_bot", &folder, &["crawl"], 2, &["10.0.0.1 is not on this machine", TEMPLATE]);
    let crawl = ["--identity", "own.toml", "--no-render", "crawl"];
    told("snapshot_bot", &folder, &crawl, 3, &["not-asked http://10.0.0.1/", why]);
    let crawl = ["--identity", "own.toml", "crawl", "http://10.0.0.1/arcgis/rest/services"];
    told("arcgis_bot", &folder, &crawl, 3, &[why]);
}

#[test]
fn an_identity_that_is_wrong_is_told_with_its_line_and_without_the_template() {
    let folder = folder("identity");
    told("snapshot_bot", &folder, &["add", "site.invalid"], 0, &["https://site.invalid/ is watched"]);
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/sources/city-vibe.toml");
    for (text, word) in [
        (OWN.replace("mailto:bot@crumb.botpage.net", "nobody"), "line 4"),
        (OWN.replace("token = \"CrumbBot\"", "tokn = 1"), "line 2"),
        (OWN.replace("crumb.key", "none.key"), "none.key"),
    ] {
        fs::write(folder.join("own.toml"), text).unwrap();
        for (name, command) in [
            ("snapshot_bot", &["crawl"][..]),
            ("arcgis_bot", &["crawl", "https://site.invalid/arcgis/rest/services"]),
            ("feed_bot", &["run", "--once", "--sources", sources]),
            ("polite_get", &["https://site.invalid/"]),
        ] {
            let arguments = [command, &["--identity", "own.toml"]].concat();
            let said = told(name, &folder, &arguments, 2, &["identity own.toml: ", word]);
            assert!(!said.contains(TEMPLATE), "{name}: {said}");
            let none = [command, &["--identity", "nofile"]].concat();
            let said = told(name, &folder, &none, 2, &["identity nofile: No such file"]);
            assert!(!said.contains(TEMPLATE), "{name}: {said}");
            told(name, &folder, command, 2, &[TEMPLATE]);
        }
    }
}

#[test]
fn what_is_wrong_in_a_file_is_told_once_with_its_name() {
    let folder = folder("files");
    fs::write(folder.join("latin.toml"), b"a = 1\n# \xe9\n").unwrap();
    fs::write(folder.join("bad.sqlite"), [0x55; 3000]).unwrap();
    let not_utf_8 = ["latin.toml: line 2: not UTF-8"];
    for name in ["arcgis_bot", "snapshot_bot"] {
        told(name, &folder, &["--policy", "latin.toml", "report"], 2, &not_utf_8);
        let said = told(name, &folder, &["--state", "bad.sqlite", "report"], 1, &["bad.sqlite"]);
        assert_eq!(said.matches("not a database").count(), 1, "{said}");
    }
    told("feed_bot", &folder, &["--sources", "latin.toml", "sources"], 2, &not_utf_8);
    told("feed_bot", &folder, &["sources"], 2, &["city-vibe.toml", "--sources FILE"]);
    told("polite_get", &folder, &["--help"], 0, &["Usage:", "--identity <FILE>"]);
}
