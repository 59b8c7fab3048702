//! What the benches share: medians of interleaved rounds, the bytes in use, and the goals that each figure is held to.

mod estimates;
mod goal;
mod medians;
mod memory;

pub use estimates::Estimates;
pub use goal::{Goal, at_least, at_most};
pub use medians::{median, medians};
pub use memory::{Counting, IN_USE, PEAK};
