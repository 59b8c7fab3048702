//! The three policy files say what the three bots promise.

use bot_etiquette::politeness::{Ask, Outcome, Permit, Policy, Politeness, Refusal, Report, Timestamp};
use url::Url;

struct Bot(Politeness);

impl Bot {
    fn of(policy: &str) -> Self {
        Self(Politeness::new(Policy::from_toml(policy).unwrap()))
    }

    fn ask(&self, second: f64, url: &str, class: &str, resource: Option<&str>) -> Result<Permit, Refusal> {
        let url = Url::parse(url).unwrap();
        let ask = Ask::new(&url).class(class);
        self.0.admit(&resource.map_or(ask, |resource| ask.resource(resource)), at(second))
    }

    #[track_caller]
    fn goes(&self, second: f64, url: &str) -> Permit {
        self.ask(second, url, "crawl", None).unwrap_or_else(|refusal| panic!("{url}: {refusal}"))
    }

    #[track_caller]
    fn waits(&self, second: f64, url: &str, until: f64, code: &str) {
        refused(self.ask(second, url, "crawl", None), Some(until), code);
    }

    fn answered(&self, second: f64, url: &str, status: u16) {
        self.goes(second, url).finish(&Outcome::status(status), at(second));
    }
}

fn at(second: f64) -> Timestamp {
    Timestamp::from_millis((second * 1000.0).round() as u64)
}

#[track_caller]
fn refused(decision: Result<Permit, Refusal>, until: Option<f64>, code: &str) {
    let refusal = decision.expect_err("a refusal");
    assert_eq!(refusal.until(), until.map(at), "{refusal}");
    assert_eq!(refusal.reasons().next().map(|reason| reason.code()), Some(code), "{refusal}");
}

const SMART_SITE_PLAN: &str = include_str!("../policies/smart-site-plan.toml");
const SITE_SNAPSHOT: &str = include_str!("../policies/site-snapshot.toml");
const CITY_VIBE: &str = include_str!("../policies/city-vibe.toml");

#[test]
fn two_requests_are_open_on_a_publishers_server_and_one_of_them_a_search() {
    let bot = Bot::of(SMART_SITE_PLAN);
    let _search = bot.ask(0.0, "https://gis.example/search", "search", None).unwrap();
    refused(bot.ask(0.0, "https://gis.example/more", "search", None), None, "in-flight");
    let _second = bot.goes(0.0, "https://gis.example:6443/a");
    refused(bot.ask(0.0, "http://gis.example:6080/b", "crawl", None), None, "in-flight");
}

#[test]
fn shared_hosting_has_eight_open_and_two_of_one_organisation() {
    let bot = Bot::of(SMART_SITE_PLAN);
    let url =
        |org: u32, page: u32| format!("https://services3.arcgis.com/org{org}/ArcGIS/rest/services/{page}");
    let _open: Vec<Permit> = (0..8).map(|request| bot.goes(0.0, &url(request / 2, request % 2))).collect();
    refused(bot.ask(0.0, &url(9, 0), "crawl", None), None, "in-flight");
    let bot = Bot::of(SMART_SITE_PLAN);
    let _open: Vec<Permit> = (0..2).map(|page| bot.goes(0.0, &url(1, page))).collect();
    refused(bot.ask(0.0, &url(1, 3), "crawl", None), None, "in-flight");
}

#[test]
fn a_busy_service_rests_an_hour_while_its_neighbour_is_asked() {
    let bot = Bot::of(SMART_SITE_PLAN);
    let permit = bot.ask(0.0, "https://gis.example/a", "crawl", Some("a")).unwrap();
    permit.finish(&Outcome::status(504), at(0.0));
    refused(bot.ask(1.0, "https://gis.example/a", "crawl", Some("a")), Some(3600.0), "busy");
    let mut permit = bot.ask(1.0, "https://gis.example/b", "crawl", Some("b")).unwrap();
    permit.report(Some("b"), Report::Busy, at(2.0));
    permit.finish(&Outcome::status(200), at(2.0));
    refused(bot.ask(3.0, "https://gis.example/b", "crawl", Some("b")), Some(3602.0), "busy");
}

#[test]
fn a_preview_is_drawn_again_when_it_is_more_than_thirty_days_old() {
    let bot = Bot::of(SMART_SITE_PLAN);
    let preview = |second| bot.ask(second, "https://gis.example/export", "preview", None);
    preview(0.0).unwrap().finish(&Outcome::status(200), at(0.0));
    refused(preview(2_592_000.0), Some(2_592_000.001), "revisit");
    assert!(preview(2_592_000.001).is_ok());
}

#[test]
fn a_site_is_asked_once_a_second_and_shared_cdns_eight_times_in_all() {
    let bot = Bot::of(SITE_SNAPSHOT);
    bot.answered(0.0, "https://site.example/", 200);
    bot.waits(0.0, "https://site.example/b", 1.0, "min-delay");
    let _first = bot.goes(0.0, "https://cdn.shopify.com/s/files/1/1/a.png");
    bot.waits(0.0, "https://cdn.jsdelivr.net/npm/a.js", 0.125, "group-rate");
    bot.goes(0.125, "https://cdn.jsdelivr.net/npm/a.js")
        .finish(&Outcome::status(429).retry_after(std::time::Duration::from_secs(60)), at(0.2));
    bot.waits(0.3, "https://cdn.shopify.com/b.png", 60.2, "retry-after");
}

#[test]
fn files_are_checked_weekly_and_links_every_thirty_days() {
    for (class, interval) in [("file", 604_800.0), ("link", 2_592_000.0)] {
        let bot = Bot::of(SITE_SNAPSHOT);
        let url = format!("https://{class}.example/x");
        bot.ask(0.0, &url, class, None).unwrap().finish(&Outcome::status(404), at(0.0));
        refused(bot.ask(5.0, &url, class, None), Some(interval), "revisit");
    }
}

#[test]
fn only_listed_feeds_are_asked_each_with_its_pause() {
    let bot = Bot::of(CITY_VIBE);
    refused(bot.ask(0.0, "https://elsewhere.example/", "crawl", None), None, "not-configured");
    for (name, asked_after, pause) in [
        ("www.esmadrid.com", "esmadrid.com", 10.0),
        ("do.diba.cat", "do.diba.cat", 10.0),
        ("datos.madrid.es", "datos.madrid.es", 2.0),
        ("datosabiertos.jcyl.es", "datosabiertos.jcyl.es", 2.0),
    ] {
        bot.answered(0.0, &format!("https://{name}/feed"), 200);
        bot.waits(0.0, &format!("https://{asked_after}/feed"), pause, "min-delay");
    }
}

#[test]
fn a_retry_after_is_kept_to_the_letter_and_never_under_the_pause() {
    let bot = Bot::of(CITY_VIBE);
    let wait = |seconds| Outcome::status(503).retry_after(std::time::Duration::from_secs(seconds));
    bot.goes(0.0, "https://datos.madrid.es/feed").finish(&wait(30), at(0.0));
    bot.waits(0.0, "https://datos.madrid.es/feed", 30.0, "retry-after");
    bot.goes(30.0, "https://datos.madrid.es/feed").finish(&wait(1), at(30.0));
    bot.waits(30.0, "https://datos.madrid.es/feed", 32.0, "min-delay");
    bot.goes(40.0, "https://datos.madrid.es/feed").finish(&wait(2_592_001), at(40.0));
    refused(
        bot.ask(9_999_999.0, "https://datos.madrid.es/feed", "crawl", None),
        None,
        "retry-after-too-long",
    );
}
