//! Any events under any policy: every decision is that of a slow model, and no time whatever breaks a law.
//! `cargo +nightly fuzz run politeness_events -- -max_len=1212`
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/bot-etiquette-politeness/tests/it/laws/mod.rs"]
mod laws;

fuzz_target!(|case: &[u8]| {
    // The model works each answer out anew: what is longer than a case of the property tests is left out.
    let case = &case[..case.len().min(laws::RULES + 200 * laws::EVENT)];
    laws::play(case, |snapshot| {
        let text = serde_json::to_string(&snapshot).expect("a snapshot can be written");
        serde_json::from_str(&text).expect("and read")
    });
    laws::survive(case);
});
