//! [`RenderConfig`]: which browser, and how much a page may cost.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use crate::{Policy, RenderError};

/// Whether the browser's own sandbox stands between a page and the machine.
///
/// ```
/// use bot_etiquette_render::{RenderConfig, Sandbox};
///
/// // In a container that holds nothing else, where all run as root:
/// let config = RenderConfig::default().sandbox(Sandbox::Off);
/// # assert_ne!(config, RenderConfig::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Sandbox {
    /// It does, or the browser is not started: as root Chromium refuses to run with it, and [`RenderError::Root`] says
    /// so. The default.
    #[default]
    Required,
    /// It does not (`--no-sandbox`): a page that breaks out of the browser has all the rights of this process. Only
    /// where the machine around it is worth nothing: a throw-away container, a test.
    Off,
}

/// Which browser is used, and how much a page may cost.
///
/// | setting | default | |
/// |---|---|---|
/// | [`browser`](Self::browser) | searched | Chromium or Chrome, [`MIN_MAJOR`](crate::MIN_MAJOR) or newer |
/// | [`sandbox`](Self::sandbox) | required | refused for root |
/// | [`run_under`](Self::run_under) | nothing | a command in front of the browser's, such as `unshare --net` |
/// | [`quiet`](Self::quiet) | 500 ms | no request, no new element for so long: settled |
/// | [`work`](Self::work) | 15 s | what the browser may take, while it does not wait for the crawler |
/// | [`wait`](Self::wait) | 60 s | what it may wait for the crawler, in all |
/// | [`requests`](Self::requests) | 200 | requests of one page that are put to the crawler |
/// | [`answer_bytes`](Self::answer_bytes) | 5,000,000 | the longest answer that is handed to the page |
/// | [`html_bytes`](Self::html_bytes) | 5,000,000 | the HTML read back, in UTF-16 units; cut above |
/// | [`pages`](Self::pages) | 2 | pages rendered at once |
/// | [`policy`](Self::policy) | [`Policy::default`] | what is put to the crawler |
///
/// ```
/// use std::time::Duration;
/// use bot_etiquette_render::RenderConfig;
///
/// let config = RenderConfig::default().quiet(Duration::from_millis(100)).pages(4);
/// assert_eq!(config.work, Duration::from_secs(15));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderConfig {
    /// The browser's program; `None` looks where Debian, other distributions and macOS put one.
    pub browser: Option<PathBuf>,
    /// Whether the browser may run without its sandbox.
    pub sandbox: Sandbox,
    /// A command that runs the browser's command, its arguments apart: `["unshare", "--net"]` gives the browser a
    /// network name space in which there is nothing. The browser is reached over pipes and needs none.
    pub run_under: Vec<OsString>,
    /// How long nothing must happen before a page counts as settled.
    pub quiet: Duration,
    /// How long the browser may work on a page, from the start of the navigation. The time in which a request waits
    /// for the crawler does not count.
    pub work: Duration,
    /// How long a page may wait for the crawler in all. Then what is open is given up, and the page settles with
    /// what it has.
    pub wait: Duration,
    /// How many requests of a page are put to the crawler. Those above are refused and listed.
    pub requests: usize,
    /// The longest body that is handed to the page, in bytes. A longer one is refused and listed.
    pub answer_bytes: usize,
    /// The most HTML that is read back, and the most text, in UTF-16 units. The rest is cut and flagged.
    pub html_bytes: usize,
    /// How many pages are rendered at once. Others wait.
    pub pages: usize,
    /// What is put to the crawler.
    pub policy: Policy,
}

impl Default for RenderConfig {
    fn default() -> Self {
        Self {
            browser: None,
            sandbox: Sandbox::Required,
            run_under: Vec::new(),
            quiet: Duration::from_millis(500),
            work: Duration::from_secs(15),
            wait: Duration::from_secs(60),
            requests: 200,
            answer_bytes: 5_000_000,
            html_bytes: 5_000_000,
            pages: 2,
            policy: Policy::default(),
        }
    }
}

macro_rules! chained {
    ($($(#[$doc:meta])* $field:ident: $kind:ty,)*) => {
        impl RenderConfig {
            $($(#[$doc])*
            #[must_use]
            pub fn $field(mut self, $field: $kind) -> Self {
                self.$field = $field;
                self
            })*
        }
    };
}

chained! {
    /// Sets whether the browser may run without its sandbox.
    sandbox: Sandbox,
    /// Sets how long nothing must happen before a page counts as settled.
    quiet: Duration,
    /// Sets how long the browser may work on a page.
    work: Duration,
    /// Sets how long a page may wait for the crawler in all.
    wait: Duration,
    /// Sets how many requests of a page are put to the crawler.
    requests: usize,
    /// Sets the longest body that is handed to the page.
    answer_bytes: usize,
    /// Sets the most HTML that is read back.
    html_bytes: usize,
    /// Sets how many pages are rendered at once.
    pages: usize,
    /// Sets what is put to the crawler.
    policy: Policy,
}

impl RenderConfig {
    /// Names the browser's program.
    #[must_use]
    pub fn browser(mut self, browser: impl Into<PathBuf>) -> Self {
        self.browser = Some(browser.into());
        self
    }

    /// Names a command that runs the browser's command.
    #[must_use]
    pub fn run_under(mut self, command: impl IntoIterator<Item: Into<OsString>>) -> Self {
        self.run_under = command.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let fault = |field, reason: String| Err(RenderError::Config { field, reason });
        if let Some(kind) = self.policy.kinds.iter().find(|kind| !kind.can_be_answered()) {
            return fault("policy", format!("the kind {kind} cannot be put to a crawler"));
        }
        for (field, time) in [("quiet", self.quiet), ("work", self.work), ("wait", self.wait)] {
            if time.is_zero() || time > MAX_TIME {
                return fault(field, format!("{time:?} is not within 1 ns and {MAX_TIME:?}"));
            }
        }
        if self.quiet > self.work {
            return fault(
                "quiet",
                format!("{:?} is longer than work, {:?}: no page would settle", self.quiet, self.work),
            );
        }
        if self.pages == 0 {
            return fault("pages", "0 renders no page: at least 1".to_owned());
        }
        if self.pages > MAX_PAGES {
            return fault("pages", format!("{} at once is more than {MAX_PAGES}", self.pages));
        }
        for (field, bytes) in [("answer_bytes", self.answer_bytes), ("html_bytes", self.html_bytes)] {
            if bytes > MAX_BYTES {
                return fault(field, format!("{bytes} is more than {MAX_BYTES}"));
            }
        }
        Ok(())
    }
}

/// The longest time that can be set.
const MAX_TIME: Duration = Duration::from_secs(3_600);
/// The most pages at once.
const MAX_PAGES: usize = 64;
/// The most bytes that can be set: what a message of the protocol carries with room to spare.
const MAX_BYTES: usize = 20_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[track_caller]
    fn check(config: RenderConfig, wrong: Option<&str>) {
        match (config.check(), wrong) {
            (Ok(()), None) => {}
            (Err(RenderError::Config { field, .. }), Some(wrong)) => assert_eq!(field, wrong),
            (got, wrong) => panic!("{got:?} instead of {wrong:?}"),
        }
    }

    #[test]
    fn a_setting_that_cannot_be_is_named() {
        let config = RenderConfig::default;
        check(config(), None);
        check(config().pages(0), Some("pages"));
        check(config().pages(1), None);
        check(config().pages(MAX_PAGES), None);
        check(config().pages(MAX_PAGES + 1), Some("pages"));
        check(config().quiet(Duration::ZERO), Some("quiet"));
        check(config().quiet(Duration::from_secs(15)), None);
        check(config().quiet(Duration::from_millis(15_001)), Some("quiet"));
        check(config().wait(MAX_TIME), None);
        check(config().wait(MAX_TIME + Duration::from_nanos(1)), Some("wait"));
        check(config().html_bytes(MAX_BYTES), None);
        check(config().html_bytes(MAX_BYTES + 1), Some("html_bytes"));
        check(config().answer_bytes(MAX_BYTES + 1), Some("answer_bytes"));
        check(config().policy(Policy::default().allow(Kind::WebSocket)), Some("policy"));
        check(config().policy(Policy::default().allow(Kind::Image)), None);
    }
}
