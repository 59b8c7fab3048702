use std::future::Future;

use crate::Timestamp;

/// The clock of a layer: what time it is, and a future that ends at a given one.
///
/// The clock must not run back; see [`Timestamp`]. `TokioTimer` (feature `tokio`) is one for tokio.
pub trait Timer: Clone + Send + Sync + 'static {
    /// What [`sleep_until`](Self::sleep_until) gives back.
    type Sleep: Future<Output = ()> + Send + 'static;

    /// The time.
    fn now(&self) -> Timestamp;

    /// Ends at `at`, at once where that has passed.
    fn sleep_until(&self, at: Timestamp) -> Self::Sleep;
}

/// tokio's clock, set to the wall time once, at the start of the program.
///
/// ```
/// use bot_etiquette_politeness::tower::TokioTimer;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let timer = TokioTimer::starting_at(std::time::SystemTime::now().into());
/// # }
/// ```
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy)]
pub struct TokioTimer {
    start: Timestamp,
    started: tokio::time::Instant,
}

#[cfg(feature = "tokio")]
impl TokioTimer {
    /// A clock that shows `wall_time` now and counts on from there, whatever becomes of the wall clock.
    #[must_use]
    pub fn starting_at(wall_time: Timestamp) -> Self {
        Self { start: wall_time, started: tokio::time::Instant::now() }
    }
}

#[cfg(feature = "tokio")]
impl Timer for TokioTimer {
    type Sleep = tokio::time::Sleep;

    fn now(&self) -> Timestamp {
        // Rounded down: a deadline counted from here is reached no earlier than it says.
        let passed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.start.plus_millis(passed)
    }

    fn sleep_until(&self, at: Timestamp) -> Self::Sleep {
        // tokio's own bound on a deadline; nothing here waits for longer than a request's patience.
        const FAR: std::time::Duration = std::time::Duration::from_secs(86_400 * 365);
        let deadline = self.started + at.since(self.start).min(self.started.elapsed() + FAR);
        tokio::time::sleep_until(deadline)
    }
}
