//! Where a bot runs: the real network, or a world that is served on loopback under other hosts' names.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_etiquette::fetch::{AddressPolicy, FetcherBuilder, ResolverOverride};
use bot_etiquette::referee::{Builder, Promise, Referee, Report, Site};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::clock::{Clock, NotLoopback};
use crate::exit::Usage;
use crate::stack::BoxError;

/// The time, and who is behind each name.
#[derive(Clone)]
pub struct World {
    /// The time.
    pub clock: Clock,
    /// The hosts of a served world; `None` where names are looked up as usual.
    hosts: Option<BTreeMap<String, SocketAddr>>,
    addresses: AddressPolicy,
}

/// A served world as a file, for processes that share it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Map {
    /// How fast its clock runs.
    scale: u32,
    /// What the machine's clock said when it began, in milliseconds since the Unix epoch.
    began: u64,
    /// What its own clock said at that moment.
    wall: u64,
    /// Who is behind each name.
    hosts: BTreeMap<String, SocketAddr>,
}

impl World {
    /// The real network, at these ports beside 80 and 443.
    #[must_use]
    pub fn real(ports: &[u16]) -> Self {
        let addresses = ports.iter().fold(AddressPolicy::default(), |policy, port| policy.allow_port(*port));
        Self { clock: Clock::real(), hosts: None, addresses }
    }

    /// This machine alone, in real time.
    #[must_use]
    pub fn loopback() -> Self {
        Self { clock: Clock::real(), hosts: None, addresses: AddressPolicy::loopback_only() }
    }

    /// Where these addresses are: this machine alone if each of them is on it, else the real network at these ports beside 80
    /// and 443, from where nothing on this machine is reached.
    #[must_use]
    pub fn of<'u>(urls: impl IntoIterator<Item = &'u Url>, ports: &[u16]) -> Self {
        let mut urls = urls.into_iter().peekable();
        match urls.peek().is_some() && urls.all(is_loopback) {
            true => Self::loopback(),
            false => Self::real(ports),
        }
    }

    /// The world that another process serves, from the file it wrote.
    ///
    /// # Errors
    /// A [`Usage`] that names the file; a world off loopback is refused.
    pub fn read(file: &Path) -> Result<Self, Usage> {
        let wrong = |error: &dyn std::fmt::Display| Usage::new(format!("world {}: {error}", file.display()));
        let text = std::fs::read(file).map_err(|error| wrong(&error))?;
        let map: Map = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        Self::served(map).map_err(|error| wrong(&error))
    }

    fn served(map: Map) -> Result<Self, NotLoopback> {
        let addresses: Vec<_> = map.hosts.values().copied().collect();
        let wall = UNIX_EPOCH + Duration::from_millis(map.wall);
        let began = UNIX_EPOCH + Duration::from_millis(map.began);
        let clock = Clock::joined(map.scale, began, wall, &addresses)?;
        Ok(Self { clock, hosts: Some(map.hosts), addresses: AddressPolicy::loopback_only() })
    }

    /// Whether nothing but this machine is ever asked.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.addresses.is_loopback_only()
    }

    /// The hosts of a served world.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().flatten().map(|(name, _)| name.as_str())
    }

    /// Lets a fetcher reach this world and nothing else.
    pub fn reach(&self, builder: FetcherBuilder) -> FetcherBuilder {
        let builder = builder.addresses(self.addresses.clone());
        let Some(hosts) = &self.hosts else { return builder };
        let names = hosts.iter().fold(ResolverOverride::only(), |names, (name, at)| names.host(name, *at));
        builder.resolver(names)
    }
}

/// A world that this process serves, and the referee who watches there.
pub struct Demo {
    referee: Referee,
    map: Map,
}

impl Demo {
    /// Serves these sites to a crawler that made this promise, with a clock that runs `scale` times as fast.
    ///
    /// # Errors
    /// When a site or the promise is none, or no address can be listened on.
    pub async fn start(sites: Vec<Site>, promise: Promise, scale: u32) -> Result<Self, BoxError> {
        let builder = sites.into_iter().fold(Referee::builder(), |builder, site| builder.site(site));
        Self::serve(builder.promise(promise), scale).await
    }

    /// As [`start`](Self::start), for a referee that is prepared already, such as that of a scenario.
    ///
    /// # Errors
    /// As there.
    pub async fn serve(referee: Builder, scale: u32) -> Result<Self, BoxError> {
        let clock = Clock::real();
        let (instant, wall) = clock.started();
        let referee = referee.time_scale(scale.into()).started_at(instant, wall).start().await?;
        let hosts = referee.addresses().map(|(name, address)| (name.to_owned(), address)).collect();
        let wall = millis(wall);
        Ok(Self { referee, map: Map { scale, began: wall, wall, hosts } })
    }

    /// The world as the bot sees it.
    ///
    /// # Errors
    /// None that a referee's own addresses could cause.
    pub fn world(&self) -> Result<World, NotLoopback> {
        let Map { scale, began, wall, ref hosts } = self.map;
        World::served(Map { scale, began, wall, hosts: hosts.clone() })
    }

    /// Writes the world down, for a bot in another process.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        std::fs::write(file, serde_json::to_vec_pretty(&self.map)?)
    }

    /// How many requests have come so far.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.referee.requests()
    }

    /// What the referee has seen so far.
    #[must_use]
    pub fn report(&self) -> Report {
        self.referee.report()
    }

    /// What the referee saw.
    pub async fn finish(self) -> Report {
        self.referee.finish().await
    }
}

/// Whether a URL names this machine, by its loopback addresses or as `localhost`.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

fn millis(time: SystemTime) -> u64 {
    let passed = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail so")]

    use super::*;

    #[test]
    fn loopback_is_told_from_names_that_look_like_it() {
        for (url, expected) in [
            ("http://127.0.0.1:8080/", true),
            ("http://127.9.9.9/", true),
            ("http://0x7f.1/", true),
            ("http://[::1]/", true),
            ("http://localhost/", true),
            ("http://a.localhost/", true),
            ("http://localhost.example.com/", false),
            ("http://127.0.0.1.example.com/", false),
            ("http://10.0.0.1/", false),
            ("http://[::ffff:10.0.0.1]/", false),
        ] {
            let url = url.parse().unwrap();
            assert_eq!(is_loopback(&url), expected, "{url}");
            assert_eq!(World::of([&url], &[]).is_loopback(), expected, "{url}");
            let here = "http://127.0.0.1/".parse().unwrap();
            assert_eq!(World::of([&here, &url], &[]).is_loopback(), expected, "{url} and {here}");
        }
    }
}
