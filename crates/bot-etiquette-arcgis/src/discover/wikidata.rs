//! Wikidata's query service.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::Request;

/// A property whose values may be URLs of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WikidataProperty {
    /// P6269
    ApiEndpoint,
    /// P2699
    Url,
    /// P973
    DescribedAt,
    /// P856, of which there are millions: asked in slices.
    OfficialWebsite {
        /// Values to skip.
        offset: u64,
    },
}

/// Bytes of an answer at the most.
const WIKIDATA_LIMIT: u64 = 32 << 20;
/// Values of P856 looked through by one query.
const SLICE: u64 = 250_000;

/// A query for URLs that hold `/rest/services`, with the country of the item where it has one. Send it to
/// `https://query.wikidata.org/sparql` with `Accept: application/sparql-results+json`, one at a time.
///
/// ```
/// use bot_etiquette_arcgis::discover::{WikidataProperty, wikidata_query};
///
/// let request = wikidata_query(&"https://query.wikidata.org/sparql".parse()?, WikidataProperty::ApiEndpoint);
/// assert!(request.url.query().unwrap().contains("wdt%3AP6269"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn wikidata_query(endpoint: &Url, property: WikidataProperty) -> Request {
    let (code, offset) = match property {
        WikidataProperty::ApiEndpoint => ("P6269", None),
        WikidataProperty::Url => ("P2699", None),
        WikidataProperty::DescribedAt => ("P973", None),
        WikidataProperty::OfficialWebsite { offset } => ("P856", Some(offset)),
    };
    let values = match offset {
        None => format!("?item wdt:{code} ?u ."),
        Some(offset) => format!(
            "SERVICE bd:slice {{ ?item wdt:{code} ?u . bd:serviceParam bd:slice.offset {offset} . \
             bd:serviceParam bd:slice.limit {SLICE} . }}"
        ),
    };
    let query = format!(
        "SELECT ?item ?url ?country WHERE {{ {values} FILTER(CONTAINS(LCASE(STR(?u)), \"/rest/services\")) \
         BIND(STR(?u) AS ?url) OPTIONAL {{ ?item wdt:P17 ?country }} }}"
    );
    let mut url = endpoint.clone();
    url.query_pairs_mut().extend_pairs([("query", query.as_str()), ("format", "json")]);
    Request::new(url, WIKIDATA_LIMIT)
}

/// The URLs that a query found. An answer that breaks off, as it does on a time-out, is an error and never a part.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Problem, discover::WikidataRows};
///
/// let row = r#"{"url":{"type":"literal","value":"https://gis.example.org/arcgis/rest/services"}}"#;
/// let whole = format!(r#"{{"head":{{}},"results":{{"bindings":[{row}]}}}}"#);
/// let rows = Answer::body(whole.as_bytes()).read::<WikidataRows>()?.facts;
/// assert_eq!(rows.urls, ["https://gis.example.org/arcgis/rest/services"]);
///
/// let cut = format!(r#"{{"head":{{}},"results":{{"bindings":[{row},java.util.concurrent.TimeoutException"#);
/// assert!(matches!(Answer::body(cut.as_bytes()).read::<WikidataRows>(), Err(Problem::BadJson { .. })));
/// # Ok::<(), Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WikidataRows {
    /// The URLs, in the order of the answer.
    pub urls: Vec<String>,
}

impl Read for WikidataRows {
    const KIND: &'static str = "list of bindings";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let results: Option<Value> = document.get("results");
        let bindings = results.as_ref().and_then(|results| results.get("bindings")?.as_array());
        let Some(bindings) = bindings else { return Err(Problem::OtherKind { expected: Self::KIND }) };
        let url = |row: &Value| row.get("url")?.get("value")?.as_str().map(str::to_owned);
        Ok(Self { urls: bindings.iter().filter_map(url).collect() })
    }
}
