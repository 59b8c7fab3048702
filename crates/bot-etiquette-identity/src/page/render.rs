//! The page as HTML and as plain text.

use std::fmt::Write;

use super::{Block, BotPage, Section};

/// Small enough to read, and dark where the reader's system is.
const STYLE: &str = "body{font:1rem/1.55 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}\
h1{line-height:1.2}h2{margin-top:2.2em}pre{padding:.8rem;overflow:auto;border:1px solid #8886;border-radius:.4rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.2rem}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}\
@media(max-width:36rem){dl{display:block}dd{margin:0 0 .6rem}}";

pub(super) fn html(page: &BotPage<'_>, sections: &[Section]) -> String {
    let mut out = String::with_capacity(16 * 1024);
    let title = escape(&page.title());
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n",
        page.language.tag()
    );
    let _ = writeln!(out, "<link rel=\"canonical\" href=\"{}\">", escape(page.identity.page().as_str()));
    if let Some(url) = &page.identity.profile.addresses.url {
        let _ = writeln!(out, "<link rel=\"client-ranges\" href=\"{}\">", escape(url));
    }
    let _ = writeln!(out, "<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>");
    for section in sections {
        let _ = writeln!(
            out,
            "<section id=\"{}\">\n<h2>{}</h2>",
            section.id.replace('_', "-"),
            escape(&section.heading)
        );
        for block in &section.blocks {
            html_block(&mut out, block);
        }
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn html_block(out: &mut String, block: &Block) {
    let lang = |tag: &Option<String>| {
        tag.as_ref().map_or_else(String::new, |tag| format!(" lang=\"{}\"", escape(tag)))
    };
    match block {
        Block::Text(text, tag) => {
            let _ = writeln!(out, "<p{}>{}</p>", lang(tag), escape(text));
        }
        Block::List(lines) => {
            out.push_str("<ul>\n");
            for (line, tag) in lines {
                let _ = writeln!(out, "<li{}>{}</li>", lang(tag), escape(line));
            }
            out.push_str("</ul>\n");
        }
        Block::Verbatim(text) => {
            let _ = writeln!(out, "<pre>{}</pre>", escape(text));
        }
        Block::Pairs(pairs) => {
            out.push_str("<dl>\n");
            for (name, value) in pairs {
                let value = if is_link(value) { link(value) } else { escape(value) };
                let _ = writeln!(out, "<dt>{}</dt><dd>{value}</dd>", escape(name));
            }
            out.push_str("</dl>\n");
        }
        Block::Heading(text) => {
            let _ = writeln!(out, "<h3>{}</h3>", escape(text));
        }
        Block::Link(url) => {
            let _ = writeln!(out, "<p>{}</p>", link(url));
        }
    }
}

/// A whole value that leads somewhere; a sentence that holds an address does not.
fn is_link(value: &str) -> bool {
    ["https://", "http://", "mailto:"].iter().any(|scheme| value.starts_with(scheme)) && !value.contains(' ')
}

fn link(url: &str) -> String {
    let shown = url.strip_prefix("mailto:").unwrap_or(url);
    format!("<a href=\"{}\">{}</a>", escape(url), escape(shown))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

pub(super) fn text(page: &BotPage<'_>, sections: &[Section]) -> String {
    let mut out = String::with_capacity(8 * 1024);
    let title = page.title();
    let _ = writeln!(out, "{title}\n{}", "=".repeat(title.chars().count()));
    for section in sections {
        let _ = writeln!(out, "\n{}\n{}", section.heading, "-".repeat(section.heading.chars().count()));
        for block in &section.blocks {
            match block {
                Block::Text(text, _) => {
                    let _ = writeln!(out, "\n{text}");
                }
                Block::List(lines) => {
                    out.push('\n');
                    for (line, _) in lines {
                        let _ = writeln!(out, "- {line}");
                    }
                }
                Block::Verbatim(text) => {
                    out.push('\n');
                    for line in text.lines() {
                        let _ = writeln!(out, "    {line}");
                    }
                }
                Block::Pairs(pairs) => {
                    out.push('\n');
                    for (name, value) in pairs {
                        let _ = writeln!(out, "{name}: {}", value.strip_prefix("mailto:").unwrap_or(value));
                    }
                }
                Block::Heading(text) => {
                    let _ = writeln!(out, "\n{text}:");
                }
                Block::Link(url) => {
                    let _ = writeln!(out, "{}", url.strip_prefix("mailto:").unwrap_or(url));
                }
            }
        }
    }
    out
}
