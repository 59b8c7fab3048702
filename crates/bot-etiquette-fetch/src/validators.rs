//! [`Validators`]: asking a second time without downloading a second time.

use http::{HeaderMap, HeaderValue, StatusCode, header};
use url::{Position, Url};

/// What a server said to know a document by: its `ETag` and `Last-Modified`, byte for byte, and the URL they belong
/// to (RFC 9110 section 8.8).
///
/// Nothing is remembered here. Keep the value only after the document itself has been read and stored: validators of
/// a document that was lost on the way would hide it for ever behind `304 Not Modified`.
///
/// ```
/// use bot_etiquette_fetch::{Revalidated, Validators};
/// use http::{HeaderMap, HeaderValue, StatusCode, header};
/// use url::Url;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = Url::parse("https://data.example/feed.json")?;
/// let mut answer = HeaderMap::new();
/// answer.insert(header::ETAG, HeaderValue::from_static("W/\"42\""));
/// let known = Validators::of(&url, StatusCode::OK, &answer).expect("an ETag");
/// // .. the feed is parsed and stored, and `known` with it ..
///
/// let mut request = HeaderMap::new();
/// known.apply(&url, &mut request);
/// assert_eq!(request[header::IF_NONE_MATCH], "W/\"42\"");
///
/// let answer = known.revalidated(StatusCode::NOT_MODIFIED, &HeaderMap::new());
/// assert_eq!(answer, Revalidated::Unchanged(known));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    url: Url,
    etag: Option<HeaderValue>,
    last_modified: Option<HeaderValue>,
}

/// What an answer to a conditional request means; made by [`Validators::revalidated`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Revalidated {
    /// 304: the stored document still holds. The validators within are the ones to keep from now on.
    Unchanged(Validators),
    /// A new document, with its validators if it has any; keep them once the document is stored.
    Changed(Option<Validators>),
    /// A 304 that speaks of another document than ours (RFC 9111 section 4.3.4): ask again without conditions.
    Mismatch,
    /// Neither: an error, a redirect or a part. The validators hold as they were.
    Other,
}

impl Validators {
    /// The validators of a whole document that was answered under this URL; `None` when there are none, or when the
    /// status is not 200.
    #[must_use]
    pub fn of(url: &Url, status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        if status != StatusCode::OK {
            return None;
        }
        Self::new(url.clone(), only(headers, header::ETAG), only(headers, header::LAST_MODIFIED))
    }

    /// Validators as they were kept, from storage; `None` when neither field holds a value.
    #[must_use]
    pub fn new(url: Url, etag: Option<HeaderValue>, last_modified: Option<HeaderValue>) -> Option<Self> {
        let filled = |value: &HeaderValue| !value.is_empty();
        let (etag, last_modified) = (etag.filter(filled), last_modified.filter(filled));
        (etag.is_some() || last_modified.is_some()).then_some(Self { url, etag, last_modified })
    }

    /// The URL they belong to.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The `ETag` as it came, quotes and `W/` included.
    #[must_use]
    pub const fn etag(&self) -> Option<&HeaderValue> {
        self.etag.as_ref()
    }

    /// The `Last-Modified` as it came.
    #[must_use]
    pub const fn last_modified(&self) -> Option<&HeaderValue> {
        self.last_modified.as_ref()
    }

    /// Makes a request conditional, if it goes to the URL these belong to (a fragment aside): sets `If-None-Match` and
    /// `If-Modified-Since`, for servers that know only the one. Says whether it did.
    pub fn apply(&self, url: &Url, headers: &mut HeaderMap) -> bool {
        let ours = url[..Position::AfterQuery] == self.url[..Position::AfterQuery];
        if ours {
            set(headers, header::IF_NONE_MATCH, self.etag.as_ref());
            set(headers, header::IF_MODIFIED_SINCE, self.last_modified.as_ref());
        }
        ours
    }

    /// Reads the answer to a request that [`apply`](Self::apply) made conditional.
    #[must_use]
    pub fn revalidated(&self, status: StatusCode, headers: &HeaderMap) -> Revalidated {
        match status {
            StatusCode::NOT_MODIFIED => {
                let etag = only(headers, header::ETAG);
                if let (Some(sent), Some(came)) = (&self.etag, &etag)
                    && opaque(sent) != opaque(came)
                {
                    return Revalidated::Mismatch;
                }
                Revalidated::Unchanged(Self {
                    url: self.url.clone(),
                    etag: etag.or_else(|| self.etag.clone()),
                    last_modified: only(headers, header::LAST_MODIFIED)
                        .or_else(|| self.last_modified.clone()),
                })
            }
            StatusCode::OK => Revalidated::Changed(Self::of(&self.url, status, headers)),
            _ => Revalidated::Other,
        }
    }
}

/// The value of a field that may stand once; two different ones tell nothing.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    (!value.is_empty() && values.all(|other| other == value)).then(|| value.clone())
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: Option<&HeaderValue>) {
    match value {
        Some(value) => headers.insert(name, value.clone()),
        None => headers.remove(name),
    };
}

/// An entity tag without its weakness: `If-None-Match` compares weakly (RFC 9110 section 8.8.3.2).
fn opaque(etag: &HeaderValue) -> &[u8] {
    etag.as_bytes().strip_prefix(b"W/").unwrap_or(etag.as_bytes())
}

#[cfg(feature = "serde")]
mod storage {
    //! Header bytes as text in which each character stands for one byte, so that any `ETag` survives.

    use http::HeaderValue;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
    use url::Url;

    use super::Validators;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Stored {
        url: Url,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        etag: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_modified: Option<String>,
    }

    impl Serialize for Validators {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let text = |value: &HeaderValue| value.as_bytes().iter().map(|byte| char::from(*byte)).collect();
            Stored {
                url: self.url.clone(),
                etag: self.etag.as_ref().map(text),
                last_modified: self.last_modified.as_ref().map(text),
            }
            .serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Validators {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let stored = Stored::deserialize(deserializer)?;
            let value = |key: &str, text: Option<String>| match text {
                None => Ok(None),
                Some(text) => header(&text).map(Some).ok_or_else(|| {
                    D::Error::custom(format_args!("{key}: {text:?} cannot be a header value"))
                }),
            };
            let (etag, last_modified) =
                (value("etag", stored.etag)?, value("last_modified", stored.last_modified)?);
            Self::new(stored.url, etag, last_modified)
                .ok_or_else(|| D::Error::custom("neither etag nor last_modified holds a value"))
        }
    }

    fn header(text: &str) -> Option<HeaderValue> {
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        HeaderValue::from_bytes(&bytes.ok()?).ok()
    }
}
