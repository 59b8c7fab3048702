//! A server that sends exactly the bytes it is told to, and a client for it.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bot_etiquette_fetch::{AddressPolicy, FetchError, FetchLimits, Fetched, Fetcher};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// One thing a server does with a connection.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Bytes),
    Wait(Duration),
    /// Sends these bytes again and again, with a pause each time.
    Forever(Bytes, Duration),
    /// Takes the request and says nothing more.
    Silence,
    Close,
    Reset,
}

pub(crate) fn send(bytes: impl AsRef<[u8]>) -> Step {
    Step::Send(Bytes::copy_from_slice(bytes.as_ref()))
}

pub(crate) fn forever(bytes: impl AsRef<[u8]>) -> Step {
    Step::Forever(Bytes::copy_from_slice(bytes.as_ref()), Duration::ZERO)
}

pub(crate) fn trickle(bytes: impl AsRef<[u8]>) -> Step {
    Step::Forever(Bytes::copy_from_slice(bytes.as_ref()), Duration::from_millis(3))
}

/// A whole answer with these extra header lines.
pub(crate) fn whole(headers: &str, body: &[u8]) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    vec![send([head.as_bytes(), body].concat())]
}

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    sent: Arc<AtomicU64>,
}

impl Site {
    /// Serves on loopback what `script` says for each path.
    pub(crate) async fn start(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let site = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            connections: Arc::default(),
            sent: Arc::default(),
        };
        let (requests, connections, sent) =
            (Arc::clone(&site.requests), Arc::clone(&site.connections), Arc::clone(&site.sent));
        let script = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (requests, sent, script) =
                    (Arc::clone(&requests), Arc::clone(&sent), Arc::clone(&script));
                tokio::spawn(async move { serve(stream, &requests, &sent, &*script).await });
            }
        });
        site
    }

    pub(crate) async fn always(steps: Vec<Step>) -> Self {
        Self::start(move |_| steps.clone()).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The bytes that the clients took.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }
}

async fn serve(
    mut stream: TcpStream,
    requests: &Mutex<Vec<String>>,
    sent: &AtomicU64,
    script: &(dyn Fn(&str) -> Vec<Step> + Send + Sync),
) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            let mut chunk = [0; 4096];
            let length = stream.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
            read.extend_from_slice(&chunk[..length]);
        };
        let request = String::from_utf8(read.drain(..end).collect()).unwrap();
        let path = request.split(' ').nth(1).unwrap().to_owned();
        requests.lock().unwrap().push(request);
        for step in script(&path) {
            match step {
                Step::Send(bytes) => {
                    for piece in bytes.chunks(16 * 1024) {
                        stream.write_all(piece).await.ok()?;
                        sent.fetch_add(piece.len() as u64, Ordering::SeqCst);
                    }
                }
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Forever(bytes, pause) => loop {
                    stream.write_all(&bytes).await.ok()?;
                    sent.fetch_add(bytes.len() as u64, Ordering::SeqCst);
                    if !pause.is_zero() {
                        tokio::time::sleep(pause).await;
                    }
                },
                Step::Silence => std::future::pending().await,
                Step::Close => return None,
                Step::Reset => {
                    stream.set_zero_linger().ok()?;
                    return None;
                }
            }
        }
    }
}

/// Limits short enough for a test that waits for them.
pub(crate) fn quick() -> FetchLimits {
    FetchLimits::default().connect(Duration::from_millis(60)).total(Duration::from_millis(120))
}

pub(crate) fn fetcher(limits: FetchLimits) -> Fetcher {
    Fetcher::builder().limits(limits).addresses(AddressPolicy::loopback_only()).build().unwrap()
}

pub(crate) fn get(url: &str) -> Request<Full<Bytes>> {
    Request::get(url).body(Full::default()).unwrap()
}

/// Fetches, and fails the test should it hang.
pub(crate) async fn fetch(limits: FetchLimits, url: &str) -> Result<Fetched, FetchError> {
    in_time(fetcher(limits).fetch(get(url))).await
}

pub(crate) async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), work).await.expect("it hangs")
}
