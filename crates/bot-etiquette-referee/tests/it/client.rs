//! A client that sends what it is told, over plain sockets.
#![expect(clippy::disallowed_methods, reason = "a client of a real socket waits in real time")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use bot_etiquette_referee::{Promise, Referee, Report, Site};
use tokio::runtime::Runtime;

/// A running referee and the runtime it lives in.
pub(crate) struct Rig {
    runtime: Runtime,
    pub(crate) referee: Referee,
}

impl Rig {
    #[track_caller]
    pub(crate) fn new(sites: impl IntoIterator<Item = Site>, promise: Promise, scale: f64) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let builder = Referee::builder().promise(promise).time_scale(scale);
        let builder = sites.into_iter().fold(builder, |builder, site| builder.site(site));
        let referee = runtime.block_on(builder.start()).unwrap();
        Self { runtime, referee }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.referee.addresses().next().unwrap().1
    }

    pub(crate) fn finish(self) -> Report {
        self.runtime.block_on(self.referee.finish())
    }

    /// Asks on a connection of its own.
    pub(crate) fn ask(&self, method: &str, url: &str, fields: &[(&str, &str)]) -> Reply {
        Connection::open(self.address()).ask(method, url, fields)
    }

    pub(crate) fn get(&self, url: &str) -> Reply {
        self.ask("GET", url, &[])
    }
}

/// One connection to the sites.
pub(crate) struct Connection(BufReader<TcpStream>);

/// An answer; `status` 0 is none.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self(BufReader::new(stream))
    }

    /// How long to wait for an answer.
    pub(crate) fn patience(&self, patience: Duration) {
        self.0.get_ref().set_read_timeout(Some(patience)).unwrap();
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// `url` is `host/path`.
    pub(crate) fn request(&mut self, method: &str, url: &str, fields: &[(&str, &str)]) {
        let (host, path) = url.split_at(url.find('/').unwrap());
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
        for (name, value) in fields.iter().filter(|(name, _)| *name != "body") {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = fields.iter().find(|(name, _)| *name == "body").map_or("", |(_, body)| body);
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.send(format!("{text}\r\n{body}").as_bytes());
    }

    pub(crate) fn ask(&mut self, method: &str, url: &str, fields: &[(&str, &str)]) -> Reply {
        self.request(method, url, fields);
        self.read(method, u64::MAX)
    }

    /// Reads an answer, and at most so many bytes of its body.
    pub(crate) fn read(&mut self, method: &str, most: u64) -> Reply {
        let mut reply = Reply::default();
        let mut line = String::new();
        if self.0.read_line(&mut line).unwrap_or_default() == 0 {
            return reply;
        }
        reply.status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        loop {
            line.clear();
            if self.0.read_line(&mut line).unwrap_or_default() == 0 || line.trim().is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap();
            reply.headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let length = reply.value("content-length").and_then(|length| length.parse().ok()).unwrap_or(0_u64);
        if method != "HEAD" && reply.status != 304 {
            let _ = (&mut self.0).take(length.min(most)).read_to_end(&mut reply.body);
        }
        reply
    }
}

pub(crate) fn pause(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Unix seconds, and some on.
pub(crate) fn unix(on: i64) -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap() + on
}
