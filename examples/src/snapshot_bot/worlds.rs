//! The world of the demonstration: an orchard's site, its shop, two sister sites, shared CDNs, and sites that it links to.

use std::time::Duration;

use bot_etiquette::referee::{Page, Promise, Site};

use crate::bot::Bot;
use crate::personal;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../worlds/snapshot_bot/", $name))
    };
}

/// Each host asks for a second between two requests, so that the referee can tell it from a shared CDN's pace.
const ROBOTS: &str = "User-agent: *\nCrawl-delay: 1\n";

/// What the bot promises, as the referee is told.
pub fn promise(bot: &Bot) -> Promise {
    let promise = Promise::new()
        .user_agent(&agents(bot))
        .robots_token("SiteSnapshot")
        .robots_first(true)
        .max_open(1)
        .crawl_delay_cap(Duration::from_secs(10))
        .group(&["cdn.shopify.com", "cdn.jsdelivr.net"], 8.0)
        .retry_after(true)
        .busy_first(Duration::from_secs(60))
        .unreachable_first(Duration::from_secs(900))
        .conditional(true)
        .max_redirects(5)
        .max_body(5_000_000)
        .nofollow(true)
        .closed_path("orchard.example/private/")
        .closed_path("closed.example/diary");
    let promise = personal::ALL.into_iter().fold(promise, Promise::canary);
    match &bot.key_directory {
        Some(keys) => promise.signed(true).key_directory(keys),
        None => promise,
    }
}

/// Its own name, and for pages that are rendered a phone's or a desktop's with it, of whatever browser there is.
fn agents(bot: &Bot) -> String {
    let names = [bot.identity.user_agent().clone(), bot.identity.phone(0), bot.identity.desktop(0)];
    let names = names.map(|name| {
        let escape = |c: char| if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() };
        name.as_str().chars().map(escape).collect::<String>().replace(r"Chrome\/0\.", r"Chrome\/\d+\.")
    });
    format!("^(?:{})$", names.join("|"))
}

/// All its sites.
#[must_use]
pub fn orchard() -> Vec<Site> {
    vec![
        redirects(oddities(files(own()))),
        shop(),
        shopify(),
        Site::new("cdn.jsdelivr.net").page(text(
            "/npm/ladder.js",
            "text/javascript",
            &"export const rung = 1;\n".repeat(90),
        )),
        html(Site::new("verger.example").robots(ROBOTS), "/", file!("verger.html")),
        html(Site::new("obstgarten.example").robots(ROBOTS), "/", file!("obstgarten.html")),
        html(
            Site::new("press.example").robots(ROBOTS),
            "/orchards",
            b"<title>Orchards</title><p>In the press.",
        ),
        gone(),
        guarded("guarded.example"),
        Site::new("closed.example").robots("User-agent: *\nDisallow: /\n"),
        headless(),
        Site::new("silent.example").robots(ROBOTS).page(Page::new("/*").no_answer()),
    ]
}

/// A site on which a firewall answers everything but robots.txt.
pub fn guarded(name: &str) -> Site {
    Site::new(name).robots(ROBOTS).page(
        Page::new("/*")
            .status(403)
            .header("cf-mitigated", "challenge")
            .header("Content-Type", "text/html")
            .body("<title>Just a moment...</title><a href=/honeypot>x</a>"),
    )
}

fn own() -> Site {
    let robots = "User-agent: SiteSnapshot\nDisallow: /private/\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n\n\
                  Sitemap: http://orchard.example/sitemap.xml\n";
    let site = Site::new("orchard.example")
        .robots(robots)
        .page(Page::new("/sitemap.xml").header("Content-Type", "application/xml").body(file!("sitemap.xml")));
    // What a page holds for the first reader, and from the second on.
    let site = html(html(site, "/", file!("home.html")), "/", file!("home-later.html"));
    let site = html(html(site, "/prices", file!("prices.html")), "/prices", file!("prices-later.html"));
    let apples = Page::new("/apples")
        .etag("\"apples-1\"")
        .header("Content-Type", "text/html")
        .body(file!("apples.html"));
    let pears = Page::new("/pears")
        .header("Last-Modified", "Mon, 02 Nov 2026 08:00:00 GMT")
        .header("Content-Type", "text/html")
        .body(file!("pears.html"));
    let site = html(site.page(apples).page(pears), "/cider", file!("cider.html"));
    scripted(html(site, "/visit", file!("visit.html")))
}

/// A page whose news come by script.
fn scripted(site: Site) -> Site {
    let news = r#"{"kinds": ["Gravenstein", "Boskoop"], "next": "/harvest/next"}"#;
    let next = b"<html lang=en><title>Ripening</title><meta name=description content=Soon><h1>Ripening</h1><p>Quinces.";
    let site = html(html(site, "/harvest", file!("harvest.html")), "/harvest/next", next);
    let script = Page::new("/harvest.js").header("Content-Type", "text/javascript").body(file!("harvest.js"));
    site.page(script).page(text("/harvest.json", "application/json", news))
}

/// Pages that ask for something, and pages that are broken.
fn oddities(site: Site) -> Site {
    let asks = |path: &str, tag: &str| {
        let body = format!(
            "<html lang=en><title>{path}</title><h1>{path}</h1><a href={path}/never>only from here</a>"
        );
        Page::new(path).header("Content-Type", "text/html").header("X-Robots-Tag", tag).body(body)
    };
    let meta = |site: Site, path: &str, name: &str, content: &str| {
        let body = format!(
            "<html lang=en><title>{path}</title><meta name={name} content=\"{content}\"><h1>{path}</h1><a href={path}/never>only from here</a>"
        );
        html(site, path, body.as_bytes())
    };
    let site = site.page(asks("/quiet/header", "nofollow")).page(asks("/quiet/named", "SiteSnapshot: none"));
    let site = meta(site, "/quiet/meta", "robots", "index, NOFOLLOW");
    let site = meta(site, "/quiet/none", "robots", "none");
    let site = meta(site, "/quiet/own", "sitesnapshot", "nofollow");
    site.page(
        Page::new("/almanac")
            .etag("\"almanac-1\"")
            .header("Content-Type", "text/html; charset=utf-8")
            .bytes_of(6_000_000),
    )
    .page(
        Page::new("/slow")
            .delay(Duration::from_secs(5))
            .header("Content-Type", "text/html")
            .body(file!("slow.html")),
    )
    .page(Page::new("/half").header("Content-Type", "text/html").bytes_of(40_000).break_after(1_000))
    .page(Page::new("/error").status(500).body("something went wrong"))
    .page(Page::new("/felled").status(410))
    .page(
        Page::new("/members")
            .status(403)
            .header("cf-mitigated", "challenge")
            .body("<title>Just a moment...</title>"),
    )
    .handler(|asked| {
        match asked.target {
            "/img/orchard.png" => return Some(part(asked, "image/png", file!("orchard.png"))),
            "/prices.pdf" => return Some(part(asked, "application/pdf", file!("prices.pdf"))),
            _ => {}
        }
        // Each page of the maze names one that is deeper.
        let path = asked.target.strip_prefix("/maze/")?;
        let body = format!("<html lang=en><title>Row {}</title><a href=/maze/{path}row/>on</a>", path.len());
        Some(Page::new("/maze/*").header("Content-Type", "text/html").body(body))
    })
}

fn redirects(site: Site) -> Site {
    let far = (1..=6).fold(site, |site, hop| {
        site.page(Page::new(&format!("/far/{hop}")).redirect(&format!("/far/{}", hop + 1)).status(301))
    });
    far.page(Page::new("/old-prices").redirect("/prices").status(301))
        .page(Page::new("/chain/1").redirect("/chain/2").status(302))
        .page(Page::new("/chain/2").redirect("/chain/3").status(307))
        .page(Page::new("/chain/3").redirect("/visit").status(308))
        .page(Page::new("/circle/a").redirect("/circle/b"))
        .page(Page::new("/circle/b").redirect("/circle/a"))
        .page(Page::new("/away").redirect("http://press.example/orchards"))
}

/// The whole of a file, or the part that was asked for: `bytes=0-99`.
fn part(asked: &bot_etiquette::referee::Asked<'_>, media_type: &str, whole: &[u8]) -> Page {
    let page = Page::new(asked.target).header("Content-Type", media_type);
    let range = asked.headers.iter().find(|(name, _)| name == "range").and_then(|(_, value)| {
        let (first, last) = value.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?.min(whole.len() - 1)))
    });
    match range.and_then(|(first, last)| Some((first, last, whole.get(first..=last)?))) {
        Some((first, last, part)) => page
            .status(206)
            .header("Content-Range", &format!("bytes {first}-{last}/{}", whole.len()))
            .body(part),
        None => page.body(whole),
    }
}

/// The picture and the PDF were drawn for this demonstration.
fn files(site: Site) -> Site {
    let squeezed = Page::new("/app.js")
        .header("Content-Type", "text/javascript")
        .header("Content-Encoding", "gzip")
        .body(file!("app.js.gz"));
    site.page(
        Page::new("/img/leaf.svg")
            .header("Content-Type", "image/svg+xml")
            .body("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    )
    .page(text("/style.css", "text/css", &"p { margin: 1rem 0 }\n".repeat(100)))
    .page(squeezed)
    .page(Page::new("/fonts/stem.woff2").header("Content-Type", "font/woff2").bytes_of(20_000))
}

fn shop() -> Site {
    let site = html(Site::new("shop.orchard.example").robots(ROBOTS), "/", file!("shop.html"));
    html(site, "/basket", b"<html lang=en><title>Basket</title><h1>Basket</h1><p>Empty.<form action=/order><input name=note></form>")
}

fn shopify() -> Site {
    (1..=12).fold(Site::new("cdn.shopify.com"), |site, number| {
        let path = format!("/s/files/1/orchard/apple-{number}.jpg");
        site.page(Page::new(&path).header("Content-Type", "image/jpeg").bytes_of(3_000))
    })
}

fn gone() -> Site {
    let moved = Page::new("/moved").redirect("http://press.example/orchards").status(301);
    Site::new("gone.example").robots(ROBOTS).page(Page::new("/recipe").status(410)).page(moved)
}

/// A server that refuses HEAD.
fn headless() -> Site {
    Site::new("headless.example").robots(ROBOTS).handler(|asked| match asked.method {
        "HEAD" => Some(Page::new("/*").status(405)),
        _ => Some(Page::new("/*").status(206).header("Content-Range", "bytes 0-0/1234").body("x")),
    })
}

fn html(site: Site, path: &str, body: &[u8]) -> Site {
    site.page(Page::new(path).header("Content-Type", "text/html; charset=utf-8").body(body))
}

fn text(path: &str, media_type: &str, body: &str) -> Page {
    Page::new(path).header("Content-Type", media_type).body(body)
}
