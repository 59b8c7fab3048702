//! What a command leaves behind for people and programs: four files, each written whole or not at all.
//!
//! `services.ndjson` has a line a service, `layers.geojson` a feature a layer, `politeness.json` what was asked of each host
//! and what was waited for, `report.html` all of it in one page.

use std::path::Path;

use bot_etiquette::arcgis::{Bbox, Place};
use serde_json::{Value, json};

use super::records::{LayerRecord, RootRecord, ServiceRecord};
use super::report::{self, Story};
use super::session::Session;
use crate::files;
use crate::stack::BoxError;

/// Services, each with its layers.
pub type Services = Vec<(ServiceRecord, Vec<LayerRecord>)>;

/// Everything the catalogue holds, for the outputs.
pub struct Contents {
    /// Server by server, service by service, layer by layer.
    pub servers: Vec<(RootRecord, Services)>,
}

impl Contents {
    /// Reads it all.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub fn read(catalogue: &super::catalogue::Catalogue) -> rusqlite::Result<Self> {
        let mut servers = Vec::new();
        for root in catalogue.roots()? {
            let mut services = Vec::new();
            for service in catalogue.services(root.id)? {
                let layers = catalogue.layers(service.id)?;
                services.push((service, layers));
            }
            servers.push((root, services));
        }
        Ok(Self { servers })
    }

    /// Every layer, with its service and server.
    pub fn layers(&self) -> impl Iterator<Item = (&RootRecord, &ServiceRecord, &LayerRecord)> {
        self.servers.iter().flat_map(|(root, services)| {
            services
                .iter()
                .flat_map(move |(service, layers)| layers.iter().map(move |layer| (root, service, layer)))
        })
    }
}

/// Writes the four files into a folder, which is made where there is none.
///
/// # Errors
/// When the catalogue cannot be read, or a file cannot be written; what was there before stays then.
pub fn write(folder: &Path, session: &Session, story: &Story<'_>) -> Result<(), BoxError> {
    files::make_folder(folder)?;
    let contents = Contents::read(&session.catalogue)?;
    let put = |name: &str, text: String| files::write_whole(&folder.join(name), text);
    put("services.ndjson", services(&contents))?;
    put("layers.geojson", geojson(&contents).to_string())?;
    let mut politeness = session.asker.ledger.to_json();
    if let Some(verdict) = story.verdict {
        politeness["referee"] = serde_json::to_value(verdict)?;
    }
    put("politeness.json", serde_json::to_string_pretty(&politeness)?)?;
    put("report.html", report::page(&contents, session, story))?;
    Ok(())
}

fn services(contents: &Contents) -> String {
    let mut text = String::new();
    for (root, services) in &contents.servers {
        for (service, layers) in services {
            let facts = service.facts.as_ref();
            let line = json!({
                "server": root.host,
                "root": root.url,
                "publisher": facts.and_then(|facts| facts.copyright_text.as_deref()),
                "service": service.url.name(),
                "type": service.url.service_type().as_str(),
                "url": service.url.to_string(),
                "state": service.state,
                "problem": service.problem,
                "version": facts.and_then(|facts| facts.current_version),
                "described_in_requests": service.requests,
                "layers": layers.iter().map(properties).collect::<Vec<_>>(),
            });
            text.push_str(&line.to_string());
            text.push('\n');
        }
    }
    text
}

fn properties(layer: &LayerRecord) -> Value {
    let place = layer.known.place.as_ref();
    json!({
        "id": layer.is_layer().then_some(layer.number),
        "name": layer.layer.name,
        "geometry_type": layer.layer.geometry_type,
        "fields": layer.layer.fields.iter().map(|field| &field.name).collect::<Vec<_>>(),
        "count": layer.known.count,
        "evidence": evidence(layer),
        "place": place.map(|place| &place.verdict),
        "place_reason": place.and_then(|place| place.reason).map(|reason| reason.as_str()),
        "preview": layer.picture.as_ref().and(layer.way.as_deref()),
    })
}

/// How it is known where a layer lies, in the words of the catalogue.
#[must_use]
pub fn evidence(layer: &LayerRecord) -> &'static str {
    let known = &layer.known;
    match (&known.coverage, &known.place) {
        (Some(_), _) => "outlines",
        (None, Some(place)) if !place.boxes.is_empty() => "extent-only",
        _ => "unchecked",
    }
}

fn geojson(contents: &Contents) -> Value {
    let features = contents.layers().map(|(root, service, layer)| {
        let mut properties = properties(layer);
        properties["server"] = json!(root.host);
        properties["service"] = json!(service.url.to_string());
        json!({
            "type": "Feature",
            "id": format!("{}/{}", service.url, layer.number),
            "geometry": layer.place().as_ref().and_then(boxes),
            "properties": properties,
        })
    });
    json!({"type": "FeatureCollection", "features": features.collect::<Vec<_>>()})
}

/// The boxes of a place as RFC 7946 writes them: one polygon, or two at the antimeridian.
fn boxes(place: &Place) -> Option<Value> {
    let ring = |Bbox { west, south, east, north }: &Bbox| {
        json!([[[west, south], [east, south], [east, north], [west, north], [west, south]]])
    };
    match place.boxes.as_slice() {
        [] => None,
        [one] => Some(json!({"type": "Polygon", "coordinates": ring(one)})),
        more => {
            Some(json!({"type": "MultiPolygon", "coordinates": more.iter().map(ring).collect::<Vec<_>>()}))
        }
    }
}
