use bot_etiquette_feed::{CleanText, EventKey, Link};
use proptest::prelude::*;

#[track_caller]
fn becomes(text: &str, expected: &str) {
    let (clean, _) = CleanText::line(text);
    assert_eq!(clean.as_str(), expected, "from {text:?}");
}

#[track_caller]
fn kept(text: &str) {
    let (clean, scrubbed) = CleanText::line(text);
    assert_eq!((clean.as_str(), scrubbed.total()), (text, 0));
}

#[test]
fn an_e_mail_address_goes_in_every_guise() {
    for address in [
        "persona@example.org",
        "persona&#64;example.org",
        "persona&#x40;example.org",
        "persona&commat;example.org",
        "persona%40example.org",
        "persona\u{FF20}example.org",
        "per\u{200B}sona@exa\u{200B}mple.org",
        "persona\u{200B}@\u{200B}example.org",
        "persona (arroba) example.org",
        "persona(at)example(punto)org",
        "persona [at] example [dot] org",
        "persona[at]example.org",
        "persona ARROBA example PUNTO org",
        "mailto:persona@example.org",
        "persona @ example.org",
        "persona @example.org",
        "persona@ example.org",
        "persona @ example . org",
        "persona@example .org",
        "persona@example. org",
        "persona(@)example.org",
        "persona [ @ ] example.org",
        "persona at example dot org",
        "persona at example.org",
        "persona At example Dot org",
        "persona @ example dot org",
        "persona arroba example . org",
        "persona arrova example punt cat",
        "persona%2540example.org",
        "persona&#64example.org",
        "\"a b\"@example.org",
        "(una persona)@example.org",
        "p e r s o n a@example.org",
        "p e r s o n a @ e x a m p l e . o r g",
        "p e r s o n a arroba example punto org",
        "ex.persona+boletin@correo.example.org",
        "\u{FF50}\u{FF45}\u{FF52}sona@example.org",
    ] {
        let (clean, scrubbed) = CleanText::line(&format!("Entrada libre {address} aforo"));
        assert_eq!(clean.as_str(), "Entrada libre aforo", "{address:?}");
        assert_eq!(scrubbed.total(), 1, "{address:?}");
    }
}

#[test]
fn handles_and_gendered_words_are_no_addresses() {
    for text in [
        "@museodelprado",
        "Síguenos en @museodelprado y @madrid",
        "tod@s l@s niñ@s",
        "100 % gratis",
        "R&B [lleno]",
        "arroba",
        "Ven a las 10 (atención)",
        "Para tod@s. Es gratis",
        "Para tod@s punto de encuentro",
        "Para niñ@s y much@s más",
        "Tickets at example.org",
        "Meet us at the museum. It opens at 8.30pm, at St. Martin",
        "Visit us at www.example.org",
        "https://x.example/night-at-the-museum.html",
        "At this point come in",
    ] {
        kept(text);
    }
}

#[test]
fn telephone_numbers_go_in_every_form() {
    for number in [
        "913184733",
        "91 376 91 97",
        "917 109 260",
        "91-588-06-65",
        "91.588.06.65",
        "91/5880665",
        "(91) 588 06 65",
        "+34 600 123 456",
        "+34600123456",
        "34 600123456",
        "0034913184733",
        "0034 913 184 733",
        "(+34) 600-123-456",
        "(34) 600123456",
        "+34\u{a0}600\u{a0}123\u{a0}456",
        "600\u{2009}123\u{2009}456",
        "6 0 0 1 2 3 4 5 6",
        "913184733 /734",
        "913184733/734",
        "91 376 91 97 y 98",
        "913184733 ext. 12",
        "+33 1 42 68 53 00",
        "+44 20 7946 0958",
        "0033 1 42 68 53 00",
        "\u{FF16}\u{FF10}\u{FF10}123456",
        "913184733ext5",
        "913184733 extensión 5",
        "913184733x5",
        "913184733-34",
        "913184733–34",
        "91-318-47-33-34",
        "600_123_456",
        "1-800-555-1234",
        "1 800 555 1234",
        "(800) 555-1234",
        "800.555.1234",
        "01 42 68 53 00",
        "01.42.68.53.00",
        "Tel. 210 123 456",
        "Teléfono: 5551234",
        "Fax: 12345678",
    ] {
        let (clean, scrubbed) = CleanText::line(&format!("Aforo limitado; {number}. Gratis"));
        assert_eq!(clean.as_str(), "Aforo limitado. Gratis", "{number:?}");
        assert!(scrubbed.phones == 1, "{number:?} {scrubbed:?}");
    }
}

#[test]
fn letters_right_beside_a_number_do_not_save_it() {
    for (text, expected) in [
        ("tlf 913184733ext5", "tlf"),
        ("Tel 913184733Madrid", "Madrid"),
        ("tlf913184733", "tlf"),
        ("Teléfono913 184 733", "Teléfono"),
        ("Llame ya913184733ó", "Llame yaó"),
        ("Sala 3tlf913184733Madrid2025", "Sala 3tlfMadrid2025"),
        ("Tel 913184733_b", "_b"),
        ("Tel/913184733", "Tel/"),
        ("foto_600123456_b", "foto__b"),
        ("DNI12345678Z", ""),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn two_numbers_beside_each_other_both_go() {
    let (clean, scrubbed) = CleanText::line("Llame 917 109 260 600 123 456 o 913184733,600123456");
    assert_eq!((clean.as_str(), scrubbed.phones), ("Llame o,", 4));
    let (clean, scrubbed) = CleanText::line("Llame 913184733-913184734");
    assert_eq!((clean.as_str(), scrubbed.phones), ("Llame -", 2));
}

#[test]
fn figures_that_are_no_numbers_of_people_stay() {
    for text in [
        "ISBN 978-84-376-0494-7",
        "ISBN 978 84 376 0494 7",
        "40.37691447788016",
        "-3.711678700",
        "3,711678700",
        "28009",
        "2025-2026",
        "10.00 a 13.30",
        "20.000 euros",
        "600.000.000 euros",
        "600 000 000 €",
        "id 12546355",
        "900 años",
        "2025-10-25 19:00:00.0",
        "25/10/2025 - 28/10/2025",
        "1285621034470",
        "De 10:00 a 14:00 y de 16:00 a 20:00",
        "+18 años",
        "https://www.madrid.es/?vgnextoid=51f73efea2652910VgnVCM1000001d4a900aRCRD",
        "Calle 30, 28001 Madrid 2025",
        "12546355 y 3",
        "8/10/2025 - 28/10/2025",
        "Del 1/9/2025 - 30/10/2025",
        "10/8/2025 28/10/2025",
        "8/10/25 - 28/10/25",
        "Aforo 90 8/10/2025",
        "ISBN 84-376-0494-X",
        "ISBN 843760494X",
        "ISBN978-84-376-0494-7",
        "978-84-376-0494-7",
        "600000000euros",
        "6f9619ff-8b86-d011-b42d-912345678abc",
        "https://www.madrid.es/?vgnextoid=51f73efea912345678VgnVCM1000001d4a900aRCRD",
        "20251025T190000Z",
        "A6 28660123",
        "Teléfono 010, de 9:00 a 21:00",
    ] {
        kept(text);
    }
}

#[test]
fn identity_and_account_numbers_go() {
    for (text, expected) in [
        ("Titular 12345678Z", "Titular"),
        ("DNI 12345678Z", ""),
        ("dni: 12.345.678-Z", ""),
        ("NIE X1234567L", "NIE"),
        ("NIE X-1234567-L", "NIE"),
        ("Cuenta ES91 2100 0418 4502 0005 1332 fin", "Cuenta fin"),
        ("ES9121000418450200051332", ""),
        ("GB82 WEST 1234 5698 7654 32", ""),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn links_that_write_or_call_go() {
    for (text, expected) in [
        ("Escribe https://wa.me/34600123456 ya", "Escribe ya"),
        ("https://api.whatsapp.com/send?phone=34600123456", ""),
        ("tel:+34913184733", ""),
        ("Escribe a https://wa.me/message/ABCDEF ya", "Escribe a ya"),
        ("https://api.whatsapp.com/message/ABCDEF", ""),
        ("sms:5757", ""),
        ("whatsapp://send?phone=34600123456", ""),
        ("https://x.example/?email=p@e.org", "https://x.example/?email="),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn a_link_hides_no_number_and_a_key_no_address_in_full_width() {
    let (link, scrubbed) = Link::parse("https://x.example/?id=7&q=%EF%BC%96%EF%BC%90%EF%BC%90123456");
    assert_eq!(link.as_ref().map(Link::as_str), Some("https://x.example/?id=7"));
    assert_eq!(scrubbed.links, 1);
    assert_eq!(EventKey::new("town", "persona\u{FF20}example.org"), None);
}

#[test]
fn the_words_that_announce_a_number_go_with_it() {
    for (text, expected) in [
        ("Visita. Información: persona@example.org.", "Visita."),
        ("Gratis. Tlfonos: 913184733 /734.", "Gratis."),
        ("Gratis (913184733). Fin", "Gratis. Fin"),
        ("Gratis. Teléfono: 913184733 Correo electrónico: p@example.org. Fin", "Gratis. Fin"),
        ("Tel.: 913184733", ""),
    ] {
        becomes(text, expected);
    }
}

#[test]
fn what_comes_together_when_something_goes_is_found_too() {
    let (clean, scrubbed) = CleanText::line("91 p@example.org 376 91 97");
    assert_eq!((clean.as_str(), scrubbed.emails, scrubbed.phones), ("", 1, 1));
}

#[test]
fn debug_shows_a_length_and_no_text() {
    let (clean, _) = CleanText::line("Concierto");
    assert_eq!(format!("{clean:?}"), "CleanText(9 bytes)");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test measures real time")]
fn cleaning_is_linear_on_evil_shapes() {
    for unit in [
        "@",
        "a@",
        "a.",
        "6 ",
        "91 ",
        "(arroba)",
        "+34",
        "ES12 ",
        "tel:",
        "p@e.o ",
        "600123456,",
        "&#64;",
        "% 40",
        "wa.me/",
        "a @ ",
        "\u{FF20}",
        "1.",
        "[at]a",
        " at a.b",
        "a at ",
        "a ",
        "\"a@",
        ")@a.bc",
        "a@s . ",
        "600_",
        "x9",
        "tel 1",
        "tel912345678x",
        "912345678-",
        "1/1/2025 ",
        "978-",
        "arrob",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        let started = std::time::Instant::now();
        let (clean, _) = CleanText::line(&text);
        assert!(clean.len() <= text.len());
        assert!(started.elapsed().as_secs() < 10, "{unit:?} took {:?}", started.elapsed());
    }
}

proptest! {
    #[test]
    fn cleaning_clean_text_changes_nothing(text in "[a-c@.:/+()0-9 \u{a0}€\u{200b}\n-]{0,60}|\\PC{0,60}|(persona@x\\.org|600 123 456|tel:|Info: |, |91 |DNI 12345678Z| y |\\(|\\)|arroba|[a-z]{1,3}| ){0,12}|(persona| @|@ |\\(@\\)| at | dot | punto |example| \\. |\\.org|\"|p e r | a |tlf|913184733|-34|ext5|_123_|456|600|1-800|-555-|1234|/|2025|ó|[A-Z]| ){0,12}") {
        for clean in [CleanText::line(&text).0, CleanText::block(&text).0] {
            let again = CleanText::block(&clean);
            prop_assert_eq!((again.0.as_str(), again.1.total()), (clean.as_str(), 0));
        }
    }

    #[test]
    fn no_plain_address_and_no_plain_number_is_left(before in "[a-z ñ.,(]{0,20}", after in "[a-z ñ.,)]{0,20}") {
        let (clean, _) = CleanText::line(&format!("{before} canary.person@example.org {after} 612 345 678 {after}"));
        prop_assert!(!clean.contains("canary") && !clean.contains("345"), "{}", clean);
    }

    #[test]
    fn no_number_is_left_beside_letters(
        before in "[a-zñ .,(:]{0,20}",
        after in "[a-zñ,)]{0,6}[a-zñ .,)]{0,14}",
        number in prop::sample::select(vec!["612345678", "612 345 678", "612_345_678", "612-345-678", "61 234 56 78", "612345678-34", "612345678ext5"]),
    ) {
        // What tells a price is one.
        prop_assume!(!after.trim_start().starts_with("euro"));
        let (clean, scrubbed) = CleanText::line(&format!("{before}{number}{after}"));
        let digits = clean.chars().filter(char::is_ascii_digit).count();
        prop_assert!(digits == 0 && scrubbed.phones == 1, "{} {:?}", clean, scrubbed);
    }

    #[test]
    fn no_address_is_left_in_any_guise(
        before in "[a-zñ .,(]{0,20}",
        local in prop::sample::select(vec!["canary", "\"can ary\"", "c a n a r y"]),
        at in prop::sample::select(vec!["@", " @", "@ ", " @ ", "(@)", " arroba ", " at ", " (at) ", "&#64;"]),
        dot in prop::sample::select(vec![".", " . ", " .", " dot ", " punto ", "(dot)", "[punto]"]),
        after in "([ ,)][a-zñ .,)]{0,20})?",
    ) {
        prop_assume!(local != "\"can ary\"" || !at.starts_with(' '));
        let (clean, scrubbed) = CleanText::line(&format!("{before} {local}{at}zebra{dot}org{after}"));
        prop_assert!(scrubbed.emails > 0 && !clean.contains("zebra") && !clean.contains("ary"), "{}", clean);
    }
}

#[test]
fn a_row_of_addresses_leaves_no_row_of_blanks_and_takes_time_by_its_length() {
    let row = |times: usize| format!("before {}after", "persona@example.org ".repeat(times));
    for times in [1, 2, 3, 50_000] {
        let (text, scrubbed) = CleanText::line(&row(times));
        assert_eq!((&*text, scrubbed.emails), ("before after", times as u64));
    }
}
