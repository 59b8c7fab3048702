//! Coordinate systems and extents as servers write them; [`Extent::to_wgs84`](crate::Extent::to_wgs84) judges them.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess};
use serde::{Deserialize, Serialize};

use crate::scalar::{self, Scalar};
use crate::shape::{self, Shape};

/// How a server names a coordinate system. Other keys (tolerances, vertical systems) are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SpatialReference {
    /// Esri's or EPSG's code; 0 and -1, which mean "none", are none here.
    #[serde(deserialize_with = "scalar::code", skip_serializing_if = "Option::is_none")]
    pub wkid: Option<u32>,
    /// The newer code of the same system, since 10.1.
    #[serde(deserialize_with = "scalar::code", skip_serializing_if = "Option::is_none")]
    pub latest_wkid: Option<u32>,
    /// The system in Esri's WKT 1, where it has no code.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub wkt: Option<String>,
}

impl SpatialReference {
    /// A system named by a code.
    #[must_use]
    pub fn of_wkid(wkid: u32) -> Self {
        Self { wkid: Some(wkid), ..Self::default() }
    }

    /// Whether it names a system at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wkid.is_none() && self.latest_wkid.is_none() && self.wkt.is_none()
    }
}

/// A box as the server wrote it. A coordinate is none where its key is missing, and NaN where the value is no number.
///
/// ```
/// use bot_etiquette_arcgis::Extent;
///
/// let extent: Extent = serde_json::from_str(r#"{"xmin":"NaN","ymin":1,"xmax":2}"#)?;
/// assert!(extent.xmin.is_some_and(f64::is_nan));
/// assert_eq!((extent.xmax, extent.ymax), (Some(2.0), None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Extent {
    /// The west or left edge.
    #[serde(deserialize_with = "scalar::coordinate", skip_serializing_if = "Option::is_none")]
    pub xmin: Option<f64>,
    /// The south or lower edge.
    #[serde(deserialize_with = "scalar::coordinate", skip_serializing_if = "Option::is_none")]
    pub ymin: Option<f64>,
    /// The east or right edge.
    #[serde(deserialize_with = "scalar::coordinate", skip_serializing_if = "Option::is_none")]
    pub xmax: Option<f64>,
    /// The north or upper edge.
    #[serde(deserialize_with = "scalar::coordinate", skip_serializing_if = "Option::is_none")]
    pub ymax: Option<f64>,
    /// The system of the coordinates.
    #[serde(deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub spatial_reference: Option<SpatialReference>,
}

impl Extent {
    /// A box in a system named by its code.
    #[must_use]
    pub fn new([xmin, ymin, xmax, ymax]: [f64; 4], wkid: u32) -> Self {
        Self {
            xmin: Some(xmin),
            ymin: Some(ymin),
            xmax: Some(xmax),
            ymax: Some(ymax),
            spatial_reference: Some(SpatialReference::of_wkid(wkid)),
        }
    }
}

/// An extent, which some services write as `[xmin, ymin, xmax, ymax]` or `[[xmin, ymin], [xmax, ymax]]`.
pub(crate) fn extent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Extent>, D::Error> {
    shape::read::<Extent, D>(deserializer)
}

impl<'de> Shape<'de> for Extent {
    type Value = Option<Self>;

    fn other(_: Scalar<'de>) -> Self::Value {
        None
    }

    fn object<A: MapAccess<'de>>(members: A) -> Result<Self::Value, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(members)).map(Some)
    }

    fn array<A: SeqAccess<'de>>(mut items: A) -> Result<Self::Value, A::Error> {
        let mut numbers = Vec::with_capacity(4);
        while numbers.len() < 4 {
            match items.next_element::<Corner>()? {
                Some(Corner(corner)) => numbers.extend(corner),
                None => break,
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(match numbers.as_slice() {
            [xmin, ymin, xmax, ymax] => Some(Self {
                xmin: Some(*xmin),
                ymin: Some(*ymin),
                xmax: Some(*xmax),
                ymax: Some(*ymax),
                spatial_reference: None,
            }),
            _ => None,
        })
    }
}

/// A number, or a pair of them.
struct Corner(Vec<f64>);

impl<'de> Deserialize<'de> for Corner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw: &'de serde_json::value::RawValue = Deserialize::deserialize(deserializer)?;
        let scalars: Vec<Scalar<'_>> = match raw.get().as_bytes().first() {
            Some(b'[') => serde_json::from_str(raw.get()).map_err(D::Error::custom)?,
            _ => vec![serde_json::from_str(raw.get()).map_err(D::Error::custom)?],
        };
        Ok(Self(scalars.iter().map(|scalar| scalar.number().unwrap_or(f64::NAN)).collect()))
    }
}
