//! Geometries as ArcGIS writes them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::document::Key;
use crate::scalar::Scalar;

/// A geometry in Esri's form, or in GeoJSON's, which newer servers offer; [`to_geojson`](Self::to_geojson) makes it proper.
///
/// Read with serde; curves are kept as their end points.
///
/// ```
/// use bot_etiquette_arcgis::{EsriGeometry, Shape};
///
/// let line: EsriGeometry = serde_json::from_str(r#"{"curvePaths":[[[0,0],{"c":[[3,3],[1,4]]}]]}"#)?;
/// assert!(line.has_curves);
/// let Shape::Polyline(paths) = &line.shape else { panic!("a line") };
/// assert_eq!((paths[0][1].x, paths[0][1].y), (3.0, 3.0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EsriGeometry {
    /// The points.
    #[serde(flatten)]
    pub shape: Shape,
    /// Whether the third number of a point is its height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_z: Option<bool>,
    /// Whether points have a measure, third or fourth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_m: Option<bool>,
    /// Whether arcs or curves were replaced by straight lines to their end points.
    pub has_curves: bool,
}

/// What a geometry is made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Shape {
    /// One point; NaN coordinates mean that there is none.
    Point(Position),
    /// Points.
    #[serde(rename = "points")]
    Multipoint(Vec<Position>),
    /// Lines.
    #[serde(rename = "paths")]
    Polyline(Vec<Vec<Position>>),
    /// Rings: clockwise ones are outer ones, the others holes.
    #[serde(rename = "rings")]
    Polygon(Vec<Vec<Position>>),
    /// A box: xmin, ymin, xmax, ymax.
    Envelope([f64; 4]),
    /// Nothing that this crate knows, or nothing at all.
    Empty,
}

/// A point: x, y, and a third number that is a height or a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// East, or longitude.
    pub x: f64,
    /// North, or latitude.
    pub y: f64,
    /// Height, or measure where only that is kept.
    pub third: Option<f64>,
}

impl Position {
    /// A point in the plane.
    #[must_use]
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, third: None }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }

    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.x.total_cmp(&other.x).is_eq() && self.y.total_cmp(&other.y).is_eq()
    }
}

impl EsriGeometry {
    /// Esri's name of the type, such as `esriGeometryPolygon`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.shape {
            Shape::Point(_) => "esriGeometryPoint",
            Shape::Multipoint(_) => "esriGeometryMultipoint",
            Shape::Polyline(_) => "esriGeometryPolyline",
            Shape::Polygon(_) => "esriGeometryPolygon",
            Shape::Envelope(_) => "esriGeometryEnvelope",
            Shape::Empty => "esriGeometryNull",
        }
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.third {
            Some(third) => [self.x, self.y, third].serialize(serializer),
            None => [self.x, self.y].serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Position;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a point")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut number = || -> Result<Option<f64>, A::Error> {
                    let scalar = items.next_element::<Scalar<'de>>()?;
                    Ok(scalar.map(|scalar| scalar.number().unwrap_or(f64::NAN)))
                };
                let (x, y, third) = (number()?, number()?, number()?);
                while items.next_element::<IgnoredAny>()?.is_some() {}
                let third = third.filter(|third| third.is_finite());
                Ok(Position { x: x.unwrap_or(f64::NAN), y: y.unwrap_or(f64::NAN), third })
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

/// A point of a path that may have curves: a point, or an object whose first point is where the curve ends.
enum Vertex {
    Point(Position),
    CurveEnd(Position),
    Unknown,
}

impl<'de> Deserialize<'de> for Vertex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VertexVisitor;
        impl<'de> Visitor<'de> for VertexVisitor {
            type Value = Vertex;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a point or a curve")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Vertex::Unknown)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                Position::deserialize(serde::de::value::SeqAccessDeserializer::new(items)).map(Vertex::Point)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut end = Vertex::Unknown;
                while map.next_key::<IgnoredAny>()?.is_some() {
                    if let Ends(Some(position)) = map.next_value()? {
                        end = Vertex::CurveEnd(position);
                    }
                }
                Ok(end)
            }
        }
        deserializer.deserialize_any(VertexVisitor)
    }
}

/// The first item of a curve's numbers.
struct Ends(Option<Position>);

impl<'de> Deserialize<'de> for Ends {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct First;
        impl<'de> Visitor<'de> for First {
            type Value = Ends;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the points of a curve")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let end = items.next_element()?;
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Ends(end))
            }
        }
        deserializer.deserialize_seq(First)
    }
}

/// Paths or rings, and whether one had a curve.
struct Parts(Vec<Vec<Position>>, bool);

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts: Vec<Option<Vec<Vertex>>> = crate::scalar::list(deserializer)?;
        let mut has_curves = false;
        let mut position = |vertex| match vertex {
            Vertex::Point(position) => Some(position),
            Vertex::CurveEnd(position) => {
                has_curves = true;
                Some(position)
            }
            Vertex::Unknown => None,
        };
        let parts =
            parts.into_iter().flatten().map(|part| part.into_iter().filter_map(&mut position).collect());
        Ok(Self(parts.collect(), has_curves))
    }
}

impl<'de> Deserialize<'de> for EsriGeometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GeometryVisitor)
    }
}

struct GeometryVisitor;

impl<'de> Visitor<'de> for GeometryVisitor {
    type Value = EsriGeometry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a geometry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut geometry = EsriGeometry { shape: Shape::Empty, has_z: None, has_m: None, has_curves: false };
        let mut point = Position::new(f64::NAN, f64::NAN);
        let mut is_point = false;
        let mut envelope = [f64::NAN; 4];
        let mut geojson: (Option<String>, Option<Box<RawValue>>) = (None, None);
        let mut seen = 0_u32;
        while let Some(Key(key)) = map.next_key()? {
            if let Some(place) = NAMES.iter().position(|name| *name == key.as_ref()) {
                // As derived readers do: whoever reads the feature resolves it to the last, and says so.
                if seen & (1 << place) != 0 {
                    return Err(serde::de::Error::custom(format_args!("two members named {key}")));
                }
                seen |= 1 << place;
            }
            match key.as_ref() {
                "x" => (point.x, is_point) = (number(&mut map)?, true),
                "y" => (point.y, is_point) = (number(&mut map)?, true),
                "z" => point.third = Some(number(&mut map)?).filter(|z| z.is_finite()),
                "points" => geometry.shape = Shape::Multipoint(map.next_value::<List<Position>>()?.0),
                name @ ("paths" | "curvePaths" | "rings" | "curveRings") => {
                    let Parts(parts, has_curves) = map.next_value()?;
                    geometry.has_curves |= has_curves;
                    // A server that sends both forms sends the straight one empty.
                    if !parts.is_empty() || geometry.shape == Shape::Empty {
                        let is_line = matches!(name, "paths" | "curvePaths");
                        geometry.shape = if is_line { Shape::Polyline(parts) } else { Shape::Polygon(parts) };
                    }
                }
                "xmin" => envelope[0] = number(&mut map)?,
                "ymin" => envelope[1] = number(&mut map)?,
                "xmax" => envelope[2] = number(&mut map)?,
                "ymax" => envelope[3] = number(&mut map)?,
                "hasZ" => geometry.has_z = flag(&mut map)?,
                "hasM" => geometry.has_m = flag(&mut map)?,
                "type" => geojson.0 = map.next_value()?,
                "coordinates" => geojson.1 = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if is_point {
            geometry.has_z = geometry.has_z.or(point.third.map(|_| true));
            geometry.shape = Shape::Point(point);
        } else if let (Some(kind), Some(coordinates)) = geojson {
            geometry.has_z = Some(true);
            geometry.shape = from_geojson(&kind, coordinates.get()).unwrap_or(Shape::Empty);
        } else if geometry.shape == Shape::Empty && envelope.iter().all(|edge| edge.is_finite()) {
            geometry.shape = Shape::Envelope(envelope);
        }
        Ok(geometry)
    }
}

/// The members that are read.
const NAMES: [&str; 16] = [
    "x",
    "y",
    "z",
    "points",
    "paths",
    "curvePaths",
    "rings",
    "curveRings",
    "xmin",
    "ymin",
    "xmax",
    "ymax",
    "hasZ",
    "hasM",
    "type",
    "coordinates",
];

fn number<'de, A: MapAccess<'de>>(map: &mut A) -> Result<f64, A::Error> {
    Ok(map.next_value::<Scalar<'de>>()?.number().unwrap_or(f64::NAN))
}

fn flag<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<bool>, A::Error> {
    Ok(match map.next_value::<Scalar<'de>>()? {
        Scalar::Bool(flag) => Some(flag),
        _ => None,
    })
}

struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::scalar::list(deserializer).map(Self)
    }
}

/// GeoJSON to Esri's winding, so that what follows has one form to read: the first ring of a polygon is the outer one.
fn from_geojson(kind: &str, coordinates: &str) -> Option<Shape> {
    fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
        serde_json::from_str(json).ok()
    }
    let wind = |polygon: Vec<Vec<Position>>| {
        polygon.into_iter().enumerate().map(|(index, mut ring)| {
            let is_clockwise = crate::geojson::signed_area(&ring) < 0.0;
            if is_clockwise != (index == 0) {
                ring.reverse();
            }
            ring
        })
    };
    Some(match kind {
        "Point" => Shape::Point(read(coordinates)?),
        "MultiPoint" => Shape::Multipoint(read(coordinates)?),
        "LineString" => Shape::Polyline(vec![read(coordinates)?]),
        "MultiLineString" => Shape::Polyline(read(coordinates)?),
        "Polygon" => Shape::Polygon(wind(read(coordinates)?).collect()),
        "MultiPolygon" => Shape::Polygon(read::<Vec<_>>(coordinates)?.into_iter().flat_map(wind).collect()),
        _ => return None,
    })
}
