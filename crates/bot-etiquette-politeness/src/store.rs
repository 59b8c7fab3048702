use std::time::Duration;

use crate::{Ask, Outcome, Permit, Politeness, Refusal, Timestamp};

/// Where decisions are made and kept: one layer stands on a table in memory, or on a store that several
/// processes share.
///
/// A decision is a pure function of the rules, the host's state, what happens, and the time
/// ([`HostState`](crate::HostState)). A store runs it in one transaction, so that of two processes that ask at
/// the same moment one sees what the other took. [`Politeness`] is the store in memory.
///
/// A store that cannot be reached refuses with
/// [`Reason::StoreUnavailable`](crate::Reason::StoreUnavailable): it fails closed.
///
/// ```
/// use bot_etiquette_politeness::{Ask, HostPolicy, Outcome, Policy, Politeness, Store, Timestamp};
/// use std::time::Duration;
///
/// fn once<S: Store>(store: &S, url: &url::Url, now: Timestamp) -> bool {
///     match store.admit(&Ask::new(url), Duration::from_secs(35), now) {
///         Ok(permit) => {
///             store.finish(permit, &Outcome::status(200), now);
///             true
///         }
///         Err(_) => false,
///     }
/// }
///
/// let store = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
/// let url = url::Url::parse("https://example.com/")?;
/// assert!(once(&store, &url, Timestamp::from_millis(0)));
/// assert!(!once(&store, &url, Timestamp::from_millis(999)));
/// # Ok::<(), url::ParseError>(())
/// ```
pub trait Store: Clone + Send + Sync + 'static {
    /// An admitted request. Dropping it ends the request, as one that the crawler gave up.
    type Permit: Send + 'static;

    /// Admits a request that starts now, or says why not.
    ///
    /// A store shared by processes takes a request that was not ended within `lease` for ended: the process
    /// that made it is gone.
    fn admit(&self, ask: &Ask<'_>, lease: Duration, now: Timestamp) -> Result<Self::Permit, Refusal>;

    /// The head of an answer has come, and its body not yet: what it says against the host, such as a
    /// Retry-After, holds from now on. The request stays open.
    fn heard(&self, permit: &Self::Permit, head: &Outcome, now: Timestamp);

    /// Ends a request and learns from how it ended.
    fn finish(&self, permit: Self::Permit, outcome: &Outcome, now: Timestamp);

    /// Takes back a request of which not a byte was sent.
    fn unsent(&self, permit: Self::Permit, now: Timestamp);

    /// Whether the operator has blocked the host of an open request.
    fn is_killed(&self, permit: &Self::Permit, now: Timestamp) -> bool;
}

impl Store for Politeness {
    type Permit = Permit;

    /// The lease is the caller's to keep: a table in memory is gone with the process that holds its permits.
    fn admit(&self, ask: &Ask<'_>, _lease: Duration, now: Timestamp) -> Result<Permit, Refusal> {
        Self::admit(self, ask, now)
    }

    fn heard(&self, permit: &Permit, head: &Outcome, now: Timestamp) {
        permit.heard(head, now);
    }

    fn finish(&self, permit: Permit, outcome: &Outcome, now: Timestamp) {
        permit.finish(outcome, now);
    }

    fn unsent(&self, permit: Permit, now: Timestamp) {
        permit.unsent(now);
    }

    fn is_killed(&self, permit: &Permit, now: Timestamp) -> bool {
        permit.is_killed(now)
    }
}
