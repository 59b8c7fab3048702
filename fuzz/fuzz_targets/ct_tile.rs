#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bot_etiquette_fuzz::arcgis::tile(data));
