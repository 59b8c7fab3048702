//! Shapes that make a careless parser slow, at the size of the largest file that is read: time grows with the
//! bytes, whatever the shape.

#[cfg(feature = "arcgis")]
mod arcgis;
#[cfg(feature = "feed")]
mod feed;
#[cfg(feature = "html")]
mod html;
#[cfg(any(feature = "arcgis", feature = "lenient"))]
mod json;
#[cfg(feature = "lenient")]
mod lenient;
#[cfg(feature = "politeness")]
mod politeness;
#[cfg(feature = "robots")]
mod robots;
#[cfg(feature = "signing")]
mod signing;

use std::time::{Duration, Instant};

use bot_etiquette_fuzz::TARGETS;

/// Bytes of the longest input: beyond the limit of every parser, so that cutting and refusing are timed too.
const LONG: usize = 600_000;
/// An eighth of it takes an eighth of the time, where time grows with the bytes.
const SHORT: usize = LONG / 8;
/// How much longer a long input may take than a short one: eight times, and as much again for a busy machine. Where
/// time grew with the square it would be 64.
const GROWTH: u32 = 24;
/// Below this the clock tells little.
const NOTHING: Duration = Duration::from_millis(200);
/// What one target may take for one long input of any shape, in an unoptimised build.
const BUDGET: Duration = Duration::from_secs(20);

/// What a shape is called, and its bytes.
type Shape = (&'static str, Vec<u8>);

/// Whether time grows with the bytes, for the shapes of a length and each target that reads them.
fn check(shapes: impl Fn(usize) -> Vec<Shape>, targets: &[&str]) {
    for target in targets {
        let (name, run) = TARGETS.iter().find(|(name, _)| name == target).expect("a target");
        for ((shape, long), (_, short)) in shapes(LONG).into_iter().zip(shapes(SHORT)) {
            let time = |data: &[u8]| {
                let start = Instant::now();
                run(data);
                start.elapsed()
            };
            let grown = |some: Duration, all: Duration| all > NOTHING && all > some * GROWTH;
            let (mut some, mut all) = (time(&short), time(&long));
            // A busy machine may halt one run; it does not halt four.
            for _ in 0..3 {
                if grown(some, all) {
                    (some, all) = (some.max(time(&short)), all.min(time(&long)));
                }
            }
            println!("{name:15} {shape:28} {:7.1} ns/byte", all.as_secs_f64() * 1e9 / LONG as f64);
            assert!(all < BUDGET, "{name}: {shape} took {all:?}");
            assert!(!grown(some, all), "{name}: {shape} took {some:?}, and at eight times {all:?}");
        }
    }
}

/// `head`, then `piece` until there are `length` bytes.
fn repeated(head: impl AsRef<[u8]>, piece: &str, length: usize) -> Vec<u8> {
    let mut text = head.as_ref().to_vec();
    while text.len() < length {
        text.extend_from_slice(piece.as_bytes());
    }
    text
}
