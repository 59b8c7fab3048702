use crate::{Ask, Permit, Politeness, Ready, ReadyQueue, Reason, Refusal, Timestamp};

/// What [`ReadyQueue::admit_next`] found.
#[derive(Debug)]
#[must_use]
pub enum Next<T> {
    /// This may be asked now, and its slot is taken.
    Go(Permit, Ready<T>),
    /// This may not be asked until a person, or a new robots.txt, changes something; it has left the queue.
    Never(Ready<T>, Refusal),
    /// Nothing may be asked before.
    Wait(Timestamp),
    /// Nothing is queued.
    Empty,
}

impl<T> ReadyQueue<T> {
    /// Admits the first item whose host is ready, and puts back on the way what must wait: with its host where
    /// the host refuses, alone where it is the only one refused.
    ///
    /// `ask` says what an item asks for. Call [`wake`](Self::wake) when a permit was finished.
    ///
    /// ```
    /// use std::time::Duration;
    /// use bot_etiquette_politeness::{
    ///     Ask, HostPolicy, Next, Outcome, Policy, Politeness, Priority, ReadyQueue, Timestamp,
    /// };
    /// use url::Url;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let politeness = Politeness::new(Policy::new(HostPolicy::new().min_delay(Duration::from_secs(1))));
    /// let mut queue = ReadyQueue::new();
    /// let mut now = Timestamp::from_millis(1_830_297_540_000);
    /// for url in ["https://one.example/a", "https://one.example/b", "https://two.example/"] {
    ///     let url = Url::parse(url)?;
    ///     let host = politeness.host_id_of(&url, now)?;
    ///     queue.push(host, Priority::Crawl, url, now);
    /// }
    /// let mut asked = Vec::new();
    /// loop {
    ///     match queue.admit_next(&politeness, now, |url| Ask::new(url)) {
    ///         Next::Go(permit, ready) => {
    ///             asked.push(ready.item.to_string()); // the request is made here
    ///             permit.finish(&Outcome::status(200), now);
    ///             queue.wake(ready.host, now);
    ///         }
    ///         Next::Wait(until) => now = until, // a program sleeps here
    ///         Next::Never(ready, refusal) => println!("{} left out: {refusal}", ready.item),
    ///         Next::Empty => break,
    ///     }
    /// }
    /// assert_eq!(asked, ["https://one.example/a", "https://two.example/", "https://one.example/b"]);
    /// # Ok(()) }
    /// ```
    pub fn admit_next(
        &mut self,
        politeness: &Politeness,
        now: Timestamp,
        ask: impl for<'a> Fn(&'a T) -> Ask<'a>,
    ) -> Next<T> {
        while let Some(mut ready) = self.pop(now) {
            let asked = ask(&ready.item);
            let refusal = match politeness.admit_at(ready.host, &asked, now) {
                Ok(permit) => return Next::Go(permit, ready),
                Err(refusal) => refusal,
            };
            if refusal.is_never() {
                return Next::Never(ready, refusal);
            }
            // A host of which nothing was worth remembering may have left the table; it has a new place then.
            if refusal.reasons().any(|reason| reason == Reason::TableFull) {
                let place = asked.host().and_then(|host| politeness.host_id(&host, now).ok());
                if let Some(place) = place.filter(|place| *place != ready.host) {
                    ready.host = place;
                    self.put_back(ready, Some(now), now);
                    continue;
                }
            }
            // A quota may be that of one class only.
            let whole_host = politeness
                .check_host(ready.host, now)
                .err()
                .filter(|refusal| refusal.reasons().any(|reason| reason != Reason::Quota));
            match whole_host {
                Some(refusal) => self.put_back(ready, refusal.until(), now),
                None => self.set_aside(ready, refusal.until(), now),
            }
        }
        self.next_wakeup().map_or(Next::Empty, Next::Wait)
    }
}
