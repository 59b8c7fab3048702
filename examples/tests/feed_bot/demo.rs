//! The demonstration, once for all of these: two runs, three of its hours apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::feed_bot::demo;
use bot_etiquette_examples::feed_bot::record::seconds;
use bot_etiquette_examples::feed_bot::report::{SourceStatus, Status};
use bot_etiquette_examples::feed_bot::session::Session;
use bot_etiquette_examples::interrupt::Interrupt;
use bot_etiquette_examples::personal::{DNI, EMAIL, IBAN, PHONE};
use bot_etiquette_examples::talk::Talk;
use bot_etiquette_examples::world::Demo;
use serde_json::Value;

use crate::town::{self, IDENTITY};

struct Ran {
    out: PathBuf,
    first: Status,
    second: Status,
    verdict: String,
    clean: bool,
    unchanged: u64,
    asked_elsewhere: bool,
    took: Duration,
}

impl Ran {
    fn source(&self, id: &str) -> &SourceStatus {
        self.second.sources.iter().find(|source| source.id == id).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.out.join(name)).unwrap()
    }

    fn events(&self) -> Vec<Value> {
        self.read("events.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn ran() -> &'static Ran {
    static RAN: OnceLock<Ran> = OnceLock::new();
    RAN.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run())
    })
}

async fn run() -> Ran {
    let out = town::folder("demo");
    let sources = demo::configure(&out.join("demo"), None).unwrap();
    let started = std::time::Instant::now();
    let world = Demo::start(demo::sites(SystemTime::now()), demo::promise(), demo::SCALE).await.unwrap();
    let bot = Bot::demo(IDENTITY).unwrap();
    let seen = world.world().unwrap();
    let state = out.join("state.sqlite");
    let session =
        Session::open(&bot, &seen, &sources, &state, &out, Talk::new(true), Interrupt::never()).unwrap();
    let first = session.round().await.unwrap().1.status;
    let kept = session.reader.kept();
    let due = first.sources.iter().map(|source| kept.row(&source.id).unwrap().due).max().unwrap();
    let wait = Duration::from_secs(due.saturating_sub(seconds(seen.clock.now())) + 1);
    tokio::time::sleep(seen.clock.real_duration(wait)).await;
    let second = session.round().await.unwrap().1.status;
    let took = started.elapsed();
    let hosts = session.reader.ledger().hosts();
    let unchanged = hosts.values().filter_map(|host| host.statuses.get(&304)).sum();
    let asked_elsewhere = hosts.contains_key("analisis.datosabiertos.jcyl.es");
    let report = world.finish().await;
    Ran {
        out,
        first,
        second,
        verdict: report.to_string(),
        clean: report.is_clean(),
        unchanged,
        asked_elsewhere,
        took,
    }
}

#[test]
fn two_runs_three_hours_apart_break_no_promise() {
    let ran = ran();
    assert!(ran.clean, "{}", ran.verdict);
    assert!(ran.took < Duration::from_secs(30), "{:?}", ran.took);
}

#[test]
fn the_second_run_is_mostly_unchanged() {
    let ran = ran();
    assert_eq!(ran.unchanged, 5, "two language files, two pages, one CSV; of nine");
    for id in ["esmadrid-es", "esmadrid-en", "diba", "madrid-csv"] {
        let record = &ran.source(id).record;
        assert!(record.last_304 > record.last_200, "{id}");
        assert_eq!((record.added, record.changed, record.gone), (0, 0, 0), "{id}");
    }
}

#[test]
fn what_changed_is_counted_and_what_is_gone_goes() {
    let record = &ran().source("madrid").record;
    assert_eq!((record.added, record.changed, record.unchanged, record.gone), (1, 1, 2, 1));
}

#[test]
fn a_feed_cut_at_a_thousand_rows_is_read_to_its_announced_end() {
    let diba = ran().source("diba");
    assert_eq!((diba.events, diba.record.requests), (1180, 2));
    assert!(diba.record.remarks.iter().all(|remark| !remark.contains("kept")), "{:?}", diba.record.remarks);
}

#[test]
fn broken_json_is_mended_and_every_record_read() {
    let first = ran().first.sources.iter().find(|source| source.id == "madrid").unwrap();
    assert_eq!(first.record.added, 4);
    assert!(
        first.record.remarks.iter().any(|remark| remark.starts_with("json-repair")),
        "{:?}",
        first.record.remarks
    );
    assert!(ran().read("events.ndjson").contains("Arganzuela\\\\Pte. de Toledo"));
}

#[test]
fn latin_letters_of_another_charset_are_read_right() {
    assert!(ran().read("events.ndjson").contains("Ópera de bolsillo"));
}

#[test]
fn a_busy_host_is_left_alone_and_its_run_skipped() {
    let first = ran().first.sources.iter().find(|source| source.id == "jcyl").unwrap();
    assert_eq!(first.record.problem.as_deref(), Some("status 429"));
    let second = &ran().source("jcyl").record;
    assert_eq!((second.problem.as_deref(), second.failing_since, second.added), (None, None, 2));
}

#[test]
fn nothing_is_sent_to_a_host_that_nobody_reviewed() {
    let problem = ran().source("jcyl-api").record.problem.as_deref().unwrap();
    assert!(problem.contains("analisis.datosabiertos.jcyl.es, which is not listed"), "{problem}");
    assert!(!ran().asked_elsewhere);
}

#[test]
fn a_change_of_robots_txt_is_reported_and_only_closes() {
    let ran = ran();
    let closed = ran.source("jcyl-rutas").record.problem.as_deref().unwrap();
    assert!(closed.contains("closes the address"), "{closed}");
    let esmadrid = &ran.second.hosts["www.esmadrid.com"];
    assert_eq!(
        (esmadrid.crawl_delay, esmadrid.drift.as_slice()),
        (Some(10.0), ["looser: Crawl-delay was 10 s and is 2 s".to_owned()].as_slice())
    );
    let madrid = &ran.second.hosts["datos.madrid.es"];
    assert_eq!((madrid.crawl_delay, madrid.pause), (Some(5.0), 5.0));
    assert_eq!(ran.second.hosts["do.diba.cat"].last_look.as_deref(), Some("as reviewed"));
}

#[test]
fn less_is_asked_than_is_allowed_and_the_report_shows_both() {
    let ran = ran();
    let report: Value = serde_json::from_str(&ran.read("politeness.json")).unwrap();
    let page = ran.read("index.html");
    for host in ["www.esmadrid.com", "do.diba.cat", "datos.madrid.es"] {
        let figures = &report["allowed_and_asked"][host];
        let (allowed, asked) =
            (figures["allowed_a_day"].as_u64().unwrap(), figures["asked"]["requests"].as_u64().unwrap());
        assert!(asked > 0 && asked < allowed, "{host}: {asked} of {allowed}");
        assert!(page.contains(&format!("<td>{allowed}<td>{asked}<td>")), "{host}");
    }
}

#[test]
fn every_event_names_its_source_its_licence_and_a_link() {
    let ran = ran();
    let events = ran.events();
    assert!(events.len() > 1180, "{}", events.len());
    for event in &events {
        let attribution = &event["attribution"];
        for field in
            [&attribution["source"], &attribution["license"], &attribution["license_url"], &event["link"]]
        {
            assert!(field.as_str().is_some_and(|text| !text.is_empty()), "{event}");
        }
    }
    let calendar = ran.read("calendar.ics");
    let blocks = calendar.matches("BEGIN:VEVENT").count();
    assert_eq!((blocks, calendar.matches("\r\nURL:").count()), (events.len(), events.len()));
    assert!(calendar.replace("\r\n ", "").contains("Origen de los datos: Ayuntamiento de Madrid"));
}

#[test]
fn the_calendars_stand_together_each_event_once() {
    let events = ran().events();
    let titled = |title: &str| {
        let of = |event: &&Value| event["titles"][0]["text"] == title;
        events.iter().filter(of).collect::<Vec<_>>()
    };
    let [exhibition] = titled("Exposición de fotografía")[..] else { panic!("two publishers, one event") };
    let also = exhibition["also"].as_array().unwrap();
    assert_eq!((also.len(), also[0]["source"].as_str()), (1, Some("Ayuntamiento de Madrid")));
    assert_eq!(exhibition["attribution"]["source"], "Madrid Destino");
    // One number of one publisher in two formats is one event; at another hour than elsewhere it is another.
    assert_eq!(titled("Concierto de guitarra").len(), 2);
}

#[test]
fn languages_stand_as_published_and_the_page_speaks_all_seven() {
    let ran = ran();
    let events = ran.events();
    let concert = events.iter().find(|event| event["titles"][0]["text"] == "Concierto de guitarra").unwrap();
    let titles = concert["titles"].as_array().unwrap();
    let english = titles.iter().find(|title| title["lang"] == "en").unwrap();
    assert_eq!((english["text"].as_str(), english.get("translated")), (Some("Guitar concert"), None));
    let page = ran.read("index.html");
    for words in [
        "Fuentes de los datos",
        "Fonts de les dades",
        "Data sources",
        "Sources des données",
        "Fonti dei dati",
        "Datenquellen",
        "Fontes dos dados",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("<strong>0 <span"), "0 e-mail addresses, 0 phone numbers kept");
}

#[test]
fn no_address_of_a_picture_is_in_any_output() {
    for name in ["events.ndjson", "calendar.ics", "index.html", "politeness.json"] {
        let text = ran().read(name);
        for picture in [".jpg", "img?id=", "/img/", "<img"] {
            assert!(!text.contains(picture), "{picture} in {name}");
        }
    }
}

#[test]
fn no_personal_data_is_in_any_output_nor_in_the_state() {
    let ran = ran();
    assert_eq!((ran.second.emails_kept, ran.second.phones_kept), (0, 0));
    assert!(
        ran.first.sources.iter().map(|source| source.record.emails).sum::<u64>() > 0,
        "there was some to take out"
    );
    assert!(search(&ran.out) >= 5, "four outputs and the state");
}

/// Looks through the bytes of every file but those a person wrote; how many there were.
pub fn search(folder: &Path) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let digits = PHONE.replace(' ', "");
        for personal in
            [EMAIL, PHONE, DNI, IBAN, &digits, "persona.privada", "webmaster@datos.example", "910 000 001"]
        {
            let found = bytes.windows(personal.len()).any(|window| window == personal.as_bytes());
            assert!(!found, "{personal} in {}", path.display());
        }
        files += 1;
    }
    files
}
