//! From what was collected to a page: URLs are resolved, statements weighed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use super::collect::{Collector, Piece, RawLink};
use super::{
    Alternate, Canonical, Finding, FindingKind, Limits, Link, LinkKind, LinkSource, Meta, Named, Page,
    PageReader, Place, Refresh, rel_tokens, tokenize,
};
use crate::{Charset, JsonLd, link_header, parse_refresh};

pub(super) fn page(reader: &PageReader, charset: &Charset, collector: Collector<'_>) -> Page {
    let mut collector = collector;
    let encoding = Encoding::for_label(charset.name.as_bytes()).unwrap_or(UTF_8);
    let base = collector.base.and_then(|(piece, line)| {
        let base = reader.url.join(collector.piece(piece).trim_matches(is_trimmed)).ok();
        let base =
            base.filter(|base| !base.cannot_be_a_base() && !matches!(base.scheme(), "data" | "javascript"));
        if base.is_none() {
            let detail = collector.piece(piece).to_owned();
            collector.find(FindingKind::BaseUnusable, line, &detail);
        }
        base
    });
    let base = base.unwrap_or_else(|| reader.url.clone());
    let mut page = Page {
        url: reader.url.clone(),
        base,
        charset: charset.clone(),
        lang: collector.lang.take().or_else(|| only_language(reader.content_language.as_deref())),
        title: collector.title.take().map(super::text::Text::into_string),
        h1: std::mem::take(&mut collector.h1),
        description: None,
        robots: Vec::new(),
        x_robots_tag: reader.x_robots_tag.clone(),
        canonical: Canonical::default(),
        alternates: Vec::new(),
        refresh: None,
        open_graph: Vec::new(),
        metas: Vec::new(),
        json_ld: Vec::new(),
        links: Vec::with_capacity(collector.links.len()),
        skipped: BTreeMap::new(),
        forms: collector.forms,
        text: String::new(),
        main: Vec::new(),
        findings: std::mem::take(&mut collector.findings),
    };
    let mut builder = Builder { page: &mut page, encoding, limits: reader.limits, padded: String::new() };
    builder.links(&mut collector);
    builder.srcdocs(std::mem::take(&mut collector.srcdocs));
    builder.refresh(collector.refresh.take(), reader.refresh.as_deref());
    builder.header_links(&reader.links);
    builder.metas(std::mem::take(&mut collector.metas), &reader.tokens);
    builder.json_ld(&collector.json_ld);
    builder.canonical();
    if collector.visible.is_cut() {
        builder.find(FindingKind::TextCut, None, "");
    }
    page.text = collector.visible.into_string();
    page.main = collector.outline.main_text(page.text.len());
    page.findings.sort_by_key(|finding| finding.line);
    page
}

struct Builder<'p> {
    page: &'p mut Page,
    encoding: &'static Encoding,
    limits: Limits,
    padded: String,
}

/// Blanks after a URL at the most, to make room for its base.
const PADDING: &str = "                                                                ";

/// A URL as written, and where.
#[derive(Clone, Copy)]
struct Written<'a> {
    text: &'a str,
    line: Option<u32>,
}

impl Builder<'_> {
    fn find(&mut self, kind: FindingKind, line: Option<u32>, detail: &str) {
        if self.page.findings.len() < self.limits.findings {
            self.page.findings.push(Finding::new(kind, line, detail));
        }
    }

    /// The URL meant, if it is one that a crawler could ask for.
    fn resolve(&mut self, written: Written<'_>) -> Option<Url> {
        let text = written.text.trim_matches(is_trimmed);
        if text.len() > self.limits.url {
            self.find(FindingKind::LongUrl, written.line, text);
            return None;
        }
        // A line end or a tab before `://` is a list or a table pasted into a link, and would silently become a path.
        if memchr::memchr3(b'\t', b'\n', b'\r', text.as_bytes()).is_some()
            && let Some((before, _)) = text.split_once("://")
            && before.contains(['\t', '\n', '\r'])
            && !is_scheme(before)
        {
            self.find(FindingKind::MalformedUrl, written.line, text);
            return None;
        }
        let encoding = self.encoding;
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| encoding.encode(query).0;
        // Only the query is written in the charset of the page.
        let encode = (encoding != UTF_8).then_some(encode);
        // A parsed URL is given the room of its text, and moved each time it outgrows that. Blanks around it mean nothing.
        self.padded.clear();
        self.padded.push_str(text);
        self.padded.push_str(PADDING.get(..self.page.base.as_str().len()).unwrap_or(PADDING));
        let parsed =
            Url::options().base_url(Some(&self.page.base)).encoding_override(encode).parse(&self.padded);
        let Ok(url) = parsed else {
            self.find(FindingKind::MalformedUrl, written.line, text);
            return None;
        };
        if !matches!(url.scheme(), "http" | "https") {
            self.skip(url.scheme());
            return None;
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The value itself is a secret.
            self.find(FindingKind::Credentials, written.line, url.host_str().unwrap_or_default());
            return None;
        }
        Some(url)
    }

    fn skip(&mut self, scheme: &str) {
        // Schemes are a page's invention: only so many are told apart.
        let known = self.page.skipped.contains_key(scheme) || self.page.skipped.len() < self.limits.items;
        let scheme = if known { scheme.chars().take(32).collect() } else { "other".to_owned() };
        let count = self.page.skipped.entry(scheme).or_insert(0);
        *count = count.saturating_add(1);
    }

    fn links(&mut self, collector: &mut Collector<'_>) {
        for raw in std::mem::take(&mut collector.links) {
            let text = |piece: Piece| collector.piece(piece);
            let written = Written { text: text(raw.value), line: Some(raw.line) };
            let rel = rel_tokens(text(raw.rel));
            let hreflang = text(raw.hreflang);
            let kind = match raw.kind {
                LinkKind::Metadata if raw.element == super::names::Element::Link => {
                    LinkKind::of_rel(&rel, !hreflang.trim().is_empty(), text(raw.media_type))
                }
                kind => kind,
            };
            let Some(url) = self.resolve(written) else { continue };
            self.statement(kind, &raw, hreflang, &url, written);
            self.push(raw, kind, rel, url);
        }
    }

    /// Notes a preferred URL or an alternate. What stands in the body or in a template states nothing.
    fn statement(&mut self, kind: LinkKind, raw: &RawLink, hreflang: &str, url: &Url, written: Written<'_>) {
        let in_body = match kind {
            LinkKind::Canonical => FindingKind::CanonicalInBody,
            LinkKind::Alternate => FindingKind::HreflangInBody,
            _ => return,
        };
        if raw.place == Place::Template {
            return;
        }
        if raw.in_body {
            return self.find(in_body, written.line, written.text);
        }
        let is_relative = Url::parse(written.text.trim_matches(is_trimmed)).is_err();
        if kind == LinkKind::Canonical {
            if is_relative {
                self.find(FindingKind::CanonicalRelative, written.line, written.text);
            }
            self.page.canonical.named.push(Named { url: url.clone(), source: LinkSource::Element });
        } else {
            if is_relative {
                self.find(FindingKind::HreflangRelative, written.line, written.text);
            }
            self.alternate(hreflang.trim(), url, LinkSource::Element);
        }
    }

    fn alternate(&mut self, hreflang: &str, url: &Url, source: LinkSource) {
        if self.page.alternates.len() < self.limits.links {
            self.page.alternates.push(Alternate::new(hreflang, url.clone(), source));
        }
    }

    fn push(&mut self, raw: RawLink, kind: LinkKind, rel: Vec<String>, url: Url) {
        let attribute = raw.attribute.map_or("", super::names::Attribute::as_str);
        self.page.links.push(Link {
            url,
            kind,
            element: raw.element.as_str().into(),
            attribute: attribute.into(),
            nofollow: rel.iter().any(|token| token == "nofollow"),
            rel,
            text: raw.text,
            place: raw.place,
            guessed: attribute.starts_with("data-"),
            span: raw.span.0..raw.span.1,
            line: raw.line,
        });
    }

    /// The documents in `srcdoc` attributes, read once and no deeper: their links are the page's.
    fn srcdocs(&mut self, documents: Vec<(String, u32, (usize, usize))>) {
        for (document, line, span) in documents {
            let room = self.limits.links.saturating_sub(self.page.links.len());
            let limits = Limits { links: room, text: 0, ..self.limits };
            let mut inner = Collector::new(&document, limits, Place::Srcdoc);
            tokenize(&document, &mut inner);
            for link in &mut inner.links {
                (link.line, link.span) = (line, span);
                // What the document in the frame says of itself is not said of this page.
                link.in_body = true;
            }
            self.links(&mut inner);
        }
    }

    fn refresh(&mut self, element: Option<(String, u32)>, header: Option<&str>) {
        let (text, line, source) = match (element, header) {
            (Some((text, line)), _) => (text, Some(line), LinkSource::Element),
            (None, Some(header)) => (header.to_owned(), None, LinkSource::Header),
            (None, None) => return,
        };
        let Some((seconds, target)) = parse_refresh(&text) else { return };
        let url = match target {
            None => Some(self.page.url.clone()),
            Some(target) => self.resolve(Written { text: target, line }),
        };
        let Some(url) = url else { return };
        if target.is_some() {
            self.header_link(url.clone(), LinkKind::Refresh, Vec::new(), line);
        }
        self.page.refresh = Some(Refresh { seconds, url, source });
    }

    fn header_link(&mut self, url: Url, kind: LinkKind, rel: Vec<String>, line: Option<u32>) {
        if self.page.links.len() >= self.limits.links {
            return self.find(FindingKind::LinksCut, line, "");
        }
        self.page.links.push(Link {
            url,
            kind,
            element: if line.is_some() { "meta" } else { "" }.into(),
            attribute: if line.is_some() { "content" } else { "" }.into(),
            nofollow: rel.iter().any(|token| token == "nofollow"),
            rel,
            text: String::new(),
            place: if line.is_some() { Place::Document } else { Place::Header },
            guessed: false,
            span: 0..0,
            line: line.unwrap_or_default(),
        });
    }

    /// `Link` fields are relative to the document's URL, not to its `base`.
    fn header_links(&mut self, fields: &[String]) {
        let base = std::mem::replace(&mut self.page.base, self.page.url.clone());
        for link in fields.iter().flat_map(|field| link_header(field)).take(self.limits.links) {
            if link.is_of_another_resource() {
                continue;
            }
            let Some(url) = self.resolve(Written { text: link.target, line: None }) else { continue };
            let rel = rel_tokens(link.parameter("rel").unwrap_or_default());
            let languages = || {
                let named = link.parameters.iter().filter(|(name, _)| name.eq_ignore_ascii_case("hreflang"));
                named.map(|(_, language)| language.trim()).filter(|language| !language.is_empty())
            };
            let media_type = link.parameter("type").unwrap_or_default();
            let kind = LinkKind::of_rel(&rel, languages().next().is_some(), media_type);
            match kind {
                LinkKind::Canonical => {
                    self.page.canonical.named.push(Named { url: url.clone(), source: LinkSource::Header });
                }
                LinkKind::Alternate => {
                    for language in languages() {
                        self.alternate(language, &url, LinkSource::Header);
                    }
                }
                _ => {}
            }
            self.header_link(url, kind, rel, None);
        }
        self.page.base = base;
    }

    fn metas(&mut self, metas: Vec<Meta>, tokens: &[String]) {
        for meta in metas {
            if tokens.contains(&meta.name) {
                self.page.robots.push(meta);
            } else if meta.name.contains(':') {
                self.page.open_graph.push(meta);
            } else {
                if meta.name == "description" && self.page.description.is_none() {
                    self.page.description = Some(meta.content.clone());
                }
                self.page.metas.push(meta);
            }
        }
    }

    fn json_ld(&mut self, blocks: &[(String, u32)]) {
        for (text, line) in blocks {
            let block = JsonLd::parse(text, *line);
            if let Some(error) = &block.error {
                self.find(FindingKind::JsonLdInvalid, Some(*line), error);
            } else if block.repaired {
                self.find(FindingKind::JsonLdRepaired, Some(*line), "");
            }
            self.page.json_ld.push(block);
        }
    }

    fn canonical(&mut self) {
        let named = &self.page.canonical.named;
        let first = named.first().map(|named| named.url.clone());
        let conflict = named.iter().any(|named| Some(&named.url) != first.as_ref());
        if conflict {
            self.find(FindingKind::CanonicalConflict, None, "");
        }
        self.page.canonical.conflict = conflict;
        self.page.canonical.url = first.filter(|_| !conflict);
    }
}

/// Source: URL Standard, "C0 control or space".
fn is_trimmed(c: char) -> bool {
    c <= ' '
}

/// Whether it is a scheme once tabs and line ends, which a URL parser drops, are gone.
fn is_scheme(text: &str) -> bool {
    let mut chars = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r'));
    let is_word =
        |rest: &[char]| rest.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | ':'));
    chars.next().is_some_and(|first| first.is_ascii_alphabetic()) && is_word(&chars.collect::<Vec<_>>())
}

/// A page in several languages has none of its own.
fn only_language(field: Option<&str>) -> Option<String> {
    let language = field?.trim();
    (!language.is_empty() && !language.contains(',')).then(|| language.to_owned())
}
