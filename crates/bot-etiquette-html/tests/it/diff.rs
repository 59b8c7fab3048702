//! What changed in a page.

use bot_etiquette_html::{MAX_DIFF_LINES, PageDiff, simhash};

use crate::page::read;

#[test]
fn each_field_that_changed_is_named() {
    let before = read(
        "<html lang=en><title>A</title><meta name=description content=d><meta name=robots content=all><link rel=canonical href=/a>\
         <link rel=alternate hreflang=de href=/de><meta property=og:title content=o><script type=application/ld+json>{\"@type\":\"X\"}</script><h1>H</h1>",
    );
    let after = read("<html lang=it><title>B</title><h1>I</h1>");
    let diff = PageDiff::between(&before, &after);
    let fields: Vec<_> = diff.fields.iter().map(|change| change.field.as_str()).collect();
    assert_eq!(
        fields,
        ["title", "description", "h1", "lang", "robots", "canonical", "alternates", "json_ld", "open_graph"]
    );
    assert_eq!((diff.text_removed, diff.text_added), (vec!["H".to_owned()], vec!["I".to_owned()]));
    assert_eq!(diff.links_removed.len(), 2);
}

#[test]
fn links_are_compared_by_kind_url_and_nofollow() {
    let diff = PageDiff::between(
        &read("<a href=/a>x</a><a href=/b>y"),
        &read("<a href=/b rel=nofollow>x</a><a href=/c>y"),
    );
    assert_eq!(diff.links_removed, ["Page https://ex.com/a", "Page https://ex.com/b"]);
    assert_eq!(diff.links_added, ["Page https://ex.com/b nofollow", "Page https://ex.com/c"]);
    assert!(diff.fields.is_empty() && diff.text_added.is_empty() && !diff.text_moved);
}

#[test]
fn what_changes_with_each_answer_is_no_change() {
    let before = read("<p nonce=1>a<!-- 1 --><script>1</script><input type=hidden value=1>");
    let after = read("<p nonce=2>a<!-- 2 --><script>2</script><input type=hidden value=2>");
    assert!(PageDiff::between(&before, &after).is_empty());
    assert_eq!(before.text_hash(), after.text_hash());
}

#[test]
fn lines_are_counted_and_a_move_is_no_change_of_words() {
    let diff = PageDiff::between(&read("<p>a<p>a<p>b"), &read("<p>a<p>b<p>c"));
    assert_eq!(diff.to_string(), "- a\n+ c\n");
    let diff = PageDiff::between(&read("<p>a<p>b"), &read("<p>b<p>a"));
    assert!(diff.text_moved && !diff.is_empty());
    for (lines, beyond) in [(MAX_DIFF_LINES - 1, 0), (MAX_DIFF_LINES, 0), (MAX_DIFF_LINES + 1, 1)] {
        let long: String = (0..lines).map(|line| format!("<p>{line}")).collect();
        let diff = PageDiff::between(&read(""), &read(long));
        assert_eq!((diff.text_added.len(), diff.text_beyond), (lines - beyond, beyond));
    }
}

#[test]
fn a_word_changes_few_bits_and_another_text_many() {
    let text: String = (0..2_000).map(|n| format!("word{} ", n * 7 % 1_009)).collect();
    let changed = text.replacen("word700 ", "other ", 1);
    assert_ne!(text, changed);
    assert!((simhash(&text) ^ simhash(&changed)).count_ones() <= 3);
    let other: String = (0..2_000).map(|n| format!("term{} ", n * 11 % 997)).collect();
    assert!((simhash(&text) ^ simhash(&other)).count_ones() > 10);
    assert_eq!(simhash("a b"), simhash("A\nB"));
}
