//! [`FetchLimits`]: how much one exchange may cost.

use std::time::Duration;

/// The bounds of one exchange. Every one has a default, can be set for a whole fetcher, and for a single request by
/// putting the value in its extensions.
///
/// | limit | default | counted |
/// |---|---|---|
/// | [`connect`](Self::connect) | 10 s | name look-up, TCP and TLS together |
/// | [`total`](Self::total) | 30 s | from the call to the last byte of the body |
/// | [`header_bytes`](Self::header_bytes) | 65,536 | names and values plus 4 a field; the client buffers no more than this (and never less than 8,192) before it has them all |
/// | [`wire_bytes`](Self::wire_bytes) | 10,000,000 | the body as it came, still coded |
/// | [`decoded_bytes`](Self::decoded_bytes) | 50,000,000 | the body after decoding |
/// | [`ratio`](Self::ratio) | 200 | decoded to wire, looked at once more than 65,536 bytes are decoded |
/// | [`codings`](Self::codings) | 2 | stacked content codings |
/// | [`window_bytes`](Self::window_bytes) | 8,388,608 | how far back br and zstd may refer, in memory for each open body |
///
/// A body costs memory for one piece and for the windows of its codings: 32 KiB for gzip and deflate, at most
/// `window_bytes` for br and zstd, shared where they are stacked. A br body that names a larger window (16 MiB is the
/// format's largest, and some encoders name it for every text) is undone all the same for as long as it is no longer
/// than the window allowed, less 16 bytes; from there on it is over the limit. A zstd body that names a larger window is
/// refused, and one of more than 8 MiB always (RFC 9659).
///
/// With the feature `serde` times are numbers of seconds, and `over_limit` is `"refuse"` or `"cut"`.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_fetch::{FetchLimits, OverLimit};
///
/// // A page of at most 5 MB, before and after decoding; a longer one is cut and flagged.
/// let page = FetchLimits::default()
///     .total(Duration::from_secs(15))
///     .wire_bytes(5_000_000)
///     .decoded_bytes(5_000_000)
///     .over_limit(OverLimit::Cut);
/// assert_eq!(page.connect, Duration::from_secs(10));
///
/// let mut request = http::Request::get("https://example.com/").body(())?;
/// request.extensions_mut().insert(page);
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct FetchLimits {
    /// The longest a connection may take to stand: name look-up, TCP and TLS.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    pub connect: Duration,
    /// The longest the whole exchange may take, body included.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    pub total: Duration,
    /// The largest header section taken.
    pub header_bytes: usize,
    /// The largest body taken as it comes, in bytes.
    pub wire_bytes: u64,
    /// The largest body handed out after decoding, in bytes.
    pub decoded_bytes: u64,
    /// The largest factor by which decoding may swell a body.
    pub ratio: u64,
    /// The most content codings that may be stacked.
    pub codings: usize,
    /// The memory for the windows of br and zstd, in bytes. It is rounded down to a power of two; br takes 256 KiB in
    /// any case.
    pub window_bytes: u64,
    /// What becomes of a body that is over a limit.
    pub over_limit: OverLimit,
    /// Whether codings are undone. When not, the body comes as sent and keeps its `Content-Encoding`.
    pub decode: bool,
}

/// What becomes of a body that is over `wire_bytes`, `decoded_bytes`, `ratio` or `window_bytes`. Either way the rest is not read:
/// the connection is closed, or the HTTP/2 stream reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum OverLimit {
    /// The body ends in an error. The default.
    #[default]
    Refuse,
    /// The body ends at the limit and is flagged.
    Cut,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            header_bytes: 65_536,
            wire_bytes: 10_000_000,
            decoded_bytes: 50_000_000,
            ratio: 200,
            codings: 2,
            window_bytes: 8 * 1024 * 1024,
            over_limit: OverLimit::Refuse,
            decode: true,
        }
    }
}

macro_rules! chained {
    ($($(#[$doc:meta])* $field:ident: $kind:ty,)*) => {
        impl FetchLimits {
            $($(#[$doc])*
            #[must_use]
            pub const fn $field(mut self, $field: $kind) -> Self {
                self.$field = $field;
                self
            })*
        }
    };
}

chained! {
    /// Sets how long a connection may take to stand.
    connect: Duration,
    /// Sets how long the whole exchange may take.
    total: Duration,
    /// Sets how large the header section may be.
    header_bytes: usize,
    /// Sets how large the body may be as it comes.
    wire_bytes: u64,
    /// Sets how large the body may be after decoding.
    decoded_bytes: u64,
    /// Sets by what factor decoding may swell a body.
    ratio: u64,
    /// Sets how many codings may be stacked.
    codings: usize,
    /// Sets how much memory the windows of br and zstd may take.
    window_bytes: u64,
    /// Sets what becomes of a body that is too large.
    over_limit: OverLimit,
    /// Sets whether codings are undone.
    decode: bool,
}

#[cfg(feature = "serde")]
mod seconds {
    //! A duration as a number of seconds, whole or with a fraction.

    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_secs_f64().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds)
            .map_err(|error| D::Error::custom(format_args!("{seconds} is not a number of seconds: {error}")))
    }
}
