//! Scope, keys, traps and languages.

use bot_etiquette_html::{
    Alternate, HreflangProblem, LinkSource, MAX_REPEATS, MAX_SEGMENTS, MAX_URL, ReturnBudget, Scope,
    ScopeError, Trap, UrlKey, check_alternates, check_hreflang, names_back, registrable_domain,
};

use crate::page::url;

#[test]
fn a_host_is_itself_and_no_other() {
    let scope = Scope::host(&url("https://ex.com/")).unwrap();
    for (text, within) in [
        ("https://ex.com/a", true),
        ("http://EX.com./a", true),
        ("https://ex.com:443/", true),
        ("https://ex.com:8443/", false),
        ("https://www.ex.com/", false),
        ("https://notex.com/", false),
        ("ftp://ex.com/", false),
    ] {
        assert_eq!(scope.contains(&url(text)), within, "{text}");
    }
    let scope = Scope::host(&url("http://127.0.0.1:8080/")).unwrap();
    assert!(scope.contains(&url("http://127.0.0.1:8080/x")) && !scope.contains(&url("http://127.0.0.1/")));
}

#[test]
fn subdomains_lie_below_a_name_that_has_one_owner() {
    let scope = Scope::subdomains(&url("https://ex.com/")).unwrap();
    for (text, within) in [
        ("https://ex.com/", true),
        ("https://a.b.ex.com/", true),
        ("https://notex.com/", false),
        ("https://ex.com.evil.net/", false),
    ] {
        assert_eq!(scope.contains(&url(text)), within, "{text}");
    }
    for suffix in ["https://co.uk/", "https://github.io/", "https://com/"] {
        assert!(matches!(Scope::subdomains(&url(suffix)), Err(ScopeError::PublicSuffix(_))), "{suffix}");
    }
    assert!(matches!(Scope::subdomains(&url("http://127.0.0.1/")), Err(ScopeError::Address(_))));
    assert!(matches!(Scope::host(&url("file:///x")), Err(ScopeError::Scheme(_))));
    assert!(Scope::subdomains(&url("http://intranet/")).is_ok());
    assert_eq!(registrable_domain(&url("https://a.b.ex.co.uk/")), Some("ex.co.uk"));
    assert_eq!(registrable_domain(&url("http://[::1]/")), None);
}

#[test]
fn a_key_is_the_same_for_the_same_page() {
    for (text, key) in [
        ("HTTPS://EX.com:443/a/../b/./c?#f", "https://ex.com/b/c"),
        ("https://ex.com./a", "https://ex.com/a"),
        ("https://ex.com/%7euser/%41%2f%2F%zz%", "https://ex.com/~user/A%2F%2F%25zz%25"),
        ("https://ex.com?b=1&a=%3d", "https://ex.com/?b=1&a=%3D"),
        ("https://u:p@ex.com/", "https://ex.com/"),
        ("https://ex.com/%%32e", "https://ex.com/%252e"),
        ("http://ex.com:8080/\u{e9}%e", "http://ex.com:8080/%C3%A9%25e"),
    ] {
        assert_eq!(UrlKey::new(&url(text)).as_str(), key, "{text}");
    }
    for (text, key) in [
        ("https://ex.com/?UTM_Source=x&a=1&gclid=2", "https://ex.com/?a=1"),
        ("https://ex.com/?utm_source=x", "https://ex.com/"),
        ("https://ex.com/?utm=x", "https://ex.com/?utm=x"),
    ] {
        assert_eq!(UrlKey::without_tracking(&url(text)).as_str(), key, "{text}");
    }
}

#[test]
fn a_maze_is_told_by_its_urls() {
    let deep = |count: usize| (0..count).map(|n| format!("/s{n}")).collect::<String>();
    let same = |count: usize| "/s".repeat(count);
    let long = |length: usize| format!("/{}", "x".repeat(length - "https://ex.com/".len()));
    for (path, trap) in [
        (deep(MAX_SEGMENTS - 1), None),
        (deep(MAX_SEGMENTS), None),
        (deep(MAX_SEGMENTS + 1), Some(Trap::TooDeep)),
        (same(MAX_REPEATS - 1), None),
        (same(MAX_REPEATS), None),
        (same(MAX_REPEATS + 1), Some(Trap::Repeating)),
        (long(MAX_URL - 1), None),
        (long(MAX_URL), None),
        (long(MAX_URL + 1), Some(Trap::TooLong)),
    ] {
        assert_eq!(Trap::of(&url(&format!("https://ex.com{path}"))), trap, "{path}");
    }
}

#[test]
fn language_tags_are_checked() {
    for good in ["en", "EN-gb", "x-default", "es-419", "zh-Hant", "zh-Hant-TW", "uk"] {
        assert!(check_hreflang(good).is_ok(), "{good}");
    }
    for (bad, meant) in [("en-UK", "en-GB"), ("jp", "ja"), ("cn", "zh"), ("cn-TW", "zh-tw"), ("en-EU", "en")]
    {
        assert!(
            check_hreflang(bad).unwrap_err().to_string().contains(&format!("{meant:?} is meant")),
            "{bad}"
        );
    }
    for bad in ["en_US", "GBR", "", "de-", "-de", "de-AT-x-y", "de-123", "xx", "eng"] {
        assert!(check_hreflang(bad).is_err(), "{bad}");
    }
}

fn alternate(language: &str, target: &str) -> Alternate {
    Alternate::new(language, url(target), LinkSource::Sitemap)
}

#[test]
fn a_return_tag_is_compared_after_parsing() {
    let page = url("https://ex.com/d/p.html");
    assert!(names_back(&page, &[alternate("en", "https://ex.com/d/p.html#x")]));
    assert!(names_back(&url("http://a.com"), &[alternate("en", "http://a.com/")]));
    assert!(!names_back(&page, &[alternate("en", "https://ex.com/d/q.html")]) && !names_back(&page, &[]));
}

#[test]
fn at_most_ten_other_domains_are_asked_once_each() {
    let site = url("https://ex.com/");
    let mut budget = ReturnBudget::new(10);
    let asked = (0..12).filter(|n| budget.admit(&site, &url(&format!("https://d{n}.org/")))).count();
    assert_eq!((asked, budget.asked()), (10, 10));
    assert!(budget.admit(&site, &url("https://d0.org/#again")), "the same page");
    assert!(!budget.admit(&site, &url("https://www.d0.org/other")));
    assert!(!budget.admit(&site, &url("https://de.ex.com/")), "the site's own domain");
}

#[test]
fn the_alternates_of_a_page_are_checked_together() {
    use HreflangProblem::{Duplicate, NoDefault, NoSelf};
    let page = url("https://ex.com/");
    let set = [alternate("en", "https://ex.com/"), alternate("x-default", "https://ex.com/")];
    assert!(check_alternates(&page, &set).is_empty() && check_alternates(&page, &[]).is_empty());
    let set = [
        alternate("de", "https://ex.com/1"),
        alternate("DE", "https://ex.com/2"),
        alternate("de", "https://ex.com/3"),
    ];
    assert_eq!(check_alternates(&page, &set), [Duplicate("DE".into()), NoSelf, NoDefault]);
}
