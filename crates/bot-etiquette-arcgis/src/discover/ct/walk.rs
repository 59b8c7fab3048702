//! Walks over a log: tile by tile, or batch by batch where a log has no tiles.

use std::collections::VecDeque;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde::Deserialize;
use url::Url;

use super::leaf::Leaf;
use super::tiles::{DATA_LIMIT, NAMES_LIMIT, TILE_WIDTH, data_names, names, tile_path};
use super::{Checkpoint, CtError};
use crate::request::Request;

/// Bytes of a checkpoint at the most.
const CHECKPOINT_LIMIT: u64 = 64 << 10;
/// Bytes of a batch of entries at the most: two certificates' worth of base64 for each.
const BATCH_LIMIT: u64 = 8 << 20;
/// Entries that a batch asks for at first; a log that refuses is asked for fewer.
const BATCH: u64 = 256;

/// A walk over full tiles of a static log: names tiles first, and data tiles where the log has none.
///
/// Which tiles is the caller's choice: a tenth of them at random finds most hosts in time, since certificates recur.
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::TileWalk;
/// use http::StatusCode;
///
/// let mut walk = TileWalk::new(&"https://mon.log.example/2026h2/".parse()?, [1_234_067]);
/// assert_eq!(walk.checkpoint().url.as_str(), "https://mon.log.example/2026h2/checkpoint");
/// assert_eq!(walk.next().unwrap().url.path(), "/2026h2/tile/names/x001/x234/067");
/// // No names tiles here: the same tile again, as data.
/// assert!(walk.answered(StatusCode::NOT_FOUND, b"")?.is_empty());
/// assert_eq!(walk.next().unwrap().url.path(), "/2026h2/tile/data/x001/x234/067");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TileWalk {
    log: Url,
    pending: VecDeque<u64>,
    has_names: bool,
}

impl TileWalk {
    /// A walk over these full tiles of the log whose monitoring address this is.
    #[must_use]
    pub fn new(monitoring_url: &Url, tiles: impl IntoIterator<Item = u64>) -> Self {
        Self { log: base(monitoring_url), pending: tiles.into_iter().collect(), has_names: true }
    }

    /// The request for the log's [`Checkpoint`], whose size tells how many [`tiles`](super::tiles) are full.
    #[must_use]
    pub fn checkpoint(&self) -> Request {
        Request::new(below(&self.log, ["checkpoint"]), CHECKPOINT_LIMIT)
    }

    /// The tile to ask for now; none at the end.
    #[must_use]
    pub fn next(&self) -> Option<Request> {
        let path = tile_path(*self.pending.front()?);
        let (kind, limit) = if self.has_names { ("names", NAMES_LIMIT) } else { ("data", DATA_LIMIT) };
        Some(Request::new(below(&self.log, ["tile", kind].into_iter().chain(path.split('/'))), limit))
    }

    /// Takes the answer; gives the tile's names, each with as many entries as name it.
    ///
    /// # Errors
    /// [`CtError`] for a tile that could not be read, which is passed over then.
    pub fn answered(&mut self, status: StatusCode, body: &[u8]) -> Result<Vec<String>, CtError> {
        if status == StatusCode::NOT_FOUND && self.has_names {
            self.has_names = false;
            return Ok(Vec::new());
        }
        self.skip();
        if status != StatusCode::OK {
            return Err(CtError::Status(status));
        }
        let entries = if self.has_names { names(body, TILE_WIDTH) } else { data_names(body, TILE_WIDTH) };
        entries.map(|entries| entries.concat())
    }

    /// Passes over the tile whose turn it is.
    pub fn skip(&mut self) {
        self.pending.pop_front();
    }
}

/// A walk over entries of a log of RFC 6962, from `start` up to `end`, which is left out.
///
/// A log may give fewer entries than asked for, and refuse a batch that is too large for it: the walk goes on where the
/// answer ended, and asks for half.
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::EntryWalk;
/// use http::StatusCode;
///
/// let mut walk = EntryWalk::new(&"https://ct.log.example/2026/".parse()?, 0, 1_024);
/// assert_eq!(walk.next().unwrap().url.as_str(), "https://ct.log.example/2026/ct/v1/get-entries?start=0&end=255");
/// assert!(walk.answered(StatusCode::BAD_REQUEST, b"")?.is_empty());
/// assert_eq!(walk.next().unwrap().url.query(), Some("start=0&end=127"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EntryWalk {
    log: Url,
    start: u64,
    end: u64,
    batch: u64,
}

/// What a log of RFC 6962 says of itself. The signature is not verified.
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::TreeHead;
///
/// let head = TreeHead::parse(br#"{"tree_size":300,"timestamp":1519407928245,"sha256_root_hash":"","tree_head_signature":""}"#)?;
/// assert_eq!(head.tree_size, 300);
/// # Ok::<(), bot_etiquette_arcgis::discover::ct::CtError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct TreeHead {
    /// Entries in the log.
    pub tree_size: u64,
    /// When it said so, in milliseconds since the Unix epoch.
    pub timestamp: u64,
}

impl TreeHead {
    /// Reads the answer to [`EntryWalk::tree_head`].
    ///
    /// # Errors
    /// [`CtError::Checkpoint`] for anything else.
    pub fn parse(body: &[u8]) -> Result<Self, CtError> {
        serde_json::from_slice(body).map_err(|_| CtError::Checkpoint("no tree head"))
    }
}

#[derive(Deserialize)]
struct Batch {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    leaf_input: String,
}

impl EntryWalk {
    /// A walk over entries of the log at this address; `end` is the log's size at the most.
    #[must_use]
    pub fn new(log: &Url, start: u64, end: u64) -> Self {
        Self { log: base(log), start, end, batch: BATCH }
    }

    /// The request for the log's [`TreeHead`].
    #[must_use]
    pub fn tree_head(&self) -> Request {
        Request::new(below(&self.log, ["ct", "v1", "get-sth"]), CHECKPOINT_LIMIT)
    }

    /// The batch to ask for now; none at the end.
    #[must_use]
    pub fn next(&self) -> Option<Request> {
        let last = self.start.saturating_add(self.batch).min(self.end).checked_sub(1)?;
        if self.start >= self.end {
            return None;
        }
        let mut url = below(&self.log, ["ct", "v1", "get-entries"]);
        url.query_pairs_mut()
            .append_pair("start", &self.start.to_string())
            .append_pair("end", &last.to_string());
        Some(Request::new(url, BATCH_LIMIT))
    }

    /// Takes the answer; gives the names of its entries.
    ///
    /// # Errors
    /// [`CtError`] for a batch of which nothing could be read, which is passed over then; a single broken entry costs only
    /// itself. No entries at all end the walk.
    pub fn answered(&mut self, status: StatusCode, body: &[u8]) -> Result<Vec<String>, CtError> {
        let Some(asked) = self.end.checked_sub(self.start).map(|left| left.min(self.batch)) else {
            return Ok(Vec::new());
        };
        if status == StatusCode::BAD_REQUEST && self.batch > 1 {
            self.batch /= 2;
            return Ok(Vec::new());
        }
        let read = if status == StatusCode::OK { batch(body) } else { Err(CtError::Status(status)) };
        let received = match &read {
            Ok(entries) => entries.len() as u64,
            Err(CtError::Empty) => self.end,
            Err(_) => asked,
        };
        self.start = self.start.saturating_add(received);
        let leaves: Vec<_> = read?.iter().map(leaf).collect();
        if let Some(error) = leaves.iter().find_map(|leaf| leaf.as_ref().err().copied())
            && leaves.iter().all(Result::is_err)
        {
            return Err(error);
        }
        Ok(leaves.into_iter().flatten().flat_map(|leaf| leaf.names).collect())
    }

    /// Where the walk stands: the first entry that was not read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.start
    }
}

fn batch(body: &[u8]) -> Result<Vec<Entry>, CtError> {
    let batch: Batch = serde_json::from_slice(body).map_err(|_| CtError::Leaf("no list of entries"))?;
    if batch.entries.is_empty() { Err(CtError::Empty) } else { Ok(batch.entries) }
}

fn leaf(entry: &Entry) -> Result<Leaf, CtError> {
    let bytes = STANDARD.decode(&entry.leaf_input).map_err(|_| CtError::Leaf("no base64"))?;
    Leaf::parse(&bytes)
}

fn base(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn below<'a>(log: &Url, segments: impl IntoIterator<Item = &'a str>) -> Url {
    let mut url = log.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

impl Checkpoint {
    /// How many full tiles the log has: those that a [`TileWalk`] may ask for.
    #[must_use]
    pub fn full_tiles(&self) -> u64 {
        self.size / TILE_WIDTH
    }
}
