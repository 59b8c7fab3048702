//! Every clock at once, for a person who wonders.

use std::fmt;

use crate::Timestamp;
use crate::refusal::{Clock, Refusal};

/// The clocks that bear on an ask: those that refuse, which of them is the last, and those that are past.
///
/// ```
/// use bot_etiquette_politeness::{Ask, HostPolicy, Policy, Politeness, Timestamp};
/// use std::time::Duration;
///
/// let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
/// let url = url::Url::parse("https://example.com/")?;
/// drop(politeness.admit(&Ask::new(&url), Timestamp::from_millis(0))?);
/// let explanation = politeness.explain(&Ask::new(&url), Timestamp::from_millis(500));
/// assert_eq!(explanation.to_string(), "\
/// wait until 1.5 (in 1 s)
/// * min-delay until 1.5: the pause between two requests is not over
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    refusal: Option<Refusal>,
    past: Vec<Clock>,
    now: Timestamp,
}

impl Explanation {
    pub(crate) fn new(refusal: Option<Refusal>, all: Vec<Clock>, now: Timestamp) -> Self {
        let is_past =
            |clock: &Clock| clock.until.is_some_and(|until| Timestamp::ZERO < until && until <= now);
        Self { refusal, past: all.into_iter().filter(is_past).collect(), now }
    }

    /// The refusal, or `None` where the ask may start.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// The clocks that refused and do no more.
    #[must_use]
    pub fn past(&self) -> &[Clock] {
        &self.past
    }
}

/// One line for the answer, then one for each clock; `*` marks the last that refuses.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let until = self.refusal.as_ref().and_then(Refusal::until);
        match (&self.refusal, until) {
            (None, _) => writeln!(f, "go")?,
            (Some(refusal), _) if refusal.is_never() => writeln!(f, "never")?,
            (Some(_), Some(until)) => {
                writeln!(f, "wait until {until} (in {} s)", until.since(self.now).as_secs_f64())?;
            }
            (Some(_), None) => writeln!(f, "wait for a slot")?,
        }
        for clock in self.refusal.iter().flat_map(Refusal::clocks) {
            let mark = if clock.never || (clock.until.is_some() && clock.until == until) { '*' } else { '-' };
            write!(f, "{mark} {}", clock.reason.code())?;
            match clock.until {
                Some(until) => write!(f, " until {until}")?,
                None if clock.never => f.write_str(" for good")?,
                None => {}
            }
            writeln!(f, ": {}", clock.reason)?;
        }
        for clock in &self.past {
            if let Some(until) = clock.until {
                writeln!(f, "  {} passed at {until}", clock.reason.code())?;
            }
        }
        Ok(())
    }
}
