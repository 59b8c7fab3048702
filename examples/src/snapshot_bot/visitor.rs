//! One request of a visit: through the rules that hold for its site, its redirects written down, robots.txt read anew first.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{FetchLimits, Fetched, Followed, Hop, OverLimit};
use bot_etiquette::html::Scope;
use bot_etiquette::politeness::tower::RequestClass;
use bot_etiquette::robots::tower::RobotsLayer;
use bot_etiquette::robots::{Lookup, Origin, ProductToken, RobotsCache};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::Full;
use url::{Position, Url};

use super::Site;
use super::bots::SnapshotBot;
use super::view::Load;
use crate::asker::{Asker, AskerOptions, NotRead};
use crate::interrupt::Interrupt;
use crate::ledger::Ledger;
use crate::sqlite_store::SqliteStore;
use crate::stack::{BoxError, Client, Step, Watch};
use crate::state::State;
use crate::world::World;

/// A request is given up after so long.
pub const TIME_LIMIT: Duration = Duration::from_secs(15);
/// More of a page is not read, on the wire and unpacked.
pub const PAGE_BYTES: u64 = 5_000_000;
/// The longest wait that a request sits out. It is more than a host that gave no answer is left alone for at first.
pub const HORIZON: Duration = Duration::from_secs(20 * 60);

/// The longest wait that a request of a page that is rendered sits out.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How one crawl asks, beside the bot, its world and its state.
#[derive(Clone)]
pub struct VisitorOptions {
    /// Whether to stop.
    pub interrupt: Interrupt,
    /// The longest wait that a request sits out.
    pub horizon: Duration,
}

impl VisitorOptions {
    /// Waits 20 minutes at the most.
    #[must_use]
    pub const fn new(interrupt: Interrupt) -> Self {
        Self { interrupt, horizon: HORIZON }
    }
}

/// Asks for everything that one crawl of a site needs; clones share everything.
#[derive(Clone)]
pub(crate) struct Visitor {
    /// Under the rules that the site's own hosts are read by.
    own: Asker,
    /// Under the bot's own rules.
    others: Asker,
    scope: Scope,
    /// Whether a page of this site may send data when it is rendered.
    post: bool,
    fresh: Fresh,
}

/// A request, and what is told of it.
pub(crate) struct Errand {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) class: &'static str,
    pub(crate) limits: FetchLimits,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Full<Bytes>,
    pub(crate) extensions: http::Extensions,
    /// Where its redirects may lead; anywhere if there is none.
    pub(crate) within: Option<Scope>,
    /// Called before it leaves, once.
    pub(crate) sent: Option<Sent>,
    /// Whether a redirect may go on to a URL; one that was asked already is not asked again.
    pub(crate) claim: Option<Claim>,
}

pub(crate) type Sent = Arc<dyn Fn() + Send + Sync>;
pub(crate) type Claim = Arc<dyn Fn(&Url) -> bool + Send + Sync>;

/// What came of an [`Errand`].
pub(crate) struct Came {
    pub(crate) answer: Result<Fetched, NotRead>,
    /// The redirects, also those that led to nothing.
    pub(crate) chain: Vec<Hop>,
    /// Whether the last of them leads to what was asked in this crawl, so that it was not followed.
    pub(crate) known: bool,
    /// How long the exchange took, of the clock, without waits.
    pub(crate) seconds: f64,
}

/// A page wanted to send data.
#[derive(Debug, thiserror::Error)]
#[error("a POST is sent to a verified site of one's own alone, where --allow-post was chosen for it")]
struct PostRefused;

/// A redirect was not followed, since it leads off the site.
#[derive(Debug, thiserror::Error)]
#[error("it leads to {0}, which is not of the site")]
struct LeavesSite(Url);

/// A redirect goes on under other rules than those of this site.
#[derive(Debug, thiserror::Error)]
#[error("it leads to {0}")]
struct OtherRules(Url);

/// A redirect leads to what was asked in this crawl.
#[derive(Debug, thiserror::Error)]
#[error("it leads to {0}, which was read already")]
struct ReadAlready(Url);

#[derive(Clone)]
struct Within(Scope);

#[derive(Clone)]
struct Claims(Claim);

/// What rides in the extensions of a request.
#[derive(Clone, Default)]
struct Trail(Arc<Mutex<Noted>>);

#[derive(Default)]
struct Noted {
    hops: Vec<Hop>,
    crossed: bool,
    known: bool,
    left: Option<tokio::time::Instant>,
    sent: Option<Sent>,
}

impl Errand {
    pub(crate) fn new(method: Method, url: Url, class: &'static str) -> Self {
        let limits = FetchLimits::default()
            .total(TIME_LIMIT)
            .wire_bytes(PAGE_BYTES)
            .decoded_bytes(PAGE_BYTES)
            .over_limit(OverLimit::Cut);
        let (headers, extensions) = (HeaderMap::new(), http::Extensions::new());
        let (body, within, sent, claim) = (Full::default(), None, None, None);
        Self { method, url, class, limits, headers, body, extensions, within, sent, claim }
    }
}

impl Visitor {
    pub(crate) fn new(
        bot: &SnapshotBot,
        world: &World,
        state: &Arc<State>,
        site: &Site,
        options: &VisitorOptions,
        chromium: Option<u32>,
    ) -> Result<Self, BoxError> {
        let scope = site.scope()?;
        let fresh = Fresh::default();
        let asker = |follow: FollowLayer| {
            Asker::new(
                &bot.bot,
                world,
                Arc::clone(state),
                AskerOptions {
                    limits: FetchLimits::default().total(TIME_LIMIT),
                    follow,
                    chromium,
                    interrupt: options.interrupt.clone(),
                    horizon: options.horizon,
                    watch: watch(),
                },
            )
        };
        let others = asker(follow(fresh.clone(), None))?;
        let rules_of = |asker: &Asker, token: ProductToken| {
            asker.robots().with_cache(|cache| *cache = RobotsCache::new([token]));
            state.load_robots(asker.robots(), world.clock.now())
        };
        if bot.token != bot.bot.identity.token() {
            rules_of(&others, bot.token.parse()?)?;
        }
        fresh.add(others.robots());
        // Evidence is looked at once more here: without it the bot's own rules hold.
        let engine = site.rules_of.filter(|_| site.verified);
        let own = match engine.and_then(super::SearchEngine::token) {
            None => others.clone(),
            Some(token) => {
                let own = asker(follow(fresh.clone(), Some(scope.clone())))?;
                rules_of(&own, token)?;
                fresh.add(own.robots());
                own
            }
        };
        // Evidence is looked at here too.
        let post = site.post && site.verified;
        Ok(Self { own, others, scope, post, fresh })
    }

    /// Sends a request and reads its answer to the end, by way of its redirects.
    pub(crate) async fn ask(&self, errand: Errand) -> Came {
        let trail = Trail::default();
        trail.note(|noted| noted.sent.clone_from(&errand.sent));
        let asker = if self.scope.contains(&errand.url) { &self.own } else { &self.others };
        self.fresh.first_of(&errand.url);
        let answer = match request(&errand, &trail) {
            Ok(request) => match asker.ask(request.clone()).await {
                Err(NotRead::Redirect(_)) if trail.note(|noted| std::mem::take(&mut noted.crossed)) => {
                    self.go_on(request, &trail).await
                }
                answer => answer,
            },
            Err(error) => Err(NotRead::Refused(error.to_string())),
        };
        trail.note(|noted| Came {
            answer,
            chain: std::mem::take(&mut noted.hops),
            known: noted.known,
            seconds: noted
                .left
                .map_or(0.0, |left| left.elapsed().as_secs_f64() * f64::from(self.others.clock.scale())),
        })
    }

    /// Sends what a page asks for when it is rendered. A page does not wait as long as a crawl does.
    pub(crate) fn load(&self) -> Load {
        let mut visitor = self.clone();
        for asker in [&mut visitor.own, &mut visitor.others] {
            asker.horizon = asker.horizon.min(PATIENCE);
        }
        Arc::new(move |request: Request<Full<Bytes>>| {
            let visitor = visitor.clone();
            Box::pin(async move {
                let (head, body) = request.into_parts();
                let mut errand = Errand::new(head.method, head.uri.to_string().parse()?, "render");
                if errand.method == Method::POST {
                    if !visitor.post || !visitor.scope.contains(&errand.url) {
                        return Err(PostRefused.into());
                    }
                    errand.within = Some(visitor.scope.clone());
                }
                (errand.headers, errand.body, errand.extensions) = (head.headers, body, head.extensions);
                if let Some(limits) = errand.extensions.get::<FetchLimits>() {
                    errand.limits = limits.total(TIME_LIMIT);
                }
                Ok(visitor.ask(errand).await.answer?)
            })
        })
    }

    /// The sitemaps that the robots.txt of the site names, once that was read.
    pub(crate) fn sitemaps(&self, site: &Site) -> Vec<Url> {
        let Ok(origin) = site.start.as_str().parse::<Origin>() else { return Vec::new() };
        let now = self.own.clock.now();
        let named = self.own.robots().with_cache(|cache| match cache.check(&origin, now, Duration::ZERO) {
            Lookup::Use(copy) => {
                let lines = copy.robots().map(|robots| robots.sitemaps().map(<[u8]>::to_vec).collect());
                lines.unwrap_or_default()
            }
            Lookup::Fetch(ticket) => {
                cache.abandoned(ticket);
                Vec::<Vec<u8>>::new()
            }
            _ => Vec::new(),
        });
        let urls =
            named.iter().filter_map(|line| site.start.join(std::str::from_utf8(line).ok()?.trim()).ok());
        urls.filter(|url| self.scope.contains(url)).collect()
    }

    /// Adds to `total` what was asked of whom, and what was waited for.
    pub(crate) fn tell(&self, total: &Ledger) {
        total.absorb(&self.others.ledger);
        if !self.own.ledger.is_same(&self.others.ledger) {
            total.absorb(&self.own.ledger);
        }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.others.interrupt.requested()
    }

    pub(crate) const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Goes on with a redirect off the site's own hosts, under the bot's own rules and with the count kept.
    async fn go_on(&self, mut request: Request<Full<Bytes>>, trail: &Trail) -> Result<Fetched, NotRead> {
        let hops = trail.note(|noted| noted.hops.clone());
        let Some(next) = hops.last() else { return Err(NotRead::Redirect("to nowhere".to_owned())) };
        let uri: Uri =
            next.to[..Position::AfterQuery].parse().map_err(|_| NotRead::Redirect(next.to.to_string()))?;
        next.rewrite(request.headers_mut());
        *request.uri_mut() = uri;
        *request.method_mut() = next.method.clone();
        request.extensions_mut().insert(Followed(hops));
        self.others.ask(request).await
    }
}

impl Trail {
    fn note<T>(&self, note: impl FnOnce(&mut Noted) -> T) -> T {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn request(errand: &Errand, trail: &Trail) -> Result<Request<Full<Bytes>>, http::Error> {
    let url = &errand.url[..Position::AfterQuery];
    let mut request = Request::builder().method(errand.method.clone()).uri(url).body(errand.body.clone())?;
    *request.headers_mut() = errand.headers.clone();
    *request.extensions_mut() = errand.extensions.clone();
    let extensions = request.extensions_mut();
    extensions.insert(RequestClass::new(errand.class));
    extensions.insert(errand.limits);
    extensions.insert(trail.clone());
    if let Some(scope) = &errand.within {
        extensions.insert(Within(scope.clone()));
    }
    if let Some(claim) = &errand.claim {
        extensions.insert(Claims(Arc::clone(claim)));
    }
    Ok(request)
}

/// Notes when a request leaves, and has it written down before.
fn watch() -> Watch {
    Arc::new(|step| {
        let Step::Sent(request) = step else { return };
        let Some(trail) = request.extensions().get::<Trail>() else { return };
        let sent = trail.note(|noted| {
            noted.left = Some(tokio::time::Instant::now());
            noted.sent.take()
        });
        if let Some(sent) = sent {
            sent();
        }
    })
}

/// Writes hops down, and holds those that lead where they must not; `ours` has rules that no other host is read by.
fn follow(fresh: Fresh, ours: Option<Scope>) -> FollowLayer {
    FollowLayer::default().check(move |hop, extensions| {
        let crosses = ours.as_ref().is_some_and(|ours| !ours.contains(&hop.to));
        if let Some(trail) = extensions.get::<Trail>() {
            trail.note(|noted| noted.hops.push(hop.clone()));
        }
        if extensions.get::<Within>().is_some_and(|Within(scope)| !scope.contains(&hop.to)) {
            return Err(LeavesSite(hop.to.clone()).into());
        }
        if extensions.get::<Claims>().is_some_and(|Claims(claim)| !claim(&hop.to)) {
            if let Some(trail) = extensions.get::<Trail>() {
                trail.note(|noted| noted.known = true);
            }
            return Err(ReadAlready(hop.to.clone()).into());
        }
        fresh.first_of(&hop.to);
        if crosses {
            if let Some(trail) = extensions.get::<Trail>() {
                trail.note(|noted| noted.crossed = true);
            }
            return Err(OtherRules(hop.to.clone()).into());
        }
        Ok(())
    })
}

/// Has the robots.txt of each origin read anew, once in a visit, before anything else is asked there.
#[derive(Clone, Default)]
struct Fresh {
    seen: Arc<Mutex<HashSet<Origin>>>,
    layers: [Arc<OnceLock<RobotsLayer<Client<SqliteStore>>>>; 2],
}

impl Fresh {
    fn add(&self, robots: &RobotsLayer<Client<SqliteStore>>) {
        for layer in &self.layers {
            if layer.set(robots.clone()).is_ok() {
                break;
            }
        }
    }

    fn first_of(&self, url: &Url) {
        let Ok(origin) = url.as_str().parse::<Origin>() else { return };
        if self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(origin.clone()) {
            for robots in self.layers.iter().filter_map(|layer| layer.get()) {
                robots.with_cache(|cache| cache.refresh(&origin));
            }
        }
    }
}
