//! The referee: sites on loopback, and at the end the report.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use crate::clock::Clock;
use crate::judge::{self, Precision};
use crate::promise::{Held, Promise, PromiseError};
use crate::report::Report;
use crate::server;
use crate::site::Site;
use crate::sites::Sites;
use crate::state::Shared;

/// Requests recorded at the most; those beyond it are not answered.
const MAX_REQUESTS: usize = 1_000_000;
/// Connections served at once; more wait to be accepted.
const MAX_CONNECTIONS: usize = 4096;
/// Bytes that the system may hold of an answer: small, so that what is written has nearly been taken.
const SEND_BUFFER: u32 = 64 * 1024;

/// Sites that watch a crawler.
///
/// They live on loopback until [`finish`](Self::finish) or drop. A crawler reaches a site by its address, or sends its
/// name as Host to any of them.
///
/// ```
/// use bot_etiquette_referee::{Page, Promise, Referee, Rule, Site};
/// use std::io::{Read, Write};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
/// let referee = Referee::builder()
///     .site(Site::new("example.com").robots("User-agent: *\nDisallow: /private/").page(Page::new("/").body("hello")))
///     .promise(Promise::new().robots_first(true).closed_path("/private/"))
///     .start()
///     .await?;
///
/// // A crawler that never heard of robots.txt:
/// let address = referee.address("example.com").ok_or("no such site")?;
/// let answer = tokio::task::spawn_blocking(move || {
///     let mut stream = std::net::TcpStream::connect(address)?;
///     stream.write_all(b"GET /private/diary HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")?;
///     let mut answer = String::new();
///     stream.read_to_string(&mut answer).map(|_| answer)
/// }).await??;
/// assert!(answer.starts_with("HTTP/1.1 404"));
///
/// let report = referee.finish().await;
/// assert_eq!(report.broken(), [Rule::RobotsFirst, Rule::ClosedPath]);
/// # Ok(()) }) }
/// ```
#[derive(Debug)]
pub struct Referee {
    shared: Arc<Shared>,
    /// Dropped with the referee, which ends every task.
    _tasks: JoinSet<()>,
}

/// What a referee is made of.
#[derive(Debug, Clone)]
#[must_use]
pub struct Builder {
    sites: Vec<Site>,
    promise: Promise,
    scale: f64,
    start: Option<(Instant, SystemTime)>,
    listen: SocketAddr,
    own_addresses: bool,
}

/// Why a referee could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The promise cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// There is no site to be asked.
    #[error("no site: a crawler needs at least one to visit")]
    NoSite,
    /// A site's name is no host name, or is used twice.
    #[error("site {name:?} {problem}")]
    Site {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The time scale is no positive number.
    #[error("time_scale is {0}: give a number above 0, such as 1.0")]
    TimeScale(f64),
    /// The address to listen on is not on loopback.
    #[error(
        "listen address {0} is not on loopback: a referee serves nobody else, give one such as 127.0.0.2:0"
    )]
    NotLoopback(SocketAddr),
    /// An address could not be had.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
}

impl Referee {
    /// Begins to describe one: no sites, a promise of nothing, real time, any free port of 127.0.0.1.
    pub fn builder() -> Builder {
        Builder {
            sites: Vec::new(),
            promise: Promise::new(),
            scale: 1.0,
            start: None,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            own_addresses: false,
        }
    }

    /// Where a site is reached.
    #[must_use]
    pub fn address(&self, site: &str) -> Option<SocketAddr> {
        self.addresses().find(|(name, _)| *name == site).map(|(_, address)| address)
    }

    /// Every site and where it is reached, in the order they were given.
    pub fn addresses(&self) -> impl Iterator<Item = (&str, SocketAddr)> {
        self.shared.sites.iter()
    }

    /// How many requests have come.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.shared.requests()
    }

    /// The report as of now; what is still open has been open until now.
    #[must_use]
    pub fn report(&self) -> Report {
        let (records, silent) = self.shared.seen();
        let precision = Precision::Watched { scale: self.shared.clock.scale() };
        judge::judge(records, &silent, &self.shared.held, precision, self.shared.clock.now())
    }

    /// Ends the watch and gives the report. Answers under way get a tenth of a second to be noted.
    ///
    /// # Panics
    ///
    /// Awaited elsewhere than in a tokio runtime with its timer, while an answer is under way.
    pub async fn finish(self) -> Report {
        for _ in 0..10 {
            if !self.shared.is_busy() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.report()
    }
}

impl Builder {
    /// One more site.
    pub fn site(mut self, site: Site) -> Self {
        self.sites.push(site);
        self
    }

    /// What the crawler is held to.
    pub fn promise(mut self, promise: Promise) -> Self {
        self.promise = promise;
        self
    }

    /// Scaled seconds in a real one; 1 by default. Every duration of the promise, the pages and the report is
    /// scaled, for a crawler whose own clock runs so fast. The 20 ms that a start may be noticed late are real.
    pub const fn time_scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// The moment at which scaled time and wall time were the same, for a crawler that shares its clock; the
    /// moment of starting by default.
    pub const fn started_at(mut self, instant: Instant, wall: SystemTime) -> Self {
        self.start = Some((instant, wall));
        self
    }

    /// The address of the first site, and of all others unless they have their own. Loopback only.
    pub const fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = address;
        self
    }

    /// Gives each site an address of its own, counting up from the first: 127.0.0.2, 127.0.0.3 and so on, under one
    /// port.
    pub const fn own_addresses(mut self, own: bool) -> Self {
        self.own_addresses = own;
        self
    }

    /// Checks everything and starts to serve, on the runtime this is awaited in.
    ///
    /// # Errors
    ///
    /// A promise nobody can keep, a site without a usable name, a scale that is none, or an address that cannot be had.
    ///
    /// # Panics
    ///
    /// Awaited elsewhere than in a tokio runtime with I/O and its timer (`enable_all`).
    pub async fn start(self) -> Result<Referee, StartError> {
        let names = site_names(&self.sites)?;
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(StartError::TimeScale(self.scale));
        }
        if !self.listen.ip().is_loopback() {
            return Err(StartError::NotLoopback(self.listen));
        }
        let held = Held::new(self.promise, Some(&names))?;
        let count = if self.own_addresses { self.sites.len() } else { 1 };
        let listeners = listeners(self.listen, count)?;
        let mut addresses = listeners.iter().map(|(address, _)| *address).collect::<Vec<_>>();
        if let (false, Some(first)) = (self.own_addresses, addresses.first().copied()) {
            addresses = vec![first; self.sites.len()];
        }
        let (instant, wall) = self.start.unwrap_or_else(Clock::started_now);
        let clock = Clock::new(instant, wall, self.scale);
        let shared = Arc::new(Shared::new(clock, Sites::new(self.sites, addresses), held, MAX_REQUESTS));
        let mut tasks = JoinSet::new();
        for (_, listener) in listeners {
            tasks.spawn(accept(listener, Arc::clone(&shared)));
        }
        Ok(Referee { shared, _tasks: tasks })
    }
}

fn site_names(sites: &[Site]) -> Result<Vec<String>, StartError> {
    let mut names: Vec<String> = Vec::new();
    for site in sites {
        let name = site.name.clone();
        let good = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        if !good {
            return Err(StartError::Site {
                name,
                problem: "is no host name: give one such as a.example, without a port",
            });
        }
        if names.contains(&name) {
            return Err(StartError::Site { name, problem: "is there twice: give each site its own name" });
        }
        names.push(name);
    }
    if names.is_empty() { Err(StartError::NoSite) } else { Ok(names) }
}

/// Listens on `count` addresses that follow each other, all under the port of the first.
fn listeners(first: SocketAddr, count: usize) -> Result<Vec<(SocketAddr, TcpListener)>, StartError> {
    /// Tries at finding a port that is free on all of them.
    const TRIES: u32 = 20;
    let mut tries = 0;
    loop {
        tries += 1;
        let mut listeners: Vec<(SocketAddr, TcpListener)> = Vec::new();
        let mut wanted = first;
        let failed = (0..count).find_map(|_| match listen(wanted) {
            Ok((address, listener)) => {
                wanted = SocketAddr::new(next(address.ip()), address.port());
                listeners.push((address, listener));
                None
            }
            Err(source) => Some(StartError::Listen { address: wanted, source }),
        });
        match failed {
            None => return Ok(listeners),
            Some(_) if first.port() == 0 && !listeners.is_empty() && tries < TRIES => {}
            Some(error) => return Err(error),
        }
    }
}

/// The next address of the loopback net; IPv6 has but one.
fn next(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits().saturating_add(1))),
        IpAddr::V6(_) => address,
    }
}

fn listen(address: SocketAddr) -> io::Result<(SocketAddr, TcpListener)> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    let listener = socket.listen(1024)?;
    Ok((listener.local_addr()?, listener))
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(server::serve(stream, Arc::clone(&shared)));
        } else {
            // Out of file descriptors, most likely: some will be given back.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
