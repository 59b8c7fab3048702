//! stub
#![cfg_attr(docsrs, feature(doc_cfg))]

mod browser;
mod cache;
mod cdp;
mod config;
mod device;
mod error;
mod find;
mod flags;
mod headers;
mod input;
mod kind;
mod ledger;
mod policy;
mod rendered;
mod renderer;
mod requests;
mod settle;
mod snapshot;
mod visit;

pub use browser::{BrowserVersion, MIN_MAJOR};
pub use cache::AssetCache;
pub use config::{RenderConfig, Sandbox};
pub use device::Device;
pub use error::RenderError;
pub use input::PageInput;
pub use kind::Kind;
pub use policy::{COUNTING_HOSTS, Policy};
pub use rendered::{
    Cause, ClientRedirect, MAX_LINKS, MAX_REQUESTS, MAX_URL, Outcome, PageRequest, Rendered, RenderedLink,
    Settled, Timings,
};
pub use renderer::{Answer, LoadedFrom, Renderer};
