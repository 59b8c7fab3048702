//! One rude client after the other, each caught by the rule it breaks.

use std::time::Duration;

use bot_etiquette_referee::{Page, Promise, RetryAfter, Rule, Site};

use crate::client::{Connection, Rig, pause, unix};
use crate::signer::{AGENT, Plan, directory};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The two sites that most of them visit.
fn sites() -> [Site; 2] {
    let home = "<a href=/a>a</a> <a rel=nofollow href=/trap>t</a> <form action=/find><input name=q></form> \
                <a href='http://b.example/'>b</a>";
    let a = Site::new("a.example")
        .robots("User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n")
        .page(Page::new("/").body(home))
        .page(Page::new("/a").body("a").etag("\"v1\""))
        .page(Page::new("/cookie").header("Set-Cookie", "id=1").body("c"))
        .page(Page::new("/quiet").header("X-Robots-Tag", "nofollow").body("<a href=/hidden>h</a>"))
        .page(Page::new("/busy").status(429).retry_after(RetryAfter::Seconds(2)))
        .page(Page::new("/dated").status(503).retry_after(RetryAfter::Date(3)))
        .page(Page::new("/dated850").status(503).retry_after(RetryAfter::Rfc850(3)))
        .page(Page::new("/datedc").status(503).retry_after(RetryAfter::Asctime(3)))
        .page(Page::new("/overloaded").status(503))
        .page(Page::new("/silent").no_answer())
        .page(Page::new("/slow").delay(millis(400)).body("slow"))
        .page(Page::new("/endless").per_second_bytes(0).body("endless"))
        .page(Page::new("/big").bytes_of(5000))
        .page(Page::new("/huge").bytes_of(400_000))
        .page(Page::new("/r0").redirect("/r1"))
        .page(Page::new("/r1").redirect("/r2"))
        .page(Page::new("/r2").redirect("/r3"))
        .page(Page::new("/loop").redirect("/loop"))
        .page(Page::new("/away").redirect("http://b.example/there"))
        .page(Page::new("/into").redirect("/private/x"))
        .page(Page::new("/later").redirect("/soon").retry_after(RetryAfter::Seconds(2)));
    let b = Site::new("b.example").robots_answer(Page::new("/robots.txt").status(503));
    [a, b]
}

/// Lets `client` loose and expects `rule` to be broken, and no rule but those in `beside` with it.
#[track_caller]
fn caught(rule: Rule, beside: &[Rule], promise: Promise, client: impl FnOnce(&Rig)) {
    let rig = Rig::new(sites(), promise, 1.0);
    client(&rig);
    let report = rig.finish();
    assert!(report.broken().contains(&rule), "{rule} was not seen:\n{report}");
    let others: Vec<Rule> =
        report.broken().into_iter().filter(|found| *found != rule && !beside.contains(found)).collect();
    assert!(others.is_empty(), "{others:?} were seen too:\n{report}");
    assert!(
        report.violations().iter().all(|found| found.at >= 0.0 && !found.evidence.is_empty()),
        "{report}"
    );
}

const UA: (&str, &str) = ("User-Agent", "MyBot/1.0 (+https://bot.example)");

fn named() -> Promise {
    Promise::new().user_agent("MyBot/1.0 (+https://bot.example)")
}

#[test]
fn another_name_no_name_or_two_names() {
    for fields in [&[("User-Agent", "Googlebot/2.1")][..], &[], &[UA, UA], &[("User-Agent", "MyBot/1.0")]] {
        caught(Rule::UserAgent, &[], named(), |rig| {
            rig.ask("GET", "a.example/robots.txt", fields);
        });
    }
}

#[test]
fn no_mailbox_or_a_foreign_one() {
    for fields in [&[][..], &[("From", "x@other.example")], &[("From", "")]] {
        caught(Rule::FromMissing, &[], Promise::new().from("me@bot.example"), |rig| {
            rig.ask("GET", "a.example/", fields);
        });
    }
}

#[test]
fn robots_txt_never_late_or_unheeded() {
    let promise = || Promise::new().robots_first(true);
    caught(Rule::RobotsFirst, &[], promise(), |rig| {
        rig.get("a.example/");
    });
    caught(Rule::RobotsFirst, &[], promise(), |rig| {
        rig.get("a.example/");
        rig.get("a.example/robots.txt");
    });
    // That of the one site is not that of the other.
    caught(Rule::RobotsFirst, &[], promise(), |rig| {
        rig.get("a.example/robots.txt");
        rig.get("b.example/");
    });
    // A server error closes the site.
    caught(Rule::RobotsFirst, &[], promise(), |rig| {
        assert_eq!(rig.get("b.example/robots.txt").status, 503);
        rig.get("b.example/");
    });
}

#[test]
fn an_old_robots_txt() {
    caught(Rule::RobotsStale, &[], Promise::new().robots_max_age(millis(300)), |rig| {
        rig.get("a.example/robots.txt");
        pause(0.6);
        rig.get("a.example/");
    });
}

#[test]
fn closed_paths_in_any_spelling() {
    for path in ["/private/", "/private/x", "/%70rivate/x", "/a/../private/x", "/x?private"] {
        caught(
            Rule::ClosedPath,
            &[],
            Promise::new().closed_path("/private/").closed_path("/*?private"),
            |rig| {
                rig.get(&format!("a.example{path}"));
            },
        );
    }
}

#[test]
fn too_soon_after_the_end_or_the_start() {
    caught(Rule::MinDelay, &[], Promise::new().max_open(1).min_delay(millis(500)), |rig| {
        rig.get("a.example/");
        pause(0.3);
        rig.get("a.example/a");
    });
    // The pause counts from the end of a slow answer.
    caught(Rule::MinDelay, &[], Promise::new().max_open(1).min_delay(millis(500)), |rig| {
        rig.get("a.example/slow");
        pause(0.3);
        rig.get("a.example/a");
    });
    caught(Rule::MinDelay, &[], Promise::new().max_open(2).min_delay(millis(500)), |rig| {
        rig.get("a.example/robots.txt");
        rig.get("a.example/");
    });
}

#[test]
fn a_crawl_delay_unheeded() {
    caught(Rule::CrawlDelay, &[], Promise::new().crawl_delay_cap(Duration::MAX), |rig| {
        rig.get("a.example/robots.txt");
        pause(0.5);
        rig.get("a.example/");
    });
}

#[test]
fn too_many_at_once_or_piped() {
    caught(Rule::MaxOpen, &[], Promise::new().max_open(2), |rig| {
        let mut open: Vec<Connection> = (0..3).map(|_| Connection::open(rig.address())).collect();
        for connection in &mut open {
            connection.request("GET", "a.example/slow", &[]);
        }
        for connection in &mut open {
            connection.read("GET", u64::MAX);
        }
    });
    caught(Rule::MaxOpen, &[], Promise::new().max_open(1), |rig| {
        let mut one = Connection::open(rig.address());
        one.request("GET", "a.example/slow", &[]);
        pause(0.1);
        one.request("GET", "a.example/a", &[]);
        assert_eq!((one.read("GET", 99).status, one.read("GET", 99).status), (200, 200));
    });
}

#[test]
fn a_group_asked_faster_than_its_rate() {
    caught(Rule::GroupRate, &[], Promise::new().group(&["a.example", "b.example"], 4.0), |rig| {
        rig.get("a.example/");
        rig.get("b.example/");
    });
}

#[test]
fn back_before_retry_after_in_each_form() {
    for path in ["/busy", "/dated", "/dated850", "/datedc"] {
        caught(Rule::RetryAfter, &[], Promise::new().retry_after(true), |rig| {
            assert!(matches!(rig.get(&format!("a.example{path}")).status, 429 | 503));
            pause(0.3);
            rig.get("a.example/");
        });
    }
    caught(Rule::RetryAfter, &[], Promise::new().retry_after(true), |rig| {
        rig.get("a.example/later");
        rig.get("a.example/soon");
    });
}

#[test]
fn back_at_once_after_a_503_without_a_word() {
    caught(Rule::BusyBackoff, &[], Promise::new().busy_first(seconds(2)), |rig| {
        rig.get("a.example/overloaded");
        pause(0.2);
        rig.get("a.example/");
    });
    // A second one in a row doubles the wait, where that is promised.
    caught(Rule::BusyBackoff, &[], Promise::new().busy_first(millis(200)).busy_factor(4.0), |rig| {
        rig.get("a.example/overloaded");
        pause(0.3);
        rig.get("a.example/overloaded");
        pause(0.3);
        rig.get("a.example/");
    });
    caught(Rule::BusyBackoff, &[], Promise::new().busy_first(seconds(2)).busy_by_path(true), |rig| {
        rig.get("a.example/overloaded");
        rig.get("a.example/overloaded");
    });
}

#[test]
fn back_at_once_after_silence() {
    caught(Rule::UnreachableBackoff, &[], Promise::new().unreachable_first(seconds(2)), |rig| {
        assert_eq!(rig.get("a.example/silent").status, 0);
        rig.get("a.example/");
    });
    // Not waiting for an answer is having had none.
    caught(Rule::UnreachableBackoff, &[], Promise::new().unreachable_first(seconds(2)), |rig| {
        let mut one = Connection::open(rig.address());
        one.request("GET", "a.example/slow", &[]);
        drop(one);
        pause(0.2);
        rig.get("a.example/");
    });
}

fn signed() -> Promise {
    Promise::new().signed(true).key_directory(&directory())
}

fn send_signed(rig: &Rig, plan: &Plan, agent: Option<&str>) {
    let (input, signature) = plan.sign();
    let mut fields = vec![("Signature-Input", input.as_str()), ("Signature", signature.as_str())];
    fields.extend(agent.map(|agent| ("Signature-Agent", agent)));
    rig.ask("GET", "a.example/", &fields);
}

#[test]
fn unsigned_or_signed_for_something_else() {
    caught(Rule::Unsigned, &[], signed(), |rig| {
        rig.get("a.example/");
    });
    caught(Rule::Unsigned, &[Rule::AgentHeader], signed(), |rig| {
        send_signed(rig, &Plan { tag: "other", ..Plan::new("a.example", unix(0)) }, Some(AGENT));
    });
}

#[test]
fn signatures_that_are_not_good() {
    let good = || Plan::new("a.example", unix(0));
    for plan in [
        Plan { authority: "b.example".into(), ..good() },
        Plan { key: 8, ..good() },
        Plan { covered: r#""@method" "signature-agent""#, ..good() },
        Plan { covered: r#""@authority" "signature-agent" "@authority""#, ..good() },
        Plan { covered: r#""@authority" "signature-agent" "@status""#, ..good() },
        Plan { covered: r#""@authority" "signature-agent" "x-not-there""#, ..good() },
        Plan { created: unix(600), expires: unix(660), ..good() },
        Plan { expires: unix(100_000), ..good() },
        Plan { created: unix(2), expires: unix(2), ..good() },
    ] {
        caught(Rule::BadSignature, &[], signed(), |rig| send_signed(rig, &plan, Some(AGENT)));
    }
    caught(Rule::BadSignature, &[Rule::AgentHeader], signed(), |rig| {
        rig.ask("GET", "a.example/", &[("Signature", "sig1=:AAAA:"), ("Signature-Agent", AGENT)]);
    });
}

#[test]
fn a_signature_that_had_run_out() {
    caught(Rule::ExpiredSignature, &[], signed(), |rig| {
        send_signed(
            rig,
            &Plan { created: unix(-90), expires: unix(-30), ..Plan::new("a.example", 0) },
            Some(AGENT),
        );
    });
}

#[test]
fn a_signature_or_nonce_used_twice() {
    caught(Rule::ReusedSignature, &[], signed(), |rig| {
        let plan = Plan::new("a.example", unix(-3));
        send_signed(rig, &plan, Some(AGENT));
        send_signed(rig, &plan, Some(AGENT));
    });
    caught(Rule::ReusedSignature, &[], signed(), |rig| {
        let plan = Plan { nonce: Some("once"), ..Plan::new("a.example", unix(0)) };
        send_signed(rig, &plan, Some(AGENT));
        send_signed(rig, &Plan { created: unix(1), ..plan }, Some(AGENT));
    });
}

#[test]
fn a_signature_agent_that_is_bare_plain_or_not_covered() {
    for agent in
        ["https://bot.example", "\"http://bot.example\"", "\"bot.example\"", "sig1=https", "sig1=\"ftp://x\""]
    {
        caught(Rule::AgentHeader, &[], Promise::new(), |rig| {
            rig.ask("GET", "a.example/", &[("Signature-Agent", agent)]);
        });
    }
    caught(Rule::AgentHeader, &[], signed(), |rig| {
        send_signed(rig, &Plan { covered: "\"@authority\"", ..Plan::new("a.example", unix(0)) }, Some(AGENT));
    });
    caught(Rule::AgentHeader, &[], signed(), |rig| {
        send_signed(rig, &Plan { covered: "\"@authority\"", ..Plan::new("a.example", unix(0)) }, None);
    });
    caught(Rule::AgentHeader, &[], Promise::new(), |rig| {
        rig.ask("GET", "a.example/", &[("Signature-Agent", AGENT)]);
    });
}

#[test]
fn a_cookie_given_back() {
    caught(Rule::Cookie, &[], Promise::new(), |rig| {
        let cookie = rig.get("a.example/cookie").value("set-cookie").unwrap().to_owned();
        rig.ask("GET", "a.example/a", &[("Cookie", &cookie)]);
    });
}

#[test]
fn credentials_in_a_field_or_an_address() {
    for field in [("Authorization", "Basic eDp5"), ("Proxy-Authorization", "x"), ("X-Api-Key", "k")] {
        caught(Rule::Credentials, &[], Promise::new(), |rig| {
            rig.ask("GET", "a.example/", &[field]);
        });
    }
    caught(Rule::Credentials, &[], Promise::new(), |rig| {
        rig.get("a.example/a?token=abc");
    });
    caught(Rule::Credentials, &[], Promise::new(), |rig| {
        let mut one = Connection::open(rig.address());
        one.send(b"GET http://me:pw@a.example/a HTTP/1.1\r\nHost: a.example\r\n\r\n");
        assert_eq!(one.read("GET", 99).status, 200);
    });
}

#[test]
fn methods_that_change_things() {
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
        caught(Rule::Method, &[], Promise::new(), |rig| {
            rig.ask(method, "a.example/a", &[]);
        });
    }
    caught(Rule::Method, &[], Promise::new().methods(&["GET"]), |rig| {
        rig.ask("HEAD", "a.example/a", &[]);
    });
}

#[test]
fn a_form_filled_in() {
    caught(Rule::Form, &[Rule::Method], Promise::new(), |rig| {
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        rig.ask("POST", "a.example/login", &[kind, ("body", "user=x")]);
    });
    caught(Rule::Form, &[], Promise::new(), |rig| {
        rig.get("a.example/");
        rig.get("a.example/find?q=everything");
    });
}

#[test]
fn a_link_marked_nofollow() {
    caught(Rule::Nofollow, &[], Promise::new().nofollow(true), |rig| {
        rig.get("a.example/");
        rig.get("a.example/trap");
    });
    caught(Rule::Nofollow, &[], Promise::new().nofollow(true), |rig| {
        rig.get("a.example/quiet");
        rig.get("a.example/hidden");
    });
}

#[test]
fn a_site_outside_the_scope() {
    caught(Rule::OffScope, &[], Promise::new().scope(&["a.example"]), |rig| {
        rig.get("a.example/");
        rig.get("b.example/robots.txt");
    });
    caught(Rule::OffScope, &[], Promise::new().scope(&["a.example"]), |rig| {
        rig.get("c.example/");
    });
}

#[test]
fn redirects_without_end() {
    caught(Rule::Redirects, &[], Promise::new().max_redirects(2), |rig| {
        for path in ["/r0", "/r1", "/r2", "/r3"] {
            rig.get(&format!("a.example{path}"));
        }
    });
    caught(Rule::Redirects, &[], Promise::new().max_redirects(5), |rig| {
        for _ in 0..7 {
            rig.get("a.example/loop");
        }
    });
}

#[test]
fn redirects_followed_past_robots_txt() {
    caught(Rule::RedirectRobots, &[Rule::RobotsFirst], Promise::new().robots_first(true), |rig| {
        rig.get("a.example/robots.txt");
        rig.get("a.example/away");
        rig.get("b.example/there");
    });
    caught(Rule::RedirectRobots, &[Rule::ClosedPath], Promise::new().closed_path("/private/"), |rig| {
        rig.get("a.example/into");
        rig.get("a.example/private/x");
    });
}

#[test]
fn more_of_a_body_than_promised() {
    for path in ["/big", "/huge"] {
        caught(Rule::BodyLimit, &[], Promise::new().max_body(1000), |rig| {
            assert!(rig.get(&format!("a.example{path}")).body.len() >= 5000);
        });
    }
}

#[test]
fn waiting_without_end() {
    for path in ["/slow", "/endless"] {
        caught(Rule::TimeLimit, &[], Promise::new().time_limit(millis(100)), |rig| {
            let mut one = Connection::open(rig.address());
            one.request("GET", &format!("a.example{path}"), &[]);
            pause(0.45);
        });
    }
}

#[test]
fn a_page_taken_again_whole() {
    caught(Rule::Unconditional, &[], Promise::new().conditional(true), |rig| {
        rig.get("a.example/a");
        rig.get("a.example/a");
    });
    caught(Rule::Unconditional, &[], Promise::new().conditional(true), |rig| {
        rig.get("a.example/a");
        rig.ask("GET", "a.example/a", &[("If-None-Match", "v1")]);
    });
}

#[test]
fn the_same_page_too_soon() {
    caught(Rule::Revisit, &[], Promise::new().revisit(seconds(60)), |rig| {
        rig.get("a.example/a");
        rig.get("a.example/a#part");
    });
}

#[test]
fn more_than_the_quota_or_the_budget() {
    caught(Rule::Quota, &[], Promise::new().quota(3, seconds(60)), |rig| {
        for page in 0..4 {
            rig.get(&format!("a.example/{page}"));
        }
    });
    caught(Rule::Budget, &[], Promise::new().max_requests(3), |rig| {
        for page in 0..4 {
            rig.get(&format!("a.example/{page}"));
        }
    });
}

#[test]
fn a_canary_brought_back() {
    let promise = || Promise::new().canary("maria.r@people.example");
    for target in
        ["/?q=maria.r@people.example", "/?q=Maria.R%40people.example", "/maria.r%2540people.example"]
    {
        caught(Rule::PersonalData, &[], promise(), |rig| {
            rig.get(&format!("a.example{target}"));
        });
    }
    caught(Rule::PersonalData, &[], promise(), |rig| {
        rig.ask("GET", "a.example/", &[("Referer", "http://x/?maria.r@people.example")]);
    });
    caught(Rule::PersonalData, &[Rule::Method], promise(), |rig| {
        rig.ask("POST", "a.example/log", &[("body", "seen: maria.r@people.example")]);
    });
}

#[test]
fn a_browser_behind_the_crawlers_back() {
    let promise = || named().browser(false);
    caught(Rule::BrowserLeak, &[], promise(), |rig| {
        rig.ask("GET", "a.example/", &[UA, ("Sec-Fetch-Mode", "no-cors")]);
    });
    caught(Rule::BrowserLeak, &[Rule::UserAgent], promise(), |rig| {
        rig.ask("GET", "a.example/", &[("User-Agent", "Mozilla/5.0 (X11) HeadlessChrome/130.0.0.0")]);
    });
    caught(Rule::BrowserLeak, &[], promise(), |rig| {
        rig.ask("GET", "a.example/", &[UA]);
        pause(0.2);
        let quiet = Connection::open(rig.address());
        pause(0.1);
        drop(quiet);
    });
    caught(Rule::BrowserLeak, &[], promise(), |rig| {
        rig.ask("GET", "a.example/", &[UA]);
        Connection::open(rig.address()).send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
        pause(0.1);
    });
}

#[test]
fn evidence_holds_no_secret_and_no_canary() {
    let rig = Rig::new(sites(), Promise::new().canary("maria.r@people.example"), 1.0);
    rig.ask(
        "GET",
        "a.example/a?token=s3cret&x=1",
        &[("Cookie", "id=c00kie"), ("Authorization", "Basic passw0rd")],
    );
    rig.get("a.example/?q=maria.r@people.example");
    let report = rig.finish().to_string();
    assert!(report.contains("credentials") && report.contains("personal-data"), "{report}");
    for secret in ["s3cret", "c00kie", "passw0rd", "maria"] {
        assert!(!report.contains(secret), "{secret} in\n{report}");
    }
}

#[test]
fn what_a_sitemap_lists_is_no_trap_and_no_secret_of_the_crawler() {
    let site = Site::new("a.example")
        .page(Page::new("/").body("<a rel=nofollow href=/trap>t</a> <a rel=nofollow href=/next>n</a>"))
        .page(Page::new("/sitemap.txt").body("http://a.example/trap\nhttp://a.example/x?token=public\n"))
        .page(Page::new("/list").header("Link", "</next>; rel=next").body("<p>more"));
    let rig = Rig::new([site], Promise::new().nofollow(true), 1.0);
    for path in ["/", "/sitemap.txt", "/list", "/trap", "/next", "/x?token=public"] {
        rig.get(&format!("a.example{path}"));
    }
    let report = rig.finish();
    assert!(report.is_clean(), "{report}");
}
