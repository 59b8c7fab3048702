//! The politeness rules, tested from outside.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

mod hours;
mod outcome;
mod rate_limit;
mod retry_after;
