//! Asking for one robots.txt through a given service.

use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::Buf;
use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderValue, Request, Response};
use http_body::Body;
use tower_service::Service;

use super::shared::Cause;
use super::{BoxError, Classify, FetchFailure, oneshot};
use crate::{FetchTicket, Limits, RobotsAnswer};

/// How the asking for a robots.txt ended.
pub(super) enum Fetched {
    /// With an answer, whatever it says.
    Answer(RobotsAnswer),
    /// Without one, for this reason.
    NoAnswer(Cause),
    /// By the crawler itself, for this reason.
    Refused(Cause),
}

/// Asks, and says what came.
pub(super) async fn fetch<F, B, RB>(service: F, request: Request<B>, classify: &Classify) -> Fetched
where
    F: Service<Request<B>, Response = Response<RB>>,
    F::Error: Into<BoxError>,
    RB: Body,
    RB::Error: Into<BoxError>,
{
    let failed = |error: BoxError| match classify(&*error) {
        FetchFailure::NoAnswer => Fetched::NoAnswer(Arc::from(error)),
        FetchFailure::TooManyRedirects => Fetched::Answer(RobotsAnswer::too_many_redirects()),
        FetchFailure::Refused => Fetched::Refused(Arc::from(error)),
    };
    let response = match oneshot(service, request).await {
        Ok(response) => response,
        Err(error) => return failed(error.into()),
    };
    let (head, body) = response.into_parts();
    let answer = RobotsAnswer::from_status(head.status.as_u16()).headers(&head.headers);
    if !head.status.is_success() {
        return Fetched::Answer(answer);
    }
    match read(body).await {
        Ok(text) => Fetched::Answer(answer.body(text)),
        Err(error) => failed(error.into()),
    }
}

/// The request for the robots.txt of a ticket.
pub(super) fn request<B: Default>(ticket: &FetchTicket) -> Result<Request<B>, http::Error> {
    let mut request = Request::get(ticket.origin().robots_txt()).body(B::default())?;
    let validators =
        [(IF_NONE_MATCH, ticket.if_none_match()), (IF_MODIFIED_SINCE, ticket.if_modified_since())];
    for (name, value) in validators {
        // A value that came in a header field goes into one; one from a damaged snapshot may not.
        if let Some(value) = value.and_then(|bytes| HeaderValue::from_bytes(bytes).ok()) {
            request.headers_mut().insert(name, value);
        }
    }
    Ok(request)
}

/// Reads a body up to the parser's limit, and one byte more where there is one, so that the parser knows of
/// the cut.
async fn read<RB: Body>(body: RB) -> Result<Vec<u8>, RB::Error> {
    const LIMIT: usize = Limits::DEFAULT_BYTES + 1;
    let mut body = pin!(body);
    let mut text = Vec::new();
    while text.len() < LIMIT {
        let Some(frame) = std::future::poll_fn(|context| Pin::as_mut(&mut body).poll_frame(context)).await
        else {
            break;
        };
        let Ok(mut data) = frame?.into_data() else { continue };
        while data.has_remaining() && text.len() < LIMIT {
            let chunk = data.chunk();
            let chunk = chunk.get(..LIMIT.saturating_sub(text.len())).unwrap_or(chunk);
            text.extend_from_slice(chunk);
            let taken = chunk.len();
            data.advance(taken);
        }
    }
    Ok(text)
}
