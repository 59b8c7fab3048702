//! What the example programs share.

pub mod clock;
pub mod demo_site;
pub mod narrator;
pub mod sqlite_store;
pub mod stack;
