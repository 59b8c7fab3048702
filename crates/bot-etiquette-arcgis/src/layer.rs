//! A layer's description, alone or as one of `/layers`.

use serde::{Deserialize, Serialize};

use crate::count::Counts;
use crate::document::Document;
use crate::facts::{BadItem, items, sealed::Read};
use crate::outcome::Problem;
use crate::scalar;
use crate::space::{self, Extent, SpatialReference};

/// What a layer or table says of itself. Symbols, templates and coded values are not kept.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Layer, LayerKind};
///
/// let body = br#"{"id":17,"name":"Hotspots","type":"Group Layer","fields":null,"geometryType":null,"minScale":"4000"}"#;
/// let layer = Answer::body(body).read::<Layer>()?.facts;
/// assert_eq!((layer.id, layer.kind.as_ref()), (17, Some(&LayerKind::Group)));
/// assert!(layer.fields.is_empty() && !layer.is_queryable());
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Layer {
    /// Its number within the service.
    #[serde(deserialize_with = "scalar::id")]
    pub id: u64,
    /// Its name, which may be a table's full name.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is.
    #[serde(default, rename = "type", deserialize_with = "kind", skip_serializing_if = "Option::is_none")]
    pub kind: Option<LayerKind>,
    /// The server's version, in answers about one layer.
    #[serde(default, deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub current_version: Option<f64>,
    /// What the publisher says of it.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whom the publisher credits.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub copyright_text: Option<String>,
    /// `esriGeometryPoint`, `esriGeometryPolyline`, `esriGeometryPolygon`..; none for tables and groups.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub geometry_type: Option<String>,
    /// The group it stands in.
    #[serde(default, deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub parent_layer: Option<LayerName>,
    /// The layers of a group.
    #[serde(default, deserialize_with = "scalar::list", skip_serializing_if = "Vec::is_empty")]
    pub sub_layers: Vec<LayerName>,
    /// The smallest scale (largest denominator) at which it draws; 0 is no limit.
    #[serde(default, deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub min_scale: Option<f64>,
    /// The largest scale at which it draws; 0 is no limit.
    #[serde(default, deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub max_scale: Option<f64>,
    /// Where its data lies, as the server says.
    #[serde(default, deserialize_with = "space::extent", skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The system that its data is kept in.
    #[serde(default, deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub source_spatial_reference: Option<SpatialReference>,
    /// The system that it answers in, where that is told.
    #[serde(default, deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub spatial_reference: Option<SpatialReference>,
    /// The field that names a feature for people.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub display_field: Option<String>,
    /// The field that numbers the features.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub object_id_field: Option<String>,
    /// Its fields; empty for groups and where the server lists none.
    #[serde(default, deserialize_with = "scalar::list")]
    pub fields: Vec<Field>,
    /// Words that tell what it can: `Map`, `Query`, `Data`..
    #[serde(default, deserialize_with = "scalar::words")]
    pub capabilities: Vec<String>,
    /// Features of one answer at the most.
    #[serde(default, deserialize_with = "scalar::unsigned", skip_serializing_if = "Option::is_none")]
    pub max_record_count: Option<u64>,
    /// Whether answers come in pages, where the server says so at the top.
    #[serde(default, deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub supports_pagination: Option<bool>,
    /// What queries may ask for.
    #[serde(default, deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub advanced_query_capabilities: Option<QueryCapabilities>,
    /// Whether features have a height.
    #[serde(default, deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub has_z: Option<bool>,
    /// Whether features have a measure.
    #[serde(default, deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub has_m: Option<bool>,
    /// When its data was changed, where the server keeps that.
    #[serde(default, deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub editing_info: Option<EditingInfo>,
    /// What `getEstimates` gives.
    #[serde(default, deserialize_with = "scalar::words", skip_serializing_if = "Vec::is_empty")]
    pub info_in_estimates: Vec<String>,
}

/// A layer named by another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerName {
    /// Its number.
    #[serde(deserialize_with = "scalar::id")]
    pub id: u64,
    /// Its name.
    #[serde(default, deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A field of a layer: what it is, never what it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Field {
    /// Its name, which may hold its table's.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// `esriFieldTypeString` and so on; unknown ones as they are.
    #[serde(rename = "type", deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub field_type: Option<String>,
    /// What people call it.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// Characters of a text field at the most.
    #[serde(deserialize_with = "scalar::unsigned", skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

fn name<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    scalar::text(deserializer).map(Option::unwrap_or_default)
}

/// What a layer lets queries ask for; none where it does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueryCapabilities {
    /// Pages by offset, since 10.3.
    #[serde(deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub supports_pagination: Option<bool>,
    /// The extent of a query's features, since 10.3.1.
    #[serde(deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub supports_returning_query_extent: Option<bool>,
    /// Answers in an order.
    #[serde(deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub supports_order_by: Option<bool>,
    /// Sums and other statistics.
    #[serde(deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub supports_statistics: Option<bool>,
}

/// When a layer was changed, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EditingInfo {
    /// Data or description.
    #[serde(deserialize_with = "scalar::integer", skip_serializing_if = "Option::is_none")]
    pub last_edit_date: Option<i64>,
    /// Data alone.
    #[serde(deserialize_with = "scalar::integer", skip_serializing_if = "Option::is_none")]
    pub data_last_edit_date: Option<i64>,
}

/// What a layer is; the names are those of ArcGIS.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum LayerKind {
    /// `Feature Layer`
    Feature,
    /// `Table`
    Table,
    /// `Group Layer`
    Group,
    /// `Raster Layer`
    Raster,
    /// Any other, by its name.
    Other(String),
}

pub(crate) fn kind<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<LayerKind>, D::Error> {
    Ok(scalar::text(deserializer)?.map(LayerKind::from))
}

impl LayerKind {
    /// The name that servers use.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Feature => "Feature Layer",
            Self::Table => "Table",
            Self::Group => "Group Layer",
            Self::Raster => "Raster Layer",
            Self::Other(name) => name,
        }
    }
}

impl From<String> for LayerKind {
    fn from(name: String) -> Self {
        match name.as_str() {
            "Feature Layer" => Self::Feature,
            "Table" => Self::Table,
            "Group Layer" => Self::Group,
            "Raster Layer" => Self::Raster,
            _ => Self::Other(name),
        }
    }
}

impl From<LayerKind> for String {
    fn from(kind: LayerKind) -> Self {
        match kind {
            LayerKind::Other(name) => name,
            known => known.as_str().to_owned(),
        }
    }
}

impl Layer {
    /// Whether the layer says that it can do this, whatever the case of the word.
    #[must_use]
    pub fn can(&self, word: &str) -> bool {
        self.capabilities.iter().any(|capability| capability.eq_ignore_ascii_case(word))
    }

    /// Whether its features may be counted: it has a geometry, or is a table, and does not exclude queries.
    ///
    /// Servers of the 10.0 age list no capabilities; they are given the benefit of the doubt.
    #[must_use]
    pub fn is_queryable(&self) -> bool {
        let holds_rows =
            self.geometry_type.is_some() || matches!(self.kind, Some(LayerKind::Table | LayerKind::Feature));
        holds_rows
            && self.kind != Some(LayerKind::Group)
            && (self.capabilities.is_empty() || self.can("Query"))
    }

    /// Whether pages by offset work; only a plain yes counts.
    #[must_use]
    pub fn has_pages(&self) -> bool {
        let advanced = self.advanced_query_capabilities.as_ref().and_then(|query| query.supports_pagination);
        advanced.or(self.supports_pagination) == Some(true)
    }

    /// Whether a query may ask for the extent: not where the layer says no.
    #[must_use]
    pub fn may_return_extent(&self) -> bool {
        let advanced = self.advanced_query_capabilities.as_ref();
        advanced.and_then(|query| query.supports_returning_query_extent) != Some(false)
    }

    /// Whether the layer draws at a scale (its denominator), by its own limits. Limits that were swapped are read right.
    #[must_use]
    pub fn draws_at(&self, scale: f64) -> bool {
        let (far, near) = self.scale_range();
        (far <= 0.0 || scale <= far) && (near <= 0.0 || scale >= near)
    }

    /// The farthest and the nearest denominator at which it draws; 0 is no limit.
    #[must_use]
    pub fn scale_range(&self) -> (f64, f64) {
        let (far, near) = (self.min_scale.unwrap_or(0.0).max(0.0), self.max_scale.unwrap_or(0.0).max(0.0));
        if far > 0.0 && near > far { (near, far) } else { (far, near) }
    }
}

impl Read for Layer {
    const KIND: &'static str = "layer";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        const MARKS: [&str; 8] = [
            "type",
            "geometryType",
            "fields",
            "parentLayer",
            "objectIdField",
            "extent",
            "displayField",
            "name",
        ];
        if !document.has("id")
            || !document.has_any(&MARKS)
            || document.has_any(&["features", "layers", "services"])
        {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        document.whole().ok_or(Problem::OtherKind { expected: Self::KIND })
    }
}

/// Every layer and table of a service, from one request. A broken one costs nobody else.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Layers};
///
/// let body = br#"{"layers":[{"id":0,"name":"error","type":"Feature Layer"},{"id":"x"},{"id":2,"id":3}],"tables":[]}"#;
/// let parsed = Answer::body(body).read::<Layers>()?;
/// assert_eq!(parsed.facts.layers.iter().map(|layer| layer.id).collect::<Vec<_>>(), [0, 3]);
/// assert_eq!(parsed.facts.bad_items[0].index, 1);
/// assert_eq!(parsed.repairs, ["equal-keys"]);
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Layers {
    /// The layers, in the server's order.
    #[serde(default)]
    pub layers: Vec<Layer>,
    /// The tables.
    #[serde(default)]
    pub tables: Vec<Layer>,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad_items: Vec<BadItem>,
}

impl Layers {
    /// Layers and tables, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().chain(&self.tables)
    }
}

impl Read for Layers {
    const KIND: &'static str = "list of layers";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        // A service lists its layers too, and tells less of them.
        const OTHERS: [&str; 7] = [
            "services",
            "mapName",
            "serviceDescription",
            "capabilities",
            "fullExtent",
            "initialExtent",
            "singleFusedMapCache",
        ];
        if !document.has_any(&["layers", "tables"]) || document.has_any(&OTHERS) {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        let (layers, mut bad_items) = items(document, "layers");
        // The counts of a whole service come under the same name.
        let is_bare = |layer: &Layer| layer.name.is_none() && layer.kind.is_none();
        if layers.iter().all(is_bare) && Counts::from_document(document).is_ok() {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        let (tables, bad_tables) = items(document, "tables");
        bad_items.extend(bad_tables);
        Ok(Self { layers, tables, bad_items })
    }
}
