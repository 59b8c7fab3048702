//! A permit: one request to one host.

use url::Url;

use crate::host::host_str;
use crate::opened::Opened;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::table::HostId;
use crate::{Ask, Host, Politeness, Reason, Refusal, Timestamp};

/// The right to make one request to one host, and the slot that it takes.
///
/// It must be finished when the answer has been read to its end. Dropped, the request counts as aborted at
/// the next time that its [`Politeness`] is told.
///
/// ```
/// use bot_etiquette_politeness::{Ask, HostPolicy, Outcome, Policy, Politeness, Timestamp};
///
/// let politeness = Politeness::new(Policy::new(HostPolicy::new()));
/// let (old, new) = (url::Url::parse("http://old.example/")?, url::Url::parse("https://new.example/")?);
/// let now = Timestamp::from_millis(0);
///
/// let permit = politeness.admit(&Ask::new(&old), now)?;
/// assert!(!permit.covers(&new));
/// // The answer was a redirect: its target is another host, and is asked for.
/// let permit = permit.redirected(&Outcome::status(301), &Ask::new(&new), now)?;
/// assert!(permit.covers(&new));
/// permit.finish(&Outcome::status(200), now);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a dropped permit counts as an aborted request"]
pub struct Permit {
    politeness: Politeness,
    id: HostId,
    host: Host,
    /// `None` once it was given back.
    opened: Option<Opened>,
}

impl Permit {
    pub(crate) const fn new(politeness: Politeness, id: HostId, host: Host, opened: Opened) -> Self {
        Self { politeness, id, host, opened: Some(opened) }
    }

    /// The host that may be asked.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// Whether `url` is a URL of that host: a request to any other needs a permit of its own.
    #[must_use]
    pub fn covers(&self, url: &Url) -> bool {
        host_str(url) == Some(self.host.as_str())
    }

    /// When the request started, by the clock of the [`Politeness`].
    #[must_use]
    pub fn started(&self) -> Timestamp {
        self.opened.as_ref().map_or(Timestamp::ZERO, Opened::started)
    }

    /// Whether the operator has blocked the host: the request should be broken off.
    #[must_use]
    pub fn is_killed(&self, now: Timestamp) -> bool {
        let refusal = self.politeness.check_host(self.id, now).err();
        refusal.is_some_and(|refusal| refusal.reasons().any(|reason| reason == Reason::Killed))
    }

    /// The head of the answer has come, and its body not yet: what it says against the host, such as a
    /// Retry-After, holds from now on. [`finish`](Self::finish) it when the body has ended, with what is left of the
    /// wait by then.
    pub fn heard(&self, head: &Outcome, now: Timestamp) {
        if let Some(opened) = &self.opened {
            self.politeness.heard(self.id, opened, head, now);
        }
    }

    /// The request has ended.
    pub fn finish(mut self, outcome: &Outcome, now: Timestamp) {
        if let Some(opened) = self.opened.take() {
            self.politeness.end(self.id, &opened, outcome, now);
        }
    }

    /// The request has ended in a redirect, and its target is asked for, wherever that is.
    pub fn redirected(self, outcome: &Outcome, to: &Ask<'_>, now: Timestamp) -> Result<Self, Refusal> {
        let politeness = self.politeness.clone();
        self.finish(outcome, now);
        politeness.admit(to, now)
    }

    /// Not a byte of the request was sent: nothing is charged for it.
    pub fn unsent(mut self, now: Timestamp) {
        if let Some(opened) = self.opened.take() {
            self.politeness.unsent(self.id, &opened, now);
        }
    }

    /// What the body shows while it is still being read, of `resource` or, without one, of the host.
    pub fn report(&mut self, resource: Option<&str>, report: Report, now: Timestamp) {
        if let Some(opened) = &mut self.opened {
            self.politeness.report_open(self.id, opened, resource, report, now);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(opened) = self.opened.take() {
            self.politeness.dropped(self.id, opened);
        }
    }
}
