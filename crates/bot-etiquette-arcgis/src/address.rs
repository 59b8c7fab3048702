//! Where servers and services live: roots, service URLs, and what people paste.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::directory::{ServiceEntry, ServiceType};

/// The root of a services directory: `https://host/arcgis/rest/services`, with no query, user name or token.
///
/// ```
/// use bot_etiquette_arcgis::Root;
///
/// let root: Root = "https://gis.example.org:6443/ArcGIS/rest/services/?f=pjson&token=secret".parse()?;
/// assert_eq!(root.url().as_str(), "https://gis.example.org:6443/ArcGIS/rest/services");
/// assert_eq!(root.organisation(), None);
///
/// let hosted: Root = "https://services3.arcgis.com/aBcDeFgHiJkLmNoP/arcgis/rest/services".parse()?;
/// assert_eq!(hosted.organisation(), Some("aBcDeFgHiJkLmNoP"));
/// # Ok::<(), bot_etiquette_arcgis::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    url: Url,
}

/// A service's place: its root, its name with the folder, its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServiceUrl {
    root: Root,
    name: String,
    service_type: ServiceType,
}

/// What a pasted URL names: a root at least, and often a service and a layer.
///
/// ```
/// use bot_etiquette_arcgis::Address;
///
/// let pasted: Address = "https://gis.example.org/arcgis/services/Roads/MapServer/WMSServer".parse()?;
/// assert_eq!(pasted.service.unwrap().to_string(), "https://gis.example.org/arcgis/rest/services/Roads/MapServer");
///
/// let pasted: Address =
///     "https://gis.example.org/arcgis/rest/services/Roads/FeatureServer/0/query?where=1%3D1&token=abc".parse()?;
/// assert_eq!(pasted.layer, Some(0));
/// assert_eq!(pasted.root.url().query(), None);
/// # Ok::<(), bot_etiquette_arcgis::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Address {
    /// The server's directory.
    pub root: Root,
    /// The folder, where the URL stops there.
    pub folder: Option<String>,
    /// The service.
    pub service: Option<ServiceUrl>,
    /// The layer.
    pub layer: Option<u64>,
}

/// Why a URL names no ArcGIS server. The URL itself is not repeated, since it may hold a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// No absolute URL.
    #[error("no absolute URL: {0}")]
    Url(url::ParseError),
    /// A scheme other than http and https.
    #[error("the URL is neither http nor https")]
    Scheme,
    /// Neither `/rest/services` nor the SOAP or WMS form of it.
    #[error("no /rest/services in the path; give the address of a services directory or of something in it")]
    NoServices,
    /// A user name or password in the URL, which is never sent.
    #[error("the URL holds a user name or password; give it without")]
    Credentials,
}

const TYPES: [&str; 19] = [
    "MapServer",
    "FeatureServer",
    "ImageServer",
    "VectorTileServer",
    "SceneServer",
    "GPServer",
    "GeocodeServer",
    "GeometryServer",
    "GeoDataServer",
    "NAServer",
    "StreamServer",
    "GlobeServer",
    "MobileServer",
    "SearchServer",
    "GeoenrichmentServer",
    "KnowledgeGraphServer",
    "VideoServer",
    "VersionManagementServer",
    "UtilityNetworkServer",
];

impl FromStr for Address {
    type Err = AddressError;

    /// Reads a URL of a directory, folder, service, layer or query; query, fragment and double slashes are dropped.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text.trim()).map_err(AddressError::Url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        let decode = |segment: &str| percent_decode_str(segment).decode_utf8_lossy().into_owned();
        let segments: Vec<String> =
            url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).map(decode).collect();
        let is = |index: usize, word: &str| {
            segments.get(index).is_some_and(|segment| segment.eq_ignore_ascii_case(word))
        };
        let is_type = |segment: &String| TYPES.iter().any(|name| name.eq_ignore_ascii_case(segment));
        let rest =
            (1..segments.len()).find(|index| is(index.saturating_sub(1), "rest") && is(*index, "services"));
        let (context, inside) = match rest {
            Some(index) => (index.saturating_sub(1), index.saturating_add(1)),
            None => {
                let soap = (0..segments.len())
                    .find(|index| is(*index, "services"))
                    .ok_or(AddressError::NoServices)?;
                let inside = soap.saturating_add(1);
                if !segments.iter().skip(inside).any(is_type) {
                    return Err(AddressError::NoServices);
                }
                (soap, inside)
            }
        };
        let root = Root::new(&url, segments.get(..context).unwrap_or_default());
        let inside = segments.get(inside..).unwrap_or_default();
        let Some(at) = inside.iter().rposition(is_type).filter(|at| *at > 0) else {
            // One segment is a folder; more are of no form that is known.
            let folder = inside.first().filter(|_| inside.len() == 1).cloned();
            return Ok(Self { root, folder, service: None, layer: None });
        };
        let name = inside.get(..at).unwrap_or_default().join("/");
        let service_type = ServiceType::from(inside.get(at).map_or("", String::as_str));
        let layer = inside.get(at.saturating_add(1)).and_then(|segment| segment.parse().ok());
        let service = ServiceUrl { root: root.clone(), name, service_type };
        Ok(Self { root, folder: None, service: Some(service), layer })
    }
}

impl Root {
    fn new(url: &Url, context: &[String]) -> Self {
        let mut root = url.clone();
        root.set_query(None);
        root.set_fragment(None);
        if let Ok(mut path) = root.path_segments_mut() {
            path.clear().extend(context).extend(["rest", "services"]);
        }
        Self { url: root }
    }

    /// The root's URL, as published.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The host and port of the root, lower case.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.url.authority()
    }

    /// The organisation whose data shared ArcGIS Online hosting keeps under this root; none for a publisher's own server.
    #[must_use]
    pub fn organisation(&self) -> Option<&str> {
        let (label, _) = self.url.host_str()?.strip_suffix(".arcgis.com").and_then(|host| {
            let digits = host.trim_end_matches(|c: char| c.is_ascii_digit());
            Some((digits.split('-').next()?, ()))
        })?;
        let mut segments = self.url.path_segments()?;
        match label {
            "services" | "vectortileservices" | "servicesdev" | "servicesqa" => segments.next(),
            "tiles" => segments.nth(1),
            _ => None,
        }
        .filter(|segment| !segment.eq_ignore_ascii_case("arcgis") && *segment != "rest")
    }

    /// Equal for two roots that are one server's: http and https, and the case of the context, make no difference.
    #[must_use]
    pub fn key(&self) -> String {
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = self.url.host_str().unwrap_or_default();
        let path = self.url.path().to_ascii_lowercase();
        match self.organisation() {
            // Organisation ids are told apart by case.
            Some(organisation) => format!("{host}{port}/{organisation}"),
            None => format!("{host}{port}{path}"),
        }
    }

    /// A service of this root's directory.
    #[must_use]
    pub fn service(&self, entry: &ServiceEntry) -> ServiceUrl {
        ServiceUrl { root: self.clone(), name: entry.name.clone(), service_type: entry.service_type.clone() }
    }

    /// A path below the root; each segment is encoded by itself.
    pub(crate) fn below<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.extend(segments.into_iter().filter(|segment| !segment.is_empty()));
        }
        url
    }
}

impl FromStr for Root {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        text.parse::<Address>().map(|address| address.root)
    }
}

impl ServiceUrl {
    /// The root that the service is of.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The name with its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type.
    #[must_use]
    pub fn service_type(&self) -> &ServiceType {
        &self.service_type
    }

    /// The service's URL.
    #[must_use]
    pub fn url(&self) -> Url {
        self.below([])
    }

    pub(crate) fn below<'a>(&'a self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        self.root.below(self.name.split('/').chain([self.service_type.as_str()]).chain(segments))
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

impl fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url().as_str())
    }
}
