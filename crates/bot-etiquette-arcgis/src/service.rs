//! A service's own description.

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::facts::{BadItem, items, sealed::Read};
use crate::layer::{self, LayerKind};
use crate::outcome::Problem;
use crate::scalar;
use crate::space::{self, Extent, SpatialReference};
use crate::tiles::TileInfo;

/// What a Map, Feature, Image, VectorTile or Scene service says of itself. Any part may be missing.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Service};
///
/// let body = br#"{"currentVersion":10.71,"mapName":"Roads","capabilities":"Map,Query",
///     "layers":[{"id":0,"name":"Street","parentLayerId":-1},{"id":"x"}],"tables":null,"maxRecordCount":"1000"}"#;
/// let service = Answer::body(body).read::<Service>()?.facts;
/// assert_eq!((service.layers.len(), service.bad_items.len()), (1, 1));
/// assert_eq!(service.max_record_count, Some(1000));
/// assert!(service.can("query"));
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Service {
    /// The server's version as a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_version: Option<f64>,
    /// Its name or the name of its map, where it tells one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The description of the service, often the same as `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_description: Option<String>,
    /// The description of the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whom the publisher credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copyright_text: Option<String>,
    /// Words that tell what it can: `Map`, `Query`, `Data`, `TilesOnly`..
    pub capabilities: Vec<String>,
    /// The layers, of which this list tells little; [`Layers`](crate::Layers) tells all.
    pub layers: Vec<LayerEntry>,
    /// The tables, which hold no geometry.
    pub tables: Vec<LayerEntry>,
    /// The system that the service works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spatial_reference: Option<SpatialReference>,
    /// Where its data lies, as the publisher says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_extent: Option<Extent>,
    /// What is shown first: weak evidence of where its data lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_extent: Option<Extent>,
    /// Whether all layers are drawn into one set of tiles. Tiles count only when this is true.
    pub single_fused_map_cache: bool,
    /// The scheme of its tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile_info: Option<TileInfo>,
    /// The smallest scale (largest denominator) at which it draws; 0 or none is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_scale: Option<f64>,
    /// The largest scale at which it draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_scale: Option<f64>,
    /// Features of one answer at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_record_count: Option<u64>,
    /// Pixels of one picture at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_image_width: Option<u64>,
    /// Pixels of one picture at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_image_height: Option<u64>,
    /// What `getEstimates` gives: `extent`, `count`; empty where it is not offered.
    pub info_in_estimates: Vec<String>,
    /// The size of an image service's pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixel_size_x: Option<f64>,
    /// The kind of an image service's data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_data_type: Option<String>,
    /// Layers and tables that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bad_items: Vec<BadItem>,
}

/// One layer or table of a service's list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayerEntry {
    /// Its number, which need not start at 0.
    #[serde(deserialize_with = "scalar::id")]
    pub id: u64,
    /// Its name.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is; old servers tell it in the layer's description alone.
    #[serde(
        default,
        rename = "type",
        deserialize_with = "layer::kind",
        skip_serializing_if = "Option::is_none"
    )]
    pub kind: Option<LayerKind>,
    /// The group it stands in; none at the top, which servers write as -1.
    #[serde(default, deserialize_with = "scalar::unsigned", skip_serializing_if = "Option::is_none")]
    pub parent_layer_id: Option<u64>,
    /// `esriGeometryPolygon` and so on.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub geometry_type: Option<String>,
    /// The smallest scale at which it draws.
    #[serde(default, deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub min_scale: Option<f64>,
    /// The largest scale at which it draws.
    #[serde(default, deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub max_scale: Option<f64>,
}

impl Service {
    /// Whether the service says that it can do this, whatever the case of the word.
    #[must_use]
    pub fn can(&self, word: &str) -> bool {
        self.capabilities.iter().any(|capability| capability.eq_ignore_ascii_case(word))
    }

    /// Whether `getEstimates` gives counts.
    #[must_use]
    pub fn estimates_counts(&self) -> bool {
        self.info_in_estimates.iter().any(|word| word.eq_ignore_ascii_case("count"))
    }

    /// A number of what a visit would have to read anew: it changes when version, layers or extent do.
    ///
    /// FNV-1a over the description; the same over versions of this crate unless the changelog says otherwise.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut text = format!("{:?}|{:?}|{:?}", self.current_version, self.full_extent, self.capabilities);
        for layer in self.layers.iter().chain(&self.tables) {
            text.push_str(&format!("|{} {:?} {:?}", layer.id, layer.name, layer.geometry_type));
        }
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

impl Read for Service {
    const KIND: &'static str = "service";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        const OWN: [&str; 7] = [
            "layers",
            "tables",
            "fullExtent",
            "initialExtent",
            "serviceDescription",
            "mapName",
            "singleFusedMapCache",
        ];
        const SHARED: [&str; 2] = ["extent", "capabilities"];
        const LAYER: [&str; 4] = ["fields", "objectIdField", "geometryType", "parentLayer"];
        let is_own = document.has_any(&OWN);
        // Hosted tiles have an id as layers do.
        let is_layer = document.has("id") && (!is_own || document.has_any(&LAYER));
        // A service has these too, but never alone: they are a list of layers or counts, or an extent.
        let is_part = document.has_only(&["layers", "tables", "extent", "count"]);
        let is_any = is_own || document.has_any(&SHARED);
        if !is_any || is_layer || is_part || document.has_any(&["services", "features"]) {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        let (layers, mut bad_items) = items(document, "layers");
        let (tables, bad_tables) = items(document, "tables");
        bad_items.extend(bad_tables);
        let text = |name| document.with(name, |raw| scalar::text(raw));
        let number = |name| document.with(name, |raw| scalar::number(raw));
        let count = |name| document.with(name, |raw| scalar::unsigned(raw));
        let extent = |name| document.with(name, |raw| space::extent(raw));
        Ok(Self {
            current_version: number("currentVersion"),
            name: text("name").or_else(|| text("mapName")).or_else(|| text("serviceName")),
            service_description: text("serviceDescription"),
            description: text("description"),
            copyright_text: text("copyrightText"),
            capabilities: document.with("capabilities", |raw| scalar::words(raw)),
            layers,
            tables,
            spatial_reference: document.with("spatialReference", |raw| scalar::object(raw)),
            full_extent: extent("fullExtent").or_else(|| extent("extent")),
            initial_extent: extent("initialExtent"),
            single_fused_map_cache: document
                .with("singleFusedMapCache", |raw| scalar::truth(raw))
                .unwrap_or(false),
            tile_info: document.with("tileInfo", |raw| scalar::object(raw)),
            min_scale: number("minScale"),
            max_scale: number("maxScale"),
            max_record_count: count("maxRecordCount"),
            max_image_width: count("maxImageWidth"),
            max_image_height: count("maxImageHeight"),
            info_in_estimates: document.with("infoInEstimates", |raw| scalar::words(raw)),
            pixel_size_x: number("pixelSizeX"),
            service_data_type: text("serviceDataType"),
            bad_items,
        })
    }
}
