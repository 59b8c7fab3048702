//! A small world on loopback: four hosts under their real names, with feeds written in the shapes of the real ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bot_etiquette::feed::Day;
use bot_etiquette::referee::{Page, Promise, RetryAfter, Site};

use crate::files;
use crate::personal::{DNI, EMAIL, IBAN, PHONE};
use crate::stack::BoxError;

/// How fast the demonstration's clock runs: three hours pass in eleven seconds.
pub const SCALE: u32 = 1000;

/// The rows of the largest feed; it is served in pages of a thousand.
const DIBA_ROWS: u32 = 1180;

macro_rules! files {
    ($($name:literal = $path:literal,)*) => {
        &[$(($name, include_str!(concat!("../../", $path))),)*]
    };
}

/// The configuration of the demonstration, to be written where a person can change it.
const FILES: &[(&str, &str)] = files! {
    "sources.toml" = "worlds/feed_bot/sources.toml",
    "policy.toml" = "policies/city-vibe.toml",
    "esmadrid.toml" = "feeds/esmadrid.toml",
    "diba.toml" = "feeds/diba.toml",
    "madrid.toml" = "feeds/madrid.toml",
    "madrid-csv.toml" = "feeds/madrid-csv.toml",
    "jcyl.toml" = "feeds/jcyl.toml",
    "reviews/www.esmadrid.com.toml" = "worlds/feed_bot/reviews/www.esmadrid.com.toml",
    "reviews/do.diba.cat.toml" = "worlds/feed_bot/reviews/do.diba.cat.toml",
    "reviews/datos.madrid.es.toml" = "worlds/feed_bot/reviews/datos.madrid.es.toml",
    "reviews/datosabiertos.jcyl.es.toml" = "worlds/feed_bot/reviews/datosabiertos.jcyl.es.toml",
};

/// Writes the configuration into a folder, with this program as its translator; gives the file of the sources.
///
/// # Errors
/// When a file cannot be written.
pub fn configure(folder: &Path, translator: Option<&Path>) -> Result<PathBuf, BoxError> {
    files::make_folder(&folder.join("reviews"))?;
    for (name, text) in FILES {
        files::write_whole(&folder.join(name), text)?;
    }
    let sources = folder.join("sources.toml");
    if let Some(program) = translator {
        let command = ["translate", "{from}", "{to}"].map(toml::Value::from);
        let program = toml::Value::from(program.to_string_lossy().into_owned());
        let command: Vec<_> = std::iter::once(program).chain(command).collect();
        let command = toml::Value::from(command);
        let line = format!("\n[translator]\nname = \"a tiny glossary\"\ncommand = {command}\n");
        files::write_whole(&sources, format!("{}{line}", fs::read_to_string(&sources)?))?;
    }
    Ok(sources)
}

/// What CityVibeBot promises, as far as it can be seen from outside.
pub fn promise() -> Promise {
    let hosts = ["www.esmadrid.com", "do.diba.cat", "datos.madrid.es", "datosabiertos.jcyl.es"];
    Promise::new()
        .user_agent("CityVibeBot/1.0 (+https://cityvibe.guide/bot-info)")
        .scope(&hosts)
        .max_open(1)
        .min_delay(Duration::from_secs(2))
        .group(&["www.esmadrid.com"], 0.1)
        .group(&["do.diba.cat"], 0.1)
        .crawl_delay_cap(Duration::MAX)
        .closed_path("datosabiertos.jcyl.es/web/jcyl/risp/es/medio-ambiente/")
        .closed_path("datosabiertos.jcyl.es/api/")
        .closed_path("analisis.datosabiertos.jcyl.es/api/")
        .retry_after(true)
        .busy_first(Duration::from_secs(60))
        .busy_factor(2.0)
        .conditional(true)
        .methods(&["GET"])
        .max_redirects(5)
        .revisit(super::config::EVERY)
        .canary(EMAIL)
        .canary(PHONE)
        .canary(DNI)
        .canary(IBAN)
}

/// The four hosts, and one that nobody has reviewed; dates are days from `now` on.
pub fn sites(now: SystemTime) -> Vec<Site> {
    let feed = |text: &str| filled(text, now);
    let esmadrid = |path: &str, tag: &str, text: &str| {
        Page::new(path).header("Content-Type", "application/xml").etag(tag).body(feed(text))
    };
    let diba = |from: u32, to: u32| {
        let path = format!("/api/dataset/actesturisme_ca/format/json/pag-ini/{from}/pag-fi/{to}");
        let text = feed(&diba(from, to.min(DIBA_ROWS)));
        Page::new(&path)
            .header("Content-Type", "application/json")
            .header("Last-Modified", "Mon, 02 Nov 2026 04:00:00 GMT")
            .body(text)
    };
    let json = |path: &str, tag: &str, text: &str| {
        Page::new(path).header("Content-Type", "application/json").etag(tag).body(feed(text))
    };
    let agenda = "/dataset/300107/agenda.json";
    let culture = "/web/jcyl/risp/es/cultura-ocio/agenda_cultural/1284806871500.json";
    vec![
        Site::new("www.esmadrid.com")
            .robots(include_str!("../../worlds/feed_bot/robots/www.esmadrid.com.txt"))
            .page(esmadrid(
                "/opendata/agenda_v1_es.xml",
                "W/\"es-1\"",
                include_str!("../../worlds/feed_bot/feeds/esmadrid_es.xml"),
            ))
            .page(esmadrid(
                "/opendata/agenda_v1_en.xml",
                "RSS-en-1",
                include_str!("../../worlds/feed_bot/feeds/esmadrid_en.xml"),
            )),
        Site::new("do.diba.cat")
            .robots(include_str!("../../worlds/feed_bot/robots/do.diba.cat.txt"))
            .page(diba(1, 1000))
            .page(diba(1001, 2000)),
        Site::new("datos.madrid.es")
            .robots(include_str!("../../worlds/feed_bot/robots/datos.madrid.es.txt"))
            .page(Page::new("/egob/catalogo/300107-0-agenda-actividades-eventos.json").redirect(agenda))
            .page(json(agenda, "\"madrid-1\"", include_str!("../../worlds/feed_bot/feeds/madrid.json")))
            .page(json(agenda, "\"madrid-2\"", include_str!("../../worlds/feed_bot/feeds/madrid_later.json")))
            .page(
                Page::new("/egob/catalogo/206974-0-agenda-eventos-culturales-100.csv")
                    .header("Content-Type", "text/csv")
                    .etag("\"csv-1\"")
                    .body(latin1(&feed(include_str!("../../worlds/feed_bot/feeds/madrid.csv")))),
            ),
        Site::new("datosabiertos.jcyl.es")
            .robots(include_str!("../../worlds/feed_bot/robots/datosabiertos.jcyl.es.txt"))
            .page(
                Page::new("/web/jcyl/set/es/agenda/eventos.json")
                    .redirect("http://analisis.datosabiertos.jcyl.es/api/explore/v2.1/catalog/eventos"),
            )
            .page(Page::new(culture).status(429).retry_after(RetryAfter::Seconds(600)))
            .page(json(culture, "\"jcyl-1\"", include_str!("../../worlds/feed_bot/feeds/jcyl.json"))),
        Site::new("analisis.datosabiertos.jcyl.es").robots("User-agent: *\nDisallow: /api/\n"),
    ]
}

/// `{+12}` is the day in twelve days as 2026-12-31, `{+12/}` as 31/12/2026.
fn filled(text: &str, now: SystemTime) -> String {
    let mut parts = text.split("{+");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (days, rest) = part.split_once('}').unwrap_or((part, ""));
        let later = Duration::from_secs(86_400 * days.trim_end_matches('/').parse::<u64>().unwrap_or(0));
        if let Some(day) = Day::at(now + later, "Europe/Madrid") {
            let (year, month, day) = (day.year(), day.month(), day.day());
            filled.push_str(&match days.ends_with('/') {
                true => format!("{day:02}/{month:02}/{year}"),
                false => format!("{year}-{month:02}-{day:02}"),
            });
        }
        filled.push_str(rest);
    }
    let personal = [("{email}", EMAIL), ("{phone}", PHONE), ("{dni}", DNI), ("{iban}", IBAN)];
    personal.into_iter().fold(filled, |filled, (name, text)| filled.replace(name, text))
}

/// Every character of the feed fits; another would become a question mark, as at the publisher.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?')).collect()
}

/// Rows as the province of Barcelona publishes them.
fn diba(from: u32, to: u32) -> String {
    const TITLES: [&str; 4] =
        ["Visita guiada", "Mercat d'artesania", "Concert de tardor", "Taller de ceràmica"];
    const TOWNS: [(&str, &str); 5] = [
        ("Vic", "41.93,2.25"),
        ("Berga", "42.10,1.85"),
        ("Manresa", "41.72,1.83"),
        ("Igualada", "41.58,1.62"),
        ("Mataró", "41.54,2.44"),
    ];
    let row = |number: u32| {
        let place = usize::try_from(number).unwrap_or(0);
        let (title, (town, point)) = (TITLES[place % TITLES.len()], TOWNS[place % TOWNS.len()]);
        let day = 1 + number % 90;
        format!(
            "{{\"acte_id\":\"{number}\",\"titol\":\"{title} {number}\",\"descripcio\":\"<p>Activitat de l'Ajuntament de {town}.</p>\",\
             \"data_inici\":\"{{+{day}}} 18:00:00\",\"data_fi\":\"{{+{day}}} 20:00:00\",\"preu\":\"Gratuït\",\"tags\":[\"000intern\",\"Cultura\"],\
             \"imatge\":[\"https://do.diba.cat/img/{number}.jpg\"],\"acte_url\":\"https://agenda.example/actes/{number}\",\
             \"email\":[\"{{email}}\"],\"telefon_contacte\":[\"{{phone}}\"],\
             \"grup_adreca\":{{\"adreca_nom\":\"Centre cívic\",\"municipi_nom\":\"{town}\",\"localitzacio\":\"{point}\"}}}}"
        )
    };
    let rows: Vec<String> = (from..=to).map(row).collect();
    format!("{{\"entitats\":{DIBA_ROWS},\"elements\":[{}]}}", rows.join(",\n"))
}
