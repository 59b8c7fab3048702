//! The error envelope: what it says, verbatim, and what that means.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::outcome::{AuthReason, Problem, RetryAfter};
use crate::scalar;

/// An error as the server put it; every part may be missing, `message` included.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Layers};
///
/// let body = br#"{"error":{"code":500,"message":null,"details":[]}}"#;
/// let problem = Answer::body(body).read::<Layers>().unwrap_err();
/// let error = problem.esri().unwrap();
/// assert_eq!((error.code, error.message.as_deref()), (Some(500), None));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EsriError {
    /// A number like an HTTP status, or of the 498 / 499 kind.
    #[serde(deserialize_with = "scalar::integer", skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// What happened, for a person.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// A finer code, such as `GWM_0003`.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    /// More sentences.
    #[serde(deserialize_with = "details", skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// An array of sentences, or one sentence, whose commas are no separators.
fn details<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    let items = match value {
        serde_json::Value::Array(items) => items,
        other => vec![other],
    };
    let text = |item: &serde_json::Value| item.as_str().map(str::trim).map(str::to_owned);
    Ok(items.iter().filter_map(text).filter(|text| !text.is_empty()).collect())
}

impl EsriError {
    /// Finds the envelope of an answer; none when the answer holds data.
    ///
    /// Data beside an error wins, unless the error has a number and every list of data is empty.
    pub(crate) fn find(document: &Document<'_>) -> Option<Self> {
        let error = Self::envelope(document).or_else(|| Self::admin(document))?;
        let lists =
            ["services", "folders", "layers", "tables", "features", "objectIds", "layerEstimates", "fields"];
        let rest = ["count", "extent", "fullExtent"];
        let has_data = lists.iter().chain(&rest).any(|name| document.is_filled(name))
            || (error.code.is_none() && document.is_filled("currentVersion"));
        (!has_data).then_some(error)
    }

    /// `{"error": {..}}` or `{"error": "text"}`.
    fn envelope(document: &Document<'_>) -> Option<Self> {
        let raw = document.value("error")?.get();
        match raw.as_bytes().first() {
            Some(b'{') => document.item(document.value("error")?).ok(),
            Some(b'"') => {
                let message: String = serde_json::from_str(raw).ok()?;
                (!message.trim().is_empty()).then(|| Self { message: Some(message), ..Self::default() })
            }
            _ => None,
        }
    }

    /// The shape of the administration API: `{"status":"error","messages":[..],"code":499}`.
    fn admin(document: &Document<'_>) -> Option<Self> {
        let status: String = document.get("status")?;
        if !status.eq_ignore_ascii_case("error") || !document.has_any(&["messages", "code"]) {
            return None;
        }
        let mut details: Vec<String> = document.get("messages").unwrap_or_default();
        let message = if details.is_empty() { None } else { Some(details.remove(0)) };
        Some(Self {
            code: document.with("code", |raw| scalar::integer(raw)),
            message,
            message_code: None,
            details,
        })
    }

    /// What this error asks of a crawler.
    pub(crate) fn meaning(self) -> Problem {
        let said = self.said();
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let code = self.code.unwrap_or(0);
        if matches!(code, 401 | 403 | 407 | 498 | 499)
            || self.message_code.as_deref() == Some("GWM_0003")
            || says(&["token required", "invalid token"])
        {
            return Problem::AuthRequired { why: AuthReason::Esri(self) };
        }
        if matches!(code, 429 | 502 | 503 | 504)
            || says(&["try again in", "wait time of the request", "no instance"])
        {
            return Problem::Busy { retry_after: seconds(&said), error: Some(self) };
        }
        if matches!(code, 404 | 410) || (code != 501 && says(&["not found", "invalid url"])) {
            return Problem::Gone { error: Some(self) };
        }
        if says(&["not started"]) {
            return Problem::Stopped(self);
        }
        match code {
            // Said of a broken database behind the service, not of the request.
            400 if says(&["sql server"]) => Problem::ServiceFault(self),
            400..=499 | 501 => Problem::Rejected(self),
            _ => Problem::ServiceFault(self),
        }
    }

    fn said(&self) -> String {
        let mut said = self.message.clone().unwrap_or_default();
        for detail in &self.details {
            said.push(' ');
            said.push_str(detail);
        }
        said.to_lowercase()
    }
}

/// The wait of "try again in 60 sec".
fn seconds(said: &str) -> Option<RetryAfter> {
    let (_, rest) = said.split_once("try again in ")?;
    let mut words = rest.split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    let unit = words.next()?;
    let seconds = if unit.starts_with("sec") {
        number
    } else if unit.starts_with("min") {
        number.saturating_mul(60)
    } else {
        return None;
    };
    Some(RetryAfter::Delay(std::time::Duration::from_secs(seconds)))
}

impl fmt::Display for EsriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, &self.message) {
            (Some(code), Some(message)) => write!(f, "{code} {}", message.trim()),
            (Some(code), None) => write!(f, "{code} without a message"),
            (None, Some(message)) => f.write_str(message.trim()),
            (None, None) => f.write_str("an error without a message"),
        }
    }
}
