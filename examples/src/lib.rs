//! What the example programs share.

pub mod demo_site;
pub mod sqlite_store;
