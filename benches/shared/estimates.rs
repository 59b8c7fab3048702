//! What criterion found out in this run.

use std::path::PathBuf;

use criterion::Criterion;
use criterion::measurement::Measurement;

/// Where criterion leaves its results; each run has a folder of its own.
pub struct Estimates(PathBuf);

impl Estimates {
    /// Lets this criterion leave its results there.
    pub fn of<M: Measurement>(criterion: Criterion<M>) -> (Criterion<M>, Estimates) {
        let folder = std::env::temp_dir().join(format!("bot-etiquette-benches-{}", std::process::id()));
        (criterion.output_directory(&folder), Estimates(folder))
    }

    /// The median of a function of a group, in nanoseconds; `None` where it was not run, as with a filter.
    pub fn median(&self, group: &str, function: &str) -> Option<f64> {
        let file = self.0.join(group).join(function).join("new/estimates.json");
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        json["median"]["point_estimate"].as_f64()
    }

    /// How often the second fits into the first.
    pub fn ratio(&self, group: &str, over: &str, under: &str) -> Option<f64> {
        Some(self.median(group, over)? / self.median(group, under)?)
    }
}

impl Drop for Estimates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
