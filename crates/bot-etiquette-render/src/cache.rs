//! [`AssetCache`]: a site's scripts and stylesheets, kept for a while.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};

use crate::Kind;

/// Scripts and stylesheets, kept so that a site is asked once for what all its pages load. Data is never kept.
///
/// It opens no socket and reads no clock: look up before asking, store after.
///
/// By default 600 s, counted from when an answer was stored, and 64 MiB, above which the oldest go first. Answers of
/// 2xx, 404 and 410 are kept.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use bot_etiquette_render::{AssetCache, Kind};
/// use bytes::Bytes;
/// use http::{Request, Response};
///
/// let mut cache = AssetCache::default();
/// let mut request = Request::get("https://shop.example/app.js").body(Bytes::new())?;
/// request.extensions_mut().insert(Kind::Script); // as a render puts it
/// let now = SystemTime::UNIX_EPOCH;
/// cache.insert(&request, &Response::new(Bytes::from_static(b"let a")), now);
/// assert_eq!(cache.get(&request, now + Duration::from_secs(599)).map(|answer| answer.into_body().len()), Some(5));
/// assert!(cache.get(&request, now + Duration::from_secs(600)).is_none());
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Debug)]
pub struct AssetCache {
    max_age: Duration,
    max_bytes: usize,
    bytes: usize,
    kept: HashMap<Key, Kept>,
    /// Oldest first. A key that was stored again stands in here twice; the number tells which counts.
    order: VecDeque<(Key, u64)>,
    next: u64,
}

/// A site may answer one origin otherwise than another.
type Key = (String, Option<Vec<u8>>);

#[derive(Debug)]
struct Kept {
    response: Response<Bytes>,
    stored: SystemTime,
    number: u64,
    bytes: usize,
}

/// What an entry costs beside its body, about.
const OVERHEAD: usize = 1_024;

impl Default for AssetCache {
    fn default() -> Self {
        Self::new(Duration::from_secs(600), 64 << 20)
    }
}

impl AssetCache {
    /// A cache that keeps answers for so long, and so many bytes of them.
    #[must_use]
    pub fn new(max_age: Duration, max_bytes: usize) -> Self {
        Self { max_age, max_bytes, bytes: 0, kept: HashMap::new(), order: VecDeque::new(), next: 0 }
    }

    /// The answer to a request, if it is kept and young enough. A clock that ran back makes it old.
    #[must_use]
    pub fn get<B>(&self, request: &Request<B>, now: SystemTime) -> Option<Response<Bytes>> {
        let kept = self.kept.get(&key(request)?)?;
        let age = now.duration_since(kept.stored).ok()?;
        (age < self.max_age).then(|| kept.response.clone())
    }

    /// Keeps an answer, if its kind and status are such that are kept.
    pub fn insert<B>(&mut self, request: &Request<B>, response: &Response<Bytes>, now: SystemTime) {
        let Some(key) = key(request) else { return };
        let status = response.status();
        if !status.is_success() && !matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE) {
            return;
        }
        self.remove(&key);
        let bytes = response.body().len().saturating_add(key.0.len()).saturating_add(OVERHEAD);
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        self.order.push_back((key.clone(), number));
        self.kept.insert(key, Kept { response: response.clone(), stored: now, number, bytes });
        while self.bytes > self.max_bytes || self.order.len() > self.kept.len().saturating_mul(2) {
            let Some((key, number)) = self.order.pop_front() else { break };
            if self.kept.get(&key).is_some_and(|kept| kept.number == number) {
                self.remove(&key);
            }
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(kept) = self.kept.remove(key) {
            self.bytes = self.bytes.saturating_sub(kept.bytes);
        }
    }
}

/// The key of a request whose answer may be kept.
fn key<B>(request: &Request<B>) -> Option<Key> {
    let kind = request.extensions().get::<Kind>();
    let kept = matches!(kind, Some(Kind::Script | Kind::Stylesheet)) && *request.method() == Method::GET;
    let origin = request.headers().get(header::ORIGIN).map(|origin| origin.as_bytes().to_vec());
    kept.then(|| (request.uri().to_string(), origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn request(kind: Kind, method: &str, url: &str) -> Request<()> {
        let mut request = Request::builder().method(method).uri(url).body(()).unwrap();
        request.extensions_mut().insert(kind);
        request
    }

    fn answer(status: u16, bytes: usize) -> Response<Bytes> {
        Response::builder().status(status).body(vec![b'x'; bytes].into()).unwrap()
    }

    #[track_caller]
    fn check(kind: Kind, method: &str, status: u16, kept: bool) {
        let mut cache = AssetCache::default();
        let request = request(kind, method, "https://shop.example/a");
        cache.insert(&request, &answer(status, 1), NOW);
        assert_eq!(cache.get(&request, NOW).is_some(), kept, "{method} {kind} {status}");
    }

    #[test]
    fn scripts_and_stylesheets_are_kept_and_nothing_else() {
        check(Kind::Script, "GET", 200, true);
        check(Kind::Stylesheet, "GET", 200, true);
        check(Kind::Script, "GET", 404, true);
        check(Kind::Script, "GET", 503, false);
        check(Kind::Script, "GET", 302, false);
        check(Kind::Script, "HEAD", 200, false);
        check(Kind::Data, "GET", 200, false);
    }

    #[test]
    fn an_answer_to_one_origin_is_not_given_to_another() {
        let mut cache = AssetCache::default();
        let mut one = request(Kind::Script, "GET", "https://cdn.example/a.js");
        cache.insert(&one, &answer(200, 1), NOW);
        one.headers_mut().insert("origin", http::HeaderValue::from_static("https://shop.example"));
        assert!(cache.get(&one, NOW).is_none());
    }

    #[test]
    fn the_oldest_go_when_the_bytes_are_used_up() {
        let entry = OVERHEAD + "https://shop.example/0".len() + 10;
        for (capacity, first_stays) in [(3 * entry - 1, false), (3 * entry, true), (3 * entry + 1, true)] {
            let mut cache = AssetCache::new(Duration::from_secs(600), capacity);
            let urls = [0, 1, 2].map(|n| request(Kind::Script, "GET", &format!("https://shop.example/{n}")));
            for url in &urls {
                cache.insert(url, &answer(200, 10), NOW);
            }
            assert_eq!(cache.get(&urls[0], NOW).is_some(), first_stays, "{capacity}");
            assert!(cache.get(&urls[2], NOW).is_some());
        }
    }

    #[test]
    fn one_file_stored_again_and_again_costs_the_room_of_one() {
        let mut cache = AssetCache::default();
        let request = request(Kind::Script, "GET", "https://shop.example/a.js");
        for _ in 0..1_000 {
            cache.insert(&request, &answer(200, 100), NOW);
        }
        assert_eq!(cache.kept.len(), 1);
        assert!(cache.order.len() <= 2);
        assert_eq!(cache.bytes, 100 + OVERHEAD + "https://shop.example/a.js".len());
    }

    #[test]
    fn a_clock_that_ran_back_makes_an_answer_old() {
        let mut cache = AssetCache::default();
        let request = request(Kind::Script, "GET", "https://shop.example/a.js");
        cache.insert(&request, &answer(200, 1), NOW + Duration::from_secs(1));
        assert!(cache.get(&request, NOW).is_none());
    }
}
