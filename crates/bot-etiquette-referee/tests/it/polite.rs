//! A polite client under every promise at once: not one false alarm over a thousand requests.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bot_etiquette_referee::{Asked, Page, Promise, RetryAfter, Site};

use crate::client::{Connection, Reply, Rig, now, pause, unix};
use crate::signer::{AGENT, Plan, directory};

/// Scaled seconds in a real one: the promises below are in scaled seconds.
const SCALE: f64 = 200.0;
const MAX_BODY: u64 = 1000;

fn promise() -> Promise {
    let seconds = Duration::from_secs;
    Promise::new()
        .user_agent("PoliteBot/1.0 (+https://bot.example)")
        .from("me@bot.example")
        .robots_first(true)
        .robots_max_age(seconds(600))
        .closed_path("/private/")
        .max_open(1)
        .min_delay(seconds(1))
        .crawl_delay_cap(Duration::MAX)
        .group(&["a.example", "b.example"], 2.0)
        .retry_after(true)
        .busy_first(seconds(4))
        .busy_factor(2.0)
        .unreachable_first(seconds(4))
        .unreachable_factor(2.0)
        .signed(true)
        .key_directory(&directory())
        .nofollow(true)
        .scope(&["a.example", "b.example"])
        .max_redirects(2)
        .max_body(MAX_BODY)
        .time_limit(seconds(60))
        .conditional(true)
        .revisit(seconds(5))
        .quota(500, seconds(60))
        .max_requests(5000)
        .canary("maria.r@people.example")
        .browser(false)
}

/// Every tenth page or so is trouble of some kind, the first time it is asked for.
fn page(asked: &Asked<'_>) -> Option<Page> {
    let number: u64 = asked.target.rsplit('/').next()?.parse().ok()?;
    let page = Page::new(asked.target);
    Some(match (asked.before, number % 100) {
        (0, 7) => page.status(429).retry_after(RetryAfter::Seconds(3)),
        (0, 11) => page.status(503).retry_after(RetryAfter::Date(2)),
        (0..=1, 17) => page.status(503),
        (0..=1, 23) => page.no_answer(),
        (0, 27) => page.bytes_of(700).break_after(100),
        (_, 29) => page.bytes_of(5000),
        (_, 31) if asked.target.starts_with("/p/") => page.redirect(&format!("/q/{number}")),
        (_, 37) => page.body("the same for ever").etag("W/\"1\""),
        (0, 41) => page.delay(Duration::from_secs(200)).body("late"),
        _ => page.body("<a href=/private/x>x</a><a rel=nofollow href=/trap>t</a> maria.r@people.example"),
    })
}

/// What the client knows of one host.
#[derive(Default)]
struct Host {
    connection: Option<Connection>,
    free_at: Option<Instant>,
    robots_at: Option<Instant>,
    busy: i32,
    silent: i32,
}

struct Polite {
    rig: Rig,
    hosts: HashMap<&'static str, Host>,
    tags: HashMap<String, String>,
    last_end: Instant,
}

impl Polite {
    fn wait(&self, host: &'static str) {
        let pause_end = self.last_end + Duration::from_millis(6);
        let until = self.hosts[host].free_at.map_or(pause_end, |free| free.max(pause_end));
        pause(until.saturating_duration_since(now()).as_secs_f64());
    }

    fn hold(&mut self, host: &'static str, scaled: f64) {
        let until = now() + Duration::from_secs_f64(scaled / SCALE + 0.002);
        let host = self.hosts.get_mut(host).unwrap();
        host.free_at = Some(host.free_at.map_or(until, |free| free.max(until)));
    }

    /// One exchange, with everything that was promised.
    fn exchange(&mut self, host: &'static str, path: &str) -> Reply {
        self.wait(host);
        let url = format!("{host}{path}");
        let (input, signature) = Plan::new(host, unix(0)).sign();
        let mut fields = vec![
            ("User-Agent", "PoliteBot/1.0 (+https://bot.example)"),
            ("From", "me@bot.example"),
            ("Signature-Agent", AGENT),
            ("Signature-Input", &input),
            ("Signature", &signature),
        ];
        fields.extend(self.tags.get(&url).map(|tag| ("If-None-Match", tag.as_str())));
        let address = self.rig.address();
        let known = self.hosts.get_mut(host).unwrap();
        let mut connection = known.connection.take().unwrap_or_else(|| Connection::open(address));
        connection.patience(Duration::from_millis(150));
        connection.request("GET", &url, &fields);
        let reply = connection.read("GET", MAX_BODY + 1);
        let closed = reply.status == 0 || reply.value("connection") == Some("close");
        if !closed && reply.body.len() as u64 <= MAX_BODY {
            known.connection = Some(connection);
        } else {
            drop(connection);
        }
        self.last_end = now();
        match reply.status {
            0 => {
                known.silent += 1;
                let step = 4.0 * 2_f64.powi(known.silent - 1);
                self.hold(host, step);
            }
            429 | 503 => {
                known.busy += 1;
                let step = 4.0 * 2_f64.powi(known.busy - 1);
                // The dates of this test are two seconds ahead.
                let asked = reply.value("retry-after").map(|value| value.parse().unwrap_or(2.0));
                self.hold(host, asked.unwrap_or(step));
            }
            _ => (known.silent, known.busy) = (0, 0),
        }
        if let (200, Some(tag)) = (reply.status, reply.value("etag")) {
            self.tags.insert(url, tag.to_owned());
        }
        reply
    }

    /// A page, after robots.txt where it is due, until it is there.
    fn fetch(&mut self, host: &'static str, path: &str) -> u16 {
        let mut path = path.to_owned();
        for _ in 0..6 {
            let due = self.hosts[host].robots_at.is_none_or(|at| now() - at > Duration::from_secs(2));
            if due {
                assert_eq!(self.exchange(host, "/robots.txt").status, 200);
                self.hosts.get_mut(host).unwrap().robots_at = Some(now());
            }
            let reply = self.exchange(host, &path);
            match reply.status {
                0 | 429 | 503 => {}
                302 => path = reply.value("location").unwrap().to_owned(),
                status => return status,
            }
        }
        panic!("{host}{path} never answered");
    }
}

#[test]
fn a_polite_client_draws_no_false_alarm_over_a_thousand_requests() {
    let site =
        |name| Site::new(name).robots("User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n").handler(page);
    let rig = Rig::new([site("a.example"), site("b.example")], promise(), SCALE);
    let hosts = HashMap::from([("a.example", Host::default()), ("b.example", Host::default())]);
    let mut client = Polite { rig, hosts, tags: HashMap::new(), last_end: now() };
    for number in 0..480 {
        for host in ["a.example", "b.example"] {
            assert_eq!(client.fetch(host, &format!("/p/{number}")), 200);
        }
    }
    for number in [37, 137, 237] {
        assert_eq!(client.fetch("a.example", &format!("/p/{number}")), 304);
    }
    client.hosts.clear();
    let report = client.rig.finish();
    assert!(report.requests() >= 1000, "{report}");
    assert!(report.is_clean(), "{report}");
    let figures = &report.figures().hosts["a.example"];
    assert_eq!(figures.most_open, 1);
    assert!(figures.smallest_pause.unwrap() >= 1.0, "{report}");
}
