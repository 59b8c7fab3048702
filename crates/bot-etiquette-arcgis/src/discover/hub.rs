//! Search of ArcGIS Hub.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use url::Url;

use super::portal::SearchItem;
use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::{Request, SERVICE_LIMIT};
use crate::scalar;

/// A page of everything of one type (`Feature Service`) that a Hub site knows: `https://hub.arcgis.com` knows all sites'.
///
/// ```
/// use bot_etiquette_arcgis::discover::hub_search;
///
/// let request = hub_search(&"https://hub.arcgis.com".parse()?, "Feature Service", 101);
/// assert_eq!(request.url.path(), "/api/search/v1/collections/all/items");
/// assert_eq!(request.url.query(), Some("filter=type%3D%27Feature+Service%27&limit=100&startindex=101"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn hub_search(site: &Url, item_type: &str, start_index: u64) -> Request {
    let mut url = site.clone();
    url.set_path("/api/search/v1/collections/all/items");
    url.set_query(None);
    let filter = format!("type='{}'", item_type.replace('\'', ""));
    // The name of the parameter must be all lower case.
    url.query_pairs_mut().extend_pairs([
        ("filter", filter.as_str()),
        ("limit", "100"),
        ("startindex", &start_index.max(1).to_string()),
    ]);
    Request::new(url, SERVICE_LIMIT)
}

/// One page of a Hub search.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::HubPage};
///
/// let body = br#"{"type":"FeatureCollection","features":[{"id":"f4bcc_3","properties":{"type":"Feature Service"}}],
///     "links":[{"rel":"next","href":"https://elsewhere.example/api/search/v1/collections/all/items?startindex=101"}]}"#;
/// let page = Answer::body(body).read::<HubPage>()?.facts;
/// assert_eq!((page.items[0].item_id(), page.items[0].layer()), ("f4bcc", Some(3)));
/// // A link to another host is not followed.
/// assert_eq!(page.next("https://hub.arcgis.com/api/search/v1/collections/all/items"), None);
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HubPage {
    /// Hits in all, as Hub estimates them.
    pub number_matched: Option<u64>,
    /// The items that could be read.
    pub items: Vec<HubItem>,
    next: Option<String>,
}

/// A record of Hub.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HubItem {
    /// The id of the item, with `_` and the layer where it is one layer of it.
    #[serde(deserialize_with = "scalar::text")]
    pub id: Option<String>,
    /// The ArcGIS item.
    pub properties: SearchItem,
}

impl HubItem {
    /// The id of the ArcGIS item.
    #[must_use]
    pub fn item_id(&self) -> &str {
        let id = self.id.as_deref().unwrap_or_default();
        id.rsplit_once('_').map_or(id, |(item, _)| item)
    }

    /// The layer, where the record is about one.
    #[must_use]
    pub fn layer(&self) -> Option<u64> {
        self.id.as_deref()?.rsplit_once('_')?.1.parse().ok()
    }
}

impl HubPage {
    /// The next page of the search at `asked`: its start index is taken from the link, host and path are kept.
    #[must_use]
    pub fn next(&self, asked: &str) -> Option<Request> {
        let (next, mut url) = (Url::parse(self.next.as_deref()?).ok()?, Url::parse(asked).ok()?);
        if next.origin() != url.origin() {
            return None;
        }
        let (_, start) = next.query_pairs().find(|(name, _)| name.eq_ignore_ascii_case("startindex"))?;
        let start: u64 = start.parse().ok()?;
        let index_of = |url: &Url| {
            url.query_pairs()
                .find(|(name, _)| name == "startindex")
                .and_then(|(_, value)| value.parse::<u64>().ok())
        };
        if start <= index_of(&url).unwrap_or(1) {
            return None;
        }
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(name, _)| name != "startindex")
            .map(|(a, b)| (a.into_owned(), b.into_owned()))
            .collect();
        url.query_pairs_mut().clear().extend_pairs(kept).append_pair("startindex", &start.to_string());
        Some(Request::new(url, SERVICE_LIMIT))
    }
}

/// A page of datasets of one type by Hub's older search, for sites whose newer one is closed; `page` counts from 1.
///
/// ```
/// use bot_etiquette_arcgis::discover::hub_datasets;
///
/// let request = hub_datasets(&"https://hub.arcgis.com".parse()?, "Feature Service", 2);
/// assert_eq!(request.url.path(), "/api/v3/datasets");
/// assert!(request.url.query().unwrap().contains("page%5Bnumber%5D=2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn hub_datasets(site: &Url, item_type: &str, page: u64) -> Request {
    let mut url = site.clone();
    url.set_path("/api/v3/datasets");
    url.set_query(None);
    url.query_pairs_mut().extend_pairs([
        ("filter[type]", item_type),
        ("fields[datasets]", "name,url,orgId,type,extent,recordCount"),
        ("page[size]", "100"),
        ("page[number]", &page.max(1).to_string()),
    ]);
    Request::new(url, SERVICE_LIMIT)
}

/// One page of Hub's older search. The last page is the one without datasets.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::HubDatasets};
///
/// let body = br#"{"data":[{"id":"f4bcc_3","type":"dataset","attributes":{"name":"Wells","recordCount":null,
///     "url":"https://gis.example.org/arcgis/rest/services/A/FeatureServer/3"}}],"meta":{"stats":{"totalCount":25244}}}"#;
/// let page = Answer::body(body).read::<HubDatasets>()?.facts;
/// assert_eq!((page.total, page.datasets[0].record_count), (Some(25_244), None));
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HubDatasets {
    /// Hits in all.
    pub total: Option<u64>,
    /// The datasets that could be read.
    pub datasets: Vec<HubDataset>,
}

/// A dataset of Hub's older search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct HubDataset {
    /// What it is called.
    #[serde(deserialize_with = "scalar::text")]
    pub name: Option<String>,
    /// The service's or the layer's URL.
    #[serde(deserialize_with = "scalar::text")]
    pub url: Option<String>,
    /// The organisation that publishes it.
    #[serde(deserialize_with = "scalar::text")]
    pub org_id: Option<String>,
    /// The number of features, where Hub knows.
    #[serde(deserialize_with = "scalar::unsigned")]
    pub record_count: Option<u64>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default, deserialize_with = "scalar::object")]
    attributes: Option<HubDataset>,
}

impl Read for HubDatasets {
    const KIND: &'static str = "page of Hub datasets";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let Some(data) = document.get::<Vec<&RawValue>>("data") else {
            return Err(Problem::OtherKind { expected: Self::KIND });
        };
        let read = |raw: &&RawValue| document.item::<Resource>(raw).ok();
        let meta: Option<Value> = document.get("meta");
        let total = meta.as_ref().and_then(|meta| meta.get("stats")?.get("totalCount")?.as_u64());
        let datasets = data.iter().filter_map(read).filter_map(|resource| resource.attributes);
        Ok(Self { total, datasets: datasets.collect() })
    }
}

#[derive(Deserialize)]
struct Link {
    #[serde(default)]
    rel: String,
    #[serde(default)]
    href: String,
}

impl Read for HubPage {
    const KIND: &'static str = "page of Hub records";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        if !document.has("features") || !document.has("links") {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        let (items, _) = crate::facts::items(document, "features");
        let links: Vec<Link> = document.get("links").unwrap_or_default();
        let next = links.into_iter().find(|link| link.rel == "next").map(|link| link.href);
        Ok(Self { number_matched: document.with("numberMatched", |raw| scalar::unsigned(raw)), items, next })
    }
}
