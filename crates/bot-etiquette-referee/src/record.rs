//! One request, as the referee saw it.

/// An address: a site's name, and path and query.
pub(crate) type Place = (String, String);

/// What a served page offers, as addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Offers {
    pub(crate) follow: Vec<Place>,
    pub(crate) nofollow: Vec<Place>,
    /// Where each form goes, and the names of its fields.
    pub(crate) forms: Vec<(Place, Vec<String>)>,
}

/// Bytes of a request's body kept for the judges; what is longer is only counted.
pub(crate) const KEPT_BODY: usize = 64 * 1024;

/// One request and its answer. Times are scaled seconds since the referee's start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// The site's name where it is one of ours, else the Host that was asked for.
    pub(crate) site: String,
    pub(crate) known_site: bool,
    /// The first byte of the request was here: never before it was sent.
    pub(crate) start: f64,
    /// Wall time of the start, in Unix seconds: scaled, and as it is.
    pub(crate) unix: f64,
    pub(crate) real_unix: f64,
    /// The answer's head was about to be written.
    pub(crate) headed: Option<f64>,
    /// The last bytes of the answer were about to be written, or the client had left: never after its true end.
    pub(crate) end: Option<f64>,
    /// The client hung up before the end.
    pub(crate) left: bool,
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// As the Host field (or the absolute target) said it.
    pub(crate) authority: String,
    pub(crate) userinfo: bool,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) body_bytes: u64,
    /// 0 = no answer.
    pub(crate) status: u16,
    pub(crate) answer_headers: Vec<(String, String)>,
    /// Body bytes handed to the system.
    pub(crate) sent: u64,
    /// The whole answer was delivered, as it was meant to be.
    pub(crate) whole: bool,
    pub(crate) offers: Offers,
    /// Where a redirect points.
    pub(crate) location: Option<Place>,
    /// Nothing more will be noted.
    pub(crate) closed: bool,
    /// `Crawl-delay` for the promised token, where this is a robots.txt.
    pub(crate) crawl_delay: Option<f64>,
}

impl Record {
    /// The values of a request field.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn value<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.values(name).next()
    }

    /// The values of a field of the answer.
    pub(crate) fn answers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.answer_headers
            .iter()
            .filter(move |(each, _)| each.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn answer<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.answers(name).next()
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split(['?', '#']).next().unwrap_or_default()
    }

    pub(crate) fn is_robots(&self) -> bool {
        self.path() == "/robots.txt"
    }

    /// The client got nothing: no head was written before it or we closed.
    pub(crate) const fn unanswered(&self) -> bool {
        self.end.is_some() && self.headed.is_none()
    }

    pub(crate) const fn busy(&self) -> bool {
        self.headed.is_some() && matches!(self.status, 429 | 503)
    }
}

/// A connection on which no request came.
#[derive(Debug, Clone)]
pub(crate) struct Silent {
    pub(crate) site: String,
    pub(crate) at: f64,
    /// What came instead, in words.
    pub(crate) what: &'static str,
    /// Another request to the same address was open at the time.
    pub(crate) beside_another: bool,
}
