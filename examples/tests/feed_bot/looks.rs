//! robots.txt: a person's review is the rule, the daily look may only make it stricter.

use bot_etiquette::referee::{Page, Site};
use bot_etiquette_examples::feed_bot::schedule::Round;

use crate::town::{HOST, Town, page, review};

const READ: Round = Round { read: 1, not_read: 0 };

fn address() -> String {
    format!("http://{HOST}/a.json")
}

async fn town(name: &str, scale: u32, robots: Page) -> Town {
    let site = Site::new(HOST).robots_answer(robots).page(page("/a.json", &["Danza"]).etag("\"1\""));
    Town::found(name, scale, vec![site], &[&address()], &[]).await
}

fn text(robots: &str) -> Page {
    Page::new("/robots.txt").header("Content-Type", "text/plain").body(robots)
}

#[tokio::test]
async fn robots_txt_is_looked_at_once_a_day_and_with_its_validators() {
    let mut town = town("daily", 20_000, text("User-agent: *\nDisallow: /x\n").etag("\"r\"")).await;
    for _ in 0..9 {
        assert_eq!(town.round().await, READ);
        town.sleep_until_due().await;
    }
    let look = town.session().reader.kept().look(&format!("http://{HOST}")).unwrap().unwrap();
    assert_eq!(look.outcome, "unchanged", "nine runs are more than a day: the second look was conditional");
    assert_eq!(look.drift, ["stricter: Disallow: /x is new"], "and what it had found stands");
    town.kept(9 + 2);
}

#[tokio::test]
async fn a_live_file_that_closes_an_address_turns_its_source_away() {
    for (name, robots) in
        [("own", "User-agent: CityVibeBot\nDisallow: /\n"), ("all", "User-agent: *\nDisallow: /a.json\n")]
    {
        let mut town = town(&format!("closes-{name}"), 5_000, text(robots)).await;
        assert_eq!(town.round().await, Round { read: 0, not_read: 1 });
        assert!(town.problem().contains("closes the address"), "{}", town.problem());
        // After a restart too.
        town.restart();
        town.next_round().await;
        assert!(town.problem().contains("closes the address"), "{}", town.problem());
        town.kept(1);
    }
}

#[tokio::test]
async fn a_longer_crawl_delay_is_kept_and_a_shorter_one_is_not() {
    for (name, live, kept) in [("longer", "30", 30.0), ("shorter", "2", 10.0)] {
        let robots = text(&format!("User-agent: *\nCrawl-delay: {live}\n"));
        let mut town = town(&format!("delay-{name}"), 20, robots).await;
        review(&town.folder, HOST, "", "crawl_delay = 10.0");
        town.round().await;
        let ledger = town.session().reader.ledger().hosts();
        let waited: f64 = ledger[HOST].waits.values().map(|waited| waited.seconds).sum();
        // The time between the look and the feed; the wait itself is what is left of it.
        assert!(waited > kept - 8.0 && waited <= kept, "{name}: {waited}");
        town.kept(2);
    }
}

#[tokio::test]
async fn a_file_that_is_gone_or_cannot_be_had_changes_nothing() {
    for (name, answer) in [
        ("gone", Page::new("/robots.txt").status(404)),
        ("moved", Page::new("/robots.txt").redirect("http://elsewhere.example/robots.txt")),
        ("html", Page::new("/robots.txt").header("Content-Type", "text/html").body("<html>hello</html>")),
    ] {
        let mut town = town(&format!("robots-{name}"), 5_000, answer).await;
        review(&town.folder, HOST, "/secret/", "");
        assert_eq!(town.round().await, READ);
        town.kept(2);
    }
}

#[tokio::test]
async fn a_look_that_failed_is_not_repeated_that_day() {
    let mut town = town("failed", 5_000, Page::new("/robots.txt").status(500)).await;
    assert_eq!(town.round().await, READ);
    assert_eq!(town.next_round().await, READ);
    town.kept(3);
}

#[tokio::test]
async fn a_host_whose_rules_nobody_has_read_is_not_asked() {
    let mut town = town("pending", 5_000, text("")).await;
    let file = town.folder.join(format!("reviews/{HOST}.toml"));
    let reviewed = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, reviewed.replace("2026-11-02", "pending")).unwrap();
    town.round().await;
    assert!(town.problem().contains("nobody has reviewed"), "{}", town.problem());
    town.kept(0);
}
