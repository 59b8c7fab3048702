use std::time::{Duration, UNIX_EPOCH};

use bot_etiquette_robots::{ImagePreview, Limit, MAX_UNKNOWN_DIRECTIVES, RobotsDirectives, RobotsTags};
use proptest::prelude::*;

fn header(agent: &str, fields: &[&str]) -> RobotsDirectives {
    let mut tags = RobotsTags::new().agent(agent);
    for field in fields {
        tags.header(field.as_bytes());
    }
    tags.into_directives()
}

fn meta(agent: &str, tags: &[(&str, &str)]) -> RobotsDirectives {
    let mut collected = RobotsTags::new().agent(agent);
    for (name, content) in tags {
        collected.meta(name, content);
    }
    collected.into_directives()
}

/// The words that stand in the directives, in the order of the fields.
fn words(directives: &RobotsDirectives) -> String {
    let flags = [
        (directives.noindex, "noindex"),
        (directives.nofollow, "nofollow"),
        (directives.noarchive, "noarchive"),
        (directives.nosnippet, "nosnippet"),
        (directives.noimageindex, "noimageindex"),
        (directives.notranslate, "notranslate"),
        (directives.indexifembedded, "indexifembedded"),
    ];
    let mut words: Vec<String> =
        flags.iter().filter(|(set, _)| *set).map(|(_, word)| (*word).to_owned()).collect();
    words.extend(directives.max_snippet.map(|limit| format!("snippet={limit}")));
    words.extend(directives.max_image_preview.map(|size| format!("image={size}")));
    words.extend(directives.max_video_preview.map(|limit| format!("video={limit}")));
    words.extend(directives.unavailable_after.as_ref().map(|date| format!("after={date}")));
    words.extend(directives.unknown.iter().map(|word| format!("?{word}")));
    words.join(" ")
}

#[track_caller]
fn check_header(fields: &[&str], expected: &str) {
    assert_eq!(words(&header("TestBot", fields)), expected, "{fields:?}");
}

#[track_caller]
fn check_meta(tags: &[(&str, &str)], expected: &str) {
    assert_eq!(words(&meta("TestBot", tags)), expected, "{tags:?}");
}

#[test]
fn words_are_read_whatever_their_case_and_blanks() {
    check_meta(&[("ROBOTS", "NONE")], "noindex nofollow");
    check_meta(&[("robots", "NoIndex,\tNOFOLLOW ,")], "noindex nofollow");
    check_meta(&[("robots", "noindex nofollow")], "noindex nofollow");
    check_meta(&[("robots", "noindex\u{ff0c}noarchive\u{3001}nosnippet")], "noindex noarchive nosnippet");
    check_meta(&[(" robots ", "noindex; nofollow")], "noindex nofollow");
    check_meta(&[("robots", "all, index, follow")], "");
    check_meta(
        &[("robots", "noimageindex,notranslate,indexifembedded,nocache")],
        "noarchive noimageindex notranslate indexifembedded",
    );
    check_meta(&[("robots", "")], "");
    check_meta(&[("robots", ",,;")], "");
}

#[test]
fn only_tags_for_all_or_for_this_robot_count() {
    check_meta(&[("testbot", "nofollow"), ("robots", "noindex")], "noindex nofollow");
    check_meta(&[("otherbot", "nofollow"), ("description", "noindex"), ("", "noindex")], "");
    check_meta(&[("testbot", "index, follow"), ("robots", "none")], "noindex nofollow");
    check_header(&["otherbot: noindex, nofollow"], "");
    check_header(&["TESTBOT: noindex, nofollow"], "noindex nofollow");
    check_header(&["testbot : noindex"], "noindex");
    check_header(&["TestBot/1.0: noindex"], "noindex");
    check_header(&["TestBotX: noindex", "Test: nofollow"], "");
    check_header(&["*: noindex", "robots: nofollow"], "noindex nofollow");
}

#[test]
fn a_robot_without_a_name_hears_only_what_is_said_to_all() {
    let mut tags = RobotsTags::new();
    tags.header(b"testbot: noindex");
    tags.header(b"nofollow");
    tags.meta("testbot", "noarchive");
    assert_eq!(words(tags.directives()), "nofollow");
}

#[test]
fn a_name_in_a_field_holds_until_the_next_name_or_the_end_of_the_line() {
    check_header(&["noindex, otherbot: nofollow"], "noindex");
    check_header(&["otherbot: noindex, testbot: nofollow, noarchive"], "nofollow noarchive");
    check_header(&["otherbot: noindex, nofollow", "noarchive"], "noarchive");
    check_header(&["otherbot:, noindex"], "");
    check_header(&["testbot: otherbot: noindex"], "");
    check_header(&["noindex testbot: nofollow"], "noindex nofollow");
    check_header(&["noarchive", "nofollow"], "nofollow noarchive");
}

#[test]
fn a_directive_with_a_value_is_no_robots_name() {
    check_header(&["unavailable_after: 25 Jun 2027 15:00:00 PST"], "after=25 Jun 2027 15:00:00 PST");
    check_header(&["max-snippet: 20, nofollow"], "nofollow snippet=20");
    check_header(
        &["max-snippet:20", "max-image-preview: LARGE", "max-video-preview:-1"],
        "snippet=20 image=large video=-1",
    );
    check_header(&["testbot: max-snippet: 20"], "snippet=20");
    check_header(&["otherbot: max-snippet: 20, max-video-preview: 3"], "");
    check_header(&["max-frames: 3, nofollow"], "nofollow ?max-frames:3");
    check_header(&["depth: 3, nofollow"], "nofollow ?depth:3");
    check_header(&["max-snippet : 7 nofollow"], "nofollow snippet=7");
    check_header(&["noindex: yes, nofollow=1"], "noindex nofollow");
    check_header(&["all: noindex"], "noindex");
}

#[test]
fn a_missing_value_never_swallows_a_restriction() {
    check_header(&["max-snippet: nofollow"], "nofollow ?max-snippet:");
    check_meta(&[("robots", "max-snippet:, noindex")], "noindex ?max-snippet:");
    check_meta(&[("robots", "max-image-preview: none")], "image=none");
    check_meta(
        &[("robots", "max-snippet: -5, max-video-preview: 1.5, max-image-preview: huge")],
        "?max-snippet:-5 ?max-video-preview:1.5 ?max-image-preview:huge",
    );
}

#[test]
fn dates_keep_their_commas_and_colons() {
    for date in [
        "Wed, 03 Dec 2025 13:09:53 GMT",
        "Wednesday, 03-Dec-25 13:09:53 GMT",
        "2025-12-03T13:09:53Z",
        "2025-12-03 14:09:53+01:00",
        "Wed, Dec 03 2025 13:09:53",
        "3 Dec 2025, 13:09:53 UTC",
    ] {
        let expected = format!("nofollow after={date}");
        check_header(&[&format!("unavailable_after: {date}, nofollow")], &expected);
        check_header(&[&format!("nofollow, testbot: unavailable_after: {date}")], &expected);
        check_meta(&[("robots", &format!("nofollow,UNAVAILABLE_AFTER:{date}"))], &expected);
        let read = header("TestBot", &[&format!("unavailable_after: {date}")]);
        let time = read.unavailable_after.and_then(|date| date.time());
        assert_eq!(time, Some(UNIX_EPOCH + Duration::from_secs(1_764_767_393)), "{date}");
    }
    check_header(&["unavailable_after: 2027-06-25 noindex"], "noindex after=2027-06-25");
    check_header(&["noindex unavailable_after: 2027-06-25"], "noindex after=2027-06-25");
    check_header(&["unavailable_after: Wed, 360Spider: noindex"], "after=Wed");
    check_header(&["otherbot: unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex"], "");
    check_header(&["unavailable_after:"], "?unavailable_after");
}

#[test]
fn the_strictest_value_wins() {
    check_meta(
        &[("robots", "max-snippet:50"), ("testbot", "max-snippet:-1"), ("robots", "max-snippet:20")],
        "snippet=20",
    );
    check_meta(&[("robots", "max-snippet:0"), ("testbot", "max-snippet:99999999999")], "snippet=0");
    check_meta(&[("robots", "max-image-preview:large, max-image-preview:none")], "image=none");
    check_header(&["unavailable_after: 2027-06-25", "unavailable_after: 25 Jun 2026"], "after=25 Jun 2026");
    check_header(&["unavailable_after: someday", "unavailable_after: 2027-06-25"], "after=2027-06-25");
    check_header(&["unavailable_after: 2027-06-25", "unavailable_after: someday"], "after=2027-06-25");
    assert!(ImagePreview::None < ImagePreview::Standard && Limit::AtMost(u32::MAX) < Limit::Unlimited);
}

#[test]
fn unknown_words_are_kept_once_and_bounded() {
    check_meta(&[("robots", "noai, noimageai, noai"), ("testbot", "noai")], "?noai ?noimageai");
    check_meta(&[("robots", "foo: bar, nofollower")], "?foo:bar ?nofollower");
    check_meta(
        &[("robots", "foo=bar, foo : bar, foo:, max-snippet=ten")],
        "?foo=bar ?foo:bar ?foo: ?max-snippet=ten",
    );
    check_meta(
        &[("robots", "unavailable_after, unavailable_after:, UNAVAILABLE_AFTER = ")],
        "?unavailable_after",
    );
    for (count, kept) in [
        (MAX_UNKNOWN_DIRECTIVES - 1, MAX_UNKNOWN_DIRECTIVES - 1),
        (MAX_UNKNOWN_DIRECTIVES, MAX_UNKNOWN_DIRECTIVES),
        (MAX_UNKNOWN_DIRECTIVES + 1, MAX_UNKNOWN_DIRECTIVES),
    ] {
        let content: Vec<String> = (0..count).map(|number| format!("x{number}")).collect();
        let read = meta("TestBot", &[("robots", &format!("{},noindex", content.join(",")))]);
        assert_eq!(read.unknown.len(), kept);
        assert!(read.noindex);
    }
    let long = "é".repeat(1_000);
    let read = meta("TestBot", &[("robots", &long)]);
    assert_eq!(read.unknown, ["é".repeat(64)]);
}

#[test]
fn bytes_that_are_no_text_lose_nothing_else() {
    let mut tags = RobotsTags::new();
    tags.header(b"\xff\xfe, noindex, \x00");
    assert!(tags.directives().noindex);
}

#[cfg(feature = "serde")]
#[test]
fn directives_are_written_as_plain_values() {
    let read = header(
        "TestBot",
        &["none, max-snippet:-1, max-image-preview:none, unavailable_after: 2027-06-25, noai"],
    );
    let json = serde_json::to_value(&read).expect("serializable");
    assert_eq!(
        json,
        serde_json::json!({
            "noindex": true, "nofollow": true, "noarchive": false, "nosnippet": false, "noimageindex": false,
            "notranslate": false, "indexifembedded": false, "max_snippet": -1, "max_image_preview": "none",
            "max_video_preview": null, "unavailable_after": "2027-06-25", "unknown": ["noai"]
        })
    );
}

/// Whether nothing that the first asks for is missing in the second.
fn at_most(less: &RobotsDirectives, more: &RobotsDirectives) -> bool {
    let flags = |d: &RobotsDirectives| {
        [d.noindex, d.nofollow, d.noarchive, d.nosnippet, d.noimageindex, d.notranslate, d.indexifembedded]
    };
    let limit = |value: Option<Limit>| value.unwrap_or(Limit::Unlimited);
    flags(less).iter().zip(flags(more)).all(|(less, more)| !less || more)
        && limit(more.max_snippet) <= limit(less.max_snippet)
        && limit(more.max_video_preview) <= limit(less.max_video_preview)
        && more.max_image_preview.unwrap_or(ImagePreview::Large)
            <= less.max_image_preview.unwrap_or(ImagePreview::Large)
        && (less.unavailable_after.is_none() || more.unavailable_after.is_some())
}

fn field() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("noindex"),
        Just("nofollow"),
        Just("none"),
        Just("all"),
        Just("testbot:"),
        Just("otherbot:"),
        Just(","),
        Just(" "),
        Just(";"),
        Just("max-snippet:"),
        Just("20"),
        Just("-1"),
        Just("unavailable_after:"),
        Just("Wed, 03 Dec 2025 13:09:53 GMT"),
        Just("2027-06-25"),
        Just("max-image-preview: none"),
        Just(":"),
        Just("é"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_further_field_never_lifts_a_restriction(fields in prop::collection::vec(field(), 0..4), more in field()) {
        let mut tags = RobotsTags::new().agent("testbot");
        for field in &fields {
            tags.header(field.as_bytes());
        }
        let before = tags.directives().clone();
        tags.header(more.as_bytes());
        prop_assert!(at_most(&before, tags.directives()));
        tags.meta("robots", &more);
        prop_assert!(at_most(&before, tags.directives()));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut tags = RobotsTags::new();
        tags.header(&bytes);
        prop_assert!(tags.directives().unknown.len() <= MAX_UNKNOWN_DIRECTIVES);
    }
}
