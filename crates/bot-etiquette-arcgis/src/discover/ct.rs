//! Static Certificate Transparency logs: paths of tiles, checkpoints, and names.
//!
//! Names tiles (`tile/names/..`) come first: they hold names only and cost a log an eighteenth of a data tile. A log that
//! has none answers 404. Bodies must be decompressed before they come here; logs send gzip even unasked.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

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

/// What a log says of itself: its size is what may be asked for. Signatures are named, not verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// Entries in the log.
    pub size: u64,
    /// The root of its tree.
    pub root: [u8; 32],
    /// Who signed, the key id, and the time in milliseconds where the signature holds one.
    pub signatures: Vec<Signature>,
}

/// A signature line of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The signer's name.
    pub name: String,
    /// The first four bytes, in hexadecimal.
    pub key_id: String,
    /// Milliseconds since the Unix epoch.
    pub timestamp: Option<u64>,
}

/// Why a text of a log was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CtError {
    /// Not the form of a checkpoint.
    #[error("no checkpoint: {0}")]
    Checkpoint(&'static str),
    /// A line that is no JSON object.
    #[error("line {0} of the names tile is no entry")]
    Line(usize),
    /// Another number of entries than the tile has.
    #[error("{found} entries where the tile has {expected}")]
    Count {
        /// Entries that were there.
        found: usize,
        /// Entries that belong there.
        expected: u64,
    },
}

impl Checkpoint {
    /// Reads a checkpoint, to the letter of its format.
    ///
    /// ```
    /// use bot_etiquette_arcgis::discover::ct::Checkpoint;
    ///
    /// let root = "A".repeat(43);
    /// let text = format!("log.example/2026\n300\n{root}=\n\n\u{2014} log.example/2026 AQIDBAAAAAAAAAABAA==\n");
    /// let checkpoint = Checkpoint::parse(&text)?;
    /// assert_eq!((checkpoint.size, checkpoint.signatures[0].key_id.as_str()), (300, "01020304"));
    /// assert!(Checkpoint::parse(&text.replace("300", "+300")).is_err());
    /// # Ok::<(), bot_etiquette_arcgis::discover::ct::CtError>(())
    /// ```
    ///
    /// # Errors
    /// [`CtError::Checkpoint`] for a text of another form.
    pub fn parse(text: &str) -> Result<Self, CtError> {
        let bad = CtError::Checkpoint;
        let (body, signatures) = text.split_once("\n\n").ok_or(bad("no empty line"))?;
        let mut lines = body.split('\n');
        let (origin, size, root) = (lines.next(), lines.next(), lines.next());
        let origin = origin.filter(|origin| !origin.is_empty()).ok_or(bad("no origin"))?;
        let size = size.ok_or(bad("no size"))?;
        let is_plain =
            size.bytes().all(|byte| byte.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
        let size = size.parse().ok().filter(|_| is_plain).ok_or(bad("the size is no plain number"))?;
        let root = STANDARD.decode(root.unwrap_or_default()).ok().and_then(|root| root.try_into().ok());
        if lines.next().is_some() {
            return Err(bad("lines after the root"));
        }
        let signatures: Option<Vec<_>> = signatures.lines().map(signature).collect();
        let signatures = signatures.filter(|lines| !lines.is_empty()).ok_or(bad("no signature"))?;
        Ok(Self {
            origin: origin.to_owned(),
            size,
            root: root.ok_or(bad("the root is not 32 bytes"))?,
            signatures,
        })
    }
}

fn signature(line: &str) -> Option<Signature> {
    let (name, encoded) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
    let bytes = STANDARD.decode(encoded).ok()?;
    let (key, rest) = bytes.split_first_chunk::<4>()?;
    let timestamp = rest.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    Some(Signature { name: name.to_owned(), key_id: format!("{:08x}", u32::from_be_bytes(*key)), timestamp })
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default, rename = "DNS")]
    dns: Vec<String>,
}

/// The DNS names of a names tile, entry by entry; `width` is 256 for a full tile.
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
/// [`CtError::Line`] and [`CtError::Count`]: a tile is read whole or not at all.
pub fn names(tile: &[u8], width: u64) -> Result<Vec<Vec<String>>, CtError> {
    let lines = tile.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read = |(index, line): (usize, &[u8])| {
        serde_json::from_slice::<Entry>(line)
            .map(|entry| entry.dns)
            .map_err(|_| CtError::Line(index.saturating_add(1)))
    };
    let entries: Vec<_> = lines.enumerate().map(read).collect::<Result<_, _>>()?;
    if entries.len() as u64 == width {
        Ok(entries)
    } else {
        Err(CtError::Count { found: entries.len(), expected: width })
    }
}
