//! One clock for a whole stack, which a demonstration can let run faster.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use bot_etiquette::politeness::{Timestamp, tower::Timer};
use tokio::time::Instant;

/// The time of a stack: the wall time at its start, counted on by a clock that never runs back.
///
/// A demonstration may set a scale: at 60, a minute of politeness passes in a second. Towards a real site that would
/// be a broken promise, so a scaled clock asks for the addresses it is meant for and takes loopback alone.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use bot_etiquette_examples::clock::Clock;
///
/// let demo = ["127.0.0.1:8080".parse().unwrap()];
/// assert!(Clock::scaled(60, &demo).is_ok());
/// assert!(Clock::scaled(60, &["192.0.2.1:80".parse().unwrap()]).is_err());
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wall: SystemTime,
    started: Instant,
    scale: u32,
}

/// A clock was to run faster towards an address that is not on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clock may run {scale} times as fast only on loopback, and {address} is not")]
pub struct NotLoopback {
    /// How fast it was to run.
    pub scale: u32,
    /// The address that is not on this machine.
    pub address: SocketAddr,
}

impl Clock {
    /// The real time, from now on.
    #[allow(clippy::disallowed_methods, reason = "an assembly reads its clock here, and nowhere else")]
    #[must_use]
    pub fn real() -> Self {
        Self { wall: SystemTime::now(), started: Instant::now(), scale: 1 }
    }

    /// A clock that runs `scale` times as fast as the real one, for a stack that reaches these addresses and no
    /// others.
    ///
    /// # Errors
    /// [`NotLoopback`] names the first address that is not on this machine.
    pub fn scaled(scale: u32, targets: &[SocketAddr]) -> Result<Self, NotLoopback> {
        match targets.iter().find(|target| !target.ip().is_loopback()) {
            Some(address) if scale != 1 => Err(NotLoopback { scale, address: *address }),
            _ => Ok(Self { scale: scale.max(1), ..Self::real() }),
        }
    }

    /// A clock that other processes share: it ran `scale` times as fast since the machine's clock said `began`,
    /// when it said `wall` itself.
    ///
    /// # Errors
    /// As [`scaled`](Self::scaled).
    pub fn joined(
        scale: u32,
        began: SystemTime,
        wall: SystemTime,
        targets: &[SocketAddr],
    ) -> Result<Self, NotLoopback> {
        let clock = Self::scaled(scale, targets)?;
        let passed = clock.wall.duration_since(began).unwrap_or_default();
        let wall = wall.checked_add(passed.saturating_mul(clock.scale)).unwrap_or(wall);
        Ok(Self { wall, ..clock })
    }

    /// How long a time of this clock takes for the person who waits.
    #[must_use]
    pub fn real_duration(&self, time: Duration) -> Duration {
        time / self.scale
    }

    /// How many of its seconds pass in a real one.
    #[must_use]
    pub const fn scale(&self) -> u32 {
        self.scale
    }

    /// When it started, for whoever shares it: there both times were the same.
    #[must_use]
    pub fn started(&self) -> (std::time::Instant, SystemTime) {
        (self.started.into_std(), self.wall)
    }

    /// The time as the stack sees it.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        let passed = self.started.elapsed().saturating_mul(self.scale);
        self.wall.checked_add(passed).unwrap_or(self.wall)
    }
}

impl Timer for Clock {
    type Sleep = tokio::time::Sleep;

    fn now(&self) -> Timestamp {
        Self::now(self).into()
    }

    fn sleep_until(&self, at: Timestamp) -> Self::Sleep {
        // Counted from the start, so that the time need not be looked at. One real millisecond more than the division
        // gives: a wait is never cut short by rounding.
        let wait = at.since(self.wall.into()) / self.scale + Duration::from_millis(1);
        match self.started.checked_add(wait) {
            Some(deadline) => tokio::time::sleep_until(deadline),
            None => tokio::time::sleep(wait),
        }
    }
}
