//! The bot page: what the three bots promise stands on theirs, and their policies are what it says.

use std::path::{Path, PathBuf};

use bot_etiquette_identity::{BotIdentity, BotPage, Language, Rates};
use bot_etiquette_politeness::{Host, Policy};
use bot_etiquette_robots::{ProductToken, Robots};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn identity(name: &str) -> BotIdentity {
    BotIdentity::from_toml(
        &std::fs::read_to_string(examples().join(format!("identities/{name}.toml"))).unwrap(),
    )
    .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn policy(name: &str) -> String {
    std::fs::read_to_string(examples().join(format!("policies/{name}.toml"))).unwrap()
}

fn text(name: &str, language: Language) -> String {
    let rates = Rates::from_toml(&policy(name)).unwrap();
    BotPage::new(&identity(name)).rates(&rates).language(language).text()
}

/// Each promise by its id, and words of the page that make it.
#[track_caller]
fn promises(name: &str, rows: &[(&str, &[&str])]) {
    let page = text(name, Language::English);
    for (id, words) in rows {
        for word in *words {
            assert!(page.contains(word), "{id}: no {word:?} on the page\n{page}");
        }
    }
}

#[test]
fn the_page_of_the_arcgis_crawler_makes_each_of_its_promises() {
    promises(
        "smart-site-plan",
        &[
            (
                "A1",
                &[
                    "Mozilla/5.0 (compatible; SmartSitePlanBot/1.0; +https://smartsiteplan.com/contact)",
                    "Token in robots.txt: SmartSitePlanBot",
                ],
            ),
            ("A2", &["the folders and services at a server's root, and the list in each folder"]),
            (
                "A3",
                &[
                    "name, extent, geometry type and fields",
                    "two or three requests per service and visit, however many layers",
                ],
            ),
            (
                "A4",
                &[
                    "How many features each layer holds",
                    "one more request for that. Neither brings back features",
                    "again after 30 days at the earliest, for: where a layer's data lies",
                ],
            ),
            ("A5", &["a service's description once more"]),
            ("A6", &["a count and, for a smaller layer, one page of outlines"]),
            (
                "A7",
                &[
                    "tiles that are drawn already",
                    "a limited sample of features",
                    "only when more than 30 days old",
                    "again after 30 days at the earliest, for: a preview picture",
                ],
            ),
            (
                "A8",
                &[
                    "never logs in",
                    "asks for a token counts as not public",
                    "repeated checks",
                    "after 24 hours at the earliest, for: whether a service still asks for a token",
                ],
            ),
            (
                "A9",
                &[
                    "at most 2 requests open at a time on a server",
                    "Shared hosting of ArcGIS Online",
                    "at most 8 requests open at a time",
                    "At most 2 requests open below the same first part of the path",
                    "services.arcgis.com",
                ],
            ),
            ("A10", &["Every request has a time limit", "gives up on a request after 30 seconds"]),
            (
                "A11",
                &[
                    "does not answer at all is left alone for 15 minutes, twice as long after each further failure in a row, up to 24 hours",
                ],
            ),
            (
                "A12",
                &[
                    "HTTP 429, 502, 503, 504",
                    "such as one service, is left alone for 1 hour, twice as long each time",
                    "the longer of the two waits counts",
                    "It holds the whole server",
                ],
            ),
            (
                "A13",
                &[
                    "live, from the layers that match, what they hold there and a preview, under the same name",
                    "at most 1 at a time for: a person's search",
                ],
            ),
            (
                "A14",
                &[
                    "the group for SmartSitePlanBot or, when there is none, the group for *",
                    "kept for 24 hours at most",
                    "A path that is closed to it is not asked",
                    "stays listed, marked as unchecked",
                ],
            ),
            ("A15", &["Crawl-delay is kept up to 2 seconds; a server that asks for more is left alone"]),
            (
                "A16",
                &[
                    "ArcGIS Online and ArcGIS Hub, the query service of Wikidata and the logs of Certificate Transparency",
                    "www.arcgis.com",
                    "At most 2000 requests to a server in any 24 hours",
                ],
            ),
            (
                "A17",
                &[
                    "RFC 9421",
                    "Ed25519",
                    "@authority",
                    "expires 1 minute after",
                    "Signature-Agent names https://smartsiteplan.com",
                    "https://smartsiteplan.com/.well-known/http-message-signatures-directory",
                ],
            ),
            ("A18", &["A named host can be blocked on the operator's side"]),
            ("A19", &["search public map layers by word and place; each result names the server"]),
            ("A20", &["It is not used to train AI models", "no user name, no password and no token"]),
            ("operator", &["run by Juno Maps, LLC", "Write through https://smartsiteplan.com/contact"]),
        ],
    );
}

#[test]
fn the_page_of_the_page_crawler_makes_each_of_its_promises() {
    let browser = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/<version>.0.0.0";
    let named =
        "Safari/537.36 (compatible; SiteSnapshot/1.0; bot; +https://seostudio.com/docs/site-snapshot)";
    promises(
        "site-snapshot",
        &[
            (
                "B1",
                &[
                    "SiteSnapshot/1.0 (+https://seostudio.com/docs/site-snapshot)",
                    "Token in robots.txt: SiteSnapshot",
                    "never sends the name of a search engine",
                ],
            ),
            (
                "B2",
                &[
                    "no other requests than GET, HEAD",
                    "never sends a form, never clicks and never logs in",
                    "no cookie from one page to the next",
                ],
            ),
            ("B3", &["on the site's own host, and on its subdomains when the person asked"]),
            ("B4", &["follows no link marked nofollow, and no link of a page whose robots meta says so"]),
            (
                "B5",
                &[
                    "Google Search Console or Bing Webmaster Tools",
                    "search impressions",
                    "one link deep, up to the site's page limit",
                ],
            ),
            ("B6", &["at most 500 pages a week, from the home page and the sitemaps"]),
            (
                "B7",
                &[
                    "one request open at a time",
                    "waits at least 1 second",
                    "at most 5 redirects",
                    "after 15 seconds",
                    "at most 5 MB",
                    "cut and flagged",
                ],
            ),
            (
                "B8",
                &[
                    "cdn.shopify.com",
                    "At most 8 requests a second over all of them together",
                    "never a site's own server",
                ],
            ),
            ("B9", &["follows the rules written for Googlebot or Bingbot", "still sends its own name"]),
            (
                "B10",
                &[
                    "the host that is asked (@authority) and the field signature-agent",
                    "created, expires, keyid and tag=\"web-bot-auth\"",
                    "in double quotes",
                    "https://seostudio.com/.well-known/http-message-signatures-directory",
                ],
            ),
            ("B11", &["from these addresses alone", "127.0.0.0/8"]),
            (
                "B12",
                &[
                    "reported as \"cannot read your pages\"",
                    "Cloudflare",
                    "Sucuri",
                    "Wordfence",
                    "User-Agent contains SiteSnapshot",
                ],
            ),
            (
                "B13",
                &[
                    "from the HTML that was fetched already",
                    "images, fonts and media never",
                    "15 seconds at most",
                ],
            ),
            (
                "B14",
                &[
                    &format!("Mozilla/5.0 (Linux; Android 10; K) {browser} Mobile {named}"),
                    &format!("Mozilla/5.0 (X11; Linux x86_64) {browser} {named}"),
                ],
            ),
            ("B14a", &["marked as not rendered"]),
            ("B15", &["kept for up to ten minutes"]),
            ("B16", &["keeps no cookie and no storage"]),
            (
                "B17",
                &[
                    "images, stylesheets, scripts, fonts",
                    "by HEAD, and by GET for its first byte",
                    "again after 7 days at the earliest, for: a file that pages load",
                ],
            ),
            (
                "B18",
                &[
                    "the first 32 KB of an image",
                    "offered gzip and brotli",
                    "its unpacked size",
                    "first and last bytes of a PDF",
                ],
            ),
            (
                "B19",
                &[
                    "Links to other sites: by HEAD",
                    "again after 30 days at the earliest, for: a link to another site",
                ],
            ),
            ("B20", &["one page on each of at most 10 domains per crawl"]),
            (
                "B21",
                &[
                    "reads robots.txt before it asks a site for anything else",
                    "the longest matching rule decides, and of two as long, Allow",
                    "Crawl-delay is kept up to 10 seconds",
                    "anew at each visit",
                ],
            ),
            (
                "B22",
                &[
                    "closed to it is never fetched, and when a page is rendered, neither is a closed script, stylesheet or data file",
                ],
            ),
            ("B23", &["desktop edition runs on the person's own computer", "it does not sign"]),
            ("B24", &["what each page says, when it changed, and what is broken, redirected or oversized"]),
        ],
    );
}

#[test]
fn the_page_of_the_feed_reader_makes_each_of_its_promises() {
    promises(
        "city-vibe",
        &[
            (
                "C1",
                &[
                    "CityVibeBot/1.0 (+https://cityvibe.guide/bot-info)",
                    "uses no other User-Agent, and does not change addresses",
                    "Signs its requests: no",
                ],
            ),
            (
                "C2",
                &[
                    "JSON, XML or CSV, at exact addresses",
                    "no HTML pages and no images",
                    "does not render pages",
                ],
            ),
            ("C3", &["never reads e-mail addresses or telephone numbers"]),
            ("C4", &["nothing behind a login or a form"]),
            ("C5", &["every three hours"]),
            (
                "C6",
                &[
                    "the servers that are listed here, and no others",
                    "esmadrid.com, www.esmadrid.com",
                    "do.diba.cat",
                    "datos.madrid.es",
                    "datosabiertos.jcyl.es",
                    "at least 10 seconds",
                    "at least 2 seconds",
                ],
            ),
            ("C7", &["one to five requests per source"]),
            (
                "C8",
                &[
                    "HTTP 429, 503",
                    "left alone for 1 minute, twice as long each time that answer repeats, up to 24 hours",
                    "takes the place of that wait, to the letter",
                    "more than 30 days",
                ],
            ),
            ("C9", &["sends back ETag and Last-Modified"]),
            (
                "C10",
                &[
                    "A person reads it when the adapter of a source is written",
                    "stricter, never looser",
                    "the Crawl-delay is pinned",
                    "the daily look at robots.txt",
                ],
            ),
            ("C11", &["each hop is verified and counted"]),
            ("C12", &["a line that a switch turns off", "numbers in a configuration file"]),
            ("C13", &["each with its source, its licence and a link"]),
            ("C14", &["in seven languages"]),
            ("C15", &["asks for less than it would be allowed"]),
            ("C15a", &["ask what is held of your source"]),
            ("C16", &["shows them together"]),
        ],
    );
}

#[test]
fn the_page_is_written_in_three_languages_and_marks_what_is_in_another() {
    let rates = Rates::from_toml(&policy("city-vibe")).unwrap();
    let bot = identity("city-vibe");
    for (language, words) in [
        (Language::English, &["lang=\"en\"", "Disallow: /\n", "twice as long"][..]),
        (
            Language::Spanish,
            &["lang=\"es\"", "espera al menos 10 segundos", "en siete idiomas", "Disallow: /\n"],
        ),
        (
            Language::Italian,
            &["lang=\"it\"", "aspetta almeno 10 secondi", "in sette lingue", "Disallow: /\n"],
        ),
    ] {
        let html = BotPage::new(&bot).rates(&rates).language(language).html();
        for word in words {
            assert!(html.contains(word), "{language:?}: {word}\n{html}");
        }
        assert_eq!(html.matches("lang=").count(), 1, "all of its texts are there in {language:?}");
    }
    let plan = identity("smart-site-plan");
    let html = BotPage::new(&plan).language(Language::Spanish).html();
    assert!(html.contains("<li lang=\"en\">The directory:"), "{html}");
}

#[test]
fn the_robots_crate_reads_the_examples_as_the_page_says() {
    for name in ["smart-site-plan", "site-snapshot", "city-vibe"] {
        let (bot, rates) = (identity(name), Rates::from_toml(&policy(name)).unwrap());
        let page = BotPage::new(&bot).rates(&rates);
        let token: ProductToken = bot.token().parse().unwrap();
        let html = page.html();
        // As they stand in the page: one after another in <pre>, with every line end.
        let shown: Vec<String> = html
            .split("<pre>")
            .skip(1)
            .filter_map(|part| part.split("</pre>").next())
            .filter(|text| text.starts_with("User-agent:"))
            .map(str::to_owned)
            .collect();
        assert_eq!(shown, page.robots_examples());
        let allowed = |example: usize, path: &str| {
            Robots::parse(shown[example].as_bytes()).rules_for(&token).verdict(path).is_allowed()
        };
        assert!(!allowed(0, "/") && !allowed(0, "/any"));
        assert!(allowed(1, "/") && !allowed(1, "/private/x"));
        assert!(allowed(2, "/"));
        let robots = Robots::parse(shown[2].as_bytes());
        let delay = robots.rules_for(&token).crawl_delay().unwrap();
        let wanted = if name == "smart-site-plan" { 2.0 } else { 5.0 };
        assert_eq!(delay.as_secs_f64(), wanted, "a delay that this bot keeps");
        for example in &shown {
            let found = Robots::parse(example.as_bytes()).diagnostics();
            assert!(found.is_empty(), "{example}: {found:?}");
        }
    }
}

#[test]
fn rates_are_those_by_which_the_bot_runs() {
    for name in ["smart-site-plan", "site-snapshot", "city-vibe"] {
        let text = policy(name);
        let (rates, policy) = (Rates::from_toml(&text).unwrap(), Policy::from_toml(&text).unwrap());
        let mut hosts: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("[host.\"")?.split('"').next())
            .map(str::to_owned)
            .collect();
        assert!(!hosts.is_empty() || name == "site-snapshot");
        hosts.push("elsewhere.example.com".to_owned());
        for host in hosts {
            let table = format!("host.{host}");
            let told = rates.of(&table).or(rates.of("default")).unwrap();
            let kept = policy.rules(&host.parse::<Host>().unwrap());
            assert_eq!(told.min_delay().unwrap().value(), kept.min_delay().as_secs_f64(), "{name} {host}");
            assert_eq!(told.max_open().unwrap(), u64::from(kept.max_open()), "{name} {host}");
        }
    }
    let shared = Rates::from_toml(&policy("smart-site-plan")).unwrap();
    let kept = Policy::from_toml(&policy("smart-site-plan")).unwrap();
    let each = shared.of("group.arcgis-online").unwrap().max_open().unwrap();
    assert_eq!(each, u64::from(kept.rules(&"tiles.arcgis.com".parse().unwrap()).max_open()));
}

const BARE: &str = "user_agent = \"CrumbBot/1.0 (+https://crumb.dev/bot)\"\ntoken = \"CrumbBot\"\n\
                    page = \"https://crumb.dev/bot\"\ncontact = \"mailto:bot@crumb.dev\"\n";

#[test]
fn nothing_is_said_that_nobody_said() {
    let bot = BotIdentity::from_toml(BARE).unwrap();
    let page = BotPage::new(&bot).text();
    for absent in ["AI models", "Renders", "redirects", "Retry-After", "Crawl-delay is kept", "signature"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    for there in ["CrumbBot is a crawler.", "bot@crumb.dev", "There is no such way yet."] {
        assert!(page.contains(there), "{there}: {page}");
    }
}

#[test]
fn without_a_policy_the_promise_is_told() {
    let text = format!(
        "{BARE}[promise]\nmax_open = 1\nmin_delay = 0.5\nbusy_first = 60\nretry_after = true\ncrawl_delay_cap = 7\n"
    );
    let bot = BotIdentity::from_toml(&text).unwrap();
    let page = BotPage::new(&bot).text();
    for there in [
        "waits at least 0.5 seconds",
        "left alone for 1 minute, as long again",
        "Retry-After in an answer is kept",
        "up to 7 seconds",
        "Crawl-delay: 5",
    ] {
        assert!(page.contains(there), "{there}: {page}");
    }
}

#[test]
fn what_the_operator_writes_stays_text() {
    let text = format!(
        "{BARE}[about]\noperator = \"A & B <script>alert(1)</script>\"\n[addresses]\nurl = \"https://crumb.dev/a?b=\\\"c\"\n\
         [text.en]\npurpose = \"</p><img src=x>\"\n[text.en.classes]\nx = \"{{0}} {{\"\n"
    );
    let bot = BotIdentity::from_toml(&text).unwrap();
    let rates = Rates::from_toml("[default]\nrevisit = { x = 60 }\n").unwrap();
    let html = BotPage::new(&bot).rates(&rates).html();
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    assert!(html.contains("A &amp; B &lt;script&gt;"));
    assert!(html.contains("{0} {"), "{html}");
}

#[test]
fn the_address_file_is_linked_for_programs() {
    let text =
        format!("{BARE}[addresses]\nprefixes = [\"8.8.8.0/28\"]\nurl = \"https://crumb.dev/ranges.json\"\n");
    let html = BotPage::new(&BotIdentity::from_toml(&text).unwrap()).html();
    assert!(html.contains("<link rel=\"client-ranges\" href=\"https://crumb.dev/ranges.json\">"), "{html}");
    assert!(html.contains("add each of the addresses above"));
}

proptest::proptest! {
    #[test]
    fn any_policy_is_told_or_refused(text in "\\[default\\]\n(max_open|min_delay|busy_first|hours|quota|revisit|jitter) = [-0-9a-z\\[\\]{}=\". ]{0,20}\n") {
        if let Ok(rates) = Rates::from_toml(&text) {
            let bot = BotIdentity::from_toml(BARE).unwrap();
            for language in Language::ALL {
                let _ = BotPage::new(&bot).rates(&rates).language(*language).html();
            }
        }
    }
}
