//! `extract arcgis`: what an answer of an ArcGIS REST server holds.

use std::fmt::Write;

use bot_etiquette_arcgis::{
    Answer as Response, Count, Counts, Directory, FeaturePage, Layer, Layers, Outline, Parsed, Place,
    Problem, QueryExtent, Service,
};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::{input, output};

/// `extract arcgis --kind KIND FILE`
#[derive(Debug, Args)]
pub(crate) struct Arcgis {
    /// What was asked of the server.
    #[arg(long, value_enum)]
    kind: Kind,
    /// The body of the answer; - reads stdin.
    #[arg(value_parser = input::source)]
    file: String,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// A services directory or one of its folders.
    Directory,
    /// A service's description.
    Service,
    /// All layers of a service: the answer of `/layers`.
    Layers,
    /// One layer's description.
    Layer,
    /// A count, a list of ids, or the counts of many layers.
    Count,
    /// The extent of a query's features, or a layer's estimate.
    Extent,
    /// A page of features.
    Features,
}

#[derive(Serialize)]
struct Found<'a, T> {
    schema: u32,
    outcome: &'static str,
    #[serde(flatten)]
    parsed: &'a Parsed<T>,
}

#[derive(Serialize)]
struct NotFound<'a> {
    schema: u32,
    outcome: &'static str,
    message: String,
    error: Option<&'a bot_etiquette_arcgis::EsriError>,
}

pub(crate) fn arcgis(options: &Arcgis) -> Result<Answer, Failure> {
    let bytes = input::read(&options.file)?;
    let answer = Response::body(&bytes);
    let told = match options.kind {
        Kind::Directory => tell::<Directory>(options, answer.read()),
        Kind::Service => tell(options, answer.read().map(|parsed| parsed.map(placed_service))),
        Kind::Layers => tell(options, answer.read().map(|parsed| parsed.map(placed_layers))),
        Kind::Layer => tell(options, answer.read().map(|parsed| parsed.map(placed))),
        Kind::Count => match answer.read::<Count>() {
            // One key holds the numbers of many layers.
            Err(other @ Problem::OtherKind { .. }) => match answer.read::<Counts>() {
                Err(Problem::OtherKind { .. }) => Ok(Some(other)),
                read => tell(options, read),
            },
            read => tell(options, read),
        },
        Kind::Extent => tell(options, answer.read().map(|parsed| parsed.map(placed_extent))),
        Kind::Features => tell(options, answer.read().map(|parsed| parsed.map(outlined))),
    };
    match told? {
        None => Ok(Answer::Yes),
        Some(problem) => {
            let refused = NotFound {
                schema: output::SCHEMA,
                outcome: problem.code(),
                message: problem.to_string(),
                error: problem.esri(),
            };
            if options.json {
                output::json(&refused)?;
            } else {
                output::text(format!("{}: {}\n", refused.outcome, refused.message).as_bytes())?;
            }
            Ok(Answer::No)
        }
    }
}

/// Prints facts; gives the problem back where there are none.
fn tell<T: Serialize>(
    options: &Arcgis,
    read: Result<Parsed<T>, Problem>,
) -> Result<Option<Problem>, Failure> {
    let parsed = match read {
        Ok(parsed) => parsed,
        Err(problem) => return Ok(Some(problem)),
    };
    let found = Found { schema: output::SCHEMA, outcome: "public", parsed: &parsed };
    if options.json {
        output::json(&found)?;
    } else {
        let value = serde_json::to_value(&found)
            .map_err(|error| Failure::new(format_args!("cannot write: {error}")))?;
        output::text(lines(&value).as_bytes())?;
    }
    Ok(None)
}

/// `name: value` lines of the top level, lists as how many items they hold.
fn lines(value: &serde_json::Value) -> String {
    let mut text = String::new();
    for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| name.as_str() != "schema")
    {
        let _ = match value {
            serde_json::Value::Array(items) => writeln!(text, "{name}: {} items", items.len()),
            serde_json::Value::String(words) => writeln!(text, "{name}: {words}"),
            other => writeln!(text, "{name}: {other}"),
        };
    }
    text
}

/// Facts, and where their extent lies.
#[derive(Serialize)]
struct Placed<T> {
    #[serde(flatten)]
    facts: T,
    place: Place,
}

fn placed(layer: Layer) -> Placed<Layer> {
    let place = layer.place(None, None);
    Placed { facts: layer, place }
}

fn placed_service(service: Service) -> Placed<Service> {
    let place = service.place();
    Placed { facts: service, place }
}

fn placed_extent(extent: QueryExtent) -> Placed<QueryExtent> {
    let place = extent.place();
    Placed { facts: extent, place }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlacedLayers {
    layers: Vec<Placed<Layer>>,
    tables: Vec<Layer>,
    bad_items: Vec<bot_etiquette_arcgis::BadItem>,
}

fn placed_layers(layers: Layers) -> PlacedLayers {
    PlacedLayers {
        layers: layers.layers.into_iter().map(placed).collect(),
        tables: layers.tables,
        bad_items: layers.bad_items,
    }
}

#[derive(Serialize)]
struct Outlined {
    #[serde(flatten)]
    page: FeaturePage,
    outlines: Vec<Outline>,
}

fn outlined(page: FeaturePage) -> Outlined {
    let outlines = page.outlines();
    Outlined { page, outlines }
}
