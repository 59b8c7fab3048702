//! Sitemaps, RSS and Atom from XML events.

use std::io;

use quick_xml::errors::SyntaxError;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, escape};

use super::input::Recode;
use super::{Raw, SitemapFindingKind, SitemapKind, SitemapLimits};

/// Bytes kept of a value that is no URL.
const VALUE: usize = 256;

/// A value of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Url,
    Lastmod,
    Changefreq,
    Priority,
    /// An RSS `guid`, which is a URL unless it says that it is none.
    Guid,
}

pub(super) struct Parser<'a> {
    reader: Reader<Recode<'a>>,
    buffer: Vec<u8>,
    pub(super) kind: Option<SitemapKind>,
    pub(super) findings: Vec<(SitemapFindingKind, u64, String)>,
    /// The prefix of the root: that of all elements that count.
    prefix: String,
    base: Option<String>,
    depth: u64,
    entry: Option<Entry>,
    ended: bool,
}

struct Entry {
    raw: Raw,
    depth: u64,
    field: Option<Field>,
    guid: Option<String>,
    guid_is_url: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: Recode<'a>) -> Self {
        let mut reader = Reader::from_reader(source);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self {
            reader,
            buffer: Vec::new(),
            kind: None,
            findings: Vec::new(),
            prefix: String::new(),
            base: None,
            depth: 0,
            entry: None,
            ended: false,
        }
    }

    /// The next entry; none at the end, or where the file cannot be read on.
    pub(super) fn next(&mut self, limits: &SitemapLimits) -> io::Result<Option<Raw>> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut found = None;
        while found.is_none() && !self.ended {
            buffer.clear();
            let offset = self.reader.buffer_position();
            let event = match self.reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(error)) => {
                    return Err(io::Error::new(error.kind(), error.to_string()));
                }
                Err(error) => {
                    let is_cut = matches!(&error, quick_xml::Error::Syntax(error) if *error != SyntaxError::InvalidBangMarkup);
                    let kind =
                        if is_cut { SitemapFindingKind::Truncated } else { SitemapFindingKind::BrokenXml };
                    self.findings.push((kind, offset, error.to_string()));
                    found = self.end();
                    break;
                }
            };
            found = self.event(&event, offset, limits);
        }
        self.buffer = buffer;
        Ok(found)
    }

    fn event(&mut self, event: &Event<'_>, offset: u64, limits: &SitemapLimits) -> Option<Raw> {
        match event {
            Event::Start(tag) => {
                self.depth = self.depth.saturating_add(1);
                self.start(tag, offset, limits)
            }
            Event::Empty(tag) => {
                self.depth = self.depth.saturating_add(1);
                let found = self.start(tag, offset, limits);
                self.close(tag.local_name().as_ref());
                self.depth = self.depth.saturating_sub(1);
                found
            }
            Event::End(tag) => {
                let found = self.close(tag.local_name().as_ref());
                self.depth = self.depth.saturating_sub(1);
                found
            }
            Event::Text(text) => {
                self.text(text, limits);
                None
            }
            Event::CData(text) => {
                self.text(text, limits);
                None
            }
            Event::GeneralRef(reference) => {
                self.reference(reference, limits);
                None
            }
            Event::DocType(name) if self.kind.is_none() && is_html(name) => {
                self.kind = Some(SitemapKind::NotASitemap);
                self.ended = true;
                None
            }
            Event::Eof => {
                if self.depth > 0 || self.entry.is_some() {
                    self.findings.push((SitemapFindingKind::Truncated, offset, String::new()));
                }
                self.end()
            }
            _ => None,
        }
    }

    fn end(&mut self) -> Option<Raw> {
        self.ended = true;
        // An entry whose URL was read whole is worth keeping; one that was cut inside the URL is not.
        self.entry.take().filter(|entry| entry.field.is_none()).and_then(Entry::finish)
    }

    fn start(&mut self, tag: &BytesStart<'_>, offset: u64, limits: &SitemapLimits) -> Option<Raw> {
        let (name, prefix) = tag.name().decompose();
        let (name, prefix) =
            (name.into_inner(), prefix.map(|prefix| prefix.into_inner()).unwrap_or_default());
        let Some(kind) = self.kind else {
            self.root(tag, name, prefix);
            return None;
        };
        let is_own = prefix == self.prefix;
        let is_entry = is_own
            && match kind {
                SitemapKind::UrlSet => name.eq_ignore_ascii_case("url"),
                SitemapKind::Index => name.eq_ignore_ascii_case("sitemap"),
                SitemapKind::Rss => name.eq_ignore_ascii_case("item"),
                SitemapKind::Atom => name.eq_ignore_ascii_case("entry"),
                SitemapKind::Text | SitemapKind::NotASitemap => false,
            };
        // RSS 1.0 has its items in another namespace than its root; they have no prefix either.
        let is_entry = is_entry || (kind == SitemapKind::Rss && prefix.is_empty() && name == "item");
        if is_entry {
            let before = self.entry.take().and_then(Entry::finish);
            let base = attribute(tag, "xml:base").or_else(|| self.base.clone());
            let raw = Raw { offset, base, ..Raw::default() };
            let depth = self.depth;
            self.entry = Some(Entry { raw, depth, field: None, guid: None, guid_is_url: true });
            return before;
        }
        let Some(entry) = &mut self.entry else { return None };
        if self.depth != entry.depth.saturating_add(1) {
            return None;
        }
        entry.field = None;
        let is_own = is_own || (kind == SitemapKind::Rss && prefix.is_empty());
        if !is_own && matches!(kind, SitemapKind::UrlSet | SitemapKind::Index) {
            // Of other vocabularies only the alternates count.
            if name.eq_ignore_ascii_case("link") {
                if entry.raw.alternates.len() < limits.alternates {
                    entry.raw.alternates.extend(alternate(tag));
                } else {
                    self.findings.push((SitemapFindingKind::TooManyAlternates, offset, String::new()));
                }
            }
            return None;
        }
        match kind {
            SitemapKind::UrlSet | SitemapKind::Index => {
                entry.field = match name.to_ascii_lowercase().as_str() {
                    "loc" => Some(Field::Url),
                    "lastmod" => Some(Field::Lastmod),
                    "changefreq" => Some(Field::Changefreq),
                    "priority" => Some(Field::Priority),
                    _ => None,
                };
            }
            SitemapKind::Rss if is_own => match name {
                "link" => entry.field = Some(Field::Url),
                "pubDate" => entry.field = Some(Field::Lastmod),
                "guid" => {
                    entry.field = Some(Field::Guid);
                    let says_no = attribute(tag, "isPermaLink")
                        .is_some_and(|text| text.trim().eq_ignore_ascii_case("false"));
                    entry.guid_is_url = !says_no;
                }
                _ => {}
            },
            SitemapKind::Rss if name == "date" => entry.field = Some(Field::Lastmod),
            SitemapKind::Atom if is_own => match name {
                "updated" => entry.field = Some(Field::Lastmod),
                "link" => {
                    let rel = attribute(tag, "rel");
                    if rel.is_none_or(|rel| rel.trim().eq_ignore_ascii_case("alternate"))
                        && entry.raw.url.is_empty()
                    {
                        entry.raw.url = attribute(tag, "href").unwrap_or_default();
                    }
                }
                _ => {}
            },
            _ => {}
        }
        None
    }

    fn root(&mut self, tag: &BytesStart<'_>, name: &str, prefix: &str) {
        let kind = match name.to_ascii_lowercase().as_str() {
            "urlset" => SitemapKind::UrlSet,
            "sitemapindex" => SitemapKind::Index,
            "rss" | "rdf" => SitemapKind::Rss,
            "feed" => SitemapKind::Atom,
            _ => SitemapKind::NotASitemap,
        };
        self.kind = Some(kind);
        prefix.clone_into(&mut self.prefix);
        self.base = attribute(tag, "xml:base");
        self.ended = kind == SitemapKind::NotASitemap;
    }

    /// The end of an element: of an entry by its name, so that a lost end tag inside it costs only that entry's value.
    fn close(&mut self, name: &str) -> Option<Raw> {
        let entry = self.entry.as_mut()?;
        entry.field = None;
        let is_end = match self.kind {
            Some(SitemapKind::UrlSet) => name.eq_ignore_ascii_case("url"),
            Some(SitemapKind::Index) => name.eq_ignore_ascii_case("sitemap"),
            Some(SitemapKind::Rss) => name.eq_ignore_ascii_case("item"),
            _ => name.eq_ignore_ascii_case("entry"),
        };
        if !is_end {
            return None;
        }
        // Depth is counted anew from here, whatever was left open inside.
        self.depth = entry.depth;
        self.entry.take().and_then(Entry::finish)
    }

    fn text(&mut self, text: &str, limits: &SitemapLimits) {
        let Some(entry) = &mut self.entry else { return };
        let Some(field) = entry.field else { return };
        let (value, limit) = match field {
            Field::Url => (&mut entry.raw.url, limits.url.saturating_add(1)),
            Field::Lastmod => (entry.raw.lastmod.get_or_insert_default(), VALUE),
            Field::Changefreq => (entry.raw.changefreq.get_or_insert_default(), VALUE),
            Field::Priority => (entry.raw.priority.get_or_insert_default(), VALUE),
            Field::Guid => (entry.guid.get_or_insert_default(), limits.url.saturating_add(1)),
        };
        let text = if value.is_empty() { text.trim_start() } else { text };
        let room = limit.saturating_sub(value.len());
        let fits = text
            .char_indices()
            .map(|(at, c)| at.saturating_add(c.len_utf8()))
            .take_while(|end| *end <= room)
            .last();
        value.push_str(if text.len() <= room {
            text
        } else {
            text.get(..fits.unwrap_or_default()).unwrap_or_default()
        });
    }

    /// `&amp;` and its like; any other name stays as it is written.
    fn reference(&mut self, reference: &BytesRef<'_>, limits: &SitemapLimits) {
        if let Ok(Some(c)) = reference.resolve_char_ref() {
            return self.text(c.encode_utf8(&mut [0; 4]), limits);
        }
        // XML's own five: another crate's choice of quick-xml features must not change what a sitemap says.
        match escape::resolve_xml_entity(reference) {
            Some(text) => self.text(text, limits),
            None => self.text(&format!("&{};", &**reference), limits),
        }
    }
}

impl Entry {
    /// None where there is nothing but an empty element.
    fn finish(self) -> Option<Raw> {
        let mut raw = self.raw;
        if raw.url.trim().is_empty() && self.guid_is_url {
            raw.url = self.guid.unwrap_or_default();
        }
        Some(raw)
    }
}

fn alternate(tag: &BytesStart<'_>) -> Option<(String, String)> {
    let rel = attribute(tag, "rel")?;
    let is_alternate = rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("alternate"));
    Some((attribute(tag, "hreflang")?, attribute(tag, "href")?)).filter(|_| is_alternate)
}

/// The value of an attribute, decoded as far as it can be.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.html_attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.0.eq_ignore_ascii_case(name))?;
    Some(match escape::unescape_with(&found.value, escape::resolve_xml_entity) {
        Ok(value) => value.into_owned(),
        Err(_) => found.value.replace("&amp;", "&"),
    })
}

fn is_html(doctype: &str) -> bool {
    doctype.trim_start().get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"))
}
