//! A few kilobytes that unfold to many megabytes cost a few megabytes.

use std::{io::Write, process::Command, time::Duration};

use bot_etiquette_fetch::{FetchError, FetchLimits, OverLimit};
use bytes::Bytes;
use flate2::Compression;
use http_body_util::BodyExt;

use crate::support::{Site, fetcher, get, in_time, whole};

const SIZE: usize = 32 << 20;
const BUDGET_KIB: u64 = 16 * 1024;

fn zeros(mut sink: impl Write) {
    let piece = vec![0_u8; 1 << 20];
    for _ in 0..SIZE >> 20 {
        sink.write_all(&piece).unwrap();
    }
}

fn bomb(coding: &str) -> Vec<u8> {
    let mut out = Vec::new();
    match coding {
        "gzip" => zeros(flate2::write::GzEncoder::new(&mut out, Compression::fast())),
        "deflate" => zeros(flate2::write::ZlibEncoder::new(&mut out, Compression::fast())),
        "br" => zeros(brotli::CompressorWriter::new(&mut out, 1 << 16, 1, 22)),
        "br 24" => zeros(brotli::CompressorWriter::new(&mut out, 1 << 16, 1, 24)),
        "zstd" => {
            let mut encoder = zstd::stream::write::Encoder::new(&mut out, 1).unwrap();
            encoder.window_log(23).unwrap();
            zeros(&mut encoder);
            encoder.finish().unwrap();
        }
        "nested br" => {
            brotli::CompressorWriter::new(&mut out, 1 << 16, 1, 24).write_all(&bomb("br 24")).unwrap()
        }
        _ => out = crate::codings::gzip(&bomb("gzip")),
    }
    out
}

/// Bombs are made and served here, and taken by a process of its own, whose memory nothing else touches.
#[tokio::test(flavor = "multi_thread")]
async fn a_bomb_costs_less_than_16_megabytes() {
    if !std::path::Path::new("/proc/self/status").exists() {
        return println!("left out: memory is read from /proc, which this system does not have");
    }
    for (coding, name) in [
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("br", "br"),
        ("br 24", "br"),
        ("zstd", "zstd"),
        ("nested", "gzip, gzip"),
        ("nested br", "br, br"),
    ] {
        let bytes = bomb(coding);
        assert!(SIZE / bytes.len() > 100, "{coding} has {} bytes", bytes.len());
        let site = Site::always(whole(&format!("Content-Encoding: {name}\r\n"), &bytes)).await;
        let url = site.url("/");
        // A window larger than allowed ends the body where it would begin to matter.
        let read = match coding {
            "br 24" => (8 << 20) - 16,
            "nested br" => (4 << 20) - 16,
            _ => 24 << 20,
        };
        let child = tokio::task::spawn_blocking(move || {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "bombs::takes_the_bomb", "--ignored", "--nocapture"])
                .env("BOMB_URL", url)
                .env("BOMB_READ", read.to_string())
                .output()
                .unwrap()
        });
        let output = tokio::time::timeout(Duration::from_secs(120), child).await.expect("it hangs").unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{coding}: {text} {}", String::from_utf8_lossy(&output.stderr));
        let rise = |what: &str| -> u64 {
            let number = text.split(&format!("{what} at ")).nth(1).and_then(|rest| rest.split(' ').next());
            number.unwrap_or_else(|| panic!("{coding}: {text}")).parse().unwrap()
        };
        let (stopped, flowing) = (rise("stopped"), rise("flowing"));
        println!(
            "{coding}: {} bytes on the wire, stopped at {stopped} KiB, flowing at {flowing} KiB",
            bytes.len()
        );
        assert!(stopped < BUDGET_KIB, "{coding}: {stopped} KiB");
        assert!(flowing < BUDGET_KIB, "{coding}: {flowing} KiB");
    }
}

#[tokio::test]
#[ignore = "run in a process of its own by a_bomb_costs_less_than_16_megabytes"]
async fn takes_the_bomb() {
    let url = std::env::var("BOMB_URL").unwrap();
    let generous = FetchLimits::default().decoded_bytes(24 << 20);
    let before = peak_kib();
    // Stopped by the ratio, by the size, and read on as it flows until the size stops it.
    let ratio = in_time(fetcher(generous).fetch(get(&url))).await.unwrap_err();
    assert!(matches!(ratio, FetchError::TooLarge { .. }), "{ratio:?}");
    let small = generous.ratio(u64::MAX).decoded_bytes(1 << 20);
    let size = in_time(fetcher(small).fetch(get(&url))).await.unwrap_err();
    assert!(matches!(size, FetchError::TooLarge { .. }), "{size:?}");
    println!("stopped at {} KiB", peak_kib() - before);
    let flowing = generous.ratio(u64::MAX).over_limit(OverLimit::Cut);
    let mut body = in_time(fetcher(flowing).send(get(&url))).await.unwrap().into_body();
    let mut read = 0_u64;
    while let Some(frame) = in_time(body.frame()).await {
        read += frame.unwrap().into_data().as_ref().map_or(0, Bytes::len) as u64;
    }
    assert_eq!(read.to_string(), std::env::var("BOMB_READ").unwrap());
    println!("flowing at {} KiB", peak_kib() - before);
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
