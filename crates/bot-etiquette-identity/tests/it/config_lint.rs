use std::path::Path;

use bot_etiquette_identity::{ConfigLint, Finding, Severity};

fn example(kind: &str, name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{kind}/{name}.toml"));
    std::fs::read_to_string(file).unwrap()
}

fn of_example(name: &str) -> Vec<Finding> {
    let (config, policy) = (example("identities", name), example("policies", name));
    ConfigLint::new(&config).policy(&policy).run().unwrap()
}

#[track_caller]
fn lacks(name: &str, rows: &[(&str, &str)], whole: &[&str]) {
    let found = of_example(name);
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    for (id, words) in rows {
        let there = found.iter().any(|finding| finding.id == *id && finding.message.contains(words));
        assert!(there, "{id} {words}: {shown:#?}");
    }
    for id in whole {
        assert!(!found.iter().any(|finding| finding.id == *id), "{id}: {shown:#?}");
    }
}

#[test]
fn each_bot_is_told_what_its_own_page_leaves_out() {
    lacks(
        "smart-site-plan",
        &[
            ("PG006", "rendered"),
            ("PG010", "no addresses"),
            ("PG009", "redirects"),
            ("PG009", "size"),
            ("PG007", "Retry-After"),
            ("PG011", "last changed"),
            ("ID006", "one key"),
        ],
        &[
            "PR001", "ID001", "ID002", "PG005", "PG002", "PG008", "PG012", "UA001", "UA002", "UA003",
            "UA004", "UA005",
        ],
    );
    lacks(
        "site-snapshot",
        &[
            ("PG002", "who runs the bot"),
            ("PG005", "AI models"),
            ("PG007", "does not answer"),
            ("PG007", "says it is busy"),
            ("ID011", "addresses.url"),
            ("ID010", "127.0.0.0/8"),
        ],
        &["PR001", "ID001", "ID002", "PG006", "PG009", "PG010", "PG008", "PG012"],
    );
    lacks(
        "city-vibe",
        &[
            ("ID001", "no way to tell"),
            ("PG005", "AI models"),
            ("PG007", "does not answer"),
            ("PG009", "redirects"),
            ("PG009", "time"),
            ("PG009", "size"),
            ("PG010", "no addresses"),
        ],
        &["PR001", "PG006", "PG002", "PG008", "PG012"],
    );
}

const CONFIG: &str = "\
user_agent = \"CrumbBot/1.0 (+https://crumb.dev/bot)\"
token = \"CrumbBot\"
page = \"https://crumb.dev/bot\"
contact = \"mailto:bot@crumb.dev\"
from = \"bot@crumb.dev\"
key_file = \"k\"
directory = \"https://crumb.dev\"
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
purpose = \"p\"
data_use = \"d\"
never = [\"n\"]
key_rotation = \"r\"
[promise]
";

const PROMISE: &str = "\
max_open = 1
min_delay = 2
crawl_delay_cap = 10
robots_max_age = 86400
max_redirects = 5
time_limit = 15
max_body = 5000000
retry_after = true
busy_first = 60
busy_factor = 2
unreachable_first = 900
unreachable_factor = 2
";

const POLICY: &str = "\
[default]
max_open = 1
min_delay = 2.0
crawl_delay_cap = 10.0
crawl_delay_over = \"clamp\"
busy_first = 60.0
unreachable_first = 900.0
";

fn run(config: &str, policy: &str) -> Vec<Finding> {
    ConfigLint::new(config).policy(policy).run().unwrap()
}

#[test]
fn a_configuration_that_says_all_and_keeps_it_has_nothing_against_it() {
    assert_eq!(run(&format!("{CONFIG}{PROMISE}"), POLICY), []);
}

/// A change of the policy that breaks one promise: the lines of both are named.
#[track_caller]
fn broken(from: &str, to: &str, key: &str) {
    let config = format!("{CONFIG}{PROMISE}");
    assert!(POLICY.contains(from), "{from}");
    let policy = POLICY.replace(from, to);
    let line = |text: &str, key: &str| 1 + text.lines().position(|line| line.starts_with(key)).unwrap();
    let found = run(&config, &policy);
    let [finding] = &found[..] else { panic!("{key}: {found:#?}") };
    assert_eq!((finding.id, finding.severity), ("PR001", Severity::Error), "{finding}");
    assert_eq!(finding.line, Some(line(&config, key)), "{finding}");
    let words = to.split([' ', '=']).next().unwrap();
    let policy_line = if words.is_empty() { 1 } else { line(&policy, words) };
    assert_eq!(finding.policy_line, Some(policy_line), "{finding}");
    assert!(finding.to_string().contains(&format!("(policy line {policy_line})")), "{finding}");
}

#[test]
fn a_promise_that_the_policy_does_not_keep_names_both_lines() {
    broken("max_open = 1", "max_open = 2", "max_open");
    broken("min_delay = 2.0", "min_delay = 1.999", "min_delay");
    broken("min_delay = 2.0\n", "", "min_delay");
    broken("crawl_delay_cap = 10.0", "crawl_delay_cap = 9.0", "crawl_delay_cap");
    broken("busy_first = 60.0", "busy_first = 59", "busy_first");
    broken("busy_first = 60.0\n", "", "busy_first");
    broken("unreachable_first = 900.0", "unreachable_first = 0", "unreachable_first");
    broken("busy_first = 60.0", "busy_factor = 1.5\nbusy_first = 60.0", "busy_factor");
    broken("busy_first = 60.0", "unreachable_factor = 1\nbusy_first = 60.0", "unreachable_factor");
    broken("busy_first = 60.0", "busy_statuses = [503]\nbusy_first = 60.0", "busy_first");
    broken("busy_first = 60.0", "busy_scope = \"resource\"\nbusy_first = 60.0", "busy_first");
    broken("busy_first = 60.0", "retry_after = \"ignore\"\nbusy_first = 60.0", "retry_after");
}

#[test]
fn a_table_of_the_policy_may_not_break_a_promise_unless_the_page_tells_of_it() {
    let config = format!("{CONFIG}{PROMISE}");
    let policy =
        format!("{POLICY}[host.\"fast.dev\"]\nmin_delay = 0.5\n[host.\"slow.dev\"]\nmin_delay = 30\n");
    let found = run(&config, &policy);
    let ids: Vec<_> = found.iter().map(|finding| (finding.id, finding.policy_line)).collect();
    assert_eq!(ids, [("PG012", None), ("PR001", Some(9))], "{found:#?}");
    let told = format!("{config}[text.en.exceptions]\n\"host.fast.dev\" = \"our own server\"\n");
    assert_eq!(run(&told, &policy), []);

    let group = format!(
        "{POLICY}[group.cdn]\nhosts = [\"a.dev\"]\nper_second = 8\neach = {{ min_delay = 0, max_open = 4 }}\n"
    );
    let found = run(&config, &group);
    let ids: Vec<_> = found.iter().map(|finding| finding.id).collect();
    assert_eq!(ids, ["PG012", "PR001", "PR001"], "{found:#?}");
    assert!(found.iter().skip(1).all(|finding| finding.policy_line == Some(11)), "{found:#?}");
    // A rate that is promised takes the place of pause and slots, and is held against the policy itself.
    for (rate, kept) in [("8", true), ("7", false)] {
        let config = format!("{config}groups = [{{ sites = [\"a.dev\"], per_second = {rate} }}]\n");
        let found = run(&config, &group);
        let broken: Vec<_> = found.iter().filter(|finding| finding.id == "PR001").collect();
        assert_eq!(broken.is_empty(), kept, "{found:#?}");
        assert!(broken.iter().all(|finding| finding.policy_line == Some(10)), "{found:#?}");
    }
}

#[test]
fn promises_that_are_of_no_host_are_held_against_the_configuration_itself() {
    for (promise, says) in [
        ("quota = { requests = 10, window = 60 }\n", "no quota"),
        ("revisit = 60\n", "has no revisit"),
        ("groups = [{ sites = [\"a.dev\"], per_second = 1 }]\n", "no group"),
        ("user_agent = \"OtherBot\"\n", "OtherBot"),
        ("robots_token = \"OtherBot\"\n", "OtherBot"),
    ] {
        let found = run(&format!("{CONFIG}{PROMISE}{promise}"), POLICY);
        let [finding] = &found[..] else { panic!("{promise}: {found:#?}") };
        assert_eq!((finding.id, finding.line), ("PR001", Some(36)), "{finding}");
        assert!(finding.message.contains(says), "{finding}");
    }
    for fine in [
        "user_agent = \"CrumbBot\"\n",
        "user_agent = \"*CrumbBot/1.0*\"\n",
        "user_agent = '^Crumb'\n",
        "signed = true\n",
    ] {
        assert_eq!(run(&format!("{CONFIG}{PROMISE}{fine}"), POLICY), [], "{fine}");
    }
    let quota = format!("{POLICY}quota = [{{ name = \"a\", limit = 10, window = 60 }}]\n");
    assert_eq!(run(&format!("{CONFIG}{PROMISE}quota = {{ requests = 10, window = 60 }}\n"), &quota), []);
}

/// What is found when one line of a whole configuration is taken out.
#[track_caller]
fn missing(line: &str, wanted: &[&str]) {
    let config = format!("{CONFIG}{PROMISE}");
    assert!(config.contains(line), "{line}");
    let ids: Vec<_> = run(&config.replace(line, ""), POLICY).iter().map(|finding| finding.id).collect();
    assert_eq!(ids, wanted, "without {line}");
}

#[test]
fn each_thing_that_is_missing_is_told_alone() {
    missing("from = \"bot@crumb.dev\"\n", &["UA008"]);
    missing("directory = \"https://crumb.dev\"\n", &["ID002"]);
    missing("key_rotation = \"r\"\n", &["ID006"]);
    missing("operator = \"Crumb Ltd\"\n", &["PG002"]);
    missing("ai_training = false\n", &["PG005"]);
    missing("purpose = \"p\"\n", &["PG005"]);
    missing("data_use = \"d\"\n", &["PG005"]);
    missing("renders = false\n", &["PG006"]);
    missing("never = [\"n\"]\n", &["PG008"]);
    missing("updated = \"2027-11-30\"\n", &["PG011"]);
    missing("prefixes = [\"8.8.8.0/28\"]\n", &["PG010"]);
    missing("url = \"https://crumb.dev/ranges.json\"\n", &["ID011"]);
    #[cfg(feature = "card")]
    missing("url = \"https://crumb.dev/card.json\"\n", &["ID012"]);
    for key in [
        "max_open = 1\n",
        "min_delay = 2\n",
        "crawl_delay_cap = 10\n",
        "robots_max_age = 86400\n",
        "retry_after = true\n",
        "busy_first = 60\n",
        "unreachable_first = 900\n",
    ] {
        missing(key, &["PG007"]);
    }
    for key in ["max_redirects = 5\n", "time_limit = 15\n", "max_body = 5000000\n"] {
        missing(key, &["PG009"]);
    }
}

#[test]
fn names_that_are_nobodys_are_told_unless_the_bot_stays_at_home() {
    for (name, found) in [("crumb.dev", &[][..]), ("bots.example.net", &["CF003"])] {
        let config = format!("{CONFIG}{PROMISE}").replace("crumb.dev", name);
        let ids: Vec<_> = run(&config, POLICY).iter().map(|finding| finding.id).collect();
        assert_eq!(ids, found, "{name}");
        let home = config.replace("[about]", "loopback_only = true\n[about]");
        assert_eq!(run(&home, POLICY), [], "{name}");
    }
}

#[test]
fn addresses_that_cannot_be_are_told() {
    for (prefix, found) in [("10.0.0.0/8", 1), ("8.0.0.0/7", 1), ("0.0.0.0/0", 2), ("8.8.8.0/24", 0)] {
        let config = format!("{CONFIG}{PROMISE}").replace("8.8.8.0/28", prefix);
        let ids: Vec<_> = run(&config, POLICY).iter().map(|finding| finding.id).collect();
        assert_eq!(ids, vec!["ID010"; found], "{prefix}");
    }
}

#[test]
fn a_policy_that_ignores_what_sites_ask_is_told_without_any_promise() {
    let config = format!("{CONFIG}{PROMISE}").replace("retry_after = true\n", "");
    let found = run(&config, &format!("{POLICY}retry_after = \"ignore\"\n"));
    assert!(
        found.iter().any(|finding| finding.id == "CF001" && finding.policy_line == Some(8)),
        "{found:#?}"
    );
}

#[test]
fn a_table_that_the_page_tells_of_may_not_ignore_what_sites_ask_either() {
    let told = "[text.en.exceptions]\n\"host.a.dev\" = \"ours\"\n";
    let config = format!("{CONFIG}{PROMISE}").replace("retry_after = true\n", "") + told;
    let policy = format!("{POLICY}[host.\"a.dev\"]\nretry_after = \"ignore\"\n");
    let found = run(&config, &policy);
    assert!(
        found.iter().any(|finding| finding.id == "CF001" && finding.policy_line == Some(9)),
        "{found:#?}"
    );
}

#[test]
fn promises_without_a_policy_are_told() {
    let found = ConfigLint::new(&format!("{CONFIG}{PROMISE}")).run().unwrap();
    assert_eq!(found.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["PR002"]);
}

#[track_caller]
fn published(page: &str, wanted: &[&str]) {
    let config = format!("{CONFIG}{PROMISE}");
    let found = ConfigLint::new(&config).policy(POLICY).page(page).run().unwrap();
    let ids: Vec<_> = found.iter().map(|finding| finding.id).collect();
    assert_eq!(ids, wanted, "{found:#?}");
}

#[test]
fn the_page_that_is_generated_lacks_nothing() {
    use bot_etiquette_identity::{BotIdentity, BotPage, Language, Rates};
    let bot = BotIdentity::from_toml(&format!("{CONFIG}{PROMISE}")).unwrap();
    let rates = Rates::from_toml(POLICY).unwrap();
    for language in Language::ALL {
        let page = BotPage::new(&bot).rates(&rates).language(*language);
        published(&page.html(), &[]);
        published(&page.text(), &[]);
    }
}

#[test]
fn a_page_written_by_hand_is_held_against_the_configuration() {
    let whole = "CrumbBot of Crumb Ltd: CrumbBot/1.0 (+https://crumb.dev/bot), bot@crumb.dev\n\
                 It does not train AI models and does not render. Crawl-delay and Retry-After are kept, 429 waits, \
                 a server that does not answer rests. 5 redirects, a time limit, 5 MB.\n\
                 Keys: /.well-known/http-message-signatures-directory, addresses: 8.8.8.0/28\n\n\
                 User-agent: CrumbBot\nDisallow: /\n";
    published(whole, &[]);
    published(&whole.replace("Disallow: /\n", "Disallow: /To keep it out"), &["PG003"]);
    published(&whole.replace("\nDisallow", " Disallow"), &["PG003"]);
    published(&whole.replace("bot@crumb.dev", "[email protected]"), &["PG004", "PG004"]);
    published(&whole.replace("Crumb Ltd", "us"), &["PG002"]);
    published(&whole.replace("CrumbBot/1.0", "CrumbBot/0.9"), &["PG002"]);
    published(&whole.replace("train AI models", "learn"), &["PG005"]);
    published(&whole.replace("render", "draw"), &["PG006"]);
    published(&whole.replace("Retry-After", "waits"), &["PG007"]);
    published(&whole.replace("redirects", "hops"), &["PG009"]);
    published(&whole.replace("8.8.8.0/28", "none"), &["PG010"]);
    let html = format!("<!doctype html><html><p>{}", whole.replace('\n', "<br>"));
    published(&html, &["ID011", "PG011"]);
}

#[cfg(feature = "ranges")]
#[test]
fn a_published_address_file_is_held_against_the_configuration() {
    use bot_etiquette_identity::{BotIdentity, RangeFile};
    use std::time::{Duration, SystemTime};
    let config = format!("{CONFIG}{PROMISE}");
    let made = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let hour = Duration::from_secs(3600);
    let bot = BotIdentity::from_toml(&config).unwrap();
    let count = |file: &str, now: SystemTime| {
        let found = ConfigLint::new(&config).policy(POLICY).ranges(file.as_bytes(), now).run().unwrap();
        assert!(found.iter().all(|finding| finding.id == "ID010"), "{found:#?}");
        found.len()
    };
    let own = RangeFile::of(&bot, made).to_json();
    assert_eq!(count(&own, made), 0);
    assert_eq!(count(&own, made + hour * 48 - Duration::from_secs(1)), 0);
    assert_eq!(count(&own, made + hour * 48), 1);
    assert_eq!(count(&own.replace("8.8.8.0/28", "9.9.9.0/28"), made), 2);
    assert_eq!(count("{}", made), 1);
    assert_eq!(count(&own.replace("synctoken", "token"), made), 1);
}

#[test]
fn a_private_key_in_the_configuration_is_refused_and_not_repeated() {
    for secret in
        ["key = '''\n-----BEGIN PRIVATE KEY-----\nMC4CAQ\n'''", "jwk = '{\"kty\":\"OKP\",\"d\":\"MC4CAQ\"}'"]
    {
        let error = ConfigLint::new(&format!("{secret}\n{CONFIG}")).run().unwrap_err().to_string();
        assert!(error.contains("private key") && !error.contains("MC4CAQ"), "{error}");
    }
}

#[test]
fn an_error_names_the_line() {
    let error = ConfigLint::new(&CONFIG.replace("\"2027-11-30\"", "\"soon\"")).run().unwrap_err();
    assert_eq!(error.key(), Some("about.updated"));
    assert!(error.to_string().starts_with("line 12: about.updated: \"soon\""), "{error}");
    for (from, to, says) in [
        ("renders = false", "renders = 3", "renders"),
        ("renders = false", "render = false", "render"),
        ("8.8.8.0/28", "8.8.8.1/28", "8.8.8.0/28"),
        ("https://crumb.dev/ranges.json", "ftp://crumb.dev", "addresses.url"),
        ("[text.en]", "[text.\"en us\"]", "language tag"),
        ("[promise]\n", "[promise]\nmin_delay = -1\n", "0 or more"),
        ("[promise]\n", "[promise]\nmin_dealy = 1\n", "min_dealy"),
        ("[promise]\n", "[promise]\nbusy_scope = \"all\"\n", "host or path"),
    ] {
        let error = ConfigLint::new(&CONFIG.replace(from, to)).run().unwrap_err();
        assert!(error.to_string().contains(says), "{to}: {error}");
    }
}

proptest::proptest! {
    #[test]
    fn any_texts_are_linted_or_refused(
        line in "(policy|\\[about\\]|\\[promise\\]|min_delay|quota|groups|\\[text.en\\]|key_file|x)[-= \"a-z0-9.\\[\\]{}\n]{0,30}",
        policy in "(\\[default\\]|\\[group.a\\]|\\[host.\"b\"\\])\n(hosts|each|min_delay|per_second|quota) = [-\"a-z0-9.\\[\\]{}=, ]{0,20}\n",
        page in ".{0,100}",
    ) {
        for config in [format!("{CONFIG}{line}"), format!("{line}\n{CONFIG}")] {
            let _ = ConfigLint::new(&config).policy(&policy).page(&page).run();
        }
    }
}

#[test]
fn a_text_in_a_language_of_no_page_is_found() {
    for (table, severity) in [
        ("text.xyz123", Some(Severity::Warning)),
        ("text.english", Some(Severity::Warning)),
        ("text.fr", Some(Severity::Info)),
        ("text.de-CH", Some(Severity::Info)),
        ("text.en", None),
        ("text.ES", None),
    ] {
        let config = format!(
            "user_agent = \"CrumbBot/1.0 (+https://bots.example.net/crumb)\"\ntoken = \"CrumbBot\"\n\
             page = \"https://bots.example.net/crumb\"\ncontact = \"mailto:crumb@bots.example.net\"\n[{table}]\npurpose = \"p\"\n"
        );
        let found = ConfigLint::new(&config).run().unwrap();
        let found =
            found.iter().find(|finding| finding.message.contains("the page is written in en, es, it"));
        let told = found.map(|finding| (finding.id, finding.line, finding.severity));
        assert_eq!(told, severity.map(|severity| ("PG011", Some(5), severity)), "{table}");
    }
}

#[test]
fn what_cannot_be_read_is_told_in_one_line_with_its_number_and_its_kind() {
    for (line, words) in [
        ("max_open = \"x\"", "line 6: max_open: invalid type: string \"x\", expected a whole number"),
        ("max_open = ", "line 6: max_open: string values must be quoted"),
        ("max_opne = 1", "line 6: unknown field `max_opne`"),
        ("signed = 1", "line 6: signed: invalid type: integer `1`, expected true or false"),
    ] {
        let config = format!(
            "user_agent = \"CrumbBot/1.0 (+https://bots.example.net/crumb)\"\ntoken = \"CrumbBot\"\n\
             page = \"https://bots.example.net/crumb\"\ncontact = \"mailto:crumb@bots.example.net\"\n[promise]\n{line}\n"
        );
        let error = ConfigLint::new(&config).run().unwrap_err().to_string();
        assert!(error.starts_with(words) && !error.contains('\n'), "{error}");
    }
}
