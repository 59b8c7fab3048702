//! One request after the other: how many, whither, with what, and what their answers change.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bot_etiquette::politeness::Ask;
use bot_etiquette::referee::{Page, RetryAfter, Site};
use bot_etiquette_examples::feed_bot::config::EVERY;
use bot_etiquette_examples::feed_bot::record::seconds;
use bot_etiquette_examples::feed_bot::schedule::{self, Round};
use bot_etiquette_examples::feed_bot::switch;
use bot_etiquette_examples::talk::Talk;

use crate::town::{self, HOST, Town, feed, page};

const READ: Round = Round { read: 1, not_read: 0 };
const NOT_READ: Round = Round { read: 0, not_read: 1 };
const SCALE: u32 = 5_000;

fn url(path: &str) -> String {
    format!("http://{HOST}{path}")
}

/// Runs once in a town whose one host has these pages; what went wrong.
async fn problem(name: &str, pages: Vec<Page>, urls: &[&str], redirects: &[&str], requests: u64) -> String {
    let site = pages.into_iter().fold(Site::new(HOST), Site::page);
    let other = Site::new("elsewhere.example").page(page("/feed.json", &["Danza"]));
    let mut town = Town::found(name, SCALE, vec![site, other], urls, redirects).await;
    town.round().await;
    let problem = town.problem();
    // The daily look comes first.
    town.kept(requests + 1);
    problem
}

#[tokio::test]
async fn a_sixth_request_is_never_made() {
    let hop = |at: u32| Page::new(&format!("/{at}.json")).redirect(&format!("/{}.json", at + 1));
    let pages = (1..=6).map(hop).collect();
    let problem = problem("sixth", pages, &[&url("/1.json")], &[], 5).await;
    assert!(problem.contains("more than five requests"), "{problem}");
}

#[tokio::test]
async fn a_redirect_to_a_host_that_is_not_listed_is_not_followed() {
    let pages = vec![Page::new("/a.json").redirect("http://elsewhere.example/feed.json")];
    let problem = problem("unlisted", pages, &[&url("/a.json")], &[], 1).await;
    assert!(problem.contains("elsewhere.example, which is not listed"), "{problem}");
}

#[tokio::test]
async fn a_redirect_to_a_closed_path_is_not_followed() {
    let site = Site::new(HOST).page(Page::new("/a.json").redirect("/api/a.json"));
    let mut town = Town::found("closed", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    town::review(&town.folder, HOST, "/api/", "");
    assert_eq!(town.round().await, NOT_READ);
    assert!(town.problem().contains("closes the address"), "{}", town.problem());
    town.kept(2);
}

#[tokio::test]
async fn a_redirect_to_a_page_or_a_picture_is_not_followed() {
    for (name, target) in [("page", "/agenda.html"), ("picture", "/agenda.JPG")] {
        let pages = vec![Page::new("/a.json").redirect(target)];
        let problem = problem(name, pages, &[&url("/a.json")], &[], 1).await;
        assert!(problem.contains("a page, a picture or a login"), "{problem}");
    }
}

#[tokio::test]
async fn a_circle_of_redirects_ends() {
    let pages = vec![Page::new("/a.json").redirect("/b.json"), Page::new("/b.json").redirect("/a.json")];
    let problem = problem("circle", pages, &[&url("/a.json")], &[], 2).await;
    assert!(problem.contains("in a circle"), "{problem}");
}

#[tokio::test]
async fn what_a_redirect_carries_is_not_repeated() {
    let pages = vec![Page::new("/a.json").redirect("http://elsewhere.example/?email=persona@example.org")];
    let problem = problem("carried", pages, &[&url("/a.json")], &[], 1).await;
    assert!(!problem.contains("persona"), "{problem}");
}

#[tokio::test]
async fn pages_and_pictures_are_dropped_at_their_head() {
    for (name, kind, said) in [
        ("html", "text/html; charset=utf-8", "an HTML page"),
        ("image", "image/png", "a picture"),
        ("xhtml", "application/xhtml+xml", "an HTML page"),
    ] {
        let answer = Page::new("/a.json").header("Content-Type", kind).body(feed(&["Danza"]));
        let problem = problem(&format!("head-{name}"), vec![answer], &[&url("/a.json")], &[], 1).await;
        assert!(problem.starts_with(said), "{problem}");
    }
}

#[tokio::test]
async fn nothing_behind_a_login_is_asked_for() {
    for status in [401, 403, 407] {
        let pages = vec![Page::new("/a.json").status(status)];
        let problem = problem(&format!("login-{status}"), pages, &[&url("/a.json")], &[], 1).await;
        assert!(problem.contains("nothing behind a login"), "{problem}");
    }
}

#[tokio::test]
async fn an_outage_keeps_the_last_good_events_and_says_since_when() {
    let html = Page::new("/a.json").header("Content-Type", "application/json").body("<!DOCTYPE html><html>");
    let site = Site::new(HOST)
        .page(page("/a.json", &["Danza", "Teatro"]))
        .page(Page::new("/a.json").header("Content-Type", "application/json"))
        .page(html)
        .page(Page::new("/a.json").header("Content-Type", "application/json").body("{\"success\":false}"))
        .page(page("/a.json", &["Danza", "Teatro"]));
    let mut town = Town::found("outage", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    assert_eq!(town.round().await, READ);
    assert_eq!(town.next_round().await, NOT_READ, "an empty answer");
    let since = town.row().record.failing_since;
    assert!(since.is_some() && town.problem().starts_with("nothing came in the place"), "{}", town.problem());
    for what in ["an HTML page", "an error of the server's interface"] {
        assert_eq!(town.next_round().await, NOT_READ);
        assert!(town.problem().starts_with(what), "{}", town.problem());
        assert_eq!(town.row().record.failing_since, since, "the first of them");
        assert_eq!(town.titles(), ["Danza", "Teatro"]);
    }
    assert_eq!(town.next_round().await, READ);
    assert_eq!((town.row().record.failing_since, town.problem().as_str()), (None, ""));
    town.kept(6);
}

#[tokio::test]
async fn validators_go_back_byte_for_byte_and_outlive_a_restart() {
    for (name, etag) in [("weak", "W/\"a-gzip\""), ("unquoted", "RSS-f3fd")] {
        let date = "Sat, 31 Oct 2026 07:28:00 GMT";
        let answer = page("/a.json", &["Danza"]).etag(etag).header("Last-Modified", date);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        let site = Site::new(HOST).handler(move |asked| {
            let conditions = asked.headers.iter().filter(|(name, _)| name.starts_with("if-")).cloned();
            noted.lock().unwrap().push(conditions.collect::<Vec<_>>());
            Some(answer.clone())
        });
        let mut town = Town::found(&format!("etag-{name}"), SCALE, vec![site], &[&url("/a.json")], &[]).await;
        town.round().await;
        town.restart();
        assert_eq!(town.next_round().await, READ);
        assert!(town.row().record.last_304.is_some());
        assert_eq!(town.titles(), ["Danza"]);
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut sent = seen.lock().unwrap()[1].clone();
        sent.sort();
        assert_eq!(sent, [field("if-modified-since", date), field("if-none-match", etag)]);
        town.kept(3);
    }
}

#[tokio::test]
async fn a_new_validator_counts_although_the_feed_says_the_same() {
    let site = Site::new(HOST)
        .page(page("/a.json", &["Danza"]).etag("\"one\""))
        .page(page("/a.json", &["Danza"]).etag("\"two\""));
    let mut town = Town::found("renewed", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    town.round().await;
    town.next_round().await;
    let record = town.row().record;
    assert_eq!((record.added, record.changed, record.unchanged), (0, 0, 1));
    town.next_round().await;
    assert!(town.row().record.last_304.is_some(), "asked with the second, which the site knows");
    town.kept(4);
}

#[tokio::test]
async fn a_feed_that_broke_off_keeps_the_old_validators_and_all_events() {
    let cut = feed(&["Danza", "Teatro nuevo", "Cine"]);
    let cut = &cut[..cut.len() - 40];
    let site = Site::new(HOST)
        .page(page("/a.json", &["Danza", "Teatro"]).etag("\"one\""))
        .page(Page::new("/a.json").header("Content-Type", "application/json").etag("\"two\"").body(cut))
        .page(page("/a.json", &["Danza"]).etag("\"three\""));
    let mut town = Town::found("broken", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    town.round().await;
    assert_eq!(town.next_round().await, NOT_READ);
    assert!(town.problem().contains("broke off"), "{}", town.problem());
    assert_eq!(
        town.titles(),
        ["Danza", "Teatro nuevo"],
        "what came before the cut counts, and nothing is gone"
    );
    let address = url("/a.json");
    let known = town.session().reader.kept().page("town", &address).unwrap().unwrap();
    assert_eq!(known.validators.unwrap().etag().unwrap(), "\"one\"");
    // One event of two is suspiciously few: it is not believed at once.
    assert_eq!(town.next_round().await, READ);
    assert_eq!(town.titles(), ["Danza", "Teatro nuevo"]);
    assert!(town.row().record.remarks.iter().any(|remark| remark.starts_with("far fewer records")));
    town.kept(4);
}

#[tokio::test]
async fn an_unchanged_feed_whose_events_are_lost_is_taken_whole_in_the_same_run() {
    let site = Site::new(HOST).page(page("/a.json", &["Danza"]).etag("\"one\""));
    let mut town = Town::found("lost", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    town.round().await;
    town.session().reader.kept().state().connection().execute("DELETE FROM event", []).unwrap();
    assert_eq!(town.next_round().await, READ);
    assert_eq!((town.titles(), town.row().used), (vec!["Danza".to_owned()], 2));
    // The referee cannot know that the events were lost: it calls the last request unconditional.
    assert_eq!(town.report().requests(), 4);
}

#[tokio::test]
async fn an_event_is_gone_only_when_a_whole_feed_lacks_it() {
    let counted = |titles: &[&str], total: u32| {
        let text = feed(titles).replacen('{', &format!("{{\"total\":{total},"), 1);
        Page::new("/a.json").header("Content-Type", "application/json").body(text)
    };
    let site = Site::new(HOST)
        .page(counted(&["Danza", "Teatro", "Cine", "Circo"], 4))
        .page(counted(&["Danza", "Teatro", "Cine"], 4))
        .page(counted(&["Danza", "Teatro", "Cine"], 3));
    let mut town = Town::found("gone", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    town.round().await;
    assert_eq!(town.next_round().await, READ);
    assert_eq!(
        (town.titles().len(), town.row().record.gone),
        (4, 0),
        "one of four is missing, and was announced"
    );
    assert_eq!(town.next_round().await, READ);
    assert_eq!((town.titles().len(), town.row().record.gone), (3, 1));
    town.kept(4);
}

#[tokio::test]
async fn a_source_that_is_turned_off_is_asked_nothing_more() {
    let folder = town::folder("off");
    let sources = folder.join("sources.toml");
    let site = Site::new(HOST).handler(move |asked| {
        // A person turns it off while the first page is on its way.
        switch::turn(&sources, "town", false).unwrap();
        Some(page(asked.target, &["Danza"]))
    });
    let urls = [url("/1.json"), url("/2.json")];
    let urls = [urls[0].as_str(), urls[1].as_str()];
    let mut town = Town::within(folder, "", SCALE, vec![site], &urls, &[]).await;
    assert_eq!(town.round().await, NOT_READ);
    assert_eq!(town.titles(), ["Danza"], "what had come is kept");
    let text = std::fs::read_to_string(&town.sources).unwrap();
    assert!(text.contains("on = false # the switch"), "{text}");
    town.sleep_until_due().await;
    assert_eq!(town.round().await, Round::default());
    town.kept(2);
}

#[tokio::test]
async fn a_configuration_that_becomes_unreadable_stops_the_bot_and_names_the_key() {
    let folder = town::folder("typo");
    let sources = folder.join("sources.toml");
    let site = Site::new(HOST).handler(move |asked| {
        let text = std::fs::read_to_string(&sources).unwrap();
        std::fs::write(&sources, text.replace("on = true", "onn = false")).unwrap();
        Some(page(asked.target, &["Danza"]))
    });
    let urls = [url("/1.json"), url("/2.json")];
    let urls = [urls[0].as_str(), urls[1].as_str()];
    let mut town = Town::within(folder, "", SCALE, vec![site], &urls, &[]).await;
    town.round().await;
    assert!(town.problem().contains("nothing is asked until"), "{}", town.problem());
    assert!(town.problem().contains("onn"), "{}", town.problem());
    town.kept(2);
}

#[tokio::test]
async fn a_longer_pause_acts_from_the_next_request_on() {
    let folder = town::folder("slower");
    let sources = folder.join("sources.toml");
    let site = Site::new(HOST).handler(move |asked| {
        let text = std::fs::read_to_string(&sources).unwrap();
        std::fs::write(&sources, format!("{text}\n[host.\"{HOST}\"]\npause = 50.0\n"))
            .ok()
            .filter(|()| asked.before == 0);
        Some(page(asked.target, &["Danza"]))
    });
    let urls = [url("/1.json"), url("/2.json")];
    let urls = [urls[0].as_str(), urls[1].as_str()];
    let mut town = Town::within(folder, "", 50, vec![site], &urls, &[]).await;
    let started = std::time::Instant::now();
    town.round().await;
    // 50 seconds of a clock that runs 50 times as fast.
    assert!(started.elapsed() >= std::time::Duration::from_millis(900));
    let waits = town.session().reader.ledger().hosts()[HOST].waits.clone();
    assert!(waits.values().map(|waited| waited.seconds).fold(0.0, f64::max) > 30.0, "{waits:?}");
}

#[tokio::test]
async fn a_retry_after_is_kept_to_the_letter_by_the_whole_host() {
    let site = Site::new(HOST).page(Page::new("/a.json").status(429).retry_after(RetryAfter::Seconds(4000)));
    let mut town = Town::found("retry", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    assert_eq!(town.round().await, NOT_READ);
    let reader = &town.session().reader;
    let other = url("/anything.json").parse().unwrap();
    let now = reader.clock.now().into();
    let refusal = reader.kept().state().politeness.check(&Ask::new(&other), now).unwrap_err();
    let left = refusal.until().unwrap().since(now).as_secs();
    assert!((3000..=4000).contains(&left), "{left}");
    town.kept(2);
}

#[tokio::test]
async fn a_run_that_a_hold_kept_from_asking_is_skipped_and_not_doubled() {
    let site = Site::new(HOST)
        .page(Page::new("/a.json").status(503).retry_after(RetryAfter::Seconds(4 * 3600)))
        .page(page("/a.json", &["Danza"]));
    let mut town = Town::found("skipped", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    town.round().await;
    let first = town.row().due;
    assert_eq!(town.next_round().await, NOT_READ, "held for another hour");
    assert!(town.problem().contains("has to wait"), "{}", town.problem());
    assert_eq!(town.row().used, 0);
    assert!(town.row().due >= first + 3 * 3600);
    assert_eq!(town.round().await, Round::default(), "not at once again");
    assert_eq!(town.next_round().await, READ);
    assert_eq!(town.row().used, 1, "one run, not two");
    town.kept(3);
}

#[tokio::test]
async fn a_page_after_the_announced_last_is_not_asked_for() {
    let text = feed(&["Danza"]).replacen('{', "{\"total\":1,", 1);
    let site = Site::new(HOST)
        .page(Page::new("/1.json").header("Content-Type", "application/json").body(text))
        .page(page("/2.json", &["Teatro"]));
    let urls = [url("/1.json"), url("/2.json")];
    let urls = [urls[0].as_str(), urls[1].as_str()];
    let mut town = Town::found("last", SCALE, vec![site], &urls, &[]).await;
    assert_eq!(town.round().await, READ);
    town.kept(2);
}

#[tokio::test]
async fn hours_in_a_named_zone_move_a_run_to_when_they_open() {
    // Two hours that begin ten hours from now, whatever the hour is.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let hour = |later: u64| (now / 3600 + later) % 24;
    let lines = format!(
        "[host.\"{HOST}\"]\nhours = [{{ from = \"{:02}:00\", to = \"{:02}:00\", zone = \"Etc/UTC\" }}]\n",
        hour(10),
        hour(12)
    );
    let site = Site::new(HOST).page(page("/a.json", &["Danza"]));
    let mut town = Town::with("hours", &lines, SCALE, vec![site], &[&url("/a.json")], &[]).await;
    assert_eq!(town.round().await, NOT_READ);
    assert!(town.problem().contains("hours"), "{}", town.problem());
    let due = town.row().due;
    assert!(due > now + 8 * 3600 && due % 3600 < 5, "{due}");
    assert_eq!(town.report().requests(), 0, "nothing, robots.txt neither");
    assert_eq!(town.next_round().await, READ);
    town.kept(2);
}

#[tokio::test]
async fn first_runs_are_spread_by_their_phases_and_later_ones_are_three_hours_apart() {
    let asked: Arc<Mutex<Vec<(String, u64)>>> = Arc::default();
    let (noted, started) = (Arc::clone(&asked), std::time::Instant::now());
    let site = Site::new(HOST).handler(move |request| {
        let at = started.elapsed() * SCALE;
        noted.lock().unwrap().push((request.target.to_owned(), at.as_secs()));
        Some(page(request.target, &["Danza"]))
    });
    let mut town = Town::found("phases", SCALE, vec![site], &[&url("/a.json")], &[]).await;
    let text = std::fs::read_to_string(&town.sources).unwrap();
    let later = "\n[[source]]\nid = \"later\"\non = true\nmap = \"map.toml\"\nphase = 3600\n";
    std::fs::write(&town.sources, format!("{text}{later}urls = [{:?}]\n", url("/b.json"))).unwrap();
    let session = town.session();
    let rounds = Mutex::new(0);
    let talk = Talk::new(true);
    let forever = schedule::forever(&session.reader, &talk, async |_| {
        *rounds.lock().unwrap() += 1;
        Ok(())
    });
    // Five hours and a half of its clock.
    let over = tokio::time::timeout(std::time::Duration::from_secs(4), forever).await;
    assert!(over.is_err(), "it goes on until it is stopped");
    let asked = asked.lock().unwrap();
    let of =
        |path: &str| asked.iter().filter(|(target, _)| target == path).map(|(_, at)| *at).collect::<Vec<_>>();
    let (first, second) = (of("/a.json"), of("/b.json"));
    assert!(second[0] >= 3600, "{second:?}");
    assert!(first.len() >= 2 && first.windows(2).all(|pair| pair[1] - pair[0] >= 3 * 3600), "{first:?}");
    assert!(*rounds.lock().unwrap() >= 2);
}

/// One round, and those of a bot that is started again when the clock has been set by so much; how many requests there were
/// after each: at once, and three hours later.
async fn stepped(name: &str, back: Duration, on: Duration) -> [usize; 3] {
    let pages = [page("/1.json", &["Danza"]), page("/1.json", &["Cine"])];
    let site = pages.into_iter().fold(Site::new(HOST), Site::page);
    let mut town = Town::found(name, 1000, vec![site], &[&url("/1.json")], &[]).await;
    town.round().await;
    let mut asked = vec![town.report().requests()];
    town.restart_at(|now| now - back + on);
    town.round().await;
    asked.push(town.report().requests());
    let clock = town.session().reader.clock;
    let due = town.row().due;
    let wait = Duration::from_secs(due.saturating_sub(seconds(clock.now())));
    assert!(wait <= EVERY + Duration::from_secs(60), "{name}: {wait:?} is no three hours");
    tokio::time::sleep(clock.real_duration(wait + Duration::from_secs(1))).await;
    town.round().await;
    asked.push(town.report().requests());
    assert!(town.report().is_clean(), "{}", town.report());
    asked.try_into().map(|asked: [u64; 3]| asked.map(|asked| asked as usize)).unwrap()
}

#[tokio::test]
async fn runs_and_looks_keep_their_distance_when_the_clock_steps_between_two_runs() {
    let (hour, zero) = (Duration::from_secs(3_600), Duration::ZERO);
    let (hours, days, years) = tokio::join!(
        stepped("hour-back", hour, zero),
        stepped("day-back", 24 * hour, zero),
        stepped("year-back", 365 * 24 * hour, zero),
    );
    // robots.txt and the feed; nothing at once; the feed three hours later.
    assert_eq!([hours, days, years], [[2, 2, 3]; 3]);
    let (hours, days, years) = tokio::join!(
        stepped("hour-on", zero, hour),
        stepped("day-on", zero, 24 * hour),
        stepped("year-on", zero, 365 * 24 * hour),
    );
    assert_eq!(hours, [2, 2, 3]);
    // A day on, both are due at once.
    assert_eq!([days, years], [[2, 4, 5]; 2]);
}
