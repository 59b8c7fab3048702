//! What the identity crate promises, in tables.

mod bot;
mod lint;
mod user_agent;
