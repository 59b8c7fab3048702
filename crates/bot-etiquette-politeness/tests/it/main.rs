//! The politeness rules, tested from outside.

mod hours;
mod rate_limit;
mod retry_after;
