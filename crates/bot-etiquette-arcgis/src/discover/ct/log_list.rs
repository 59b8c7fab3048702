//! The public list of logs: which may be read, and where.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::discover::source::days_since_epoch;
use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::Request;
use crate::scalar;

/// Bytes of the list at the most.
const LIST_LIMIT: u64 = 2 << 20;
/// Certificates that end within so many days from now are issued today.
const AHEAD: u64 = 400;

/// The list that browsers of one maker go by; read it once a day at the most.
///
/// ```
/// use bot_etiquette_arcgis::discover::ct::log_list;
///
/// assert_eq!(log_list().unwrap().url.as_str(), "https://www.gstatic.com/ct/log_list/v3/log_list.json");
/// ```
#[must_use]
pub fn log_list() -> Option<Request> {
    let url = Url::parse("https://www.gstatic.com/ct/log_list/v3/log_list.json").ok()?;
    Some(Request::new(url, LIST_LIMIT))
}

/// The logs of a list.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, discover::ct::LogList};
/// use std::time::{Duration, SystemTime};
///
/// let body = br#"{"operators":[{"name":"A","email":["ct@a.example"],"logs":[],"tiled_logs":[{"description":"A 2026h2",
///     "submission_url":"https://log.a.example/2026h2/","monitoring_url":"https://mon.a.example/2026h2/",
///     "state":{"usable":{"timestamp":"2025-01-01T00:00:00Z"}},
///     "temporal_interval":{"start_inclusive":"2026-07-01T00:00:00Z","end_exclusive":"2027-01-01T00:00:00Z"}}]}]}"#;
/// let list = Answer::body(body).read::<LogList>()?.facts;
/// assert_eq!(list.logs[0].monitoring_url.as_deref(), Some("https://mon.a.example/2026h2/"));
/// let october = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_812_800);
/// assert!(list.logs[0].is_worth_reading(october));
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogList {
    /// The logs that could be read. Who runs them is left unread.
    pub logs: Vec<Log>,
}

/// A log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Log {
    /// What it is called.
    #[serde(deserialize_with = "scalar::text")]
    pub description: Option<String>,
    /// Where a log of RFC 6962 is asked.
    #[serde(deserialize_with = "scalar::text")]
    pub url: Option<String>,
    /// Where the tiles of a static log lie.
    #[serde(deserialize_with = "scalar::text")]
    pub monitoring_url: Option<String>,
    /// `usable`, `qualified`, `readonly`, `pending`, `retired`, `rejected`; none where the list says nothing.
    pub state: Option<String>,
    /// The first day and the day after the last one, since the Unix epoch, on which its certificates end.
    pub interval: Option<(u64, u64)>,
}

impl Log {
    /// Whether it can be read, and holds certificates that are valid now or within the next 400 days.
    #[must_use]
    pub fn is_worth_reading(&self, now: SystemTime) -> bool {
        let is_open = matches!(self.state.as_deref(), Some("usable" | "qualified" | "readonly"));
        let today = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400;
        is_open
            && self.interval.is_none_or(|(start, end)| end > today && start <= today.saturating_add(AHEAD))
    }
}

impl Read for LogList {
    const KIND: &'static str = "list of logs";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let Some(operators) = document.get::<Vec<Value>>("operators") else {
            return Err(Problem::OtherKind { expected: Self::KIND });
        };
        let lists = operators.iter().flat_map(|operator| [operator.get("logs"), operator.get("tiled_logs")]);
        let logs = lists.flatten().filter_map(Value::as_array).flatten();
        Ok(Self { logs: logs.filter(|log| log.is_object()).map(log).collect() })
    }
}

fn log(value: &Value) -> Log {
    let text = |name| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let day = |name| {
        let date = value.get("temporal_interval")?.get(name)?.as_str()?;
        days_since_epoch(date.get(..10)?)
    };
    let state = value.get("state").and_then(Value::as_object).and_then(|states| states.keys().next());
    Log {
        description: text("description"),
        url: text("url"),
        monitoring_url: text("monitoring_url"),
        state: state.cloned(),
        interval: day("start_inclusive").zip(day("end_exclusive")),
    }
}
