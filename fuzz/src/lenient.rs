//! The target of the tolerant JSON reader.

use bot_etiquette_lenient::json::{Limits, repair};
use serde_json::Value;

/// Any bytes: what comes out of a repair is strict JSON, and mending it again changes nothing. Strict JSON needs no repair.
pub fn json(data: &[u8]) {
    let limits = Limits { depth: 100, ..Limits::default() };
    let strict = serde_json::from_slice::<Value>(data);
    match repair(data, limits) {
        Ok(mended) => {
            let value = serde_json::from_slice::<Value>(mended.json());
            // Numbers beyond f64 are strict JSON that serde_json has no room for.
            if let Err(error) = &value {
                assert!(error.to_string().contains("number out of range"), "{error}");
            }
            let again = repair(mended.json(), limits).expect("what was written is read");
            assert!(again.repairs().is_empty(), "{}", again.repairs());
            assert_eq!(again.json(), mended.json());
            if let Ok(strict) = strict {
                assert!(mended.repairs().is_empty(), "{}", mended.repairs());
                assert_eq!(Some(strict), value.ok());
            }
        }
        // Deeper than the limit here, yet within serde_json's own.
        Err(error) => assert!(strict.is_err() || error.to_string().contains("open brackets"), "{error}"),
    }
}
