//! Entries of a log: what was signed, and the names in it.

use super::CtError;
use super::certificate::{dns_names, to_be_signed};

/// One entry of a log.
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::{EntryKind, Leaf};
///
/// // Version 0, type 0, the time, an X.509 certificate of no bytes, no extensions.
/// let bytes = b"\0\0\0\0\x01\x61\xc3\xc5\x13\xb5\0\0\0\0\0\0\0";
/// let leaf = Leaf::parse(bytes)?;
/// assert_eq!((leaf.timestamp, leaf.kind), (1_519_407_928_245, EntryKind::Certificate));
/// assert!(Leaf::parse(&bytes[1..]).is_err());
/// # Ok::<(), bot_etiquette_arcgis::discover::ct::CtError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leaf {
    /// When the log took it, in milliseconds since the Unix epoch.
    pub timestamp: u64,
    /// What was signed.
    pub kind: EntryKind,
    /// The DNS names of the certificate; none when it cannot be read.
    pub names: Vec<String>,
}

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A certificate.
    Certificate,
    /// A certificate before it was issued.
    Precertificate,
}

/// Where an entry stands, which decides what follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `leaf_input` of RFC 6962: version and type in front, nothing behind.
    Input,
    /// In a data tile: the chain's fingerprints behind.
    Tile,
}

impl Leaf {
    /// Reads the `leaf_input` of an entry as RFC 6962 writes it, base64 taken off.
    ///
    /// # Errors
    /// [`CtError::Leaf`] for another version or type, for bytes that are missing or left over.
    pub fn parse(bytes: &[u8]) -> Result<Self, CtError> {
        match Self::split(bytes, Form::Input)? {
            (leaf, []) => Ok(leaf),
            _ => Err(CtError::Leaf("bytes after the end")),
        }
    }

    /// The entry at the start, and the bytes after it.
    pub(super) fn split(bytes: &[u8], form: Form) -> Result<(Self, &[u8]), CtError> {
        let mut bytes = Bytes(bytes);
        if form == Form::Input && bytes.take(2)? != [0, 0] {
            return Err(CtError::Leaf("neither version nor type is 0"));
        }
        let timestamp = bytes.number(8)?;
        let (kind, to_sign) = match bytes.number(2)? {
            0 => {
                let certificate = bytes.sized(3)?;
                (EntryKind::Certificate, to_be_signed(certificate).unwrap_or_default())
            }
            1 => {
                bytes.take(32)?;
                (EntryKind::Precertificate, bytes.sized(3)?)
            }
            _ => return Err(CtError::Leaf("an entry of no known type")),
        };
        bytes.sized(2)?;
        if form == Form::Tile {
            if kind == EntryKind::Precertificate {
                bytes.sized(3)?;
            }
            if bytes.sized(2)?.len() % 32 != 0 {
                return Err(CtError::Leaf("a chain that is no list of fingerprints"));
            }
        }
        Ok((Self { timestamp, kind, names: dns_names(to_sign) }, bytes.0))
    }
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], CtError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(CtError::Leaf("it breaks off"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of so many bytes, eight at the most, the largest first.
    fn number(&mut self, bytes: usize) -> Result<u64, CtError> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Bytes behind their count, which takes `width` bytes itself.
    fn sized(&mut self, width: usize) -> Result<&'a [u8], CtError> {
        let count = usize::try_from(self.number(width)?).unwrap_or(usize::MAX);
        self.take(count)
    }
}
