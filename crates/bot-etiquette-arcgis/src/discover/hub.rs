//! Search of ArcGIS Hub.

use serde::{Deserialize, Serialize};
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
        let (items, _, _) = crate::facts::items(document, "features");
        let links: Vec<Link> = document.get("links").unwrap_or_default();
        let next = links.into_iter().find(|link| link.rel == "next").map(|link| link.href);
        Ok(Self { number_matched: document.with("numberMatched", |raw| scalar::unsigned(raw)), items, next })
    }
}
