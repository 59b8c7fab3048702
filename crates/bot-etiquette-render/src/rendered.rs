//! [`Rendered`]: what came of a page.

use std::{collections::BTreeMap, time::Duration};

use crate::Kind;

/// What a page has become, and all it asked for on the way.
///
/// ```
/// # fn read(rendered: bot_etiquette_render::Rendered) {
/// println!("{}: {} links, settled: {}", rendered.title, rendered.links.len(), rendered.settled.is_settled());
/// for request in &rendered.requests {
///     println!("  {} {} {}", request.kind, request.url, request.outcome);
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rendered {
    /// The page as HTML. Open shadow trees are written as declarative ones.
    pub html: String,
    /// Whether the HTML or the text was longer than [`RenderConfig::html_bytes`](crate::RenderConfig::html_bytes),
    /// and cut.
    pub cut: bool,
    /// Its title.
    pub title: String,
    /// Its URL at the end, which scripts may have changed without leaving the page.
    pub url: String,
    /// What its relative URLs stand against.
    pub base: String,
    /// The text that can be seen; that of open shadow trees comes last.
    pub text: String,
    /// The targets of its `a` and `area` elements, in open shadow trees too, in order; at most [`MAX_LINKS`].
    pub links: Vec<RenderedLink>,
    /// Whether there were more links.
    pub more_links: bool,
    /// All it asked for or tried, in order; at most [`MAX_REQUESTS`]. What is above is counted in
    /// [`blocked`](Self::blocked) still.
    pub requests: Vec<PageRequest>,
    /// How many of what kind did not reach the crawler.
    pub blocked: BTreeMap<Kind, u64>,
    /// Whether it came to rest.
    pub settled: Settled,
    /// Where it wanted to go instead, first of all. It was not followed.
    pub redirect: Option<ClientRedirect>,
    /// What it cost.
    pub timings: Timings,
}

/// The most links that are read.
pub const MAX_LINKS: usize = 10_000;
/// The most requests of a page that are listed.
pub const MAX_REQUESTS: usize = 2_000;

/// A link in the page as it was at the end.
///
/// ```
/// # fn read(link: bot_etiquette_render::RenderedLink) {
/// println!("{} ({})", link.url, link.text);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RenderedLink {
    /// Where it leads, against the page's base.
    pub url: String,
    /// Its `rel`, as written.
    pub rel: String,
    /// What it says; at most 200 UTF-16 units.
    pub text: String,
}

/// One thing a page asked for or tried.
///
/// ```
/// use bot_etiquette_render::{Cause, Outcome};
/// # fn read(request: bot_etiquette_render::PageRequest) {
/// if request.outcome == (Outcome::Blocked { cause: Cause::Method }) {
///     println!("{} {} was not sent", request.method, request.url);
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PageRequest {
    /// The kind.
    pub kind: Kind,
    /// The method; empty where there is none.
    pub method: String,
    /// The URL; cut after [`MAX_URL`] bytes; empty where there is none, as for a dialog.
    pub url: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// The longest URL that is put to the crawler, in bytes.
pub const MAX_URL: usize = 8_192;

/// What came of a request of a page.
///
/// ```
/// use bot_etiquette_render::Outcome;
/// assert_eq!(Outcome::Answered { status: 200, bytes: 312 }.to_string(), "answered 200, 312 bytes");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Outcome {
    /// It was the page, which was at hand.
    Held,
    /// The crawler answered.
    Answered {
        /// With this status.
        status: u16,
        /// And so many bytes.
        bytes: u64,
    },
    /// The crawler did not load it.
    NotLoaded {
        /// What it said.
        reason: String,
    },
    /// It was not put to the crawler, or its answer was not used.
    Blocked {
        /// Why.
        cause: Cause,
    },
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Held => f.write_str("was at hand"),
            Self::Answered { status, bytes } => write!(f, "answered {status}, {bytes} bytes"),
            Self::NotLoaded { reason } => write!(f, "not loaded: {reason}"),
            Self::Blocked { cause } => write!(f, "blocked: {cause}"),
        }
    }
}

/// Why a request was not put to the crawler.
///
/// ```
/// assert_eq!(bot_etiquette_render::Cause::SubFrame.to_string(), "it came from a frame");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Cause {
    /// The policy does not load this kind, or nothing can.
    Kind,
    /// The policy does not allow the method.
    Method,
    /// The policy refuses the host.
    Host,
    /// It came from a frame: those are not loaded.
    SubFrame,
    /// The URL is too long, or none that HTTP can carry.
    Url,
    /// The page had as many requests as it may have.
    Requests,
    /// The answer was longer than the page is given.
    Size,
    /// The time to wait for the crawler was used up.
    Waiting,
    /// The page was being read back.
    Ended,
    /// The page's own rules, or the browser's, stopped it before it was a request.
    Browser,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Kind => "this kind is not loaded",
            Self::Method => "this method is not sent",
            Self::Host => "this host is not asked",
            Self::SubFrame => "it came from a frame",
            Self::Url => "no such URL is asked for",
            Self::Requests => "the page has asked too often",
            Self::Size => "the answer was too long",
            Self::Waiting => "the page has waited long enough",
            Self::Ended => "the page was at its end",
            Self::Browser => "the browser stopped it",
        })
    }
}

/// Whether a page came to rest.
///
/// ```
/// use bot_etiquette_render::Settled;
/// assert!(Settled::Quiet.is_settled() && !Settled::OutOfWork.is_settled());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Settled {
    /// It loaded, and then nothing happened for the quiet window.
    Quiet,
    /// It came to rest only after the time to wait for the crawler was used up: something may be missing.
    OutOfPatience,
    /// It was still at work when its time was up, and was read as it stood.
    OutOfWork,
}

impl Settled {
    /// Whether it came to rest by itself.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Quiet)
    }
}

/// Where a page wanted to go instead of staying. It was not followed: a crawler judges that URL like any other.
///
/// ```
/// # fn read(redirect: bot_etiquette_render::ClientRedirect) {
/// println!("to {} by {}", redirect.url, redirect.reason);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClientRedirect {
    /// Where.
    pub url: String,
    /// By what, as the browser names it: `scriptInitiated`, `metaTagRefresh`, `httpHeaderRefresh`, `reload`, ..
    pub reason: String,
}

/// What a render cost.
///
/// ```
/// # fn read(timings: bot_etiquette_render::Timings) {
/// println!("{:?} of the browser, {:?} of the site", timings.work, timings.waited);
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Timings {
    /// Until the page could start: a new place in the browser, sealed.
    pub setup: Duration,
    /// What the browser worked, the quiet window included.
    pub work: Duration,
    /// What it waited for the crawler.
    pub waited: Duration,
    /// What reading back took.
    pub snapshot: Duration,
}
