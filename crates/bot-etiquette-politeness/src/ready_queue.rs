use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, HashMap},
    hash::Hash,
    time::Duration,
};

use crate::{HostId, Timestamp};

/// Work by host: hands out an item of whichever host is ready now, and knows when to look again.
///
/// A crawl is bound by politeness, not by hardware, and what wastes its time is waiting for one host while
/// another is ready. Here each host has a line of its own, and the hosts are ordered by the moment at which
/// each may next be asked. The one that has been ready for longest comes first, so all take turns; within a
/// host the [`Priority`] decides, then the order of arrival.
///
/// An item that may not be asked yet goes back to its place: [`put_back`](Self::put_back) makes its host wait,
/// [`set_aside`](Self::set_aside) the item alone, where only its resource is busy or its class used up. Neither
/// holds up anything else.
///
/// [`admit_next`](Self::admit_next) does all this with a [`Politeness`](crate::Politeness).
///
/// Hosts are interned [`HostId`]s, so no name is hashed or compared here; a scheduler with keys of its own, say
/// rows of a database, puts their type for `H`. Every operation costs at most the logarithm of what is queued.
/// Nothing reads a clock: `now` is an argument.
///
/// ```
/// use bot_etiquette_politeness::{Priority, ReadyQueue, Timestamp};
///
/// let at = Timestamp::from_millis;
/// let mut queue: ReadyQueue<&str, u32> = ReadyQueue::new();
/// queue.push(1, Priority::Crawl, "/a", at(0));
/// queue.push(1, Priority::Robots, "/robots.txt", at(0));
/// queue.push(2, Priority::Crawl, "/b", at(0));
///
/// let first = queue.pop(at(0)).expect("host 1 came first");
/// assert_eq!(first.item, "/robots.txt");
/// // Host 1 may not be asked before 900: nothing of it comes until then, and host 2 does not wait for it.
/// queue.put_back(first, Some(at(900)), at(0));
/// assert_eq!(queue.pop(at(0)).map(|ready| ready.item), Some("/b"));
/// assert!(queue.pop(at(0)).is_none());
/// assert_eq!(queue.next_wakeup(), Some(at(900)));
/// assert_eq!(queue.pop(at(900)).map(|ready| ready.item), Some("/robots.txt"));
/// ```
#[derive(Debug)]
pub struct ReadyQueue<T, H = HostId> {
    lines: HashMap<H, Line<T>>,
    /// When to look at which host. Entries that no longer match the `turn` of their line are skipped.
    turns: BinaryHeap<Reverse<(Timestamp, u64, H)>>,
    /// Numbers items and turns, so that equals keep the order in which they came.
    sequence: u64,
    len: usize,
}

/// Which of a host's items goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Priority {
    /// A robots.txt: all else on the host depends on it.
    Robots,
    /// A person is waiting.
    User,
    /// Something known is looked at again.
    Recheck,
    /// Everything else.
    #[default]
    Crawl,
}

/// An item whose host may be ready, out of the queue.
#[derive(Debug)]
#[must_use = "an item that is neither asked nor put back is lost"]
pub struct Ready<T, H = HostId> {
    /// The host that the item was queued for.
    pub host: H,
    /// What was queued.
    pub item: T,
    priority: Priority,
    place: u64,
}

impl<T, H> Ready<T, H> {
    /// The priority that the item was queued with.
    pub const fn priority(&self) -> Priority {
        self.priority
    }
}

/// How long a host or an item that waits for a slot waits at most before it is tried again, for slots that come
/// free without a [`ReadyQueue::wake`]: in another process, by a dropped permit.
pub const SLOT_RECHECK: Duration = Duration::from_millis(250);

impl<T, H: Copy + Ord + Hash> ReadyQueue<T, H> {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self { lines: HashMap::new(), turns: BinaryHeap::new(), sequence: 0, len: 0 }
    }

    /// Adds an item at the end of its priority in its host's line.
    pub fn push(&mut self, host: H, priority: Priority, item: T, now: Timestamp) {
        let place = self.number();
        self.restore(Ready { host, item, priority, place }, now, |line, queued| line.ready.push(queued));
    }

    /// Takes out the first item of the host that has been ready for longest; `None` when none is ready.
    ///
    /// Ready means as far as the queue was told: admission decides. The host keeps its place among the ready,
    /// behind the others, so a host that allows several open requests is handed out again.
    pub fn pop(&mut self, now: Timestamp) -> Option<Ready<T, H>> {
        while self.turns.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            let Reverse((at, turn, host)) = self.turns.pop()?;
            let Some(line) = self.lines.get_mut(&host) else { continue };
            if line.turn != Some((at, turn)) {
                continue;
            }
            line.turn = None;
            line.return_due(now);
            let ready = if line.not_before <= now { line.ready.pop() } else { None };
            self.schedule(host, now);
            if let Some(Queued { priority, place, item }) = ready {
                self.len -= 1;
                return Some(Ready { host, item, priority, place });
            }
        }
        None
    }

    /// Puts an item back to its place and lets its host wait: until the moment given, or for a slot.
    pub fn put_back(&mut self, ready: Ready<T, H>, until: Option<Timestamp>, now: Timestamp) {
        let not_before = until.unwrap_or(now + SLOT_RECHECK);
        self.restore(ready, now, |line, queued| {
            line.not_before = not_before;
            line.waits_for_slot = until.is_none();
            line.ready.push(queued);
        });
    }

    /// Puts an item back to wait on its own, until the moment given or for a slot, while its host goes on.
    pub fn set_aside(&mut self, ready: Ready<T, H>, until: Option<Timestamp>, now: Timestamp) {
        self.restore(ready, now, |line, queued| match until {
            Some(until) => line.aside.push(Aside { until, queued }),
            None => {
                if line.wanting.is_empty() || line.recheck <= now {
                    line.recheck = now + SLOT_RECHECK;
                }
                line.wanting.push(queued);
            }
        });
    }

    /// Says that a slot of the host came free: what waits for one is tried at once.
    pub fn wake(&mut self, host: H, now: Timestamp) {
        let Some(line) = self.lines.get_mut(&host) else { return };
        line.recheck = now;
        if std::mem::take(&mut line.waits_for_slot) {
            line.not_before = now;
        }
        self.schedule(host, now);
    }

    /// When to call [`pop`](Self::pop) next: no item is ready before. `None` when the queue is empty.
    pub fn next_wakeup(&mut self) -> Option<Timestamp> {
        while let Some(&Reverse((at, turn, host))) = self.turns.peek() {
            if self.lines.get(&host).is_some_and(|line| line.turn == Some((at, turn))) {
                return Some(at);
            }
            self.turns.pop();
        }
        None
    }

    /// Takes out all items of a host: it was blocked, or left the crawl. In no particular order.
    pub fn remove(&mut self, host: H) -> Vec<Ready<T, H>> {
        let Some(line) = self.lines.remove(&host) else { return Vec::new() };
        let aside = line.aside.into_iter().map(|aside| aside.queued);
        let items = line.ready.into_iter().chain(aside).chain(line.wanting);
        let removed: Vec<_> =
            items.map(|Queued { priority, place, item }| Ready { host, item, priority, place }).collect();
        self.len -= removed.len();
        removed
    }

    /// Items queued.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is queued.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn number(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    fn restore(&mut self, ready: Ready<T, H>, now: Timestamp, add: impl FnOnce(&mut Line<T>, Queued<T>)) {
        let Ready { host, item, priority, place } = ready;
        let line = self.lines.entry(host).or_insert_with(Line::new);
        add(line, Queued { priority, place, item });
        self.len += 1;
        self.schedule(host, now);
    }

    /// Gives the host its next turn, or drops the line where nothing is left in it.
    fn schedule(&mut self, host: H, now: Timestamp) {
        let turn = self.number();
        let Some(line) = self.lines.get_mut(&host) else { return };
        let Some(due) = line.due() else {
            self.lines.remove(&host);
            return;
        };
        let at = due.max(now);
        match line.turn {
            // Already among the ready: it keeps its place.
            Some((earlier, _)) if earlier <= at && at == now => return,
            Some((same, _)) if same == at => return,
            _ => {}
        }
        line.turn = Some((at, turn));
        self.turns.push(Reverse((at, turn, host)));
        self.drop_stale();
    }

    /// Each line has one turn, so when most entries match none, dropping them costs nothing in the long run.
    fn drop_stale(&mut self) {
        const SLACK: usize = 64;
        if self.turns.len() > 2 * self.lines.len() + SLACK {
            let lines = &self.lines;
            self.turns.retain(|Reverse((at, turn, host))| {
                lines.get(host).is_some_and(|line| line.turn == Some((*at, *turn)))
            });
        }
    }
}

impl<T, H: Copy + Ord + Hash> Default for ReadyQueue<T, H> {
    fn default() -> Self {
        Self::new()
    }
}

/// The items of one host.
#[derive(Debug)]
struct Line<T> {
    ready: BinaryHeap<Queued<T>>,
    /// Items that wait for a moment of their own.
    aside: BinaryHeap<Aside<T>>,
    /// Items that wait for a slot of their own, and when they are tried without a [`ReadyQueue::wake`].
    wanting: Vec<Queued<T>>,
    recheck: Timestamp,
    /// No item is handed out before.
    not_before: Timestamp,
    /// `not_before` is but a guess of when a slot comes free.
    waits_for_slot: bool,
    /// The entry of [`ReadyQueue::turns`] that counts.
    turn: Option<(Timestamp, u64)>,
}

impl<T> Line<T> {
    fn new() -> Self {
        Self {
            ready: BinaryHeap::new(),
            aside: BinaryHeap::new(),
            wanting: Vec::new(),
            recheck: Timestamp::MAX,
            not_before: Timestamp::ZERO,
            waits_for_slot: false,
            turn: None,
        }
    }

    /// When something may be handed out; `None` when nothing is queued.
    fn due(&self) -> Option<Timestamp> {
        let ready = (!self.ready.is_empty()).then_some(self.not_before);
        let aside = self.aside.peek().map(|aside| aside.until);
        let wanting = (!self.wanting.is_empty()).then_some(self.recheck);
        // What steps back into a line that waits is handed out no earlier than the line.
        let back = aside.into_iter().chain(wanting).min().map(|at| at.max(self.not_before));
        ready.into_iter().chain(back).min()
    }

    fn return_due(&mut self, now: Timestamp) {
        while self.aside.peek().is_some_and(|aside| aside.until <= now) {
            self.ready.extend(self.aside.pop().map(|aside| aside.queued));
        }
        if self.recheck <= now {
            self.ready.extend(self.wanting.drain(..));
        }
    }
}

/// The greatest goes first: by priority, then by the order of arrival.
#[derive(Debug)]
struct Queued<T> {
    priority: Priority,
    place: u64,
    item: T,
}

impl<T> Ord for Queued<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.priority, other.place).cmp(&(self.priority, self.place))
    }
}

/// The greatest is the first to return.
#[derive(Debug)]
struct Aside<T> {
    until: Timestamp,
    queued: Queued<T>,
}

impl<T> Ord for Aside<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.until.cmp(&self.until).then_with(|| self.queued.cmp(&other.queued))
    }
}

macro_rules! equal_as_ordered {
    ($($name:ident)*) => {$(
        impl<T> PartialOrd for $name<T> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl<T> Eq for $name<T> {}
    )*};
}

equal_as_ordered!(Queued Aside);
