use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};

use super::{BoxError, Timer, watch::Watch};
use crate::Store;

pin_project_lite::pin_project! {
    /// The body of an answer, which holds the slot of its request until it has ended, failed, or been dropped.
    ///
    /// It fails with a [`Refusal`](crate::Refusal) of reason `killed` when the operator blocks the host, and
    /// with [`LeaseExpired`](super::LeaseExpired) when it was not read in time.
    pub struct PoliteBody<B, S: Store, T: Timer> {
        #[pin]
        inner: B,
        watch: Option<Watch<S, T>>,
    }
}

impl<B: Body, S: Store, T: Timer> PoliteBody<B, S, T> {
    pub(crate) fn new(inner: B, watch: Watch<S, T>) -> Self {
        // Without anything to read nobody would poll it, and the slot would never end.
        let watch = if inner.is_end_stream() { None } else { Some(watch) };
        Self { inner, watch }
    }
}

impl<B, S, T> Body for PoliteBody<B, S, T>
where
    B: Body,
    B::Error: Into<BoxError>,
    S: Store,
    T: Timer,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        let mut this = self.project();
        let Some(watch) = this.watch.as_mut() else {
            return this.inner.poll_frame(cx).map(|frame| frame.map(|frame| frame.map_err(Into::into)));
        };
        if let Poll::Ready(error) = watch.poll_broken(cx) {
            *this.watch = None;
            return Poll::Ready(Some(Err(error)));
        }
        match ready!(this.inner.as_mut().poll_frame(cx)) {
            Some(Ok(frame)) => {
                // Known to be the last: its reader need not come back for the end.
                if this.inner.is_end_stream() {
                    *this.watch = None;
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Some(Err(error)) => {
                watch.slot.break_off(watch.timer.now());
                *this.watch = None;
                Poll::Ready(Some(Err(error.into())))
            }
            None => {
                *this.watch = None;
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl<B: std::fmt::Debug, S: Store, T: Timer> std::fmt::Debug for PoliteBody<B, S, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PoliteBody").field("inner", &self.inner).finish_non_exhaustive()
    }
}
