//! The audit of files: its requests, pictures, PDFs.

use bot_etiquette_html::{
    AuditAnswer, AuditStep, FileAudit, FileFinding, FileReport, HEAVY_IMAGE, ImageFormat, ImageHead,
    LinkKind, Outcome, PdfTitle, WORTH_COMPRESSING, image_head, is_poor_title, pdf_title,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use proptest::prelude::*;

use crate::page::url;

/// What is answered: a status and header fields, then a body.
type Answer<'a> = (u16, &'a [(&'static str, &'a str)], &'a [u8]);

fn answer((status, headers, body): &Answer<'_>) -> AuditAnswer {
    let mut map = HeaderMap::new();
    for (name, value) in *headers {
        map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    AuditAnswer::new(StatusCode::from_u16(*status).unwrap(), map).body(*body)
}

/// Runs an audit against the answers; what was asked, as `METHOD range coding`, and the report.
#[track_caller]
fn run(mut audit: FileAudit, answers: &[Answer<'_>]) -> (Vec<String>, FileReport) {
    let mut asked = Vec::new();
    let mut answers = answers.iter();
    loop {
        match audit.step() {
            AuditStep::Ask(request) => {
                let text = |name| {
                    request.headers.get(name).map_or("-", |value: &HeaderValue| value.to_str().unwrap())
                };
                asked.push(format!(
                    "{} {} {}",
                    request.method,
                    text(header::RANGE),
                    text(header::ACCEPT_ENCODING)
                ));
                audit.answered(answer(answers.next().expect("an answer for each request")));
            }
            AuditStep::Done(report) => {
                assert!(answers.next().is_none(), "an answer was left: {asked:?}");
                return (asked, report);
            }
            _ => unreachable!(),
        }
    }
}

fn image(answers: &[Answer<'_>]) -> (Vec<String>, FileReport) {
    run(FileAudit::file(url("https://ex.com/a.png"), LinkKind::Image), answers)
}

const HEAD: &str = "HEAD - identity";
const BYTE: &str = "GET bytes=0-0 identity";

#[test]
fn head_is_enough_where_it_tells_the_length() {
    let (asked, report) = image(&[(200, &[("content-length", "99"), ("content-type", "image/png")], b"")]);
    assert_eq!(
        (asked, report.outcome, report.size, report.requests),
        (vec![HEAD.into()], Outcome::Present, Some(99), 1)
    );
    for (status, outcome) in [
        (404, Outcome::Broken),
        (410, Outcome::Broken),
        (401, Outcome::NotPublic),
        (429, Outcome::Later),
        (503, Outcome::Later),
        (302, Outcome::Redirect),
    ] {
        let (asked, report) = image(&[(status, &[], b"")]);
        assert_eq!((asked, report.outcome, report.status), (vec![HEAD.into()], outcome, Some(status)));
    }
}

#[test]
fn the_first_byte_is_asked_for_where_head_does_not_tell() {
    for (head, get, size) in [
        ((405, &[][..]), (206, &[("content-range", "bytes 0-0/12345")][..]), Some(12_345)),
        ((200, &[("content-length", "0")]), (206, &[("content-range", "bytes 0-0/77")]), Some(77)),
        ((200, &[]), (206, &[("content-range", "bytes 0-0/*")]), None),
        ((200, &[]), (200, &[("content-length", "500")]), Some(500)),
        ((200, &[]), (416, &[("content-range", "bytes */0")]), Some(0)),
        ((200, &[]), (416, &[]), None),
        ((501, &[]), (416, &[("content-range", "bytes */0")]), Some(0)),
        (
            (200, &[]),
            (206, &[("content-range", "bytes 0-0/9"), ("content-type", "multipart/byteranges; boundary=x")]),
            None,
        ),
        ((200, &[("content-length", "-1")]), (200, &[("content-length", "18446744073709551615")]), None),
        (
            (200, &[("content-length", "5"), ("content-length", "6")]),
            (200, &[("content-length", "7")]),
            Some(7),
        ),
    ] {
        let (asked, report) = image(&[(head.0, head.1, b""), (get.0, get.1, b"")]);
        assert_eq!(asked, [HEAD, BYTE], "{head:?}");
        assert_eq!((report.outcome, report.size), (Outcome::Present, size), "{head:?} {get:?}");
    }
}

#[test]
fn head_counts_as_refused_on_400_403_405_501_or_a_closed_connection() {
    for status in [400, 403, 405, 501] {
        let (asked, report) = image(&[(status, &[], b""), (200, &[("content-length", "9")], b"")]);
        assert_eq!(
            (asked.len(), report.outcome, report.findings),
            (2, Outcome::Present, vec![FileFinding::HeadRefused])
        );
        let (_, report) = image(&[(status, &[], b""), (404, &[], b"")]);
        assert_eq!((report.outcome, report.status), (Outcome::Broken, Some(404)));
    }
    let mut audit = FileAudit::link(url("https://ex.com/"));
    audit.failed(true);
    assert!(matches!(audit.step(), AuditStep::Ask(_)));
    audit.failed(true);
    let AuditStep::Done(report) = audit.step() else { panic!("one retry is enough") };
    assert_eq!((report.outcome, report.requests), (Outcome::NoAnswer, 2));
    let mut audit = FileAudit::link(url("https://ex.com/"));
    audit.failed(false);
    assert!(matches!(audit.step(), AuditStep::Done(_)));
}

#[test]
fn what_is_not_asked_is_neither_counted_nor_broken() {
    let mut audit = FileAudit::link(url("https://ex.com/"));
    audit.withheld();
    let AuditStep::Done(report) = audit.step() else { panic!("nothing is left to ask") };
    assert_eq!((report.outcome, report.requests), (Outcome::NotAsked, 0));
    let mut audit = FileAudit::link(url("https://ex.com/"));
    audit.answered(AuditAnswer::new(StatusCode::FORBIDDEN, HeaderMap::new()));
    audit.withheld();
    let AuditStep::Done(report) = audit.step() else { panic!("nothing is left to ask") };
    assert_eq!((report.outcome, report.status, report.requests), (Outcome::Broken, Some(403), 1));
}

#[test]
fn where_redirects_led_is_told() {
    for (answered_at, expected) in
        [("https://ex.com/new", Some("https://ex.com/new")), ("https://ex.com/old", None)]
    {
        let mut audit = FileAudit::link(url("https://ex.com/old"));
        audit.answered(AuditAnswer::new(StatusCode::OK, HeaderMap::new()).url(url(answered_at)));
        let AuditStep::Done(report) = audit.step() else { panic!("a link is done at once") };
        assert_eq!(report.redirected_to.as_ref().map(url::Url::as_str), expected);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_report_is_kept_until_the_next_audit() {
    let mut audit = FileAudit::link(url("https://ex.com/"));
    let mut headers = HeaderMap::new();
    headers.insert("cf-mitigated", http::HeaderValue::from_static("challenge"));
    audit.answered(AuditAnswer::new(StatusCode::FORBIDDEN, headers));
    let AuditStep::Done(report) = audit.step() else { panic!("a wall ends the audit") };
    let kept = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<bot_etiquette_html::FileReport>(&kept).unwrap(), report);
}

#[test]
fn a_wall_is_not_a_broken_link() {
    let (asked, report) =
        run(FileAudit::link(url("https://b.com/")), &[(403, &[("cf-mitigated", "challenge")], b"")]);
    assert_eq!((asked.len(), report.outcome), (1, Outcome::Blocked));
    assert!(report.wall.is_some());
}

#[test]
fn a_link_is_asked_for_nothing_but_its_status() {
    let (asked, report) =
        run(FileAudit::link(url("https://b.com/")), &[(200, &[("content-type", "text/html")], b"")]);
    assert_eq!((asked, report.outcome), (vec![HEAD.into()], Outcome::Present));
}

#[test]
fn a_heavy_image_is_measured_and_a_light_one_is_not() {
    let (light, heavy) = ((HEAVY_IMAGE - 1).to_string(), HEAVY_IMAGE.to_string());
    let (asked, _) = image(&[(200, &[("content-length", &light), ("content-type", "image/gif")], b"")]);
    assert_eq!(asked.len(), 1);
    let head: Answer<'_> = (200, &[("content-length", &heavy), ("content-type", "image/gif")], b"");
    let (asked, report) = image(&[head, (206, &[], b"GIF89a\x40\x01\xf0\x00\0\0\0")]);
    assert_eq!(asked[1], "GET bytes=0-32767 identity");
    assert_eq!(report.image.unwrap().shown(), (320, 240));
    let (_, report) = image(&[head, (200, &[], b"\xff\xd8\xff\xe1\xff\xff")]);
    assert_eq!(
        (report.image, report.findings, report.requests),
        (None, vec![FileFinding::ImageSizeFurtherIn], 2)
    );
    let (_, report) = image(&[head, (206, &[], b"<html>")]);
    assert_eq!(report.findings, [FileFinding::NotAnImage]);
}

#[test]
fn a_text_file_without_compression_is_offered_some() {
    let script =
        |answers: &[Answer<'_>]| run(FileAudit::file(url("https://ex.com/a.js"), LinkKind::Script), answers);
    let (short, long) = ((WORTH_COMPRESSING - 1).to_string(), WORTH_COMPRESSING.to_string());
    let (asked, _) =
        script(&[(200, &[("content-length", &short), ("content-type", "text/javascript")], b"")]);
    assert_eq!(asked.len(), 1);
    let head: Answer<'_> = (200, &[("content-length", &long), ("content-type", "text/javascript")], b"");
    let (asked, report) =
        script(&[head, (200, &[("content-encoding", "br"), ("vary", "Origin, accept-encoding")], b"")]);
    assert_eq!(asked[1], "GET - gzip, br");
    assert_eq!((report.compression.as_deref(), report.findings), (Some("br"), vec![]));
    let (_, report) = script(&[head, (200, &[("content-encoding", "gzip")], b"")]);
    assert_eq!(report.findings, [FileFinding::VaryMissing]);
    let (_, report) = script(&[head, (200, &[], b"")]);
    assert_eq!(
        (report.compression.as_deref(), report.findings),
        (Some("identity"), vec![FileFinding::NotCompressed])
    );
}

#[test]
fn a_compressed_script_is_read_for_its_unpacked_length() {
    let script = FileAudit::file(url("https://ex.com/a.css"), LinkKind::Stylesheet);
    let head: Answer<'_> =
        (200, &[("content-length", "900"), ("content-type", "text/css"), ("content-encoding", "gzip")], b"");
    let (asked, report) = run(script, &[head, (200, &[("content-encoding", "gzip")], b"0123456789")]);
    assert_eq!(
        (asked.len(), report.size, report.unpacked, report.coding.as_deref()),
        (2, Some(900), Some(10), Some("gzip"))
    );
}

#[test]
fn a_page_in_the_place_of_a_file_is_told() {
    let (asked, report) =
        image(&[(200, &[("content-length", "900000"), ("content-type", "text/html; charset=x")], b"")]);
    assert_eq!((asked.len(), report.findings), (1, vec![FileFinding::PageInstead]));
}

#[test]
fn a_pdf_is_read_at_both_ends() {
    let pdf = || FileAudit::file(url("https://ex.com/a.pdf"), LinkKind::Object);
    let first = b"%PDF-1.7 1 0 obj <</Title (Old)>>".as_slice();
    let last = b"7 0 obj <</Title (New)>> endobj trailer <</Info 7 0 R>>".as_slice();
    let head: Answer<'_> = (200, &[("content-length", "200000"), ("content-type", "application/pdf")], b"");
    let (asked, report) = run(
        pdf(),
        &[head, (206, &[], first), (206, &[("content-range", "bytes 134464-199999/200000")], last)],
    );
    assert_eq!(asked, [HEAD, "GET bytes=0-32767 identity", "GET bytes=134464-199999 identity"]);
    assert_eq!((report.pdf_title, report.requests), (Some(PdfTitle::Title("New".into())), 3));
    let (_, report) = run(pdf(), &[head, (200, &[], first), (200, &[], first)]);
    assert_eq!(report.pdf_title, Some(PdfTitle::Unknown), "a start sent twice is no end");
    let small: Answer<'_> = (200, &[("content-length", "32768"), ("content-type", "application/pdf")], b"");
    let (asked, _) = run(pdf(), &[small, (206, &[], first)]);
    assert_eq!(asked.len(), 2);
    let middle: Answer<'_> = (200, &[("content-length", "32769"), ("content-type", "application/pdf")], b"");
    let (asked, _) = run(
        pdf(),
        &[middle, (206, &[], first), (206, &[("content-range", "bytes 32768-32768/32769")], b"x")],
    );
    assert_eq!(asked[2], "GET bytes=32768-32768 identity");
}

#[track_caller]
fn size(bytes: &[u8], format: ImageFormat, width: u32, height: u32) {
    match image_head(bytes) {
        ImageHead::Known(image) => {
            assert_eq!((image.format, image.width, image.height), (format, width, height))
        }
        other => panic!("{other:?}: {}", bytes.get(..40).unwrap_or(bytes).escape_ascii()),
    }
}

fn padded(head: &[u8], at: usize, tail: &[u8]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.resize(at, 0);
    bytes.extend_from_slice(tail);
    bytes
}

/// A segment of a JPEG.
fn segment(code: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).unwrap();
    [&[0xFF, code], &length.to_be_bytes()[..], content].concat()
}

#[test]
fn each_format_says_its_size() {
    let png = |name: &[u8], at| {
        padded(&padded(b"\x89PNG\r\n\x1a\n\0\0\0\r", 12, name), at, b"IHDR\0\0\x07\x80\0\0\x04\x38")
    };
    size(&png(b"", 12), ImageFormat::Png, 1920, 1080);
    size(&png(b"CgBI", 28), ImageFormat::Png, 1920, 1080);
    size(b"GIF87a\x40\x01\xf0\x00\0\0\0", ImageFormat::Gif, 320, 240);
    size(
        b"GIF89a\0\0\0\0\x80\0\0abcdef\x21\xf9\x04\0\0\0\0\0\x2c\0\0\0\0\x05\0\x06\0",
        ImageFormat::Gif,
        5,
        6,
    );
    let riff =
        |kind: &[u8; 4], at, tail: &[u8]| padded(&[b"RIFF\0\0\0\0WEBP".as_slice(), kind].concat(), at, tail);
    size(&riff(b"VP8X", 24, &[0x7F, 7, 0, 0x37, 4, 0]), ImageFormat::Webp, 1920, 1080);
    size(&riff(b"VP8L", 20, &[0x2F, 0x31, 0xC0, 0x1D, 0]), ImageFormat::Webp, 50, 120);
    size(&riff(b"VP8 ", 23, &[0x9D, 1, 0x2A, 0x80, 0x47, 0x38, 0x84]), ImageFormat::Webp, 1920, 1080);
    size(
        &padded(b"BM", 14, &[40, 0, 0, 0, 100, 0, 0, 0, 0x38, 0xFF, 0xFF, 0xFF]),
        ImageFormat::Bmp,
        100,
        200,
    );
    size(&padded(b"BM", 14, &[12, 0, 0, 0, 100, 0, 200, 0]), ImageFormat::Bmp, 100, 200);
    size(&padded(&[0, 0, 1, 0, 1, 0, 32, 48], 22, &[]), ImageFormat::Ico, 32, 48);
}

#[test]
fn an_icon_is_as_large_as_its_largest_picture() {
    let entry = |width, height| padded(&[width, height], 16, b"");
    let icon = [&[0, 0, 1, 0, 3, 0][..], &entry(16, 16), &entry(0, 0), &entry(48, 48)].concat();
    size(&icon, ImageFormat::Ico, 256, 256);
    for length in 6..icon.len() {
        assert_eq!(image_head(&icon[..length]), ImageHead::NeedMore(53), "{length} bytes do not show all");
    }
    assert_eq!(image_head(&[0, 0, 1, 0, 0, 0]), ImageHead::NotAnImage);
}

#[test]
fn a_jpeg_is_walked_by_its_segments() {
    let frame = segment(0xC1, &[8, 0x0C, 0xF9, 0x13, 0x74, 3]);
    size(&[&[0xFF, 0xD8], &frame[..]].concat(), ImageFormat::Jpeg, 4980, 3321);
    // A thumbnail inside EXIF is not the picture; C4 is no frame; fill bytes are passed.
    let thumbnail =
        segment(0xE1, &[b"Exif\0\0".as_slice(), &[0xFF, 0xD8], &segment(0xC0, &[8, 0, 1, 0, 1, 3])].concat());
    let tables = segment(0xC4, &[0; 20]);
    size(
        &[&[0xFF, 0xD8], &thumbnail[..], &tables, &[0xFF, 0xFF], &frame].concat(),
        ImageFormat::Jpeg,
        4980,
        3321,
    );
    for (order, tiff) in [
        ("II", b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0".as_slice()),
        ("MM", b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0".as_slice()),
    ] {
        let turned =
            [&[0xFF, 0xD8], &segment(0xE1, tiff)[..], &segment(0xC0, &[8, 0x0B, 0xB8, 0x0F, 0xA0, 3])]
                .concat();
        let ImageHead::Known(image) = image_head(&turned) else { panic!("{order}") };
        assert_eq!(((image.width, image.height), image.shown()), ((4000, 3000), (3000, 4000)), "{order}");
    }
    let far = [&[0xFF, 0xD8], &segment(0xE2, &vec![0; 39_994])[..], &frame].concat();
    assert_eq!(image_head(&far[..32_768]), ImageHead::NeedMore(40_000));
    size(&far, ImageFormat::Jpeg, 4980, 3321);
    for broken in [&[0xFF, 0xD8, 0xFF, 0xE1, 0, 1][..], &[0xFF, 0xD8, 0xFF, 0xD9], &[0xFF, 0xD8, 0xFF, 0xDA]]
    {
        assert_eq!(image_head(broken), ImageHead::NotAnImage);
    }
}

#[test]
fn an_svg_says_its_size_by_its_root() {
    for (text, width, height) in [
        ("<svg width='10' height='20px'/>", 10, 20),
        (
            "\u{feff}<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]><!-- x --><svg:svg height='1in' width='2in'>",
            192,
            96,
        ),
        ("<svg viewBox='0 0 30.4,40'>", 30, 40),
        ("<svg width='100%' height='auto' viewBox='0 0 30 40'>", 30, 40),
        ("<svg width='60' viewBox='0 0 30 40'>", 60, 80),
    ] {
        size(text.as_bytes(), ImageFormat::Svg, width, height);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
        size(&packed.finish().unwrap(), ImageFormat::Svg, width, height);
    }
    assert_eq!(image_head(b"<svg><rect width='1'/></svg>"), ImageHead::NotAnImage);
    assert_eq!(image_head(b"<html><svg width='1' height='1'>"), ImageHead::NotAnImage);
    assert!(matches!(image_head(b"<!-- long"), ImageHead::NeedMore(_)));
}

#[test]
fn a_box_of_no_size_ends_the_reading() {
    let boxed = |name: &[u8; 4], content: &[u8]| {
        [&u32::try_from(content.len() + 8).unwrap().to_be_bytes()[..], name, content].concat()
    };
    let start = boxed(b"ftyp", b"avif\0\0\0\0avifmif1");
    let empty = [&start[..], &[0; 64]].concat();
    assert!(!matches!(image_head(&empty), ImageHead::Known(_)));
    let ispe = [0, 0, 0, 0, b'i', b's', b'p', b'e', 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9];
    let meta = boxed(b"meta", &[&[0; 4][..], &boxed(b"iprp", &boxed(b"ipco", &ispe))].concat());
    let _ = image_head(&[&start[..], &meta].concat());
}

#[test]
fn the_size_of_an_avif_is_said_once_its_facts_are_whole_and_stays() {
    let boxed = |name: &[u8; 4], content: &[u8]| {
        [&u32::try_from(content.len() + 8).unwrap().to_be_bytes()[..], name, content].concat()
    };
    let ispe = |width, height| boxed(b"ispe", &[0, 0, 0, 0, 0, 0, 0, width, 0, 0, 0, height]);
    let start = boxed(b"ftyp", b"avif\0\0\0\0avifmif1");
    let meta = boxed(b"meta", &[&[0; 4][..], &boxed(b"iprp", &boxed(b"ipco", &ispe(9, 5)))].concat());
    let head = [start, meta].concat();
    size(&head, ImageFormat::Heif, 9, 5);
    for end in 12..head.len() {
        assert!(matches!(image_head(&head[..end]), ImageHead::NeedMore(_)), "{end} bytes");
    }
    // What comes behind the facts is not looked at, even where a box inside them claims to reach there.
    size(&[&head[..], &boxed(b"ipco", &ispe(200, 200))].concat(), ImageFormat::Heif, 9, 5);
    let mut greedy = head.clone();
    let iprp = greedy.windows(4).position(|name| name == b"iprp").unwrap();
    greedy[iprp - 2] = 0xfb;
    let more = [&greedy[..], &boxed(b"ipco", &ispe(200, 200))].concat();
    assert_eq!(image_head(&more), image_head(&greedy));
}

#[track_caller]
fn title(object: &str, expected: PdfTitle) {
    let file: Vec<u8> = format!(
        "%PDF-1.4\n12 0 obj\n<<{object}>>\nendobj\ntrailer\n<</Root 1 0 R /Info 12 0 R>>\nstartxref\n9\n%%EOF"
    )
    .chars()
    .map(|c| u8::try_from(u32::from(c)).unwrap())
    .collect();
    assert_eq!(pdf_title(b"%PDF-1.4", &file), expected.clone(), "{object}");
    assert_eq!(pdf_title(&file, b""), expected, "{object}");
}

#[test]
fn a_title_is_read_in_each_form_of_string() {
    let some = |text: &str| PdfTitle::Title(text.to_owned());
    title(r"/Title (A\(b\)\040\303)", some("A(b) \u{c3}"));
    title("/Title (nested (parens) \\\n go on)", some("nested (parens) go on"));
    title("/Title <FEFF00480069>", some("Hi"));
    title("/Title<FEFF>", some(""));
    title("/Title <486>", some("H`"));
    title(r"/Title (\222 x \240)", some("\u{2122} x \u{20ac}"));
    title("/Title (\u{ef}\u{bb}\u{bf}\u{c3}\u{a9})", some("\u{e9}"));
    title("/Title <FFFE48006900>", some("Hi"));
    title("/Title <FEFF001B0065006E001B0048>", some("H"));
    title("/A <</Title (no)>> /B (/Title \\(no\\)) /Title (yes)", some("yes"));
    title("/Titles (no) /Title(yes)", some("yes"));
    title("/Title 5 0 R", PdfTitle::Unknown);
    title("/Author (x)", PdfTitle::None);
    title("/Title (x) >> << /Encrypt 3 0 R", PdfTitle::Encrypted);
}

#[test]
fn the_last_word_of_a_pdf_holds() {
    let two = b"%PDF-1.4 1 0 obj <</Title (Old)>> trailer <</Info 1 0 R>> 2 0 obj <</Title (New)>> trailer <</Info 2 0 R>>";
    assert_eq!(pdf_title(two, b""), PdfTitle::Title("New".into()));
    let same = b"%PDF-1.4 1 0 obj <</Title (Old)>> 1 0 obj <</Title (New)>> trailer <</Info 1 0 R>> 21 0 obj <</Title (No)>>";
    assert_eq!(pdf_title(same, b""), PdfTitle::Title("New".into()));
    assert_eq!(pdf_title(b"%PDF-1.4", b"trailer <</Info 9 0 R>>"), PdfTitle::Unknown, "it lies between");
    assert_eq!(pdf_title(b"<html>", b""), PdfTitle::NotAPdf);
    let xmp = b"%PDF-2.0 <dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">A &amp;\n B</rdf:li></rdf:Alt></dc:title>";
    assert_eq!(pdf_title(xmp, b""), PdfTitle::Title("A & B".into()));
}

#[test]
fn some_titles_say_nothing() {
    for poor in ["", "  ", "Untitled", "Microsoft Word - x.docx", "C:\\x\\y", "/tmp/y", "report final.PDF"] {
        assert!(is_poor_title(poor), "{poor}");
    }
    for good in ["Annual report", "The .pdf format", "PDF"] {
        assert!(!is_poor_title(good), "{good}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_looked_at(start in prop::sample::select(STARTS.to_vec()), bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let bytes = [start, bytes.as_slice()].concat();
        if let ImageHead::Known(image) = image_head(&bytes) {
            prop_assert!(image.width > 0 && image.height > 0);
        }
        let _ = pdf_title(&bytes, &bytes);
    }

    #[test]
    fn a_longer_look_never_takes_a_size_back(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let whole = [&[0xFF, 0xD8, 0xFF, 0xC0, 0, 11], bytes.as_slice()].concat();
        for end in 0..whole.len() {
            if let ImageHead::Known(image) = image_head(&whole[..end]) {
                prop_assert_eq!(image_head(&whole), ImageHead::Known(image));
            }
        }
    }
}

const STARTS: [&[u8]; 14] = [
    b"",
    b"\x89PNG\r\n\x1a\n",
    b"GIF89a",
    b"\xff\xd8\xff",
    b"\xff\xd8\xff\xe1\0\x20Exif\0\0II*\0",
    b"RIFF\0\0\0\0WEBPVP8 ",
    b"BM",
    b"\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0",
    b"\xff\x0a",
    b"II*\0\x08\0\0\0",
    b"\0\0\x01\0\x01\0",
    b"<svg ",
    b"\x1f\x8b\x08",
    b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title ",
];
