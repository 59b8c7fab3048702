//! The scheme of cached tiles, and which tile holds a point.

use serde::{Deserialize, Serialize};

use crate::scalar;
use crate::space::SpatialReference;

/// A service's tiling scheme. Origins and scales differ from server to server, so nothing is assumed.
///
/// ```
/// use bot_etiquette_arcgis::{Lod, TileInfo, Tile};
///
/// let scheme = TileInfo {
///     rows: 256,
///     cols: 256,
///     origin: (-20_037_508.342787, 20_037_508.342787),
///     lods: vec![Lod { level: 1, resolution: 78_271.516_964, scale: 295_828_763.8 }],
///     ..TileInfo::default()
/// };
/// assert_eq!(scheme.tile(1, 1.0, 1.0), Some(Tile { level: 1, row: 0, col: 1 }));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TileInfo {
    /// Pixels of a tile from top to bottom.
    #[serde(deserialize_with = "pixels")]
    pub rows: u32,
    /// Pixels of a tile from left to right.
    #[serde(deserialize_with = "pixels")]
    pub cols: u32,
    /// Dots per inch that the scales are meant for.
    #[serde(deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub dpi: Option<f64>,
    /// `PNG8`, `JPEG`, `MIXED`..
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The upper left corner of row 0, column 0: x and y in the scheme's own system.
    #[serde(with = "point")]
    pub origin: (f64, f64),
    /// The system of origin and resolutions, which need not be that of the map.
    #[serde(deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub spatial_reference: Option<SpatialReference>,
    /// The levels of detail.
    #[serde(deserialize_with = "scalar::list")]
    pub lods: Vec<Lod>,
}

/// A level of detail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lod {
    /// Its number in URLs.
    pub level: u32,
    /// Units of the system per pixel.
    pub resolution: f64,
    /// The denominator of its scale.
    pub scale: f64,
}

/// A tile's place: `tile/<level>/<row>/<col>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tile {
    /// The level of detail.
    pub level: u32,
    /// Counted down from the origin.
    pub row: u64,
    /// Counted right from the origin.
    pub col: u64,
}

impl TileInfo {
    /// The tile that holds the point `x`, `y` at a level; none outside the grid or at a level that does not exist.
    #[must_use]
    pub fn tile(&self, level: u32, x: f64, y: f64) -> Option<Tile> {
        let lod = self.lods.iter().find(|lod| lod.level == level)?;
        let width = lod.resolution * f64::from(self.cols);
        let height = lod.resolution * f64::from(self.rows);
        let col = ((x - self.origin.0) / width).floor();
        let row = ((self.origin.1 - y) / height).floor();
        // Beyond 2^32 columns no server has tiles; the bound also turns away NaN and the infinities.
        let on_grid = |at: f64| (0.0..4_294_967_296.0).contains(&at);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
        (on_grid(col) && on_grid(row)).then_some(Tile { level, row: row as u64, col: col as u64 })
    }

    /// The tiles that hold the box `xmin, ymin, xmax, ymax`, at the finest level where they are at most `most`.
    ///
    /// Only levels that `scales` (denominators) lets through are used.
    #[must_use]
    pub fn cover(
        &self,
        [xmin, ymin, xmax, ymax]: [f64; 4],
        most: usize,
        scales: impl Fn(f64) -> bool,
    ) -> Vec<Tile> {
        let mut lods: Vec<&Lod> = self.lods.iter().filter(|lod| scales(lod.scale)).collect();
        lods.sort_by(|a, b| a.resolution.total_cmp(&b.resolution));
        for lod in lods {
            let (Some(first), Some(last)) =
                (self.tile(lod.level, xmin, ymax), self.tile(lod.level, xmax, ymin))
            else {
                continue;
            };
            let rows = last.row.saturating_sub(first.row).saturating_add(1);
            let cols = last.col.saturating_sub(first.col).saturating_add(1);
            if rows.saturating_mul(cols) <= most as u64 {
                let tile = |row, col| Tile { level: lod.level, row, col };
                return (first.row..=last.row)
                    .flat_map(|row| (first.col..=last.col).map(move |col| tile(row, col)))
                    .collect();
            }
        }
        Vec::new()
    }
}

fn pixels<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(scalar::unsigned(deserializer)?.and_then(|pixels| pixels.try_into().ok()).unwrap_or(256))
}

/// `{"x": .., "y": ..}`
mod point {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Point {
        x: f64,
        y: f64,
    }

    pub(super) fn serialize<S: Serializer>(&(x, y): &(f64, f64), serializer: S) -> Result<S::Ok, S::Error> {
        Point { x, y }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(f64, f64), D::Error> {
        Point::deserialize(deserializer).map(|point| (point.x, point.y))
    }
}
