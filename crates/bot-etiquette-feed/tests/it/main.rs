//! One binary for all integration tests.

mod scrub;
