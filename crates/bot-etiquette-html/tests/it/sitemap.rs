//! Sitemaps and feeds.

use std::io::Write;

use bot_etiquette_html::{
    ChangeFrequency, LastModified, Precision, Sitemap, SitemapEntry, SitemapFindingKind, SitemapKind,
    SitemapLimits, SitemapWalk, WalkLimits, WalkProblem,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use crate::page::url;

struct Read {
    kind: Option<SitemapKind>,
    entries: Vec<SitemapEntry>,
    findings: Vec<SitemapFindingKind>,
}

fn read_with(bytes: &[u8], limits: SitemapLimits) -> Read {
    let mut sitemap = Sitemap::with_limits(url("https://ex.com/a/sitemap.xml"), bytes, limits);
    let entries = sitemap.by_ref().map(Result::unwrap).collect();
    Read {
        kind: sitemap.kind(),
        entries,
        findings: sitemap.findings().iter().map(|finding| finding.kind).collect(),
    }
}

fn read(bytes: impl AsRef<[u8]>) -> Read {
    read_with(bytes.as_ref(), SitemapLimits::default())
}

#[track_caller]
fn check(bytes: impl AsRef<[u8]>, kind: SitemapKind, urls: &[&str], findings: &[SitemapFindingKind]) {
    let read = read(bytes);
    let found: Vec<_> = read.entries.iter().map(|entry| entry.url.as_str()).collect();
    assert_eq!((read.kind, found.as_slice(), read.findings.as_slice()), (Some(kind), urls, findings));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const ONE: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://ex.com/1</loc></url></urlset>";

#[test]
fn an_entry_has_all_its_values() {
    let read = read(
        "\u{feff} <?xml version='1.0'?><!DOCTYPE urlset><urlset xmlns:xhtml='x'><url><loc><![CDATA[ https://ex.com/a?x=1&y=2 ]]></loc>\
         <lastmod>2026-11-30</lastmod><changefreq> Daily </changefreq><priority>0.8</priority>\
         <xhtml:link rel='alternate' hreflang='de' href='https://ex.com/de?a=1&amp;b'/></url></urlset>",
    );
    let entry = &read.entries[0];
    assert_eq!(entry.url.as_str(), "https://ex.com/a?x=1&y=2");
    assert_eq!(entry.lastmod.unwrap().precision, Precision::Day);
    assert_eq!((entry.changefreq, entry.priority), (Some(ChangeFrequency::Daily), Some(0.8)));
    assert_eq!(
        (entry.alternates[0].hreflang.as_str(), entry.alternates[0].url.as_str()),
        ("de", "https://ex.com/de?a=1&b")
    );
    assert!(read.findings.is_empty());
}

#[test]
fn names_count_and_namespaces_hardly_do() {
    use SitemapKind::{Index, UrlSet};
    check(ONE, UrlSet, &["https://ex.com/1"], &[]);
    check(
        "<sit:urlset xmlns:sit='y'><sit:url><sit:loc>/1</sit:loc></sit:url></sit:urlset>",
        UrlSet,
        &["https://ex.com/1"],
        &[],
    );
    check(
        "<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>",
        Index,
        &["https://ex.com/1.xml"],
        &[],
    );
    let images = "<urlset><url><image:image><image:loc>/i.png</image:loc></image:image><loc>/1</loc><image:loc>/j.png</image:loc></url></urlset>";
    check(images, UrlSet, &["https://ex.com/1"], &[]);
    check(
        "<urlset><url><image><loc>/i.png</loc></image><loc>/1</loc></url></urlset>",
        UrlSet,
        &["https://ex.com/1"],
        &[],
    );
    check(
        "<urlset><url><loc>/a&b&amp;c&#38;d&nbsp;</loc></url></urlset>",
        UrlSet,
        &["https://ex.com/a&b&c&d&nbsp;"],
        &[],
    );
}

#[test]
fn broken_files_give_what_they_have() {
    use SitemapFindingKind::{BadUrl, NoUrl, Truncated};
    use SitemapKind::UrlSet;
    check("<urlset><url><loc>/1</loc></url><url><loc>/2", UrlSet, &["https://ex.com/1"], &[Truncated]);
    check(
        "<urlset><url><loc>/1</loc></url><url><loc>/2</loc>",
        UrlSet,
        &["https://ex.com/1", "https://ex.com/2"],
        &[Truncated],
    );
    check(
        "<urlset><url><loc>/1</loc><lastmod>2026</url><url><loc>/2</loc></url></urlset>",
        UrlSet,
        &["https://ex.com/1", "https://ex.com/2"],
        &[],
    );
    check(
        "<urlset><url></url><url><loc>http://[</loc></url><url><loc>mailto:a@b.c</loc></url></urlset>",
        UrlSet,
        &[],
        &[NoUrl, BadUrl, BadUrl],
    );
    let read = read("<urlset><url><loc>/1</loc></url><url><loc");
    assert_eq!((read.entries.len(), read.findings.first()), (1, Some(&Truncated)));
}

#[test]
fn xml_that_is_none_is_read_on() {
    use SitemapFindingKind::{BrokenXml, Truncated};
    use SitemapKind::UrlSet;
    let urls = ["https://ex.com/1"];
    check("<urlset>1 < 2<><url><loc>/1</loc></url></urlset>", UrlSet, &urls, &[BrokenXml, BrokenXml]);
    check(
        "<urlset><!-- <url><loc>/no</loc></url> --><?x <url>?><url ><loc\n>/1</loc ></url ></urlset>",
        UrlSet,
        &urls,
        &[],
    );
    check("<urlset><url a='>' b=\"<loc>/no</loc>\"><loc>/1</loc></url></urlset>", UrlSet, &urls, &[]);
    check(
        "<!DOCTYPE urlset [<!ELEMENT a (b)><!-- > -->]><urlset><url><loc>/1</loc></url></urlset>",
        UrlSet,
        &urls,
        &[],
    );
    check("<urlset><url><loc>/1</loc></url><!-- open", UrlSet, &urls, &[Truncated]);
    check("<urlset><url><loc>/1</loc></url><![CDATA[ open ]]", UrlSet, &urls, &[Truncated]);
    check(
        "<urlset><url><loc>/<![CDATA[]]]]><![CDATA[>]]></loc></url></urlset>",
        UrlSet,
        &["https://ex.com/]]%3E"],
        &[],
    );
    check(
        "<urlset><url><loc>/&#x31;&#0;&#x110000;&#49 &amp&;</loc></url></urlset>",
        UrlSet,
        &["https://ex.com/1&#0;&#x110000;&#49%20&amp&;"],
        &[],
    );
}

#[test]
fn a_border_between_reads_makes_no_difference() {
    let file = "\u{feff}<?xml version='1.0'?><!-- c --><!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset><url a='>'><loc><![CDATA[/\u{e9}]]>&amp;1</loc></url>\
                <url><loc>/2</loc><x:link rel='alternate' hreflang='de' href='/d'/></url></urlset>";
    let whole: Vec<_> = Sitemap::new(url("https://ex.com/"), file.as_bytes()).map(Result::unwrap).collect();
    assert_eq!((whole.len(), whole[0].url.as_str()), (2, "https://ex.com/%C3%A9&1"));
    for size in 1..40 {
        let source = std::io::BufReader::with_capacity(size, file.as_bytes());
        let entries: Vec<_> = Sitemap::new(url("https://ex.com/"), source).map(Result::unwrap).collect();
        assert_eq!(entries, whole, "{size}");
    }
}

#[test]
fn what_is_no_list_is_told() {
    use SitemapFindingKind::NotASitemap as Told;
    use SitemapKind::NotASitemap;
    for body in [
        "<!doctype html><title>404</title><a href=/x>",
        "<html><body>",
        "{\"error\":1}",
        "",
        "   ",
        "<other/>",
        "Not found\nat all",
    ] {
        check(body, NotASitemap, &[], &[Told]);
    }
}

#[test]
fn gzip_is_told_by_its_content() {
    use SitemapFindingKind::{BrokenGzip, TrailingJunk, Truncated};
    use SitemapKind::{Text, UrlSet};
    let urls = ["https://ex.com/1"];
    check(gzip(ONE.as_bytes()), UrlSet, &urls, &[]);
    check(gzip(&gzip(ONE.as_bytes())), UrlSet, &urls, &[]);
    check([gzip(ONE.as_bytes()), b"<!-- cache -->".to_vec()].concat(), UrlSet, &urls, &[TrailingJunk]);
    let (start, end) = ONE.split_at(50);
    check([gzip(start.as_bytes()), gzip(end.as_bytes())].concat(), UrlSet, &urls, &[]);
    check(gzip(b"https://ex.com/1\n"), Text, &urls, &[]);
    let whole = gzip(ONE.as_bytes());
    let cut = read(&whole[..whole.len() - 10]);
    assert!(cut.findings.contains(&BrokenGzip), "{:?}", cut.findings);
    let many = format!("<urlset>{}", "<url><loc>/1</loc></url>".repeat(20_000));
    let packed = gzip(many.as_bytes());
    let cut = read(&packed[..packed.len() / 2]);
    assert!(!cut.entries.is_empty());
    assert!(cut.findings.contains(&BrokenGzip) && cut.findings.contains(&Truncated), "{:?}", cut.findings);
}

#[test]
fn charsets_are_declared_or_marked() {
    let utf16: Vec<u8> = "\u{feff}<urlset><url><loc>/\u{e9}</loc></url></urlset>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    check(utf16, SitemapKind::UrlSet, &["https://ex.com/%C3%A9"], &[]);
    let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>/\xe9</loc></url></urlset>";
    check(latin, SitemapKind::UrlSet, &["https://ex.com/%C3%A9"], &[]);
    check(
        b"<urlset><url><loc>/\xff</loc></url></urlset>",
        SitemapKind::UrlSet,
        &["https://ex.com/%EF%BF%BD"],
        &[],
    );
}

#[test]
fn feeds_are_lists_too() {
    check(
        "<rss version='2.0'><channel><link>/no</link><item><link>/1</link><guid>no</guid></item><item><guid>https://ex.com/2</guid></item>\
         <item><guid isPermaLink='false'>3</guid></item><item><atom:link href='/no'/><link>\n/4\n</link></item></channel></rss>",
        SitemapKind::Rss,
        &["https://ex.com/1", "https://ex.com/2", "https://ex.com/4"],
        &[SitemapFindingKind::NoUrl],
    );
    check(
        "<feed xml:base='https://b.com/x/'><link href='/no'/><entry><link rel='self' href='/no'/><link href='1'/></entry>\
         <entry xml:base='/y/'><link rel='alternate' href='2'/><link rel='alternate' href='no'/></entry></feed>",
        SitemapKind::Atom,
        &["https://b.com/x/1", "https://ex.com/y/2"],
        &[],
    );
    let read =
        read("<rss><item><link>/1</link><pubDate>Mon, 30 Nov 2026 10:00:00 +0100</pubDate></item></rss>");
    assert_eq!(read.entries[0].lastmod.unwrap().unix_seconds, 1_795_996_800 + 9 * 3_600);
}

#[test]
fn text_has_a_url_in_each_line() {
    check(
        "\u{feff}https://ex.com/1\r\nHTTP://EX.com/2\n\n# no\nwww.ex.com\nhttps://ex.com/3",
        SitemapKind::Text,
        &["https://ex.com/1", "http://ex.com/2", "https://ex.com/3"],
        &[],
    );
}

#[test]
fn dates_are_read_in_the_forms_that_sites_write() {
    const DAY: i64 = 1_795_996_800;
    for (text, expected) in [
        ("2026", Some((1_767_225_600, Precision::Year))),
        ("2026-11", Some((1_793_491_200, Precision::Month))),
        ("2026-11-30", Some((DAY, Precision::Day))),
        ("2026-11-30T10:00Z", Some((DAY + 36_000, Precision::Minute))),
        ("2026-11-30T10:00:01.5+01:00", Some((DAY + 32_401, Precision::Second))),
        ("2026-11-30 10:00:00", Some((DAY + 36_000, Precision::Second))),
        ("2026-11-30T10:00:00-0730", Some((DAY + 63_000, Precision::Second))),
        (" 2024-02-29 ", Some((1_709_164_800, Precision::Day))),
        ("1970-01-01", Some((0, Precision::Day))),
        ("Mon, 30 Nov 2026 10:00 GMT", Some((DAY + 36_000, Precision::Minute))),
        ("30 Nov 26", Some((DAY, Precision::Day))),
        ("2026-13-45", None),
        ("2025-02-29", None),
        ("2026-11-30T24:00Z", None),
        ("2026-11T10:00", None),
        ("30/11/2026", None),
        ("", None),
        ("2026-11-30T10:00+\u{e9}", None),
    ] {
        let read = LastModified::from_feed(text).map(|date| (date.unix_seconds, date.precision));
        assert_eq!(read, expected, "{text}");
    }
    let read =
        read("<urlset><url><loc>/1</loc><lastmod>2026-13-45</lastmod><priority>7</priority></url></urlset>");
    assert_eq!((read.entries[0].lastmod, read.entries[0].priority), (None, Some(1.0)));
    assert_eq!(read.findings, [SitemapFindingKind::BadDate, SitemapFindingKind::BadPriority]);
}

#[test]
fn a_date_of_the_day_after_tomorrow_is_not_believed() {
    let now = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_996_800);
    let is_future = |text: &str| LastModified::from_feed(text).unwrap().is_future(now);
    assert!(!is_future("2026-12-01") && is_future("2026-12-01T00:00:01Z") && !is_future("1950"));
    let file = |date: &str| format!("<urlset><url><loc>/1</loc><lastmod>{date}</lastmod></url></urlset>");
    for (date, is_kept) in [("2026-12-01", true), ("2026-12-01T00:00:01Z", false), ("2126-01", false)] {
        let file = file(date);
        let mut sitemap = Sitemap::new(url("https://ex.com/"), file.as_bytes()).at(now);
        let entry = sitemap.next().unwrap().unwrap();
        assert_eq!((entry.lastmod.is_some(), sitemap.findings().is_empty()), (is_kept, is_kept), "{date}");
        if let [finding] = sitemap.findings() {
            assert_eq!((finding.kind, finding.detail.as_str()), (SitemapFindingKind::FutureDate, date));
        }
    }
    assert!(read(file("2126-01")).entries[0].lastmod.is_some(), "no time is known");
}

#[test]
fn of_a_value_given_twice_the_first_counts() {
    use SitemapFindingKind::{NoUrl, Repeated};
    use SitemapKind::{Index, Rss, UrlSet};
    let one = ["https://ex.com/1"];
    let set = |inside: &str| format!("<urlset><url>{inside}</url></urlset>");
    check(set("<loc>/1</loc><loc>/2</loc>"), UrlSet, &one, &[Repeated]);
    check(
        set("<loc>https://ex.com/1</loc><loc>https://ex.com/2</loc><loc>/3</loc>"),
        UrlSet,
        &one,
        &[Repeated; 2],
    );
    check(set("<loc> </loc><loc/><loc>/1</loc>"), UrlSet, &one, &[]);
    check(set("<loc>/<![CDATA[1]]></loc>"), UrlSet, &one, &[]);
    check(
        "<sitemapindex><sitemap><loc>/1</loc><loc>/2</loc></sitemap></sitemapindex>",
        Index,
        &one,
        &[Repeated],
    );
    check(set("<loc>/1<loc>/2</loc>"), UrlSet, &one, &[Repeated]);
    check(set("<loc><loc>/1</loc></loc>"), UrlSet, &one, &[]);
    check(set("<loc>/1</loc><image:loc>/2</image:loc><image><loc>/3</loc></image>"), UrlSet, &one, &[]);
    check("<rss><item><link>/1</link><link>/2</link></item></rss>", Rss, &one, &[Repeated]);
    check(
        "<rss><item><guid>/1</guid><guid isPermaLink='false'>2</guid></item></rss>",
        Rss,
        &one,
        &[Repeated],
    );
    check(
        "<rss><item><guid isPermaLink='false'>2</guid><guid>/1</guid></item></rss>",
        Rss,
        &[],
        &[Repeated, NoUrl],
    );
    let read = read(set(
        "<loc>/1</loc><lastmod>2026-11-30</lastmod><lastmod>2025</lastmod><priority>0.5</priority><priority>1</priority>\
         <changefreq>daily</changefreq><changefreq>never</changefreq>",
    ));
    let entry = &read.entries[0];
    assert_eq!(entry.lastmod.unwrap().precision, Precision::Day);
    assert_eq!((entry.priority, entry.changefreq), (Some(0.5), Some(ChangeFrequency::Daily)));
    assert_eq!(read.findings, [Repeated; 3]);
    let twice = set("<loc>/1</loc><loc>/2</loc>");
    let mut sitemap = Sitemap::new(url("https://ex.com/"), twice.as_bytes());
    assert_eq!(sitemap.by_ref().count(), 1);
    let finding = &sitemap.findings()[0];
    assert_eq!((finding.offset, finding.detail.as_str()), (26, "url"));
}

#[test]
fn a_feed_may_date_an_item_in_two_vocabularies() {
    let read = read(
        "<rss xmlns:dc='d'><item><link>/1</link><pubDate>Mon, 30 Nov 2026 10:00:00 GMT</pubDate><dc:date>2025-01-01</dc:date></item></rss>",
    );
    assert_eq!(read.entries[0].lastmod.unwrap().unix_seconds, 1_795_996_800 + 36_000);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
}

#[test]
fn each_limit_holds_on_both_sides() {
    use SitemapFindingKind::{LongUrl, TooLarge, TooManyAlternates, TooManyEntries};
    let entries = |count: usize| format!("<urlset>{}</urlset>", "<url><loc>/1</loc></url>".repeat(count));
    let limits = SitemapLimits { entries: 2, ..SitemapLimits::default() };
    for (given, kept, findings) in [(1, 1, vec![]), (2, 2, vec![]), (3, 2, vec![TooManyEntries])] {
        let read = read_with(entries(given).as_bytes(), limits);
        assert_eq!((read.entries.len(), read.findings), (kept, findings));
    }
    let file = entries(1);
    for (bytes, is_cut) in [(file.len() + 1, false), (file.len(), false), (file.len() - 1, true)] {
        let read = read_with(file.as_bytes(), SitemapLimits { bytes, ..SitemapLimits::default() });
        assert_eq!(read.findings.contains(&TooLarge), is_cut, "{bytes}");
    }
    for (length, kept) in [(9, 1), (10, 1), (11, 0)] {
        let text = format!("<urlset><url><loc>/{}</loc></url></urlset>", "x".repeat(length - 1));
        let read = read_with(text.as_bytes(), SitemapLimits { url: 10, ..SitemapLimits::default() });
        assert_eq!((read.entries.len(), read.findings.contains(&LongUrl)), (kept, kept == 0), "{length}");
        let line = format!("https://{}", "x".repeat(length - 1));
        let read = read_with(line.as_bytes(), SitemapLimits { url: 17, ..SitemapLimits::default() });
        assert_eq!(read.entries.len(), kept, "{length}");
    }
    let links = |count: usize| {
        format!(
            "<urlset><url><loc>/1</loc>{}</url></urlset>",
            "<x:link rel='alternate' hreflang='de' href='/d'/>".repeat(count)
        )
    };
    for (given, findings) in [(2, vec![]), (3, vec![TooManyAlternates])] {
        let read =
            read_with(links(given).as_bytes(), SitemapLimits { alternates: 2, ..SitemapLimits::default() });
        assert_eq!((read.entries[0].alternates.len(), read.findings), (2, findings));
    }
    let broken = "<url></url>".repeat(9);
    let read = read_with(
        format!("<urlset>{broken}").as_bytes(),
        SitemapLimits { findings: 3, ..SitemapLimits::default() },
    );
    assert_eq!(read.findings.len(), 3);
}

#[test]
fn a_bomb_is_read_no_further_than_the_limit() {
    let bomb = gzip(&vec![b' '; 8_000_000]);
    assert!(bomb.len() < 60_000);
    let read = read_with(&bomb, SitemapLimits { bytes: 100_000, ..SitemapLimits::default() });
    assert!(read.findings.contains(&SitemapFindingKind::TooLarge));
    let deep = format!("<urlset>{}", "<a>".repeat(300_000));
    assert_eq!(read_with(deep.as_bytes(), SitemapLimits::default()).entries.len(), 0);
}

#[test]
fn entities_of_a_document_type_are_not_expanded() {
    let text = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;'>]><urlset><url><loc>/&b;</loc></url></urlset>";
    check(text, SitemapKind::UrlSet, &["https://ex.com/&b;"], &[]);
}

/// Walks a site of files, each given by path, where a body that begins with `/` is a redirect; the files read and the pages.
fn walk(site: &[(&str, &str)], limits: WalkLimits) -> (Vec<String>, Vec<String>, Vec<WalkProblem>) {
    let (mut files, mut pages) = (Vec::new(), Vec::new());
    let mut walk = SitemapWalk::new(limits);
    walk.start(url("https://ex.com/i"));
    walk.start(url("https://ex.com/i#again"));
    while let Some(file) = walk.next_file() {
        files.push(file.path().to_owned());
        let find = |path: &str| site.iter().find(|(name, _)| *name == path).map(|(_, body)| *body);
        let Some(mut body) = find(file.path()) else { continue };
        if body.starts_with('/') {
            if !walk.redirected(&file.join(body).unwrap()) {
                continue;
            }
            body = find(body).unwrap();
        }
        let mut sitemap = Sitemap::new(file, body.as_bytes());
        while let Some(entry) = sitemap.next() {
            pages.extend(walk.take(sitemap.kind(), entry.unwrap()).map(|page| page.url.path().to_owned()));
        }
    }
    (files, pages, walk.problems().to_vec())
}

fn index(paths: &[&str]) -> String {
    let children: String = paths.iter().map(|path| format!("<sitemap><loc>{path}</loc></sitemap>")).collect();
    format!("<sitemapindex>{children}</sitemapindex>")
}

fn pages(paths: &[&str]) -> String {
    let pages: String = paths.iter().map(|path| format!("<url><loc>{path}</loc></url>")).collect();
    format!("<urlset>{pages}</urlset>")
}

#[test]
fn an_index_that_names_or_redirects_to_itself_is_read_once() {
    let looped = |to: &str| WalkProblem::Loop(url(to));
    let (files, found, problems) = walk(
        &[("/i", &index(&["/i", "/1", "/1", "/back"])), ("/1", &pages(&["/a"])), ("/back", "/i")],
        WalkLimits::default(),
    );
    assert_eq!((files, found), (vec!["/i".into(), "/1".into(), "/back".into()], vec!["/a".into()]));
    assert_eq!(problems, [looped("https://ex.com/i"), looped("https://ex.com/i")]);
    // What is found behind a redirect is not read again under its own name.
    let (files, found, _) = walk(
        &[("/i", &index(&["/old", "/1"])), ("/old", "/1"), ("/1", &pages(&["/a"]))],
        WalkLimits::default(),
    );
    assert_eq!((files.len(), found.len()), (2, 1));
}

#[test]
fn a_child_that_is_missing_or_no_sitemap_costs_only_itself() {
    let site = [
        ("/i", &*index(&["/404", "/error", "/1"])),
        ("/error", "<!doctype html><a href=/x>"),
        ("/1", &pages(&["/a"])),
    ];
    let (files, found, problems) = walk(&site, WalkLimits::default());
    assert_eq!((files.len(), found, problems), (4, vec!["/a".to_owned()], vec![]));
}

#[test]
fn a_walk_has_its_limits() {
    let children = ["/1", "/2", "/3"];
    let bodies: Vec<_> = children.iter().map(|path| pages(&[*path])).collect();
    for (files, read) in [(2, 2), (3, 3), (4, 4), (5, 4)] {
        let top = index(&children);
        let mut site = vec![("/i", top.as_str())];
        site.extend(children.into_iter().zip(bodies.iter().map(String::as_str)));
        let (handed_out, _, problems) = walk(&site, WalkLimits { files, ..WalkLimits::default() });
        assert_eq!((handed_out.len(), problems.len()), (read, usize::from(files < 4)), "{files}");
        let (_, found, problems) = walk(&site, WalkLimits { pages: files, ..WalkLimits::default() });
        assert_eq!((found.len(), problems.len()), (files.min(3), usize::from(files < 3)), "{files}");
    }
    let deep: Vec<_> =
        (0..4).map(|level| (format!("/{level}"), index(&[&format!("/{}", level + 1)]))).collect();
    for (depth, read) in [(0, 1), (1, 2), (2, 3)] {
        let top = index(&["/0"]);
        let mut site = vec![("/i", top.as_str())];
        site.extend(deep.iter().map(|(path, body)| (path.as_str(), body.as_str())));
        let (files, _, problems) = walk(&site, WalkLimits { depth, ..WalkLimits::default() });
        assert_eq!(files.len(), read, "{depth}");
        assert!(matches!(problems.as_slice(), [WalkProblem::TooDeep(_)]), "{problems:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..500), packed in any::<bool>()) {
        let bytes = if packed { gzip(&bytes) } else { bytes };
        let _ = read(bytes);
    }

    #[test]
    fn any_soup_of_tags_is_read(pieces in proptest::collection::vec(prop::sample::select(SOUP.to_vec()), 0..40)) {
        let _ = read(pieces.concat());
    }
}

const SOUP: [&str; 22] = [
    "<urlset>",
    "</urlset>",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "/x",
    "&amp;",
    "&",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<rss>",
    "<item>",
    "</item>",
    "<link>",
    "</link>",
    "<x:link rel='alternate' hreflang='de' href='/'/>",
    "<loc/>",
    "<",
    "\u{e9}",
];
