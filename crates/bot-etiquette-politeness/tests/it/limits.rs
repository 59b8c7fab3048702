//! Groups, quotas, revisits, hours, memory, restarts.

use crate::pace::{ONE_AT_A_TIME, TWO_AT_A_TIME};
use crate::script::check;

#[test]
fn a_group_has_one_rate_over_all_its_hosts() {
    let cdn = "[group.cdn]\nhosts = ['cdn.shop', '*.cdn.net']\nper_second = 8.0\neach = { max_open = 4, min_delay = 0.0 }\n[default]\nmin_delay = 1";
    check(
        "an eighth of a second apart, no burst",
        cdn,
        "0 ask cdn.shop/1 -> go
         0 ask a.cdn.net/2 -> wait 0.125 group-rate
         0.124 ask b.a.cdn.net/2 -> wait 0.125 group-rate
         0.125 ask a.cdn.net/2 -> go
         9 ask cdn.shop/3 -> go
         9 ask cdn.shop/4 -> wait 9.125 group-rate
         9 ask cdn.net/ -> go
         9 end cdn.net/ 200
         9 ask cdn.net/ -> wait 10 min-delay",
    );
    check(
        "a third of a second is rounded up",
        "[group.g]\nhosts = ['h']\nper_second = 3",
        "0 ask h/ -> go\n 0 end h/ 200\n 0 ask h/ -> wait 0.334 group-rate",
    );
    check(
        "set and unset",
        cdn,
        r#"0 ask cdn.shop/1 -> go
         0 set group:cdn {"per_second": 0.5}
         0 ask a.cdn.net/ -> wait 2 group-rate
         1 set group:cdn {}
         1 ask a.cdn.net/ -> go"#,
    );
}

#[test]
fn a_group_limits_open_requests_and_quota_over_all_its_hosts() {
    check(
        "open",
        "[group.g]\nhosts = ['*.g']\nmax_open = 2",
        "0 ask a.g/ -> go\n 0 ask b.g/ -> go\n 0 ask c.g/ -> wait - in-flight\n 1 end a.g/ 200\n 1 ask c.g/ -> go\n 2 restart\n 2 ask d.g/ -> go",
    );
    check(
        "quota",
        "[group.site]\nhosts = ['s', '*.s']\nquota = [{ name = 'pages', limit = 2, window = 100, classes = ['page'] }]",
        "0 ask s/1 as:page -> go
         1 ask a.s/2 as:page -> go
         2 ask b.s/3 as:page -> wait 100 quota
         2 ask b.s/3 -> go
         3 restart
         3 ask b.s/3 as:page -> wait 100 quota
         100 ask b.s/3 as:page -> go
         100 ask c.s/3 as:page -> wait 101 quota",
    );
}

#[test]
fn a_group_limits_open_requests_by_first_path_segment() {
    check(
        "per path",
        "[group.arcgis]\nhosts = ['services.arcgis.com']\neach = { max_open = 8 }\nper_path = { max_open = 2 }",
        "0 ask services.arcgis.com/org1/a -> go
         0 ask services.arcgis.com/org1/b -> go
         0 ask services.arcgis.com/org1/c -> wait - in-flight
         0 ask services.arcgis.com/org2/a -> go
         1 end services.arcgis.com/org1/a 200
         1 ask services.arcgis.com/org1/c -> go",
    );
}

#[test]
fn keys_are_inherited_from_host_group_default() {
    let policy = "
        [default]\nmin_delay = 1\nmax_open = 1
        [group.wide]\nhosts = ['*.com']\neach = { min_delay = 2 }
        [group.narrow]\nhosts = ['*.a.com']\neach = { min_delay = 3 }
        [group.exact]\nhosts = ['x.a.com']\neach = { min_delay = 4 }
        [host.'own.a.com']\nmin_delay = 5";
    for (host, delay) in [("org", 1), ("b.com", 2), ("y.a.com", 3), ("x.a.com", 4), ("own.a.com", 5)] {
        check(
            host,
            policy,
            &format!("0 ask {host}/ -> go\n 0 end {host}/ 200\n 0 ask {host}/ -> wait {delay} min-delay"),
        );
    }
}

#[test]
fn a_quota_is_a_rolling_window() {
    let mut script: String = (0..500)
        .map(|page| format!("{page} ask h/{page} as:page -> go\n {page} end h/{page} 200\n"))
        .collect();
    script += "500 ask h/x as:page -> wait 604800 quota\n 500 ask h/x as:file -> go\n 501 end h/x 200
        604800 ask h/x as:page -> go\n 604800 end h/x 200\n 604800 ask h/y as:page -> wait 604801 quota";
    check(
        "500 a week",
        "[default]\nquota = [{ name = 'pages', limit = 500, window = 604800, classes = ['page'] }]",
        &script,
    );
    check(
        "two quotas: the later counts",
        "[default]\nquota = [{ name = 'a', limit = 1, window = 10 }, { name = 'b', limit = 2, window = 100 }]",
        "0 ask h/ -> go\n 0 end h/ 200\n 1 ask h/ -> wait 10 quota\n 10 ask h/ -> go\n 10 end h/ 200\n 11 ask h/ -> wait 100 quota",
    );
    check(
        "a refused ask, and one not sent, count for nothing",
        "[default]\nmin_delay = 1\nquota = [{ name = 'a', limit = 2, window = 100 }]",
        "0 ask h/ -> go\n 0 unsent h/\n 1 ask h/ -> go\n 1 ask h/ -> wait 2 in-flight min-delay\n 1 end h/ 200\n 2 ask h/ -> go\n 2 end h/ 200\n 5 ask h/ -> wait 101 quota",
    );
}

#[test]
fn a_url_is_not_asked_again_before_its_time() {
    let policy = "[default]\nrevisit = { file = 604800, link = 2592000, preview = 2592000.001 }";
    check(
        "by URL without fragment, and class",
        policy,
        "0 ask h/f#a as:file -> go
         0 end h/f#a 200
         9 ask h/f#b as:file -> wait 604800 revisit
         9 ask h/g as:file -> go
         9 end h/g 200
         9 ask h/f as:link -> go
         9 end h/f 404
         9 ask h/f -> go
         9 end h/f 200
         9 restart
         604799 ask h/f as:file -> wait 604800 revisit
         604800 ask h/f as:file -> go",
    );
    check(
        "failures count",
        policy,
        "0 ask h/f as:link -> go\n 0 fail h/f dns\n 9 ask h/f as:link -> wait 2592000 revisit",
    );
    check(
        "strictly more",
        policy,
        "0 ask h/f as:preview -> go\n 0 end h/f 200\n 2592000 ask h/f as:preview -> wait 2592000.001 revisit",
    );
}

#[test]
fn hours_open_and_close() {
    // The scripts begin at 23:59 in London, 00:59 in Madrid.
    let night =
        "[default]\nhours = [{ from = '22:00', to = '06:00', zone = 'Europe/Madrid' }]\nbusy_first = 25200";
    check(
        "across midnight",
        night,
        "0 ask h/ -> go\n 1 end h/ 200\n 18059 ask h/ -> go\n 18059 end h/ 200\n 18060 ask h/ -> wait 75660 outside-hours",
    );
    check(
        "a hold that ends in closed hours ends when they open",
        night,
        "0 ask h/ -> go\n 0 end h/ 503\n 0 ask h/ -> wait 75660 outside-hours busy\n 75660 ask h/ -> go",
    );
}

#[test]
fn a_restart_ends_what_was_open_and_keeps_the_rest() {
    check(
        "pace and holds",
        TWO_AT_A_TIME,
        "0 ask h/x -> go
         0 fail h/x timeout
         100 restart
         100 ask h/x -> wait 900 unreachable
         900 ask h/x -> go
         900 fail h/x timeout
         900 ask h/x -> wait 2700 unreachable",
    );
    check(
        "open requests end",
        ONE_AT_A_TIME,
        "0 ask h/x -> go\n 5 restart\n 5 ask h/x -> wait 6 min-delay\n 6 ask h/x -> go",
    );
    check(
        "crawl delays stay",
        ONE_AT_A_TIME,
        "0 robots h 5\n 0 ask h/x -> go\n 0 end h/x 200\n 1 restart\n 1 ask h/x -> wait 5 crawl-delay",
    );
    check(
        "overrides stay",
        ONE_AT_A_TIME,
        "0 set h {\"min_delay\":7}\n 0 ask h/x -> go\n 0 end h/x 200\n 1 restart\n 1 ask h/x -> wait 7 min-delay",
    );
}

#[test]
fn a_full_table_refuses_new_hosts_and_forgets_only_what_is_over() {
    let bound = "max_hosts = 2\n[default]\nmin_delay = 1\nbusy_first = 60\nunreachable_first = 900";
    check(
        "full",
        bound,
        "0 ask a/ -> go
         0 ask b/ -> go
         0 ask c/ -> wait - table-full
         0 ask a/ -> wait 1 in-flight min-delay
         1 end a/ 200
         1 ask c/ -> wait 2 table-full
         2 ask c/ -> go
         2 ask a/ -> wait - table-full",
    );
    check(
        "a hold and its counter are kept, a day beyond the hold",
        bound,
        "0 ask a/ -> go
         0 fail a/ dns
         0 ask b/ -> go
         0 end b/ 503
         900 ask c/ -> wait 86460 table-full
         86460 ask c/ -> go",
    );
    check(
        "kills are never forgotten, and always find room",
        bound,
        "0 kill a\n 0 kill b\n 0 kill c\n 0 ask c/ -> never killed\n 99999999 ask d/ -> wait - table-full\n 99999999 ask a/ -> never killed",
    );
    check(
        "a pause that is told after a host was forgotten counts all the same",
        "max_hosts = 1\n[default]",
        "0 ask a/robots.txt -> go
         1 end a/robots.txt 200
         1 ask b/ -> go
         1 end b/ 200
         1 robots a 5
         1 ask a/ -> wait 6 crawl-delay",
    );
}
