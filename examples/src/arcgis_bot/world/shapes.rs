//! Three islands in the open sea, and what lies on them: made up by arithmetic, the same every time.

use std::f64::consts::TAU;

/// Longitude and latitude.
pub(super) type At = (f64, f64);

/// What a layer shows.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Point(At),
    Line(Vec<At>),
    /// Closed, clockwise, as servers send outer rings.
    Ring(Vec<At>),
}

impl Shape {
    pub(super) fn points(&self) -> &[At] {
        match self {
            Self::Point(point) => std::slice::from_ref(point),
            Self::Line(points) | Self::Ring(points) => points,
        }
    }
}

impl Shape {
    /// Whether the point lies within, by the even-odd rule.
    pub(super) fn encloses(&self, (x, y): At) -> bool {
        let Self::Ring(points) = self else { return false };
        let crosses = |two: &&[At]| {
            let ((ax, ay), (bx, by)) = (two[0], two[1]);
            (ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay)
        };
        points.windows(2).filter(crosses).count() % 2 == 1
    }
}

struct Island {
    middle: At,
    /// Of a round island of its size, in degrees of latitude.
    radius: f64,
    bend: f64,
}

const ISLANDS: [Island; 3] = [
    Island { middle: (-7.62, 47.50), radius: 0.235, bend: 1.3 },
    Island { middle: (-7.03, 47.73), radius: 0.105, bend: 4.1 },
    Island { middle: (-7.12, 47.27), radius: 0.080, bend: 2.2 },
];

impl Island {
    /// A point in this direction, `part` of the way to the coast.
    fn at(&self, angle: f64, part: f64) -> At {
        let wave = |times: f64, turn: f64| (angle * times + self.bend * turn).sin();
        let coast = 1.0
            + 0.20 * wave(2.0, 1.0)
            + 0.12 * wave(3.0, 2.0)
            + 0.06 * wave(7.0, 3.0)
            + 0.03 * wave(13.0, 1.0);
        let reach = self.radius * coast * part;
        let wide = self.middle.1.to_radians().cos();
        (self.middle.0 + angle.cos() * reach / wide, self.middle.1 + angle.sin() * reach)
    }

    fn along(&self, from: f64, to: f64, part: f64, steps: u32) -> impl Iterator<Item = At> + '_ {
        (0..=steps).map(move |step| self.at(from + (to - from) * f64::from(step) / f64::from(steps), part))
    }
}

/// Numbers that look drawn by lot.
struct Lots(u64);

impl Lots {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f64::from(u32::try_from(self.0 >> 33).unwrap_or(0)) / f64::from(1_u32 << 31)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// The large island more often than the small ones.
    fn island(&mut self) -> &'static Island {
        match self.next() {
            lot if lot < 0.72 => &ISLANDS[0],
            lot if lot < 0.88 => &ISLANDS[1],
            _ => &ISLANDS[2],
        }
    }

    fn place(&mut self) -> At {
        let (angle, part) = (self.between(0.0, TAU), self.next().sqrt() * 0.93);
        self.island().at(angle, part)
    }
}

/// The shapes of a kind; `count` is for the kinds that are strewn about.
pub(super) fn shapes(kind: &str, count: usize) -> Vec<Shape> {
    let seed = kind.bytes().fold(0x9E37_79B9_97F4_A7C1, |seed: u64, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut lots = Lots(seed | 1);
    match kind {
        "coast" => ISLANDS.iter().map(|island| ring(island.along(0.0, TAU, 1.0, 120))).collect(),
        "districts" => {
            ISLANDS.iter().zip([7.0, 3.0, 2.0]).flat_map(|(island, parts)| districts(island, parts)).collect()
        }
        "blobs" => (0..count).map(|_| blob(&mut lots, 0.012, 0.038)).collect(),
        "ponds" => (0..count).map(|_| blob(&mut lots, 0.005, 0.016)).collect(),
        "parcels" => (0..count).map(|_| parcel(&mut lots)).collect(),
        "points" => (0..count).map(|_| Shape::Point(lots.place())).collect(),
        "stops" => stops(count),
        "rivers" => (0..count).map(|_| river(&mut lots)).collect(),
        "paths" => (0..count).map(|_| path(&mut lots)).collect(),
        "roads" => roads(),
        "depths" => [1.12, 1.28, 1.5, 1.8]
            .iter()
            .flat_map(|part| {
                ISLANDS.iter().map(|island| Shape::Line(island.along(0.0, TAU, *part, 90).collect()))
            })
            .collect(),
        "ferries" => ferries(),
        _ => Vec::new(),
    }
}

/// Clockwise, whatever way round it came.
fn ring(points: impl Iterator<Item = At>) -> Shape {
    let mut points: Vec<At> = points.collect();
    let turn: f64 = points.windows(2).map(|two| (two[1].0 - two[0].0) * (two[1].1 + two[0].1)).sum();
    if turn < 0.0 {
        points.reverse();
    }
    Shape::Ring(points)
}

fn districts(island: &'static Island, parts: f64) -> Vec<Shape> {
    let mut districts = Vec::new();
    let mut from = 0.0;
    while from < parts {
        let (start, end) = (from / parts * TAU, (from + 1.0) / parts * TAU);
        let middle = island.at(0.0, 0.0);
        let outline = std::iter::once(middle).chain(island.along(start, end, 0.985, 40)).chain([middle]);
        districts.push(ring(outline));
        from += 1.0;
    }
    districts
}

fn blob(lots: &mut Lots, low: f64, high: f64) -> Shape {
    let (middle, radius, bend) = (lots.place(), lots.between(low, high), lots.between(0.0, TAU));
    let round = Island { middle, radius, bend };
    ring(round.along(0.0, TAU, 1.0, 28).collect::<Vec<_>>().into_iter())
}

fn parcel(lots: &mut Lots) -> Shape {
    let ((x, y), wide, high) = (lots.place(), lots.between(0.001, 0.004), lots.between(0.0008, 0.003));
    ring([(x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y)].into_iter())
}

fn river(lots: &mut Lots) -> Shape {
    let (island, start, bend) = (lots.island(), lots.between(0.0, TAU), lots.between(0.0, TAU));
    let from = lots.between(0.15, 0.4);
    let point = |step: u32| {
        let part = from + (1.0 - from) * f64::from(step) / 36.0;
        island.at(start + 0.16 * (part * 9.0 + bend).sin(), part)
    };
    Shape::Line((0..=36).map(point).collect())
}

fn path(lots: &mut Lots) -> Shape {
    let (mut at, mut angle) = (lots.place(), lots.between(0.0, TAU));
    let mut points = vec![at];
    for _ in 0..14 {
        angle += lots.between(-0.5, 0.5);
        at = (at.0 + angle.cos() * 0.006, at.1 + angle.sin() * 0.004);
        points.push(at);
    }
    Shape::Line(points)
}

fn roads() -> Vec<Shape> {
    let round = ISLANDS.iter().map(|island| Shape::Line(island.along(0.0, TAU, 0.78, 90).collect()));
    let spokes = ISLANDS.iter().zip([9_u32, 4, 3]).flat_map(|(island, count)| {
        (0..count).map(move |spoke| {
            let angle = f64::from(spoke) / f64::from(count) * TAU;
            let point =
                |step: u32| island.at(angle + 0.1 * f64::from(step).sin(), f64::from(step) / 12.0 * 0.92);
            Shape::Line((0..=12).map(point).collect())
        })
    });
    round.chain(spokes).collect()
}

fn stops(count: usize) -> Vec<Shape> {
    let each = u32::try_from(count / ISLANDS.len()).unwrap_or(0).max(1);
    ISLANDS.iter().flat_map(|island| island.along(0.0, TAU, 0.78, each).skip(1).map(Shape::Point)).collect()
}

fn ferries() -> Vec<Shape> {
    let harbours =
        [ISLANDS[0].at(0.6, 1.0), ISLANDS[1].at(3.6, 1.0), ISLANDS[2].at(2.4, 1.0), ISLANDS[0].at(5.6, 1.0)];
    let line = |from: At, to: At| {
        let point = |step: u32| {
            let part = f64::from(step) / 20.0;
            let bow = (part * std::f64::consts::PI).sin() * 0.03;
            (from.0 + (to.0 - from.0) * part + bow, from.1 + (to.1 - from.1) * part - bow)
        };
        Shape::Line((0..=20).map(point).collect())
    };
    vec![line(harbours[0], harbours[1]), line(harbours[1], harbours[2]), line(harbours[2], harbours[3])]
}
