use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use http::Response;
use tokio::sync::Notify;
use url::Url;

use super::{BoxError, BoxFuture};
use crate::directory::{CacheLookup, DirectoryCache};
use crate::{KeyLookup, KeyMaterial, Lookup, SignatureAgent};

/// Keys that are fetched when they are needed, one fetch a directory at a time.
///
/// `fetch` is the caller's client. The addresses it gets were sent by strangers: it must refuse private
/// addresses, follow no redirect, read [`MAX_DIRECTORY_BYTES`](crate::directory::MAX_DIRECTORY_BYTES) at the
/// most, and give up after a few seconds.
///
/// ```
/// use bot_etiquette_signing::directory::DirectoryCache;
/// use bot_etiquette_signing::tower::DirectoryFetch;
/// use url::Url;
///
/// let keys = DirectoryFetch::new(DirectoryCache::new(), async |directory: Url| {
///     let response: http::Response<bytes::Bytes> = todo_fetch(directory).await?;
///     Ok(response)
/// });
/// # async fn todo_fetch(_: Url) -> Result<http::Response<bytes::Bytes>, std::io::Error> {
/// #     Ok(http::Response::default())
/// # }
/// # let _ = keys;
/// ```
#[derive(Clone)]
pub struct DirectoryFetch {
    shared: Arc<Shared>,
}

struct Shared {
    cache: Mutex<DirectoryCache>,
    ended: Notify,
    fetch: Box<Fetch>,
}

type Fetch = dyn Fn(Url) -> BoxFuture<Result<Response<Bytes>, BoxError>> + Send + Sync;

impl DirectoryFetch {
    /// Keys from `cache`, filled by `fetch`.
    pub fn new<F, R>(cache: DirectoryCache, fetch: F) -> Self
    where
        F: Fn(Url) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response<Bytes>, BoxError>> + Send + 'static,
    {
        let fetch = Box::new(move |url| Box::pin(fetch(url)) as BoxFuture<_>);
        Self { shared: Arc::new(Shared { cache: Mutex::new(cache), ended: Notify::new(), fetch }) }
    }

    /// Runs `judge` with a lookup of the keys known, and again for each directory that had to be fetched.
    pub(super) async fn judge<T>(
        &self,
        clock: &(dyn Fn() -> SystemTime + Send + Sync),
        judge: impl Fn(&dyn KeyLookup, SystemTime) -> T,
    ) -> T {
        loop {
            // Listening begins before looking, or the end of a fetch in between would be missed.
            let mut ended = pin!(self.shared.ended.notified());
            ended.as_mut().enable();
            let now = clock();
            let wanted = Wanted { cache: &self.shared.cache, now, next: Mutex::new(Next::Done) };
            let judged = judge(&wanted, now);
            let next = wanted.next.into_inner().unwrap_or_else(PoisonError::into_inner);
            match next {
                Next::Done => return judged,
                Next::Wait => ended.await,
                Next::Fetch(url) => self.fetch(url, clock).await,
            }
        }
    }

    async fn fetch(&self, url: Url, clock: &(dyn Fn() -> SystemTime + Send + Sync)) {
        let flight = Flight { shared: &self.shared, url: &url, landed: false };
        let answer = (self.shared.fetch)(url.clone()).await;
        flight.land(answer, clock());
    }
}

/// A lookup that notes what would have to be fetched.
struct Wanted<'a> {
    cache: &'a Mutex<DirectoryCache>,
    now: SystemTime,
    next: Mutex<Next>,
}

enum Next {
    Done,
    Wait,
    Fetch(Url),
}

impl KeyLookup for Wanted<'_> {
    fn key(&self, agent: Option<&SignatureAgent>, keyid: Option<&str>) -> Lookup {
        let (Some(agent), Some(keyid)) = (agent, keyid) else {
            return Lookup::Unknown;
        };
        let next = match lock(self.cache).lookup(agent.directory(), keyid, self.now) {
            CacheLookup::Found(key) => return Lookup::Found(KeyMaterial::Ed25519(key)),
            CacheLookup::OutOfDate | CacheLookup::Unknown => return Lookup::Unknown,
            CacheLookup::Unavailable(_) => return Lookup::Unavailable,
            CacheLookup::InFlight => Next::Wait,
            CacheLookup::Fetch => Next::Fetch(agent.directory().clone()),
        };
        let mut slot = lock(&self.next);
        // A fetch is this caller's own duty and outweighs waiting for another's.
        if !matches!(*slot, Next::Fetch(_)) {
            *slot = next;
        }
        Lookup::Unavailable
    }
}

/// A fetch under way. Dropped in flight, because its caller went away, it makes room for the next.
struct Flight<'a> {
    shared: &'a Shared,
    url: &'a Url,
    landed: bool,
}

impl Flight<'_> {
    fn land(mut self, answer: Result<Response<Bytes>, BoxError>, now: SystemTime) {
        let mut cache = lock(&self.shared.cache);
        match answer {
            // A refused answer is kept by the cache as the reason.
            Ok(answer) => {
                let _ = cache.fetched(self.url, answer.status(), answer.headers(), answer.body(), now);
            }
            Err(_) => cache.failed(self.url, now),
        }
        drop(cache);
        self.landed = true;
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if !self.landed {
            lock(&self.shared.cache).abandoned(self.url);
        }
        self.shared.ended.notify_waiters();
    }
}

/// The cache holds no half-made state: a panic elsewhere while it was locked does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for DirectoryFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DirectoryFetch").finish_non_exhaustive()
    }
}
