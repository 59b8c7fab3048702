//! x
mod clean;
mod fold;
mod scrub;
pub use self::clean::CleanText;
pub use self::scrub::Scrubbed;
