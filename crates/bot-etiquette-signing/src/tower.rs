//! Layers for `tower` stacks: sign what goes out, verify what comes in, serve the key directory.
//!
//! Nothing here reads a clock or draws randomness: both are closures of the caller. Every layer is ready at
//! once; the inner service is a clone, driven when its request has come. No layer needs a tokio runtime: they run wherever
//! the services do.

mod directory;
mod keys;
mod sign;
mod verify;

pub use directory::DirectoryService;
pub use keys::DirectoryFetch;
pub use sign::{NotSigned, Sign, SignLayer};
pub use verify::{OnFailure, Verify, VerifyLayer, WEB_BOT_AUTH_CHALLENGE};

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use http::{HeaderMap, Method};
use tower_service::Service;

use crate::directory::{DirectoryError, address};
use crate::key::quoted;
use crate::{Component, Message};

/// The error of a [`SignLayer`]: that of the inner service, or [`NotSigned`], found by `downcast_ref`.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The future of a layer.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A source of the time.
type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The authorities of a host as a signature names them: in lower case, without the port 443.
fn authorities<A: AsRef<str>>(given: impl IntoIterator<Item = A>) -> Result<Arc<[String]>, DirectoryError> {
    let normal = |text: &str| {
        let refuse = || DirectoryError::Authority { found: quoted(text) };
        let uri = address(text).ok_or_else(refuse)?;
        let none = HeaderMap::new();
        Message::request_head(&Method::GET, &uri, &none).value(&Component::authority()).map_err(|_| refuse())
    };
    let list = given.into_iter().map(|text| normal(text.as_ref())).collect::<Result<Arc<[String]>, _>>()?;
    if list.is_empty() {
        return Err(DirectoryError::Authority { found: "none".to_owned() });
    }
    Ok(list)
}

/// Waits until `service` is ready.
async fn ready<S: Service<R>, R>(mut service: S) -> Result<S, S::Error> {
    poll_fn(|context| service.poll_ready(context)).await?;
    Ok(service)
}
