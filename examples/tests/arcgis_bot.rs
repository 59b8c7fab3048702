//! SmartSitePlanBot before the referee: what it promises, on servers that behave as real ones do.
#![cfg(feature = "arcgis-bot")]

#[path = "program/mod.rs"]
mod program;

mod arcgis_bot {
    pub mod budgets;
    pub mod catalogue;
    pub mod demonstration;
    pub mod faults;
    pub mod helm;
    pub mod processes;
    pub mod searches;
}
