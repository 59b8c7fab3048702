//! One address after the other, hop by hop: each request passes the same gate before it leaves.

use std::time::Duration;

use bot_etiquette::fetch::{BodyReport, FetchBody, FetchError, RedirectPolicy, Redirects, Validators};
use bot_etiquette::politeness::tower::{PoliteBody, RequestClass};
use bot_etiquette::politeness::{Ask, Reason, Refusal, SLOT_RECHECK, Timestamp};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::Full;
use tower::ServiceExt;
use url::Url;

use super::config::{self, Source};
use super::kept::Kept;
use super::record::seconds;
use super::review;
use super::settings::Settings;
use crate::clock::Clock;
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::sqlite_store::SqliteStore;
use crate::stack::{BoxError, Client, Step, find};

/// The longest that a run waits for a host's turn; one that is held for longer is skipped.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Sends requests; clones share everything.
#[derive(Clone)]
pub struct Reader {
    pub(super) client: Client<SqliteStore>,
    pub(super) settings: Settings,
    pub(super) kept: Kept,
    /// The time.
    pub clock: Clock,
    pub(super) ledger: Ledger,
    pub(super) interrupt: Interrupt,
}

/// What a request is for.
#[derive(Clone, Copy, Debug)]
pub enum For<'s> {
    /// A run of this source: it has to be on, and the request counts.
    Source(&'s str),
    /// The daily look at a robots.txt.
    Look,
}

/// An answer that is no redirect, its body still to be read.
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The fields.
    pub headers: HeaderMap,
    /// Where it came from.
    pub url: Url,
    /// How many redirects led there.
    pub hops: usize,
    /// How much of it has come.
    pub report: BodyReport,
    /// What comes.
    pub body: PoliteBody<FetchBody, SqliteStore, Clock>,
}

/// Why a run ended before its feed was read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// A person turned the source off.
    #[error("the source is off")]
    Off,
    /// The configuration cannot be read, so nobody knows what a person wants.
    #[error("nothing is asked until the configuration is mended: {0}")]
    Unreadable(String),
    /// A redirect leads to a host that no line of the source names; nothing was sent there.
    #[error("a redirect leads to {to}, which is not listed: not followed")]
    NotListed {
        /// The host.
        to: String,
    },
    /// The reviewed rules, or the live ones, close the address.
    #[error("the robots.txt of {host} closes the address: not asked")]
    Closed {
        /// The host.
        host: String,
    },
    /// No person has read the robots.txt of the host yet.
    #[error(
        "nobody has reviewed the robots.txt of {host}: run `review {host}`, read it, and keep what it prints"
    )]
    NotReviewed {
        /// The host.
        host: String,
    },
    /// The run has made all its requests.
    #[error("would need more than five requests: a person has to look at its addresses")]
    Budget,
    /// The host has to be left alone for now.
    #[error("has to wait: {}", reason.sentence())]
    Held {
        /// Until when, where that is known.
        until: Option<Timestamp>,
        /// Why.
        reason: Reason,
    },
    /// A redirect that cannot or may not be followed.
    #[error("a redirect was not followed: {0}")]
    Redirect(&'static str),
    /// A page or a picture in the place of a feed: dropped at its head.
    #[error("{0} came in the place of a feed: dropped unread")]
    NoFeed(&'static str),
    /// The host gave no answer, or none that ended.
    #[error("{0}")]
    NoAnswer(String),
    /// The state cannot be written.
    #[error("the state: {0}")]
    State(#[from] rusqlite::Error),
    /// The person stopped the program.
    #[error("stopped")]
    Interrupted,
}

impl Reader {
    /// What is kept of what it read.
    #[must_use]
    pub const fn kept(&self) -> &Kept {
        &self.kept
    }

    /// What persons have configured.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was asked of whom.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Asks for an address and follows what redirects are allowed; every hop passes the gate and is counted.
    ///
    /// # Errors
    /// [`Stop`] says what kept it from an answer.
    pub async fn ask(
        &self,
        what: For<'_>,
        url: &Url,
        validators: Option<&Validators>,
    ) -> Result<Answer, Stop> {
        let mut redirects = Redirects::new(RedirectPolicy::default(), Method::GET, url.clone());
        loop {
            let url = redirects.url().clone();
            let answer = self.exchange(what, &url, validators).await?;
            let (parts, body) = answer.into_parts();
            let hops = redirects.chain().len();
            if matches!(what, For::Look)
                || !parts.status.is_redirection()
                || parts.status == StatusCode::NOT_MODIFIED
            {
                let report = parts.extensions.get().cloned().unwrap_or_default();
                return Ok(Answer { status: parts.status, headers: parts.headers, url, hops, report, body });
            }
            drop(body);
            self.received(&url, parts.status, 0);
            // What the server wrote there may be anything: it is not repeated.
            match redirects.follow(parts.status, &parts.headers) {
                Ok(Some(_)) => {}
                Ok(None) => return Err(Stop::Redirect("it names no place")),
                Err(_) => {
                    return Err(Stop::Redirect("it leads to plain http, nowhere, in a circle or too far"));
                }
            }
        }
    }

    /// One request through the gate and the layers below.
    async fn exchange(
        &self,
        what: For<'_>,
        url: &Url,
        validators: Option<&Validators>,
    ) -> Result<http::Response<PoliteBody<FetchBody, SqliteStore, Clock>>, Stop> {
        let host = url.host_str().unwrap_or_default();
        loop {
            self.pass(what, url)?;
            self.turn(what, url).await?;
            // The wait may have been long: whatever a person wrote meanwhile counts.
            self.pass(what, url)?;
            let now = seconds(self.clock.now());
            match what {
                For::Source(id) if !self.kept.count(id, host, now)? => return Err(Stop::Budget),
                For::Source(_) => {}
                For::Look => self.kept.count_look(host, now)?,
            }
            let error = match self.client.clone().oneshot(request(what, url, validators)?).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let Some(refusal) = find::<Refusal>(&*error) else {
                self.ledger.failed(host, &*error);
                return Err(no_answer(&*error));
            };
            // Another process was first: in line again.
            if let For::Source(id) = what {
                self.kept.uncount(id, host, now)?;
            }
            self.wait(refusal).await?;
        }
    }

    /// Whether the request may be made at all, as far as persons have decided.
    fn pass(&self, what: For<'_>, url: &Url) -> Result<(), Stop> {
        if self.interrupt.requested() {
            return Err(Stop::Interrupted);
        }
        let For::Source(id) = what else { return Ok(()) };
        let (config, source) = self.settings.source(id)?;
        self.allowed(&config, &source, url)
    }

    fn allowed(&self, config: &config::Config, source: &Source, url: &Url) -> Result<(), Stop> {
        let host = url.host_str().unwrap_or_default().to_owned();
        if !source.lists(&host) {
            return Err(Stop::NotListed { to: host });
        }
        if config::no_feed(url).is_some() {
            return Err(Stop::Redirect("it leads to a page, a picture or a login"));
        }
        let origin = review::origin(url);
        let Some(review) = config.reviews.of(&origin) else { return Err(Stop::NotReviewed { host }) };
        if !review::is_done(review) {
            return Err(Stop::NotReviewed { host });
        }
        let live = self.kept.look(&origin)?.and_then(|look| look.live);
        match review::valve(review, live.as_ref()).is_allowed(url.as_str()) {
            true => Ok(()),
            false => Err(Stop::Closed { host }),
        }
    }

    /// Waits for the host's turn, as long as patience lasts, and looks at the switch meanwhile.
    async fn turn(&self, what: For<'_>, url: &Url) -> Result<(), Stop> {
        let ask = Ask::new(url).class(class(what));
        let mut told = None;
        while let Err(refusal) = self.kept.state().politeness.check(&ask, self.clock.now().into()) {
            if told != Some(refusal.until()) {
                self.ledger.note(&Step::Waits(&ask, &refusal));
                told = Some(refusal.until());
            }
            self.wait(&refusal).await?;
            self.pass(what, url)?;
        }
        Ok(())
    }

    /// Waits a while of what is to be waited for: at most a real second.
    async fn wait(&self, refusal: &Refusal) -> Result<(), Stop> {
        let now = Timestamp::from(self.clock.now());
        let until = refusal.until();
        if refusal.is_never() || until.is_some_and(|until| until.since(now) > PATIENCE) {
            let reason = refusal.reasons().next().unwrap_or(Reason::InFlight);
            return Err(Stop::Held { until: until.filter(|_| !refusal.is_never()), reason });
        }
        // A millisecond more than the division gives: nothing is early by rounding. A slot is looked at less often than a
        // scaled clock would have it: each look is a transaction.
        let wait = match until {
            Some(until) => self.clock.real_duration(until.since(now)) + Duration::from_millis(1),
            None => SLOT_RECHECK,
        };
        let wait = wait.min(Duration::from_secs(1));
        tokio::select! {
            () = self.interrupt.wait() => Err(Stop::Interrupted),
            () = tokio::time::sleep(wait) => Ok(()),
        }
    }

    /// Writes down what came of a request, so many bytes of it.
    pub(super) fn received(&self, url: &Url, status: StatusCode, bytes: u64) {
        let host = url.host_str().unwrap_or_default();
        self.ledger.answered(host, status.as_u16(), bytes);
        // The figures of the report are worth no run.
        let unchanged = status == StatusCode::NOT_MODIFIED;
        let _ = self.kept.answered(host, seconds(self.clock.now()), unchanged, bytes);
    }
}

impl Answer {
    /// What is known of the body while it is read.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(header::CONTENT_TYPE)?.to_str().ok()
    }

    /// The kind of a page or a picture, if that is what comes.
    #[must_use]
    pub fn no_feed(&self) -> Option<&'static str> {
        let essence = self.content_type()?.split(';').next()?.trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/html" | "application/xhtml+xml" => Some("an HTML page"),
            other if other.starts_with("image/") => Some("a picture"),
            other if other.starts_with("video/") || other.starts_with("audio/") => Some("a recording"),
            _ => None,
        }
    }
}

const fn class(what: For<'_>) -> &'static str {
    match what {
        For::Source(_) => "feed",
        For::Look => "robots",
    }
}

fn request(what: For<'_>, url: &Url, validators: Option<&Validators>) -> Result<Request<Full<Bytes>>, Stop> {
    let unusable = |_| Stop::Redirect("it leads to no address that can be asked");
    let mut request = Request::get(url.as_str()).body(Full::default()).map_err(unusable)?;
    // Only the address they belong to is asked with them.
    if let Some(validators) = validators {
        validators.apply(url, request.headers_mut());
    }
    request.extensions_mut().insert(RequestClass::new(class(what)));
    Ok(request)
}

/// Why there is no answer, in words that hold nothing of what a server wrote.
pub(super) fn no_answer(error: &(dyn std::error::Error + 'static)) -> Stop {
    let words = match find::<FetchError>(error) {
        // Of an address that a person configured.
        Some(error @ FetchError::Refused(_)) => return Stop::NoAnswer(format!("not asked: {error}")),
        Some(FetchError::Dns { .. }) => "no answer: the host's name was not found",
        Some(FetchError::Connect { .. }) => "no answer: no connection",
        Some(FetchError::Tls { .. }) => "no answer: no secure connection",
        Some(FetchError::Timeout { .. }) => "no answer in time",
        Some(_) => "an answer that broke off, was too large, or may not be taken",
        None => "no answer",
    };
    Stop::NoAnswer(words.to_owned())
}

/// Assembles the layers below robots.txt.
///
/// # Errors
/// Where the identity may not be used in this world.
pub fn assemble(
    bot: &crate::bot::Bot,
    world: &crate::world::World,
    kept: &Kept,
    ledger: &Ledger,
) -> Result<Client<SqliteStore>, BoxError> {
    use bot_etiquette::fetch::{FetchLimits, Fetcher, tower::FollowLayer};

    /// The largest feed taken, on the wire and decoded.
    const FEED_BYTES: u64 = 64 << 20;
    let limits = FetchLimits::default().wire_bytes(FEED_BYTES).decoded_bytes(FEED_BYTES);
    let (noted, clock) = (ledger.clone(), world.clock);
    let stack = crate::stack::Stack {
        identity: bot.identity.clone(),
        chromium: None,
        politeness: kept.state().politeness.clone().with_clock(move || clock.now().into()),
        signer: bot.signer.clone(),
        fetcher: world.reach(Fetcher::builder()).limits(limits).build()?,
        follow: FollowLayer::default(),
        clock,
        watch: std::sync::Arc::new(move |step| noted.note(&step)),
    };
    // Which rules hold is decided above: by what a person has read.
    Ok(stack.assemble_with(|_, _| {})?.polite)
}
