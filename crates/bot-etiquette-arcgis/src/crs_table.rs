//! Definitions by code, from the tables in `data/`, and projection by proj4rs.

use proj4rs::Proj;
use proj4rs::transform::transform;

/// Lines `old new`: Esri's codes that EPSG codes replaced.
const CODES: &str = include_str!("../data/codes.txt");
/// Lines `code west south east north`.
const AREAS: &str = include_str!("../data/areas.txt");
/// Lines `code proj-string`: Esri's codes that EPSG has none for, and EPSG's newest.
const MORE: &str = include_str!("../data/definitions.txt");
/// Lines `code`: systems that proj4rs places more than two kilometres off.
const UNRELIABLE: &str = include_str!("../data/unreliable.txt");

/// Bytes of a WKT definition at the most; real ones have less than 2,000.
const WKT_LIMIT: usize = 8 * 1024;
/// Brackets within brackets of a WKT definition at the most; real ones have 5. Its parser recurses on them.
const WKT_DEPTH: usize = 16;

#[derive(Debug)]
pub(crate) struct Projected {
    from: Proj,
    to: Proj,
}

impl Projected {
    /// The code that holds today, and its definitions: two where the axes may be meant either way.
    pub(crate) fn of_code(code: u32) -> (u32, Vec<Self>) {
        let code = line(CODES, code).and_then(|new| new.trim().parse().ok()).unwrap_or(code);
        let epsg =
            u16::try_from(code).ok().and_then(crs_definitions::from_code).map(|definition| definition.proj4);
        let Some(text) = epsg.or_else(|| line(MORE, code)) else { return (code, Vec::new()) };
        // ArcGIS sends east and north whatever EPSG says of the axes, with exceptions: both are tried.
        let plain: String =
            words(text).filter(|word| !word.starts_with("+axis=")).collect::<Vec<_>>().join(" ");
        let mut found: Vec<Self> = Self::of_text(&plain).into_iter().collect();
        if text.contains("+axis=") {
            found.extend(Self::of_text(text));
        }
        (code, found)
    }

    pub(crate) fn of_wkt(wkt: &str) -> Option<Self> {
        if wkt.len() > WKT_LIMIT || depth(wkt) > WKT_DEPTH {
            return None;
        }
        Self::of_text(&proj4wkt::wkt_to_projstring(wkt).ok()?)
    }

    fn of_text(text: &str) -> Option<Self> {
        let text: Vec<String> = words(text).filter_map(replacement).collect();
        let from = Proj::from_proj_string(&text.join(" ")).ok()?;
        let to = Proj::from_proj_string("+proj=longlat +datum=WGS84").ok()?;
        (from.has_inverse() || from.is_latlong()).then_some(Self { from, to })
    }

    pub(crate) fn is_degrees(&self) -> bool {
        self.from.is_latlong() && self.from.from_greenwich() == 0.0
    }

    pub(crate) fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let (x, y) = if self.from.is_latlong() { (x.to_radians(), y.to_radians()) } else { (x, y) };
        let mut point = (x, y, 0.0);
        transform(&self.from, &self.to, &mut point).ok()?;
        Some((point.0.to_degrees(), point.1.to_degrees()))
    }

    /// Where a pole lies, if all meridians meet in one point there.
    pub(crate) fn pole(&self, lat: f64) -> Option<(f64, f64)> {
        let at = |lon: f64| {
            let mut point = (lon.to_radians(), lat.to_radians(), 0.0);
            transform(&self.to, &self.from, &mut point).ok()?;
            (point.0.is_finite() && point.1.is_finite()).then_some((point.0, point.1))
        };
        let first = at(0.0)?;
        let is_same = |(x, y): (f64, f64)| (x - first.0).hypot(y - first.1) < 1.0;
        [-90.0, 90.0, 180.0].into_iter().all(|lon| at(lon).is_some_and(is_same)).then_some(first)
    }
}

/// Where the system is meant to be used.
pub(crate) fn area(code: u32) -> Option<[f64; 4]> {
    let mut numbers = line(AREAS, code)?.split_whitespace().map(str::parse::<f64>);
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?, next()?])
}

pub(crate) fn is_unreliable(code: u32) -> bool {
    line(UNRELIABLE, code).is_some()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// Datums that proj4rs would need grid files for, by their usual seven parameters: some tens of metres are lost.
fn replacement(word: &str) -> Option<String> {
    Some(match word {
        "+datum=NAD27" => "+ellps=clrk66 +towgs84=-8,160,176".to_owned(),
        "+datum=OSGB36" => {
            "+ellps=airy +towgs84=446.448,-125.157,542.06,0.1502,0.247,0.8421,-20.4894".to_owned()
        }
        "+datum=potsdam" => "+ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7".to_owned(),
        "+datum=nzgd49" => "+ellps=intl +towgs84=59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993".to_owned(),
        _ if word.starts_with("+nadgrids=") && word != "+nadgrids=@null" => return None,
        _ => word.to_owned(),
    })
}

/// What follows `code` in its line of a table whose lines are sorted by code.
fn line(table: &'static str, code: u32) -> Option<&'static str> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low.midpoint(high);
        let start =
            table.get(low..middle)?.rfind('\n').map_or(low, |at| low.saturating_add(at).saturating_add(1));
        let rest = table.get(start..)?;
        let text = rest.split('\n').next()?;
        let trimmed = text.trim_start();
        let (number, value) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
        match number.parse::<u32>().ok()?.cmp(&code) {
            std::cmp::Ordering::Equal => return Some(value),
            std::cmp::Ordering::Less => low = start.saturating_add(text.len()).saturating_add(1),
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

fn depth(text: &str) -> usize {
    let mut open = 0_usize;
    text.bytes().fold(0, |most, byte| {
        match byte {
            b'[' | b'(' => open = open.saturating_add(1),
            b']' | b')' => open = open.saturating_sub(1),
            _ => {}
        }
        most.max(open)
    })
}
