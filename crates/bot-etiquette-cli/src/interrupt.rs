//! When a person, or their script, ends a command that serves.

use std::io;

/// Waits for Ctrl-C or SIGTERM.
#[cfg(unix)]
pub(crate) async fn ended() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = tokio::signal::ctrl_c() => ended,
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn ended() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
