//! Footprints of a whole folder's services by one request, which servers from 10.1 to 11.0 answer.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::address::Root;
use crate::directory::Directory;
use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::{Request, SERVICE_LIMIT};
use crate::scalar;
use crate::space::{self, Extent};
use crate::wgs84::{Place, Reason};

/// The footprints of services, one layer for each kind of them.
///
/// Newer servers ignore the question and send the plain directory, which is [`Problem::OtherKind`] here. The server works
/// for the answer: ask once a folder and month, and never on shared hosting.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Directory, Footprints};
///
/// let body = br#"{"featureCollection":{"layers":[{"layerDefinition":{"name":"MapServer","extent":
///     {"xmin":5,"ymin":45,"xmax":6,"ymax":46,"spatialReference":{"wkid":4326}}},"featureSet":{}}]}}"#;
/// let footprints = Answer::body(body).read::<Footprints>()?.facts;
/// assert!(footprints.layers[0].place().contains(5.5, 45.5));
///
/// let directory = Answer::body(br#"{"currentVersion":11.1,"services":[]}"#).read::<Directory>()?.facts;
/// assert!(!directory.offers_footprints());
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Footprints {
    /// The layers that could be read.
    pub layers: Vec<Footprint>,
}

/// A layer of footprints.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Footprint {
    /// What it is called.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The box around all its footprints.
    #[serde(deserialize_with = "space::extent", skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
}

impl Footprint {
    /// Where its services lie.
    #[must_use]
    pub fn place(&self) -> Place {
        self.extent.as_ref().map_or_else(|| Place::none(Reason::Null), Extent::to_wgs84)
    }
}

impl Directory {
    /// Whether the server is of an age that knows footprints: 10.1 up to 11.1, which is left out.
    #[must_use]
    pub fn offers_footprints(&self) -> bool {
        self.current_version.is_some_and(|version| (10.1..11.1).contains(&version))
    }
}

impl Root {
    /// The footprints of the services in a folder, or at the root where none is named.
    #[must_use]
    pub fn footprints(&self, folder: Option<&str>) -> Request {
        let mut url = self.below(folder.unwrap_or_default().split('/'));
        url.query_pairs_mut().extend_pairs([("option", "footprints"), ("outSR", "4326"), ("f", "json")]);
        Request::new(url, SERVICE_LIMIT)
    }
}

#[derive(Deserialize)]
struct Collection<'a> {
    #[serde(borrow, default)]
    layers: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(default, deserialize_with = "scalar::object")]
    layer_definition: Option<Footprint>,
}

impl Read for Footprints {
    const KIND: &'static str = "collection of footprints";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let Some(collection) = document.get::<Collection<'_>>("featureCollection") else {
            return Err(Problem::OtherKind { expected: Self::KIND });
        };
        let read = |raw: &&RawValue| document.item::<Wire>(raw).ok()?.layer_definition;
        Ok(Self { layers: collection.layers.iter().filter_map(read).collect() })
    }
}
