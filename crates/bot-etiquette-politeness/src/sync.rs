//! The locks of what threads share; under `--cfg loom` those that a model checker can schedule.

#[cfg(loom)]
pub(crate) use loom::sync::{Arc, Mutex, MutexGuard};
pub(crate) use std::sync::PoisonError;
#[cfg(not(loom))]
pub(crate) use std::sync::{Arc, Mutex, MutexGuard};
