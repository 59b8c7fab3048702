//! Broken bytes to text and JSON tokens, with a list of what was repaired and where.
//!
//! Not a validator, and it knows nothing of crawlers: it reads what servers really send (a wrong charset, a `NaN`, a
//! raw line end inside a string, a file that breaks off) and says what it mended, so that the caller decides what to trust.
//!
//! Bytes become text by [`text::decode`]: a byte order mark beats a declared charset, valid UTF-8 beats a guess.
//!
//! ```
//! use bot_etiquette_lenient::text::{self, Source};
//!
//! let decoded = text::decode(b"Meli\xE0", None);
//! assert_eq!(decoded.text(), "Meli\u{e0}");
//! assert_eq!((decoded.charset(), decoded.source()), ("windows-1252", Source::Guessed));
//! ```
//!
//! JSON becomes tokens, from a slice ([`json::Tokens`]) or from chunks at constant memory ([`json::Stream`]); strings are
//! decoded only when asked. [`json::repair`] writes a broken document anew as strict JSON.
//!
//! ```
//! use bot_etiquette_lenient::json::{self, RepairKind};
//!
//! let mended = json::repair(br#"{"xmin":NaN,"owner":"DOMAIN\User",}"#, json::Limits::default())?;
//! assert_eq!(mended.json(), br#"{"xmin":null,"owner":"DOMAIN\\User"}"#);
//! let kinds: Vec<_> = mended.repairs().iter().map(|repair| (repair.offset, repair.kind)).collect();
//! assert_eq!(kinds, [(8, RepairKind::NotANumber), (27, RepairKind::Escape), (33, RepairKind::ExtraComma)]);
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! Every operation is linear in its input, never panics, keeps no recursion, and holds at most one token
//! ([`json::Limits::token`]) beside the caller's bytes.

pub mod json;
pub mod text;

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
