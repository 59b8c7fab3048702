//! Checkpoints: how far a log has come.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::CtError;

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
