//! `extract html`, `extract sitemap` and `extract file`.

use std::fmt::Write;
use std::time::SystemTime;

use bot_etiquette_html::{
    Image, ImageHead, PDF_FIRST, PDF_LAST, Page, PageReader, PdfTitle, Sitemap as Reader, SitemapEntry,
    SitemapFinding, SitemapKind, image_head, pdf_title,
};
use clap::Args;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use url::Url;

use crate::exit::{Answer, Failure};
use crate::{input, output, time};

#[derive(Debug, Args)]
pub(crate) struct Html {
    /// The URL the page was answered at, after redirects.
    #[arg(long, value_name = "BASE")]
    url: String,
    /// A header field line of the answer, such as `Content-Type: text/html`; give it again for each line.
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = input::source)]
    headers: Vec<String>,
    /// A product token: metas of that name speak to robots too; give it again for others.
    #[arg(long = "agent", value_name = "TOKEN")]
    agents: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The page; - reads stdin.
    #[arg(value_parser = input::source)]
    file: String,
}

#[derive(Serialize)]
struct Printed<'a, T> {
    schema: u32,
    #[serde(flatten)]
    facts: &'a T,
}

pub(crate) fn html(options: &Html) -> Result<Answer, Failure> {
    let mut reader = PageReader::new(base(&options.url)?).headers(&headers(&options.headers)?);
    for agent in &options.agents {
        reader = reader.robots_token(agent);
    }
    let page = reader.read(&input::read(&options.file)?);
    if options.json {
        output::json(&Printed { schema: output::SCHEMA, facts: &page })?;
    } else {
        output::text(page_words(&page).as_bytes())?;
    }
    Ok(Answer::Yes)
}

fn page_words(page: &Page) -> String {
    let mut words = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(words, "{name}: {}", value.escape_debug());
    };
    for (name, value) in [("title", &page.title), ("description", &page.description), ("lang", &page.lang)] {
        if let Some(value) = value {
            line(name, value);
        }
    }
    for heading in &page.h1 {
        line("h1", heading);
    }
    for meta in &page.robots {
        line(&meta.name, &meta.content);
    }
    if let Some(url) = &page.canonical.url {
        line("canonical", url.as_str());
    }
    for alternate in &page.alternates {
        line(&format!("alternate {}", alternate.hreflang), alternate.url.as_str());
    }
    for link in &page.links {
        let nofollow = if link.nofollow { " nofollow" } else { "" };
        let _ = writeln!(words, "{}: {}{nofollow} (line {})", code(&link.kind), link.url, link.line);
    }
    for finding in &page.findings {
        let at = finding.line.map_or_else(|| "header".to_owned(), |line| format!("line {line}"));
        let _ = writeln!(words, "finding {}: {at}: {}", code(&finding.kind), finding.detail.escape_debug());
    }
    words
}

#[derive(Debug, Args)]
pub(crate) struct Sitemap {
    /// The URL the file was answered at, after redirects.
    #[arg(long, value_name = "BASE")]
    url: String,
    /// The time to judge at: Unix seconds or RFC 3339; now by default. A date of more than a day later is left out.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    now: Option<SystemTime>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The sitemap, packed or not; - reads stdin.
    #[arg(value_parser = input::source)]
    file: String,
}

#[derive(Serialize)]
struct Listed<'a> {
    schema: u32,
    kind: Option<SitemapKind>,
    entries: &'a [SitemapEntry],
    findings: &'a [SitemapFinding],
}

pub(crate) fn sitemap(options: &Sitemap) -> Result<Answer, Failure> {
    let url = base(&options.url)?;
    let bytes = input::read(&options.file)?;
    let mut reader = Reader::new(url, bytes.as_slice()).at(options.now.unwrap_or_else(time::now));
    let entries = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    let kind = reader.kind();
    if options.json {
        output::json(&Listed {
            schema: output::SCHEMA,
            kind,
            entries: &entries,
            findings: reader.findings(),
        })?;
    } else {
        let lines: String = entries.iter().map(|entry| format!("{}\n", entry.url)).collect();
        output::text(lines.as_bytes())?;
        for finding in reader.findings() {
            let (code, detail) = (code(&finding.kind), finding.detail.escape_debug());
            output::talk(&format!("{}: byte {}: {code}: {detail}\n", options.file, finding.offset));
        }
    }
    Ok(if kind == Some(SitemapKind::NotASitemap) { Answer::No } else { Answer::Yes })
}

#[derive(Debug, Args)]
pub(crate) struct File {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The file; - reads stdin.
    #[arg(value_parser = input::source)]
    file: String,
}

#[derive(Serialize)]
struct Content {
    schema: u32,
    size: usize,
    image: Option<Image>,
    /// Where the size of a picture would stand that is broken off.
    needs: Option<u64>,
    pdf_title: Option<PdfTitle>,
}

pub(crate) fn file(options: &File) -> Result<Answer, Failure> {
    let bytes = input::read(&options.file)?;
    let head = image_head(&bytes);
    let first = bytes.get(..usize::try_from(PDF_FIRST).unwrap_or(usize::MAX)).unwrap_or(&bytes);
    let last = bytes.len().saturating_sub(usize::try_from(PDF_LAST).unwrap_or(usize::MAX));
    let title = pdf_title(first, bytes.get(last..).unwrap_or_default());
    let content = Content {
        schema: output::SCHEMA,
        size: bytes.len(),
        image: if let ImageHead::Known(image) = head { Some(image) } else { None },
        needs: if let ImageHead::NeedMore(offset) = head { Some(offset) } else { None },
        pdf_title: Some(title).filter(|title| *title != PdfTitle::NotAPdf),
    };
    if options.json {
        output::json(&content)?;
    } else {
        let mut words = format!("size: {} bytes\n", content.size);
        if let Some(image) = &content.image {
            let (width, height) = image.shown();
            let _ = writeln!(words, "image: {:?}, {width} x {height} pixels as shown", image.format);
        }
        if let Some(offset) = content.needs {
            let _ = writeln!(words, "image: broken off; its size stands at byte {offset} or beyond");
        }
        match &content.pdf_title {
            Some(PdfTitle::Title(title)) => {
                let _ = writeln!(words, "title: {}", title.escape_debug());
            }
            Some(other) => {
                let _ = writeln!(words, "title: {other:?}");
            }
            None => {}
        }
        output::text(words.as_bytes())?;
    }
    Ok(if content.image.is_some() || content.pdf_title.is_some() { Answer::Yes } else { Answer::No })
}

/// The word of a kind, as JSON has it.
fn code(kind: &impl Serialize) -> String {
    serde_json::to_string(kind).unwrap_or_default().trim_matches('"').to_owned()
}

fn base(text: &str) -> Result<Url, Failure> {
    let fix = "give an absolute one such as https://example.com/page";
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => {
            Err(Failure::new(format_args!("--url {text:?}: not http or https but {}; {fix}", url.scheme())))
        }
        Err(error) => Err(Failure::new(format_args!("--url {text:?}: not a URL: {error}; {fix}"))),
    }
}

fn headers(lines: &[String]) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for line in lines {
        let wrong = || {
            Failure::new(format_args!("--header {line:?}: expected a line such as `Content-Type: text/html`"))
        };
        let (name, value) = line.split_once(':').ok_or_else(wrong)?;
        let name = HeaderName::try_from(name.trim()).map_err(|_| wrong())?;
        headers.append(name, HeaderValue::try_from(value.trim()).map_err(|_| wrong())?);
    }
    Ok(headers)
}
