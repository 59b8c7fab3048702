//! The tests that `polite_get.rs` holds: as an example it is built as the program that other tests start.
#![allow(dead_code, reason = "nobody calls its main")]

#[path = "../polite_get.rs"]
mod polite_get;
