//! What the cache says: use this copy, fetch, wait, or ask for nothing.

use std::time::SystemTime;

use super::Origin;
use super::time::Moment;
use crate::{Availability, ProductToken, Robots, Rules, Unreachable};

/// What to do about an origin before asking it for anything else.
#[derive(Debug)]
pub enum Lookup {
    /// Judge by these rules.
    Use(RobotsCopy),
    /// Ask for the robots.txt now, and tell the end by [`finished`](crate::RobotsCache::finished) or
    /// [`abandoned`](crate::RobotsCache::abandoned).
    Fetch(FetchTicket),
    /// Another asker is fetching it: check again when that ends.
    Wait,
    /// Nothing may be asked: the rules are unknown. They may be asked for again at `until`.
    Closed {
        /// How the last fetch ended.
        why: Unreachable,
        /// When the robots.txt may be asked for again.
        until: SystemTime,
    },
    /// As many origins as the cache may hold are failing or being fetched; check again later.
    Full,
}

/// The right, and the duty, to fetch one robots.txt.
#[derive(Debug)]
#[must_use = "tell the end of the fetch by `finished` or `abandoned`"]
pub struct FetchTicket {
    pub(super) origin: Origin,
    pub(super) number: u64,
    pub(super) asked: Moment,
    pub(super) etag: Option<Vec<u8>>,
    pub(super) last_modified: Option<Vec<u8>>,
}

impl FetchTicket {
    /// Whose robots.txt to ask for.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The value of `If-None-Match` to send, as it came in `ETag`.
    #[must_use]
    pub fn if_none_match(&self) -> Option<&[u8]> {
        self.etag.as_deref()
    }

    /// The value of `If-Modified-Since` to send, as it came in `Last-Modified`.
    #[must_use]
    pub fn if_modified_since(&self) -> Option<&[u8]> {
        self.last_modified.as_deref()
    }
}

/// What an origin allows, as last read. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RobotsCopy {
    pub(super) availability: Availability,
    pub(super) robots: Option<Robots>,
    pub(super) rules: Rules,
    pub(super) read_at: Option<SystemTime>,
    pub(super) looks_like_html: bool,
    pub(super) is_stale: bool,
    pub(super) is_new: bool,
}

impl RobotsCopy {
    /// The rules for the cache's agents; those of an origin without a file allow everything.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The whole file, for its sitemaps or the rules of another agent; `None` where there is no file.
    #[must_use]
    pub fn robots(&self) -> Option<&Robots> {
        self.robots.as_ref()
    }

    /// What the fetch meant. An [`Availability::Unreachable`] here has lasted for
    /// [`give_up_after`](crate::CacheOptions::give_up_after), and the rules allow everything.
    #[must_use]
    pub fn availability(&self) -> Availability {
        self.availability
    }

    /// When it was read, or last confirmed, by the clock of that time.
    #[must_use]
    pub fn read_at(&self) -> Option<SystemTime> {
        self.read_at
    }

    /// Whether it is past its age and holds only because the site cannot be reached now.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Whether it differs from what was handed out before: true once after each change.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether the file seems to be a web page, such as an error page sent with status 200.
    #[must_use]
    pub fn looks_like_html(&self) -> bool {
        self.looks_like_html
    }
}

impl RobotsCopy {
    pub(super) fn read(text: &[u8], agents: &[ProductToken], html: bool) -> Self {
        let robots = Robots::parse(text);
        Self {
            availability: Availability::Successful,
            rules: robots.rules_for(agents),
            looks_like_html: html || robots.looks_like_html(),
            robots: Some(robots),
            read_at: None,
            is_stale: false,
            is_new: false,
        }
    }

    pub(super) fn without_file(availability: Availability) -> Self {
        Self {
            availability,
            robots: None,
            rules: Rules::allow_all(),
            read_at: None,
            looks_like_html: false,
            is_stale: false,
            is_new: false,
        }
    }
}
