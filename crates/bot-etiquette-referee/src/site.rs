//! The sites a crawler is sent to: what they hold, and what goes wrong there.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::bomb;

/// A site under one host name, with a robots.txt and pages.
///
/// Paths without a page answer 404. Several pages of one path are answers in order, the last one staying:
/// a 503 that flaps is three lines.
///
/// ```
/// use bot_etiquette_referee::{Page, RetryAfter, Site};
///
/// let site = Site::new("shop.example")
///     .robots("User-agent: *\nCrawl-delay: 2\n")
///     .page(Page::new("/").body("<a href=/busy>busy</a>"))
///     .page(Page::new("/busy").status(503).retry_after(RetryAfter::Seconds(3)))
///     .page(Page::new("/busy").body("there you are"))
///     .page(Page::new("/old").redirect("/"))
///     .page(Page::new("/item/*").body("any item"));
/// assert_eq!(site.name(), "shop.example");
/// ```
#[derive(Clone)]
#[must_use]
pub struct Site {
    pub(crate) name: String,
    pub(crate) robots: Page,
    pub(crate) pages: Vec<Page>,
    pub(crate) handler: Option<Handler>,
}

pub(crate) type Handler = Arc<dyn Fn(&Asked<'_>) -> Option<Page> + Send + Sync>;

/// What a handler is told of a request.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// The method as sent.
    pub method: &'a str,
    /// Path and query as sent.
    pub target: &'a str,
    /// Field names in lower case, values as sent.
    pub headers: &'a [(String, String)],
    /// How many requests of this path the site had before.
    pub before: u64,
}

impl Site {
    /// A site whose robots.txt is missing and that has no pages.
    pub fn new(name: &str) -> Self {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        Self { name, robots: Page::new("/robots.txt").status(404), pages: Vec::new(), handler: None }
    }

    /// The host name, in lower case.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the robots.txt, answered with 200.
    pub fn robots(mut self, text: &str) -> Self {
        self.robots = Page::new("/robots.txt").body(text).header("Content-Type", "text/plain; charset=utf-8");
        self
    }

    /// Whatever else is answered for the robots.txt, such as a status, a redirect or a broken body.
    pub fn robots_answer(mut self, page: Page) -> Self {
        self.robots = page;
        self
    }

    /// One more page, or one more answer of a path that has one.
    pub fn page(mut self, page: Page) -> Self {
        self.pages.push(page);
        self
    }

    /// What answers the paths that no page has; `None` is a 404. It must not block.
    pub fn handler(mut self, handler: impl Fn(&Asked<'_>) -> Option<Page> + Send + Sync + 'static) -> Self {
        self.handler = Some(Arc::new(handler));
        self
    }

    /// The answer for a request; `before` requests of the same path came earlier.
    pub(crate) fn answer(&self, asked: &Asked<'_>) -> Option<Page> {
        let path = asked.target.split('?').next().unwrap_or_default();
        let planted = |matches: &dyn Fn(&Page) -> bool| {
            let mut of_path = self.pages.iter().filter(|page| matches(page));
            let before = usize::try_from(asked.before).unwrap_or(usize::MAX);
            let last = of_path.clone().next_back();
            of_path.nth(before).or(last).cloned()
        };
        let wild = |page: &Page| page.path.strip_suffix('*').is_some_and(|start| path.starts_with(start));
        planted(&|page| page.path == asked.target)
            .or_else(|| planted(&|page| page.path == path))
            .or_else(|| (path == "/robots.txt").then(|| self.robots.clone()))
            .or_else(|| planted(&wild))
            .or_else(|| self.handler.as_ref().and_then(|handler| handler(asked)))
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site")
            .field("name", &self.name)
            .field("robots", &self.robots)
            .field("pages", &self.pages)
            .field("handler", &self.handler.is_some())
            .finish()
    }
}

/// One answer of a site: its status, fields and body, and how badly it is sent.
///
/// Without a status it is 200; without a Content-Type the body is guessed at. A page with an `ETag` or
/// `Last-Modified` answers 304 where a request says so. In fields and text bodies `{site:NAME}` stands for the address of
/// another site of the scenario, and in fields `{date+5}`, `{rfc850+5}` and `{asctime+5}` for a date so many seconds
/// after the answer.
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_referee::Page;
///
/// let slow = Page::new("/slow").bytes_of(1_000_000).per_second_bytes(10_000);
/// let broken = Page::new("/broken").bytes_of(1_000_000).break_after(1000);
/// let silent = Page::new("/silent").no_answer();
/// let late = Page::new("/late").delay(Duration::from_secs(20)).body("at last");
/// let bomb = Page::new("/bomb").gzip_bomb(1 << 30);
/// let wrong = Page::new("/wrong").raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Page {
    pub(crate) path: String,
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    pub(crate) delay: Duration,
    pub(crate) per_second: Option<u64>,
    pub(crate) break_after: Option<u64>,
}

/// Where the bytes of an answer come from.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Bytes(Arc<[u8]>),
    /// So many generated bytes of text.
    Generated(u64),
    /// A gzip stream that decodes to so many zeros.
    Bomb(u64),
    /// The whole answer, head included, as it is.
    Raw(Arc<[u8]>),
}

/// The text that generated bodies repeat.
const FILLER: &[u8] = b"The quick brown fox jumps over the lazy dog; nothing here is worth keeping.\r\n";

impl Body {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) | Self::Raw(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::Generated(length) => *length,
            Self::Bomb(zeros) => bomb::length(*zeros),
        }
    }

    /// The bytes from `at`, up to `most`.
    pub(crate) fn piece(&self, at: u64, most: usize) -> Vec<u8> {
        let left = usize::try_from(self.len().saturating_sub(at)).unwrap_or(usize::MAX).min(most);
        match self {
            Self::Bytes(bytes) | Self::Raw(bytes) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                bytes.get(at..).and_then(|rest| rest.get(..left)).unwrap_or_default().to_vec()
            }
            Self::Generated(_) => {
                let skip = at % FILLER.len() as u64;
                FILLER
                    .iter()
                    .copied()
                    .cycle()
                    .skip(usize::try_from(skip).unwrap_or_default())
                    .take(left)
                    .collect()
            }
            Self::Bomb(zeros) => bomb::piece(*zeros, at, left),
        }
    }
}

/// How a busy answer says when to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetryAfter {
    /// Whole seconds.
    Seconds(u64),
    /// A date so many seconds on, as RFC 9110 writes it.
    Date(u64),
    /// The same in the obsolete form of RFC 850.
    Rfc850(u64),
    /// The same in the obsolete form of C's `asctime`.
    Asctime(u64),
}

impl Page {
    /// An empty 200 for a path. With a query it answers only that query; ending in `*` it answers every
    /// path that begins so and has no page of its own.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            status: None,
            headers: Vec::new(),
            body: Body::Bytes(Arc::from([])),
            delay: Duration::ZERO,
            per_second: None,
            break_after: None,
        }
    }

    /// The status code.
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// No answer: the connection closes without a byte, after the delay.
    pub fn no_answer(mut self) -> Self {
        self.status = Some(0);
        self
    }

    /// One more field.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A Retry-After field.
    pub fn retry_after(self, wait: RetryAfter) -> Self {
        let value = match wait {
            RetryAfter::Seconds(seconds) => seconds.to_string(),
            RetryAfter::Date(seconds) => format!("{{date+{seconds}}}"),
            RetryAfter::Rfc850(seconds) => format!("{{rfc850+{seconds}}}"),
            RetryAfter::Asctime(seconds) => format!("{{asctime+{seconds}}}"),
        };
        self.header("Retry-After", &value)
    }

    /// An ETag, quotes and all, with which the page answers 304.
    pub fn etag(self, value: &str) -> Self {
        self.header("ETag", value)
    }

    /// A 302 to another address; set [`status`](Self::status) after it for another kind.
    pub fn redirect(self, to: &str) -> Self {
        self.status(302).header("Location", to)
    }

    /// The body.
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = Body::Bytes(Arc::from(body.as_ref()));
        self
    }

    /// A generated body of so many bytes.
    pub fn bytes_of(mut self, bytes: u64) -> Self {
        self.body = Body::Generated(bytes);
        self
    }

    /// A gzip body that decodes to at least so many zeros, about 158 to one.
    pub fn gzip_bomb(mut self, zeros: u64) -> Self {
        self.body = Body::Bomb(zeros);
        self.header("Content-Encoding", "gzip").header("Content-Type", "text/html")
    }

    /// The whole answer as bytes, status line and all: for what no server should send.
    pub fn raw(mut self, answer: impl AsRef<[u8]>) -> Self {
        self.body = Body::Raw(Arc::from(answer.as_ref()));
        self
    }

    /// The wait before the answer begins, in scaled time.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The speed of the body, per scaled second; 0 stalls it.
    pub fn per_second_bytes(mut self, bytes: u64) -> Self {
        self.per_second = Some(bytes);
        self
    }

    /// Closes the connection after so many bytes of the body, whatever the head promised.
    pub fn break_after(mut self, bytes: u64) -> Self {
        self.break_after = Some(bytes);
        self
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(site: &Site, target: &str, before: u64) -> Option<u16> {
        let page = site.answer(&Asked { method: "GET", target, headers: &[], before })?;
        Some(page.status.unwrap_or(200))
    }

    #[test]
    fn pages_of_one_path_are_answers_in_order_and_the_last_stays() {
        let site = Site::new("A.Example.")
            .page(Page::new("/x").status(503))
            .page(Page::new("/x").status(200))
            .page(Page::new("/x?q").status(201))
            .page(Page::new("/y/*").status(202))
            .handler(|asked| (asked.target == "/z").then(|| Page::new("/z").status(203)));
        assert_eq!(site.name(), "a.example");
        for (target, before, expected) in [
            ("/x", 0, Some(503)),
            ("/x", 1, Some(200)),
            ("/x", 9, Some(200)),
            ("/x?q", 0, Some(201)),
            ("/x?other", 0, Some(503)),
            ("/y/1", 5, Some(202)),
            ("/z", 0, Some(203)),
            ("/none", 0, None),
            ("/robots.txt", 0, Some(404)),
        ] {
            assert_eq!(answer(&site, target, before), expected, "{target} {before}");
        }
    }

    #[test]
    fn a_generated_body_has_its_length_and_continues_where_it_was() {
        let body = Body::Generated(1000);
        let whole = body.piece(0, 5000);
        assert_eq!(whole.len(), 1000);
        let parts: Vec<u8> = (0..10).flat_map(|n| body.piece(n * 100, 100)).collect();
        assert_eq!(whole, parts);
    }
}
