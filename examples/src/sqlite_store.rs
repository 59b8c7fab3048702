//! Politeness in a SQLite file, which several processes may share.
//!
//! Every decision is one transaction: it reads what is known of the host, lets
//! [`HostState`] decide, and writes back. Two processes that ask at the same moment come one
//! after the other, and the second sees what the first took. An open request is a row with a deadline, so that
//! the slots of a process that was killed come free. `kill -9` at any point loses no hold.

mod tables;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bot_etiquette::politeness::{
    Ask, Groups, Host, HostState, Opened, Origin, Outcome, Policy, Reason, Refusal, Report, Rules, Store,
    Timestamp,
};
use rusqlite::{Connection, TransactionBehavior};

use self::tables::Tables;
use crate::files;

/// How long a decision waits for the transactions of other processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// How long to leave a store alone that could not be reached.
const RETRY: Duration = Duration::from_secs(1);

/// A clock that is so much behind the last decision was stepped back; less is waited for.
const STEP: Duration = Duration::from_secs(60);

/// How old the moment of the last decision may be in the file, in milliseconds: not every decision has to write it.
const SEEN_EVERY: i64 = 1_000;

const SCHEMA_VERSION: i64 = 1;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS politeness_host (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS politeness_group (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS politeness_lease (
        id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, opened TEXT NOT NULL, deadline INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS politeness_clock (
        id INTEGER PRIMARY KEY CHECK (id = 1), seen INTEGER NOT NULL, steps INTEGER NOT NULL
    );
    INSERT OR IGNORE INTO politeness_clock (id, seen, steps) VALUES (1, 0, 0);
    CREATE INDEX IF NOT EXISTS politeness_lease_deadline ON politeness_lease (deadline);
";

/// A handle to the file; clones share one connection.
#[derive(Clone)]
pub struct SqliteStore(Arc<Mutex<Inner>>);

struct Inner {
    connection: Connection,
    policy: Policy,
    /// Ends that are not written yet: a permit was dropped, or the file could not be reached.
    ended: Vec<Ended>,
    random: Box<dyn FnMut() -> f64 + Send>,
    /// How often the clock of the file was stepped back, as far as this process has taken part in it.
    steps: i64,
    clock: Box<dyn Fn() -> Timestamp + Send>,
}

struct Ended {
    lease: i64,
    host: Host,
    opened: Opened,
    /// `None`: not a byte was sent.
    outcome: Option<Outcome>,
    /// `None`: when it is written.
    at: Option<Timestamp>,
}

/// Why a file is no store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// SQLite says so.
    #[error("the politeness store: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// What a row holds is no state of this version.
    #[error("the politeness store: a row of {table} is unreadable: {source}")]
    Row {
        /// Which table.
        table: &'static str,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The machine's clock was set back while this program ran, and one that was started since has moved every hold with it.
    #[error(
        "the politeness store: the clock was set back and another program goes by it; start this one anew"
    )]
    Stepped,
    /// The file was written by another version of the program.
    #[error("the politeness store has schema version {found}, expected {SCHEMA_VERSION}; use another file")]
    Version {
        /// The version of the file.
        found: i64,
    },
}

impl SqliteStore {
    /// Opens the file, or makes it; it is its owner's alone.
    pub fn open(path: &Path, policy: Policy) -> Result<Self, StoreError> {
        files::make_private(path);
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // A decision that was acted on must not be forgotten, not even when the power fails.
        connection.pragma_update(None, "synchronous", "full")?;
        let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if found != 0 && found != SCHEMA_VERSION {
            return Err(StoreError::Version { found });
        }
        connection.execute_batch(SCHEMA)?;
        connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        let steps = connection.query_row("SELECT steps FROM politeness_clock", [], |row| row.get(0))?;
        let inner = Inner {
            connection,
            policy,
            ended: Vec::new(),
            random: Box::new(|| 0.0),
            steps,
            clock: Box::new(|| Timestamp::ZERO),
        };
        Ok(Self(Arc::new(Mutex::new(inner))))
    }

    /// Where jitter comes from: numbers from 0 to 1. Without it there is none.
    #[must_use]
    pub fn with_random(self, random: impl FnMut() -> f64 + Send + 'static) -> Self {
        self.lock().random = Box::new(random);
        self
    }

    /// Writes survive a killed process, and no longer a power failure: for a world that ends with the process that serves it.
    pub fn unsynced(&self) -> Result<(), StoreError> {
        Ok(self.lock().connection.pragma_update(None, "synchronous", "normal")?)
    }

    /// The time, for the moment at which a decision is made: it may have waited for other processes since it was asked for.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> Timestamp + Send + 'static) -> Self {
        self.lock().clock = Box::new(clock);
        self
    }

    /// Goes on by other rules, from the next decision of this process on. No hold becomes shorter.
    pub fn set_policy(&self, policy: Policy) {
        self.lock().policy = policy;
    }

    /// Whether a request could start now; where not, what it would wait for. Nothing is taken.
    ///
    /// # Errors
    /// The [`Refusal`] that [`admit`](Store::admit) would give.
    pub fn check(&self, ask: &Ask<'_>, now: Timestamp) -> Result<(), Refusal> {
        let Some(host) = ask.host() else { return Err(Refusal::never(Reason::NotConfigured)) };
        let checked = self.lock().transact(now, |tables, now| {
            let host = tables.policy.clock_of(&host).clone();
            let rules = tables.policy.rules(&host);
            Ok(tables.host(&host)?.check(&rules, &tables.groups(&rules)?, ask, now))
        });
        checked.unwrap_or_else(|_| Err(Refusal::new(Reason::StoreUnavailable, Some(now + RETRY))))
    }

    /// This process begins at `now`. Where the file was last used more than a minute later, the machine's clock was set back
    /// meanwhile: what was left of each hold then is still left, and no more. The statements `more` move the moments of other
    /// tables in the same transaction; `?1` is by how many milliseconds.
    ///
    /// Processes that still go by the old clock are refused from then on. Returns how far the clock was set back.
    ///
    /// # Errors
    /// When the file cannot be used; nothing has moved then.
    pub fn begin(&self, now: Timestamp, more: &[&str]) -> Result<Option<Duration>, StoreError> {
        let mut inner = self.lock();
        let inner = &mut *inner;
        let transaction = inner.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let query = "SELECT seen, steps FROM politeness_clock";
        let (seen, steps): (i64, i64) =
            transaction.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let seen = Timestamp::from_millis(u64::try_from(seen).unwrap_or(0));
        let back = seen.since(now);
        let stepped = back > STEP;
        if stepped {
            let tables = Tables { transaction: &transaction, policy: &inner.policy };
            tables.step_back(seen, now)?;
            for statement in more {
                transaction.execute(statement, [i64::try_from(back.as_millis()).unwrap_or(i64::MAX)])?;
            }
            let put = "UPDATE politeness_clock SET seen = ?1, steps = steps + 1";
            transaction.execute(put, [millis(now)])?;
        }
        transaction.commit()?;
        inner.steps = steps + i64::from(stepped);
        Ok(stepped.then_some(back))
    }

    /// The operator blocks a host, from the next decision of any process on.
    pub fn kill(&self, host: &Host, now: Timestamp) -> Result<(), StoreError> {
        self.lock().transact(now, |tables, _| tables.change(host, |state, _, _| state.kill()))
    }

    /// Lifts a block, a challenge, and a Retry-After too long to wait for.
    pub fn revive(&self, host: &Host, now: Timestamp) -> Result<(), StoreError> {
        self.lock().transact(now, |tables, _| tables.change(host, HostState::revive))
    }

    /// What the robots.txt of an origin asks for.
    pub fn set_crawl_delay(
        &self,
        origin: &Origin,
        delay: Option<Duration>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let set =
            |state: &mut HostState, _: &Rules, _: &mut Groups| state.set_crawl_delay(origin, delay, now);
        self.lock().transact(now, |tables, _| tables.change(origin.host(), set))
    }

    /// What only the body of an answer showed.
    pub fn report(
        &self,
        host: &Host,
        resource: Option<&str>,
        report: Report,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut inner = self.lock();
        let random = (inner.random)();
        let learn = |state: &mut HostState, rules: &Rules, _: &mut Groups| {
            state.report(rules, resource, report, random, now);
        };
        inner.transact(now, |tables, _| tables.change(host, learn))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, ended: Ended, now: Timestamp) {
        let mut inner = self.lock();
        inner.ended.push(ended);
        // Where the file cannot be reached the end waits in line, and the slot is held until it is written.
        drop(inner.transact(now, |_, _| Ok(())));
    }
}

impl Store for SqliteStore {
    type Permit = SqlitePermit;

    fn admit(&self, ask: &Ask<'_>, lease: Duration, now: Timestamp) -> Result<SqlitePermit, Refusal> {
        let Some(host) = ask.host() else { return Err(Refusal::never(Reason::NotConfigured)) };
        let started = self.lock().transact(now, |tables, now| {
            let host = tables.policy.clock_of(&host).clone();
            let rules = tables.policy.rules(&host);
            let (mut state, mut groups) = (tables.host(&host)?, tables.groups(&rules)?);
            match state.start(&rules, &mut groups, ask, now) {
                Ok(opened) => {
                    tables.write(&host, &state, &groups)?;
                    let lease = tables.open_lease(&host, &opened, now + lease)?;
                    Ok(Ok((host, opened, lease)))
                }
                Err(refusal) => Ok(Err(refusal)),
            }
        });
        match started {
            Ok(Ok((host, opened, lease))) => {
                Ok(SqlitePermit { store: self.clone(), open: Some((lease, host, opened)) })
            }
            Ok(Err(refusal)) => Err(refusal),
            Err(_) => Err(Refusal::new(Reason::StoreUnavailable, Some(now + RETRY))),
        }
    }

    fn heard(&self, permit: &SqlitePermit, head: &Outcome, now: Timestamp) {
        let Some((_, host, opened)) = &permit.open else { return };
        let mut inner = self.lock();
        let random = (inner.random)();
        let learn = |state: &mut HostState, rules: &Rules, groups: &mut Groups| {
            state.heard(rules, groups, opened, head, random, now);
        };
        // Where the file cannot be reached, the end of the request tells it once more.
        drop(inner.transact(now, |tables, _| tables.change(host, learn)));
    }

    fn finish(&self, permit: SqlitePermit, outcome: &Outcome, now: Timestamp) {
        permit.end(Some(*outcome), now);
    }

    fn unsent(&self, permit: SqlitePermit, now: Timestamp) {
        permit.end(None, now);
    }

    fn is_killed(&self, permit: &SqlitePermit, now: Timestamp) -> bool {
        let Some((_, host, _)) = &permit.open else { return false };
        let killed = self.lock().transact(now, |tables, now| {
            let rules = tables.policy.rules(host);
            let refusal = tables.host(host)?.check_host(&rules, &tables.groups(&rules)?, now).err();
            Ok(refusal.is_some_and(|refusal| refusal.reasons().any(|reason| reason == Reason::Killed)))
        });
        killed.unwrap_or(false)
    }
}

/// An open request: a row of the file.
pub struct SqlitePermit {
    store: SqliteStore,
    open: Option<(i64, Host, Opened)>,
}

impl SqlitePermit {
    fn end(mut self, outcome: Option<Outcome>, now: Timestamp) {
        if let Some((lease, host, opened)) = self.open.take() {
            self.store.end(Ended { lease, host, opened, outcome, at: Some(now) }, now);
        }
    }
}

/// The request was given up; it ends with the next decision.
impl Drop for SqlitePermit {
    fn drop(&mut self) {
        if let Some((lease, host, opened)) = self.open.take() {
            let ended = Ended { lease, host, opened, outcome: Some(Outcome::aborted()), at: None };
            self.store.lock().ended.push(ended);
        }
    }
}

impl Inner {
    /// One transaction: first what has ended, of this process and of those that are gone, then `work`.
    fn transact<R>(
        &mut self,
        now: Timestamp,
        work: impl FnOnce(&Tables<'_>, Timestamp) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let now = now.max((self.clock)());
        let tables = Tables { transaction: &transaction, policy: &self.policy };
        if tables.seen(now)? != self.steps {
            return Err(StoreError::Stepped);
        }
        for ended in &self.ended {
            tables.end(ended, (self.random)(), now)?;
        }
        tables.end_leases(now)?;
        let done = work(&tables, now)?;
        transaction.commit()?;
        self.ended.clear();
        Ok(done)
    }
}

fn millis(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
