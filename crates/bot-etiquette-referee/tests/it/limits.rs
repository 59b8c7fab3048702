//! Limits at one below, at and one above.

use bot_etiquette_referee::{Page, Promise, Rule, Site, read_log};

use crate::client::{Connection, Rig};

fn site() -> [Site; 1] {
    [Site::new("a.example").page(Page::new("/").body("ok")).page(Page::new("/body").bytes_of(1000))]
}

#[test]
fn a_body_of_exactly_the_limit_is_no_fault() {
    for (limit, expected) in [(999, &[Rule::BodyLimit][..]), (1000, &[]), (1001, &[])] {
        let rig = Rig::new(site(), Promise::new().max_body(limit), 1.0);
        assert_eq!(rig.get("a.example/body").body.len(), 1000);
        let report = rig.finish();
        assert_eq!(report.broken(), expected, "{limit}: {report}");
    }
}

#[test]
fn hanging_up_at_the_limit_is_no_fault() {
    let big = Site::new("a.example").page(Page::new("/big").bytes_of(1_000_000));
    let rig = Rig::new([big], Promise::new().max_body(10_000), 1.0);
    let mut one = Connection::open(rig.address());
    one.request("GET", "a.example/big", &[]);
    assert_eq!(one.read("GET", 10_001).body.len(), 10_001);
    drop(one);
    let report = rig.finish();
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_head_of_64_kib_is_read_and_a_longer_one_is_not() {
    // A whole head is read whatever came with it; only one that has no end by then is refused.
    let head = |length: usize| {
        let start = "GET / HTTP/1.1\r\nHost: a.example\r\nX: ";
        format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
    };
    for (length, status) in [(64 * 1024 - 1, 200), (64 * 1024, 200)] {
        let rig = Rig::new(site(), Promise::new(), 1.0);
        let mut one = Connection::open(rig.address());
        one.send(head(length).as_bytes());
        assert_eq!(one.read("GET", 99).status, status, "{length}");
    }
    let rig = Rig::new(site(), Promise::new(), 1.0);
    let mut one = Connection::open(rig.address());
    let endless = head(80 * 1024);
    let _ =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| one.send(&endless.as_bytes()[..79 * 1024])));
    assert_eq!(one.read("GET", 99).status, 0);
}

#[test]
fn a_report_keeps_ten_thousand_violations_of_each_rule_and_counts_the_rest() {
    for (requests, kept, more) in [(9_999, 9_999, None), (10_000, 10_000, None), (10_001, 10_000, Some(1))] {
        let log = "{\"at\":0,\"path\":\"/x\"}\n".repeat(requests);
        let report = read_log(log.as_bytes(), Promise::new().closed_path("/x")).unwrap();
        assert_eq!((report.requests(), report.violations().len()), (requests as u64, kept));
        assert_eq!(report.left_out().get(&Rule::ClosedPath).copied(), more);
        assert!(report.to_string().starts_with(&format!("{requests} requests, {requests} violations\n")));
        assert_eq!(report.to_string().contains("  and 1 more of closed-path\n"), more.is_some());
    }
}

#[test]
fn a_rule_broken_at_every_request_hides_no_graver_one() {
    let log = "{\"at\":0,\"path\":\"/\"}\n".repeat(30_000) + "{\"at\":9,\"path\":\"/private/\"}";
    let promise = Promise::new().min_delay(std::time::Duration::from_secs(1)).closed_path("/private/");
    let report = read_log(log.as_bytes(), promise).unwrap();
    assert_eq!(report.broken(), [Rule::ClosedPath, Rule::MinDelay]);
    assert_eq!(report.left_out().iter().collect::<Vec<_>>(), [(&Rule::MinDelay, &19_999)]);
}

#[test]
fn the_promised_number_itself_is_kept() {
    let log = "{\"at\":0,\"path\":\"/\"}\n{\"at\":1,\"path\":\"/\"}\n{\"at\":2,\"path\":\"/\"}\n";
    let second = std::time::Duration::from_secs(1);
    for (promise, expected) in [
        (Promise::new().max_requests(2), &[Rule::Budget][..]),
        (Promise::new().max_requests(3), &[]),
        (Promise::new().quota(2, 2 * second), &[]),
        (Promise::new().quota(2, 2 * second + second / 10), &[Rule::Quota]),
        (Promise::new().min_delay(second), &[]),
        (Promise::new().min_delay(second + second / 1000), &[Rule::MinDelay]),
        (Promise::new().revisit(second), &[]),
        (Promise::new().revisit(second + second / 1000), &[Rule::Revisit]),
    ] {
        let report = read_log(log.as_bytes(), promise).unwrap();
        assert_eq!(report.broken(), expected, "{report}");
    }
}

#[test]
fn a_request_body_of_one_mib_is_read_and_a_longer_one_is_not() {
    const MOST: usize = 1024 * 1024;
    for (length, status) in [(MOST - 1, 200), (MOST, 200), (MOST + 1, 0)] {
        let rig = Rig::new(site(), Promise::new(), 1.0);
        let mut one = Connection::open(rig.address());
        one.send(
            format!("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: {length}\r\n\r\n").as_bytes(),
        );
        if status == 200 {
            one.send(&vec![b'x'; length]);
        }
        assert_eq!(one.read("POST", 99).status, status, "{length}");
        assert_eq!(rig.finish().requests(), u64::from(status == 200));
    }
}
