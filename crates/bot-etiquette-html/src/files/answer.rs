//! What the header of an answer says of a file.

use http::{HeaderMap, HeaderName, StatusCode, header};
use url::Url;

use super::Outcome;
use crate::LinkKind;

/// The facts of a header.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) length: Option<u64>,
    /// Where a part begins.
    pub(super) range_from: Option<u64>,
    /// The length of the whole that a part is of.
    pub(super) range_of: Option<u64>,
    pub(super) media_type: Option<String>,
    pub(super) coding: Option<String>,
    pub(super) varies: bool,
}

impl Facts {
    pub(super) fn read(status: StatusCode, headers: &HeaderMap) -> Self {
        let media_type = one(headers, &header::CONTENT_TYPE)
            .and_then(|value| value.split(';').next())
            .map(|value| value.trim().to_ascii_lowercase())
            .filter(|value| !value.is_empty());
        // Several parts in one body: none of their lengths is the file's.
        let is_single = media_type.as_deref() != Some("multipart/byteranges");
        let range = one(headers, &header::CONTENT_RANGE).filter(|_| is_single).and_then(range);
        let coding = one(headers, &header::CONTENT_ENCODING).map(|value| value.trim().to_ascii_lowercase());
        let varies =
            headers.get_all(header::VARY).iter().filter_map(|value| value.to_str().ok()).any(|value| {
                value
                    .split(',')
                    .any(|name| matches!(name.trim().to_ascii_lowercase().as_str(), "accept-encoding" | "*"))
            });
        Self {
            length: length(headers).filter(|_| status != StatusCode::PARTIAL_CONTENT),
            range_from: range.and_then(|(from, _)| from),
            range_of: range.and_then(|(_, of)| of),
            media_type,
            coding: coding.filter(|coding| !coding.is_empty() && coding != "identity"),
            varies,
        }
    }
}

fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A length that all fields agree on.
fn length(headers: &HeaderMap) -> Option<u64> {
    let mut lengths =
        headers.get_all(header::CONTENT_LENGTH).iter().map(|value| value.to_str().ok().and_then(number));
    let first = lengths.next()??;
    lengths.all(|length| length == Some(first)).then_some(first)
}

/// `bytes 0-0/77` or `bytes */77`: where it begins, and of how much.
fn range(value: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, rest) = value.trim().split_once([' ', '\t'])?;
    let (part, whole) = rest.split_once('/')?;
    let from = part.split_once('-').and_then(|(from, _)| number(from));
    unit.eq_ignore_ascii_case("bytes").then(|| (from, number(whole)))
}

/// Digits only: a sign or a number beyond what files can have is no length.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten().filter(|number| i64::try_from(*number).is_ok())
}

pub(super) fn outcome(status: StatusCode) -> Outcome {
    match status.as_u16() {
        200..=299 => Outcome::Present,
        300..=399 => Outcome::Redirect,
        401 | 407 => Outcome::NotPublic,
        429 | 500..=599 => Outcome::Later,
        _ => Outcome::Broken,
    }
}

pub(super) fn is_pdf(media_type: &str, url: &Url) -> bool {
    let is_unsaid = matches!(media_type, "" | "application/octet-stream" | "binary/octet-stream");
    let has_name = || url.path().to_ascii_lowercase().ends_with(".pdf");
    matches!(media_type, "application/pdf" | "application/x-pdf") || (is_unsaid && has_name())
}

pub(super) fn is_image(media_type: &str, kind: LinkKind) -> bool {
    let is_unsaid = matches!(media_type, "" | "application/octet-stream" | "binary/octet-stream");
    media_type.starts_with("image/") || (is_unsaid && matches!(kind, LinkKind::Image | LinkKind::Icon))
}

/// Whether compression is worth while: text, and fonts that are not packed in themselves.
pub(super) fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || ["+json", "+xml"].iter().any(|suffix| media_type.ends_with(suffix))
        || matches!(
            media_type,
            "application/javascript"
                | "application/ecmascript"
                | "application/x-javascript"
                | "application/json"
                | "application/xml"
                | "application/wasm"
                | "application/vnd.ms-fontobject"
                | "font/ttf"
                | "font/otf"
                | "font/sfnt"
                | "application/x-font-ttf"
                | "application/font-sfnt"
        )
}
