//! What the example programs share.

pub mod sqlite_store;
