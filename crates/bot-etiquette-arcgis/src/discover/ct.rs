//! Certificate Transparency logs: which there are, what may be asked of them, and the host names in them.
//!
//! 1. [`log_list`] and [`LogList`] tell which logs hold today's certificates, and where.
//! 2. [`TileWalk`] reads a static log: names tiles (`tile/names/..`) first, which hold names only and cost a log an
//!    eighteenth of a data tile. A log that has none answers 404, and its data tiles are read.
//! 3. [`EntryWalk`] reads a log that has no tiles, by `get-entries` of RFC 6962.
//!
//! A name is no invitation: [`Probe`](super::Probe) and [`is_probeable`](super::is_probeable) say which may be asked, and
//! how little.

mod certificate;
mod checkpoint;
mod leaf;
mod log_list;
mod tiles;
mod walk;

use http::StatusCode;

pub use self::checkpoint::{Checkpoint, Signature};
pub use self::leaf::{EntryKind, Leaf};
pub use self::log_list::{Log, LogList, log_list};
pub use self::tiles::{DATA_LIMIT, NAMES_LIMIT, TILE_WIDTH, data_names, names, tile_path, tiles};
pub use self::walk::{EntryWalk, TileWalk, TreeHead};

/// Why an answer of a log was not read.
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
    /// Bytes that are no entry.
    #[error("no entry of a log: {0}")]
    Leaf(&'static str),
    /// A batch without entries, which would be asked for again and again.
    #[error("no entries where there should be some")]
    Empty,
    /// A compressed tile that is broken, or larger than a tile is.
    #[error("a compressed tile that is broken, or larger than {limit} bytes")]
    Gzip {
        /// Bytes at the most.
        limit: u64,
    },
    /// Another status than 200.
    #[error("status {0}")]
    Status(StatusCode),
}
