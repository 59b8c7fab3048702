//! Which addresses are whose, and in how many ways one can be written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use bot_etiquette_fetch::{AddressKind, AddressPolicy, AddressRefusal};
use proptest::prelude::*;
use url::Url;

/// URLs that lead to this machine, its networks, or nowhere, in the spellings that filters have been passed with.
pub(crate) const DISGUISED: [&str; 72] = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0177.1/",
    "http://00000177.0.0.1/",
    "http://127.000.000.001/",
    "http://127.255.255.254/",
    "http://127.0.0.1./",
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://１２７.０.０.１/",
    "http://127。0。0。1/",
    "http://127．0．0．1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0.0.0.1/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://admin.localhost/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::0001]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:7f00:0001]/",
    "http://[::FFFF:10.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:c0a8:1::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2001::1]/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[5f00::1]/",
    "http://10.0.0.1/",
    "http://10.1/",
    "http://167772161/",
    "http://0xa000001/",
    "http://012.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://0xc0a80001/",
    "http://169.254.169.254/",
    "http://2852039166/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://192.0.2.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
];

#[test]
fn no_spelling_of_a_private_address_passes() {
    let policy = AddressPolicy::default();
    for url in DISGUISED {
        // A spelling that is no URL at all leads nowhere either.
        if let Ok(parsed) = Url::parse(url) {
            assert!(policy.check_url(&parsed).is_err(), "{url} passed as {parsed}");
        }
    }
    let parsed = DISGUISED.iter().filter(|url| Url::parse(url).is_ok()).count();
    assert!(parsed >= 60, "only {parsed} of the spellings are URLs");
}

#[test]
fn ranges_end_where_the_registry_says() {
    use AddressKind::*;
    let rows = [
        ("0.255.255.255", Unspecified),
        ("1.0.0.0", Public),
        ("9.255.255.255", Public),
        ("10.0.0.0", Private),
        ("10.255.255.255", Private),
        ("11.0.0.0", Public),
        ("100.63.255.255", Public),
        ("100.64.0.0", Shared),
        ("100.127.255.255", Shared),
        ("100.128.0.0", Public),
        ("126.255.255.255", Public),
        ("127.0.0.0", Loopback),
        ("128.0.0.0", Public),
        ("169.253.255.255", Public),
        ("169.254.0.0", LinkLocal),
        ("169.255.0.0", Public),
        ("172.15.255.255", Public),
        ("172.16.0.0", Private),
        ("172.31.255.255", Private),
        ("172.32.0.0", Public),
        ("191.255.255.255", Public),
        ("192.0.0.0", Reserved),
        ("192.0.1.0", Public),
        ("192.0.2.255", Documentation),
        ("192.0.3.0", Public),
        ("192.88.99.1", Translated),
        ("192.167.255.255", Public),
        ("192.168.0.0", Private),
        ("192.169.0.0", Public),
        ("198.17.255.255", Public),
        ("198.18.0.0", Benchmarking),
        ("198.19.255.255", Benchmarking),
        ("198.20.0.0", Public),
        ("198.51.100.0", Documentation),
        ("203.0.113.255", Documentation),
        ("223.255.255.255", Public),
        ("224.0.0.0", Multicast),
        ("239.255.255.255", Multicast),
        ("240.0.0.0", Reserved),
        ("::", Unspecified),
        ("::1", Loopback),
        ("::2", Reserved),
        ("::ffff:8.8.8.8", Public),
        ("::ffff:192.168.0.1", Private),
        ("64:ff9b::8.8.8.8", Translated),
        ("64:ff9b:1:ffff::", Translated),
        ("64:ff9b:2::", Reserved),
        ("1fff:ffff::", Reserved),
        ("2000::", Public),
        ("2001::", Translated),
        ("2001:1::", Reserved),
        ("2001:2::", Benchmarking),
        ("2001:1ff:ffff::", Reserved),
        ("2001:200::", Public),
        ("2001:db7::", Public),
        ("2001:db8:ffff::", Documentation),
        ("2001:db9::", Public),
        ("2002::", Translated),
        ("2003::", Public),
        ("2606:4700::1111", Public),
        ("3ffe::", Public),
        ("3fff:0fff::", Documentation),
        ("4000::", Reserved),
        ("fbff::", Reserved),
        ("fc00::", Private),
        ("fdff::", Private),
        ("fe00::", Reserved),
        ("fe80::", LinkLocal),
        ("fec0::", Private),
        ("ff00::", Multicast),
    ];
    for (address, wanted) in rows {
        assert_eq!(AddressKind::of(address.parse().unwrap()), wanted, "{address}");
    }
}

#[test]
fn a_policy_opens_only_what_it_is_asked_to() {
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    let rows = [
        (AddressPolicy::default(), ["8.8.8.8"].as_slice()),
        (AddressPolicy::default().allow_loopback(), &["8.8.8.8", "127.0.0.1", "::1", "::ffff:127.0.0.1"]),
        (AddressPolicy::default().allow_private(), &["8.8.8.8", "10.0.0.1", "fd00::1"]),
        (AddressPolicy::loopback_only(), &["127.0.0.1", "::1", "::ffff:127.0.0.1"]),
    ];
    let all = [
        "8.8.8.8",
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "10.0.0.1",
        "fd00::1",
        "169.254.169.254",
        "fe80::1",
        "100.64.0.1",
        "0.0.0.0",
        "64:ff9b::7f00:1",
    ];
    for (policy, open) in rows {
        for address in all {
            assert_eq!(policy.check_ip(ip(address)).is_ok(), open.contains(&address), "{policy:?} {address}");
        }
    }
}

#[test]
fn urls_are_refused_with_their_reason() {
    let check = |url: &str| AddressPolicy::default().check_url(&Url::parse(url).unwrap());
    assert_eq!(check("https://example.com/"), Ok(()));
    assert_eq!(check("https://example.com:443/"), Ok(()));
    assert_eq!(check("http://example.com:443/"), Ok(()));
    assert_eq!(check("https://example.com:8443/"), Err(AddressRefusal::Port { port: 8443 }));
    assert_eq!(check("http://example.com:22/"), Err(AddressRefusal::Port { port: 22 }));
    assert_eq!(check("ftp://example.com/"), Err(AddressRefusal::Scheme { scheme: "ftp".into() }));
    assert_eq!(check("data:text/plain,x"), Err(AddressRefusal::Scheme { scheme: "data".into() }));
    assert_eq!(check("https://user@example.com/"), Err(AddressRefusal::Credentials));
    assert_eq!(check("https://:pass@example.com/"), Err(AddressRefusal::Credentials));
    assert_eq!(check("http://a.localhost./"), Err(AddressRefusal::LocalName { name: "a.localhost".into() }));
    let gis = AddressPolicy::default().allow_port(6443);
    assert!(gis.check_socket("8.8.8.8:6443".parse().unwrap()).is_ok());
    assert!(gis.check_socket("8.8.8.8:6444".parse().unwrap()).is_err());
}

#[cfg(feature = "serde")]
#[test]
fn policies_and_limits_are_read_from_their_keys() {
    use bot_etiquette_fetch::{FetchLimits, OverLimit, RedirectPolicy};
    let limits: FetchLimits =
        serde_json::from_str(r#"{"total": 1.5, "wire_bytes": 5, "over_limit": "cut"}"#).unwrap();
    let wanted = FetchLimits::default().total(std::time::Duration::from_millis(1500)).wire_bytes(5);
    assert_eq!(limits, wanted.over_limit(OverLimit::Cut));
    let stored = serde_json::to_string(&limits).unwrap();
    assert_eq!(serde_json::from_str::<FetchLimits>(&stored).unwrap(), limits);
    assert!(serde_json::from_str::<FetchLimits>(r#"{"total": -1}"#).unwrap_err().to_string().contains("-1"));
    let policy: AddressPolicy = serde_json::from_str(r#"{"ports": [80, 443, 6443]}"#).unwrap();
    assert_eq!(policy, AddressPolicy::default().allow_port(6443));
    assert!(
        serde_json::from_str::<RedirectPolicy>(r#"{"limits": 3}"#)
            .unwrap_err()
            .to_string()
            .contains("limits")
    );
}

proptest! {
    /// The slow model: the ranges as prefixes, in any order.
    #[test]
    fn ipv4_agrees_with_a_list_of_prefixes(bits in any::<u32>(), near in 0_usize..16, offset in -2_i64..3) {
        let prefixes: [(u32, u32); 16] = [
            (0, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
            (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
            (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4), (0xffff_ffff, 32),
        ];
        let edge = i64::from(prefixes[near].0) + offset;
        for bits in [bits, edge.clamp(0, i64::from(u32::MAX)) as u32] {
            let special = prefixes.iter().any(|(prefix, length)| bits.checked_shr(32 - length) == prefix.checked_shr(32 - length));
            let address = Ipv4Addr::from(bits);
            prop_assert_eq!(AddressKind::of(address.into()) == AddressKind::Public, !special, "{}", address);
            prop_assert_eq!(AddressKind::of(address.to_ipv6_mapped().into()), AddressKind::of(address.into()));
        }
    }

    #[test]
    fn ipv6_is_public_only_within_2000_3(bits in any::<u128>()) {
        let address = Ipv6Addr::from(bits);
        if AddressKind::of(address.into()) == AddressKind::Public && address.to_ipv4_mapped().is_none() {
            prop_assert_eq!(bits >> 125, 1, "{}", address);
        }
    }
}
