//! Search of ArcGIS Online and of Enterprise portals.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use url::Url;

use super::host::{HostRefusal, server_root};
use crate::address::Root;
use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::{Request, SERVICE_LIMIT};
use crate::scalar;
use crate::wgs84::Bbox;

/// Items of one page; the most that the search gives.
pub const PAGE_SIZE: u64 = 100;
/// Items that one question can page through. A total of this many means "at least".
pub const SEARCH_CAP: u64 = 10_000;

/// One page of a search.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::SearchPage};
///
/// let body = br#"{"total":1,"start":1,"num":1,"nextStart":-1,"results":[{"id":"a","type":"Map Service",
///     "url":"https://gis.example.org/arcgis/rest/services/A/MapServer","extent":[[140.9,-37.5],[159.2,-28.1]]}]}"#;
/// let page = Answer::body(body).read::<SearchPage>()?.facts;
/// assert_eq!(page.items[0].root().unwrap().to_string(), "https://gis.example.org/arcgis/rest/services");
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SearchPage {
    /// Hits in all; [`SEARCH_CAP`] means that many or more.
    pub total: u64,
    /// Where the next page starts, from 1; 0 or -1 at the end.
    pub next_start: i64,
    /// The items that could be read.
    pub items: Vec<SearchItem>,
}

/// What a search says of an item. Owner and description are left unread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SearchItem {
    /// Its id.
    #[serde(deserialize_with = "scalar::text")]
    pub id: Option<String>,
    /// Its type. The search finds by words, so it must be compared whole.
    #[serde(rename = "type", deserialize_with = "scalar::text")]
    pub item_type: Option<String>,
    /// The organisation; `0123456789ABCDEF` is that of every Enterprise portal, which makes it no key alone.
    #[serde(deserialize_with = "scalar::text")]
    pub org_id: Option<String>,
    /// What it is called.
    #[serde(deserialize_with = "scalar::text")]
    pub title: Option<String>,
    /// The service's URL.
    #[serde(deserialize_with = "scalar::text")]
    pub url: Option<String>,
    /// Words about its type, such as `Hosted Service`.
    #[serde(deserialize_with = "scalar::words")]
    pub type_keywords: Vec<String>,
    /// When it was made, in milliseconds since the Unix epoch.
    #[serde(deserialize_with = "scalar::unsigned")]
    pub created: Option<u64>,
    #[serde(deserialize_with = "crate::space::extent")]
    extent: Option<crate::space::Extent>,
}

impl SearchItem {
    /// The server's root.
    ///
    /// # Errors
    /// [`HostRefusal`] where the item has no URL of a public server.
    pub fn root(&self) -> Result<Root, HostRefusal> {
        server_root(self.url.as_deref().unwrap_or_default())
    }

    /// Who publishes it, as one key: every Enterprise portal has the same organisation id, so the portal belongs to it.
    ///
    /// ```
    /// use bot_etiquette_arcgis::{Answer, Problem, discover::SearchPage};
    ///
    /// let body = br#"{"nextStart":-1,"results":[{"id":"a","orgId":"0123456789ABCDEF"}]}"#;
    /// let page = Answer::body(body).read::<SearchPage>()?.facts;
    /// let of = |portal: &str| page.items[0].publisher(&portal.parse().unwrap());
    /// assert_ne!(of("https://maps.example.org/portal"), of("https://gis.example.net/portal"));
    /// # Ok::<(), Problem>(())
    /// ```
    #[must_use]
    pub fn publisher(&self, portal: &Url) -> Option<String> {
        Some(format!("{}/{}", portal.host_str()?, self.org_id.as_deref()?))
    }

    /// Where it lies, as its publisher says; none for the world, which is a default.
    #[must_use]
    pub fn bbox(&self) -> Option<Bbox> {
        let mut extent = self.extent.clone()?;
        extent.spatial_reference = Some(crate::space::SpatialReference::of_wkid(4326));
        let place = extent.to_wgs84();
        place.boxes.first().copied().filter(|_| place.reason.is_none())
    }
}

impl Read for SearchPage {
    const KIND: &'static str = "page of search results";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let Some(items) = document.get::<Vec<&RawValue>>("results") else {
            return Err(Problem::OtherKind { expected: Self::KIND });
        };
        let items = items.into_iter().filter_map(|raw| document.item::<SearchItem>(raw).ok());
        Ok(Self {
            total: document.with("total", |raw| scalar::unsigned(raw)).unwrap_or(0),
            next_start: document.with("nextStart", |raw| scalar::integer(raw)).unwrap_or(-1),
            items: items.collect(),
        })
    }
}

/// A span of creation times in milliseconds since the Unix epoch, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The first millisecond.
    pub from: u64,
    /// The last one.
    pub to: u64,
}

/// A walk over all services of a portal that were created in a span, cut into windows that stay below [`SEARCH_CAP`].
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::{PortalWalk, Window}};
///
/// let portal = "https://www.arcgis.com".parse()?;
/// let mut walk = PortalWalk::new(&portal, Window { from: 0, to: 1_000 });
/// let request = walk.next().unwrap();
/// assert!(request.url.as_str().starts_with("https://www.arcgis.com/sharing/rest/search?"));
/// let items = walk.answered(Answer::body(br#"{"total":0,"nextStart":-1,"results":[]}"#).read()?.facts);
/// assert!(items.is_empty() && walk.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PortalWalk {
    endpoint: Url,
    pending: Vec<Window>,
    start: u64,
    seen: HashSet<String>,
    truncated: Vec<Window>,
}

const TYPES: [&str; 5] =
    ["Map Service", "Feature Service", "Image Service", "Vector Tile Service", "Scene Service"];

impl PortalWalk {
    /// A walk over the portal at this URL: `https://www.arcgis.com`, or `https://host/portal` for Enterprise.
    #[must_use]
    pub fn new(portal: &Url, window: Window) -> Self {
        let mut endpoint = portal.clone();
        endpoint.set_query(None);
        endpoint.set_fragment(None);
        if let Ok(mut path) = endpoint.path_segments_mut() {
            path.pop_if_empty().extend(["sharing", "rest", "search"]);
        }
        Self { endpoint, pending: vec![window], start: 1, seen: HashSet::new(), truncated: Vec::new() }
    }

    /// The page to ask for now; none at the end.
    #[must_use]
    pub fn next(&self) -> Option<Request> {
        let Window { from, to } = self.pending.last()?;
        let types = TYPES.map(|name| format!("type:\"{name}\"")).join(" OR ");
        // Hosted services reveal no new server, and subscriber content is not public.
        let query = format!(
            "({types}) AND access:public -typekeywords:\"Hosted Service\" -typekeywords:\"Requires Subscription\" \
             -typekeywords:\"Requires Credits\" AND created:[{from} TO {to}]"
        );
        let mut url = self.endpoint.clone();
        url.query_pairs_mut().extend_pairs([
            ("q", query.as_str()),
            ("start", &self.start.to_string()),
            ("num", &PAGE_SIZE.to_string()),
            ("sortField", "created"),
            ("sortOrder", "asc"),
            ("f", "json"),
        ]);
        Some(Request::new(url, SERVICE_LIMIT))
    }

    /// Takes a page; gives the items of it that are services and new.
    pub fn answered(&mut self, page: SearchPage) -> Vec<SearchItem> {
        let Some(window) = self.pending.last().copied() else { return Vec::new() };
        if self.start == 1 && page.total >= SEARCH_CAP {
            if window.from < window.to {
                let middle = window.from.midpoint(window.to);
                self.pending.pop();
                self.pending.push(Window { from: middle.saturating_add(1), to: window.to });
                self.pending.push(Window { from: window.from, to: middle });
                return Vec::new();
            }
            self.truncated.push(window);
        }
        let count = page.items.len();
        let is_service =
            |item: &SearchItem| item.item_type.as_deref().is_some_and(|name| TYPES.contains(&name));
        let mut fresh: Vec<SearchItem> = page.items;
        fresh.retain(|item| item.id.as_ref().is_some_and(|id| self.seen.insert(id.clone())));
        let next = u64::try_from(page.next_start).unwrap_or(0);
        // Portals have been seen to answer the first page again when asked for one past the end.
        let is_over = next <= self.start || count == 0 || fresh.is_empty() || next > SEARCH_CAP;
        if is_over {
            self.pending.pop();
            self.start = 1;
        } else {
            self.start = next;
        }
        fresh.retain(is_service);
        fresh
    }

    /// Windows of one millisecond that hold more than can be paged through; their first items were kept.
    #[must_use]
    pub fn truncated(&self) -> &[Window] {
        &self.truncated
    }
}
