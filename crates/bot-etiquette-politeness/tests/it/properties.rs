//! The laws, on many random cases; as many more as `BOT_ETIQUETTE_FULL` asks for.

use bot_etiquette_politeness::Snapshot;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::laws::{EVENT, RULES, play, survive};

/// 2,000 cases of up to 200 events; 10,000 where the environment asks for the full run.
fn config() -> ProptestConfig {
    let cases = if std::env::var_os("BOT_ETIQUETTE_FULL").is_some() { 10_000 } else { 2_000 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_decision_is_that_of_a_slow_model(case in vec(any::<u8>(), RULES..=RULES + 200 * EVENT)) {
        play(&case, carry);
    }

    #[test]
    fn no_time_whatever_breaks_a_law(case in vec(any::<u8>(), RULES..=RULES + 200 * EVENT)) {
        survive(&case);
    }
}

/// Over a restart as text, where there is a form for it.
#[cfg(feature = "serde")]
fn carry(snapshot: Snapshot) -> Snapshot {
    let text = serde_json::to_string(&snapshot).unwrap();
    let read: Snapshot = serde_json::from_str(&text).unwrap();
    assert_eq!(read, snapshot, "what is read is what was written");
    read
}

#[cfg(not(feature = "serde"))]
fn carry(snapshot: Snapshot) -> Snapshot {
    snapshot
}
