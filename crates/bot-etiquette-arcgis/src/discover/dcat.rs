//! DCAT feeds of Hub sites: a whole catalogue in one answer.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use url::Url;

use super::host::{HostRefusal, server_root};
use crate::address::Root;
use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::Request;
use crate::scalar;
use crate::space::Extent;
use crate::wgs84::Bbox;

/// Bytes of a feed at the most.
const FEED_LIMIT: u64 = 64 << 20;

/// The feed of a Hub site. One conditional request a week is enough: it holds the whole catalogue.
///
/// ```
/// use bot_etiquette_arcgis::discover::dcat_feed;
///
/// let request = dcat_feed(&"https://city.hub.arcgis.com".parse()?);
/// assert_eq!(request.url.as_str(), "https://city.hub.arcgis.com/api/feed/dcat-us/1.1.json");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn dcat_feed(site: &Url) -> Request {
    let mut url = site.clone();
    url.set_path("/api/feed/dcat-us/1.1.json");
    url.set_query(None);
    url.set_fragment(None);
    Request::new(url, FEED_LIMIT)
}

/// The datasets of a feed that lie on an ArcGIS server. Contacts, publishers and texts are left unread.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::DcatFeed};
///
/// let body = br#"{"dataset":[{"identifier":"https://www.arcgis.com/home/item.html?id=23f4&sublayer=2",
///     "spatial":"-120.4650,33.2081,-114.1332,38.3674","contactPoint":{"hasEmail":"mailto:someone"},
///     "distribution":[{"format":"ArcGIS GeoServices REST API","accessURL":"https://gis.example.org/arcgis/rest/services/A/MapServer/2"}]}]}"#;
/// let feed = Answer::body(body).read::<DcatFeed>()?.facts;
/// let dataset = &feed.datasets[0];
/// assert_eq!((dataset.item_id.as_deref(), dataset.layer), (Some("23f4"), Some(2)));
/// assert_eq!(dataset.root().unwrap().to_string(), "https://gis.example.org/arcgis/rest/services");
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DcatFeed {
    /// The datasets with a service.
    pub datasets: Vec<DcatDataset>,
}

/// A dataset of a feed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DcatDataset {
    /// What it is called.
    pub title: Option<String>,
    /// The id of its ArcGIS item.
    pub item_id: Option<String>,
    /// The layer, where the dataset is one of an item.
    pub layer: Option<u64>,
    /// Its service's URL.
    pub url: String,
    /// Where it lies, as its publisher says; none where that is empty, a template that was never filled, or the world.
    pub bbox: Option<Bbox>,
}

impl DcatDataset {
    /// The server's root.
    ///
    /// # Errors
    /// [`HostRefusal`] where the URL is not that of a public server.
    pub fn root(&self) -> Result<Root, HostRefusal> {
        server_root(&self.url)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    #[serde(deserialize_with = "scalar::text")]
    title: Option<String>,
    #[serde(deserialize_with = "scalar::text")]
    identifier: Option<String>,
    #[serde(deserialize_with = "scalar::text")]
    spatial: Option<String>,
    #[serde(deserialize_with = "scalar::list")]
    distribution: Vec<Distribution>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Distribution {
    #[serde(deserialize_with = "scalar::text")]
    format: Option<String>,
    #[serde(rename = "accessURL", deserialize_with = "scalar::text")]
    access_url: Option<String>,
}

impl Read for DcatFeed {
    const KIND: &'static str = "DCAT feed";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let Some(items) = document.get::<Vec<&RawValue>>("dataset") else {
            return Err(Problem::OtherKind { expected: Self::KIND });
        };
        let read = |raw: &&RawValue| document.item::<Wire>(raw).ok();
        Ok(Self { datasets: items.iter().filter_map(read).filter_map(dataset).collect() })
    }
}

fn dataset(wire: Wire) -> Option<DcatDataset> {
    let is_service = |way: &Distribution| way.format.as_deref() == Some("ArcGIS GeoServices REST API");
    let url = wire.distribution.into_iter().find(is_service)?.access_url?;
    let identifier = wire.identifier.as_deref().and_then(|identifier| Url::parse(identifier).ok());
    let named = |name: &str| {
        let (_, value) = identifier.as_ref()?.query_pairs().find(|(key, _)| key == name)?;
        Some(value.into_owned())
    };
    Some(DcatDataset {
        item_id: named("id"),
        layer: named("sublayer").and_then(|layer| layer.parse().ok()),
        bbox: wire.spatial.as_deref().and_then(bbox),
        title: wire.title,
        url,
    })
}

fn bbox(text: &str) -> Option<Bbox> {
    let edges: Vec<f64> = text.split(',').map(|edge| edge.trim().parse().ok()).collect::<Option<_>>()?;
    let place = Extent::new(edges.try_into().ok()?, 4326).to_wgs84();
    place.boxes.first().copied().filter(|_| place.reason.is_none())
}
