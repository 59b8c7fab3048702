//! `--online`: one file fetched through the polite stack, under an identity of the person's own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::fetch::tower::FollowLayer;
use bot_etiquette::fetch::{AddressPolicy, FetchLimits, Fetched, Fetcher, Hop, OverLimit, RedirectError};
use bot_etiquette::identity::BotIdentity;
use bot_etiquette::politeness::{HostPolicy, Policy, Politeness};
use bot_etiquette::robots::tower::{FetchFailure, RobotsRefusal};
use bot_etiquette::signing::{Signer, SigningKey};
use bytes::Bytes;
use clap::Args;
use http::{HeaderMap, Request, StatusCode};
use tower::ServiceExt;
use url::{Host, Url};

use crate::clock::Clock;
use crate::exit::Failure;
use crate::identity::Config;
use crate::stack::{self, BoxError, Stack, find};
use crate::{input, key, output};

/// `--online [--identity FILE.toml]`
#[derive(Debug, Args)]
pub(crate) struct Online {
    /// Fetch FILE when it is an http or https URL: politely, under the identity of --identity.
    #[arg(long)]
    online: bool,
    /// Who asks: your own bot (`bot-etiquette identity lint` checks it). A URL on loopback needs none.
    #[arg(long, value_name = "FILE.toml", requires = "online", value_parser = input::source)]
    identity: Option<String>,
}

/// What was fetched.
pub(crate) struct Answer {
    /// The status; none where no answer came.
    pub(crate) status: Option<StatusCode>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The URL's host, and its port unless it is the scheme's own.
    pub(crate) authority: String,
}

/// What becomes of a redirect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Redirected {
    /// It is followed, five hops far, as RFC 9309 asks for a robots.txt.
    Follow,
    /// It is the answer: who verifies signatures stops there.
    Stop,
}

/// Who asks this machine itself: nobody in particular.
const NOBODY: &str = concat!(
    "user_agent = \"bot-etiquette/",
    env!("CARGO_PKG_VERSION"),
    " (+http://localhost/bot-etiquette)\"\ntoken = \"bot-etiquette\"\npage = \"http://localhost/bot-etiquette\"\n",
    "contact = \"http://localhost/bot-etiquette\"\nloopback_only = true\n"
);

/// The pause between two requests to a host, where the identity names no policy.
const PAUSE: Duration = Duration::from_secs(1);

/// More of a file is not read.
const BYTES: u64 = 1_000_000;

impl Online {
    /// Fetches `file`, if that is what it is for.
    ///
    /// # Errors
    /// An identity that is missing or not the person's own, and whatever the stack itself refuses.
    pub(crate) fn fetch(&self, file: &str, redirected: Redirected) -> Result<Option<Answer>, Failure> {
        if !self.online {
            return Ok(None);
        }
        let wrong = |problem: &dyn std::fmt::Display| Failure::new(format_args!("{file}: {problem}"));
        let url = match Url::parse(file) {
            // Such as `mailto:`, unless a file has that name.
            Ok(url) if file.contains("://") || !Path::new(file).exists() => url,
            Err(error) if file.contains("://") => return Err(wrong(&format_args!("is no URL: {error}"))),
            Ok(_) | Err(_) => return Ok(None),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(&format_args!(
                "is not fetched: --online takes http and https URLs alone, and this is {}",
                url.scheme()
            )));
        }
        let bot = Bot::new(&url, self.identity.as_deref())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let agent = bot.identity.user_agent().to_string();
        let answer = runtime
            .block_on(get(&url, bot, redirected))
            .map_err(|error| wrong(&format_args!("not fetched: {}", chain(&*error))))?;
        let status = answer.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        output::talk(&format!("bot-etiquette: {file}: {status}, asked as {agent}\n"));
        Ok(Some(answer))
    }
}

/// Who asks, and by which rules.
struct Bot {
    identity: BotIdentity,
    signer: Option<Arc<Signer<SigningKey>>>,
    policy: Policy,
    addresses: AddressPolicy,
}

impl Bot {
    fn new(url: &Url, file: Option<&str>) -> Result<Self, Failure> {
        let template = |problem: &dyn std::fmt::Display| {
            Failure::new(format_args!(
                "{problem}\nFill this in, and give its file as --identity FILE.toml:\n\n{}",
                BotIdentity::TEMPLATE
            ))
        };
        let loopback = is_loopback(url);
        let Some(file) = file else {
            if !loopback {
                return Err(template(&format_args!(
                    "{url}: is somebody's site, and is asked only under an identity of your own"
                )));
            }
            let identity = BotIdentity::from_toml(NOBODY).map_err(Failure::new)?;
            return Ok(Self {
                identity,
                signer: None,
                policy: usual(),
                addresses: AddressPolicy::loopback_only(),
            });
        };
        let config = Config::read(file)?;
        if !loopback {
            config
                .identity
                .check_public()
                .map_err(|error| template(&format_args!("{file}: is nobody's own: {error}")))?;
        }
        let policy = config.policy(None)?.map_or_else(usual, |policy| policy.rules);
        let signer = config.signer()?.map(Arc::new);
        let addresses = if loopback { AddressPolicy::loopback_only() } else { AddressPolicy::default() };
        Ok(Self { identity: config.identity, signer, policy, addresses })
    }
}

impl Config {
    /// What signs by the identity's key, if it has one.
    fn signer(&self) -> Result<Option<Signer<SigningKey>>, Failure> {
        let (Some(file), Some(directory)) = (self.identity.key_file(), self.identity.directory()) else {
            return Ok(None);
        };
        let file = self.beside(file);
        let key = key::signing_key(&file.to_string_lossy())?;
        let agent = directory.origin().ascii_serialization();
        let signer = Signer::builder(key, &agent).build();
        Ok(Some(signer.map_err(|error| Failure::new(format_args!("{}: {error}", file.display())))?))
    }
}

/// One request at a time with a second's pause; a busy or silent host is left alone.
fn usual() -> Policy {
    Policy::new(
        HostPolicy::new()
            .min_delay(PAUSE)
            .busy_first(Duration::from_secs(60))
            .unreachable_first(Duration::from_secs(900)),
    )
}

async fn get(url: &Url, bot: Bot, redirected: Redirected) -> Result<Answer, BoxError> {
    let limits = FetchLimits::default().wire_bytes(BYTES).decoded_bytes(BYTES).over_limit(match redirected {
        // Of a robots.txt the start counts, however long it is.
        Redirected::Follow => OverLimit::Cut,
        Redirected::Stop => OverLimit::Refuse,
    });
    let follow = match redirected {
        Redirected::Follow => FollowLayer::default(),
        Redirected::Stop => FollowLayer::default().check(|_: &Hop, _| Err("it is not followed".into())),
    };
    let stack = Stack {
        identity: bot.identity,
        chromium: None,
        politeness: Politeness::new(bot.policy),
        signer: bot.signer,
        fetcher: Fetcher::builder().limits(limits).addresses(bot.addresses).build()?,
        follow,
        clock: Clock::real(),
        watch: stack::quiet(),
    };
    let client = stack.assemble()?.client;
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let authority = format!("{}{port}", url.host_str().unwrap_or_default());
    let request = Request::get(url.as_str()).body(Default::default())?;
    let fetched = match client.oneshot(request).await {
        Ok(answer) => Fetched::collect(answer).await,
        Err(error) => Err(error),
    };
    let (status, headers, body) = match fetched {
        Ok(page) => (Some(page.status), page.headers, page.body),
        // What came of its host's robots.txt is no answer of the file.
        Err(error) if find::<RobotsRefusal>(&*error).is_some() => return Err(error),
        Err(error) => match (find::<RedirectError>(&*error), redirected) {
            (Some(RedirectError::Hop { chain, .. }), Redirected::Stop) => {
                (chain.last().map(|hop| hop.status), HeaderMap::new(), Bytes::new())
            }
            _ => match stack::of_robots_txt(&*error) {
                FetchFailure::NoAnswer => (None, HeaderMap::new(), Bytes::new()),
                // RFC 9309 section 2.3.1.2: as if there were no file.
                FetchFailure::TooManyRedirects => {
                    (Some(StatusCode::NOT_FOUND), HeaderMap::new(), Bytes::new())
                }
                _ => return Err(error),
            },
        },
    };
    Ok(Answer { status, headers, body, authority })
}

/// An error with what lies behind it.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    for source in std::iter::successors(error.source(), |error| error.source()) {
        let more = source.to_string();
        if !said.contains(&more) {
            said = format!("{said}: {more}");
        }
    }
    said
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}
