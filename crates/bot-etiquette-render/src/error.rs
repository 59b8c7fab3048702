//! [`RenderError`]: why a page was not rendered, and what to change.

use std::{io, path::PathBuf, time::Duration};

/// Why a browser could not be had, or a page not be rendered.
///
/// [`is_about_the_page`](Self::is_about_the_page) tells what a crawl does next: mark this page and go on, or render no
/// page at all.
///
/// ```
/// use bot_etiquette_render::RenderError;
///
/// let error = RenderError::NoBrowser { looked: vec!["/usr/bin/chromium".into()] };
/// assert!(!error.is_about_the_page());
/// assert_eq!(
///     error.to_string(),
///     "no Chromium found (looked for /usr/bin/chromium): install one, on Debian the package chromium, or name it with \
///      RenderConfig::browser",
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// There is no browser where one was looked for.
    #[error(
        "no Chromium found (looked for {}): install one, on Debian the package chromium, or name it with RenderConfig::browser",
        list(looked)
    )]
    NoBrowser {
        /// The files and names that were tried.
        looked: Vec<PathBuf>,
    },
    /// A setting cannot be.
    #[error("RenderConfig::{field}: {reason}")]
    Config {
        /// The setting.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The process runs as root, where Chromium's sandbox does not work, and nobody chose to go without.
    #[error(
        "Chromium does not run as root with its sandbox: run as another user, or choose RenderConfig::sandbox(Sandbox::Off), \
         with which a page that breaks out of the browser is root"
    )]
    Root,
    /// The browser could not be started.
    #[error("{} could not be started: {source}", browser.display())]
    Start {
        /// The program.
        browser: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The browser ended, or did not answer, before it was ready.
    #[error("{} did not become ready: {reason}{}", browser.display(), tail(stderr))]
    NotReady {
        /// The program.
        browser: PathBuf,
        /// What happened.
        reason: String,
        /// The end of what it wrote to its standard error.
        stderr: String,
    },
    /// The browser is too old, or none whose version can be read.
    #[error("{found} is no browser that can be sealed: Chromium {least} or newer is needed")]
    Version {
        /// What it says it is.
        found: String,
        /// The oldest major version that will do.
        least: u32,
    },
    /// What was to be rendered cannot be.
    #[error("the page cannot be rendered: {reason}")]
    Input {
        /// What is wrong with it.
        reason: String,
    },
    /// The browser ended while it had the page. The next page gets a new browser.
    #[error("the browser ended while it had the page")]
    BrowserLost,
    /// The process of the page crashed. The browser goes on.
    #[error("the page's process crashed")]
    PageCrashed,
    /// The browser did not answer in time. It is replaced.
    #[error("the browser did not answer {what} within {limit:?}")]
    Hung {
        /// What it was asked.
        what: &'static str,
        /// How long it was given.
        limit: Duration,
    },
    /// The page made more noise than is listened to.
    #[error("the page caused more events than are kept ({limit})")]
    Flooded {
        /// How many may wait to be read.
        limit: usize,
    },
    /// The browser refused a command.
    #[error("the browser refused {method}: {message}")]
    Command {
        /// The command of the DevTools protocol.
        method: &'static str,
        /// What it said.
        message: String,
    },
}

impl RenderError {
    /// Whether the error is this page's, so that the next one may go well. The others stand until something is
    /// installed or set otherwise.
    #[must_use]
    pub const fn is_about_the_page(&self) -> bool {
        match self {
            Self::NoBrowser { .. }
            | Self::Config { .. }
            | Self::Root
            | Self::Start { .. }
            | Self::NotReady { .. }
            | Self::Version { .. } => false,
            Self::Input { .. }
            | Self::BrowserLost
            | Self::PageCrashed
            | Self::Hung { .. }
            | Self::Flooded { .. }
            | Self::Command { .. } => true,
        }
    }
}

fn list(looked: &[PathBuf]) -> String {
    looked.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn tail(stderr: &str) -> String {
    let said = stderr.trim();
    if said.is_empty() { String::new() } else { format!("; it said: {said}") }
}
