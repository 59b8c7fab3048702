//! A running browser: its process, its profile, its connection.

use std::{
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::json;
use tempfile::TempDir;
use tokio::{
    io::AsyncReadExt,
    process::{Child, ChildStderr, Command},
    sync::watch,
    task::JoinHandle,
};

use crate::{
    RenderConfig, RenderError, Sandbox,
    cdp::{CallError, Connection, text},
    find::find,
    flags::flags,
    profile,
};

/// The oldest major version of Chromium that is taken: the first whose only headless mode is the browser itself.
pub const MIN_MAJOR: u32 = 132;

/// How long a browser may take until it answers.
const START: Duration = Duration::from_secs(60);
/// How long it may take to end when it was asked to.
const END: Duration = Duration::from_secs(5);
/// How much of its standard error is kept.
const STDERR: usize = 4_096;

/// Gives the browser its two pipes as the file descriptors 3 and 4, where it looks for them. `exec`: the process keeps
/// its id, and the shell is gone.
pub(crate) const PIPES: &str = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>&2"#;

/// Which browser renders.
///
/// ```
/// use bot_etiquette_render::BrowserVersion;
///
/// let version = BrowserVersion::parse("Chrome/156.0.8078.114").ok_or("no version")?;
/// assert_eq!((version.major, version.full.as_str()), (156, "156.0.8078.114"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BrowserVersion {
    /// The major version, which belongs into a User-Agent.
    pub major: u32,
    /// The whole version.
    pub full: String,
}

impl BrowserVersion {
    /// Reads the browser's product, `Chrome/156.0.8078.114`.
    #[must_use]
    pub fn parse(product: &str) -> Option<Self> {
        let full = product.rsplit_once('/')?.1;
        let major = full.split('.').next()?.parse().ok()?;
        Some(Self { major, full: full.to_owned() })
    }
}

#[derive(Debug)]
pub(crate) struct Browser {
    pub(crate) connection: Connection,
    pub(crate) version: BrowserVersion,
    pub(crate) process: Option<u32>,
    /// Set to end the process.
    end: watch::Sender<bool>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

impl Browser {
    pub(crate) async fn start(config: &RenderConfig) -> Result<Self, RenderError> {
        let program = find(config.browser.as_deref())?;
        let failed = |source| RenderError::Start { browser: program.clone(), source };
        let profile = profile::new(&std::env::temp_dir()).map_err(failed)?;
        if config.sandbox == Sandbox::Required && belongs_to_root(profile.path()) {
            return Err(RenderError::Root);
        }
        let mut child = command(config, &program, profile.path()).spawn().map_err(failed)?;
        let process = child.id();
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(std::io::Error::other("the pipes are missing")));
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let listening = tokio::spawn(keep_tail(stderr, said.clone()));
        let connection = Connection::open(stdout, stdin);
        let (end, ended) = watch::channel(false);
        let keeper = tokio::spawn(keep(child, profile, ended));
        let mut browser = Self {
            connection,
            version: BrowserVersion { major: 0, full: String::new() },
            process,
            end,
            keeper: Mutex::new(Some(keeper)),
        };
        let ready = tokio::time::timeout(START, browser.greet()).await;
        let not_ready = |reason: String| {
            let said = said.lock().unwrap_or_else(PoisonError::into_inner);
            let stderr = String::from_utf8_lossy(&said).into_owned();
            RenderError::NotReady { browser: program.clone(), reason, stderr }
        };
        match ready {
            Ok(Ok(product)) => {
                let version = BrowserVersion::parse(&product).filter(|version| version.major >= MIN_MAJOR);
                browser.version = version.ok_or(RenderError::Version { found: product, least: MIN_MAJOR })?;
                Ok(browser)
            }
            Ok(Err(CallError::Refused(message))) => {
                Err(not_ready(format!("it refused a command: {message}")))
            }
            Ok(Err(CallError::Closed)) => {
                // Its last words come with its end.
                let _ = tokio::time::timeout(END, listening).await;
                Err(not_ready("it ended".to_owned()))
            }
            Err(_) => Err(not_ready(format!("it did not answer within {START:?}"))),
        }
    }

    /// Asks who it is, and has every target held at its start from now on, the ones the browser opens for a page
    /// included.
    async fn greet(&self) -> Result<String, CallError> {
        let version = self.connection.call("", "Browser.getVersion", json!({})).await?;
        self.connection.call("", "Target.setAutoAttach", hold_all()).await?;
        Ok(text(&version, "product").to_owned())
    }

    /// Ends the process without asking it.
    pub(crate) fn kill(&self) {
        self.end.send_replace(true);
    }

    /// Ends the process and waits until it, and its profile, are gone.
    pub(crate) async fn close(&self) {
        let asked = self.connection.call("", "Browser.close", json!({}));
        let _ = tokio::time::timeout(END, asked).await;
        self.kill();
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            let _ = keeper.await;
        }
    }
}

/// `Target.setAutoAttach`: each new target stops before its first step, and its session is ours.
pub(crate) fn hold_all() -> serde_json::Value {
    json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
}

fn command(config: &RenderConfig, program: &Path, profile: &Path) -> Command {
    let mut words = config.run_under.iter().cloned().chain(["/bin/sh", "-c", PIPES, "sh"].map(Into::into));
    let mut command = Command::new(words.next().unwrap_or_default());
    command
        .args(words)
        .arg(program)
        .args(flags(profile, config.sandbox))
        // Nothing of the crawler's surroundings reaches a page's process; what it writes goes with the profile.
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs(["HOME", "TMPDIR", "XDG_RUNTIME_DIR"].map(|name| (name, profile)))
        .envs([("TZ", "UTC"), ("LANG", "C.UTF-8"), ("DBUS_SESSION_BUS_ADDRESS", "disabled:")])
        .current_dir(profile)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Waits for the process to end, ends it when told to or when nobody is left to tell, and takes its profile away.
async fn keep(mut child: Child, profile: TempDir, mut end: watch::Receiver<bool>) {
    tokio::select! {
        _ = child.wait() => {}
        () = async { drop(end.wait_for(|end| *end).await) } => {
            let _ = child.start_kill();
            let _ = child.wait().await;
        }
    }
    // Its helpers end on their own when it is gone, and may still be writing.
    for pause in [0, 50, 200, 1_000] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if tokio::fs::remove_dir_all(profile.path()).await.is_ok() {
            break;
        }
    }
}

async fn keep_tail(mut stderr: ChildStderr, said: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 1_024];
    while let Ok(read) = stderr.read(&mut piece).await {
        let Some(new) = piece.get(..read).filter(|new| !new.is_empty()) else { break };
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(new);
        let above = said.len().saturating_sub(STDERR);
        said.drain(..above);
    }
}

/// Whether this process is root: the folder it just made is.
#[cfg(unix)]
fn belongs_to_root(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).is_ok_and(|folder| folder.uid() == 0)
}

#[cfg(not(unix))]
fn belongs_to_root(_folder: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_or_there_is_none() {
        for (product, major) in [
            ("Chrome/156.0.8078.114", Some(156)),
            ("HeadlessChrome/132.0.1.2", Some(132)),
            ("Chrome/x", None),
            ("Chrome", None),
            ("", None),
        ] {
            assert_eq!(BrowserVersion::parse(product).map(|version| version.major), major, "{product}");
        }
    }
}
