//! A crawler of ArcGIS servers, end to end: find servers, read what they publish, look where it lies, search it.
//!
//! | module | job |
//! |---|---|
//! | [`catalogue`] | what is known, in one SQLite file: full text, R*Tree, pictures |
//! | [`session`] | one request through the whole stack, and what became of it |
//! | [`crawl`] | directories, then services: two at a time on a server |
//! | [`visit`] | one service: its description in three requests, where it lies in three more |
//! | [`preview`] | a picture of a layer, at most every thirty days |
//! | [`check`] | whether known services still answer |
//! | [`discover`] | servers out of public catalogues, each under its own rules |
//! | [`search`] | by word and place, and the matching servers asked live |
//! | [`budget`] | what a crawl would ask, without asking |
//! | [`outputs`], [`report`], [`map`] | what a person, and a program, can read |
//! | [`world`], [`demo`] | servers that this program serves itself, and the referee's verdict |

pub mod budget;
pub mod catalogue;
pub mod check;
pub mod config;
pub mod crawl;
pub mod demo;
pub mod discover;
pub mod map;
pub mod outputs;
pub mod preview;
pub mod records;
pub mod report;
pub mod search;
pub mod session;
pub mod tally;
pub mod visit;
pub mod world;
