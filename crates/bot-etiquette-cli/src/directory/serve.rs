//! `directory serve`

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette_signing::DIRECTORY_PATH;
use bot_etiquette_signing::directory::PublishedKey;
use bot_etiquette_signing::tower::DirectoryService;
use clap::Args;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::directory;
use crate::exit::{Answer, Failure};
use crate::{input, interrupt, key, output, time};

/// Connections open at once at the most; more wait.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to send its request.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);
/// How long to wait when the system has no connection to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// `directory serve --key FILE... --listen ADDR`, until Ctrl-C or SIGTERM.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// A secret key file; give it several times for several keys.
    #[arg(long = "key", value_name = "FILE", required = true, num_args = 1.., value_parser = input::source)]
    keys: Vec<String>,
    /// The loopback address to listen on, such as 127.0.0.1:8080; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", value_parser = loopback)]
    listen: SocketAddr,
    /// A host to sign for when a web server in front passes its requests on; by default the address alone.
    #[arg(long, value_name = "HOST")]
    authority: Vec<String>,
}

/// Reads an address of this machine alone.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}").parse(),
        None => text.parse(),
    }
    .map_err(|_| "expected an address and port such as 127.0.0.1:8080".to_owned())?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err("only loopback is served (127.0.0.1 or [::1]): put a web server in front for the world"
            .to_owned())
    }
}

pub(super) fn run(options: &Serve) -> Result<Answer, Failure> {
    let keys = options.keys.iter().map(|file| key::signing_key(file).map(PublishedKey::new));
    let directory = directory(keys.collect::<Result<Vec<_>, _>>()?)?;
    let failure = |error| Failure::new(format_args!("{}: cannot listen: {error}", options.listen));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failure)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.listen).await.map_err(failure)?;
        let address = listener.local_addr().map_err(failure)?;
        let mut authorities = options.authority.clone();
        authorities.push(address.to_string());
        authorities.push(format!("localhost:{}", address.port()));
        let service = DirectoryService::new(directory, &authorities, time::now).map_err(Failure::new)?;
        output::text(format!("http://{address}{DIRECTORY_PATH}\n").as_bytes())?;
        tokio::select! {
            () = accept(&listener, &service) => {}
            ended = interrupt::ended() => ended?,
        }
        Ok(Answer::Yes)
    })
}

/// Serves until it is dropped.
async fn accept(listener: &TcpListener, service: &DirectoryService) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(REQUEST_LIMIT);
            // A client that goes away harms nobody.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}
