//! Each limit holds at N-1, N and N+1, whichever way the body comes.

use bot_etiquette_fetch::{FetchError, FetchLimits, Fetched, Limit, OverLimit};

use crate::support::{Site, fetch, fetcher, forever, get, in_time, send, whole};

#[track_caller]
fn too_large(result: Result<Fetched, FetchError>, wanted: Limit) {
    match result {
        Err(FetchError::TooLarge { what, .. }) if what == wanted => {}
        other => panic!("expected {wanted:?}, got {other:?}"),
    }
}

fn chunked(body: &[u8]) -> Vec<crate::support::Step> {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for piece in body.chunks(7) {
        bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
        bytes.extend([piece, b"\r\n"].concat());
    }
    bytes.extend(b"0\r\n\r\n");
    vec![send(bytes)]
}

#[tokio::test]
async fn the_body_on_the_wire_is_cut_or_refused_one_byte_over() {
    const N: usize = 1000;
    for length in [N - 1, N, N + 1] {
        let body = vec![b'a'; length];
        for steps in [whole("", &body), chunked(&body)] {
            let site = Site::always(steps).await;
            let refuse = FetchLimits::default().wire_bytes(N as u64);
            let refused = fetch(refuse, &site.url("/")).await;
            if length > N {
                too_large(refused, Limit::Wire)
            } else {
                assert_eq!(refused.unwrap().body, body)
            }
            let cut = fetch(refuse.over_limit(OverLimit::Cut), &site.url("/")).await.unwrap();
            assert_eq!(cut.body.len(), length.min(N));
            assert_eq!(cut.cut, (length > N).then_some(Limit::Wire), "{length}");
        }
    }
}

#[tokio::test]
async fn a_body_after_decoding_is_cut_or_refused_one_byte_over() {
    const N: usize = 40_000;
    for length in [N - 1, N, N + 1] {
        let body: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
        for (name, coded) in crate::codings::all(&body) {
            let site = Site::always(whole(&format!("Content-Encoding: {name}\r\n"), &coded)).await;
            let refuse = FetchLimits::default().decoded_bytes(N as u64);
            let refused = fetch(refuse, &site.url("/")).await;
            if length > N {
                too_large(refused, Limit::Decoded)
            } else {
                assert_eq!(refused.unwrap().body, body)
            }
            let cut = fetch(refuse.over_limit(OverLimit::Cut), &site.url("/")).await.unwrap();
            assert_eq!(cut.body, body[..length.min(N)], "{name}");
            assert_eq!(cut.cut, (length > N).then_some(Limit::Decoded), "{name} {length}");
        }
    }
}

#[tokio::test]
async fn a_coded_body_cut_on_the_wire_gives_what_decodes() {
    // Incompressible, so that the wire is as long as the text.
    let body = noise(200_000);
    for (name, coded) in crate::codings::all(&body) {
        let site = Site::always(whole(&format!("Content-Encoding: {name}\r\n"), &coded)).await;
        let limits = FetchLimits::default().wire_bytes(150_000);
        too_large(fetch(limits, &site.url("/")).await, Limit::Wire);
        let cut = fetch(limits.over_limit(OverLimit::Cut), &site.url("/")).await.unwrap();
        assert_eq!(cut.cut, Some(Limit::Wire), "{name}");
        assert!(body.starts_with(&cut.body), "{name}");
    }
}

#[tokio::test]
async fn the_ratio_counts_above_64_kib() {
    let of = |length: usize| crate::codings::gzip(&vec![0_u8; length]);
    let limits = FetchLimits::default().ratio(100);
    for (length, refused) in [(65_536, false), (65_537, true), (1_000_000, true)] {
        let coded = of(length);
        assert!(length / coded.len() > 100);
        let site = Site::always(whole("Content-Encoding: gzip\r\n", &coded)).await;
        let result = fetch(limits, &site.url("/")).await;
        if refused { too_large(result, Limit::Ratio) } else { assert_eq!(result.unwrap().body.len(), length) }
    }
    // At the ratio itself, and one below.
    let coded = of(500_000);
    let exact = (500_000_f64 / coded.len() as f64).ceil() as u64;
    let site = Site::always(whole("Content-Encoding: gzip\r\n", &coded)).await;
    assert!(fetch(limits.ratio(exact), &site.url("/")).await.is_ok());
    too_large(fetch(limits.ratio(exact - 1), &site.url("/")).await, Limit::Ratio);
}

#[tokio::test]
async fn headers_are_refused_one_byte_over() {
    const N: usize = 10_000;
    for length in [N - 1, N, N + 1] {
        // Content-Length: 0 takes 14 + 1 + 4, the padding 1 + 4 and its value.
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: {}\r\n\r\n", "a".repeat(length - 24));
        let site = Site::always(vec![send(head)]).await;
        let result = fetch(FetchLimits::default().header_bytes(N), &site.url("/")).await;
        if length > N { too_large(result, Limit::Headers) } else { assert_eq!(result.unwrap().status, 200) }
    }
}

#[tokio::test]
async fn stacked_codings_are_refused_one_over() {
    let once = crate::codings::gzip(b"hello");
    let twice = crate::codings::gzip(&once);
    let thrice = crate::codings::gzip(&twice);
    for (names, coded, refused) in
        [("gzip", once, false), ("gzip, gzip", twice, false), ("gzip, gzip, gzip", thrice, true)]
    {
        let site = Site::always(whole(&format!("Content-Encoding: {names}\r\n"), &coded)).await;
        let result = fetch(FetchLimits::default(), &site.url("/")).await;
        if refused { too_large(result, Limit::Codings) } else { assert_eq!(result.unwrap().body, "hello") }
    }
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    noise.take(length).collect()
}

/// A stream that names a window of 2^`log` bytes.
fn brotli(text: &[u8], log: i32) -> Vec<u8> {
    let mut coded = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 5, lgwin: log, ..Default::default() };
    brotli::BrotliCompress(&mut &*text, &mut coded, &params).unwrap();
    // RFC 7932 section 9.1: the bits of a window from 18 on.
    assert_eq!(i32::from(coded[0] & 0x0f), (log - 17) << 1 | 1);
    coded
}

#[tokio::test]
async fn a_window_too_large_ends_the_body_where_it_begins_to_matter() {
    const N: usize = (1 << 20) - 16;
    let refuse = FetchLimits::default().window_bytes(1 << 20);
    for length in [N - 1, N, N + 1, 2 * N] {
        let text = noise(300_000).repeat(8)[..length].to_vec();
        let site = Site::always(whole("Content-Encoding: br\r\n", &brotli(&text, 24))).await;
        let result = fetch(refuse, &site.url("/")).await;
        if length > N {
            too_large(result, Limit::Window)
        } else {
            assert_eq!(result.unwrap().body, text)
        }
        let cut = fetch(refuse.over_limit(OverLimit::Cut), &site.url("/")).await.unwrap();
        assert!(cut.body == text[..length.min(N)], "{length}");
        assert_eq!(cut.cut, (length > N).then_some(Limit::Window), "{length}");
    }
    // A window that is allowed is no bound on the length, one bit less or more of the limit is.
    let text = noise(900_000).repeat(3);
    let site = Site::always(whole("Content-Encoding: br\r\n", &brotli(&text, 20))).await;
    assert!(fetch(refuse, &site.url("/")).await.unwrap().body == text);
    assert!(fetch(refuse.window_bytes((2 << 20) - 1), &site.url("/")).await.unwrap().body == text);
    too_large(fetch(refuse.window_bytes((1 << 20) - 1), &site.url("/")).await, Limit::Window);
}

#[tokio::test]
async fn the_largest_window_is_kept_when_it_is_asked_for() {
    let said = noise(100_000);
    let text = [&*said, &vec![0; 10 << 20], &said].concat();
    let coded = brotli(&text, 24);
    assert!(coded.len() < 150_000, "it refers back by ten megabytes");
    let site = Site::always(whole("Content-Encoding: br\r\n", &coded)).await;
    let limits = FetchLimits::default();
    too_large(fetch(limits, &site.url("/")).await, Limit::Window);
    assert!(fetch(limits.window_bytes(16 << 20), &site.url("/")).await.unwrap().body == text);
}

#[tokio::test]
async fn a_zstd_window_over_the_limit_is_refused() {
    for (log, refused) in [(20, false), (21, true)] {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(log).unwrap();
        std::io::Write::write_all(&mut encoder, &vec![b'a'; 3 << 20]).unwrap();
        let coded = encoder.finish().unwrap();
        let site = Site::always(whole("Content-Encoding: zstd\r\n", &coded)).await;
        let limits = FetchLimits::default().window_bytes(1 << 20).ratio(u64::MAX);
        let result = fetch(limits, &site.url("/")).await;
        assert_eq!(matches!(result, Err(bot_etiquette_fetch::FetchError::Coding { .. })), refused, "{log}");
        assert_eq!(result.is_ok(), !refused, "{log}");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_not_drained() {
    let endless = vec![
        send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        forever(format!("4000\r\n{}\r\n", "a".repeat(0x4000))),
    ];
    for over in [OverLimit::Cut, OverLimit::Refuse] {
        let site = Site::always(endless.clone()).await;
        let fetcher = fetcher(FetchLimits::default().wire_bytes(10_000).over_limit(over));
        let answer = in_time(fetcher.fetch(get(&site.url("/")))).await;
        assert_eq!(answer.is_ok(), over == OverLimit::Cut);
        // The server cannot go on once the connection is closed; what it got rid of lay in buffers.
        let mut before = site.sent();
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
            let now = site.sent();
            if now == before {
                break;
            }
            before = now;
        }
        assert!(before < 16_000_000, "{before} bytes were taken");
        drop(fetcher);
    }
}

#[tokio::test]
async fn a_body_that_says_it_is_too_long_is_refused_unread() {
    let site =
        Site::always(vec![send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n"), forever("a")])
            .await;
    too_large(fetch(FetchLimits::default(), &site.url("/")).await, Limit::Wire);
}

#[tokio::test]
async fn a_request_brings_its_own_limits() {
    let site = Site::always(whole("", &[b'a'; 100])).await;
    let mut request = get(&site.url("/"));
    request.extensions_mut().insert(FetchLimits::default().wire_bytes(10).over_limit(OverLimit::Cut));
    let answer = in_time(fetcher(FetchLimits::default()).fetch(request)).await.unwrap();
    assert_eq!((answer.body.len(), answer.cut), (10, Some(Limit::Wire)));
}
