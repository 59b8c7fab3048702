//! What is printed: the answer to an ask, and the line of the timeline.

use std::fmt;

use bot_etiquette_politeness::{Reason, Refusal};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

use crate::output::SCHEMA;

use super::event::{Event, Subject, What};

/// The answer to one ask.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) at: Number,
    pub(crate) url: String,
    pub(crate) decision: Decision,
}

#[derive(Debug)]
pub(crate) enum Decision {
    Go,
    Wait { until: Option<Number>, reasons: Vec<Reason> },
    Never { reasons: Vec<Reason> },
}

impl Decision {
    /// `seconds` puts a moment into the unit of `at`.
    pub(crate) fn of(
        refusal: Option<&Refusal>,
        seconds: impl Fn(bot_etiquette_politeness::Timestamp) -> Number,
    ) -> Self {
        match refusal {
            None => Self::Go,
            Some(refusal) if refusal.is_never() => Self::Never { reasons: refusal.reasons().collect() },
            Some(refusal) => {
                Self::Wait { until: refusal.until().map(seconds), reasons: refusal.reasons().collect() }
            }
        }
    }
}

impl Serialize for Asked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", &SCHEMA)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("url", &self.url)?;
        let codes = |reasons: &[Reason]| reasons.iter().map(|reason| reason.code()).collect::<Vec<_>>();
        match &self.decision {
            Decision::Go => map.serialize_entry("decision", "go")?,
            Decision::Wait { until, reasons } => {
                map.serialize_entry("decision", "wait")?;
                map.serialize_entry("until", until)?;
                map.serialize_entry("reasons", &codes(reasons))?;
            }
            Decision::Never { reasons } => {
                map.serialize_entry("decision", "never")?;
                map.serialize_entry("reasons", &codes(reasons))?;
            }
        }
        map.end()
    }
}

/// One line of the timeline.
pub(crate) struct Line<'a> {
    pub(crate) event: &'a Event,
    pub(crate) answer: Option<&'a Asked>,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>12}  {}", format!("{} s", self.event.at), self.event.what)?;
        match self.answer.map(|answer| &answer.decision) {
            None => Ok(()),
            Some(Decision::Go) => f.write_str("  go"),
            Some(Decision::Wait { until: Some(until), reasons }) => {
                write!(f, "  wait until {until} s")?;
                write_reasons(f, reasons)
            }
            Some(Decision::Wait { until: None, reasons }) => {
                f.write_str("  wait")?;
                write_reasons(f, reasons)
            }
            Some(Decision::Never { reasons }) => {
                f.write_str("  never")?;
                write_reasons(f, reasons)
            }
        }
    }
}

fn write_reasons(f: &mut fmt::Formatter<'_>, reasons: &[Reason]) -> fmt::Result {
    for reason in reasons {
        write!(f, "\n{:>14}{:<8}{}: {reason}", "", "", reason.code())?;
    }
    Ok(())
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask { text, class, resource, .. } => {
                write!(f, "ask     {text}")?;
                class.iter().try_for_each(|class| write!(f, " (class {class})"))?;
                resource.iter().try_for_each(|resource| write!(f, " (resource {resource})"))
            }
            Self::End { url, status, headers } => {
                write!(f, "end     {url}  {status}")?;
                let told = headers.get_all(http::header::RETRY_AFTER);
                told.iter().try_for_each(|value| {
                    write!(f, ", Retry-After {}", String::from_utf8_lossy(value.as_bytes()))
                })
            }
            Self::Fail { url, kind } => write!(f, "fail    {url}  {}", kind.code()),
            Self::Report { url, outcome, resource } => {
                write!(f, "report  {url}  {}", outcome.code())?;
                resource.iter().try_for_each(|resource| write!(f, " (resource {resource})"))
            }
            Self::Robots { origin, crawl_delay: Some(delay) } => {
                write!(f, "robots  {origin}  Crawl-delay {} s", delay.as_secs_f64())
            }
            Self::Robots { origin, crawl_delay: None } => write!(f, "robots  {origin}  no Crawl-delay"),
            Self::Kill(host) => write!(f, "kill    {host}"),
            Self::Revive(host) => write!(f, "revive  {host}"),
            Self::Set { subject, keys } => {
                match subject {
                    Subject::Host(host) => write!(f, "set     {host}")?,
                    Subject::Group(name) => write!(f, "set     group {name}")?,
                }
                keys.iter().try_for_each(|(key, value)| write!(f, "  {key} = {value}"))
            }
            Self::Restart => f.write_str("restart"),
        }
    }
}
