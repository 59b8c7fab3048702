//! Extents on the globe, with a verdict: a box alone would hide how much it is worth.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::crs::Crs;
use crate::space::{Extent, SpatialReference};

/// Points along each edge of a box, corners included, that are placed one by one: edges bend on the globe.
pub const EDGE_POINTS: u32 = 21;

/// Points of the inner grid in each direction; poles and bulges of conic projections lie inside.
const GRID_POINTS: u32 = 5;

/// A box in degrees of WGS 84, west to east; it never crosses the antimeridian.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub struct Bbox {
    /// Western edge, -180 to 180.
    pub west: f64,
    /// Southern edge, -90 to 90.
    pub south: f64,
    /// Eastern edge, at least `west`.
    pub east: f64,
    /// Northern edge, at least `south`.
    pub north: f64,
}

/// Where an extent lies, and what that is worth.
///
/// ```
/// use bot_etiquette_arcgis::{Extent, Reason, Verdict};
///
/// let pacific = Extent::new([170.0, -20.0, -170.0, -10.0], 4326).to_wgs84();
/// assert_eq!(pacific.verdict, Verdict::Antimeridian);
/// assert_eq!(pacific.boxes.len(), 2);
///
/// let world = Extent::new([-180.0, -90.0, 180.0, 90.0], 4326).to_wgs84();
/// assert_eq!((world.verdict, world.reason), (Verdict::Suspect, Some(Reason::WorldExtent)));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Place {
    /// What the boxes are worth.
    pub verdict: Verdict,
    /// Why it is not [`Verdict::Ok`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// None, one, or two at the antimeridian.
    pub boxes: Vec<Bbox>,
    /// Whether the extent is the service's and not the layer's own: weak evidence.
    #[serde(default)]
    pub inherited: bool,
}

/// What a placed extent is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// One box, as good as the server's word.
    Ok,
    /// Two boxes, on both sides of the antimeridian; as good.
    Antimeridian,
    /// Boxes that are likely wrong or too large; the layer should be asked.
    Suspect,
    /// No box.
    None,
}

/// Why a verdict is no plain yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// No extent was given, or null.
    Null,
    /// An extent without all four coordinates.
    Missing,
    /// A coordinate that is no number.
    NotANumber,
    /// Coordinates beyond any system.
    Huge,
    /// All four are zero.
    Zero,
    /// A minimum above its maximum: Esri's empty box.
    Inverted,
    /// No coordinate system, and none can be assumed.
    NoReference,
    /// A coordinate system that this crate does not know.
    UnknownReference,
    /// The whole world of a layer without features: a default.
    Default,
    /// Degrees were assumed, since no system is named.
    AssumedWgs84,
    /// One feature at 0, 0.
    NullIsland,
    /// The whole world, which is most often a default.
    WorldExtent,
    /// Coordinates beyond the range of their system were cut.
    OutOfRange,
    /// Most of the box has no place on the globe.
    OutsideDomain,
    /// Far larger than, or away from, where its system is used.
    OutsideAreaOfUse,
    /// A system that pure Rust is known to place badly.
    UnreliableReference,
}

impl Reason {
    /// A short stable name, such as `world-extent`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Missing => "missing",
            Self::NotANumber => "not-a-number",
            Self::Huge => "huge",
            Self::Zero => "zero",
            Self::Inverted => "inverted",
            Self::NoReference => "no-reference",
            Self::UnknownReference => "unknown-reference",
            Self::Default => "default",
            Self::AssumedWgs84 => "assumed-wgs84",
            Self::NullIsland => "null-island",
            Self::WorldExtent => "world-extent",
            Self::OutOfRange => "out-of-range",
            Self::OutsideDomain => "outside-domain",
            Self::OutsideAreaOfUse => "outside-area-of-use",
            Self::UnreliableReference => "unreliable-reference",
        }
    }
}

/// Beyond this, in metres or degrees, no coordinate is meant.
const HUGE: f64 = 1.0e12;

impl Extent {
    /// Where the extent lies, by its own coordinate system alone.
    #[must_use]
    pub fn to_wgs84(&self) -> Place {
        self.to_wgs84_in(&[], None)
    }

    /// Where the extent lies; `references` are tried in turn where it names no system, and `count`, the number of
    /// features where known, tells a default from data.
    #[must_use]
    pub fn to_wgs84_in(&self, references: &[Option<&SpatialReference>], count: Option<u64>) -> Place {
        let (Some(xmin), Some(ymin), Some(xmax), Some(ymax)) = (self.xmin, self.ymin, self.xmax, self.ymax)
        else {
            return Place::none(Reason::Missing);
        };
        let edges = [xmin, ymin, xmax, ymax];
        if edges.iter().any(|edge| edge.is_nan()) {
            return Place::none(Reason::NotANumber);
        }
        if edges.iter().any(|edge| edge.abs() > HUGE) {
            return Place::none(Reason::Huge);
        }
        if edges.iter().all(|edge| *edge == 0.0) {
            let island = vec![Bbox { west: 0.0, south: 0.0, east: 0.0, north: 0.0 }];
            return if count == Some(1) {
                Place::suspect(Reason::NullIsland, island)
            } else {
                Place::none(Reason::Zero)
            };
        }
        let own = [self.spatial_reference.as_ref()];
        let named = own.iter().chain(references).flatten().find(|reference| !reference.is_empty());
        let place =
            match named {
                Some(reference) => {
                    let placed = Crs::find(reference).into_iter().map(|crs| place(&crs, edges));
                    // Of two ways to read the axes, the one that lands where the system is used.
                    placed
                        .reduce(|first, second| {
                            if first.reason.is_none() || second.reason.is_some() { first } else { second }
                        })
                        .unwrap_or_else(|| Place::none(Reason::UnknownReference))
                }
                None if xmin.abs().max(xmax.abs()) <= 180.0 && ymin.abs().max(ymax.abs()) <= 90.0 => {
                    let assumed = place_degrees(edges);
                    if assumed.boxes.is_empty() {
                        assumed
                    } else {
                        Place::suspect(Reason::AssumedWgs84, assumed.boxes)
                    }
                }
                None => Place::none(Reason::NoReference),
            };
        if count == Some(0) && place.reason == Some(Reason::WorldExtent) {
            Place::none(Reason::Default)
        } else {
            place
        }
    }
}

impl Place {
    pub(crate) fn none(reason: Reason) -> Self {
        Self { verdict: Verdict::None, reason: Some(reason), boxes: Vec::new(), inherited: false }
    }

    fn suspect(reason: Reason, boxes: Vec<Bbox>) -> Self {
        Self { verdict: Verdict::Suspect, reason: Some(reason), boxes, inherited: false }
    }

    fn of(boxes: Vec<Bbox>) -> Self {
        let verdict = if boxes.len() > 1 { Verdict::Antimeridian } else { Verdict::Ok };
        Self { verdict, reason: None, boxes, inherited: false }
    }

    /// Whether a point lies in one of the boxes.
    #[must_use]
    pub fn contains(&self, lon: f64, lat: f64) -> bool {
        self.boxes.iter().any(|bbox| bbox.contains(lon, lat))
    }
}

impl Bbox {
    /// Whether a point lies in the box or on its edge.
    #[must_use]
    pub fn contains(&self, lon: f64, lat: f64) -> bool {
        self.west <= lon && lon <= self.east && self.south <= lat && lat <= self.north
    }

    /// Whether two boxes share a point.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.west <= other.east
            && other.west <= self.east
            && self.south <= other.north
            && other.south <= self.north
    }

    fn is_world(&self) -> bool {
        self.west <= -179.9 && self.east >= 179.9 && self.south <= -85.0 && self.north >= 85.0
    }
}

impl From<[f64; 4]> for Bbox {
    fn from([west, south, east, north]: [f64; 4]) -> Self {
        Self { west, south, east, north }
    }
}

impl From<Bbox> for [f64; 4] {
    fn from(bbox: Bbox) -> Self {
        [bbox.west, bbox.south, bbox.east, bbox.north]
    }
}

impl fmt::Display for Bbox {
    /// `west,south,east,north`, as requests hold it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.west, self.south, self.east, self.north)
    }
}

fn place(crs: &Crs, [xmin, ymin, xmax, ymax]: [f64; 4]) -> Place {
    if crs.is_degrees() {
        return place_degrees([xmin, ymin, xmax, ymax]);
    }
    if xmin > xmax || ymin > ymax {
        return Place::none(Reason::Inverted);
    }
    let points = sample([xmin, ymin, xmax, ymax]);
    let placed: Vec<(f64, f64)> = points.iter().filter_map(|(x, y)| crs.place(*x, *y)).collect();
    if placed.is_empty() {
        return Place::none(Reason::OutsideDomain);
    }
    let mut boxes = bounds(&placed);
    let is_inside = |(x, y)| (xmin..=xmax).contains(&x) && (ymin..=ymax).contains(&y);
    let poles: Vec<f64> =
        [-90.0, 90.0].into_iter().filter(|lat| crs.pole(*lat).is_some_and(is_inside)).collect();
    if !poles.is_empty() {
        // All meridians meet there, and no two points of the box show it.
        let lats = || boxes.iter().flat_map(|bbox| [bbox.south, bbox.north]).chain(poles.iter().copied());
        let (south, north) = (lats().fold(90.0, f64::min), lats().fold(-90.0, f64::max));
        boxes = vec![Bbox { west: -180.0, south, east: 180.0, north }];
    }
    if placed.len().saturating_mul(2) < points.len() {
        return Place::suspect(Reason::OutsideDomain, boxes);
    }
    if boxes.iter().any(Bbox::is_world) {
        return Place::suspect(Reason::WorldExtent, boxes);
    }
    if crs.is_unreliable() {
        return Place::suspect(Reason::UnreliableReference, boxes);
    }
    if !crs.is_mercator() && crs.area().is_some_and(|area| boxes.iter().any(|bbox| !is_near(bbox, area))) {
        return Place::suspect(Reason::OutsideAreaOfUse, boxes);
    }
    Place::of(boxes)
}

/// Whether a box lies in the area of use, widened by half its size (one degree at least) on each side.
fn is_near(bbox: &Bbox, [west, south, east, north]: [f64; 4]) -> bool {
    // An area over the antimeridian has its east below its west: only its latitudes are held against the box.
    let (wide, high) = (((east - west) / 2.0).max(1.0), ((north - south) / 2.0).max(1.0));
    let is_level = bbox.south >= south - high && bbox.north <= north + high;
    is_level && (east < west || (bbox.west >= west - wide && bbox.east <= east + wide))
}

fn place_degrees([xmin, ymin, xmax, ymax]: [f64; 4]) -> Place {
    if ymin > ymax {
        return Place::none(Reason::Inverted);
    }
    let (south, north) = (ymin.clamp(-90.0, 90.0), ymax.clamp(-90.0, 90.0));
    let is_cut = ymin < -90.0 || ymax > 90.0 || xmin < -180.0 || xmax > 360.0;
    if ymin > 90.0 || ymax < -90.0 || xmin > 360.0 || xmax < -180.0 {
        return Place::none(Reason::OutOfRange);
    }
    let band = |west: f64, east: f64| Bbox { west, south, east, north };
    let boxes = if xmin > xmax {
        vec![band(xmin.clamp(-180.0, 180.0), 180.0), band(-180.0, xmax.clamp(-180.0, 180.0))]
    } else if xmin >= 180.0 && xmax > 180.0 {
        // Longitudes counted from 0 to 360.
        vec![band(xmin - 360.0, (xmax - 360.0).min(180.0))]
    } else if xmax > 180.0 && xmin >= 0.0 {
        vec![band(xmin, 180.0), band(-180.0, (xmax - 360.0).clamp(-180.0, 180.0))]
    } else {
        vec![band(xmin.max(-180.0), xmax.min(180.0))]
    };
    if boxes.iter().any(Bbox::is_world) {
        Place::suspect(Reason::WorldExtent, boxes)
    } else if is_cut || (xmax > 180.0 && xmin < 0.0) {
        Place::suspect(Reason::OutOfRange, boxes)
    } else {
        Place::of(boxes)
    }
}

/// Points along the edges and inside.
fn sample([xmin, ymin, xmax, ymax]: [f64; 4]) -> Vec<(f64, f64)> {
    let steps = |count: u32, from: f64, to: f64| {
        (0..count)
            .map(move |step| from + (to - from) * f64::from(step) / f64::from(count.saturating_sub(1).max(1)))
    };
    let mut points = Vec::new();
    for x in steps(EDGE_POINTS, xmin, xmax) {
        points.extend([(x, ymin), (x, ymax)]);
    }
    for y in steps(EDGE_POINTS, ymin, ymax) {
        points.extend([(xmin, y), (xmax, y)]);
    }
    for x in steps(GRID_POINTS, xmin, xmax) {
        points.extend(steps(GRID_POINTS, ymin, ymax).map(move |y| (x, y)));
    }
    points
}

/// The box of placed points; two when going over the antimeridian is the shorter way round.
fn bounds(points: &[(f64, f64)]) -> Vec<Bbox> {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (south, north) = range(&mut points.iter().map(|point| point.1));
    let (west, east) = range(&mut points.iter().map(|point| point.0));
    let east_of = |lon: f64| if lon < 0.0 { lon + 360.0 } else { lon };
    let (from, to) = range(&mut points.iter().map(|point| east_of(point.0)));
    if east - west > 180.0 && to - from < 180.0 {
        let band = |west, east| Bbox { west, south, east, north };
        return vec![band(from, 180.0), band(-180.0, to - 360.0)];
    }
    vec![Bbox { west, south, east, north }]
}
