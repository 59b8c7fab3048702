//! Esri's geometries as RFC 7946 wants them: rings closed, holes in their outer ring, right-hand rule.

use serde::{Deserialize, Serialize};

use crate::geometry::{EsriGeometry, Position, Shape};

/// Steps spent on finding the outer rings of one geometry's holes. Real layers need a few thousand; what is left beyond
/// it becomes a polygon of its own, so that a hostile answer costs bounded time.
pub const HOLE_BUDGET: u64 = 20_000_000;

/// A GeoJSON geometry (RFC 7946); serializes to its `type` and `coordinates`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "coordinates")]
#[non_exhaustive]
pub enum Geometry {
    /// A point.
    Point(Position),
    /// Points.
    MultiPoint(Vec<Position>),
    /// Lines; one line is written so too.
    MultiLineString(Vec<Vec<Position>>),
    /// An outer ring, counter-clockwise, and its holes, clockwise.
    Polygon(Vec<Vec<Position>>),
    /// Several polygons.
    MultiPolygon(Vec<Vec<Vec<Position>>>),
}

/// A geometry as GeoJSON, and what it lost on the way.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Outline {
    /// The geometry; none where nothing drawable was left.
    pub geometry: Option<Geometry>,
    /// Whether curves became straight lines.
    pub curves_flattened: bool,
    /// Paths, rings and points that were dropped: too few points, no area, no numbers.
    pub parts_dropped: usize,
}

impl EsriGeometry {
    /// The geometry as GeoJSON, in the coordinates that it has.
    ///
    /// `page_has_z` is the page's flag for geometries that have none of their own: without it a third number is a
    /// measure, which GeoJSON has no place for. Clockwise rings are outer ones; each hole goes to the smallest outer ring
    /// around it; where all rings turn one way, nesting tells the holes.
    ///
    /// ```
    /// use bot_etiquette_arcgis::{EsriGeometry, Geometry};
    ///
    /// // One ring, clockwise and not closed.
    /// let square: EsriGeometry = serde_json::from_str(r#"{"rings":[[[0,0],[0,1],[1,1],[1,0]]]}"#)?;
    /// let outline = square.to_geojson(false);
    /// assert_eq!(
    ///     serde_json::to_string(&outline.geometry)?,
    ///     r#"{"type":"Polygon","coordinates":[[[0.0,0.0],[1.0,0.0],[1.0,1.0],[0.0,1.0],[0.0,0.0]]]}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn to_geojson(&self, page_has_z: bool) -> Outline {
        let has_z = self.has_z.unwrap_or(page_has_z);
        let flat = |position: &Position| Position { third: position.third.filter(|_| has_z), ..*position };
        let mut outline = Outline { curves_flattened: self.has_curves, ..Outline::default() };
        let mut keep = |points: &[Position], least: usize| -> Option<Vec<Position>> {
            let kept: Vec<_> = points.iter().filter(|point| point.is_finite()).map(flat).collect();
            let is_enough = kept.len() >= least;
            outline.parts_dropped += usize::from(!is_enough);
            is_enough.then_some(kept)
        };
        outline.geometry = match &self.shape {
            Shape::Point(point) => {
                keep(&[*point], 1).and_then(|kept| kept.first().copied()).map(Geometry::Point)
            }
            Shape::Multipoint(points) => keep(points, 1).map(Geometry::MultiPoint),
            Shape::Polyline(paths) => {
                let paths: Vec<_> = paths.iter().filter_map(|path| keep(path, 2)).collect();
                (!paths.is_empty()).then_some(Geometry::MultiLineString(paths))
            }
            Shape::Polygon(rings) => {
                let rings: Vec<_> = rings.iter().filter_map(|ring| keep(ring, 3).map(closed)).collect();
                let count = rings.len();
                let rings: Vec<_> = rings.into_iter().filter_map(Ring::new).collect();
                outline.parts_dropped += count.saturating_sub(rings.len());
                polygons(rings)
            }
            Shape::Envelope([xmin, ymin, xmax, ymax]) => {
                let corners = [(xmin, ymin), (xmax, ymin), (xmax, ymax), (xmin, ymax), (xmin, ymin)];
                Some(Geometry::Polygon(vec![corners.iter().map(|(x, y)| Position::new(**x, **y)).collect()]))
            }
            Shape::Empty => None,
        };
        outline
    }
}

impl Geometry {
    /// Moves every point; none when a point has no place in the new system.
    pub(crate) fn project(self, place: &impl Fn(f64, f64) -> Option<(f64, f64)>) -> Option<Self> {
        let point =
            |point: Position| place(point.x, point.y).map(|(x, y)| Position { x, y, third: point.third });
        let line = |points: Vec<Position>| points.into_iter().map(point).collect::<Option<Vec<_>>>();
        let lines = |parts: Vec<Vec<Position>>| parts.into_iter().map(line).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::Point(position) => Self::Point(point(position)?),
            Self::MultiPoint(points) => Self::MultiPoint(line(points)?),
            Self::MultiLineString(paths) => Self::MultiLineString(lines(paths)?),
            Self::Polygon(rings) => Self::Polygon(lines(rings)?),
            Self::MultiPolygon(polygons) => {
                Self::MultiPolygon(polygons.into_iter().map(lines).collect::<Option<_>>()?)
            }
        })
    }

    /// The lines and rings, or the points one by one, for drawing and for coverage.
    pub(crate) fn parts(&self) -> Box<dyn Iterator<Item = &[Position]> + '_> {
        match self {
            Self::Point(point) => Box::new(std::iter::once(std::slice::from_ref(point))),
            Self::MultiPoint(points) => Box::new(points.iter().map(std::slice::from_ref)),
            Self::MultiLineString(parts) | Self::Polygon(parts) => Box::new(parts.iter().map(Vec::as_slice)),
            Self::MultiPolygon(polygons) => Box::new(polygons.iter().flatten().map(Vec::as_slice)),
        }
    }
}

/// Twice the area of a ring, positive when it turns counter-clockwise.
pub(crate) fn signed_area(ring: &[Position]) -> f64 {
    let Some(origin) = ring.first() else { return 0.0 };
    // Relative to the first point, since large coordinates would eat the digits of small areas.
    let edge = |(a, b): (&Position, &Position)| {
        (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y)
    };
    ring.iter().zip(ring.iter().cycle().skip(1)).map(edge).sum()
}

fn closed(mut ring: Vec<Position>) -> Vec<Position> {
    if let (Some(first), Some(last)) = (ring.first().copied(), ring.last())
        && !first.is_at(last)
    {
        ring.push(first);
    }
    ring
}

struct Ring {
    points: Vec<Position>,
    /// Positive = counter-clockwise.
    area: f64,
    /// xmin, ymin, xmax, ymax
    bounds: [f64; 4],
}

impl Ring {
    /// None for rings without an area, which draw nothing.
    fn new(points: Vec<Position>) -> Option<Self> {
        let area = signed_area(&points);
        if points.len() < 4 || area == 0.0 || !area.is_finite() {
            return None;
        }
        let start = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let bounds = points.iter().fold(start, |[a, b, c, d], point| {
            [a.min(point.x), b.min(point.y), c.max(point.x), d.max(point.y)]
        });
        Some(Self { points, area, bounds })
    }

    /// The points, turned counter-clockwise or clockwise.
    fn wound(mut self, is_outer: bool) -> Vec<Position> {
        if (self.area > 0.0) != is_outer {
            self.points.reverse();
        }
        self.points
    }

    fn contains(&self, other: &Self, budget: &mut u64) -> bool {
        *budget = budget.saturating_sub(1);
        let ([a, b, c, d], [e, f, g, h]) = (self.bounds, other.bounds);
        if e < a || f < b || g > c || h > d || self.area.abs() <= other.area.abs() {
            return false;
        }
        for point in &other.points {
            *budget = budget.saturating_sub(self.points.len() as u64);
            match self.side(point) {
                Side::Inside => return true,
                Side::Outside => return false,
                // A hole may touch its outer ring: another of its points tells.
                Side::Boundary if *budget > 0 => {}
                Side::Boundary => return false,
            }
        }
        true
    }

    fn side(&self, point: &Position) -> Side {
        let mut is_inside = false;
        for (a, b) in self.points.iter().zip(self.points.iter().skip(1)) {
            let cross = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
            let is_between = |v: f64, a: f64, b: f64| a.min(b) <= v && v <= a.max(b);
            if cross == 0.0 && is_between(point.x, a.x, b.x) && is_between(point.y, a.y, b.y) {
                return Side::Boundary;
            }
            if (a.y > point.y) != (b.y > point.y) && (cross > 0.0) == (b.y > a.y) {
                is_inside = !is_inside;
            }
        }
        if is_inside { Side::Inside } else { Side::Outside }
    }
}

enum Side {
    Inside,
    Outside,
    Boundary,
}

fn polygons(rings: Vec<Ring>) -> Option<Geometry> {
    let mut budget = HOLE_BUDGET;
    let is_outer = outer_flags(&rings, &mut budget);
    let (mut outers, mut holes) = (Vec::new(), Vec::new());
    for (ring, is_outer) in rings.into_iter().zip(is_outer) {
        if is_outer { outers.push(ring) } else { holes.push(ring) }
    }
    let mut home: Vec<Vec<Ring>> = outers.iter().map(|_| Vec::new()).collect();
    let mut by_area: Vec<usize> = (0..outers.len()).collect();
    let area = |index: usize| outers.get(index).map_or(0.0, |outer: &Ring| outer.area.abs());
    by_area.sort_by(|a, b| area(*a).total_cmp(&area(*b)));
    let mut homeless = Vec::new();
    for hole in holes {
        let around = by_area.iter().find(|index| {
            budget > 0 && outers.get(**index).is_some_and(|outer| outer.contains(&hole, &mut budget))
        });
        match around.and_then(|index| home.get_mut(*index)) {
            Some(holes) => holes.push(hole),
            None => homeless.push(hole),
        }
    }
    let with_holes = |(outer, holes): (Ring, Vec<Ring>)| {
        let mut polygon = vec![outer.wound(true)];
        polygon.extend(holes.into_iter().map(|hole| hole.wound(false)));
        polygon
    };
    let mut polygons: Vec<_> = outers.into_iter().zip(home).map(with_holes).collect();
    polygons.extend(homeless.into_iter().map(|hole| vec![hole.wound(true)]));
    match polygons.len() {
        0 => None,
        1 => polygons.pop().map(Geometry::Polygon),
        _ => Some(Geometry::MultiPolygon(polygons)),
    }
}

/// Which rings are outer ones: the clockwise ones, unless all turn one way; then those inside an even number of others.
fn outer_flags(rings: &[Ring], budget: &mut u64) -> Vec<bool> {
    let clockwise = rings.iter().filter(|ring| ring.area < 0.0).count();
    if rings.len() < 2 || (clockwise > 0 && clockwise < rings.len()) {
        return rings.iter().map(|ring| ring.area < 0.0 || rings.len() < 2).collect();
    }
    let nesting = |ring: &Ring| {
        let around = rings.iter().filter(|outer| *budget > 0 && outer.contains(ring, budget)).count();
        around % 2 == 0
    };
    rings.iter().map(nesting).collect()
}
