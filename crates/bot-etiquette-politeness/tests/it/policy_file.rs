//! What is wrong in a policy file is told with its line, its key and what to write instead.

use bot_etiquette_politeness::Policy;

#[track_caller]
fn refused(text: &str, line: usize, told: &[&str]) {
    let error = Policy::from_toml(text).expect_err(text);
    assert_eq!(error.line(), Some(line), "{text}: {error}");
    let shown = error.to_string();
    assert!(shown.starts_with(&format!("line {line}: ")) && !shown.contains('\n'), "{shown}");
    for told in told {
        assert!(shown.contains(told), "{text}: {shown}");
    }
}

#[test]
fn a_slip_in_a_key_is_told() {
    refused("[default]\nmin_delay = 1\nmin_dely = 2", 3, &["unknown key `min_dely`", "min_delay"]);
    refused("max_host = 1", 1, &["unknown key `max_host`", "max_hosts, default, host, group"]);
    refused("[hosts.'a']", 1, &["unknown key `hosts`"]);
    refused("[host.'a']\nclosed = true", 2, &["unknown key `closed`"]);
    refused("[group.a]\nmin_delay = 1", 2, &["unknown key `min_delay`", "each"]);
    refused("[group.a]\nhosts = []\neach = { max_opn = 1 }", 3, &["unknown key `max_opn`"]);
    refused("[group.a]\nper_path = { min_delay = 1 }", 2, &["unknown field `min_delay`", "max_open"]);
    refused("[default]\nquota = [{ name = 'a', limit = 1, windw = 1 }]", 2, &["windw", "window"]);
    refused("[default]\nmin_delay = 1\nmin_delay = 2", 3, &["duplicate key"]);
}

#[test]
fn a_number_that_is_none_is_told() {
    for key in [
        "min_delay",
        "crawl_delay_cap",
        "unreachable_first",
        "unreachable_max",
        "busy_first",
        "busy_max",
        "retry_after_park",
    ] {
        for value in ["-1", "-0.5", "nan", "-nan", "inf", "-inf", "1e300", "'1'", "true", "[1]"] {
            refused(
                &format!("[default]\n{key} = {value}"),
                2,
                &[key, "a number of seconds: finite, 0 or more"],
            );
        }
        for value in ["0", "0.0", "1", "2.5", "1e9"] {
            assert!(Policy::from_toml(&format!("[default]\n{key} = {value}")).is_ok(), "{key} = {value}");
        }
    }
    for key in ["unreachable_factor", "busy_factor"] {
        for value in ["0.99", "-2", "nan", "inf"] {
            refused(&format!("[default]\n{key} = {value}"), 2, &[key, "a finite number, 1 or more"]);
        }
        assert!(Policy::from_toml(&format!("[default]\n{key} = 1")).is_ok());
    }
    for value in ["1.01", "-0.1", "nan"] {
        refused(&format!("[default]\njitter = {value}"), 2, &["a number from 0 to 1"]);
    }
    for value in ["0", "-1", "1.5", "4294967296"] {
        refused(
            &format!("[default]\nmax_open = {value}"),
            2,
            &["a whole number, 1 or more", "blocked = true"],
        );
    }
    refused("max_hosts = 0", 1, &["a whole number, 1 or more"]);
    refused("[group.a]\nper_second = 0", 2, &["a number above 0"]);
    refused("[default]\nrevisit = { page = -1 }", 2, &["a number of seconds"]);
    refused("[default]\nclass_max_open = { page = 0 }", 2, &["a whole number, 1 or more"]);
    refused("[default]\nbusy_statuses = [429, 99]", 2, &["99 is not an HTTP status"]);
}

#[test]
fn a_window_that_cannot_be_is_told() {
    refused("[default]\nquota = [{ name = 'a', limit = 1, window = 0 }]", 2, &["longer than 0 seconds"]);
    refused("[default]\nquota = [{ name = 'a', limit = 0, window = 1 }]", 2, &["1 or more"]);
    refused("[default]\nquota = [{ name = 'a', limit = 1, window = inf }]", 2, &["finite"]);
    refused(
        "[default]\nquota = [{ name = 'a', limit = 1, window = 1 }, { name = 'a', limit = 2, window = 9 }]",
        2,
        &["two quotas are named \"a\""],
    );
    refused("[default]\nhours = [{ from = '22:00', to = '22:00', zone = 'UTC' }]", 2, &["never opens"]);
    refused("[default]\nhours = [{ from = '25:00', to = '22:00', zone = 'UTC' }]", 2, &["`from` is `25:00`"]);
    refused("[default]\nhours = []", 2, &["no window"]);
}

#[test]
fn a_host_is_named_once() {
    refused("[host.'a']\n[host.'a.']\nmax_open = 1", 2, &["a is named twice"]);
    refused("[host.'a']\nhosts = ['b']\n[host.'b']\nmax_open = 1", 3, &["b is named twice"]);
    refused("[host.'a']\nhosts = ['c']\n[host.'b']\nhosts = ['c']", 3, &["c is named twice"]);
    refused("[host.'a']\nhosts = ['b', 'B']", 1, &["b is named twice"]);
    refused("[host.'*.a']\nmax_open = 1", 1, &["is not a host name"]);
    refused("[host.'https://a/']\nmax_open = 1", 1, &["no scheme"]);
    assert!(
        Policy::from_toml("[host.'a']\nhosts = ['a', 'b']").is_ok(),
        "its own name may stand in its list"
    );
}

#[test]
fn words_are_those_of_the_list() {
    refused("[default]\ndelay_anchor = 'middle'", 2, &["expected `end` or `start`"]);
    refused("[default]\ncrawl_delay_over = 'Clamp'", 2, &["`clamp`, `refuse`, `honour`"]);
    for (key, words) in [
        ("delay_anchor", "end start"),
        ("crawl_delay_over", "clamp refuse honour"),
        ("busy_scope", "host resource"),
        ("retry_after", "honour longest ignore"),
        ("retry_after_scope", "host resource"),
        ("rate_limit", "off slow-only"),
    ] {
        for word in words.split(' ') {
            assert!(Policy::from_toml(&format!("[default]\n{key} = '{word}'")).is_ok(), "{key} = {word}");
        }
    }
}
