use bot_etiquette_robots::{Availability, MAX_REDIRECTS, Unreachable};

#[test]
fn every_status_has_one_meaning() {
    for status in 0..=u16::MAX {
        let expected = match status {
            200..=299 => Availability::Successful,
            429 => Availability::Unreachable(Unreachable::TooManyRequests),
            400..=428 | 430..=499 => Availability::Unavailable,
            500..=599 => Availability::Unreachable(Unreachable::ServerError(status)),
            _ => Availability::Unreachable(Unreachable::Unusable(status)),
        };
        assert_eq!(Availability::from_status(status), expected, "{status}");
    }
}

#[test]
fn five_redirects_are_followed_and_a_sixth_opens_the_site() {
    for followed in 0..MAX_REDIRECTS {
        assert_eq!(Availability::from_redirects(followed), None, "{followed}");
    }
    for followed in [MAX_REDIRECTS, MAX_REDIRECTS + 1, u32::MAX] {
        assert_eq!(Availability::from_redirects(followed), Some(Availability::Unavailable), "{followed}");
    }
}

#[test]
fn an_outcome_says_what_the_server_did() {
    for (outcome, words) in [
        (Availability::Unavailable, "there is no robots.txt"),
        (Availability::from_status(301), "robots.txt answered 301, a redirect that was not followed"),
        (Availability::from_status(304), "robots.txt answered 304, which settles nothing"),
        (Availability::from_status(308), "robots.txt answered 308, a redirect that was not followed"),
        (Availability::from_status(503), "robots.txt answered 503"),
    ] {
        assert_eq!(outcome.to_string(), words);
    }
}

#[test]
fn an_outcome_is_read_from_text() {
    assert_eq!("404".parse(), Ok(Availability::Unavailable));
    assert_eq!("UNREACHABLE".parse(), Ok(Availability::Unreachable(Unreachable::NoAnswer)));
    assert_eq!("200".parse(), Ok(Availability::Successful));
    assert_eq!("301".parse(), Ok(Availability::Unreachable(Unreachable::Unusable(301))));
    assert_eq!("599".parse(), Ok(Availability::Unreachable(Unreachable::ServerError(599))));
    for text in ["199", "600", "", "20", "099", "+200", "1000", "2000", "-200", "20x", "gone", "200 "] {
        assert!(text.parse::<Availability>().is_err(), "{text:?}");
    }
}
