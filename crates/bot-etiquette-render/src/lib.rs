//! A page in a real Chromium that has no network: each request it makes is put to the crawler, and answered by it.
//!
//! It is no scraping framework and hides nothing: it clicks nowhere, sends no form, and the browser says what it is. It
//! fetches nothing either: the page's HTML comes from the crawler, and so does every script, stylesheet and piece of data,
//! after the crawler's own rules.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use bot_etiquette_render::{Device, PageInput, RenderConfig, Renderer};
//! use bytes::Bytes;
//! use http::{HeaderMap, Request, Response};
//!
//! # struct Stack;
//! # impl Stack {
//! #     async fn fetch(&self, _: Request<Bytes>) -> Result<Response<Bytes>, std::io::Error> { Ok(Response::default()) }
//! # }
//! # async fn render(stack: Arc<Stack>, url: url::Url, html: Bytes, headers: HeaderMap, agent: &str)
//! #     -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let renderer = Renderer::launch(RenderConfig::default()).await?;
//! let page = PageInput::new(url, html, agent).headers(headers).device(Device::Phone);
//! let rendered = renderer
//!     .render(page, |request| {
//!         let stack = stack.clone(); // robots.txt, the host's turn, the signature, the limits
//!         async move { Ok(stack.fetch(request).await?) }
//!     })
//!     .await?;
//! println!("{} ({} links)", rendered.title, rendered.links.len());
//! for request in &rendered.requests {
//!     println!("{} {}: {}", request.kind, request.url, request.outcome);
//! }
//! # Ok(()) }
//! ```
//!
//! # What sealed means
//!
//! To intercept the requests of a browser that has a network does not contain a page: WebSockets, preconnects,
//! speculation rules, WebRTC, and frames and workers in other processes go past the interception. Here nothing can get
//! past, since there is nowhere to go:
//!
//! - No name and no address resolves, the proxy does not exist, and WebRTC may not use sockets of its own. Tests count
//!   the connections and packets that reach sockets on the same machine: none.
//! - Every target that comes into being (window, frame, worker) is held before its first step. The page alone is let run.
//! - Each page has a browser context of its own, which goes with its cookies and storage.
//! - What a page tries is answered at once and listed: [`Rendered::requests`] says of each what came of it, and why.
//!
//! [`RenderConfig::run_under`] adds a wall of the system's, such as `unshare --net`: the browser needs no network device
//! to be rendered with.
//!
//! # What is loaded
//!
//! | what a page asks for | what it gets |
//! |---|---|
//! | itself | the bytes the crawler has, once more if it reloads itself, and then nothing |
//! | scripts, stylesheets, data by GET and HEAD | the crawler's answer; [`Policy`] may close or open kinds |
//! | a POST of data | nothing, unless [`Policy::post`] allows it |
//! | images, fonts, media, manifests | nothing, unless the policy allows them |
//! | frames and all that is in them | nothing |
//! | workers, sockets, event sources, beacons, prefetches, peer connections | nothing |
//! | a new window, a download, a form, a dialog | nothing; it is closed or dismissed |
//! | another page in its place | nothing: [`Rendered::redirect`] says where it wanted to go |
//!
//! A CORS preflight is answered here; whether the page may read the answer is decided by the site's own headers on it.
//! `Authorization` and `Cookie` never reach the crawler, whatever a script sets.
//!
//! # When a page has settled
//!
//! It has loaded, no request is open, and no element was added for [`RenderConfig::quiet`]. Two budgets end what does not:
//! [`work`](RenderConfig::work) counts the browser's time, [`wait`](RenderConfig::wait) the time in which a request was
//! with the crawler. So a host that is asked once a second does not take the page's time away. A crawler does well to
//! fetch what the HTML names before it renders, and to keep it in an [`AssetCache`].
//!
//! # The protocol's client
//!
//! The crate speaks the DevTools protocol itself: about twenty commands and as many events over the two pipes of
//! `--remote-debugging-pipe`. Why not a kept library:
//!
//! - Sealing takes every target: sessions of windows and workers that are held at their start, which the libraries run
//!   on by themselves.
//! - Over pipes the browser listens on no port, needs no loopback device, and ends when the crawler does, however that
//!   ends.
//! - The libraries generate the whole protocol: chromiumoxide 0.9.1 leaves 516 MiB behind when it is built, this crate
//!   with all it stands on 247 MiB, after 47 s of one core's time (6 s where Tokio, `http` and `url` are there already).
//!
//! # Limits
//!
//! - Chromium or Chrome, [`MIN_MAJOR`] or newer, on a system with `/bin/sh`. Written and tested on Linux.
//! - As root Chromium runs only without its own sandbox, which has to be chosen: [`Sandbox::Off`].
//! - One browser takes some hundred MB of memory, each page in it some ten.
//! - A page whose document is too large to be laid out in ten seconds is an error of its own.
//! - Closed shadow trees, canvases and what only an image shows are not read.
//!
//! # Features
//!
//! - `serde`: `Serialize` for [`Rendered`] and all it holds; `Deserialize` as well for [`Policy`], [`Kind`], [`Device`] and
//!   [`Sandbox`].
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
mod profile;
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

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
