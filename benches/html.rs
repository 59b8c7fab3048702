//! Links and facts of pages beside the peers in one run, and the speed of a large sitemap.
//!
//! `cargo bench --bench html` in this folder; `-- --quick` for a first look. Ratios come last, from medians of interleaved
//! rounds in thread CPU time, so that a busy machine slows all alike.
//!
//! Equal output: the URL of each `a`, `link`, `img`, `script`, resolved by the same code of the `url` crate; `rel` of links; images
//! of a `srcset`; title; `h1`; `meta`. A peer that hands out values undecoded (`lol_html`) is let off decoding them.

use std::cell::RefCell;
use std::fmt::Write;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use bot_etiquette_benches::{at_least, medians};
use bot_etiquette_html::{Limits, PageReader, Sitemap, srcset};
use criterion::{Criterion, Throughput};
use html5gum::{Token, Tokenizer};
use scraper::{Html, Selector};
use url::Url;

const WORDS: [&str; 16] = [
    "market", "river", "open", "today", "council", "bridge", "house", "green", "price", "garden", "school",
    "train", "north", "light", "paper", "story",
];

/// A page of about `size` bytes, the same on every machine.
fn page(size: usize, seed: u64) -> String {
    let mut state = seed;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut text = String::from(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page &amp; its title</title><meta name=description content=\"What it says\">\
         <link rel=canonical href=\"https://example.com/p\"><link rel=stylesheet href=/s.css><script src=/a.js></script><script>var a = \"<a href='/no'>\";</script></head><body><h1>A page</h1>",
    );
    while text.len() < size {
        let number = next(10_000);
        let _ = write!(
            text,
            "<div class=\"card card--{number} wide\" id=\"c{number}\" data-track=\"item-{number}\"><h2 class=\"card__title\"><a class=\"card__link\" href=\"/shop/item-{number}?a=1&amp;b={number}\"{}>",
            if number % 5 == 0 { " rel=\"nofollow noopener\"" } else { "" }
        );
        for _ in 0..4 {
            text.push_str(WORDS[next(16) as usize]);
            text.push(' ');
        }
        let _ = write!(
            text,
            "</a></h2><img class=\"card__image\" src=\"/i/{number}.jpg\" srcset=\"/i/{number}-2.jpg 2x, /i/{number}-3.jpg 3x\" alt=\"picture\" loading=lazy><p class=\"card__text\">"
        );
        for _ in 0..60 {
            text.push_str(WORDS[next(16) as usize]);
            text.push(' ');
        }
        text.push_str("&ndash; and so on.</p></div>\n");
    }
    text.push_str("</body></html>");
    text
}

#[derive(Debug, Default, PartialEq)]
struct Output {
    urls: Vec<Url>,
    nofollow: usize,
    title: String,
    h1: usize,
    metas: usize,
}

fn base() -> Url {
    Url::parse("https://example.com/d/p.html").unwrap()
}

impl Output {
    fn link(&mut self, base: &Url, value: &str) {
        if let Ok(url) = base.join(value) {
            self.urls.push(url);
        }
    }
}

fn ours(text: &str) -> Output {
    let page = PageReader::new(base()).limits(Limits { text: 0, ..Limits::default() }).read(text.as_bytes());
    Output {
        nofollow: page.links.iter().filter(|link| link.nofollow).count(),
        title: page.title.unwrap_or_default(),
        h1: page.h1.len(),
        metas: page.metas.len(),
        urls: page.links.into_iter().map(|link| link.url).collect(),
    }
}

fn html5gum(text: &str) -> Output {
    let (base, mut output) = (base(), Output::default());
    let mut in_title = false;
    let mut emitter = html5gum::DefaultEmitter::<()>::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(text, emitter) {
        match token.unwrap() {
            Token::StartTag(tag) => {
                let value = |name: &[u8]| {
                    tag.attributes.get(name).map(|value| String::from_utf8_lossy(&value.value).into_owned())
                };
                match tag.name.as_slice() {
                    b"a" | b"link" => {
                        if let Some(href) = value(b"href") {
                            output.link(&base, &href);
                        }
                        let rel = value(b"rel").unwrap_or_default();
                        output.nofollow += usize::from(
                            rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("nofollow")),
                        );
                    }
                    b"img" | b"script" => {
                        if let Some(src) = value(b"src") {
                            output.link(&base, &src);
                        }
                        for image in srcset(&value(b"srcset").unwrap_or_default()) {
                            output.link(&base, image.url);
                        }
                    }
                    b"title" => in_title = true,
                    b"h1" => output.h1 += 1,
                    b"meta" => output.metas += usize::from(value(b"name").is_some()),
                    _ => {}
                }
            }
            Token::String(text) if in_title => output.title.push_str(&String::from_utf8_lossy(&text.value)),
            Token::EndTag(tag) if tag.name.as_slice() == b"title" => in_title = false,
            _ => {}
        }
    }
    output
}

fn lol_html(text: &str) -> Output {
    use lol_html::{HtmlRewriter, Settings, element, text};
    let output = Rc::new(RefCell::new(Output::default()));
    let base = base();
    let settings = Settings::new()
        .append_element_content_handler(element!("a[href], link[href]", |tag| {
            let mut output = output.borrow_mut();
            output.link(&base, &tag.get_attribute("href").unwrap_or_default());
            let rel = tag.get_attribute("rel").unwrap_or_default();
            output.nofollow +=
                usize::from(rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("nofollow")));
            Ok(())
        }))
        .append_element_content_handler(element!("img, script[src]", |tag| {
            let mut output = output.borrow_mut();
            if let Some(src) = tag.get_attribute("src") {
                output.link(&base, &src);
            }
            for image in srcset(&tag.get_attribute("srcset").unwrap_or_default()) {
                output.link(&base, image.url);
            }
            Ok(())
        }))
        .append_element_content_handler(element!("h1", |_| {
            output.borrow_mut().h1 += 1;
            Ok(())
        }))
        .append_element_content_handler(element!("meta[name]", |_| {
            output.borrow_mut().metas += 1;
            Ok(())
        }))
        .append_element_content_handler(text!("title", |piece| {
            output.borrow_mut().title.push_str(piece.as_str());
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(text.as_bytes()).unwrap();
    rewriter.end().unwrap();
    output.take()
}

fn scraper(text: &str) -> Output {
    thread_local! {
        static WANTED: Selector = Selector::parse("a, link, img, script, title, h1, meta").unwrap();
    }
    let (base, mut output) = (base(), Output::default());
    let document = Html::parse_document(text);
    WANTED.with(|wanted| {
        for element in document.select(wanted) {
            let value = |name| element.value().attr(name);
            match element.value().name() {
                "a" | "link" => {
                    if let Some(href) = value("href") {
                        output.link(&base, href);
                    }
                    let rel = value("rel").unwrap_or_default();
                    output.nofollow += usize::from(
                        rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("nofollow")),
                    );
                }
                "img" | "script" => {
                    if let Some(src) = value("src") {
                        output.link(&base, src);
                    }
                    for image in srcset(value("srcset").unwrap_or_default()) {
                        output.link(&base, image.url);
                    }
                }
                "title" => output.title = element.text().collect(),
                "h1" => output.h1 += 1,
                _ => output.metas += usize::from(value("name").is_some()),
            }
        }
    });
    output
}

fn sitemap(size: usize) -> String {
    let mut text = String::from(
        "<?xml version='1.0' encoding='UTF-8'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n",
    );
    let mut number = 0;
    while text.len() < size {
        number += 1;
        let _ = write!(
            text,
            "  <url>\n    <loc>https://example.com/a/long/path/of/a/shop/item-{number}?a=1&amp;b=2</loc>\n    <lastmod>2026-11-30T10:00:00+00:00</lastmod>\n    <changefreq>weekly</changefreq>\n    <priority>0.8</priority>\n  </url>\n"
        );
    }
    text.push_str("</urlset>");
    text
}

fn read_sitemap(text: &str) -> usize {
    let limits =
        bot_etiquette_html::SitemapLimits { entries: usize::MAX, bytes: usize::MAX, ..Default::default() };
    Sitemap::with_limits(base(), text.as_bytes(), limits).filter(Result::is_ok).count()
}

type Peer = (&'static str, fn(&str) -> Output);

fn main() {
    let text = page(100_000, 7);
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("html");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let peers: [Peer; 4] =
        [("bot-etiquette", ours), ("lol_html", lol_html), ("html5gum", html5gum), ("scraper", scraper)];
    for (name, run) in peers {
        group.bench_function(name, |bencher| bencher.iter(|| run(black_box(&text))));
    }
    group.finish();
    let whole = ours(&text);
    assert_eq!(whole, html5gum(&text));
    assert_eq!(whole, scraper(&text));
    let works = peers.map(|(_, run)| {
        let text = &text;
        move || drop(black_box(run(text)))
    });
    let full = || drop(black_box(PageReader::new(base()).read(text.as_bytes())));
    let [own, lol, gum, scraped, full] = medians(41, [&works[0], &works[1], &works[2], &works[3], &full]);
    let rate = |time: Duration, bytes: usize| bytes as f64 / time.as_secs_f64() / 1e6;
    let times = [own, lol, gum, scraped, full];
    let names = peers.map(|(name, _)| name).into_iter().chain(["with the text"]);
    for (name, time) in names.zip(times) {
        println!("{name:14} {:7.1} MB/s", rate(time, text.len()));
    }
    let beside = |peer: Duration| peer.as_secs_f64() / own.as_secs_f64();
    at_least(1.5).judge("html", "links and facts of 100 KB, rate / html5gum, default emitter", beside(gum));
    at_least(3.0).floor(2.8).judge("html", "the same, rate / scraper", beside(scraped));
    at_least(0.75).judge("html", "the same, rate / lol_html, which leaves values undecoded", beside(lol));
    let map = sitemap(50_000_000);
    let [time] = medians(3, [&|| assert!(black_box(read_sitemap(&map)) > 100_000)]);
    at_least(150.0).judge("html", "a sitemap of 50 MB, MB/s", rate(time, map.len()));
}
