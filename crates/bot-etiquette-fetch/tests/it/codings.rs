//! Content codings, as they should be and as they come.

use std::io::Write;

use bot_etiquette_fetch::{FetchError, FetchLimits};
use flate2::Compression;

use crate::support::{Site, Step, fetch, fetcher, get, in_time, send, whole};

pub(crate) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn br(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    brotli::CompressorWriter::new(&mut out, 4096, 5, 22).write_all(body).unwrap();
    out
}

fn zstd(body: &[u8]) -> Vec<u8> {
    zstd::encode_all(body, 3).unwrap()
}

/// A body in each coding, with the name the coding goes by.
pub(crate) fn all(body: &[u8]) -> [(&'static str, Vec<u8>); 8] {
    [
        ("gzip", gzip(body)),
        ("X-GZIP", gzip(body)),
        ("deflate", zlib(body)),
        ("deflate", raw_deflate(body)),
        ("br", br(body)),
        ("zstd", zstd(body)),
        ("br, gzip", gzip(&br(body))),
        ("zstd, identity, deflate", zlib(&zstd(body))),
    ]
}

async fn coded(name: &str, body: &[u8]) -> Result<bot_etiquette_fetch::Fetched, FetchError> {
    let site = Site::always(whole(&format!("Content-Encoding: {name}\r\n"), body)).await;
    fetch(FetchLimits::default(), &site.url("/")).await
}

#[tokio::test]
async fn every_coding_is_undone_and_its_fields_taken_out() {
    let body: Vec<u8> = (0..100_000_u32).flat_map(|n| (n.wrapping_mul(n) / 7).to_le_bytes()).collect();
    for (name, bytes) in all(&body) {
        let answer = coded(name, &bytes).await.unwrap();
        assert_eq!(answer.body, body, "{name}");
        assert_eq!(answer.wire_bytes, bytes.len() as u64);
        assert!(!answer.headers.contains_key("content-encoding"), "{name}");
        assert!(!answer.headers.contains_key("content-length"), "{name}");
    }
}

#[tokio::test]
async fn what_fills_a_buffer_exactly_is_not_lost() {
    for length in [16_383, 16_384, 16_385, 32_768, 49_152] {
        let body: Vec<u8> = (0..length as u32).map(|n| (n.wrapping_mul(n) >> 7) as u8).collect();
        for (name, bytes) in all(&body) {
            assert_eq!(coded(name, &bytes).await.unwrap().body, body, "{name} {length}");
        }
    }
}

#[tokio::test]
async fn a_coded_body_may_come_a_byte_at_a_time() {
    let body = b"one byte after the other, and every decoder keeps its place".repeat(20);
    for (name, bytes) in all(&body) {
        let mut steps = vec![send(format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {name}\r\nTransfer-Encoding: chunked\r\n\r\n"
        ))];
        for byte in bytes {
            steps.push(send([b"1\r\n", &[byte][..], b"\r\n"].concat()));
        }
        steps.push(send("0\r\n\r\n"));
        let site = Site::always(steps).await;
        assert_eq!(fetch(FetchLimits::default(), &site.url("/")).await.unwrap().body, body, "{name}");
    }
}

#[tokio::test]
async fn gzip_members_and_zstd_frames_follow_one_another() {
    let two = |coder: fn(&[u8]) -> Vec<u8>| [coder(b"one "), coder(b"two")].concat();
    assert_eq!(coded("gzip", &two(gzip)).await.unwrap().body, "one two");
    assert_eq!(coded("zstd", &two(zstd)).await.unwrap().body, "one two");
}

#[tokio::test]
async fn an_empty_body_needs_no_coding() {
    for name in ["gzip", "deflate", "br", "zstd", "br, gzip"] {
        assert_eq!(coded(name, b"").await.unwrap().body, "", "{name}");
    }
}

#[tokio::test]
async fn what_cannot_be_undone_is_an_error_of_its_own() {
    let body = b"some text that is long enough to be cut in the middle of its coding".repeat(30);
    for (name, bytes) in all(&body) {
        let cut = coded(name, &bytes[..bytes.len() / 2]).await;
        assert!(matches!(cut, Err(FetchError::Coding { .. })), "{name} cut: {cut:?}");
        let mut broken = bytes.clone();
        for byte in broken.iter_mut().skip(4) {
            *byte = !*byte;
        }
        let broken = coded(name, &broken).await;
        assert!(matches!(broken, Err(FetchError::Coding { .. })), "{name} broken: {broken:?}");
    }
    for name in ["compress", "aes128gcm", "gzip, rot13", "gzip;q=1"] {
        let unknown = coded(name, &body).await;
        let Err(FetchError::Coding { coding, .. }) = &unknown else { panic!("{name}: {unknown:?}") };
        assert_eq!(coding, name);
    }
    // A window that brotli allows only outside HTTP.
    assert!(matches!(coded("br", &[0x11, 0x1e, 0, 0, 0]).await, Err(FetchError::Coding { .. })));
    // A zstd window of 128 MiB, in the frame's header.
    assert!(matches!(
        coded("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0]).await,
        Err(FetchError::Coding { .. })
    ));
}

#[tokio::test]
async fn a_body_that_is_not_to_be_decoded_keeps_its_fields() {
    let bytes = gzip(b"hello");
    let site = Site::start(move |path| match path {
        "/part" => {
            let head = format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
                bytes.len()
            );
            vec![send([head.as_bytes(), &bytes].concat())]
        }
        "/head" => {
            vec![send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999999999\r\n\r\n")]
        }
        _ => whole("Content-Encoding: gzip\r\n", &bytes),
    })
    .await;
    let client = fetcher(FetchLimits::default());
    let part = in_time(client.fetch(get(&site.url("/part")))).await.unwrap();
    assert_eq!(part.headers["content-encoding"], "gzip");
    assert_eq!(part.body, gzip(b"hello"));

    let mut head = get(&site.url("/head"));
    *head.method_mut() = http::Method::HEAD;
    let head = in_time(client.fetch(head)).await.unwrap();
    assert_eq!(head.headers["content-length"], "999999999");
    assert_eq!(head.headers["content-encoding"], "gzip");

    let raw = fetch(FetchLimits::default().decode(false), &site.url("/")).await.unwrap();
    assert_eq!(raw.headers["content-encoding"], "gzip");
    assert_eq!(raw.body, gzip(b"hello"));
}

#[tokio::test]
async fn answers_without_a_body_have_none() {
    for status in ["204 No Content", "304 Not Modified"] {
        let site = Site::always(vec![
            send(format!("HTTP/1.1 {status}\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n")),
            Step::Silence,
        ])
        .await;
        assert_eq!(fetch(FetchLimits::default(), &site.url("/")).await.unwrap().body, "", "{status}");
    }
}
