//! A `/layers` answer of 10 MB, one result per layer, beside serde_json typed without isolation in the same run; what it
//! holds in memory beside the input; and that mending text is linear.
//!
//! `cargo bench --bench arcgis` in this folder; `-- --quick` for a first look. Ratios come last, from medians of
//! interleaved rounds in thread CPU time, so that a busy machine slows all alike.

use std::fmt::Write;
use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bot_etiquette_arcgis::{Answer, Count, Layers};
use bot_etiquette_benches::{Counting, IN_USE, PEAK, at_least, at_most, medians};
use bot_etiquette_lenient::json::{Limits, Tokens, repair};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The same facts, strictly typed and all or nothing: what a client without isolation reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct TypedLayers {
    layers: Vec<TypedLayer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct TypedLayer {
    id: u64,
    name: String,
    r#type: String,
    description: String,
    copyright_text: String,
    geometry_type: Option<String>,
    min_scale: f64,
    max_scale: f64,
    extent: TypedExtent,
    display_field: String,
    object_id_field: String,
    fields: Vec<TypedField>,
    capabilities: String,
    max_record_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct TypedExtent {
    xmin: f64,
    ymin: f64,
    xmax: f64,
    ymax: f64,
    spatial_reference: TypedReference,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct TypedReference {
    wkid: u32,
    latest_wkid: u32,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct TypedField {
    name: String,
    r#type: String,
    alias: String,
    length: Option<u64>,
}

/// Visits every value and keeps none: serde_json's own streaming.
struct Walk;

impl<'de> Deserialize<'de> for Walk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Walk {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self, E> {
        black_box(value);
        Ok(self)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self, E> {
        black_box(value);
        Ok(self)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self, E> {
        black_box(value);
        Ok(self)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self, E> {
        black_box(value);
        Ok(self)
    }

    fn visit_str<E>(self, value: &str) -> Result<Self, E> {
        black_box(value);
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

/// 728 layers of about 13.7 kB: fields with coded values, a renderer, a picture in base64, text beyond ASCII.
fn layers() -> String {
    let mut json = String::from("{\"layers\":[");
    for id in 0..728 {
        let comma = if id == 0 { "" } else { "," };
        let _ = write!(
            json,
            "{comma}{{\"id\":{id},\"name\":\"Straßen {id}\",\"type\":\"Feature Layer\",\"description\":\"Ein Layer über {id}. {}\",\
             \"copyrightText\":\"© Example\",\"geometryType\":\"esriGeometryPolygon\",\"minScale\":100000,\"maxScale\":0,\
             \"extent\":{{\"xmin\":-13163000.5,\"ymin\":4035000.25,\"xmax\":-13062000.125,\"ymax\":4135000,\
             \"spatialReference\":{{\"wkid\":102100,\"latestWkid\":3857}}}},\"displayField\":\"NAME\",\"objectIdField\":\"OBJECTID\",\
             \"drawingInfo\":{{\"renderer\":{{\"symbol\":{{\"imageData\":\"{}\"}}}}}},\"fields\":[",
            "Beschreibung der Daten. ".repeat(30),
            "iVBORw0KGgoAAAANSUhEUgAA".repeat(233),
        );
        for field in 0..40 {
            let comma = if field == 0 { "" } else { "," };
            let _ = write!(
                json,
                "{comma}{{\"name\":\"FIELD_{field}\",\"type\":\"esriFieldTypeString\",\"alias\":\"Feld {field}\",\"length\":50,\
                 \"domain\":{{\"type\":\"codedValue\",\"codedValues\":[{{\"name\":\"ja\",\"code\":1}},{{\"name\":\"nein\",\"code\":2}}]}}}}"
            );
        }
        json.push_str("],\"capabilities\":\"Map,Query,Data\",\"maxRecordCount\":2000}");
    }
    json.push_str("],\"tables\":[]}");
    json
}

fn main() {
    let rounds = if std::env::args().any(|argument| argument == "--quick") { 5 } else { 21 };
    let json = layers();
    let bytes = json.as_bytes();
    let rate = |time: Duration, bytes: usize| bytes as f64 / time.as_secs_f64() / 1.0e6;
    assert_eq!(Answer::body(bytes).read::<Layers>().unwrap().facts.layers.len(), 728);
    assert_eq!(serde_json::from_str::<TypedLayers>(&json).unwrap().layers.len(), 728);

    let ours = || drop(black_box(Answer::body(black_box(bytes)).read::<Layers>().unwrap()));
    let typed = || drop(black_box(serde_json::from_str::<TypedLayers>(black_box(&json)).unwrap()));
    let [own, strict] = medians(rounds, [&ours, &typed]);
    println!("/layers of {} bytes, 728 layers:", bytes.len());
    println!("  one result per layer   {:6.0} MB/s", rate(own, bytes.len()));
    println!("  serde_json typed       {:6.0} MB/s", rate(strict, bytes.len()));
    let ratio = strict.as_secs_f64() / own.as_secs_f64();
    at_least(0.4).judge("arcgis", "`/layers` of 10 MB, a result per layer, rate / serde_json typed", ratio);

    let tokens = || assert!(Tokens::new(black_box(bytes), Limits::default()).all(|token| token.is_ok()));
    let stream = || drop(black_box(serde_json::from_slice::<Walk>(black_box(bytes)).unwrap()));
    let [own, strict] = medians(rounds, [&tokens, &stream]);
    println!("tokens of strict JSON    {:6.0} MB/s", rate(own, bytes.len()));
    println!("  serde_json streaming   {:6.0} MB/s", rate(strict, bytes.len()));
    let ratio = own.as_secs_f64() / strict.as_secs_f64();
    at_most(1.5).judge("lenient", "tokens of strict JSON, time / serde_json, every value visited", ratio);

    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    drop(black_box(Answer::body(bytes).read::<Layers>().unwrap()));
    let peak = PEAK.load(Ordering::Relaxed) - before;
    at_most(6.0).judge("arcgis", "heap above those 10 MB, MB", peak as f64 / 1.0e6);

    // What a crawler mends: a whole answer for the sake of a few numbers.
    let spoilt = json.replace("\"maxRecordCount\":2000", "\"maxRecordCount\":NaN").into_bytes();
    let mended = || drop(black_box(repair(black_box(&spoilt), Limits::default()).unwrap()));
    let [time] = medians(rounds, [&mended]);
    println!("repair of that, with NaN {:6.0} MB/s", rate(time, spoilt.len()));

    // Two repairs in ten bytes; twice the text must cost twice the time.
    let broken = |size: usize| format!("[{}NaN]", "NaN,\"a\tb\",".repeat(size / 10)).into_bytes();
    let (small, large) = (broken(1_000_000), broken(4_000_000));
    let mend = |text: &[u8]| drop(black_box(repair(black_box(text), Limits::default()).unwrap()));
    let [one, four] = medians(rounds, [&|| mend(&small), &|| mend(&large)]);
    println!("repair of 1 MB           {:6.0} MB/s", rate(one, small.len()));
    println!("repair of 4 MB           {:6.0} MB/s", rate(four, large.len()));
    let growth = four.as_secs_f64() / one.as_secs_f64();
    at_most(5.0).judge("lenient", "repair of the worst shape, time of 4 MB / 1 MB", growth);

    let error = br#"{"error":{"code":499,"message":"Token Required","details":[]}}"#;
    let [judged] = medians(
        rounds,
        [&|| {
            for _ in 0..10_000 {
                let _ = black_box(Answer::body(black_box(error)).read::<Count>());
            }
        }],
    );
    println!("an error told apart in   {:6.0} ns", judged.as_secs_f64() * 1.0e5);
}
