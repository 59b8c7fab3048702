//! `identity ...`: what a bot publishes of itself.

use std::path::Path;

use bot_etiquette_identity::{AgentCard, BotIdentity, RangeFile};
use serde_json::{Value, json};

use crate::run::{Ended, Folder, with_stdin};

const CONFIG: &str = "\
user_agent = \"CrumbBot/1.0 (+https://crumb.dev/bot)\"
token = \"CrumbBot\"
page = \"https://crumb.dev/bot\"
contact = \"mailto:bot@crumb.dev\"
from = \"bot@crumb.dev\"
key_file = \"bot.pem\"
directory = \"https://crumb.dev\"
policy = \"policy.toml\"
[about]
operator = \"Crumb Ltd\"
ai_training = false
renders = false
updated = \"2027-11-30\"
[addresses]
prefixes = [\"8.8.8.0/28\"]
url = \"https://crumb.dev/ranges.json\"
[card]
url = \"https://crumb.dev/card.json\"
[text.en]
purpose = \"It looks for crumbs.\"
data_use = \"They are counted.\"
never = [\"It never logs in.\"]
key_rotation = \"Keys are listed a day before they sign.\"
[promise]
max_open = 1
min_delay = 2
crawl_delay_cap = 10
robots_max_age = 86400
max_redirects = 5
time_limit = 15
max_body = 5000000
retry_after = true
busy_first = 60
unreachable_first = 900
";

const POLICY: &str = "\
[default]
max_open = 1
min_delay = 2.0
busy_first = 60.0
unreachable_first = 900.0
";

/// A bot with all that belongs to one.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("bot.toml", CONFIG);
    folder.write("policy.toml", POLICY);
    folder.run(&["key", "new", "--out", "bot.pem"]).exits(0);
    folder
}

fn codes(ended: &Ended) -> Vec<(String, Value, Value)> {
    let json = ended.json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["ok"], json!(ended.code == 0));
    let found = json["diagnostics"].as_array().unwrap();
    let row = |found: &Value| {
        assert!(found["message"].as_str().is_some_and(|message| !message.is_empty()), "{found}");
        assert!(["error", "warning", "info"].contains(&found["severity"].as_str().unwrap()));
        (found["code"].as_str().unwrap().to_owned(), found["line"].clone(), found["policy_line"].clone())
    };
    found.iter().map(row).collect()
}

#[test]
fn a_bot_that_says_all_and_keeps_it_passes() {
    let folder = folder("identity-lint");
    let ended = folder.run(&["identity", "lint", "bot.toml", "--json"]);
    assert_eq!(codes(ended.exits(0)), []);
    assert_eq!(folder.run(&["identity", "lint", "bot.toml"]).exits(0).stdout, "");
}

#[test]
fn a_promise_that_the_policy_does_not_keep_is_an_error_with_both_lines() {
    let folder = folder("identity-broken");
    folder.write("policy.toml", POLICY.replace("min_delay = 2.0", "min_delay = 1.0"));
    let ended = folder.run(&["identity", "lint", "bot.toml", "--json"]);
    assert_eq!(codes(ended.exits(1)), [("PR001".to_owned(), json!(26), json!(3))]);
    let text = folder.run(&["identity", "lint", "bot.toml"]).exits(1).stdout.clone();
    assert!(text.starts_with("bot.toml:26: error: promises min_delay = 2"), "{text}");
    assert!(text.contains("line 3 of policy.toml"), "{text}");
    folder.write("other.toml", POLICY);
    folder.run(&["identity", "lint", "bot.toml", "--policy", "other.toml"]).exits(0);
}

#[test]
fn a_key_that_others_read_or_that_is_none_is_told() {
    let folder = folder("identity-key");
    let found = || codes(&folder.run(&["identity", "lint", "bot.toml", "--json"]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder.path("bot.pem"), std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(found(), [("CF002".to_owned(), json!(6), json!(null))]);
    }
    folder.write("bot.pem", "no key");
    assert_eq!(found().len(), 1);
    std::fs::remove_file(folder.path("bot.pem")).unwrap();
    let ended = folder.run(&["identity", "lint", "bot.toml"]);
    assert!(ended.exits(1).stdout.contains("bot-etiquette key new --out FILE"), "{ended:?}");
}

#[test]
fn what_is_published_is_held_against_the_configuration() {
    let folder = folder("identity-published");
    folder.write("page.html", folder.run(&["identity", "page", "bot.toml"]).exits(0).stdout.clone());
    folder.write("ranges.json", folder.run(&["identity", "ip-ranges", "bot.toml"]).exits(0).stdout.clone());
    folder.write("card.json", folder.run(&["identity", "card", "bot.toml"]).exits(0).stdout.clone());
    let lint = [
        "identity",
        "lint",
        "bot.toml",
        "--json",
        "--page",
        "page.html",
        "--ip-ranges",
        "ranges.json",
        "--card",
        "card.json",
    ];
    assert_eq!(codes(folder.run(&lint).exits(0)), []);
    folder.write("page.html", folder.read("page.html").replace("CrumbBot/1.0", "CrumbBot/2.0"));
    folder.write("ranges.json", folder.read("ranges.json").replace("8.8.8.0", "8.8.4.0"));
    folder.write("card.json", folder.read("card.json").replace("\"CrumbBot\"", "\"Crumb\""));
    let found: Vec<_> = codes(folder.run(&lint).exits(1)).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(found, ["ID010", "ID010", "ID012", "PG002"]);
}

#[test]
fn the_page_comes_in_three_languages_as_html_and_as_text() {
    let folder = folder("identity-page");
    let page = |more: &[&str]| {
        folder.run(&[&["identity", "page", "bot.toml"], more].concat()).exits(0).stdout.clone()
    };
    for (lang, words) in [
        ("en", "waits at least 2 seconds"),
        ("es", "espera al menos 2 segundos"),
        ("it", "aspetta almeno 2 secondi"),
    ] {
        let html = page(&["--lang", lang]);
        assert!(html.contains(&format!("<html lang=\"{lang}\">")) && html.contains(words), "{html}");
        assert!(html.contains("rel=\"client-ranges\" href=\"https://crumb.dev/ranges.json\""));
        let text = page(&["--lang", lang, "--text"]);
        assert!(text.contains(words) && !text.contains("<p>"), "{text}");
    }
    let json = folder.run(&["identity", "page", "bot.toml", "--json"]).exits(0).json();
    assert_eq!((&json["schema"], &json["lang"]), (&json!(1), &json!("en")));
    assert_eq!(json["html"].as_str().unwrap(), page(&[]));
    assert_eq!(json["robots_examples"][0], "User-agent: CrumbBot\nDisallow: /\n");
    folder.run(&["identity", "page", "bot.toml", "--lang", "fr"]).refuses("en, es and it");
    folder.write("fast.toml", "[default]\nmin_delay = 0.5\n");
    assert!(page(&["--policy", "fast.toml"]).contains("waits at least 0.5 seconds"));
}

#[test]
fn the_command_agrees_with_the_examples_on_the_page() {
    let folder = folder("identity-examples");
    let json = folder.run(&["identity", "page", "bot.toml", "--json"]).exits(0).json();
    let check = |example: usize, url: &str, code: i32| {
        let example = json["robots_examples"][example].as_str().unwrap();
        let arguments = ["robots", "check", "--agent", "CrumbBot", "-", url];
        with_stdin(&arguments, example.as_bytes()).exits(code);
    };
    check(0, "https://site.example/", 1);
    check(1, "https://site.example/", 0);
    check(1, "https://site.example/private/x", 1);
    check(2, "https://site.example/", 0);
}

#[test]
fn names_addresses_and_card_are_printed() {
    let folder = folder("identity-rest");
    let run = |arguments: &[&str]| folder.run(&[&["identity"], arguments].concat());
    assert_eq!(run(&["user-agent", "bot.toml"]).exits(0).stdout, "CrumbBot/1.0 (+https://crumb.dev/bot)\n");
    assert_eq!(
        run(&["user-agent", "bot.toml", "--json"]).exits(0).json(),
        json!({
            "schema": 1, "user_agent": "CrumbBot/1.0 (+https://crumb.dev/bot)", "phone": null, "desktop": null,
            "token": "CrumbBot", "version": "1.0", "page": "https://crumb.dev/bot", "contact": "mailto:bot@crumb.dev",
            "from": "bot@crumb.dev", "signature_agent": "https://crumb.dev",
        })
    );
    let forms = run(&["user-agent", "bot.toml", "--chromium", "141"]).exits(0).stdout.clone();
    assert_eq!(forms.lines().count(), 3);
    assert!(
        forms.contains("Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; CrumbBot/1.0; bot;"),
        "{forms}"
    );

    let file = run(&["ip-ranges", "bot.toml", "--now", "2027-01-15T08:00:00Z"]).exits(0).stdout.clone();
    let (read, warnings) = RangeFile::read(file.as_bytes()).unwrap();
    assert_eq!((read.ranges().len(), warnings.len()), (1, 0));
    let json = run(&["ip-ranges", "bot.toml", "--now", "1800000000", "--json"]).exits(0).json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["creationTime"], "2027-01-15T08:00:00Z");
    assert_eq!(json["prefixes"], json!([{"ipv4Prefix": "8.8.8.0/28"}]));

    let card = run(&["card", "bot.toml"]).exits(0).stdout.clone();
    let bot = BotIdentity::from_toml(CONFIG).unwrap();
    assert_eq!(AgentCard::read(card.as_bytes()).unwrap().problems(&bot), Vec::<String>::new());
    assert_eq!(run(&["card", "bot.toml", "--json"]).exits(0).json()["schema"], 1);
    folder.write(
        "bare.toml",
        CONFIG
            .replace("url = \"https://crumb.dev/card.json\"", "")
            .replace("prefixes = [\"8.8.8.0/28\"]", ""),
    );
    let card = run(&["card", "bare.toml"]);
    assert_eq!(card.exits(0).json()["client_id"], "https://crumb.dev/crumbbot-card.json");
    assert!(card.stderr.contains("card.url"), "{card:?}");
    assert!(run(&["ip-ranges", "bare.toml"]).exits(0).stderr.contains("addresses.prefixes"));
    folder.write("unsigned.toml", CONFIG.replace("directory = \"https://crumb.dev\"", ""));
    run(&["card", "unsigned.toml"]).refuses("unsigned.toml: directory: missing");
}

#[test]
fn what_cannot_be_read_names_file_and_line() {
    let folder = folder("identity-wrong");
    for command in ["user-agent", "page", "ip-ranges", "card", "lint"] {
        folder.run(&["identity", command, "absent.toml"]).refuses("absent.toml: cannot read");
        folder.write("bad.toml", CONFIG.replace("token = \"CrumbBot\"", "token = \"Crumb Bot\""));
        folder.run(&["identity", command, "bad.toml"]).refuses("bad.toml: line 2: token: ");
        folder.write("bad.toml", CONFIG.replace("[about]", "[abuot]"));
        folder.run(&["identity", command, "bad.toml"]).refuses("line 9");
    }
    folder.write("policy.toml", "[default]\nmin_dealy = 1\n");
    for command in ["page", "lint"] {
        let ended = folder.run(&["identity", command, "bot.toml"]);
        ended.refuses("policy.toml: ");
        ended.refuses("line 2");
    }
    std::fs::remove_file(folder.path("policy.toml")).unwrap();
    folder.run(&["identity", "lint", "bot.toml"]).refuses("policy.toml: cannot read");
    assert_eq!(with_stdin(&["identity", "user-agent", "-"], CONFIG.as_bytes()).code, 0);
}

#[test]
fn the_examples_are_held_against_their_own_policies() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/identities");
    for name in ["smart-site-plan", "site-snapshot", "city-vibe"] {
        let file = examples.join(format!("{name}.toml"));
        let ended = with_stdin(&["identity", "lint", "--json", file.to_str().unwrap()], b"");
        let found = codes(ended.exits(1));
        assert!(found.iter().any(|(code, ..)| code == "PG011"), "{found:?}");
        assert!(found.iter().all(|(code, ..)| code != "PR001" && code != "PR002"), "{found:?}");
    }
}
