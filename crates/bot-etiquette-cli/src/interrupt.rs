//! When a person, or their script, ends a command that serves.

use std::io;

use crate::exit::Failure;

/// Waits for Ctrl-C, or SIGTERM where there is one.
pub(crate) async fn ended() -> Result<(), Failure> {
    signalled().await.map_err(|error| Failure::new(format_args!("cannot listen for Ctrl-C: {error}")))
}

#[cfg(unix)]
async fn signalled() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = tokio::signal::ctrl_c() => ended,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signalled() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
