//! [`Fetched`]: an answer with its body in memory.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;

use crate::{BodyReport, Followed, Hop, Limit, RemoteAddress};

/// An answer with its body in memory, and what is known of how it came.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use bot_etiquette_fetch::Fetched;
/// use bytes::Bytes;
/// use http_body_util::Full;
///
/// // Whatever stack of services an answer came through:
/// let answer = http::Response::new(Full::new(Bytes::from_static(b"hello")));
/// let fetched = Fetched::collect(answer).await?;
/// assert_eq!((fetched.status.as_u16(), &fetched.body[..]), (200, &b"hello"[..]));
/// assert_eq!(fetched.cut, None);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The status.
    pub status: StatusCode,
    /// The fields; without `Content-Encoding` and `Content-Length` when the body was decoded.
    pub headers: HeaderMap,
    /// The body, decoded.
    pub body: Bytes,
    /// The limit at which the body was cut, if it was.
    pub cut: Option<Limit>,
    /// The bytes of body that came on the wire.
    pub wire_bytes: u64,
    /// The address that answered.
    pub remote: Option<SocketAddr>,
    /// The redirects that led here.
    pub followed: Vec<Hop>,
}

impl Fetched {
    /// Reads an answer to its end, whatever services it came through. The limits are those of the body below.
    ///
    /// # Errors
    /// The body's own error.
    pub async fn collect<B: Body>(answer: Response<B>) -> Result<Self, B::Error> {
        let (mut parts, body) = answer.into_parts();
        let report = parts.extensions.remove::<BodyReport>();
        let body = body.collect().await?.to_bytes();
        Ok(Self {
            status: parts.status,
            headers: parts.headers,
            cut: report.as_ref().and_then(BodyReport::cut),
            wire_bytes: report.as_ref().map_or(body.len() as u64, BodyReport::wire_bytes),
            remote: parts.extensions.get::<RemoteAddress>().map(|remote| remote.0),
            followed: parts.extensions.remove::<Followed>().unwrap_or_default().0,
            body,
        })
    }
}
