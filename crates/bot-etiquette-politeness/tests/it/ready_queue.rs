use std::collections::BTreeMap;

use bot_etiquette_politeness::{Priority, ReadyQueue, SLOT_RECHECK, Timestamp};
use proptest::prelude::*;

type Queue = ReadyQueue<&'static str, u32>;

const fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[track_caller]
fn gives(queue: &mut Queue, now: u64, item: Option<&str>) {
    assert_eq!(queue.pop(at(now)).map(|ready| ready.item), item, "at {now}");
}

#[test]
fn an_empty_queue_has_nothing_to_wait_for() {
    let mut queue = Queue::new();
    assert!(queue.is_empty());
    assert_eq!(queue.next_wakeup(), None);
    gives(&mut queue, 0, None);
}

#[test]
fn within_a_host_the_priority_decides_then_the_order_of_arrival() {
    let mut queue = Queue::new();
    for (priority, item) in [
        (Priority::Crawl, "crawl 1"),
        (Priority::Crawl, "crawl 2"),
        (Priority::Recheck, "recheck"),
        (Priority::User, "user"),
        (Priority::Robots, "robots"),
        (Priority::User, "user 2"),
    ] {
        queue.push(1, priority, item, at(0));
    }
    for item in ["robots", "user", "user 2", "recheck", "crawl 1", "crawl 2"] {
        gives(&mut queue, 0, Some(item));
    }
    assert!(queue.is_empty());
}

#[test]
fn hosts_take_turns_however_long_their_lines_are() {
    let mut queue = Queue::new();
    for item in ["a1", "a2", "a3"] {
        queue.push(1, Priority::Robots, item, at(0));
    }
    queue.push(2, Priority::Crawl, "b1", at(0));
    queue.push(3, Priority::Crawl, "c1", at(0));
    for item in ["a1", "b1", "c1", "a2", "a3"] {
        gives(&mut queue, 0, Some(item));
    }
}

#[test]
fn a_host_that_waits_holds_up_no_other() {
    let mut queue = Queue::new();
    queue.push(1, Priority::Crawl, "a1", at(0));
    queue.push(1, Priority::Crawl, "a2", at(0));
    queue.push(2, Priority::Crawl, "b1", at(0));
    let first = queue.pop(at(0)).expect("a1");
    queue.put_back(first, Some(at(5000)), at(0));
    gives(&mut queue, 0, Some("b1"));
    gives(&mut queue, 4999, None);
    assert_eq!(queue.next_wakeup(), Some(at(5000)));
    gives(&mut queue, 5000, Some("a1"));
}

#[test]
fn what_a_person_waits_for_jumps_the_line_but_not_the_hold() {
    let mut queue = Queue::new();
    queue.push(1, Priority::Crawl, "crawl", at(0));
    let crawl = queue.pop(at(0)).expect("crawl");
    queue.put_back(crawl, Some(at(900)), at(0));
    queue.push(1, Priority::User, "user", at(10));
    gives(&mut queue, 10, None);
    gives(&mut queue, 900, Some("user"));
    gives(&mut queue, 900, Some("crawl"));
}

#[test]
fn an_item_aside_holds_up_no_other_of_its_host_and_returns_to_its_place() {
    let mut queue = Queue::new();
    for item in ["a1", "a2", "a3"] {
        queue.push(1, Priority::Crawl, item, at(0));
    }
    let first = queue.pop(at(0)).expect("a1");
    queue.set_aside(first, Some(at(3_600_000)), at(0));
    gives(&mut queue, 0, Some("a2"));
    assert_eq!(queue.len(), 2);
    gives(&mut queue, 3_600_000, Some("a1"));
    gives(&mut queue, 3_600_000, Some("a3"));
}

#[test]
fn an_item_aside_comes_no_earlier_than_its_host() {
    let mut queue = Queue::new();
    queue.push(1, Priority::Crawl, "a1", at(0));
    queue.push(1, Priority::Crawl, "a2", at(0));
    let first = queue.pop(at(0)).expect("a1");
    queue.set_aside(first, Some(at(100)), at(0));
    let second = queue.pop(at(0)).expect("a2");
    queue.put_back(second, Some(at(500)), at(0));
    gives(&mut queue, 100, None);
    assert_eq!(queue.next_wakeup(), Some(at(500)));
    gives(&mut queue, 500, Some("a1"));
}

#[test]
fn a_slot_wakes_what_waits_for_it_at_once() {
    let mut queue = Queue::new();
    queue.push(1, Priority::Crawl, "a1", at(0));
    let first = queue.pop(at(0)).expect("a1");
    queue.put_back(first, None, at(0));
    gives(&mut queue, 10, None);
    queue.wake(1, at(20));
    gives(&mut queue, 20, Some("a1"));

    queue.push(1, Priority::Crawl, "search", at(20));
    let search = queue.pop(at(20)).expect("search");
    queue.set_aside(search, None, at(20));
    gives(&mut queue, 30, None);
    queue.wake(1, at(40));
    gives(&mut queue, 40, Some("search"));
}

#[test]
fn a_slot_does_not_wake_a_host_under_a_hold() {
    let mut queue = Queue::new();
    queue.push(1, Priority::Crawl, "a1", at(0));
    let first = queue.pop(at(0)).expect("a1");
    queue.put_back(first, Some(at(900)), at(0));
    queue.wake(1, at(20));
    gives(&mut queue, 899, None);
    assert_eq!(queue.next_wakeup(), Some(at(900)));
}

#[test]
fn a_slot_that_nobody_tells_of_is_looked_for() {
    let recheck = u64::try_from(SLOT_RECHECK.as_millis()).unwrap();
    for aside in [false, true] {
        let mut queue = Queue::new();
        queue.push(1, Priority::Crawl, "a1", at(0));
        let first = queue.pop(at(0)).expect("a1");
        if aside {
            queue.set_aside(first, None, at(0));
        } else {
            queue.put_back(first, None, at(0));
        }
        gives(&mut queue, recheck - 1, None);
        assert_eq!(queue.next_wakeup(), Some(at(recheck)));
        gives(&mut queue, recheck, Some("a1"));
    }
}

#[test]
fn a_host_that_leaves_takes_all_its_items_along() {
    let mut queue = Queue::new();
    for item in ["a1", "a2", "a3"] {
        queue.push(1, Priority::Crawl, item, at(0));
    }
    queue.push(2, Priority::Crawl, "b1", at(0));
    let first = queue.pop(at(0)).expect("a1");
    queue.set_aside(first, Some(at(50)), at(0));
    let mut removed: Vec<_> = queue.remove(1).into_iter().map(|ready| ready.item).collect();
    removed.sort_unstable();
    assert_eq!(removed, ["a1", "a2", "a3"]);
    assert!(queue.remove(1).is_empty());
    assert_eq!(queue.len(), 1);
    gives(&mut queue, 50, Some("b1"));
    assert!(queue.pop(at(u64::MAX)).is_none());
}

#[derive(Debug, Clone)]
enum Step {
    Push { host: u32, priority: Priority },
    Pop(Then),
    Wake(u32),
    Remove(u32),
    Pass(u64),
}

#[derive(Debug, Clone, Copy)]
enum Then {
    Ask,
    PutBack(Option<u64>),
    SetAside(Option<u64>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let priority =
        prop::sample::select(vec![Priority::Robots, Priority::User, Priority::Recheck, Priority::Crawl]);
    let wait = prop::option::of(0..2000u64);
    let then =
        prop_oneof![Just(Then::Ask), wait.clone().prop_map(Then::PutBack), wait.prop_map(Then::SetAside),];
    let step = prop_oneof![
        4 => (0..5u32, priority).prop_map(|(host, priority)| Step::Push { host, priority }),
        6 => then.prop_map(Step::Pop),
        1 => (0..5u32).prop_map(Step::Wake),
        1 => (0..5u32).prop_map(Step::Remove),
        3 => (0..800u64).prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 0..200)
}

/// What is known of one queued item without any structure: nothing but a list.
#[derive(Debug, Clone)]
struct Entry {
    host: u32,
    priority: Priority,
    /// The item's own wait, and whether it is for a slot.
    until: u64,
    wants_slot: bool,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_queue_agrees_with_a_plain_list(steps in steps()) {
        let mut queue: ReadyQueue<u64, u32> = ReadyQueue::new();
        let mut list: BTreeMap<u64, Entry> = BTreeMap::new();
        let mut hosts: BTreeMap<u32, (u64, bool)> = BTreeMap::new();
        let (mut now, mut next_item) = (1_000u64, 0u64);
        let recheck = u64::try_from(SLOT_RECHECK.as_millis()).unwrap();
        for step in steps {
            match step {
                Step::Pass(millis) => now += millis,
                Step::Push { host, priority } => {
                    queue.push(host, priority, next_item, at(now));
                    list.insert(next_item, Entry { host, priority, until: 0, wants_slot: false });
                    next_item += 1;
                }
                Step::Wake(host) => {
                    queue.wake(host, at(now));
                    if let Some((not_before, slot)) = hosts.get_mut(&host) && std::mem::take(slot) {
                        *not_before = now;
                    }
                    for entry in list.values_mut().filter(|entry| entry.host == host && entry.wants_slot) {
                        (entry.until, entry.wants_slot) = (now, false);
                    }
                }
                Step::Remove(host) => {
                    let mut removed: Vec<u64> = queue.remove(host).into_iter().map(|ready| ready.item).collect();
                    removed.sort_unstable();
                    let expected: Vec<u64> =
                        list.iter().filter(|(_, entry)| entry.host == host).map(|(item, _)| *item).collect();
                    prop_assert_eq!(removed, expected);
                    list.retain(|_, entry| entry.host != host);
                }
                Step::Pop(then) => {
                    let due = |entry: &Entry| {
                        let host = hosts.get(&entry.host).map_or(0, |(not_before, _)| *not_before);
                        entry.until.max(host)
                    };
                    let earliest = list.values().map(due).min();
                    prop_assert_eq!(
                        queue.next_wakeup().map(|at| at.as_millis().max(now)),
                        earliest.map(|due| due.max(now))
                    );
                    let Some(ready) = queue.pop(at(now)) else {
                        prop_assert!(earliest.is_none_or(|due| due > now), "nothing at {}, due {:?}", now, earliest);
                        continue;
                    };
                    let entry = list.get(&ready.item).cloned().expect("each item comes once");
                    prop_assert!(due(&entry) <= now, "too early");
                    prop_assert_eq!((ready.host, ready.priority()), (entry.host, entry.priority));
                    let first = list
                        .iter()
                        .filter(|(_, other)| other.host == entry.host && due(other) <= now)
                        .map(|(item, other)| (other.priority, *item))
                        .min();
                    prop_assert_eq!(first, Some((entry.priority, ready.item)), "the first of its host");
                    for other in list.values_mut().filter(|other| other.host == entry.host && other.until <= now) {
                        other.wants_slot = false;
                    }
                    match then {
                        Then::Ask => {
                            list.remove(&ready.item);
                        }
                        Then::PutBack(wait) => {
                            let host = ready.host;
                            let item = ready.item;
                            queue.put_back(ready, wait.map(|wait| at(now + wait)), at(now));
                            hosts.insert(host, (now + wait.unwrap_or(recheck), wait.is_none()));
                            list.insert(item, Entry { until: 0, wants_slot: false, ..entry });
                        }
                        Then::SetAside(wait) => {
                            let item = ready.item;
                            queue.set_aside(ready, wait.map(|wait| at(now + wait)), at(now));
                            // The first that wants a slot sets the time at which all of them are tried.
                            let set = list
                                .values()
                                .filter(|other| other.host == entry.host && other.wants_slot)
                                .map(|other| other.until)
                                .min();
                            let until = wait.map_or(set.unwrap_or(now + recheck), |wait| now + wait);
                            list.insert(item, Entry { until, wants_slot: wait.is_none(), ..entry });
                        }
                    }
                }
            }
            prop_assert_eq!(queue.len(), list.len());
            // A line that is empty is forgotten, with the wait that was only a hint.
            let left: Vec<u32> = list.values().map(|entry| entry.host).collect();
            hosts.retain(|host, _| left.contains(host));
        }
    }
}

mod with_politeness {
    use std::time::Duration;

    use bot_etiquette_politeness::{
        Ask, Failure, HostPolicy, Next, Outcome, Permit, Policy, Politeness, Quota, Ready, Reason,
    };
    use url::Url;

    use super::*;

    type Urls = ReadyQueue<Url>;

    fn push(queue: &mut Urls, politeness: &Politeness, urls: &[&str]) {
        for url in urls {
            let url: Url = url.parse().unwrap();
            let host = politeness.host_id_of(&url, at(0)).unwrap();
            queue.push(host, Priority::Crawl, url, at(0));
        }
    }

    /// The class of a request is its first path segment, its resource the second.
    fn ask(url: &Url) -> Ask<'_> {
        let mut segments = url.path_segments().into_iter().flatten();
        let ask = Ask::new(url).class(segments.next().unwrap_or_default());
        match segments.next() {
            Some(resource) => ask.resource(resource),
            None => ask,
        }
    }

    #[track_caller]
    fn goes(queue: &mut Urls, politeness: &Politeness, now: u64, url: &str) -> (Permit, Ready<Url>) {
        match queue.admit_next(politeness, at(now), ask) {
            Next::Go(permit, ready) => {
                assert_eq!(ready.item.as_str(), url);
                (permit, ready)
            }
            other => panic!("expected {url}, came {other:?}"),
        }
    }

    #[track_caller]
    fn waits(queue: &mut Urls, politeness: &Politeness, now: u64, until: u64) {
        match queue.admit_next(politeness, at(now), ask) {
            Next::Wait(moment) => assert_eq!(moment, at(until)),
            other => panic!("expected to wait, came {other:?}"),
        }
    }

    #[test]
    fn a_resource_that_is_busy_holds_up_no_other_of_its_host() {
        let policy = HostPolicy::new()
            .busy_first(Duration::from_secs(3600))
            .busy_scope(bot_etiquette_politeness::BusyScope::Resource);
        let politeness = Politeness::new(Policy::new(policy));
        let mut queue = Urls::new();
        push(&mut queue, &politeness, &["http://h/x/parks", "http://h/x/parks?again", "http://h/x/roads"]);
        let (permit, ready) = goes(&mut queue, &politeness, 0, "http://h/x/parks");
        permit.finish(&Outcome::status(503), at(10));
        queue.wake(ready.host, at(10));
        let (permit, ready) = goes(&mut queue, &politeness, 10, "http://h/x/roads");
        permit.finish(&Outcome::status(200), at(20));
        queue.wake(ready.host, at(20));
        waits(&mut queue, &politeness, 20, 3_600_010);
        drop(goes(&mut queue, &politeness, 3_600_010, "http://h/x/parks?again"));
    }

    #[test]
    fn a_quota_of_one_class_holds_up_no_other_class() {
        let quota = Quota::new("pages", 1, Duration::from_secs(60)).unwrap().classes(["page"]);
        let politeness = Politeness::new(Policy::new(HostPolicy::new().max_open(9u32).quota(vec![quota])));
        let mut queue = Urls::new();
        push(&mut queue, &politeness, &["http://h/page/1", "http://h/page/2", "http://h/file/3"]);
        let _first = goes(&mut queue, &politeness, 0, "http://h/page/1");
        let _third = goes(&mut queue, &politeness, 0, "http://h/file/3");
        waits(&mut queue, &politeness, 0, 60_000);
        let _second = goes(&mut queue, &politeness, 60_000, "http://h/page/2");
    }

    #[test]
    fn a_host_that_is_killed_is_handed_back_with_the_reason() {
        let politeness = Politeness::new(Policy::new(HostPolicy::new()));
        let mut queue = Urls::new();
        push(&mut queue, &politeness, &["http://h/x"]);
        politeness.kill(&"h".parse().unwrap(), at(0));
        match queue.admit_next(&politeness, at(0), ask) {
            Next::Never(ready, refusal) => {
                assert_eq!(ready.item.as_str(), "http://h/x");
                assert!(refusal.reasons().eq([Reason::Killed]));
            }
            other => panic!("expected never, came {other:?}"),
        }
        assert!(matches!(queue.admit_next(&politeness, at(0), ask), Next::Empty));
    }

    #[test]
    fn a_host_that_left_the_table_comes_back_under_its_new_place() {
        let politeness = Politeness::new(Policy::new(HostPolicy::new()).max_hosts(2));
        let mut queue = Urls::new();
        push(&mut queue, &politeness, &["http://h/x", "http://h/y"]);
        assert_eq!(politeness.evict_idle(at(10)), 1);
        let (permit, ready) = goes(&mut queue, &politeness, 10, "http://h/x");
        permit.finish(&Outcome::status(200), at(11));
        queue.wake(ready.host, at(11));
        drop(goes(&mut queue, &politeness, 11, "http://h/y"));
    }

    #[test]
    fn of_many_hosts_none_waits_for_another() {
        let policy =
            HostPolicy::new().min_delay(Duration::from_secs(10)).unreachable_first(Duration::from_secs(900));
        let politeness = Politeness::new(Policy::new(policy));
        let mut queue = Urls::new();
        push(&mut queue, &politeness, &["http://dead/1", "http://dead/2", "http://slow/1", "http://slow/2"]);
        let (dead, _) = goes(&mut queue, &politeness, 0, "http://dead/1");
        dead.finish(&Outcome::failed(Failure::Connect), at(0));
        let (slow, ready) = goes(&mut queue, &politeness, 0, "http://slow/1");
        slow.finish(&Outcome::status(200), at(100));
        queue.wake(ready.host, at(100));
        waits(&mut queue, &politeness, 100, 10_100);
        let _slow = goes(&mut queue, &politeness, 10_100, "http://slow/2");
        waits(&mut queue, &politeness, 10_100, 900_000);
    }
}
