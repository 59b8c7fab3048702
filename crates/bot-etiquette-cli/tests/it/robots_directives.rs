//! `robots directives`.

use serde_json::json;

use crate::run::{Ended, with_stdin};

fn directives(arguments: &[&str]) -> Ended {
    with_stdin(&[&["robots", "directives"], arguments].concat(), b"")
}

#[test]
fn one_object_has_every_key_whatever_is_asked() {
    let ended = directives(&["--json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert_eq!(ended.stdout.lines().count(), 1);
    assert_eq!(
        ended.json(),
        json!({
            "schema": 1, "noindex": false, "nofollow": false, "noarchive": false, "nosnippet": false,
            "noimageindex": false, "notranslate": false, "indexifembedded": false, "max_snippet": null,
            "max_image_preview": null, "max_video_preview": null, "unavailable_after": null, "unknown": [],
        })
    );
}

#[test]
fn fields_and_tags_are_combined_for_the_agent() {
    let ended = directives(&[
        "--json",
        "--agent",
        "SiteSnapshot",
        "--header",
        "X-Robots-Tag: otherbot: noindex, sitesnapshot: nofollow, max-snippet: 20",
        "--header",
        "x-robots-tag:unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noai",
        "--meta",
        "robots=noarchive, max-snippet:50, max-image-preview:large",
        "--meta",
        "SITESNAPSHOT=max-video-preview:-1",
        "--meta",
        "description=noindex = a word",
    ]);
    assert_eq!(ended.code, 0);
    assert_eq!(
        ended.json(),
        json!({
            "schema": 1, "noindex": false, "nofollow": true, "noarchive": true, "nosnippet": false,
            "noimageindex": false, "notranslate": false, "indexifembedded": false, "max_snippet": 20,
            "max_image_preview": "large", "max_video_preview": -1,
            "unavailable_after": "Wed, 03 Dec 2025 13:09:53 GMT", "unknown": ["noai"],
        })
    );
}

#[test]
fn without_an_agent_only_what_is_said_to_all_counts() {
    let ended = directives(&["--json", "--header", "X-Robots-Tag: anybot: noindex", "--meta", "robots=none"]);
    assert_eq!(
        (ended.json()["noindex"].as_bool(), ended.json()["nofollow"].as_bool()),
        (Some(true), Some(true))
    );
    let ended = directives(&["--json", "--header", "X-Robots-Tag: anybot: noindex"]);
    assert_eq!(ended.json()["noindex"], json!(false));
}

#[test]
fn a_person_gets_one_line_for_each_directive() {
    let ended = directives(&["--meta", "robots=none, max-snippet:3, x\u{1b}[31m"]);
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (0, "noindex\nnofollow\nmax-snippet: 3\nunknown: x\\u{1b}[31m\n")
    );
    assert_eq!(directives(&[]).stdout, "nothing is asked\n");
}

#[test]
fn an_agent_may_come_with_its_version() {
    let ended = directives(&["--json", "--agent", "ExampleBot/1.0", "--meta", "examplebot=noindex"]);
    assert_eq!((ended.code, &ended.json()["noindex"]), (0, &json!(true)));
    assert!(ended.stderr.contains("read as ExampleBot"), "{}", ended.stderr);
}

#[test]
fn what_is_no_field_no_tag_or_no_token_is_refused() {
    for (arguments, part) in [
        (["--header", "noindex"], "--header `noindex`"),
        (["--header", "Robots: noindex"], "such as `X-Robots-Tag: noindex`"),
        (["--meta", "noindex"], "such as `robots=noindex`"),
        (["--agent", "two words"], "--agent"),
    ] {
        let ended = directives(&arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}
