use bot_etiquette_signing::directory::{
    CacheLookup, DirectoryCache, DirectoryError, FETCH_LIMIT, MEDIA_TYPE, NEGATIVE, directory_url,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use url::Url;

use super::{at, key, keyid, set};

const HOUR: u64 = 3600;

struct Bench {
    cache: DirectoryCache,
    url: Url,
}

impl Bench {
    fn new() -> Self {
        Self { cache: DirectoryCache::new(), url: directory_url("https://bot.example").unwrap() }
    }

    #[track_caller]
    fn answers(&mut self, byte: u8, now: u64, expected: &str) {
        let found = match self.cache.lookup(&self.url, &keyid(byte), at(now)) {
            CacheLookup::Found(found) => {
                assert_eq!(&found, key(byte).verifying_key());
                "found".to_owned()
            }
            CacheLookup::OutOfDate => "out of date".to_owned(),
            CacheLookup::Unknown => "unknown".to_owned(),
            CacheLookup::Unavailable(error) => error.to_string(),
            CacheLookup::Fetch => "fetch".to_owned(),
            CacheLookup::InFlight => "in flight".to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected);
    }

    fn brings(&mut self, cache_control: &str, body: &str, now: u64) {
        let headers = HeaderMap::from_iter([
            (header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE)),
            (header::CACHE_CONTROL, HeaderValue::from_str(cache_control).unwrap()),
        ]);
        self.cache.fetched(&self.url, StatusCode::OK, &headers, body.as_bytes(), at(now)).unwrap();
    }

    fn fails(&mut self, status: u16, now: u64) {
        let status = StatusCode::from_u16(status).unwrap();
        self.cache.fetched(&self.url, status, &HeaderMap::new(), b"", at(now)).unwrap_err();
    }
}

#[test]
fn one_caller_fetches_and_the_others_wait() {
    let mut bench = Bench::new();
    bench.answers(1, 0, "fetch");
    bench.answers(1, 1, "in flight");
    bench.brings("max-age=3600", &set(&[(1, "")]), 2);
    bench.answers(1, 3, "found");
    bench.answers(1, HOUR + 1, "found");
    bench.answers(1, HOUR + 2, "fetch");
    // A fetch that never ends is given up.
    let limit = FETCH_LIMIT.as_secs();
    bench.answers(1, HOUR + 1 + limit, "in flight");
    bench.answers(1, HOUR + 2 + limit, "fetch");
}

#[test]
fn a_failed_fetch_keeps_the_keys_and_a_good_one_takes_them() {
    let mut bench = Bench::new();
    bench.brings("max-age=60", &set(&[(1, "")]), 0);
    bench.answers(1, 60, "fetch");
    bench.fails(503, 61);
    bench.answers(1, 62, "found");
    bench.answers(1, 61 + NEGATIVE.as_secs(), "fetch");
    bench.cache.failed(&bench.url, at(400));
    bench.answers(1, 401, "found");
    // A month of failures changes nothing.
    for day in 1..30 {
        bench.answers(1, day * 86_400, "fetch");
        bench.fails(404, day * 86_400 + 1);
        bench.answers(1, day * 86_400 + 2, "found");
    }
    bench.brings("max-age=60", &set(&[(2, "")]), 30 * 86_400);
    bench.answers(1, 30 * 86_400 + 1, "unknown");
    bench.answers(2, 30 * 86_400 + 1, "found");
}

#[test]
fn a_missing_key_and_a_failure_are_not_asked_for_again_at_once() {
    let mut bench = Bench::new();
    bench.answers(1, 0, "fetch");
    bench.fails(302, 1);
    bench.answers(1, 2, "status 302: a key directory is never read through a redirect");
    bench.answers(1, NEGATIVE.as_secs(), "status 302: a key directory is never read through a redirect");
    bench.answers(1, 1 + NEGATIVE.as_secs(), "fetch");
    bench.cache.failed(&bench.url, at(400));
    bench.answers(1, 401, &DirectoryError::NoAnswer.to_string());
    bench.brings("max-age=86400", &set(&[(2, "")]), 1000);
    bench.answers(1, 1001, "unknown");
    bench.answers(1, 1000 + NEGATIVE.as_secs(), "fetch");
    bench.answers(2, 1000 + NEGATIVE.as_secs(), "found");
}

#[test]
fn a_key_outside_its_dates_is_not_found() {
    let mut bench = Bench::new();
    bench.brings("max-age=86400", &set(&[(1, ",\"nbf\":100,\"exp\":200")]), 0);
    for (now, expected) in [(99, "out of date"), (100, "found"), (199, "found"), (200, "out of date")] {
        bench.answers(1, now, expected);
    }
}

#[test]
fn no_directory_speaks_for_another() {
    let mut bench = Bench::new();
    bench.brings("max-age=3600", &set(&[(1, "")]), 0);
    let other = directory_url("https://other.example").unwrap();
    assert_eq!(bench.cache.lookup(&other, &keyid(1), at(1)), CacheLookup::Fetch);
}

#[track_caller]
fn counts(cache_control: &str, seconds: u64) {
    let mut bench = Bench::new();
    bench.brings(cache_control, &set(&[(1, "")]), 0);
    bench.answers(1, seconds - 1, "found");
    bench.answers(1, seconds, "fetch");
}

#[test]
fn how_long_a_directory_counts_is_its_own_word_within_bounds() {
    counts("public", HOUR);
    counts("public, max-age=600", 600);
    counts("Max-Age=\"600\"", 600);
    counts("max-age=1", 60);
    counts("max-age=0", 60);
    counts("no-store", 60);
    counts("no-cache, max-age=600", 60);
    counts("max-age=soon", 60);
    counts("max-age=31536000", 86_400);
    counts("max-age=99999999999999999999", 60);
}

#[test]
fn made_up_names_do_not_push_a_real_bot_out() {
    let mut bench = Bench { cache: DirectoryCache::with_capacity(3), ..Bench::new() };
    bench.brings("max-age=86400", &set(&[(1, "")]), 0);
    for number in 0..100 {
        let url = directory_url(&format!("https://{number}.example")).unwrap();
        assert_eq!(bench.cache.lookup(&url, "keyid", at(number)), CacheLookup::Fetch);
    }
    bench.answers(1, 100, "found");
}

#[test]
fn a_clock_that_runs_back_keeps_nothing_unasked() {
    let mut bench = Bench::new();
    bench.answers(1, 5000, "fetch");
    bench.fails(500, 5001);
    bench.answers(1, 100, "fetch");
}
