//! robots.txt beside its peers in one run: the same `&str`, the same agent, the same URLs for all.
//!
//! `cargo bench --bench robots` in this folder; `-- --quick` for a first look. Ratios come last, from medians of
//! interleaved rounds in thread CPU time, so that a busy machine slows all alike. `BOT_ETIQUETTE_BENCH_FILES` sets the number of files.
//!
//! Corpus: 1,000 files by a seeded generator, about 8 MB, median about 1.2 KB, ten of about 0.5 MB. A peer that
//! cannot keep what it parsed (robotstxt) pays for parsing at each match: that is how it is used.

use std::fmt::Write;
use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bot_etiquette_benches::{Counting, Goal, IN_USE, at_least, at_most, median};
use bot_etiquette_robots::{ProductToken, Robots, Rules};
use cpu_time::ThreadTime;
use criterion::{Criterion, Throughput};

const AGENT: &str = "ExampleBot";
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Xorshift: the same corpus on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const WORDS: [&str; 24] = [
    "admin",
    "search",
    "cart",
    "wp-content",
    "private",
    "tmp",
    "api",
    "user",
    "login",
    "tag",
    "archive",
    "print",
    "feed",
    "media",
    "page",
    "product",
    "category",
    "download",
    "static",
    "include",
    "node",
    "profile",
    "help",
    "checkout",
];

fn path(random: &mut Random) -> String {
    let mut path = String::new();
    for _ in 0..1 + random.below(3) {
        path.push('/');
        path.push_str(random.of(&WORDS));
        if random.below(3) == 0 {
            write!(path, "-{}", random.below(5_000)).unwrap();
        }
    }
    path
}

fn pattern(random: &mut Random) -> String {
    let path = path(random);
    match random.below(20) {
        0 => format!("/*.{}$", random.of(&["pdf", "php", "aspx", "jpg"])),
        1 => format!("/*?{}=", random.of(&WORDS)),
        2 => format!("{path}/*/edit"),
        3 => format!("{path}*"),
        4 => format!("{path}/%7Euser/"),
        5 => format!("{path}$"),
        _ => format!("{path}/"),
    }
}

fn file(random: &mut Random, size: usize) -> String {
    let mut text = String::from("# robots.txt of the shop, please be kind\n");
    let agents = ["*", AGENT, "Googlebot", "bingbot", "AhrefsBot", "GPTBot", "CCBot", "MJ12bot"];
    let groups = 1 + random.below(4);
    for group in 0..groups {
        let agent = if group == 0 { "*" } else { random.of(&agents) };
        writeln!(text, "\nUser-agent: {agent}").unwrap();
        if random.below(4) == 0 {
            writeln!(text, "Crawl-delay: {}", random.below(20)).unwrap();
        }
        while text.len() < size * (group + 1) / groups {
            let key = if random.below(6) == 0 { "Allow" } else { "Disallow" };
            writeln!(text, "{key}: {}", pattern(random)).unwrap();
            if random.below(25) == 0 {
                writeln!(text, "# {} pages are for members", random.of(&WORDS)).unwrap();
            }
        }
    }
    writeln!(text, "\nSitemap: https://example.com/sitemap.xml").unwrap();
    text
}

struct Site {
    text: String,
    urls: Vec<String>,
}

fn corpus() -> Vec<Site> {
    let count = std::env::var("BOT_ETIQUETTE_BENCH_FILES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let mut random = Random(SEED);
    (0..count)
        .map(|at| {
            let size = match at % 100 {
                0 => 500_000,
                1..20 => 5_000 + random.below(20_000),
                _ => 300 + random.below(2_000),
            };
            let text = file(&mut random, size);
            let urls = (0..100)
                .map(|_| format!("https://www.example.com{}?page={}", path(&mut random), random.below(9)));
            Site { text, urls: urls.collect() }
        })
        .collect()
}

/// A parser under test: how it parses, and how it answers.
trait Peer {
    type Parsed;
    const NAME: &'static str;
    /// Whether parsing is a step of its own.
    const KEEPS: bool = true;

    fn parse(text: &str) -> Self::Parsed;
    fn allows(parsed: &Self::Parsed, text: &str, url: &str) -> bool;
}

struct Ours;
struct OursOneAgent;
struct Robotxt;
struct TextingRobots;
struct RobotsTxt;

fn token() -> ProductToken {
    AGENT.parse().unwrap()
}

impl Peer for Ours {
    type Parsed = (Robots, Rules);
    const NAME: &'static str = "bot-etiquette";

    fn parse(text: &str) -> Self::Parsed {
        let robots = Robots::parse(text.as_bytes());
        let rules = robots.rules_for(&token());
        (robots, rules)
    }

    fn allows((_, rules): &Self::Parsed, _: &str, url: &str) -> bool {
        rules.verdict(url).is_allowed()
    }
}

impl Peer for OursOneAgent {
    type Parsed = Rules;
    const NAME: &'static str = "bot-etiquette, one agent";

    fn parse(text: &str) -> Rules {
        Rules::parse(text.as_bytes(), &token())
    }

    fn allows(rules: &Rules, _: &str, url: &str) -> bool {
        rules.verdict(url).is_allowed()
    }
}

impl Peer for Robotxt {
    type Parsed = robotxt::Robots;
    const NAME: &'static str = "robotxt";

    fn parse(text: &str) -> robotxt::Robots {
        robotxt::Robots::parse(text.as_bytes(), AGENT)
    }

    fn allows(robots: &robotxt::Robots, _: &str, url: &str) -> bool {
        robots.is_url_allowed(&url::Url::parse(url).unwrap())
    }
}

impl Peer for TextingRobots {
    type Parsed = Option<texting_robots::Robot>;
    const NAME: &'static str = "texting_robots";

    fn parse(text: &str) -> Self::Parsed {
        texting_robots::Robot::new(AGENT, text.as_bytes()).ok()
    }

    fn allows(robot: &Self::Parsed, _: &str, url: &str) -> bool {
        robot.as_ref().is_none_or(|robot| robot.allowed(url))
    }
}

impl Peer for RobotsTxt {
    type Parsed = ();
    const NAME: &'static str = "robotstxt";
    const KEEPS: bool = false;

    fn parse(_: &str) {}

    fn allows((): &(), text: &str, url: &str) -> bool {
        robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(text, AGENT, url)
    }
}

/// What one peer needs, over all files of a list.
#[derive(Default, Clone)]
struct Figures {
    /// Parse and the first verdict, over all files.
    first: Vec<Duration>,
    /// Each further verdict.
    verdict: Vec<Duration>,
    /// Bytes held after parsing, and after many verdicts.
    held: usize,
    held_late: usize,
}

fn round<P: Peer>(sites: &[&Site], urls: usize, figures: &mut Figures) {
    let start = ThreadTime::now();
    for site in sites {
        let parsed = P::parse(&site.text);
        black_box(P::allows(&parsed, &site.text, &site.urls[0]));
    }
    figures.first.push(start.elapsed());
    let before = IN_USE.load(Ordering::Relaxed);
    let parsed: Vec<P::Parsed> = sites.iter().map(|site| P::parse(&site.text)).collect();
    figures.held = IN_USE.load(Ordering::Relaxed).saturating_sub(before);
    let mut spent = Duration::ZERO;
    for (site, parsed) in sites.iter().zip(&parsed) {
        // As a crawl would have it: a warm cache for the file at hand, and rules that were asked before.
        if P::KEEPS {
            for url in &site.urls[..20] {
                black_box(P::allows(parsed, &site.text, url));
            }
        }
        let start = ThreadTime::now();
        for url in &site.urls[..urls] {
            black_box(P::allows(parsed, &site.text, url));
        }
        spent += start.elapsed();
    }
    figures.verdict.push(spent / u32::try_from(sites.len() * urls).unwrap());
    figures.held_late = IN_USE.load(Ordering::Relaxed).saturating_sub(before);
}

/// What a list of files is held to beside the fastest peer: parse and first verdict, a verdict.
struct Beside {
    first: Option<Goal>,
    verdict: Option<Goal>,
}

fn compare(title: &str, sites: &[&Site], rounds: usize, beside: &Beside) {
    let bytes: usize = sites.iter().map(|site| site.text.len()).sum();
    let mut figures = vec![Figures::default(); 5];
    for _ in 0..rounds {
        round::<Ours>(sites, 100, &mut figures[0]);
        round::<OursOneAgent>(sites, 100, &mut figures[1]);
        round::<Robotxt>(sites, 100, &mut figures[2]);
        round::<TextingRobots>(sites, 100, &mut figures[3]);
        round::<RobotsTxt>(sites, 2, &mut figures[4]);
    }
    println!("\n{title}: {} files, {bytes} bytes", sites.len());
    println!(
        "| parser | parse + first verdict, MB/s | ratio | a verdict, ns | ratio | held / text | after verdicts |"
    );
    println!("|---|---|---|---|---|---|---|");
    let names = [Ours::NAME, OursOneAgent::NAME, Robotxt::NAME, TextingRobots::NAME, RobotsTxt::NAME];
    let (own_first, own_verdict) = (median(&figures[0].first), median(&figures[0].verdict));
    for (name, figures) in names.iter().zip(&figures) {
        let (first, verdict) = (median(&figures.first), median(&figures.verdict));
        println!(
            "| {name} | {:.0} | {:.1} | {} | {:.1} | {:.2} | {:.2} |",
            bytes as f64 / first.as_secs_f64() / 1e6,
            first.as_secs_f64() / own_first.as_secs_f64(),
            verdict.as_nanos(),
            verdict.as_secs_f64() / own_verdict.as_secs_f64(),
            figures.held as f64 / bytes as f64,
            figures.held_late as f64 / bytes as f64,
        );
    }
    let fastest = |of: fn(&Figures) -> &[Duration]| {
        let (name, time) = names[2..]
            .iter()
            .zip(figures[2..].iter().map(|figures| median(of(figures))))
            .min_by_key(|(_, time)| *time)
            .unwrap();
        (name, time.as_secs_f64())
    };
    if let Some(goal) = beside.first {
        let (name, time) = fastest(|figures| &figures.first);
        let what = format!("{title}: parse and first verdict, rate / {name}");
        goal.judge("robots", &what, time / own_first.as_secs_f64());
    }
    if let Some(goal) = beside.verdict {
        let (name, time) = fastest(|figures| &figures.verdict);
        let what = format!("{title}: a verdict, rate / {name}");
        goal.judge("robots", &what, time / own_verdict.as_secs_f64());
    }
    for (figures, whose, goal) in [(&figures[0], "whole", 2.0), (&figures[1], "one agent", 1.0)] {
        let what = format!("{title}: bytes held / text, {whose}");
        at_most(goal).judge("robots", &what, figures.held_late as f64 / bytes as f64);
    }
}

/// Files that are slow to match, 500 KB each, and the time one verdict takes us.
fn hostile() {
    let fill = |line: &dyn Fn(usize) -> String| {
        let mut text = String::from("User-agent: *\n");
        let mut at = 0;
        while text.len() < 500_000 {
            writeln!(text, "Disallow: {}", line(at)).unwrap();
            at += 1;
        }
        text
    };
    let long = "a1b2".repeat(500);
    let shapes = [
        ("/*aN, 2 KB target", fill(&|at| format!("/*a{at}b")), format!("/{long}")),
        ("/*aN$, 2 KB target", fill(&|at| format!("/*{at}$")), format!("/{long}")),
        ("/*.eN$, short target", fill(&|at| format!("/*.e{at}$")), "/shop/page.e7x".into()),
        (
            "*N*N*z, digits",
            fill(&|at| format!("*{}*{}*z", at % 100, at / 100)),
            format!("/{}", "0123456789".repeat(20)),
        ),
        (
            "*aaaaN, near misses",
            fill(&|at| format!("*aaaaaaaab{at}")),
            format!("/{}", "aaaaaaaab".repeat(200)),
        ),
        (
            "one pattern of 500 KB",
            format!("User-agent: *\nDisallow: /{}b\n", "a*".repeat(250_000)),
            format!("/{}", "a".repeat(8_000)),
        ),
    ];
    println!("\nhostile files of 500 KB\n| shape | first verdict, us | a verdict, us |\n|---|---|---|");
    let mut slowest = Duration::ZERO;
    for (name, text, target) in shapes {
        let rules = Rules::parse(text.as_bytes(), &token());
        let start = ThreadTime::now();
        black_box(rules.verdict(&target));
        let first = start.elapsed();
        for _ in 0..20 {
            black_box(rules.verdict(&target));
        }
        let times: Vec<Duration> = (0..15)
            .map(|_| {
                let start = ThreadTime::now();
                black_box(rules.verdict(&target));
                start.elapsed()
            })
            .collect();
        println!("| {name} | {} | {} |", first.as_micros(), median(&times).as_micros());
        slowest = slowest.max(median(&times));
    }
    at_most(2.0).judge(
        "robots",
        "hostile files of 500 KB: the slowest verdict, ms",
        slowest.as_secs_f64() * 1e3,
    );
}

fn single(criterion: &mut Criterion, sites: &[Site]) {
    let small = sites.iter().find(|site| (600..800).contains(&site.text.len())).unwrap_or(&sites[0]);
    let mut group = criterion.benchmark_group("small file");
    group.throughput(Throughput::Bytes(small.text.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter(|| Robots::parse(black_box(small.text.as_bytes()))));
    group.finish();
    let rules = Rules::parse(small.text.as_bytes(), &token());
    criterion.bench_function("small file/verdict", |bencher| {
        let mut urls = small.urls.iter().cycle();
        bencher.iter(|| rules.verdict(urls.next().unwrap()).is_allowed());
    });
}

fn main() {
    let sites = corpus();
    let mut criterion = Criterion::default().configure_from_args();
    single(&mut criterion, &sites);
    criterion.final_summary();
    let all: Vec<&Site> = sites.iter().collect();
    let small: Vec<&Site> = sites.iter().filter(|site| site.text.len() < 4_096).collect();
    let large: Vec<&Site> = sites.iter().filter(|site| site.text.len() > 400_000).collect();
    let (twice, thrice, fifty) = (at_least(2.0), at_least(3.0), at_least(50.0));
    compare("all files", &all, 3, &Beside { first: Some(twice), verdict: None });
    compare("files under 4 KB", &small, 7, &Beside { first: Some(twice), verdict: Some(thrice) });
    compare("files of 0.5 MB", &large, 3, &Beside { first: None, verdict: Some(fifty) });
    hostile();
}
