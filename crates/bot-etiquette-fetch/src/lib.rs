//! One bounded HTTP exchange, and what comes next when it answers with a redirect or has been asked before.
//!
//! Without features this crate is four small values that any HTTP client can use, blocking or not: they open no
//! socket and read no clock. It is not a crawler: it reads no robots.txt and waits for no host's turn.
//!
//! | value | what it answers |
//! |---|---|
//! | [`AddressPolicy`] | may this URL, this address, be connected to? |
//! | [`Redirects`] | what is the next request, or why is there none? |
//! | [`Validators`] | how is it asked without downloading it again? |
//! | [`FetchLimits`] | how much may one exchange cost? |
//!
//! # Around any client
//!
//! Switch the client's own redirects off and let each hop come back to you, so that it is checked, paced and signed
//! like the first request:
//!
//! ```
//! use bot_etiquette_fetch::{AddressPolicy, RedirectPolicy, Redirects};
//! use http::{HeaderMap, Method, Response, StatusCode};
//! use url::Url;
//!
//! fn get(url: &Url, send: impl Fn(&Method, &Url, &HeaderMap) -> Response<()>) -> Result<StatusCode, Box<dyn std::error::Error>> {
//!     let addresses = AddressPolicy::default();
//!     let mut headers = HeaderMap::new();
//!     let mut redirects = Redirects::new(RedirectPolicy::default(), Method::GET, url.clone());
//!     loop {
//!         addresses.check_url(redirects.url())?; // and robots.txt, and the host's turn
//!         let answer = send(redirects.method(), redirects.url(), &headers);
//!         match redirects.follow(answer.status(), answer.headers())? {
//!             Some(hop) => hop.rewrite(&mut headers),
//!             None => return Ok(answer.status()),
//!         }
//!     }
//! }
//! # let moved = |_: &Method, url: &Url, _: &HeaderMap| match url.path() {
//! #     "/old" => Response::builder().status(301).header("location", "/new").body(()).unwrap(),
//! #     _ => Response::new(()),
//! # };
//! # assert_eq!(get(&Url::parse("https://example.com/old").unwrap(), moved).unwrap(), 200);
//! ```
//!
//! The host of a URL says little about where it leads. A client that can be told how to resolve names must judge each
//! address by [`AddressPolicy::check_ip`] and connect to that address, not to the name.
//!
//! # With the client
//!
//! The feature `client` brings `Fetcher`, which does all of the above on hyper and rustls: names are resolved once,
//! each address is judged before it is connected to, and every limit holds while the body flows. Its errors say which
//! of DNS, connection, TLS, time, reset, size, address or coding it was, and whether the host gave an answer at all.
//!
//! # In a stack of services
//!
//! The feature `tower` brings `tower::FollowLayer`. It belongs on top of a stack: each hop goes through everything below it
//! again.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
#[cfg(feature = "client")]
mod body;
#[cfg(feature = "client")]
mod brotli;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod connect;
#[cfg(feature = "client")]
mod decode;
#[cfg(feature = "client")]
mod error;
#[cfg(feature = "client")]
mod fetched;
mod limits;
#[cfg(feature = "client")]
mod plain;
mod redirect;
#[cfg(feature = "client")]
mod resolve;
#[cfg(feature = "tower")]
pub mod tower;
mod validators;

pub use address::{AddressKind, AddressPolicy, AddressRefusal};
#[cfg(feature = "client")]
pub use body::{BodyReport, FetchBody};
#[cfg(feature = "client")]
pub use client::{Fetcher, FetcherBuilder, RemoteAddress, Roots, SetupError};
#[cfg(feature = "client")]
pub use error::{FailureClass, FetchError, Limit, Phase};
#[cfg(feature = "client")]
pub use fetched::Fetched;
pub use limits::{FetchLimits, OverLimit};
pub use redirect::{Followed, Hop, RedirectError, RedirectPolicy, Redirects};
#[cfg(feature = "client")]
pub use resolve::{Resolve, ResolverOverride, SystemResolver};
pub use validators::{Revalidated, Validators};

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
