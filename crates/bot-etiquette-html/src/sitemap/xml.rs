//! Sitemaps, RSS and Atom from XML tokens.

use std::io;

use super::input::Recode;
use super::scan::{Scanner, Tag, Token, references};
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
    scanner: Scanner<'a>,
    pub(super) reading: Reading,
}

/// What is known so far.
pub(super) struct Reading {
    pub(super) kind: Option<SitemapKind>,
    pub(super) findings: Vec<(SitemapFindingKind, u64, String)>,
    limits: SitemapLimits,
    /// The prefix of the root: that of all elements that count.
    prefix: Vec<u8>,
    base: Option<String>,
    depth: u64,
    entry: Entry,
    ended: bool,
}

/// The entry that is being read, where one is open.
#[derive(Default)]
struct Entry {
    is_open: bool,
    raw: Raw,
    depth: u64,
    field: Option<Field>,
    guid: String,
    guid_is_no_url: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: Recode<'a>, limits: SitemapLimits) -> Self {
        let reading = Reading {
            kind: None,
            findings: Vec::new(),
            limits,
            prefix: Vec::new(),
            base: None,
            depth: 0,
            entry: Entry::default(),
            ended: false,
        };
        Self { scanner: Scanner::new(source), reading }
    }

    /// Writes the next entry; false at the end of the file.
    pub(super) fn next(&mut self, raw: &mut Raw) -> io::Result<bool> {
        while !self.reading.ended {
            let (offset, token) = self.scanner.next()?;
            if self.reading.token(token, offset, raw) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Reading {
    /// Takes a token in; whether it completes an entry.
    fn token(&mut self, token: Token<'_>, offset: u64, raw: &mut Raw) -> bool {
        match token {
            Token::Start(tag) => {
                self.depth = self.depth.saturating_add(1);
                let found = self.start(tag, offset, raw);
                if tag.is_empty {
                    // An entry without content is none.
                    self.close(split(tag.name).1);
                    self.depth = self.depth.saturating_sub(1);
                }
                return found;
            }
            Token::End(name) => {
                let is_end = self.close(split(name).1);
                self.depth = self.depth.saturating_sub(1);
                return is_end && self.entry.finish(raw);
            }
            Token::Text(text) => self.text(text, true),
            Token::Data(text) => self.text(text, false),
            Token::DocType(text) if self.kind.is_none() && is_html(text) => {
                self.kind = Some(SitemapKind::NotASitemap);
                self.ended = true;
            }
            Token::Stray => self.find(SitemapFindingKind::BrokenXml, offset, ""),
            Token::Cut => {
                self.find(SitemapFindingKind::Truncated, offset, "");
                return self.end(raw);
            }
            Token::Over => {
                if self.depth > 0 || self.entry.is_open {
                    self.find(SitemapFindingKind::Truncated, offset, "");
                }
                return self.end(raw);
            }
            Token::DocType(_) | Token::Aside => {}
        }
        false
    }

    fn find(&mut self, kind: SitemapFindingKind, offset: u64, detail: &str) {
        if self.findings.len() < self.limits.findings {
            self.findings.push((kind, offset, detail.to_owned()));
        }
    }

    fn end(&mut self, raw: &mut Raw) -> bool {
        self.ended = true;
        // An entry whose URL was read whole is worth keeping; one that was cut inside the URL is not.
        let is_whole = self.entry.is_open && self.entry.field.is_none();
        is_whole && self.entry.finish(raw)
    }

    /// A start tag; whether it ends an entry that was left open.
    fn start(&mut self, tag: Tag<'_>, offset: u64, raw: &mut Raw) -> bool {
        let (prefix, name) = split(tag.name);
        let Some(kind) = self.kind else {
            self.root(tag, name, prefix);
            return false;
        };
        let is_own = prefix == self.prefix;
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        let is_entry = is_own && is(entry_name(kind));
        // RSS 1.0 has its items in another namespace than its root; they have no prefix either.
        if is_entry || (kind == SitemapKind::Rss && prefix.is_empty() && name == b"item") {
            let before = self.entry.is_open && self.entry.finish(raw);
            let base = tag.attribute("xml:base").or_else(|| self.base.clone());
            self.entry.open(offset, self.depth, base);
            return before;
        }
        if self.entry.is_open && self.depth == self.entry.depth.saturating_add(1) {
            let is_own = is_own || (kind == SitemapKind::Rss && prefix.is_empty());
            let field = self.field(kind, tag, name, is_own, offset);
            self.entry.field = field.filter(|field| self.is_first(*field, is_own, offset));
        } else if let Some(open) = self.entry.field
            && is_own
            && self.field(kind, tag, name, is_own, offset) == Some(open)
        {
            // The end tag was lost.
            self.entry.field = Some(open).filter(|open| self.is_first(*open, is_own, offset));
        }
        false
    }

    /// Whether the entry has no such value yet. A feed may give its date in two vocabularies; all else is told.
    fn is_first(&mut self, field: Field, is_own: bool, offset: u64) -> bool {
        let is_first = self.entry.value(field).is_empty();
        if !is_first && is_own {
            self.find(SitemapFindingKind::Repeated, offset, field.name());
        }
        is_first
    }

    /// Which value the text after this tag is, if any.
    fn field(
        &mut self,
        kind: SitemapKind,
        tag: Tag<'_>,
        name: &[u8],
        is_own: bool,
        offset: u64,
    ) -> Option<Field> {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        match kind {
            SitemapKind::UrlSet | SitemapKind::Index if is_own => match () {
                () if is("loc") => Some(Field::Url),
                () if is("lastmod") => Some(Field::Lastmod),
                () if is("changefreq") => Some(Field::Changefreq),
                () if is("priority") => Some(Field::Priority),
                () => None,
            },
            // Of other vocabularies only the alternates count.
            SitemapKind::UrlSet | SitemapKind::Index => {
                if is("link") {
                    self.alternate(tag, offset);
                }
                None
            }
            SitemapKind::Rss if is_own => match name {
                b"link" => Some(Field::Url),
                b"pubDate" => Some(Field::Lastmod),
                b"guid" if !self.entry.guid.is_empty() => Some(Field::Guid),
                b"guid" => {
                    let says = tag.attribute("isPermaLink");
                    self.entry.guid_is_no_url =
                        says.is_some_and(|says| says.trim().eq_ignore_ascii_case("false"));
                    Some(Field::Guid)
                }
                _ => None,
            },
            SitemapKind::Rss if name == b"date" => Some(Field::Lastmod),
            SitemapKind::Atom if is_own && name == b"updated" => Some(Field::Lastmod),
            SitemapKind::Atom if is_own && name == b"link" => {
                let rel = tag.attribute("rel");
                let is_page = rel.is_none_or(|rel| rel.trim().eq_ignore_ascii_case("alternate"));
                if is_page && self.entry.raw.url.is_empty() {
                    self.entry.raw.url = tag.attribute("href").unwrap_or_default();
                }
                None
            }
            _ => None,
        }
    }

    fn alternate(&mut self, tag: Tag<'_>, offset: u64) {
        if self.entry.raw.alternates.len() >= self.limits.alternates {
            return self.find(SitemapFindingKind::TooManyAlternates, offset, "");
        }
        let rel = tag.attribute("rel").unwrap_or_default();
        let is_alternate = rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("alternate"));
        if let (true, Some(language), Some(href)) =
            (is_alternate, tag.attribute("hreflang"), tag.attribute("href"))
        {
            self.entry.raw.alternates.push((language, href));
        }
    }

    fn root(&mut self, tag: Tag<'_>, name: &[u8], prefix: &[u8]) {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        let kind = match () {
            () if is("urlset") => SitemapKind::UrlSet,
            () if is("sitemapindex") => SitemapKind::Index,
            () if is("rss") || is("rdf") => SitemapKind::Rss,
            () if is("feed") => SitemapKind::Atom,
            () => SitemapKind::NotASitemap,
        };
        self.kind = Some(kind);
        self.prefix = prefix.to_vec();
        self.base = tag.attribute("xml:base");
        self.ended = kind == SitemapKind::NotASitemap;
    }

    /// The end of an element, and whether it is that of the entry: by its name, so that a lost end tag inside costs only that
    /// entry's value.
    fn close(&mut self, name: &[u8]) -> bool {
        let entry = &mut self.entry;
        entry.field = None;
        let is_end = entry.is_open
            && self.kind.is_some_and(|kind| name.eq_ignore_ascii_case(entry_name(kind).as_bytes()));
        if is_end {
            entry.is_open = false;
            // Depth is counted anew from here, whatever was left open inside.
            self.depth = entry.depth;
        }
        is_end
    }

    fn text(&mut self, text: &[u8], has_references: bool) {
        let Some(field) = self.entry.field else { return };
        let entry = &mut self.entry;
        let url = self.limits.url.saturating_add(1);
        let limit = if matches!(field, Field::Url | Field::Guid) { url } else { VALUE };
        let value = entry.value(field);
        let keep = |piece: &str| {
            let piece = if value.is_empty() { piece.trim_start() } else { piece };
            let mut end = limit.saturating_sub(value.len()).min(piece.len());
            while !piece.is_char_boundary(end) {
                end = end.saturating_sub(1);
            }
            value.push_str(piece.get(..end).unwrap_or_default());
        };
        if has_references {
            references(text, keep);
        } else {
            std::str::from_utf8(text).map(keep).unwrap_or_default();
        }
    }
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Lastmod => "lastmod",
            Self::Changefreq => "changefreq",
            Self::Priority => "priority",
            Self::Guid => "guid",
        }
    }
}

impl Entry {
    fn value(&mut self, field: Field) -> &mut String {
        match field {
            Field::Url => &mut self.raw.url,
            Field::Guid => &mut self.guid,
            Field::Lastmod => &mut self.raw.lastmod,
            Field::Changefreq => &mut self.raw.changefreq,
            Field::Priority => &mut self.raw.priority,
        }
    }

    fn open(&mut self, offset: u64, depth: u64, base: Option<String>) {
        self.raw.clear();
        self.guid.clear();
        self.raw.offset = offset;
        self.raw.base = base;
        self.is_open = true;
        self.depth = depth;
        self.field = None;
        self.guid_is_no_url = false;
    }

    /// Hands the entry over; always true.
    fn finish(&mut self, raw: &mut Raw) -> bool {
        self.is_open = false;
        if self.raw.url.trim().is_empty() && !self.guid_is_no_url {
            std::mem::swap(&mut self.raw.url, &mut self.guid);
        }
        std::mem::swap(&mut self.raw, raw);
        true
    }
}

fn entry_name(kind: SitemapKind) -> &'static str {
    match kind {
        SitemapKind::UrlSet => "url",
        SitemapKind::Index => "sitemap",
        SitemapKind::Rss => "item",
        SitemapKind::Atom => "entry",
        SitemapKind::Text | SitemapKind::NotASitemap => "",
    }
}

/// The prefix, which may be empty, and the name.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().position(|byte| *byte == b':') {
        Some(at) => {
            (name.get(..at).unwrap_or_default(), name.get(at.saturating_add(1)..).unwrap_or_default())
        }
        None => (&[], name),
    }
}

fn is_html(doctype: &[u8]) -> bool {
    doctype.trim_ascii_start().get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"html"))
}
