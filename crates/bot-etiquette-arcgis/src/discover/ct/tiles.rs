//! Tiles of a static log: where they lie, and the names in them.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;

use super::CtError;
use super::leaf::{Form, Leaf};

/// Bytes of a names tile at the most, decompressed.
pub const NAMES_LIMIT: u64 = 1 << 20;
/// Bytes of a data tile at the most, decompressed.
pub const DATA_LIMIT: u64 = 4 << 20;

/// Entries of a full tile.
pub const TILE_WIDTH: u64 = 256;

/// The path of a tile's number: groups of three digits, all but the last behind an `x`.
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::tile_path;
///
/// assert_eq!(tile_path(255), "255");
/// assert_eq!(tile_path(1_234_067), "x001/x234/067");
/// ```
#[must_use]
pub fn tile_path(index: u64) -> String {
    let mut path = format!("{:03}", index % 1000);
    let mut rest = index / 1000;
    while rest > 0 {
        path = format!("x{:03}/{path}", rest % 1000);
        rest /= 1000;
    }
    path
}

/// Full tiles at a level of a log of this size, and the width of the partial one after them (0 = none).
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::tiles;
///
/// assert_eq!((tiles(70_000, 0), tiles(70_000, 1), tiles(70_000, 2)), ((273, 112), (1, 17), (0, 1)));
/// ```
#[must_use]
pub fn tiles(size: u64, level: u32) -> (u64, u64) {
    let nodes = TILE_WIDTH.checked_pow(level).map_or(0, |width| size / width);
    (nodes / TILE_WIDTH, nodes % TILE_WIDTH)
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default, rename = "DNS")]
    dns: Vec<String>,
}

/// The DNS names of a names tile, entry by entry; `width` is 256 for a full tile. A tile that is still compressed, as logs
/// send it without saying so, is decompressed up to [`NAMES_LIMIT`].
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::names;
///
/// let tile = b"{\"Timestamp\":1,\"DNS\":[\"gis.example.org\"]}\n{\"Timestamp\":2}\n";
/// assert_eq!(names(tile, 2)?.concat(), ["gis.example.org"]);
/// assert!(names(tile, 256).is_err());
/// # Ok::<(), bot_etiquette_arcgis::discover::ct::CtError>(())
/// ```
///
/// # Errors
/// [`CtError::Line`], [`CtError::Count`] and [`CtError::Gzip`]: a tile is read whole or not at all.
pub fn names(tile: &[u8], width: u64) -> Result<Vec<Vec<String>>, CtError> {
    let tile = inflated(tile, NAMES_LIMIT)?;
    let lines = tile.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read = |(index, line): (usize, &[u8])| {
        serde_json::from_slice::<Entry>(line)
            .map(|entry| entry.dns)
            .map_err(|_| CtError::Line(index.saturating_add(1)))
    };
    let entries: Vec<_> = lines.enumerate().map(read).collect::<Result<_, _>>()?;
    counted(entries, width)
}

/// The DNS names of a data tile, entry by entry, out of the certificates themselves; for logs without names tiles.
///
/// An entry whose certificate cannot be read has no names; a tile whose entries do not follow each other is an error.
///
/// # Errors
/// [`CtError::Leaf`], [`CtError::Count`] and [`CtError::Gzip`].
pub fn data_names(tile: &[u8], width: u64) -> Result<Vec<Vec<String>>, CtError> {
    let tile = inflated(tile, DATA_LIMIT)?;
    let (mut rest, mut entries) = (tile.as_ref(), Vec::new());
    while !rest.is_empty() {
        let (leaf, after) = Leaf::split(rest, Form::Tile)?;
        entries.push(leaf.names);
        rest = after;
    }
    counted(entries, width)
}

fn counted(entries: Vec<Vec<String>>, width: u64) -> Result<Vec<Vec<String>>, CtError> {
    if entries.len() as u64 == width {
        Ok(entries)
    } else {
        Err(CtError::Count { found: entries.len(), expected: width })
    }
}

fn inflated(tile: &[u8], limit: u64) -> Result<Cow<'_, [u8]>, CtError> {
    if !tile.starts_with(b"\x1f\x8b") {
        return Ok(Cow::Borrowed(tile));
    }
    let mut whole = Vec::new();
    // One byte more than may be shows that there is more.
    let read = MultiGzDecoder::new(tile).take(limit.saturating_add(1)).read_to_end(&mut whole);
    match read {
        Ok(length) if length as u64 <= limit => Ok(Cow::Owned(whole)),
        _ => Err(CtError::Gzip { limit }),
    }
}
