//! [`RangeFile`]: the addresses of a bot as a file that firewalls read.

use std::{
    net::IpAddr,
    time::{Duration, SystemTime},
};

use serde_json::{Map, Value, json};

use crate::{BotIdentity, Prefix, PrefixError};

/// The addresses of a crawler in the JSON form of draft-illyes-webbotauth-jafar-00, which the large crawlers use too.
///
/// Written to the letter; read as the files in the field are, with a [`RangeWarning`] for each thing that is amiss.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use bot_etiquette_identity::{RangeFile, RangeWarning};
///
/// let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
/// let file = RangeFile::new(["198.51.100.0/28".parse()?], noon);
/// let json = file.to_json();
/// assert!(json.contains(r#""creationTime": "2027-01-15T08:00:00Z""#));
/// let (read, warnings) = RangeFile::read(json.as_bytes())?;
/// assert_eq!((read, warnings.len()), (file, 0));
///
/// // As some large crawlers publish it: no version, no token, no zone.
/// let (old, warnings) = RangeFile::read(br#"{"creationTime": "2027-01-15T08:00:00.5", "prefixes": []}"#)?;
/// assert!(warnings.contains(&RangeWarning::Missing { key: "formatVersion" }));
/// assert!(old.created().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeFile {
    sync_token: Option<String>,
    created: Option<SystemTime>,
    notes: Option<String>,
    ranges: Vec<IpRange>,
}

/// A block of addresses, and the service it is of where the file names one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IpRange {
    /// The block.
    pub prefix: Prefix,
    /// Its service; upper and lower case differ.
    pub service: Option<String>,
}

/// Why a file of addresses cannot be used. Whoever reads it keeps the last good one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// Over [`RangeFile::MAX_BYTES`].
    #[error("has {bytes} bytes; {} are read at the most", RangeFile::MAX_BYTES)]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// No JSON object.
    #[error("is no JSON object: {0}")]
    Json(String),
    /// A later version, whose rules are not known.
    #[error(
        "has format version {version}; {} is what is known here, and another major version must not be guessed at",
        RangeFile::VERSION
    )]
    NewerVersion {
        /// As it stands there.
        version: String,
    },
    /// No list of addresses.
    #[error("has no list \"prefixes\"")]
    NoPrefixes,
}

/// Something in a file of addresses that should not be so; it was read all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeWarning {
    /// A key that has to be there.
    #[error("has no {key}")]
    Missing {
        /// Which.
        key: &'static str,
    },
    /// A value that does not fit its key.
    #[error("{key} is not {expected}")]
    Value {
        /// Which.
        key: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// An entry of `prefixes` was passed over.
    #[error("entry {index} of prefixes is passed over: {problem}")]
    Skipped {
        /// From 0.
        index: usize,
        /// Why.
        problem: String,
    },
    /// An entry of `prefixes` was mended.
    #[error("entry {index} of prefixes is read as {prefix}")]
    Mended {
        /// From 0.
        index: usize,
        /// What it was taken for.
        prefix: Prefix,
    },
    /// More than [`RangeFile::MAX_RANGES`] entries.
    #[error("has more than {} prefixes; the rest is not read", RangeFile::MAX_RANGES)]
    TooMany,
}

impl RangeFile {
    /// The version of the format that is written.
    pub const VERSION: &str = "1.0";
    /// The largest file read: 8 MiB.
    pub const MAX_BYTES: usize = 8 * 1024 * 1024;
    /// Entries read of one file at the most.
    pub const MAX_RANGES: usize = 100_000;

    /// A file of these blocks, made at this time. Its token changes with the blocks and with nothing else.
    #[must_use]
    pub fn new(prefixes: impl IntoIterator<Item = Prefix>, created: SystemTime) -> Self {
        let ranges: Vec<_> = prefixes.into_iter().map(|prefix| IpRange { prefix, service: None }).collect();
        let whole = created.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            sync_token: Some(token(&ranges)),
            created: SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(whole)),
            notes: None,
            ranges,
        }
    }

    /// The file of a bot's own addresses.
    #[must_use]
    pub fn of(identity: &BotIdentity, created: SystemTime) -> Self {
        let mut file = Self::new(identity.profile().addresses.prefixes.iter().copied(), created);
        file.notes = Some(format!("{} {}", identity.token(), identity.page()));
        file
    }

    /// The blocks, in the order of the file.
    #[must_use]
    pub fn ranges(&self) -> &[IpRange] {
        &self.ranges
    }

    /// When it was made, as it says.
    #[must_use]
    pub const fn created(&self) -> Option<SystemTime> {
        self.created
    }

    /// The token that changes with the blocks.
    #[must_use]
    pub fn sync_token(&self) -> Option<&str> {
        self.sync_token.as_deref()
    }

    /// The block that an address belongs to: of several, the longest prefix.
    #[must_use]
    pub fn find(&self, address: IpAddr) -> Option<&IpRange> {
        let holding = self.ranges.iter().filter(|range| range.prefix.contains(address));
        holding.max_by_key(|range| range.prefix.length())
    }

    /// How long to wait before the file is asked for again, given how long its answer said that it stays fresh: a day
    /// where it said nothing, and never less than an hour.
    #[must_use]
    pub fn next_poll(fresh: Option<Duration>) -> Duration {
        const HOUR: Duration = Duration::from_secs(3600);
        fresh.map_or(HOUR * 24, |fresh| fresh.max(HOUR))
    }

    /// The file as JSON, with a line for each entry.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = |value: &str| Value::from(value).to_string();
        let mut out = format!("{{\n  \"formatVersion\": {},\n", text(Self::VERSION));
        let fallback = token(&self.ranges);
        out.push_str(&format!(
            "  \"synctoken\": {},\n",
            text(self.sync_token.as_deref().unwrap_or(&fallback))
        ));
        let created = self.created.unwrap_or(SystemTime::UNIX_EPOCH);
        out.push_str(&format!("  \"creationTime\": {},\n", text(&rfc3339(created))));
        if let Some(notes) = &self.notes {
            out.push_str(&format!("  \"notes\": {},\n", text(notes)));
        }
        out.push_str("  \"prefixes\": [");
        for (index, range) in self.ranges.iter().enumerate() {
            let key = if range.prefix.address().is_ipv4() { "ipv4Prefix" } else { "ipv6Prefix" };
            let mut entry = json!({ key: range.prefix.to_string() });
            if let (Some(service), Some(entry)) = (&range.service, entry.as_object_mut()) {
                entry.insert("service".to_owned(), service.as_str().into());
            }
            out.push_str(if index == 0 { "\n    " } else { ",\n    " });
            out.push_str(&entry.to_string());
        }
        out.push_str(if self.ranges.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" });
        out
    }

    /// Reads a file as it was published.
    ///
    /// # Errors
    /// [`RangeError`] where nothing can be made of it, or its major version is a later one.
    pub fn read(bytes: &[u8]) -> Result<(Self, Vec<RangeWarning>), RangeError> {
        if bytes.len() > Self::MAX_BYTES {
            return Err(RangeError::TooLarge { bytes: bytes.len() });
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let file: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| RangeError::Json(error.to_string()))?;
        let mut warnings = Vec::new();
        match file.get("formatVersion").map(|version| (version.as_str(), version)) {
            None => warnings.push(RangeWarning::Missing { key: "formatVersion" }),
            Some((text, value)) => match text.and_then(version) {
                // Version 1 is the first, so 0 is no earlier one.
                Some((1, _)) => {}
                Some(_) => {
                    return Err(RangeError::NewerVersion { version: text.unwrap_or_default().to_owned() });
                }
                None if value.as_f64().is_some_and(|number| number >= 2.0) => {
                    return Err(RangeError::NewerVersion { version: value.to_string() });
                }
                None => warnings
                    .push(RangeWarning::Value { key: "formatVersion", expected: "a text such as \"1.0\"" }),
            },
        }
        let sync_token = word(&file, "synctoken", &mut warnings);
        let created =
            word(&file, "creationTime", &mut warnings).and_then(|text| created(&text, &mut warnings));
        let list = file.get("prefixes").and_then(Value::as_array).ok_or(RangeError::NoPrefixes)?;
        let mut ranges = Vec::new();
        for (index, entry) in list.iter().enumerate() {
            if index == Self::MAX_RANGES {
                warnings.push(RangeWarning::TooMany);
                break;
            }
            match range(entry) {
                Ok((range, mended)) => {
                    if mended {
                        warnings.push(RangeWarning::Mended { index, prefix: range.prefix });
                    }
                    ranges.push(range);
                }
                Err(problem) => warnings.push(RangeWarning::Skipped { index, problem }),
            }
        }
        let notes = file.get("notes").and_then(Value::as_str).map(str::to_owned);
        Ok((Self { sync_token, created, notes, ranges }, warnings))
    }
}

/// A text that has to be there.
fn word(file: &Map<String, Value>, key: &'static str, warnings: &mut Vec<RangeWarning>) -> Option<String> {
    match file.get(key) {
        None => warnings.push(RangeWarning::Missing { key }),
        Some(Value::String(text)) => return Some(text.clone()),
        Some(_) => warnings.push(RangeWarning::Value { key, expected: "a text" }),
    }
    None
}

/// `major.minor`, each a number: 1.10 comes after 1.9.
fn version(text: &str) -> Option<(u64, u64)> {
    let (major, minor) = text.split_once('.')?;
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    Some((number(major)?, number(minor)?))
}

/// ISO 8601 with `Z`; one without a zone is taken for that, too.
fn created(text: &str, warnings: &mut Vec<RangeWarning>) -> Option<SystemTime> {
    let wrong = RangeWarning::Value { key: "creationTime", expected: "a time such as 2027-11-30T12:00:00Z" };
    if !text.ends_with('Z') {
        warnings.push(wrong.clone());
    }
    let read = text.parse::<jiff::Timestamp>().or_else(|_| format!("{text}Z").parse());
    let since = read.ok().and_then(|time| Duration::try_from(time.as_duration()).ok());
    if since.is_none() && !warnings.contains(&wrong) {
        warnings.push(wrong);
    }
    SystemTime::UNIX_EPOCH.checked_add(since?)
}

fn rfc3339(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).unwrap_or_default().to_string()
}

fn range(entry: &Value) -> Result<(IpRange, bool), String> {
    let prefix = match (entry.get("ipv4Prefix"), entry.get("ipv6Prefix")) {
        (Some(_), Some(_)) => return Err("it has both ipv4Prefix and ipv6Prefix".to_owned()),
        (None, None) => return Err("it has neither ipv4Prefix nor ipv6Prefix".to_owned()),
        (Some(text), None) => (text, true),
        (None, Some(text)) => (text, false),
    };
    let text = prefix.0.as_str().ok_or("its prefix is no text")?;
    let (read, mended) = match text.trim().parse::<Prefix>() {
        Ok(read) => (read, read.to_string() != text),
        Err(PrefixError::HostBits { network }) => (network, true),
        Err(error) => return Err(format!("{text:?}: {error}")),
    };
    if read.address().is_ipv4() != prefix.1 {
        return Err(format!("{text:?} is of the other kind of address"));
    }
    let service = entry.get("service").and_then(Value::as_str).map(str::to_owned);
    Ok((IpRange { prefix: read, service }, mended))
}

/// A text that is the same for the same blocks: FNV-1a over them.
fn token(ranges: &[IpRange]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for range in ranges {
        let line = format!("{} {}\n", range.prefix, range.service.as_deref().unwrap_or_default());
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
