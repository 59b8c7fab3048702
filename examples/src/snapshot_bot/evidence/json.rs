//! The answers of the two APIs, as a person's own tools saved them. Search texts in them are passed over.

use serde_json::Value;

use super::table::{Sums, is_page};
use super::{EvidenceError, Export, PageDemand, Source};

pub(super) fn read(text: &str) -> Result<Export, EvidenceError> {
    let answer: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| EvidenceError::Unreadable(format!("not valid JSON: {error}")))?;
    // Google's refusal is an object `error`, Bing's an `ErrorCode` with a `Message`.
    let message = answer.pointer("/error/message").or_else(|| answer.get("Message"));
    if let Some(message) =
        message.filter(|_| answer.get("error").is_some() || answer.get("ErrorCode").is_some())
    {
        return Err(EvidenceError::ApiError(
            message.as_str().unwrap_or_default().chars().take(100).collect(),
        ));
    }
    if let Some(data) = answer.get("d") {
        let rows: Vec<&Value> = match data {
            Value::Array(rows) => rows.iter().collect(),
            Value::Null => Vec::new(),
            row => vec![row],
        };
        return rows_of(Source::BingApi, &rows, bing);
    }
    let is_google = ["rows", "responseAggregationType"].iter().any(|key| answer.get(key).is_some());
    match (&answer, answer.get("rows")) {
        (_, Some(Value::Array(rows))) => rows_of(Source::GoogleApi, &rows.iter().collect::<Vec<_>>(), google),
        (Value::Array(rows), _) => rows_of(Source::GoogleApi, &rows.iter().collect::<Vec<_>>(), google),
        _ if is_google => rows_of(Source::GoogleApi, &[], google),
        _ => Err(EvidenceError::NoPages("JSON without rows".to_owned())),
    }
}

fn rows_of(
    source: Source,
    rows: &[&Value],
    page: fn(&Value) -> Option<PageDemand>,
) -> Result<Export, EvidenceError> {
    let mut sums = Sums::default();
    let mut dropped = 0;
    for row in rows {
        match page(row) {
            Some(page) => sums.add(page),
            None => dropped += 1,
        }
    }
    let pages = sums.pages();
    if pages.is_empty() && dropped > 0 {
        return Err(EvidenceError::QuerySheet("rows without a page".to_owned()));
    }
    Ok(Export { source, pages, dropped })
}

/// The page is whichever of the row's keys is a URL: the others are what was asked for beside it.
fn google(row: &Value) -> Option<PageDemand> {
    let url = row.get("keys")?.as_array()?.iter().filter_map(Value::as_str).find(|key| is_page(key))?;
    Some(PageDemand {
        url: url.to_owned(),
        impressions: whole(row, &["impressions"]),
        clicks: whole(row, &["clicks"]),
        ctr: number(row, &["ctr"]).map(|ctr| ctr * 100.0),
        position: number(row, &["position"]).filter(|position| *position > 0.0),
    })
}

/// Of pages, the field `Query` holds the URL.
fn bing(row: &Value) -> Option<PageDemand> {
    let url = ["Query", "Url", "url", "Page", "page"]
        .iter()
        .filter_map(|key| row.get(key)?.as_str())
        .find(|url| is_page(url))?;
    Some(PageDemand {
        url: url.to_owned(),
        impressions: whole(row, &["Impressions", "impressions"]),
        clicks: whole(row, &["Clicks", "clicks"]),
        ctr: None,
        position: number(row, &["AvgImpressionPosition", "avgImpressionPosition"])
            .filter(|position| *position > 0.0),
    })
}

fn number(row: &Value, keys: &[&str]) -> Option<f64> {
    let value = keys.iter().find_map(|key| row.get(key))?;
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is none below zero, and a cast saturates"
)]
fn whole(row: &Value, keys: &[&str]) -> Option<u64> {
    number(row, keys).map(|number| number.round() as u64)
}

/// Milliseconds since the Unix epoch of `/Date(1316156400000-0700)/`; the zone says where it was written and moves nothing.
/// None for the least date of .NET, which stands for no date.
#[must_use]
pub fn bing_date(text: &str) -> Option<i64> {
    const NO_DATE: i64 = -62_135_568_000_000;
    let inner = text.replace("\\/", "/");
    let inner = inner.strip_prefix("/Date(")?.strip_suffix(")/")?;
    let zone =
        inner.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-')).map_or(inner.len(), |(at, _)| at);
    inner.get(..zone)?.parse().ok().filter(|millis| *millis > NO_DATE)
}
