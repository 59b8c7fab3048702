//! The answer of a page becomes what is kept of it.

use bot_etiquette::fetch::{Fetched, Revalidated, Validators};
use bot_etiquette::html::{Page, PageReader, Wall};
use bot_etiquette::robots::RobotsTags;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use url::Url;

use super::Site;
use super::record::{HopRecord, PageOutcome, PageRecord, WallRecord};
use super::view::{Load, Sent, Viewer};
use super::visitor::Came;
use crate::asker::NotRead;

/// What a page came to.
pub(crate) struct Reading {
    pub(crate) record: PageRecord,
    pub(crate) page: Option<Page>,
    /// Whether the site said that it is as it was.
    pub(crate) unchanged: bool,
}

/// Reads what came, and what `load` brings of what the page asks for. `before` is what is known of the page; the page itself is not asked for again.
pub(crate) async fn read(
    site: &Site,
    (viewer, load): (&dyn Viewer, Load),
    token: &str,
    came: Came,
    mut record: PageRecord,
    before: Option<&PageRecord>,
) -> Reading {
    record.chain = came.chain.iter().map(HopRecord::from).collect();
    record.seconds = came.seconds;
    if let Some(hop) = came.chain.last() {
        record.last = hop.to.clone();
    }
    if came.known {
        record.outcome = PageOutcome::Moved;
        return Reading { record, page: None, unchanged: false };
    }
    let answer = match came.answer {
        Ok(answer) => answer,
        Err(error) => {
            record.outcome = match &error {
                NotRead::Closed(_) => PageOutcome::Closed,
                NotRead::Redirect(_) => PageOutcome::Redirect,
                NotRead::Broken(_) => PageOutcome::Broken,
                NotRead::Refused(_) => PageOutcome::NotAsked,
                _ => PageOutcome::NoAnswer,
            };
            record.note = Some(error.to_string());
            return Reading { record, page: None, unchanged: false };
        }
    };
    record.status = Some(answer.status.as_u16());
    record.bytes = answer.wire_bytes;
    record.cut = answer.cut.is_some();
    record.media_type = media_type(&answer.headers);
    // A firewall's page is not the site's: nothing in it is read.
    if let Some(wall) = wall(&answer) {
        record.outcome = PageOutcome::Blocked;
        record.note = Some(format!("cannot be read: {} answered with a {}", wall.vendor, wall.kind));
        record.wall = Some(wall);
        return Reading { record, page: None, unchanged: false };
    }
    if answer.status == StatusCode::NOT_MODIFIED
        && let Some(before) = before
    {
        return not_modified(record, before, &answer);
    }
    if !answer.status.is_success() {
        record.outcome = PageOutcome::Broken;
        record.note = Some(format!("answered with status {}", answer.status));
        return Reading { record, page: None, unchanged: false };
    }
    if !is_page(record.media_type.as_deref(), &answer.body) {
        record.outcome = PageOutcome::NotAPage;
        return Reading { record, page: None, unchanged: false };
    }
    let validators = Validators::of(&record.last, answer.status, &answer.headers);
    // Of a page that redirects lead to, the validators are those of another URL.
    let validators = validators.filter(|_| came.chain.is_empty());
    let text = |value: Option<&HeaderValue>| value.and_then(|value| value.to_str().ok()).map(str::to_owned);
    record.etag = text(validators.as_ref().and_then(Validators::etag));
    record.last_modified = text(validators.as_ref().and_then(Validators::last_modified));
    let mut page = facts(&record.last, &answer.headers, token, &answer.body);
    let (url, status, headers) = (&record.last, answer.status, &answer.headers);
    let sent = Sent { site, url, status, headers, html: &answer.body, page: &page };
    let seen = viewer.view(sent, load).await;
    record.note = seen.note;
    if let Some(shown) = seen.shown {
        let (shown, render) = shown.read(page, headers, token);
        page = shown;
        (record.rendered, record.render) = (true, Some(render));
    }
    let tags = tags(&page, site, token);
    (record.noindex, record.nofollow) = (tags.noindex, tags.nofollow);
    record.outcome = PageOutcome::Read;
    Reading { record, page: Some(page), unchanged: false }
}

/// What is asked with a page to learn only whether it has changed.
pub(crate) fn validators(before: &PageRecord) -> Option<Validators> {
    let value = |text: &Option<String>| text.as_deref().and_then(|text| HeaderValue::from_str(text).ok());
    let is_known = before.outcome == PageOutcome::Read && before.chain.is_empty();
    is_known
        .then(|| Validators::new(before.url.clone(), value(&before.etag), value(&before.last_modified)))?
}

/// Reads HTML that was answered at this URL.
pub(crate) fn facts(url: &Url, headers: &HeaderMap, token: &str, html: &[u8]) -> Page {
    PageReader::new(url.clone()).headers(headers).robots_token(token).read(html)
}

/// The firewall in an answer; a plain 403 or 429 counts as one.
pub(crate) fn wall(answer: &Fetched) -> Option<WallRecord> {
    let known = Wall::detect(answer.status, &answer.headers, &answer.body);
    let plain =
        || matches!(answer.status.as_u16(), 403 | 429).then(|| WallRecord::of_status(answer.status.as_u16()));
    known.as_ref().map(WallRecord::from).or_else(plain)
}

fn not_modified(mut record: PageRecord, before: &PageRecord, answer: &Fetched) -> Reading {
    let known = validators(before).map(|validators| validators.revalidated(answer.status, &answer.headers));
    if matches!(known, Some(Revalidated::Unchanged(_))) {
        let now =
            PageRecord { at: record.at, seconds: record.seconds, source: record.source, ..before.clone() };
        return Reading { record: now, page: None, unchanged: true };
    }
    record.outcome = PageOutcome::Broken;
    record.note = Some("said that nothing has changed, but of another state than is known".to_owned());
    Reading { record, page: None, unchanged: false }
}

/// What the page asks of robots: of all, of this one, and of the one whose rules it follows.
fn tags(page: &Page, site: &Site, token: &str) -> bot_etiquette::robots::RobotsDirectives {
    let mut tags = RobotsTags::new().agent(token);
    if let Some(engine) = site.rules_of {
        tags = tags.agent(engine.as_str());
    }
    for value in &page.x_robots_tag {
        tags.header(value.as_bytes());
    }
    for meta in &page.robots {
        tags.meta(&meta.name, &meta.content);
    }
    tags.into_directives()
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (!essence.is_empty()).then_some(essence)
}

/// By its type; where there is none, by how it begins.
fn is_page(media_type: Option<&str>, body: &[u8]) -> bool {
    match media_type {
        Some(media_type) => matches!(media_type, "text/html" | "application/xhtml+xml"),
        None => body.trim_ascii_start().starts_with(b"<"),
    }
}
