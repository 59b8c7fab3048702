//! Coordinate systems: which one a server names, and its points on the globe.

use crate::space::SpatialReference;

#[cfg(feature = "proj")]
#[path = "crs_table.rs"]
mod table;

/// The radius of Web Mercator's sphere, in metres.
const RADIUS: f64 = 6_378_137.0;

/// The edge of Web Mercator, in metres.
pub(crate) const MERCATOR_EDGE: f64 = 20_037_508.342_789_2;

/// How far beyond the edge of the globe, in degrees, a projection may come by its own arithmetic.
const NOISE: f64 = 1e-6;

/// A system whose points can be placed.
#[derive(Debug)]
pub(crate) struct Crs {
    way: Way,
    #[cfg_attr(
        not(feature = "proj"),
        allow(dead_code, reason = "areas of use are known by code with the tables alone")
    )]
    pub(crate) code: Option<u32>,
}

#[derive(Debug)]
enum Way {
    /// Degrees; datums differ from WGS 84 by less than a bounding box shows.
    Degrees,
    Mercator,
    #[cfg(feature = "proj")]
    Projected(Box<table::Projected>),
}

impl Crs {
    /// The systems that `reference` may mean, the likeliest first; none when it names nothing that is known.
    ///
    /// `latestWkid` beats `wkid`, a code beats WKT. There are two where a code has been used with two directions of axes.
    pub(crate) fn find(reference: &SpatialReference) -> Vec<Self> {
        for code in [reference.latest_wkid, reference.wkid].into_iter().flatten() {
            let found = Self::of_code(code);
            if !found.is_empty() {
                return found;
            }
        }
        #[cfg(feature = "proj")]
        if let Some(projected) = reference.wkt.as_deref().and_then(table::Projected::of_wkt) {
            return vec![Self::projected(projected, reference.latest_wkid.or(reference.wkid))];
        }
        if reference.wkt.as_deref().is_some_and(is_plain_wgs84) {
            return vec![Self { way: Way::Degrees, code: None }];
        }
        Vec::new()
    }

    fn of_code(code: u32) -> Vec<Self> {
        match code {
            3857 | 3785 | 900_913 | 102_100 | 102_113 => vec![Self { way: Way::Mercator, code: Some(3857) }],
            4326 | 4269 | 4258 | 4283 | 4617 | 4167 | 4152 | 4612 | 4674 | 4979 | 6318 | 6668 | 7844 => {
                vec![Self { way: Way::Degrees, code: Some(code) }]
            }
            #[cfg(feature = "proj")]
            _ => {
                let (code, found) = table::Projected::of_code(code);
                found.into_iter().map(|projected| Self::projected(projected, Some(code))).collect()
            }
            #[cfg(not(feature = "proj"))]
            _ => Vec::new(),
        }
    }

    #[cfg(feature = "proj")]
    fn projected(projected: table::Projected, code: Option<u32>) -> Self {
        let way = if projected.is_degrees() { Way::Degrees } else { Way::Projected(Box::new(projected)) };
        Self { way, code }
    }

    pub(crate) fn is_degrees(&self) -> bool {
        matches!(self.way, Way::Degrees)
    }

    pub(crate) fn is_mercator(&self) -> bool {
        matches!(self.way, Way::Mercator)
    }

    /// The longitude and latitude of a point, in degrees; none where the projection has no such point.
    pub(crate) fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let (lon, lat) = match &self.way {
            Way::Degrees => (x, y),
            Way::Mercator => from_mercator(x.clamp(-MERCATOR_EDGE, MERCATOR_EDGE), y),
            #[cfg(feature = "proj")]
            Way::Projected(projected) => projected.place(x, y)?,
        };
        // A system that a server wrote itself may count its longitudes from any meridian.
        let lon = if lon.abs() > 180.0 + NOISE { lon - 360.0_f64.copysign(lon) } else { lon };
        (lon.abs() <= 180.0 + NOISE && lat.abs() <= 90.0 + NOISE).then_some((lon, lat))
    }

    /// Where a pole, named by its latitude, lies in the system; none where it is no single point, but a line or nowhere.
    #[cfg_attr(
        not(feature = "proj"),
        allow(unused_variables, reason = "the systems that are known then have no such point")
    )]
    pub(crate) fn pole(&self, lat: f64) -> Option<(f64, f64)> {
        match &self.way {
            Way::Degrees | Way::Mercator => None,
            #[cfg(feature = "proj")]
            Way::Projected(projected) => projected.pole(lat),
        }
    }

    /// The area that the system is made for: west, south, east, north.
    pub(crate) fn area(&self) -> Option<[f64; 4]> {
        #[cfg(feature = "proj")]
        return self.code.and_then(table::area);
        #[cfg(not(feature = "proj"))]
        None
    }

    /// Whether the pure Rust projection is known to be more than two kilometres off for this system.
    pub(crate) fn is_unreliable(&self) -> bool {
        #[cfg(feature = "proj")]
        return self.code.is_some_and(table::is_unreliable);
        #[cfg(not(feature = "proj"))]
        false
    }
}

fn is_plain_wgs84(wkt: &str) -> bool {
    wkt.trim_start().starts_with("GEOGCS[\"GCS_WGS_1984\"")
}

/// Longitude and latitude of a point in Web Mercator.
pub(crate) fn from_mercator(x: f64, y: f64) -> (f64, f64) {
    let lat = 2.0 * (y / RADIUS).exp().atan() - std::f64::consts::FRAC_PI_2;
    ((x / RADIUS).to_degrees(), lat.to_degrees())
}

/// The point of a longitude and latitude in Web Mercator.
pub(crate) fn mercator(lon: f64, lat: f64) -> (f64, f64) {
    let y = (std::f64::consts::FRAC_PI_4 + lat.to_radians() / 2.0).tan().ln();
    (lon.to_radians() * RADIUS, y * RADIUS)
}
