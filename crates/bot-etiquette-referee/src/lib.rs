//! A site that watches a crawler and says which promises it broke.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod bomb;
mod clock;
mod date;
mod html;
mod judge;
mod keys;
mod log;
mod pattern;
mod promise;
mod record;
mod referee;
mod report;
mod robots;
mod rule;
#[cfg(feature = "scenario")]
mod scenario;
mod server;
mod signature;
mod site;
mod sites;
mod state;
mod wire;

pub use crate::log::{LogError, read_log};
pub use crate::promise::{Promise, PromiseError};
pub use crate::referee::{Builder, Referee, StartError};
pub use crate::report::{Figures, HostFigures, Report, Violation};
pub use crate::rule::Rule;
#[cfg(feature = "scenario")]
pub use crate::scenario::{Scenario, ScenarioError};
pub use crate::site::{Asked, Page, RetryAfter, Site};
