//! What a decision costs, what a host costs, and what a schedule loses.
//!
//! `cargo bench --bench politeness` times decisions beside governor and leaky-bucket, all at the same number of
//! hosts, in random order, so that the table is out of every cache, in processor time of the thread. What is asked
//! about, an id or a URL, was just made, as in a crawler, and is in the cache. The floor is one read of a cache line
//! out of as many as there are hosts: no table of this size answers sooner. `SCALE=small` in the environment takes
//! a tenth of everything. The rest is measured once and printed:
//!
//! - memory: bytes that the allocator holds for hosts that were each asked once and answered well; names are
//!   counted apart, for a caller mostly holds them anyway;
//! - snapshot: export and import of all hosts, the time of both together;
//! - schedule: URLs spread evenly over hosts, in virtual time, a pause of one second after each answer, answers
//!   that take 50 to 350 ms, so many workers. The bound is what no schedule can beat: the longer of the busiest
//!   host's own time and the work divided by the workers.

use std::alloc::System;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Duration;

use bot_etiquette_benches::{Estimates, at_least, at_most};
use bot_etiquette_politeness::{
    Ask, Failure, Host, HostId, HostPolicy, Hours, HoursWindow, Next, Outcome, Policy, Politeness, Priority,
    ReadyQueue, Timestamp,
};
use cpu_time::ThreadTime;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BatchSize, Criterion, Throughput};
use governor::{Quota, RateLimiter};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use url::Url;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SECOND: Duration = Duration::from_secs(1);
const START: Timestamp = Timestamp::from_millis(1_830_297_540_000);

fn main() {
    let scale = if std::env::var("SCALE").is_ok_and(|scale| scale == "small") { 10 } else { 1 };
    let criterion = Criterion::default().with_measurement(Cpu).configure_from_args();
    let (mut criterion, estimates) = Estimates::of(criterion);
    let hosts = 1_000_000 / scale;
    decisions(&mut criterion, hosts);
    criterion.final_summary();
    judge_decisions(&estimates, &group(hosts));
    memory(hosts);
    memory(10 * hosts);
    snapshot(hosts);
    schedule(10 * hosts, hosts, 4096);
}

fn group(hosts: usize) -> String {
    format!("a decision at {hosts} hosts")
}

const BY_ID: &str = "politeness by HostId, all clocks";
const TO_ID: &str = "politeness from URL to HostId";
const GOVERNOR: [&str; 2] = ["governor, keyed by String", "governor, keyed by a number"];

fn judge_decisions(estimates: &Estimates, group: &str) {
    if let Some(figure) = estimates.median(group, BY_ID) {
        at_most(150.0).floor(300.0).judge("politeness", "a decision by HostId, all clocks, ns", figure);
    }
    if let Some(figure) = estimates.median(group, TO_ID) {
        at_most(1000.0).judge("politeness", "from URL to HostId, ns", figure);
    }
    for (governor, goal) in GOVERNOR.into_iter().zip([at_least(1.0), at_least(1.0).floor(0.6)]) {
        if let Some(figure) = estimates.ratio(group, governor, BY_ID) {
            goal.judge("politeness", &format!("a decision by HostId, rate / {governor}"), figure);
        }
    }
}

/// The time that the thread had on a processor: what a decision costs, whoever else uses the machine.
struct Cpu;

impl Measurement for Cpu {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }

    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn name(number: usize) -> String {
    format!("host-{number:07}.example{}.org", number % 1000)
}

/// So few at a time that what is asked about stays in the cache.
const BATCH: BatchSize = BatchSize::NumIterations(64);

/// A policy with every clock that a host can have switched on.
fn all_clocks(hosts: usize) -> Policy {
    let night = HoursWindow::new("00:00", "24:00", "+01:00").and_then(|window| Hours::new([window])).unwrap();
    let policy = HostPolicy::new()
        .min_delay(SECOND)
        .jitter(0.1)
        .crawl_delay_cap(10 * SECOND)
        .unreachable_first(900 * SECOND)
        .busy_first(3600 * SECOND)
        .retry_after_park(2_592_000 * SECOND)
        .hours(night);
    Policy::new(policy).max_hosts(hosts + hosts / 4)
}

/// A table of hosts that were each asked once; `holds` of a hundred are unreachable since.
fn asked(hosts: &[Host], holds: usize) -> (Politeness, Vec<HostId>) {
    let politeness = Politeness::new(all_clocks(hosts.len()));
    let mut url = Url::parse("https://h.example/").unwrap();
    let ids = (0..).zip(hosts).map(|(number, host)| {
        let id = politeness.host_id(host, START).unwrap();
        url.set_host(Some(host.as_str())).unwrap();
        let permit = politeness.admit_at(id, &Ask::new(&url), START).unwrap();
        let failed = number % 100 < holds;
        permit.finish(&if failed { Outcome::failed(Failure::Connect) } else { Outcome::status(200) }, START);
        id
    });
    let ids = ids.collect();
    (politeness, ids)
}

/// Numbers without an order that a cache could guess, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * bound as u128) >> 64) as usize
    }
}

fn decisions(criterion: &mut Criterion<Cpu>, count: usize) {
    let hosts: Vec<Host> = (0..count).map(|number| name(number).parse().unwrap()).collect();
    let mut group = criterion.benchmark_group(group(count));
    group.throughput(Throughput::Elements(1)).sample_size(20);
    let later = START + 2 * SECOND;

    {
        #[repr(align(64))]
        struct Line(u64);
        let lines: Vec<Line> = (0..count as u64).map(Line).collect();
        let mut random = Random(1);
        let mut place = 0;
        group.bench_function("floor: one cache line after another", |bencher| {
            // Where to read next depends on what was read, so that no read waits beside another.
            bencher.iter(|| {
                place = random.below(count / 2) * 2 + (lines[place].0 & 1) as usize;
                place
            });
        });
    }
    {
        let (politeness, ids) = asked(&hosts, 10);
        let mut random = Random(1);
        group.bench_function(BY_ID, |bencher| {
            bencher.iter_batched(
                || ids[random.below(count)],
                |id| politeness.check_host(id, later).is_ok(),
                BATCH,
            );
        });
        let urls: Vec<Url> =
            hosts.iter().map(|host| Url::parse(&format!("https://{host}/page")).unwrap()).collect();
        group.bench_function(TO_ID, |bencher| {
            bencher.iter_batched_ref(
                || urls[random.below(count)].clone(),
                |url| politeness.host_id_of(url, later).unwrap(),
                BATCH,
            );
        });
        let mut now = later;
        group.bench_function("politeness by HostId, admit and finish", |bencher| {
            bencher.iter_batched_ref(
                || {
                    let number = random.below(count);
                    (ids[number], urls[number].clone())
                },
                |(id, url)| {
                    now = now.plus_millis(1);
                    if let Ok(permit) = politeness.admit_at(*id, &Ask::new(url), now) {
                        permit.finish(&Outcome::status(200), now);
                    }
                },
                BATCH,
            );
        });
    }
    let names: Vec<String> = hosts.iter().map(Host::to_string).collect();
    {
        let limiter = RateLimiter::dashmap(Quota::per_second(NonZeroU32::MIN));
        names.iter().for_each(|name| drop(limiter.check_key(name)));
        let mut random = Random(1);
        group.bench_function(GOVERNOR[0], |bencher| {
            bencher.iter_batched_ref(
                || names[random.below(count)].clone(),
                |name| limiter.check_key(name).is_ok(),
                BATCH,
            );
        });
    }
    {
        let limiter = RateLimiter::dashmap(Quota::per_second(NonZeroU32::MIN));
        (0..count).for_each(|number| drop(limiter.check_key(&number)));
        let mut random = Random(1);
        group.bench_function(GOVERNOR[1], |bencher| {
            bencher.iter_batched(|| random.below(count), |number| limiter.check_key(&number).is_ok(), BATCH);
        });
    }
    {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _guard = runtime.enter();
        let limiter = || leaky_bucket::RateLimiter::builder().max(1).initial(1).interval(SECOND).build();
        let limiters: HashMap<&str, leaky_bucket::RateLimiter> =
            names.iter().map(|name| (name.as_str(), limiter())).collect();
        let mut random = Random(1);
        group.bench_function("leaky-bucket, one a host in a HashMap", |bencher| {
            bencher.iter_batched_ref(
                || names[random.below(count)].clone(),
                |name| limiters.get(name.as_str()).map(|limiter| limiter.try_acquire(1)),
                BATCH,
            );
        });
    }
    group.finish();
}

fn memory(count: usize) {
    let region = Region::new(ALLOCATOR);
    let held = |region: &Region<'_, System>| {
        let change = region.change();
        // What a reallocation adds is counted among the allocations.
        change.bytes_allocated as f64 - change.bytes_deallocated as f64
    };
    let hosts: Vec<Host> = (0..count).map(|number| name(number).parse().unwrap()).collect();
    let names = held(&region) - (count * size_of::<Host>()) as f64;
    let before = held(&region);
    let (politeness, ids) = asked(&hosts, 0);
    let table = held(&region) - before - (count * size_of::<HostId>()) as f64;
    black_box((&politeness, &ids));
    let what = |what: &str| format!("{what}, {count} hosts");
    at_most(96.0).judge("politeness", &what("bytes a host without its name"), table / count as f64);
    at_most(176.0).judge("politeness", &what("bytes a host with its name"), (table + names) / count as f64);
    at_most(1024.0).judge("politeness", &what("the table, MiB"), table / 1_048_576.0);
}

fn snapshot(count: usize) {
    let hosts: Vec<Host> = (0..count).map(|number| name(number).parse().unwrap()).collect();
    let (politeness, _) = asked(&hosts, 0);
    let restored = Politeness::new(all_clocks(count));
    let begun = ThreadTime::now();
    let snapshot = politeness.export(START);
    let exported = begun.elapsed();
    restored.import(snapshot, START);
    let both = begun.elapsed();
    assert_eq!(restored.hosts(), count);
    println!("snapshot of {count} hosts: export {exported:.2?}, export and import {both:.2?}");
    let rate = count as f64 / both.as_secs_f64() / 1e6;
    at_least(1.0).judge("politeness", "export and import, million hosts a second", rate);
}

fn schedule(urls: usize, count: usize, workers: usize) {
    let hosts: Vec<Host> = (0..count).map(|number| name(number).parse().unwrap()).collect();
    let policy = HostPolicy::new().min_delay(SECOND);
    let politeness = Politeness::new(Policy::new(policy).max_hosts(count));
    // One URL stands for all of a host: what differs between them is not politeness's.
    let pages: Vec<Url> = hosts.iter().map(|host| Url::parse(&format!("https://{host}/")).unwrap()).collect();
    let mut queue: ReadyQueue<(usize, &Url)> = ReadyQueue::new();
    for number in 0..urls {
        let host = number % count;
        let id = politeness.host_id(&hosts[host], START).unwrap();
        queue.push(id, Priority::Crawl, (host, &pages[host]), START);
    }

    let begun = ThreadTime::now();
    let mut random = Random(7);
    let mut now = START;
    let mut open = BinaryHeap::new();
    let mut permits: Vec<Option<bot_etiquette_politeness::Permit>> = (0..workers).map(|_| None).collect();
    let mut idle: Vec<usize> = (0..workers).collect();
    let mut busy_of_host = vec![0u64; count];
    let mut turns_of_host = vec![0u64; count];
    let mut work = 0u64;
    let mut asked = 0usize;
    loop {
        let mut wakeup = Timestamp::MAX;
        while let Some(worker) = idle.pop() {
            match queue.admit_next(&politeness, now, |(_, url)| Ask::new(url)) {
                Next::Go(permit, ready) => {
                    let latency = 50 + random.below(301) as u64;
                    work += latency;
                    asked += 1;
                    busy_of_host[ready.item.0] += latency;
                    turns_of_host[ready.item.0] += 1;
                    permits[worker] = Some(permit);
                    open.push(Reverse((now.plus_millis(latency), worker, ready.host)));
                    continue;
                }
                Next::Wait(until) => wakeup = until,
                Next::Empty => {}
                Next::Never(..) => unreachable!("nothing refuses for good"),
            }
            idle.push(worker);
            break;
        }
        let ended = open.peek().map_or(Timestamp::MAX, |Reverse((at, ..))| *at);
        if ended == Timestamp::MAX && wakeup == Timestamp::MAX {
            break;
        }
        now = now.max(ended.min(wakeup));
        while let Some(&Reverse((at, worker, host))) = open.peek() {
            if at > now {
                break;
            }
            open.pop();
            if let Some(permit) = permits[worker].take() {
                permit.finish(&Outcome::status(200), now);
            }
            queue.wake(host, now);
            idle.push(worker);
        }
    }
    assert_eq!(asked, urls);
    let busiest =
        busy_of_host.iter().zip(&turns_of_host).map(|(busy, turns)| busy + (turns - 1) * 1000).max();
    let bound = busiest.unwrap_or(0).max(work / workers as u64) as f64 / 1000.0;
    let makespan = now.since(START).as_secs_f64();
    println!(
        "schedule of {urls} URLs over {count} hosts with {workers} workers: {makespan:.1} s, bound {bound:.1} s; \
         computed in {:.1?}",
        begun.elapsed(),
    );
    let what = format!("a schedule of {urls} URLs over {count} hosts, bound / makespan, %");
    at_least(99.5).judge("politeness", &what, 100.0 * bound / makespan);
}
