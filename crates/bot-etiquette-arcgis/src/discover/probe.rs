//! The polite probe of a host whose name came out of a certificate: two requests at the most after robots.txt.

use std::time::Duration;

use url::Url;

use super::host::is_probeable;
use crate::address::Root;
use crate::answer::Parsed;
use crate::directory::Directory;
use crate::outcome::Problem;
use crate::request::{DIRECTORY_LIMIT, Request};

/// A probe of one host. Read and obey its robots.txt first; ask for nothing but what [`next`](Self::next) gives.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::{Finding, Probe}};
///
/// let mut probe = Probe::new("gis.example.org").unwrap();
/// assert_eq!(probe.next().unwrap().url.as_str(), "https://gis.example.org/arcgis/rest/services?f=json");
/// probe.answered(Answer::body(br#"{"currentVersion":11.1,"folders":[],"services":[]}"#).read());
/// assert!(probe.next().is_none());
/// assert!(matches!(probe.finding(), Some(Finding::Server(_))));
/// // Names that do not look like a map server's are never asked.
/// assert!(Probe::new("vpn.example.org").is_none());
/// ```
#[derive(Debug, Clone)]
pub struct Probe {
    host: String,
    asked: usize,
    finding: Option<Finding>,
}

/// How a probe ended. Each is final for [`Finding::holds`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// A directory.
    Server(Root),
    /// A server that is not public, a wall, a login, or a failure: left alone.
    Closed,
    /// No ArcGIS server.
    Nothing,
}

/// The contexts of three quarters of all servers.
const CONTEXTS: [&str; 2] = ["arcgis", "server"];

impl Probe {
    /// A probe of a host by its name; none where the name does not invite one.
    #[must_use]
    pub fn new(host: &str) -> Option<Self> {
        is_probeable(host).then(|| Self { host: host.to_ascii_lowercase(), asked: 0, finding: None })
    }

    /// The request to send now; none at the end.
    #[must_use]
    pub fn next(&self) -> Option<Request> {
        if self.finding.is_some() {
            return None;
        }
        let url =
            Url::parse(&format!("https://{}/{}/rest/services?f=json", self.host, CONTEXTS.get(self.asked)?))
                .ok()?;
        Some(Request::new(url, DIRECTORY_LIMIT))
    }

    /// Takes the answer. Only a plain 404 leads to the second request.
    pub fn answered(&mut self, answer: Result<Parsed<Directory>, Problem>) {
        let Some(request) = self.next() else { return };
        self.asked = self.asked.saturating_add(1);
        self.finding = match answer {
            Ok(_) => request.url.as_str().parse().ok().map(Finding::Server),
            Err(Problem::Gone { error: None }) if self.asked < CONTEXTS.len() => None,
            Err(Problem::Gone { .. } | Problem::OtherKind { .. }) => Some(Finding::Nothing),
            Err(_) => Some(Finding::Closed),
        };
    }

    /// No answer, or robots.txt closes the path: the host is left alone.
    pub fn stop(&mut self) {
        self.finding.get_or_insert(Finding::Closed);
    }

    /// How it ended; none while it goes on.
    #[must_use]
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_ref()
    }
}

impl Finding {
    /// How long it holds: the host is not probed again before.
    #[must_use]
    pub fn holds(&self) -> Duration {
        let days = if *self == Self::Nothing { 365 } else { 180 };
        Duration::from_secs(days * 86_400)
    }
}
