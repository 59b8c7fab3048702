//! [`FetchBody`]: a body that keeps its limits while it flows.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, header};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Sleep;

use crate::{
    FetchError, FetchLimits, Limit, OverLimit, Phase,
    brotli::WindowExceeded,
    decode::{Coding, Decoder, codings},
    error::Fault,
};

/// Decoded at a time.
const PIECE: usize = 16 * 1024;
/// Below this many decoded bytes the ratio is not looked at: short texts may swell a lot.
const RATIO_FLOOR: u64 = 64 * 1024;

/// The body of an answer: decoded, counted, and ended at its limits and its deadline.
///
/// It is a [`Body`] of [`Bytes`]. Dropping it closes the connection, unless the body had come to its end.
///
/// ```
/// use bot_etiquette_fetch::{FetchBody, FetchError};
///
/// fn assert_body<B: http_body::Body<Data = bytes::Bytes, Error = FetchError> + Send>() {}
/// assert_body::<FetchBody>();
/// ```
pub struct FetchBody {
    incoming: Option<Incoming>,
    decoder: Option<Decoder>,
    /// The decoder came to its end; what is left of the wire is passed over.
    decoded: bool,
    limits: FetchLimits,
    deadline: Pin<Box<Sleep>>,
    report: BodyReport,
}

/// What a poll gives when it gives something: a frame, an error, or the end.
type Step = Option<Result<Frame<Bytes>, FetchError>>;

/// What is known of a body while it flows and after; an extension of every response of a
/// [`Fetcher`](crate::Fetcher). Clones show the same body.
///
/// ```
/// # async fn example(fetcher: bot_etiquette_fetch::Fetcher) -> Result<(), Box<dyn std::error::Error>> {
/// use bot_etiquette_fetch::BodyReport;
/// use http_body_util::BodyExt;
///
/// let answer = fetcher.send(http::Request::get("https://example.com/").body(Default::default())?).await?;
/// let report = answer.extensions().get::<BodyReport>().cloned().expect("always there");
/// let body = answer.into_body().collect().await?.to_bytes();
/// println!("{} bytes on the wire, {} decoded, cut: {:?}", report.wire_bytes(), body.len(), report.cut());
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct BodyReport(Arc<Report>);

#[derive(Default)]
struct Report {
    wire: AtomicU64,
    decoded: AtomicU64,
    cut: Mutex<Option<Limit>>,
    content_length: Option<u64>,
    content_encoding: Option<HeaderValue>,
}

impl BodyReport {
    /// The bytes that have come, still coded.
    #[must_use]
    pub fn wire_bytes(&self) -> u64 {
        self.0.wire.load(Ordering::Relaxed)
    }

    /// The bytes that have been handed out.
    #[must_use]
    pub fn decoded_bytes(&self) -> u64 {
        self.0.decoded.load(Ordering::Relaxed)
    }

    /// The limit at which the body was cut, if it was.
    #[must_use]
    pub fn cut(&self) -> Option<Limit> {
        *self.0.cut.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `Content-Length` announced; a decoded answer no longer has the field.
    #[must_use]
    pub fn content_length(&self) -> Option<u64> {
        self.0.content_length
    }

    /// What `Content-Encoding` named; a decoded answer no longer has the field.
    #[must_use]
    pub fn content_encoding(&self) -> Option<&HeaderValue> {
        self.0.content_encoding.as_ref()
    }

    fn set_cut(&self, limit: Limit) {
        *self.0.cut.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
    }
}

impl fmt::Debug for BodyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyReport")
            .field("wire_bytes", &self.wire_bytes())
            .field("decoded_bytes", &self.decoded_bytes())
            .field("cut", &self.cut())
            .finish_non_exhaustive()
    }
}

impl FetchBody {
    /// Takes over a body; `headers` lose the fields that decoding makes untrue. `whole` is false for answers whose
    /// coding cannot be undone: to HEAD, and parts of a document.
    pub(crate) fn new(
        incoming: Incoming,
        headers: &mut HeaderMap,
        limits: FetchLimits,
        deadline: Pin<Box<Sleep>>,
        whole: bool,
    ) -> Result<Self, FetchError> {
        let announced =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let coded = headers.get(header::CONTENT_ENCODING).cloned();
        let decoder = if whole && limits.decode { decoder(headers, limits)? } else { None };
        if decoder.is_some() {
            headers.remove(header::CONTENT_ENCODING);
            headers.remove(header::CONTENT_LENGTH);
        }
        // `whole` is false for HEAD, whose length is that of a body which never comes.
        let too_long = announced.is_some_and(|length: u64| length > limits.wire_bytes);
        if too_long && !incoming.is_end_stream() && limits.over_limit == OverLimit::Refuse {
            return Err(FetchError::TooLarge { what: Limit::Wire, limit: limits.wire_bytes });
        }
        let report = Report { content_length: announced, content_encoding: coded, ..Report::default() };
        Ok(Self {
            incoming: Some(incoming),
            decoder,
            decoded: false,
            limits,
            deadline,
            report: BodyReport(Arc::new(report)),
        })
    }

    /// What is known of the body.
    #[must_use]
    pub fn report(&self) -> &BodyReport {
        &self.report
    }

    /// Ends the body; the connection is closed if more was to come.
    fn close(&mut self) {
        self.incoming = None;
        self.decoder = None;
    }

    fn fail(&mut self, error: FetchError) -> Step {
        self.close();
        Some(Err(error))
    }

    /// The body is over a limit: an error, or, with what still fits, the end.
    fn over(&mut self, what: Limit, fits: Bytes) -> Step {
        let limit = match what {
            Limit::Wire => self.limits.wire_bytes,
            Limit::Ratio => self.limits.ratio,
            Limit::Window => self.limits.window_bytes,
            _ => self.limits.decoded_bytes,
        };
        match self.limits.over_limit {
            OverLimit::Refuse => self.fail(FetchError::TooLarge { what, limit }),
            OverLimit::Cut => {
                self.report.set_cut(what);
                self.close();
                self.hand_out(fits)
            }
        }
    }

    fn hand_out(&self, piece: Bytes) -> Step {
        if piece.is_empty() {
            return None;
        }
        self.report.0.decoded.fetch_add(piece.len() as u64, Ordering::Relaxed);
        Some(Ok(Frame::data(piece)))
    }

    /// The next decoded piece, or `None` when the wire has to give more first.
    fn decode(&mut self) -> Option<Step> {
        let decoder = self.decoder.as_mut().filter(|_| !self.decoded)?;
        let mut piece = BytesMut::zeroed(PIECE);
        let length = match decoder.read(&mut piece) {
            Ok(Some(length)) => length,
            Ok(None) => return None,
            // What was cut on the wire ends in the middle of its coding, and nothing at all is an empty body.
            Err(_) if self.report.cut().is_some() || self.report.wire_bytes() == 0 => 0,
            Err(source) if source.get_ref().is_some_and(|source| source.is::<WindowExceeded>()) => {
                return Some(self.over(Limit::Window, Bytes::new()));
            }
            Err(source) => {
                let coding = self.report.content_encoding().map(|value| value.as_bytes());
                let coding = String::from_utf8_lossy(coding.unwrap_or_default()).into_owned();
                return Some(self.fail(FetchError::Coding { coding, source }));
            }
        };
        if length == 0 {
            self.decoded = true;
            return None;
        }
        piece.truncate(length);
        let before = self.report.decoded_bytes();
        let after = before + length as u64;
        if after > RATIO_FLOOR && after > self.limits.ratio.saturating_mul(self.report.wire_bytes()) {
            return Some(self.over(Limit::Ratio, Bytes::new()));
        }
        if after > self.limits.decoded_bytes {
            piece.truncate(usize::try_from(self.limits.decoded_bytes - before).unwrap_or(usize::MAX));
            return Some(self.over(Limit::Decoded, piece.freeze()));
        }
        Some(self.hand_out(piece.freeze()))
    }

    /// A piece from the wire: counted, and handed out or to the decoder. `None` asks for another turn.
    fn take(&mut self, mut piece: Bytes) -> Option<Step> {
        let before = self.report.0.wire.fetch_add(piece.len() as u64, Ordering::Relaxed);
        let room = self.limits.wire_bytes.saturating_sub(before);
        let over = piece.len() as u64 > room;
        if over {
            piece.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        }
        match &self.decoder {
            None => {
                let before = self.report.decoded_bytes();
                if before + piece.len() as u64 > self.limits.decoded_bytes {
                    piece.truncate(usize::try_from(self.limits.decoded_bytes - before).unwrap_or(usize::MAX));
                    return Some(self.over(Limit::Decoded, piece));
                }
                Some(if over { self.over(Limit::Wire, piece) } else { self.hand_out(piece) })
            }
            Some(_) if over && self.limits.over_limit == OverLimit::Refuse => {
                Some(self.over(Limit::Wire, Bytes::new()))
            }
            Some(decoder) => {
                if !self.decoded {
                    decoder.push(piece);
                }
                if over {
                    // All that fits is decoded still, without the rest.
                    decoder.finish();
                    self.report.set_cut(Limit::Wire);
                    self.incoming = None;
                }
                None
            }
        }
    }
}

impl Body for FetchBody {
    type Data = Bytes;
    type Error = FetchError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, FetchError>>> {
        let this = &mut *self;
        if this.incoming.is_some() && this.deadline.as_mut().poll(cx).is_ready() {
            let limit = this.limits.total;
            return Poll::Ready(this.fail(FetchError::Timeout { phase: Phase::Body, limit }));
        }
        loop {
            if let Some(step) = this.decode() {
                return Poll::Ready(step);
            }
            let Some(incoming) = &mut this.incoming else { return Poll::Ready(None) };
            let step = match ready!(Pin::new(incoming).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(piece) => this.take(piece),
                    // Trailers speak of the body as it was sent.
                    Err(frame) if this.decoder.is_none() => Some(Some(Ok(frame))),
                    Err(_) => None,
                },
                Some(Err(error)) => {
                    let (fault, header_bytes) = (Fault::of(&error), this.limits.header_bytes);
                    Some(this.fail(FetchError::broken(fault, error.into(), Phase::Body, header_bytes)))
                }
                None => {
                    this.incoming = None;
                    if let Some(decoder) = &this.decoder {
                        decoder.finish();
                    }
                    None
                }
            };
            if let Some(step) = step {
                return Poll::Ready(step);
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match (&self.incoming, &self.decoder) {
            (Some(incoming), None) => incoming.is_end_stream(),
            (Some(_), Some(_)) => false,
            (None, None) => true,
            (None, Some(_)) => self.decoded,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.incoming, &self.decoder) {
            (Some(incoming), None) if self.report.cut().is_none() => incoming.size_hint(),
            (None, None) => SizeHint::with_exact(0),
            _ => SizeHint::default(),
        }
    }
}

impl fmt::Debug for FetchBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchBody").field("report", &self.report).finish_non_exhaustive()
    }
}

fn decoder(headers: &HeaderMap, limits: FetchLimits) -> Result<Option<Decoder>, FetchError> {
    let unusable = |source: std::io::Error| {
        let all: Vec<_> = headers.get_all(header::CONTENT_ENCODING).iter().collect();
        let text: Vec<_> = all.iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        FetchError::Coding { coding: text.join(", "), source }
    };
    let stack: Vec<Coding> = codings(headers).map_err(|()| {
        unusable(std::io::Error::new(std::io::ErrorKind::Unsupported, "it is not gzip, br, zstd or deflate"))
    })?;
    if stack.len() > limits.codings {
        return Err(FetchError::TooLarge { what: Limit::Codings, limit: limits.codings as u64 });
    }
    if stack.is_empty() {
        return Ok(None);
    }
    Decoder::new(&stack, limits.window_bytes).map(Some).map_err(unusable)
}

/// A deadline that many polls may look at.
pub(crate) fn deadline(total: Duration) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(total))
}
