//! robots.txt by RFC 9309: parse any bytes, match a URL, and say which line decided.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod record;
mod robots;
mod rules;
mod token;
mod verdict;

pub use record::Record;
pub use robots::Robots;
pub use rules::Rules;
pub use token::{MAX_TOKEN, ProductToken, TokenError};
pub use verdict::{Access, Directive, Reason, Rule, Verdict};
