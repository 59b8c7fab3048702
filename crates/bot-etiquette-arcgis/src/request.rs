//! What to ask: one GET each, with the size at which its answer is cut off. No request holds a token.

use url::Url;

use crate::address::{Root, ServiceUrl};
use crate::layer::Layer;
use crate::tiles::Tile;
use crate::wgs84::Bbox;

/// Bytes of a directory or folder at the most.
pub const DIRECTORY_LIMIT: u64 = 4 << 20;
/// Bytes of a service's or layer's description at the most.
pub const SERVICE_LIMIT: u64 = 8 << 20;
/// Bytes of a `/layers` answer at the most.
pub const LAYERS_LIMIT: u64 = 32 << 20;
/// Bytes of a count or an extent at the most: a server that answers a count with features is cut off here.
pub const COUNT_LIMIT: u64 = 64 << 10;
/// Bytes of a page of features, or of a list of ids, at the most.
pub const PAGE_LIMIT: u64 = 5 << 20;
/// Bytes of a picture at the most.
pub const IMAGE_LIMIT: u64 = 4 << 20;
/// Characters of a URL at the most; a question about more layers is split.
pub const URL_LIMIT: usize = 2_000;

/// A GET request: its URL, and where to cut the answer off.
///
/// ```
/// use bot_etiquette_arcgis::{Address, COUNT_LIMIT};
///
/// let pasted: Address = "https://gis.example.org/arcgis/rest/services/Roads/FeatureServer/3".parse()?;
/// let request = pasted.service.unwrap().count(3);
/// assert_eq!(request.url.path(), "/arcgis/rest/services/Roads/FeatureServer/3/query");
/// assert_eq!(request.url.query(), Some("where=1%3D1&returnCountOnly=true&f=json"));
/// assert_eq!(request.body_limit, COUNT_LIMIT);
/// # Ok::<(), bot_etiquette_arcgis::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// What to ask.
    pub url: Url,
    /// Bytes of the decoded body at the most.
    pub body_limit: u64,
}

impl Request {
    pub(crate) fn new(url: Url, body_limit: u64) -> Self {
        Self { url, body_limit }
    }
}

fn request(mut url: Url, body_limit: u64, parameters: &[(&str, &str)]) -> Request {
    url.query_pairs_mut().extend_pairs(parameters);
    Request { url, body_limit }
}

impl Root {
    /// The directory at the root.
    #[must_use]
    pub fn directory(&self) -> Request {
        request(self.url().clone(), DIRECTORY_LIMIT, &[("f", "json")])
    }

    /// A folder's list of services.
    #[must_use]
    pub fn folder(&self, folder: &str) -> Request {
        request(self.below(folder.split('/')), DIRECTORY_LIMIT, &[("f", "json")])
    }
}

impl ServiceUrl {
    /// The service's description.
    #[must_use]
    pub fn description(&self) -> Request {
        request(self.url(), SERVICE_LIMIT, &[("f", "json")])
    }

    /// Every layer's description. Coded values shrink to their names where the server knows how (10.6 and later).
    #[must_use]
    pub fn layers(&self) -> Request {
        request(self.below(["layers"]), LAYERS_LIMIT, &[("returnDomainNames", "true"), ("f", "json")])
    }

    /// One layer's description.
    #[must_use]
    pub fn layer(&self, layer: u64) -> Request {
        request(self.below([layer.to_string().as_str()]), SERVICE_LIMIT, &[("f", "json")])
    }

    /// Estimated counts and extents of all layers, for services whose `infoInEstimates` offers them.
    #[must_use]
    pub fn estimates(&self) -> Request {
        request(self.below(["getEstimates"]), SERVICE_LIMIT, &[("f", "json")])
    }

    /// Counts of many layers of a FeatureServer, split so that no URL is longer than [`URL_LIMIT`].
    #[must_use]
    pub fn counts(&self, layers: &[u64]) -> Vec<Request> {
        let build = |layers: &[u64]| {
            let each: Vec<String> = layers.iter().map(|layer| format!("\"{layer}\":\"1=1\"")).collect();
            let definitions = format!("{{{}}}", each.join(","));
            let parameters =
                [("layerDefs", definitions.as_str()), ("returnCountOnly", "true"), ("f", "json")];
            request(self.below(["query"]), COUNT_LIMIT, &parameters)
        };
        let mut requests = Vec::new();
        let mut rest = layers;
        while !rest.is_empty() {
            // The longest start that fits; a single layer goes out whatever its length.
            let fits = |end: &usize| build(rest.get(..*end).unwrap_or(rest)).url.as_str().len() <= URL_LIMIT;
            let end = (1..=rest.len().min(URL_LIMIT)).take_while(fits).last().unwrap_or(1);
            let (now, later) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            requests.push(build(now));
            rest = later;
        }
        requests
    }

    /// The number of features of a layer.
    #[must_use]
    pub fn count(&self, layer: u64) -> Request {
        self.query(layer, COUNT_LIMIT, &[("where", "1=1"), ("returnCountOnly", "true"), ("f", "json")])
    }

    /// The ids of a layer's features, for servers that ignore [`count`](Self::count).
    #[must_use]
    pub fn ids(&self, layer: u64) -> Request {
        self.query(layer, PAGE_LIMIT, &[("where", "1=1"), ("returnIdsOnly", "true"), ("f", "json")])
    }

    /// How many features lie in a box of WGS 84.
    #[must_use]
    pub fn count_in(&self, layer: u64, bbox: &Bbox) -> Request {
        let corners = bbox.to_string();
        let place = within(&corners);
        let parameters: Vec<_> = [("where", "1=1")]
            .iter()
            .chain(&place)
            .chain(&[("returnCountOnly", "true"), ("f", "json")])
            .copied()
            .collect();
        self.query(layer, COUNT_LIMIT, &parameters)
    }

    /// Extent, in WGS 84, and count of a layer's features (10.3.1 and later).
    #[must_use]
    pub fn extent(&self, layer: u64) -> Request {
        let parameters = [
            ("where", "1=1"),
            ("returnExtentOnly", "true"),
            ("returnCountOnly", "true"),
            ("outSR", "4326"),
            ("f", "json"),
        ];
        self.query(layer, COUNT_LIMIT, &parameters)
    }

    /// One page of outlines in WGS 84, thinned to what a picture `width` degrees wide can show.
    ///
    /// `count` is how many there are; it is asked for as the page's size where the layer has pages.
    #[must_use]
    pub fn outlines(&self, layer: &Layer, count: u64, width: f64) -> Request {
        let offset = format!("{:.6}", (width.abs() / 2_000.0).clamp(0.000_001, 1.0));
        let count = count.to_string();
        let mut parameters =
            vec![("where", "1=1"), ("outFields", layer.object_id_field.as_deref().unwrap_or("*"))];
        parameters.extend(SHAPES);
        parameters.extend([
            ("outSR", "4326"),
            ("geometryPrecision", "5"),
            ("maxAllowableOffset", offset.as_str()),
        ]);
        if layer.has_pages() {
            if let Some(field) = &layer.object_id_field {
                parameters.push(("orderByFields", field));
            }
            parameters.push(("resultRecordCount", &count));
        }
        parameters.push(("f", "json"));
        self.query(layer.id, PAGE_LIMIT, &parameters)
    }

    /// One page of outlines in WGS 84, asked for in the way that every server knows.
    #[must_use]
    pub fn plain_outlines(&self, layer: u64) -> Request {
        let parameters = [
            ("where", "1=1"),
            ("outFields", "*"),
            ("returnGeometry", "true"),
            ("outSR", "4326"),
            ("f", "json"),
        ];
        self.query(layer, PAGE_LIMIT, &parameters)
    }

    /// A limited sample of features in a box, in Web Mercator, for drawing here.
    #[must_use]
    pub fn sample(&self, layer: &Layer, bbox: &Bbox, most: u64, metres_per_pixel: f64) -> Request {
        let corners = bbox.to_string();
        let place = within(&corners);
        let offset = format!("{:.3}", metres_per_pixel.clamp(0.001, 1.0e6));
        let most = most.to_string();
        let mut parameters = vec![("where", "1=1")];
        parameters.extend(place);
        parameters.push(("outFields", layer.object_id_field.as_deref().unwrap_or("*")));
        parameters.extend(SHAPES);
        parameters.extend([("outSR", "3857"), ("maxAllowableOffset", offset.as_str())]);
        if layer.has_pages() {
            parameters.push(("resultRecordCount", &most));
        }
        parameters.push(("f", "json"));
        self.query(layer.id, PAGE_LIMIT, &parameters)
    }

    /// A picture of a MapServer's layer (of all when none is named). The box is of WGS 84 and should have the picture's
    /// shape, since the server widens it otherwise.
    #[must_use]
    pub fn export(&self, layer: Option<u64>, bbox: &Bbox, (width, height): (u32, u32)) -> Request {
        let (corners, size) = (bbox.to_string(), format!("{width},{height}"));
        let show = layer.map(|layer| format!("show:{layer}"));
        let mut parameters = vec![
            ("bbox", corners.as_str()),
            ("bboxSR", "4326"),
            ("imageSR", "3857"),
            ("size", &size),
            ("dpi", "96"),
            ("format", "png"),
            ("transparent", "true"),
        ];
        parameters.extend(show.as_deref().map(|show| ("layers", show)));
        parameters.push(("f", "image"));
        request(self.below(["export"]), IMAGE_LIMIT, &parameters)
    }

    /// A picture of an ImageServer.
    #[must_use]
    pub fn export_image(&self, bbox: &Bbox, (width, height): (u32, u32)) -> Request {
        let (corners, size) = (bbox.to_string(), format!("{width},{height}"));
        let parameters = [
            ("bbox", corners.as_str()),
            ("bboxSR", "4326"),
            ("imageSR", "3857"),
            ("size", &size),
            ("format", "jpgpng"),
            ("f", "image"),
        ];
        request(self.below(["exportImage"]), IMAGE_LIMIT, &parameters)
    }

    /// A tile that the server has drawn before.
    #[must_use]
    pub fn tile(&self, tile: Tile) -> Request {
        let (level, row, col) = (tile.level.to_string(), tile.row.to_string(), tile.col.to_string());
        Request { url: self.below(["tile", &level, &row, &col]), body_limit: IMAGE_LIMIT }
    }

    fn query(&self, layer: u64, body_limit: u64, parameters: &[(&str, &str)]) -> Request {
        request(self.below([layer.to_string().as_str(), "query"]), body_limit, parameters)
    }
}

/// Plain geometries: no heights, no measures, no curves.
const SHAPES: [(&str, &str); 4] =
    [("returnGeometry", "true"), ("returnZ", "false"), ("returnM", "false"), ("returnTrueCurves", "false")];

fn within(corners: &str) -> [(&str, &str); 4] {
    [
        ("geometry", corners),
        ("geometryType", "esriGeometryEnvelope"),
        ("inSR", "4326"),
        ("spatialRel", "esriSpatialRelIntersects"),
    ]
}
