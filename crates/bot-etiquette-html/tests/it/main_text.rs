//! What a page is about.

use bot_etiquette_html::{Limits, PageReader};
use proptest::prelude::*;

use crate::page::{read, url};

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(read(body).main_text(), expected, "{body}");
}

const STORY: &str = "<h1>Tea</h1><p>The shop sells tea, and has done so for a hundred years.</p>";
const TOLD: &str = "Tea\nThe shop sells tea, and has done so for a hundred years.";

#[test]
fn the_authors_word_counts_first() {
    check(&format!("<div>{}</div><main>{STORY}</main>", "beside ".repeat(100)), TOLD);
    check(&format!("<div>{}</div><div role=Main>{STORY}</div>", "beside ".repeat(100)), TOLD);
    check(&format!("<main></main><main>{STORY}</main><main>second</main>"), TOLD);
    check(&format!("<div>some words</div><article>{STORY}</article>"), TOLD);
    // Several articles are a list, of which all is the page's.
    check(&format!("<article>{STORY}</article><article>{STORY}</article>"), &format!("{TOLD}\n{TOLD}"));
    // One that says next to nothing is not what the page is about.
    check(&format!("<article>Ad</article><div>{STORY}</div>"), TOLD);
}

#[test]
fn what_stands_beside_is_left_out() {
    for (open, close) in [
        ("<nav>", "</nav>"),
        ("<aside>", "</aside>"),
        ("<header>", "</header>"),
        ("<footer>", "</footer>"),
        ("<form>", "</form>"),
        ("<search>", "</search>"),
        ("<div role=navigation>", "</div>"),
        ("<div role='banner '>", "</div>"),
    ] {
        let beside = format!("{open}<div>left <p>out</div>{close}");
        check(&format!("{beside}<div>{STORY}</div>{beside}"), TOLD);
        check(&format!("{beside}{STORY}{beside}"), TOLD);
        if !open.contains("header") && !open.contains("footer") {
            check(&format!("<main>{beside}{STORY}{beside}</main>"), TOLD);
        }
    }
    check(
        &format!("<main><header>By A</header>{STORY}</main><header>Shop</header>"),
        &format!("By A\n{TOLD}"),
    );
    check(&format!("<form><div>{STORY}</div><input></form>"), TOLD);
}

#[test]
fn without_a_word_the_smallest_part_that_holds_most_is_taken() {
    let links = "<a href=/>a link among many</a> ".repeat(10);
    check(&format!("<div><div>{links}</div><div><div>{STORY}</div></div><div>small print</div></div>"), TOLD);
    // A list of links has no such part, though a notice beside it has words.
    let list = read(format!("<div>{links}</div><div>We use cookies.</div>"));
    assert!(list.main_text().starts_with("a link") && list.main_text().ends_with("We use cookies."));
    check("<nav>only this</nav>", "only this");
    check("", "");
    check("no part at all", "no part at all");
}

#[test]
fn tags_out_of_order_cost_no_text() {
    check(&format!("</nav></div><nav><div>left out</nav></nav>{STORY}</div>"), TOLD);
    check(&format!("<nav>left out</nav><main>{STORY}"), TOLD);
    check(&format!("<svg><nav></svg><template><main>no</main></template>{STORY}"), TOLD);
}

#[test]
fn parts_and_depth_are_bounded() {
    for (limit, is_seen) in [(1, false), (2, true), (3, true)] {
        let nav = "<div></div><nav>left out</nav>";
        let limits = Limits { parts: limit, ..Limits::default() };
        let page =
            PageReader::new(url("https://ex.com/")).limits(limits).read(format!("{nav}{STORY}").as_bytes());
        assert_eq!(page.main_text() == TOLD, is_seen, "{limit} parts");
        let nav = "<div><nav>left out</nav></div>";
        let limits = Limits { depth: limit, ..Limits::default() };
        let page =
            PageReader::new(url("https://ex.com/")).limits(limits).read(format!("{nav}{STORY}").as_bytes());
        assert_eq!(page.main_text() == TOLD, is_seen, "{limit} deep");
    }
    let page = read(format!("{}{STORY}{}<nav>no</nav>", "<div>".repeat(100_000), "</div>".repeat(100_000)));
    assert_eq!(page.main_text(), TOLD);
}

proptest! {
    #[test]
    fn main_text_is_pieces_of_the_text_in_order(pieces in proptest::collection::vec(prop::sample::select(SOUP.to_vec()), 0..60)) {
        let page = read(pieces.concat());
        let mut at = 0;
        for piece in &page.main {
            prop_assert!(at <= piece.start && piece.start < piece.end && piece.end <= page.text.len());
            prop_assert!(page.text.is_char_boundary(piece.start) && page.text.is_char_boundary(piece.end));
            at = piece.end;
        }
        prop_assert_eq!(page.main.is_empty(), page.text.is_empty());
    }
}

const SOUP: [&str; 20] = [
    "<div>",
    "</div>",
    "<main>",
    "</main>",
    "<article>",
    "</article>",
    "<nav>",
    "</nav>",
    "<form>",
    "</form>",
    "<header>",
    "</header>",
    "<a href=/>",
    "</a>",
    "<p>",
    "words and words ",
    "\u{e9}",
    "<svg>",
    "</svg>",
    "<section role=main>",
];
