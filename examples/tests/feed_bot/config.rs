//! What a person writes: mistakes are named with the key, and loosen nothing.

use std::fs;
use std::path::Path;

use bot_etiquette_examples::feed_bot::config::Config;
use bot_etiquette_examples::feed_bot::{review, switch};

use crate::town::{self, HOST};

const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sources/city-vibe.toml");

#[test]
fn each_configured_address_and_redirect_passes_its_reviewed_rules() {
    let demo = town::folder("addresses");
    let demo = bot_etiquette_examples::feed_bot::demo::configure(&demo, None).unwrap();
    for (path, loopback) in [(Path::new(REAL), false), (&demo, true)] {
        let config = Config::read(path, Some("CityVibeBot"), loopback).unwrap();
        assert!(config.sources.len() >= 4);
        for source in &config.sources {
            for url in source.urls.iter().chain(&source.redirects) {
                let review = config.reviews.of(&review::origin(url)).unwrap();
                let valve = review::valve(review, None);
                assert!(valve.is_allowed(url.as_str()), "{url}");
                assert!(config.pause(url.host_str().unwrap()) >= valve.crawl_delay(), "{url}");
                let written = review.urls.iter().find(|reviewed| reviewed.url == url.as_str());
                assert!(written.is_some_and(|reviewed| reviewed.allowed), "{url} stands in no review");
            }
        }
    }
}

#[test]
fn the_four_pauses_are_those_that_were_promised() {
    let config = Config::read(Path::new(REAL), Some("CityVibeBot"), false).unwrap();
    let hosts = [
        ("esmadrid.com", 10),
        ("www.esmadrid.com", 10),
        ("do.diba.cat", 10),
        ("datos.madrid.es", 2),
        ("datosabiertos.jcyl.es", 2),
    ];
    for (host, pause) in hosts {
        assert_eq!(config.pause(host).unwrap().as_secs(), pause, "{host}");
    }
    assert_eq!(config.every.as_secs(), 3 * 3600);
}

/// Changes one thing in a configuration that is right; the error has to name these.
#[track_caller]
fn wrong(name: &str, from: &str, to: &str, said: &[&str]) {
    let folder = town::folder(&format!("wrong-{name}"));
    let sources = town::configure(
        &folder,
        "every = 10800\nlanguages = [\"es\"]",
        &[&format!("http://{HOST}/a.json")],
        &[],
    );
    let text = fs::read_to_string(&sources).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(&sources, text.replacen(from, to, 1)).unwrap();
    let problem = Config::read(&sources, Some("CityVibeBot"), true).unwrap_err().to_string();
    for word in said {
        assert!(problem.contains(word), "{word:?} is not in: {problem}");
    }
    assert!(!problem.contains('\n'), "{problem}");
}

#[test]
fn a_mistake_names_its_key_and_a_fix() {
    wrong("key", "on = true", "onn = true", &["sources.toml: line ", "onn"]);
    wrong("kind", "on = true", "on = \"yes\"", &[": on: ", "yes"]);
    wrong("often", "every = 10800", "every = 60", &["every = 60", "10800"]);
    wrong("language", "[\"es\"]", "[\"es\", \"eo\"]", &["languages", "eo", "pt"]);
    wrong("none", "[\"es\"]", "[]", &["languages"]);
    wrong("id", "id = \"town\"", "id = \"Town one\"", &["Town one", "a-z"]);
    wrong("scheme", &format!("http://{HOST}/a.json"), &format!("ftp://{HOST}/a.json"), &["urls", "https"]);
    wrong("picture", "/a.json", "/a.jpg", &["urls", "picture"]);
    wrong("page", "/a.json", "/index.html", &["urls", "page"]);
    wrong("login", "http://", "http://me:secret@", &["urls", "login"]);
    wrong("fragment", "/a.json", "/a.json#x", &["urls", "fragment"]);
    wrong("stranger", HOST, "elsewhere.example", &["elsewhere.example", "no line in the policy"]);
    wrong("unreviewed", HOST, "do.diba.cat", &["reviews", "do.diba.cat.toml"]);
    wrong(
        "quick",
        "[[source]]",
        &format!("[host.\"{HOST}\"]\npause = 1.0\n[[source]]"),
        &["pause = 1", "2 seconds are promised"],
    );
    wrong(
        "pause",
        "[[source]]",
        &format!("[host.\"{HOST}\"]\npause = -1.0\n[[source]]"),
        &["pause", "seconds"],
    );
    wrong(
        "hours",
        "[[source]]",
        &format!(
            "[host.\"{HOST}\"]\nhours = [{{ from = \"9\", to = \"17:00\", zone = \"UTC\" }}]\n[[source]]"
        ),
        &["from", "9"],
    );
    wrong(
        "zone",
        "[[source]]",
        &format!(
            "[host.\"{HOST}\"]\nhours = [{{ from = \"09:00\", to = \"17:00\", zone = \"Madrid\" }}]\n[[source]]"
        ),
        &["zone", "Madrid"],
    );
    wrong(
        "many",
        "/a.json\"]",
        "/a.json\", \"http://datos.madrid.es/2\", \"http://datos.madrid.es/3\", \"http://datos.madrid.es/4\", \"http://datos.madrid.es/5\", \"http://datos.madrid.es/6\"]",
        &["urls", "one to 5"],
    );
    wrong("file", "map.toml", "mapp.toml", &["mapp.toml"]);
}

#[test]
fn a_review_has_to_be_of_this_origin_and_this_crawler_and_to_open_the_address() {
    let folder = town::folder("reviews");
    let sources = town::configure(&folder, "", &[&format!("http://{HOST}/api/a.json")], &[]);
    let file = folder.join(format!("reviews/{HOST}.toml"));
    let good = fs::read_to_string(&file).unwrap();
    let changes = [
        (good.replace("http://", "https://"), "origin"),
        (good.replace("CityVibeBot", "OtherBot"), "token"),
        (good.replace("closed = []", "closed = [\"/api/\"]"), "closes"),
        (good.replace("closed", "colsed"), "colsed"),
        (
            good.replace("closed = []", "closed = [\"api/\"]"),
            ": closed: \"api/\" begins with neither / nor *",
        ),
    ];
    assert!(Config::read(&sources, Some("CityVibeBot"), true).is_ok());
    for (text, said) in changes {
        fs::write(&file, text).unwrap();
        let problem = Config::read(&sources, Some("CityVibeBot"), true).unwrap_err().to_string();
        assert!(problem.contains(said) && problem.contains(HOST), "{said}: {problem}");
        assert!(!problem.contains('\n'), "{problem}");
    }
}

#[test]
fn plain_http_is_for_loopback_alone() {
    let folder = town::folder("plain");
    let sources = town::configure(&folder, "", &[&format!("http://{HOST}/a.json")], &[]);
    let problem = Config::read(&sources, None, false).unwrap_err().to_string();
    assert!(problem.contains("is not https"), "{problem}");
}

#[test]
fn the_switch_leaves_everything_else_as_it_was() {
    let folder = town::folder("switch");
    let sources = town::configure(&folder, "# a comment", &[&format!("http://{HOST}/a.json")], &[]);
    let before = fs::read_to_string(&sources).unwrap();
    assert_eq!(switch::turn(&sources, "town", true).ok(), Some(false), "it is on");
    assert_eq!(switch::turn(&sources, "town", false).ok(), Some(true));
    let off = fs::read_to_string(&sources).unwrap();
    assert_eq!(off, before.replace("on = true # the switch", "on = false # the switch"));
    assert_eq!(switch::turn(&sources, "town", true).ok(), Some(true));
    assert_eq!(fs::read_to_string(&sources).unwrap(), before);
    let problem = switch::turn(&sources, "twon", false).unwrap_err().to_string();
    assert!(problem.contains("twon") && problem.contains("sources"), "{problem}");
    fs::write(&sources, before.replace("on = true", "on = = true")).unwrap();
    let problem = switch::turn(&sources, "town", false).unwrap_err().to_string();
    assert!(problem.contains("sources.toml: line ") && problem.contains(": on: "), "{problem}");
    assert!(!problem.contains('\n'), "{problem}");
}
