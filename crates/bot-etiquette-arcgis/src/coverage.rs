//! Evidence that data lies somewhere, from the server's word to outlines seen.

use serde::{Deserialize, Serialize};

use crate::geojson::{Geometry, Outline};
use crate::wgs84::{Bbox, Place};

/// How well it is known that a layer covers a place, from the weakest to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Evidence {
    /// Nothing is known: robots.txt closes it, or nobody looked.
    Unchecked,
    /// Its extent says so.
    ExtentOnly,
    /// The server counted features in the box.
    CountInBox,
    /// Outlines of its features were seen there.
    Outlines,
}

/// Rows and columns of the grid over a layer's box.
pub const GRID: u32 = 64;

/// The cells of a layer's box that outlines touch.
///
/// ```
/// use bot_etiquette_arcgis::{Bbox, Coverage, EsriGeometry};
///
/// let area = Bbox { west: 0.0, south: 0.0, east: 64.0, north: 64.0 };
/// let line: EsriGeometry = serde_json::from_str(r#"{"paths":[[[0.5,0.5],[10.5,0.5]]]}"#)?;
/// let coverage = Coverage::of(area, [line.to_geojson(false)].iter());
/// assert!(coverage.covers(5.2, 0.2));
/// assert!(!coverage.covers(5.2, 30.0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    area: Bbox,
    /// One word a row from the south, one bit a column from the west.
    rows: Vec<u64>,
}

impl Coverage {
    /// The coverage of `area` by outlines. Rings cover what they enclose, holes left out.
    #[must_use]
    pub fn of<'a>(area: Bbox, outlines: impl Iterator<Item = &'a Outline>) -> Self {
        let mut coverage = Self { area, rows: vec![0; GRID as usize] };
        for geometry in outlines.filter_map(|outline| outline.geometry.as_ref()) {
            coverage.add(geometry);
        }
        coverage
    }

    /// Whether an outline touches the cell of this point.
    #[must_use]
    pub fn covers(&self, lon: f64, lat: f64) -> bool {
        self.area.contains(lon, lat)
            && self.cell(lon, lat).is_some_and(|(row, column)| self.is_set(row, column))
    }

    /// Whether an outline touches a cell that meets the box.
    #[must_use]
    pub fn covers_some_of(&self, bbox: &Bbox) -> bool {
        if !self.area.meets(bbox) {
            return false;
        }
        let low = self.cell(bbox.west.max(self.area.west), bbox.south.max(self.area.south));
        let high = self.cell(bbox.east.min(self.area.east), bbox.north.min(self.area.north));
        let (Some((south, west)), Some((north, east))) = (low, high) else { return false };
        (south..=north).any(|row| (west..=east).any(|column| self.is_set(row, column)))
    }

    /// The box whose cells are told: all outlines lie within.
    ///
    /// ```
    /// use bot_etiquette_arcgis::{Bbox, Coverage};
    ///
    /// let area = Bbox { west: 5.0, south: 45.0, east: 6.0, north: 46.0 };
    /// assert_eq!(Coverage::of(area, [].iter()).area(), area);
    /// ```
    #[must_use]
    pub const fn area(&self) -> Bbox {
        self.area
    }

    /// Cells that are covered, of [`GRID`] x [`GRID`].
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.count_ones()))
    }

    fn add(&mut self, geometry: &Geometry) {
        for part in geometry.parts() {
            match part {
                [point] => self.mark(point.x, point.y),
                _ => {
                    for (a, b) in part.iter().zip(part.iter().skip(1)) {
                        self.line((a.x, a.y), (b.x, b.y));
                    }
                }
            }
        }
        if let Geometry::Polygon(_) | Geometry::MultiPolygon(_) = geometry {
            self.fill(geometry);
        }
    }

    /// Marks every cell along a line, in steps of half a cell.
    fn line(&mut self, (ax, ay): (f64, f64), (bx, by): (f64, f64)) {
        let (wide, high) = self.cell_size();
        let cells = ((bx - ax) / wide).abs().max(((by - ay) / high).abs());
        // A line longer than the grid is cut to a number of steps that still meets each cell of a box it crosses.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let steps = if cells.is_finite() {
            (cells * 2.0).ceil().clamp(1.0, f64::from(GRID) * 16.0) as u32
        } else {
            1
        };
        for step in 0..=steps {
            let t = f64::from(step) / f64::from(steps);
            self.mark(ax + (bx - ax) * t, ay + (by - ay) * t);
        }
    }

    /// Marks the cells whose middle lies inside, by the even-odd rule along each row.
    fn fill(&mut self, geometry: &Geometry) {
        let (wide, high) = self.cell_size();
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); GRID as usize];
        for (a, b) in geometry.parts().flat_map(|ring| ring.iter().zip(ring.iter().skip(1))) {
            let (low, up) = if a.y <= b.y { (a, b) } else { (b, a) };
            let first = ((low.y - self.area.south) / high - 0.5).ceil().max(0.0);
            let last = ((up.y - self.area.south) / high - 0.5).ceil().min(f64::from(GRID));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the grid")]
            for row in first as u32..last.max(0.0) as u32 {
                let y = self.area.south + (f64::from(row) + 0.5) * high;
                if let Some(crossings) = crossings.get_mut(row as usize) {
                    crossings.push(low.x + (up.x - low.x) * (y - low.y) / (up.y - low.y));
                }
            }
        }
        for (row, mut crossings) in (0_u32..).zip(crossings) {
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let [from, to] = pair else { continue };
                for column in 0..GRID {
                    let x = self.area.west + (f64::from(column) + 0.5) * wide;
                    if *from <= x && x <= *to {
                        self.set(row, column);
                    }
                }
            }
        }
    }

    fn mark(&mut self, lon: f64, lat: f64) {
        if self.area.contains(lon, lat)
            && let Some((row, column)) = self.cell(lon, lat)
        {
            self.set(row, column);
        }
    }

    fn cell(&self, lon: f64, lat: f64) -> Option<(u32, u32)> {
        let (wide, high) = self.cell_size();
        let index = |at: f64| {
            let last = f64::from(GRID) - 1.0;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the grid")]
            at.is_finite().then(|| at.clamp(0.0, last) as u32)
        };
        Some((index((lat - self.area.south) / high)?, index((lon - self.area.west) / wide)?))
    }

    /// The size of a cell; a box without a width has cells of a hair's.
    fn cell_size(&self) -> (f64, f64) {
        let side = |from: f64, to: f64| ((to - from) / f64::from(GRID)).max(1.0e-9);
        (side(self.area.west, self.area.east), side(self.area.south, self.area.north))
    }

    fn set(&mut self, row: u32, column: u32) {
        if let Some(cells) = self.rows.get_mut(row as usize) {
            *cells |= 1_u64.checked_shl(column).unwrap_or(0);
        }
    }

    fn is_set(&self, row: u32, column: u32) -> bool {
        self.rows.get(row as usize).is_some_and(|cells| cells & 1_u64.checked_shl(column).unwrap_or(0) != 0)
    }
}

/// The best evidence that a layer covers a place; none where what is known speaks against it.
///
/// Outlines that were all seen decide alone; else a count in the box, which is 0 or more; else the extent.
///
/// ```
/// use bot_etiquette_arcgis::{Bbox, Evidence, Extent, evidence};
///
/// let place = Extent::new([0.0, 0.0, 10.0, 10.0], 4326).to_wgs84();
/// let town = Bbox { west: 4.0, south: 4.0, east: 5.0, north: 5.0 };
/// assert_eq!(evidence(&town, None, None, Some(&place)), Some(Evidence::ExtentOnly));
/// assert_eq!(evidence(&town, None, Some(0), Some(&place)), None);
/// ```
#[must_use]
pub fn evidence(
    bbox: &Bbox,
    outlines: Option<&Coverage>,
    count_in_box: Option<u64>,
    place: Option<&Place>,
) -> Option<Evidence> {
    if let Some(coverage) = outlines {
        return coverage.covers_some_of(bbox).then_some(Evidence::Outlines);
    }
    if let Some(count) = count_in_box {
        return (count > 0).then_some(Evidence::CountInBox);
    }
    match place {
        Some(place) if !place.boxes.is_empty() => {
            place.boxes.iter().any(|own| own.meets(bbox)).then_some(Evidence::ExtentOnly)
        }
        _ => Some(Evidence::Unchecked),
    }
}
