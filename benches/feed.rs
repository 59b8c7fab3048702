//! 150 MB of RSS and of attribute-named XML to scrubbed events, beside quick-xml's bare event loop and feed-rs; 150 MB of
//! JSON beside serde_json's streaming; and the heap that each needs above its input.
//!
//! `cargo bench --bench feed` in this folder; `-- --quick` for a tenth of the size. Both sides stream the same bytes in
//! pieces of 64 KiB and forget what they read; quick-xml over one slice, its fastest way, stands beside. Ratios come from
//! medians of interleaved rounds in thread CPU time, so that a busy machine slows all alike.

use std::fmt::Write;
use std::hint::black_box;
use std::io::BufReader;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bot_etiquette_benches::{Counting, IN_USE, PEAK, at_least, at_most, medians};
use bot_etiquette_feed::{Feed, SourceMap, Verdict};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const HEAD: &str = r#"
source = "town"
zone = "Europe/Madrid"
language = "es"
[attribution]
source = "A town"
license = "CC BY 4.0"
license_url = "https://creativecommons.org/licenses/by/4.0/"
link = "https://town.example/data"
"#;

const TEXT: &str = "Taller de iniciación a la fotografía para todos los públicos: se recorre el barrio con una \
                    cámara, se mira la luz de la tarde y se habla de lo que queda fuera del encuadre. Aforo de 25 \
                    personas, inscripción en el centro hasta completar las plazas.";

/// What of every fifth text has to go.
fn contact(id: usize) -> String {
    if id % 5 == 0 {
        format!(" Información: taller{id}@example.org o 91 376 {:02} 97.", id % 100)
    } else {
        String::new()
    }
}

/// The map of a format; `rest` begins with its top-level keys.
fn map(format: &str, rest: &str) -> SourceMap {
    let (keys, fields) = rest.split_once("[fields]").unwrap_or((rest, ""));
    SourceMap::from_toml(&format!("format = \"{format}\"\n{keys}{HEAD}[fields]\n{fields}")).expect("a map")
}

/// An RSS 2.0 feed of about `size` bytes, and its items.
fn rss(size: usize) -> (String, usize) {
    let mut text = String::with_capacity(size + 4096);
    text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:ev=\"http://purl.org/rss/1.0/modules/event/\"><channel><title>Agenda</title><link>https://town.example/</link><description>Agenda</description>\n");
    let mut items = 0;
    while text.len() < size {
        let _ = write!(
            text,
            "<item>\n  <title>Fotografía &amp; barrio {items}</title>\n  <link>https://town.example/agenda/{items}</link>\n  <guid isPermaLink=\"false\">agenda-{items}</guid>\n  <author>redaccion{items}@example.org (A Desk)</author>\n  <category>Cultura</category><category>Talleres</category>\n  <pubDate>Tue, 03 Jun 2025 10:00:00 +0200</pubDate>\n  <ev:startdate>2025-07-{:02}T20:00:00</ev:startdate>\n  <description><![CDATA[<p>{TEXT}{}</p><p>{TEXT}</p>]]></description>\n  <enclosure url=\"https://town.example/{items}.jpg\" type=\"image/jpeg\" length=\"12345\"/>\n</item>\n",
            items % 28 + 1,
            contact(items),
        );
        items += 1;
    }
    text.push_str("</channel></rss>\n");
    (text, items)
}

/// XML whose fields are named by an attribute, as Madrid's, and its records.
fn named(size: usize) -> (String, usize) {
    let mut text = String::with_capacity(size + 4096);
    text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<Contenidos>\n<infoDataset><nombre>Agenda</nombre></infoDataset>\n");
    let mut items = 0;
    while text.len() < size {
        let _ = write!(
            text,
            "<contenido>\n<tipo>Evento</tipo>\n<atributos idioma=\"es\">\n<atributo nombre=\"ID-EVENTO\">{items}</atributo>\n<atributo nombre=\"TITULO\">Fotografía y barrio {items}</atributo>\n<atributo nombre=\"GRATUITO\">1</atributo>\n<atributo nombre=\"EVENTO-LARGA-DURACION\">0</atributo>\n<atributo nombre=\"DIAS-SEMANA\">M,X</atributo>\n<atributo nombre=\"FECHA-EVENTO\">2025-07-{day:02} 00:00:00.0</atributo>\n<atributo nombre=\"FECHA-FIN-EVENTO\">2025-08-{day:02} 23:59:00.0</atributo>\n<atributo nombre=\"HORA-EVENTO\">19:00</atributo>\n<atributo nombre=\"DESCRIPCION\"><![CDATA[{TEXT}{}]]></atributo>\n<atributo nombre=\"CONTENT-URL\">https://town.example/agenda/{items}</atributo>\n<atributo nombre=\"TIPO\">/contenido/actividades/Talleres</atributo>\n<atributo nombre=\"LOCALIZACION\">\n<atributo nombre=\"CONTENT-URL-INSTALACION\">https://town.example/centro</atributo>\n<atributo nombre=\"NOMBRE-INSTALACION\">Centro Cultural</atributo>\n<atributo nombre=\"CLASE-VIAL\">CALLE</atributo>\n<atributo nombre=\"NOMBRE-VIA\">MAYOR</atributo>\n<atributo nombre=\"NUM\">7</atributo>\n<atributo nombre=\"COORDENADA-X\">440000</atributo>\n<atributo nombre=\"COORDENADA-Y\">4474000</atributo>\n<atributo nombre=\"LATITUD\">40.4{:04}</atributo>\n<atributo nombre=\"LONGITUD\">-3.7{:04}</atributo>\n<atributo nombre=\"LOCALIDAD\">MADRID</atributo>\n<atributo nombre=\"TELEFONO\">913 76 91 97</atributo>\n<atributo nombre=\"EMAIL\">centro@example.org</atributo>\n</atributo>\n</atributos>\n</contenido>\n",
            contact(items),
            items % 10_000,
            items % 10_000,
            day = items % 28 + 1,
        );
        items += 1;
    }
    text.push_str("</Contenidos>\n");
    (text, items)
}

/// The fields of the record above, by name.
const NAMED: &str = r#"
[fields]
key = "atributos/atributo[@nombre='ID-EVENTO']"
title = "atributos/atributo[@nombre='TITULO']"
description = "atributos/atributo[@nombre='DESCRIPCION']"
start = "atributos/atributo[@nombre='FECHA-EVENTO']"
end = "atributos/atributo[@nombre='FECHA-FIN-EVENTO']"
start-time = "atributos/atributo[@nombre='HORA-EVENTO']"
weekdays = "atributos/atributo[@nombre='DIAS-SEMANA']"
free = "atributos/atributo[@nombre='GRATUITO']"
link = "atributos/atributo[@nombre='CONTENT-URL']"
category = "atributos/atributo[@nombre='TIPO']"
venue = "atributos/atributo[@nombre='LOCALIZACION']/atributo[@nombre='NOMBRE-INSTALACION']"
latitude = "atributos/atributo[@nombre='LOCALIZACION']/atributo[@nombre='LATITUD']"
longitude = "atributos/atributo[@nombre='LOCALIZACION']/atributo[@nombre='LONGITUD']"
"#;

/// JSON records with members that nobody maps, and their number.
fn json(size: usize) -> (String, usize) {
    let mut text = String::with_capacity(size + 4096);
    text.push_str("{\"@context\":{\"c\":\"http://www.w3.org/2002/12/cal#\"},\"@graph\":[\n");
    let mut items = 0;
    while text.len() < size {
        let comma = if items == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\n  \"@id\":\"https://town.example/api/{items}.json\",\n  \"@type\":\"https://town.example/Talleres\",\n  \"id\":\"{items}\",\n  \"title\":\"Fotografía y barrio {items}\",\n  \"description\":\"{TEXT}{}\",\n  \"free\":1,\n  \"price\":\"\",\n  \"dtstart\":\"2025-07-{day:02} 19:00:00.0\",\n  \"dtend\":\"2025-07-{day:02} 23:59:00.0\",\n  \"time\":\"19:00\",\n  \"excluded-days\":\"\",\n  \"uid\":\"{items}\",\n  \"link\":\"https://town.example/agenda/{items}\",\n  \"event-location\":\"Centro Cultural\",\n  \"references\":{{\"@id\":\"https://town.example/ref/{items}\"}},\n  \"relation\":{{\"@id\":\"https://town.example/rel/{items}\"}},\n  \"address\":{{\"area\":{{\"@id\":\"https://town.example/a\",\"locality\":\"MADRID\",\"postal-code\":\"28012\",\"street-address\":\"CALLE MAYOR 7\"}},\"district\":{{\"@id\":\"https://town.example/d\"}}}},\n  \"location\":{{\"latitude\":40.4{:04},\"longitude\":-3.7{:04}}},\n  \"organization\":{{\"organization-name\":\"Centro Cultural\",\"email\":\"centro@example.org\",\"accesibility\":\"1,4\"}}\n}}",
            contact(items),
            items % 10_000,
            items % 10_000,
            day = items % 28 + 1,
        );
        items += 1;
    }
    text.push_str("]}\n");
    (text, items)
}

const JSON: &str = r#"
records = "@graph"
[fields]
key = "id"
title = "title"
description = "description"
start = "dtstart"
end = "dtend"
start-time = "time"
excluded = "excluded-days"
free = "free"
price = "price"
link = "link"
venue = "event-location"
latitude = "location/latitude"
longitude = "location/longitude"
"#;

/// Reads the mapped members of such records into strings by serde_json's streaming, and forgets them.
#[derive(Clone, Copy)]
struct Root;

/// One record.
#[derive(serde::Deserialize)]
#[allow(dead_code)]
struct Item {
    id: String,
    title: String,
    description: String,
    dtstart: String,
    dtend: String,
    time: String,
    #[serde(rename = "excluded-days")]
    excluded: String,
    free: u8,
    price: String,
    link: String,
    #[serde(rename = "event-location")]
    venue: String,
    location: Location,
}

#[derive(serde::Deserialize)]
#[allow(dead_code)]
struct Location {
    latitude: f64,
    longitude: f64,
}

impl<'de> Visitor<'de> for Root {
    type Value = usize;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("records")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(name) = members.next_key::<String>()? {
            if name == "@graph" {
                count = members.next_value_seed(self)?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(count)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(item) = items.next_element::<Item>()? {
            black_box(item);
            count += 1;
        }
        Ok(count)
    }
}

impl<'de> DeserializeSeed<'de> for Root {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Bytes that a client hands over at once.
const CHUNK: usize = 64 * 1024;

/// Every event of a feed, forgotten as it comes.
fn ours(map: &SourceMap, text: &str, items: usize) {
    let mut feed = Feed::new(map);
    let mut events = 0;
    for chunk in text.as_bytes().chunks(CHUNK) {
        feed.push(chunk);
        while let Some(event) = feed.next_event() {
            black_box(event);
            events += 1;
        }
    }
    feed.finish();
    while let Some(event) = feed.next_event() {
        black_box(event);
        events += 1;
    }
    let report = feed.report();
    assert_eq!((events, report.completeness.verdict), (items, Verdict::Complete), "{report:?}");
    assert_eq!(report.scrubbed.emails, items.div_ceil(5) as u64, "every fifth text holds an address");
}

/// quick-xml's bare event loop over the same stream: no text is looked at.
fn bare(text: &str) {
    let mut reader = Reader::from_reader(BufReader::with_capacity(CHUNK, text.as_bytes()));
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer).expect("good XML") {
            Event::Eof => break,
            event => drop(black_box(event)),
        }
        buffer.clear();
    }
}

/// The same over one slice in memory, which is how quick-xml is fastest.
fn bare_slice(text: &str) {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().expect("good XML") {
            Event::Eof => break,
            event => drop(black_box(event)),
        }
    }
}

/// The most heap that `work` holds above what there was before, in bytes.
fn heap(work: impl FnOnce()) -> usize {
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed) - before
}

fn row(what: &str, bytes: usize, time: Duration, ours: Duration) {
    let rate = bytes as f64 / time.as_secs_f64() / 1.0e6;
    println!("  {what:34} {rate:6.0} MB/s   ours is x {:5.2}", time.as_secs_f64() / ours.as_secs_f64());
}

/// What share of the peer's rate ours is; below `floor` something has broken.
fn goal(what: &str, goal: f64, floor: f64, peer: Duration, ours: Duration) {
    at_least(goal).floor(floor).judge("feed", what, peer.as_secs_f64() / ours.as_secs_f64());
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (size, rounds) = if quick { (15_000_000, 3) } else { (150_000_000, 5) };
    {
        let (text, items) = rss(size);
        let map = map("rss", "");
        let feed_rs = || {
            let feed = feed_rs::parser::parse(text.as_bytes()).expect("a feed");
            assert_eq!(black_box(feed).entries.len(), items);
        };
        let own = heap(|| ours(&map, &text, items));
        let theirs = heap(feed_rs);
        let [own_time, stream, slice, peer] =
            medians(rounds, [&|| ours(&map, &text, items), &|| bare(&text), &|| bare_slice(&text), &feed_rs]);
        println!("RSS of {} bytes, {items} items, to scrubbed events:", text.len());
        row("bot-etiquette", text.len(), own_time, own_time);
        row("quick-xml's bare loop, streaming", text.len(), stream, own_time);
        row("quick-xml's bare loop, one slice", text.len(), slice, own_time);
        row("feed-rs, the whole in memory", text.len(), peer, own_time);
        goal("RSS to clean events, MB/s of quick-xml's bare loop, streaming", 0.5, 0.35, stream, own_time);
        at_most(8.0).judge("feed", "RSS, heap above the input, MB", own as f64 / 1.0e6);
        println!(
            "  heap above the input: {:.2} MB; feed-rs {:.0} MB",
            own as f64 / 1.0e6,
            theirs as f64 / 1.0e6
        );
    }
    {
        let (text, items) = named(size);
        let map = map("xml", &format!("records = \"Contenidos/contenido\"\n{NAMED}"));
        let own = heap(|| ours(&map, &text, items));
        let [own_time, stream, slice] =
            medians(rounds, [&|| ours(&map, &text, items), &|| bare(&text), &|| bare_slice(&text)]);
        println!("XML of {} bytes, {items} records with fields named by an attribute:", text.len());
        row("bot-etiquette", text.len(), own_time, own_time);
        row("quick-xml's bare loop, streaming", text.len(), stream, own_time);
        row("quick-xml's bare loop, one slice", text.len(), slice, own_time);
        println!("  heap above the input: {:.2} MB", own as f64 / 1.0e6);
        goal("attribute-named XML, MB/s of quick-xml's bare loop, streaming", 0.5, 0.45, stream, own_time);
        at_most(8.0).judge("feed", "XML, heap above the input, MB", own as f64 / 1.0e6);
    }
    {
        let (text, items) = json(size);
        let map = map("json", JSON);
        let peer = || {
            let reader = BufReader::with_capacity(CHUNK, text.as_bytes());
            let count = Root.deserialize(&mut serde_json::Deserializer::from_reader(reader)).expect("JSON");
            assert_eq!(count, items);
        };
        let own = heap(|| ours(&map, &text, items));
        let theirs = heap(peer);
        let [own_time, peer_time] = medians(rounds, [&|| ours(&map, &text, items), &peer]);
        println!("JSON of {} bytes, {items} records:", text.len());
        row("bot-etiquette", text.len(), own_time, own_time);
        row("serde_json, streaming, typed", text.len(), peer_time, own_time);
        goal("JSON to clean events, MB/s of serde_json, streaming", 0.6, 0.55, peer_time, own_time);
        at_most(8.0).judge("feed", "JSON, heap above the input, MB", own as f64 / 1.0e6);
        println!(
            "  heap above the input: {:.2} MB; serde_json {:.2} MB",
            own as f64 / 1.0e6,
            theirs as f64 / 1.0e6
        );
    }
}
