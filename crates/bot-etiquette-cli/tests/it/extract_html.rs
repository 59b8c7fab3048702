//! `extract html`, `extract sitemap` and `extract file`.

use serde_json::json;

use crate::run::with_stdin;

const BASE: [&str; 2] = ["--url", "https://ex.com/d/p.html"];

#[test]
fn html_prints_the_facts_of_a_page() {
    let page = b"<html lang=en><title>T</title><meta name=robots content=noindex><link rel=canonical href=https://ex.com/c>\n<h1>H</h1><a href='x?a=1&amp;b=2' rel=nofollow>X</a>";
    let ended = with_stdin(&[&["extract", "html"][..], &BASE, &["--json", "-"]].concat(), page);
    assert_eq!((ended.code, ended.stderr.as_str(), ended.stdout.lines().count()), (0, "", 1));
    let found = ended.json();
    assert_eq!((&found["schema"], &found["title"], &found["h1"]), (&json!(1), &json!("T"), &json!(["H"])));
    assert_eq!(found["robots"], json!([{"name": "robots", "content": "noindex", "line": 1}]));
    assert_eq!(found["canonical"]["url"], "https://ex.com/c");
    let link = &found["links"][1];
    assert_eq!((&link["url"], &link["kind"]), (&json!("https://ex.com/d/x?a=1&b=2"), &json!("page")));
    assert_eq!((&link["nofollow"], &link["line"], &link["text"]), (&json!(true), &json!(2), &json!("X")));
    let ended = with_stdin(&[&["extract", "html"][..], &BASE, &["-"]].concat(), page);
    assert!(
        ended.stdout.contains("title: T\n")
            && ended.stdout.contains("page: https://ex.com/d/x?a=1&b=2 nofollow (line 2)\n")
    );
}

#[test]
fn html_hears_what_the_header_says() {
    let header =
        ["--header", "Content-Type: text/html; charset=windows-1252", "--header", "X-Robots-Tag: noindex"];
    let ended = with_stdin(
        &[&["extract", "html"][..], &BASE, &header, &["--json", "-"]].concat(),
        b"<title>\xe9</title>",
    );
    let found = ended.json();
    assert_eq!((&found["title"], &found["x_robots_tag"]), (&json!("\u{e9}"), &json!(["noindex"])));
}

#[test]
fn sitemap_prints_entries_and_findings() {
    let map = b"<urlset><url><loc>/1</loc><lastmod>2026-11-30</lastmod></url><url><loc>http://[</loc></url></urlset>";
    let now = ["--now", "2026-12-01T00:00:00Z"];
    let ended = with_stdin(&[&["extract", "sitemap"][..], &BASE, &now, &["--json", "-"]].concat(), map);
    let found = ended.json();
    assert_eq!((ended.code, &found["schema"], &found["kind"]), (0, &json!(1), &json!("url-set")));
    assert_eq!(found["entries"][0]["url"], "https://ex.com/1");
    assert_eq!(found["entries"][0]["lastmod"], json!({"unix_seconds": 1_795_996_800, "precision": "day"}));
    assert_eq!(found["findings"][0]["kind"], "bad-url");
    let ended = with_stdin(&[&["extract", "sitemap"][..], &BASE, &["-"]].concat(), map);
    assert_eq!(ended.stdout, "https://ex.com/1\n");
    let ended = with_stdin(&[&["extract", "sitemap"][..], &BASE, &["--json", "-"]].concat(), b"<html>");
    assert_eq!((ended.code, &ended.json()["kind"]), (1, &json!("not-a-sitemap")));
}

#[test]
fn sitemap_leaves_out_what_cannot_be_true() {
    let run = |map: &[u8], more: &[&str]| {
        with_stdin(&[&["extract", "sitemap"][..], &BASE, more, &["--json", "-"]].concat(), map).json()
    };
    let far = b"<urlset><url><loc>/1</loc><lastmod>9000-01-01</lastmod></url></urlset>";
    let found = run(far, &[]);
    assert_eq!(found["entries"][0]["lastmod"], json!(null), "the clock is the command's own");
    assert_eq!(
        (&found["findings"][0]["kind"], &found["findings"][0]["detail"]),
        (&json!("future-date"), &json!("9000-01-01"))
    );
    let near = b"<urlset><url><loc>/1</loc><lastmod>2026-12-02</lastmod></url></urlset>";
    for (now, is_kept) in [("2026-12-01T00:00:00Z", true), ("2026-11-30T23:59:59Z", false)] {
        assert_eq!(run(near, &["--now", now])["entries"][0]["lastmod"].is_object(), is_kept, "{now}");
    }
    let twice = b"<urlset><url><loc>https://ex.com/1</loc><loc>https://ex.com/2</loc></url></urlset>";
    let found = run(twice, &[]);
    assert_eq!(
        (&found["entries"][0]["url"], &found["entries"][1]),
        (&json!("https://ex.com/1"), &json!(null))
    );
    assert_eq!(found["findings"][0]["kind"], "repeated");
}

#[test]
fn file_prints_the_size_of_a_picture_or_the_title_of_a_pdf() {
    let file = |bytes: &[u8]| with_stdin(&["extract", "file", "--json", "-"], bytes);
    let gif = file(b"GIF89a\x40\x01\xf0\x00\0\0\0");
    assert_eq!(
        (gif.code, gif.json()["image"].clone()),
        (0, json!({"format": "gif", "width": 320, "height": 240, "orientation": 1}))
    );
    let pdf = file(b"%PDF-1.4 1 0 obj <</Title (T)>> trailer <</Info 1 0 R>>");
    assert_eq!((pdf.code, pdf.json()["pdf_title"].clone()), (0, json!({"title": "T"})));
    assert_eq!(file(b"plain").code, 1);
}

#[test]
fn a_wrong_base_or_header_is_told_with_a_fix() {
    for arguments in [
        &["extract", "html", "--url", "/x", "-"][..],
        &["extract", "sitemap", "--url", "ftp://x/", "-"],
        &["extract", "html", "--url", "https://ex.com/", "--header", "nonsense", "-"],
        &["extract", "file", "/no/such/file"],
    ] {
        let ended = with_stdin(arguments, b"");
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ended.stderr.contains("such as") || ended.stderr.contains("give"), "{}", ended.stderr);
    }
}
