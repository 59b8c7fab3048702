//! A browser for the tests, a crawler small enough to read, and sockets that nobody may reach.

use std::{
    collections::HashMap,
    io::{self, Write as _},
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use bot_etiquette_render::{
    Answer, Cause, Kind, Outcome, PageInput, RenderConfig, RenderError, Rendered, Renderer, Sandbox,
};
use bytes::Bytes;
use http::{Request, Response};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UdpSocket},
    task::JoinHandle,
};

pub(crate) const AGENT: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) \
    Chrome/156.0.0.0 Mobile Safari/537.36 (compatible; ShopBot/1.0; bot; +https://bot.example)";

/// Starts a browser, or says that the calling test is left out for want of one.
pub(crate) async fn launch(test: &str, config: RenderConfig) -> Option<Renderer> {
    match Renderer::launch(config.clone()).await {
        // Here all run as root in a container of their own.
        Err(RenderError::Root) => {
            Some(Renderer::launch(config.sandbox(Sandbox::Off)).await.expect("a browser without its sandbox"))
        }
        Err(error @ RenderError::NoBrowser { .. }) => {
            assert!(
                std::env::var_os("BOT_ETIQUETTE_BROWSER").is_none_or(|wanted| wanted != "required"),
                "{error}"
            );
            // Past the capture of the test harness: a test that did not run is told of.
            let _ = writeln!(
                io::stderr(),
                "left out: {test}: no Chromium; on Debian the package chromium brings one"
            );
            None
        }
        result => Some(result.expect("a browser")),
    }
}

/// `let Some(renderer) = browser!() else { return };` with the test's own name.
macro_rules! browser {
    ($config:expr) => {{
        fn here() {}
        let name = std::any::type_name_of_val(&here);
        let name = name.trim_end_matches("::{{closure}}::here").trim_end_matches("::here");
        crate::support::launch(name, $config).await
    }};
    () => {
        browser!(bot_etiquette_render::RenderConfig::default())
    };
}
pub(crate) use browser;

pub(crate) fn page(url: &str, html: &str) -> PageInput {
    PageInput::new(url.parse().unwrap(), html.to_owned(), AGENT)
}

/// A crawler's answers from memory, and what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    files: Arc<HashMap<String, (u16, String, String)>>,
    pub(crate) asked: Arc<Mutex<Vec<Request<Bytes>>>>,
}

impl Memory {
    /// Files by URL, each with its content type.
    pub(crate) fn new(files: &[(&str, &str, &str)]) -> Self {
        let files =
            files.iter().map(|(url, kind, body)| ((*url).into(), (200, (*kind).into(), (*body).into())));
        Self { files: Arc::new(files.collect()), asked: Arc::default() }
    }

    pub(crate) fn answer(&self, request: Request<Bytes>) -> impl Future<Output = Answer> + Send + 'static {
        let file = self.files.get(&request.uri().to_string()).cloned();
        self.asked.lock().unwrap().push(request);
        async move {
            let (status, kind, body) = file.unwrap_or((404, "text/plain".into(), String::new()));
            let answer = Response::builder().status(status).header("content-type", kind);
            Ok(answer.header("access-control-allow-origin", "*").body(body.into())?)
        }
    }

    pub(crate) async fn render(&self, renderer: &Renderer, page: PageInput) -> Rendered {
        renderer.render(page, |request| self.answer(request)).await.expect("a rendered page")
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|request| request.uri().to_string()).collect()
    }
}

/// A crawler that asks over the network, under its name.
pub(crate) async fn get(
    address: SocketAddr,
    host: &str,
    request: &Request<Bytes>,
) -> io::Result<Response<Bytes>> {
    let mut stream = TcpStream::connect(address).await?;
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let head = format!(
        "{} {target} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {AGENT}\r\nConnection: close\r\n\r\n",
        request.method()
    );
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(502);
    let mut response = Response::builder().status(status);
    for (name, value) in head.lines().skip(1).filter_map(|line| line.split_once(": ")) {
        response = response.header(name, value);
    }
    response.body(Bytes::from(body.to_owned())).map_err(io::Error::other)
}

/// Sockets on loopback that note everybody who comes.
pub(crate) struct Trap {
    pub(crate) tcp: u16,
    pub(crate) udp: u16,
    came: Arc<AtomicUsize>,
    tasks: [JoinHandle<()>; 2],
}

impl Trap {
    pub(crate) async fn set() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let (tcp, udp) = (listener.local_addr().unwrap().port(), socket.local_addr().unwrap().port());
        let came = Arc::new(AtomicUsize::new(0));
        let (of_tcp, of_udp) = (came.clone(), came.clone());
        let connections = tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                of_tcp.fetch_add(1, Ordering::SeqCst);
            }
        });
        let packets = tokio::spawn(async move {
            while socket.recv(&mut [0; 2_048]).await.is_ok() {
                of_udp.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { tcp, udp, came, tasks: [connections, packets] }
    }

    /// How many connections and packets came.
    pub(crate) fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// What became of each request of a kind, in order.
pub(crate) fn outcomes(rendered: &Rendered, kind: Kind) -> Vec<Outcome> {
    let of_kind = rendered.requests.iter().filter(|request| request.kind == kind);
    of_kind.map(|request| request.outcome.clone()).collect()
}

#[track_caller]
pub(crate) fn assert_blocked(rendered: &Rendered, kind: Kind, url_end: &str, cause: Cause) {
    let found =
        rendered.requests.iter().find(|request| request.kind == kind && request.url.ends_with(url_end));
    let Some(request) = found else {
        let all: Vec<String> = rendered
            .requests
            .iter()
            .map(|each| format!("{} {} {} {}", each.kind, each.method, each.url, each.outcome))
            .collect();
        panic!("no {kind} {url_end} in {all:#?}")
    };
    assert_eq!(request.outcome, Outcome::Blocked { cause }, "{request:?}");
}

/// The processes of a browser: itself and all below it.
#[cfg(target_os = "linux")]
pub(crate) fn processes(root: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for folder in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = folder.file_name().to_string_lossy().parse::<u32>() else { continue };
        let status = std::fs::read_to_string(folder.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<u32>().ok());
        parents.extend(parent.map(|parent| (id, parent)));
    }
    let mut family = vec![root];
    for index in 0.. {
        let Some(&id) = family.get(index) else { break };
        family.extend(parents.iter().filter(|(_, parent)| *parent == id).map(|(child, _)| *child));
    }
    family
}
