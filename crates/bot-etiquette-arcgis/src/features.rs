//! A page of features: ids and outlines. Attributes are skipped unread, since they may tell of people.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::document::Document;
use crate::facts::{BadItem, items, sealed::Read};
use crate::geometry::EsriGeometry;
use crate::outcome::Problem;
use crate::scalar::{self, Scalar};
use crate::space::SpatialReference;

/// One page of features.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, FeaturePage};
///
/// let body = br#"{"objectIdFieldName":"OID","geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},
///     "features":[{"attributes":{"OID":1,"owner":"A. Person"},"geometry":{"x":2,"y":3}},{"geometry":null}],
///     "exceededTransferLimit":true}"#;
/// let page = Answer::body(body).read::<FeaturePage>()?.facts;
/// assert_eq!((page.features.len(), page.is_complete()), (2, false));
/// assert_eq!(page.features[0].object_id, Some(1));
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FeaturePage {
    /// What the geometries are, as told or else as the first one shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometry_type: Option<String>,
    /// The system of the coordinates; it need not be the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spatial_reference: Option<SpatialReference>,
    /// The field that numbers the features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id_field: Option<String>,
    /// Whether points have a height as third number.
    pub has_z: bool,
    /// Whether points have a measure; with no height it is the third number.
    pub has_m: bool,
    /// Whether the server says that there are more.
    pub exceeded_transfer_limit: bool,
    /// The features.
    pub features: Vec<Feature>,
    /// Features that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bad_items: Vec<BadItem>,
}

/// A feature: its number and outline.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Feature {
    /// Its number, where the page names the field and the feature has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<i64>,
    /// Its geometry; none is common and no fault.
    pub geometry: Option<EsriGeometry>,
}

impl FeaturePage {
    /// Whether this is all. Only the server's flag tells: a short page may have a follower, a full one none.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.exceeded_transfer_limit
    }
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    attributes: Option<Box<RawValue>>,
    /// GeoJSON's word for attributes.
    #[serde(default)]
    properties: Option<Box<RawValue>>,
    #[serde(default)]
    id: Option<Box<RawValue>>,
    #[serde(default)]
    geometry: Option<EsriGeometry>,
}

impl Read for FeaturePage {
    const KIND: &'static str = "page of features";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        if !document.has("features") {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        let (wires, bad_items) = items::<Wire>(document, "features");
        let field: Option<String> =
            document.with("objectIdFieldName", |raw| scalar::text(raw)).or_else(|| oid_field(document));
        let flag = |name| document.with(name, |raw| scalar::truth(raw));
        // GeoJSON answers keep the flag among the properties.
        let exceeded = flag("exceededTransferLimit").or_else(|| {
            document
                .with("properties", |raw| scalar::object::<_, Limit>(raw))
                .and_then(|limit| limit.exceeded)
        });
        let mut page = Self {
            geometry_type: document.with("geometryType", |raw| scalar::text(raw)),
            spatial_reference: document.with("spatialReference", |raw| scalar::object(raw)),
            has_z: flag("hasZ").unwrap_or(false),
            has_m: flag("hasM").unwrap_or(false),
            exceeded_transfer_limit: exceeded.unwrap_or(false),
            features: wires.into_iter().map(|wire| feature(wire, field.as_deref())).collect(),
            object_id_field: field,
            bad_items,
        };
        if page.geometry_type.is_none() {
            let first = page.features.iter().find_map(|feature| feature.geometry.as_ref());
            page.geometry_type = first.map(|geometry| geometry.type_name().to_owned());
        }
        if page.exceeded_transfer_limit && page.features.is_empty() && page.bad_items.is_empty() {
            return Err(Problem::EmptyPage);
        }
        Ok(page)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Limit {
    #[serde(rename = "exceededTransferLimit", deserialize_with = "scalar::truth")]
    exceeded: Option<bool>,
}

/// The field of the type of ids.
fn oid_field(document: &Document<'_>) -> Option<String> {
    let fields: Vec<crate::layer::Field> = document.with("fields", |raw| scalar::list(raw));
    fields
        .into_iter()
        .find(|field| field.field_type.as_deref() == Some("esriFieldTypeOID"))
        .map(|field| field.name)
}

fn feature(wire: Wire, field: Option<&str>) -> Feature {
    let attributes = wire.attributes.or(wire.properties);
    let object_id = match (attributes, field) {
        (Some(raw), Some(field)) => member(&raw, field),
        _ => None,
    };
    let own_id = || wire.id.as_ref().and_then(|raw| integer(raw));
    Feature { object_id: object_id.or_else(own_id), geometry: wire.geometry }
}

fn integer(raw: &RawValue) -> Option<i64> {
    serde_json::from_str::<Scalar<'_>>(raw.get()).ok()?.integer()
}

/// One member of the attributes; all others are skipped without being decoded.
fn member(raw: &RawValue, name: &str) -> Option<i64> {
    struct Seek<'a>(&'a str);
    impl<'de> serde::de::Visitor<'de> for Seek<'_> {
        type Value = Option<i64>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("attributes")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(crate::document::Key(key)) = map.next_key()? {
                if key.as_ref() == self.0 {
                    found = map.next_value::<Scalar<'de>>()?.integer();
                } else {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    serde_json::Deserializer::from_str(raw.get()).deserialize_map(Seek(name)).ok().flatten()
}
