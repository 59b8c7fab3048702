use bot_etiquette_feed::{Event, Note, PriceKind};

use crate::{description, only, title};

fn json(members: &str) -> Event {
    only("json", format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",{members}}}]}}").as_bytes()).0
}

#[test]
fn an_article_behind_a_name_comes_to_its_front() {
    for (town, expected) in [
        ("Tiemblo (El)", "El Tiemblo"),
        ("Navas del Marqués (Las)", "Las Navas del Marqués"),
        ("Madrid (Centro)", "Madrid (Centro)"),
    ] {
        let event = json(&format!("\"place\":{{\"town\":\"{town}\"}}"));
        assert_eq!(event.place().city.as_deref(), Some(expected));
    }
}

#[test]
fn prices_in_words() {
    for (price, kind) in [
        ("General: 18,36 €", PriceKind::Euros(18.36)),
        ("Desde 17,50 €", PriceKind::From(17.5)),
        ("5  euros", PriceKind::Euros(5.0)),
        ("1.200 €", PriceKind::Euros(1200.0)),
        ("Adultos 10 €, niños 5 €", PriceKind::From(5.0)),
        ("Gratuito", PriceKind::Free),
        ("Entrada libre hasta completar aforo", PriceKind::Free),
        ("Gratuita. Se celebrará en la Plaza Mayor.", PriceKind::Free),
        ("Consultar", PriceKind::Unknown),
        ("Actividad gratuita", PriceKind::Free),
        ("Gratuito, no hace falta reserva", PriceKind::Free),
        ("No hace falta entrada: gratis", PriceKind::Free),
        ("Entrada lliure. Gratuït", PriceKind::Free),
        ("Free entry", PriceKind::Free),
        ("kostenlos", PriceKind::Free),
        ("No es gratuito", PriceKind::Unknown),
        ("No gratuito", PriceKind::Unknown),
        ("Actividad no gratuita", PriceKind::Unknown),
        ("La entrada no es gratuita.", PriceKind::Unknown),
        ("No es una actividad gratuita", PriceKind::Unknown),
        ("Gratuito: no", PriceKind::Unknown),
        ("No es gratis; gratis para socios", PriceKind::Unknown),
        ("Sin entrada libre", PriceKind::Unknown),
        ("no gratuït", PriceKind::Unknown),
        ("not free", PriceKind::Unknown),
        ("This isn't free", PriceKind::Unknown),
        ("non gratuit", PriceKind::Unknown),
        ("Ce n'est pas gratuit", PriceKind::Unknown),
        ("nicht kostenlos", PriceKind::Unknown),
        ("não gratuito", PriceKind::Unknown),
        ("Freestyle", PriceKind::Unknown),
    ] {
        let event = json(&format!("\"price\":\"{price}\""));
        assert_eq!(event.price().map(|price| price.kind), Some(kind), "{price}");
    }
    assert!(json("\"price\":\"\"").price().is_none(), "silence is not free");
    for (price, kind) in [("Consultar", PriceKind::Free), ("No gratuito", PriceKind::Unknown)] {
        let event = json(&format!("\"free\":1,\"price\":\"{price}\""));
        assert_eq!(event.price().map(|price| price.kind), Some(kind), "{price}");
    }
}

#[test]
fn html_becomes_text() {
    for (html, text) in [
        ("&iexcl;Hola!", "¡Hola!"),
        ("<p>a</p>\\n<p>b</p>", "a\nb"),
        ("a<script>persona()</script>b<style>x{}</style>c", "abc"),
        ("1 < 2 <b>y</b> 3 > 2", "1 < 2 y 3 > 2"),
        ("<a href='https://x.example/?a>b'>enlace</a> <!-- nota -->fin", "enlace fin"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("x <a href=\\\"y", "x"),
    ] {
        let event = json(&format!("\"text\":\"{html}\""));
        assert_eq!(description(&event), text, "{html}");
    }
}

#[test]
fn a_title_is_decoded_where_the_map_says_so() {
    let (event, _) = only("json", br#"{"items":[{"id":1,"title":"Fet\u00e9n &amp; amigos "}]}"#);
    assert_eq!(title(&event), "Fetén & amigos");
}

#[test]
fn texts_are_in_one_normal_form() {
    let (event, _) =
        only("json", "{\"items\":[{\"id\":1,\"title\":\"Cafe\u{301}  col·lecció\u{a0}x\"}]}".as_bytes());
    assert_eq!(title(&event), "Café col·lecció x");
}

#[test]
fn the_scheme_of_a_key_does_not_count() {
    let key = |id: &str| {
        only("json", format!("{{\"items\":[{{\"id\":\"{id}\",\"title\":\"A\"}}]}}").as_bytes())
            .0
            .key()
            .clone()
    };
    assert_eq!(key("http://x.example/1"), key("https://x.example/1"));
    assert_ne!(key("https://x.example/1"), key("https://x.example/2"));
}

#[test]
fn pictures_are_never_linked() {
    for url in [
        "https://x.example/a.jpg",
        "https://x.example/a.PNG?w=1",
        "data:image/png;base64,AAAA",
        "javascript:x()",
        "ftp://x.example/",
    ] {
        assert!(json(&format!("\"url\":\"{url}\"")).link().is_none(), "{url}");
    }
}

#[test]
fn tags_of_the_publisher_alone_are_left_out() {
    let event = json("\"tags\":[\"000 Agenda\",\"Música\",\"\",\"Música\"]");
    let categories: Vec<_> = event.categories().iter().map(|category| category.as_str()).collect();
    assert_eq!(categories, ["Música"]);
}

#[test]
fn a_point_is_one_in_whatever_order_it_is_written() {
    let map = include_str!("../fixtures/json.toml")
        .replace("latitude = [", "latitude = [\"geometry/coordinates[1]\", ")
        .replace("longitude = [", "longitude = [\"geometry/coordinates[0]\", ");
    for place in [
        r#""place":{"position":[40.4,-4.5]}"#,
        r#""place":{"lon":-4.5,"lat":40.4}"#,
        r#""place":{"lon":"-4.5","lat":"40.4"}"#,
        r#""place":{"point":"40.4,-4.5"}"#,
        r#""geometry":{"type":"Point","coordinates":[-4.5,40.4]}"#,
    ] {
        let (event, _) =
            only(&map, format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",{place}}}]}}").as_bytes());
        assert_eq!(event.place().point, Some((40.4, -4.5)), "{place}");
    }
}

#[test]
fn a_point_may_have_decimal_commas_where_they_are_clear() {
    for (written, point) in [
        ("41.54,2.44", Some((41.54, 2.44))),
        ("41.54 2.44", Some((41.54, 2.44))),
        ("41.54;2.44", Some((41.54, 2.44))),
        ("41.54, 2.44, 120", Some((41.54, 2.44))),
        ("41,54 , 2,44", Some((41.54, 2.44))),
        ("41,54, 2,44", Some((41.54, 2.44))),
        ("41,54; -2,44", Some((41.54, -2.44))),
        ("41,54 2,44", Some((41.54, 2.44))),
        ("41,54,2,44", Some((41.54, 2.44))),
        ("41,2", Some((41.0, 2.0))),
        ("41, 2", Some((41.0, 2.0))),
        ("41,54,2", None),
        ("41,54 2", None),
        ("41.54,2,44", None),
        ("41,54 2,4,4", None),
        ("41", None),
        ("0,0", None),
    ] {
        let text =
            format!("{{\"items\":[{{\"id\":1,\"title\":\"A\",\"place\":{{\"point\":\"{written}\"}}}}]}}");
        let (event, report) = only("json", text.as_bytes());
        assert_eq!(event.place().point, point, "{written}");
        assert_eq!(report.notes.contains(Note::BadPoint), point.is_none(), "{written}");
    }
}

#[test]
fn links_are_kept_as_published_without_personal_data() {
    for (url, kept) in [
        (
            "http://www.madrid.es/sites/v/index.jsp?vgnextoid=1&x=2",
            Some("http://www.madrid.es/sites/v/index.jsp?vgnextoid=1&x=2"),
        ),
        ("https://x.example/a?b=1&email=p@e.org&c=2", Some("https://x.example/a?b=1&c=2")),
        ("https://persona:secret@x.example/a", Some("https://x.example/a")),
        ("https://wa.me/34600123456", None),
        ("https://api.whatsapp.com/send?phone=34600123456", None),
        ("tel:+34913184733", None),
        ("mailto:p@example.org", None),
    ] {
        assert_eq!(json(&format!("\"url\":\"{url}\"")).link().map(|link| link.as_str()), kept, "{url}");
    }
    let event = json("\"text\":\"<a href='mailto:p@example.org'>escr\u{ed}benos</a>\"");
    assert_eq!(description(&event), "escr\u{ed}benos");
}
