//! One request through the whole stack, read as what was asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bot_etiquette::arcgis::{Answer, AuthReason, Facts, Parsed, Problem, Request, ServiceUrl};
use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{FetchLimits, Fetched, Hop, OverLimit};
use bot_etiquette::politeness::tower::{RequestClass, Resource};
use bot_etiquette::politeness::{Host, Report, Timestamp};
use bot_etiquette::robots::Lookup;
use bytes::Bytes;
use http::Uri;
use http::header::ACCEPT;
use http_body_util::Full;
use tokio::sync::OwnedMutexGuard;

use super::catalogue::{Catalogue, STEPPED_BACK};
use super::config::Config;
use crate::asker::{Asker, AskerOptions, NotRead};
use crate::bot::Bot;
use crate::interrupt::Interrupt;
use crate::stack::{BoxError, quiet};
use crate::state::State;
use crate::talk::Talk;
use crate::world::World;

/// What a command works with; clones share everything.
#[derive(Clone)]
pub struct Session {
    /// Sends requests.
    pub asker: Asker,
    /// What is known.
    pub catalogue: Catalogue,
    /// What the person is told.
    pub talk: Talk,
    /// The name that requests carry.
    pub user_agent: String,
    /// What a person set.
    pub config: Arc<Config>,
    /// Until when a turn may still be waited for.
    deadline: Timestamp,
    limits: FetchLimits,
    served: bool,
    /// The single files of hosts.
    turns: Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>,
}

/// Why there are no facts.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// An answer came that holds none.
    #[error(transparent)]
    Problem(Problem),
    /// No answer came, or none was asked for.
    #[error(transparent)]
    NotRead(NotRead),
}

impl From<NotRead> for Trouble {
    fn from(not_read: NotRead) -> Self {
        Self::NotRead(not_read)
    }
}

/// How much longer than two requests may take a turn is held at most.
const TURN_MARGIN: Duration = Duration::from_secs(5);

/// How often a process looks whether its turn has come, where another one holds it.
const TURN_POLL: Duration = Duration::from_millis(50);

/// Words of a path that asks for a login, which nobody follows.
const LOGIN: [&str; 6] = ["login", "signin", "oauth2", "saml", "adfs", "generatetoken"];

/// What a redirect to a login is refused with.
const TO_A_LOGIN: &str = "a redirect to a login";

impl Session {
    /// Assembles the stack. `patience` is how long the whole command may wait for turns.
    ///
    /// # Errors
    /// As [`Asker::new`].
    pub fn new(
        bot: &Bot,
        world: &World,
        state: Arc<State>,
        config: Config,
        (talk, interrupt, patience): (Talk, Interrupt, Duration),
    ) -> Result<Self, BoxError> {
        let limits = config.limits();
        state.politeness.begin(world.clock.now().into(), STEPPED_BACK)?;
        let catalogue = Catalogue::new(Arc::clone(&state))?;
        let options = AskerOptions {
            limits,
            follow: FollowLayer::default().check(stays),
            chromium: None,
            interrupt,
            horizon: patience,
            watch: quiet(),
        };
        let asker = Asker::new(bot, world, state, options)?;
        let deadline = Timestamp::from(asker.clock.now()) + patience;
        let served = world.hosts().next().is_some();
        let user_agent = bot.identity.user_agent().to_string();
        Ok(Self {
            asker,
            catalogue,
            talk,
            user_agent,
            config: Arc::new(config),
            deadline,
            limits,
            served,
            turns: Arc::default(),
        })
    }

    /// The same, with this long from now on to wait for turns.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { deadline: Timestamp::from(self.now()) + patience, ..self }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.asker.clock.now()
    }

    /// Whether the person wants an end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.asker.interrupt.requested()
    }

    /// Asks, and reads the answer to its end; of `class` for the policy, about this service.
    ///
    /// # Errors
    /// [`NotRead`]: any answer that came is one.
    pub async fn ask(
        &self,
        request: &Request,
        class: &str,
        service: Option<&ServiceUrl>,
    ) -> Result<Fetched, NotRead> {
        let mut asker = self.asker.clone();
        let built = self.build(request, class, service)?;
        let (host, uri) = (built.uri().host().unwrap_or_default().to_owned(), built.uri().clone());
        let turn = self.single_file(&host, &uri).await;
        asker.horizon = self.deadline.since(self.now().into());
        let asked = asker.ask(built).await;
        let is_sent =
            !matches!(asked, Err(NotRead::Never { .. } | NotRead::Later { .. } | NotRead::Closed(_)));
        if let Some(turn) = turn {
            let pause = self.rules(&uri).flatten().filter(|_| is_sent).unwrap_or_default();
            // Where it cannot be written, it ends by itself.
            drop(self.catalogue.end_turn(&host, self.now() + pause));
            drop(turn);
        }
        asked
    }

    /// Where robots.txt asks for a pause, or is not known yet, the bot asks in single file, all its processes together, and
    /// counts the pause from the last answer's end: so that two requests are as far apart for the server as they are here,
    /// however long they were under way.
    async fn single_file(&self, host: &str, uri: &Uri) -> Option<OwnedMutexGuard<()>> {
        if self.rules(uri) == Some(None) {
            return None;
        }
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(host.to_owned()).or_default())
        };
        let turn = turn.lock_owned().await;
        // A request waits for its slot, and is under way: a turn that was not ended by then is of a process that is gone.
        let longest = (self.limits.total * 2 + TURN_MARGIN).saturating_mul(self.asker.clock.scale());
        while !self.is_stopped() && Timestamp::from(self.now()) < self.deadline {
            let now = self.now();
            match self.catalogue.take_turn(host, now, now + longest) {
                Ok(Some(until)) => {
                    let wait = until.duration_since(now).unwrap_or_default();
                    let wait = self.asker.clock.real_duration(wait).min(TURN_POLL) + Duration::from_millis(1);
                    tokio::time::sleep(wait).await;
                }
                // The politeness below decides all the same.
                Ok(None) | Err(_) => break,
            }
        }
        Some(turn)
    }

    /// The Crawl-delay of the rules for this address; `None` where there is no copy of them.
    fn rules(&self, uri: &Uri) -> Option<Option<Duration>> {
        let (origin, now) = (uri.to_string().parse().ok()?, self.now());
        self.asker.robots().with_cache(|cache| match cache.check(&origin, now, Duration::ZERO) {
            Lookup::Use(copy) => Some(copy.rules().crawl_delay()),
            Lookup::Fetch(ticket) => {
                cache.abandoned(ticket);
                None
            }
            _ => None,
        })
    }

    /// The same past robots.txt, for a reviewed record that quotes the invitation; redirects are not followed.
    ///
    /// # Errors
    /// [`NotRead`].
    pub async fn ask_invited(&self, request: &Request, class: &str) -> Result<Fetched, NotRead> {
        let mut asker = self.asker.clone();
        asker.horizon = self.deadline.since(self.now().into());
        asker.ask_invited(self.build(request, class, None)?).await
    }

    /// Asks, and reads the answer as facts. One whose body says that the service is busy holds it as a 503 would.
    ///
    /// # Errors
    /// [`Trouble`].
    pub async fn read<T: Facts>(
        &self,
        request: &Request,
        class: &str,
        service: Option<&ServiceUrl>,
    ) -> Result<Parsed<T>, Trouble> {
        let fetched = match self.ask(request, class, service).await {
            Err(NotRead::Redirect(why)) if why.contains(TO_A_LOGIN) => {
                return Err(Trouble::Problem(Problem::AuthRequired { why: AuthReason::Redirect }));
            }
            asked => asked?,
        };
        self.facts(request, service, &fetched).map_err(Trouble::Problem)
    }

    /// Reads an answer that has come.
    ///
    /// # Errors
    /// [`Problem`].
    pub fn facts<T: Facts>(
        &self,
        request: &Request,
        service: Option<&ServiceUrl>,
        fetched: &Fetched,
    ) -> Result<Parsed<T>, Problem> {
        let read = Answer::new(fetched.status, &fetched.headers, &fetched.body).asked(&request.url).read();
        if let (Err(Problem::Busy { .. }), true) = (&read, fetched.status.is_success())
            && let Some(host) = Host::of(&request.url)
        {
            let name = service.map(resource);
            // Where it cannot be written, no next request can be admitted either.
            let store = &self.asker.state().politeness;
            let _ = store.report(&host, name.as_deref(), Report::Busy, self.now().into());
        }
        read
    }

    fn build(
        &self,
        request: &Request,
        class: &str,
        service: Option<&ServiceUrl>,
    ) -> Result<http::Request<Full<Bytes>>, NotRead> {
        let url = self.address(request.url.as_str());
        let mut built = http::Request::get(url)
            .header(ACCEPT, "application/json, image/png, image/jpeg;q=0.9, */*;q=0.1")
            .body(Full::default())
            .map_err(|error| NotRead::Refused(error.to_string()))?;
        let most = request.body_limit;
        let limits = self.limits.wire_bytes(most).decoded_bytes(most).over_limit(OverLimit::Cut);
        built.extensions_mut().insert(limits);
        built.extensions_mut().insert(RequestClass::new(class));
        if let (Some(service), Some(host)) = (service, Host::of(&request.url)) {
            built.extensions_mut().insert(Resource::new(host, resource(service)));
        }
        Ok(built)
    }

    /// The address as this world serves it: one of loopback has no certificates.
    #[must_use]
    pub fn address(&self, url: &str) -> String {
        match url.strip_prefix("https://") {
            Some(rest) if self.served => format!("http://{rest}"),
            _ => url.to_owned(),
        }
    }
}

/// What may be busy while the rest of the server is not.
fn resource(service: &ServiceUrl) -> String {
    format!("{}/{}", service.name(), service.service_type())
}

/// A redirect is followed on the same host alone, and never to a login.
fn stays(hop: &Hop, _: &http::Extensions) -> Result<(), BoxError> {
    let path = hop.to.path().to_ascii_lowercase();
    if LOGIN.iter().any(|word| path.contains(word)) {
        return Err(TO_A_LOGIN.into());
    }
    if hop.from.host_str() != hop.to.host_str() {
        return Err(format!("a redirect to another host, {}", hop.to.host_str().unwrap_or_default()).into());
    }
    Ok(())
}
