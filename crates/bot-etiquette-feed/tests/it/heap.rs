//! What no path leads to stays in the read window, which is overwritten: no copy of it is anywhere else.
//!
//! The process looks into its own memory, which needs a process of its own: each test starts this binary again.
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use bot_etiquette_feed::Feed;

use crate::map;

/// The marker, masked so that the memory holds it where it was planted alone.
const MARKER: [u8; 12] = *b"9;4;(#w\"1m+?";
const MASK: u8 = 0x5A;
/// How often it is written in one value: a copy of the value is longer than what a register leaves on the stack.
const TIMES: usize = 24;
/// Bytes of a marked value.
const LENGTH: usize = MARKER.len() * TIMES;
/// What the child is told.
const CHILD: &str = "BOT_ETIQUETTE_FEED_HEAP";

/// The ways an address is written; `*` stands for the marker.
const GUISES: [&str; 12] = [
    "*@example.org",
    "*&#64;example.org",
    "*&#x40;example.org",
    "*&commat;example.org",
    "*%40example.org",
    "*\u{FF20}example.org",
    "*\u{200B}@example.org",
    "* (arroba) example.org",
    "*[at]example.org",
    "* ARROBA example PUNTO org",
    "<b>*</b>@example.org",
    "<a href='mailto:*@example.org'>*</a>",
];

/// How often the marker stands in the writable memory of this process, `except` left out.
fn copies(except: &[&[u8]]) -> usize {
    let mut memory = File::open("/proc/self/mem").expect("one's own memory");
    let mut block = vec![0_u8; 1 << 20];
    let maps = BufReader::new(File::open("/proc/self/maps").expect("one's own maps"));
    let lines: Vec<String> = maps.lines().map(|line| line.expect("text")).collect();
    let mut copies = 0;
    for line in &lines {
        let mut words = line.split_whitespace();
        let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
        if !rights.starts_with("rw") || line.ends_with("[vvar]") || line.ends_with("[vsyscall]") {
            continue;
        }
        let (start, end) = range.split_once('-').expect("a range");
        let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).expect("an address"));
        let mut at = start;
        while at < end {
            let length = usize::try_from(end - at).expect("a length").min(block.len());
            memory.seek(SeekFrom::Start(at)).expect("a place");
            let Ok(read) = memory.read(&mut block[..length]) else { break };
            if read < LENGTH {
                break;
            }
            let block_at = block.as_ptr() as u64;
            for found in memchr::memchr_iter(MARKER[0] ^ MASK, &block[..read]) {
                let place = at + found as u64;
                let own = (block_at..block_at + block.len() as u64).contains(&place);
                let known = except.iter().any(|known| {
                    (known.as_ptr() as u64..known.as_ptr() as u64 + known.len() as u64).contains(&place)
                });
                let fits = block[found..read].len() >= LENGTH
                    && MARKER
                        .iter()
                        .cycle()
                        .zip(&block[found..][..LENGTH])
                        .all(|(masked, byte)| masked ^ MASK == *byte);
                copies += usize::from(fits && !own && !known);
            }
            // A marker over the edge of two blocks is found in the second.
            at += read as u64
                - if read == length && at + (length as u64) < end { LENGTH as u64 - 1 } else { 0 };
        }
    }
    // The looking leaves no copies of its own.
    block.fill(0);
    std::hint::black_box(&block);
    copies
}

/// Writes `text` into `window`, the marker for each `*`.
fn plant(window: &mut Vec<u8>, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'*' => MARKER.iter().cycle().take(LENGTH).for_each(|masked| window.push(masked ^ MASK)),
            byte => window.push(byte),
        }
    }
}

/// One record with the marker in every place that no path leads to, or without it.
fn record(window: &mut Vec<u8>, format: &str, id: usize, marked: bool) {
    let guise = if marked { GUISES[id % GUISES.len()] } else { "nobody at all" };
    for part in parts(format) {
        match *part {
            "ID" => plant(window, &id.to_string()),
            "MARK" => plant(window, guise),
            text => plant(window, text),
        }
    }
}

fn parts(format: &str) -> &'static [&'static str] {
    match format {
        "json" => &[
            "{\"mail\":\"",
            "MARK",
            "\",\"id\":",
            "ID",
            ",\"title\":\"A\",\"deep\":{\"title\":[\"",
            "MARK",
            "\"],\"",
            "MARK",
            "\":1}},",
        ],
        "xml" => &[
            "<event id='",
            "ID",
            "' mail=\"",
            "MARK",
            "\"><title>A</title><email><![CDATA[",
            "MARK",
            "]]></email><!-- ",
            "MARK",
            " --><attr name='tel'>",
            "MARK",
            "</attr></event>",
        ],
        "icalendar" => &[
            "BEGIN:VEVENT\r\nUID:",
            "ID",
            "\r\nATTENDEE;CN=\"",
            "MARK",
            "\":mailto:",
            "MARK",
            "\r\nX-",
            "MARK",
            ":1\r\nSUMMARY:A\r\nBEGIN:VALARM\r\nSUMMARY:",
            "MARK",
            "\r\n  ",
            "MARK",
            "\r\nEND:VALARM\r\nEND:VEVENT\r\n",
        ],
        _ => &["ID", ";\"", "MARK", "\";A\n"],
    }
}

/// Records of the feed; those in the middle are marked.
const RECORDS: usize = 4_000;
const MARKED: std::ops::Range<usize> = 0..2_000;

/// The child: reads a feed with markers in its middle, and looks for them when the window has long gone on.
fn child(format: &str) {
    let map = map(if format == "icalendar" { crate::icalendar::MAP } else { format });
    let mut feed = Feed::new(&map);
    let mut window: Vec<u8> = Vec::with_capacity(80 * 1024);
    plant(
        &mut window,
        match format {
            "json" => "{\"items\":[",
            "xml" => "<list>",
            "icalendar" => "BEGIN:VCALENDAR\r\n",
            _ => "ID;MAIL;TITLE\n",
        },
    );
    let mut events = 0;
    for id in 0..RECORDS {
        record(&mut window, format, id, MARKED.contains(&id));
        if window.len() > 60 * 1024 || id + 1 == RECORDS {
            if MARKED.contains(&id) && id < MARKED.start + 200 {
                assert!(copies(&[]) > 0, "a marker in the window is found");
            }
            feed.push(&window);
            // The window is the caller's, and its to wipe.
            window.fill(0);
            window.clear();
            while let Some(event) = feed.next_event() {
                drop(event);
                events += 1;
            }
        }
    }
    feed.finish();
    let _ = feed.report();
    // What the last window still holds goes with the feed.
    drop(feed);
    assert_eq!(copies(&[]), 0, "{format}: the markers are gone with the window, of {events} events");
    assert!(events > RECORDS - 100);
    let mut kept = Vec::new();
    plant(&mut kept, "*");
    assert_eq!((copies(&[]), copies(&[&kept])), (1, 0), "a copy on the heap is found");
    println!("{format}: no copy is left");
}

#[track_caller]
fn nothing_is_left(test: &str, format: &str) {
    if std::env::var_os(CHILD).is_some() {
        return child(format);
    }
    let binary = std::env::current_exe().expect("this binary");
    let output = std::process::Command::new(binary)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, format)
        .output()
        .expect("a child");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("no copy is left"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn no_copy_of_unmapped_json_is_left_in_memory() {
    nothing_is_left("heap::no_copy_of_unmapped_json_is_left_in_memory", "json");
}

#[test]
fn no_copy_of_unmapped_xml_is_left_in_memory() {
    nothing_is_left("heap::no_copy_of_unmapped_xml_is_left_in_memory", "xml");
}

#[test]
fn no_copy_of_unmapped_csv_is_left_in_memory() {
    nothing_is_left("heap::no_copy_of_unmapped_csv_is_left_in_memory", "csv");
}

#[test]
fn no_copy_of_unmapped_icalendar_is_left_in_memory() {
    nothing_is_left("heap::no_copy_of_unmapped_icalendar_is_left_in_memory", "icalendar");
}
