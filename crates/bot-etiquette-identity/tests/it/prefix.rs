use bot_etiquette_identity::{Prefix, PrefixError};
use proptest::prelude::*;

#[test]
fn blocks_are_read_and_written_in_one_form() {
    for (text, wanted) in [
        ("198.51.100.0/24", "198.51.100.0/24"),
        ("198.51.100.7", "198.51.100.7/32"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("2001:DB8::/32", "2001:db8::/32"),
        ("::1", "::1/128"),
        ("::/0", "::/0"),
    ] {
        assert_eq!(text.parse::<Prefix>().unwrap().to_string(), wanted);
    }
    for (text, says) in [
        ("", "expected an IP address"),
        ("example.com", "expected an IP address"),
        ("198.51.100.0/", "at most 32"),
        ("198.51.100.0/33", "at most 32"),
        ("198.51.100.0/+8", "at most 32"),
        ("2001:db8::/129", "at most 128"),
        ("2001:db8::/999", "at most 128"),
        ("198.51.100.1/24", "198.51.100.0/24"),
    ] {
        let error = text.parse::<Prefix>().unwrap_err();
        assert!(error.to_string().contains(says), "{text}: {error}");
    }
    assert!(matches!("1.2.3.4/8".parse::<Prefix>(), Err(PrefixError::HostBits { .. })));
}

#[test]
fn what_is_set_aside_is_not_public() {
    let public = |text: &str| text.parse::<Prefix>().unwrap().is_public();
    for text in ["8.8.8.0/24", "1.1.1.1", "2606:4700::/32", "100.128.0.0/9", "172.32.0.0/11"] {
        assert!(public(text), "{text}");
    }
    for text in [
        "10.1.0.0/16",
        "127.0.0.1",
        "100.64.0.0/10",
        "172.16.0.0/12",
        "192.168.0.0/24",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "198.51.100.7",
        "::1",
        "::",
        "fc00::/7",
        "fe80::1",
        "ff02::1",
        "2001:db8:1::/48",
        "::ffff:8.8.8.8",
        "0.0.0.0/0",
        "::/0",
        "8.0.0.0/5",
    ] {
        assert!(!public(text), "{text}");
    }
    let wide = |text: &str| text.parse::<Prefix>().unwrap().is_too_wide();
    assert!(wide("8.0.0.0/7") && !wide("8.0.0.0/8"));
    assert!(wide("2600::/23") && !wide("2600::/24"));
}

proptest! {
    #[test]
    fn a_block_holds_exactly_what_shares_its_bits(address: u32, other: u32, length in 0u8..=32) {
        let block = Prefix::of(std::net::Ipv4Addr::from(address).into(), length).unwrap();
        let same = (0..u32::from(length)).all(|bit| (address ^ other) & (1 << (31 - bit)) == 0);
        prop_assert_eq!(block.contains(std::net::Ipv4Addr::from(other).into()), same);
        prop_assert_eq!(block.to_string().parse::<Prefix>(), Ok(block));
    }

    #[test]
    fn any_text_is_a_block_or_an_error(text in ".{0,30}") {
        let _ = text.parse::<Prefix>();
    }
}
