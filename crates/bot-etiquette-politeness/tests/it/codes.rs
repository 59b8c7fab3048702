//! The stable codes and keys: more may come, these keep their names and their order.

use bot_etiquette_politeness::{Failure, GroupPolicy, HostPolicy, Reason, Report};

#[track_caller]
fn are(codes: impl IntoIterator<Item = &'static str>, expected: &str) {
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn reasons_keep_their_codes_and_their_order() {
    are(
        Reason::ALL.iter().map(|reason| reason.code()),
        "in-flight min-delay crawl-delay crawl-delay-too-long unreachable busy retry-after retry-after-too-long
         rate-limit group-rate quota revisit outside-hours killed not-configured table-full challenged
         store-unavailable",
    );
    assert!(Reason::ALL.is_sorted(), "equal deadlines are named in the order of the codes");
    for reason in Reason::ALL {
        let sentence = reason.sentence();
        assert!(sentence.contains(' ') && !sentence.ends_with('.'), "{sentence}");
    }
}

#[test]
fn failures_and_reports_keep_their_codes() {
    are(Failure::ALL.iter().map(|failure| failure.code()), "dns connect tls timeout reset incomplete");
    are(Report::ALL.iter().map(|report| report.code()), "busy challenged ok");
    for failure in Failure::ALL {
        assert_eq!(failure.code().parse(), Ok(*failure));
    }
    assert!("DNS".parse::<Failure>().unwrap_err().to_string().contains("give dns, connect"));
}

#[test]
fn policies_keep_their_keys() {
    are(
        HostPolicy::KEYS.iter().copied(),
        "max_open min_delay delay_anchor jitter crawl_delay_cap crawl_delay_over unreachable_first
         unreachable_factor unreachable_max busy_first busy_factor busy_max busy_scope busy_statuses retry_after
         retry_after_scope retry_after_park rate_limit hours quota revisit class_max_open blocked",
    );
    are(GroupPolicy::KEYS.iter().copied(), "hosts per_second max_open quota per_path each retry_after_scope");
}
