//! Ctrl-C: once to finish what is open, twice to leave at once.

use tokio::sync::watch;

use crate::exit::Exit;
use crate::talk;

/// Whether the person asked to stop; clones share it.
#[derive(Clone)]
pub struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Listens from now on. The second Ctrl-C ends the program.
    #[must_use]
    pub fn listen() -> Self {
        let (asked, seen) = watch::channel(false);
        tokio::spawn(async move {
            // Where the system tells nobody of Ctrl-C, it ends the program by itself.
            while tokio::signal::ctrl_c().await.is_ok() {
                if *asked.borrow() {
                    std::process::exit(Exit::Interrupted as i32);
                }
                talk::warn("stopping: what is open is finished; once more to leave at once");
                asked.send_replace(true);
            }
        });
        Self(seen)
    }

    /// Never asked to.
    #[must_use]
    pub fn never() -> Self {
        Self(watch::channel(false).1)
    }

    /// Whether it was asked.
    #[must_use]
    pub fn requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Ends when it is asked.
    pub async fn wait(&self) {
        let mut seen = self.0.clone();
        if seen.wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
