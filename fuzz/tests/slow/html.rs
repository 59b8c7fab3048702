//! Evil shapes of pages, fields, sitemaps and files.

use crate::{check, repeated};

#[test]
fn no_page_is_slow() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        let after = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("parts within each other", long("<div>")),
            ("parts that end and never began", long("</nav>")),
            ("parts that end across others", long("<nav><div></nav>")),
            ("formatting across paragraphs", long("<b><p>")),
            ("SVG within SVG", long("<svg>")),
            ("labels within pictures", long("<svg><title>")),
            ("templates", long("<template>")),
            ("hidden parts", long("<div hidden>")),
            ("one tag of attributes", after("<a ", "a=b ")),
            ("one attribute without an end", after("<a href='", "x&amp;")),
            ("tags without an end", long("<a href=/x")),
            ("links", long("<a href=/x>y")),
            ("links that differ", long("<a href='z:1'>")),
            ("comments that open", long("<!--")),
            ("sections that open", after("<svg>", "<![CDATA[")),
            ("blanks", long(" \n")),
            ("references", long("&notit;")),
            ("style sheets", long("<style>a{b:url(/x)}</style>")),
            ("one style sheet", after("<style>", "/*")),
            ("one srcset", after("<img srcset='", "a 1x,")),
            ("frames", long("<iframe srcdoc='<a href=/x>'></iframe>")),
            ("one JSON-LD of lists", after("<script type=application/ld+json>", "[")),
            ("one JSON-LD of items", after("<script type=application/ld+json>[", "{\"@type\":\"A\"},")),
            ("scripts that open comments", long("<script><!--")),
            ("headings", long("<h1>a")),
            ("metas", long("<meta name=a content=b>")),
            ("bases", long("<base href=/a/>")),
            ("forms", long("<form>a</form>")),
        ]
    };
    check(shapes, &["html_page"]);
}

#[test]
fn no_attribute_or_field_is_slow() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        let after = |head: &str, piece: &str| repeated(head, piece, length);
        vec![
            ("images", long("a 1x,")),
            ("brackets", long("a (")),
            ("commas", long(",")),
            ("blanks", after("a", " ")),
            ("one URL", long("a")),
            ("commas after a URL", after("a", ",")),
            ("URLs of a style sheet", long("url('a')")),
            ("URLs that open", long("url(")),
            ("comments", long("/*")),
            ("escapes", after("url(", "\\26 ")),
            ("digits", long("9")),
            ("fields", long("<a>,")),
            ("parameters", after("<a>", ";b=c")),
            ("fields that open", long("</a;")),
            ("quotes", after("<a>;b=\"", "\\\"")),
            ("relations", after("<a>;rel=\"", "x ")),
        ]
    };
    check(shapes, &["srcset", "link_header"]);
}

#[test]
fn no_sitemap_is_slow() {
    let shapes = |length| {
        let long = |piece: &str| repeated("", piece, length);
        let within = |piece: &str| repeated("<urlset>", piece, length);
        let entry = |piece: &str| repeated("<urlset><url><loc>", piece, length);
        vec![
            ("entries without a URL", within("<url></url>")),
            ("entries that open", within("<url>")),
            ("elements within each other", within("<a>")),
            ("ends without a start", within("</a>")),
            ("one URL", entry("a")),
            ("one URL of references", entry("&amp;")),
            ("one URL of broken references", entry("&#")),
            ("one URL of sections", entry("<![CDATA[a]]>")),
            ("one section", repeated("<urlset><url><loc><![CDATA[", "]]", length)),
            ("comments that open", within("<!--")),
            ("comments", within("<!---->")),
            ("instructions", within("<?a?>")),
            ("brackets of a document type", repeated("<!DOCTYPE ", "[", length)),
            ("one tag of attributes", repeated("<urlset><url ", "a='b' ", length)),
            ("one tag of quotes", repeated("<urlset><url ", "'\"", length)),
            ("one tag without an end", repeated("<urlset><url ", "a", length)),
            (
                "alternates",
                repeated("<urlset><url>", "<x:link rel='alternate' hreflang='de' href='/'/>", length),
            ),
            ("strays", within("<")),
            ("blanks", within(" ")),
            ("lines", long("https://example.com/\n")),
            ("one line", long("https://")),
            ("empty lines", long("\n")),
            ("items", repeated("<rss>", "<item><guid>a</guid></item>", length)),
        ]
    };
    check(shapes, &["sitemap_xml"]);
}

#[test]
fn no_part_of_a_file_is_slow() {
    let shapes = |length| {
        let bytes = |head: &[u8], piece: &[u8]| {
            let mut bytes = head.to_vec();
            while bytes.len() < length {
                bytes.extend_from_slice(piece);
            }
            bytes
        };
        vec![
            ("empty segments of a JPEG", bytes(b"\xff\xd8", b"\xff\xe0\0\x02")),
            ("fill of a JPEG", bytes(b"\xff\xd8", b"\xff")),
            ("extensions of a GIF", bytes(b"GIF89a\0\0\0\0\0\0\0", b"\x21\xf9\0")),
            ("empty boxes", bytes(b"\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0", b"\0\0\0\x08free")),
            ("boxes of no size", bytes(b"\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0", b"\0\0\0\0free")),
            ("entries of a TIFF", bytes(b"II*\0\x08\0\0\0\xff\xff", b"\0\x01\x03\0\x01\0\0\0\0\0\0\0")),
            ("entries of an icon", bytes(b"\0\0\x01\0\xff\xff", b"\x10\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0")),
            ("comments before an SVG", bytes(b"", b"<!-- -->")),
            ("attributes of an SVG", bytes(b"<svg ", b"a='b' ")),
            ("trailers", bytes(b"%PDF-1.4 ", b"/Info 1 0 R ")),
            ("trailers that name nothing", bytes(b"%PDF-1.4 ", b"/Info ")),
            ("objects", bytes(b"%PDF-1.4 /Info 1 0 R ", b"1 0 obj ")),
            ("objects of like numbers", bytes(b"%PDF-1.4 /Info 1 0 R ", b"11 0 obj ")),
            ("dictionaries", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj ", b"<<")),
            ("strings", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <<", b"(a)")),
            ("one string", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title (", b"\\(")),
            ("one string of brackets", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title ", b"(")),
            ("one string of digits", bytes(b"%PDF-1.4 /Info 1 0 R 1 0 obj <</Title <", b"41")),
            ("metadata", bytes(b"%PDF-1.4 ", b"<dc:title><rdf:li>")),
            ("one title of metadata", bytes(b"%PDF-1.4 <dc:title><rdf:li>", b"&amp;")),
            ("encryption", bytes(b"%PDF-1.4 ", b"/Encrypted ")),
        ]
    };
    check(shapes, &["image_head", "pdf_tail"]);
}
