//! [`Kind`]: what a page asked for.

use std::fmt;

/// What a page asked for, or tried.
///
/// It rides in the extensions of each request that is put to the crawler, so that a cache can tell a script from data.
///
/// ```
/// use bot_etiquette_render::Kind;
///
/// let mut request = http::Request::get("https://shop.example/app.js").body(())?;
/// request.extensions_mut().insert(Kind::Script);
/// assert_eq!(request.extensions().get(), Some(&Kind::Script));
/// assert_eq!(Kind::WebSocket.to_string(), "web-socket");
/// assert!(!Kind::WebSocket.can_be_answered());
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Kind {
    /// The page itself.
    Page,
    /// A script.
    Script,
    /// A stylesheet.
    Stylesheet,
    /// `fetch` and `XMLHttpRequest`.
    Data,
    /// An image, an icon in a style.
    Image,
    /// A font.
    Font,
    /// Audio, video, their subtitles.
    Media,
    /// A web app manifest.
    Manifest,
    /// A document in a frame, an `object` or an `embed`.
    Frame,
    /// Something fetched ahead of its use.
    Prefetch,
    /// A connection or a name look-up ahead of its use, named in the page.
    Preconnect,
    /// `sendBeacon`, an `a ping`, a report.
    Beacon,
    /// `EventSource`.
    EventSource,
    /// `WebSocket`.
    WebSocket,
    /// `WebTransport`.
    WebTransport,
    /// `RTCPeerConnection`.
    WebRtc,
    /// A dedicated worker.
    Worker,
    /// A shared worker.
    SharedWorker,
    /// A service worker.
    ServiceWorker,
    /// A new window or tab.
    Popup,
    /// A form that was sent.
    Form,
    /// A file that was to be saved.
    Download,
    /// The page went elsewhere.
    Navigation,
    /// `alert`, `confirm`, `prompt`, `beforeunload`.
    Dialog,
    /// Anything else: the script of a worker, the site's icon.
    Other,
}

impl Kind {
    /// The name, as it is written and serialized.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Script => "script",
            Self::Stylesheet => "stylesheet",
            Self::Data => "data",
            Self::Image => "image",
            Self::Font => "font",
            Self::Media => "media",
            Self::Manifest => "manifest",
            Self::Frame => "frame",
            Self::Prefetch => "prefetch",
            Self::Preconnect => "preconnect",
            Self::Beacon => "beacon",
            Self::EventSource => "event-source",
            Self::WebSocket => "web-socket",
            Self::WebTransport => "web-transport",
            Self::WebRtc => "web-rtc",
            Self::Worker => "worker",
            Self::SharedWorker => "shared-worker",
            Self::ServiceWorker => "service-worker",
            Self::Popup => "popup",
            Self::Form => "form",
            Self::Download => "download",
            Self::Navigation => "navigation",
            Self::Dialog => "dialog",
            Self::Other => "other",
        }
    }

    /// Whether a policy can let this kind be put to the crawler. The others have no request that could be answered, or
    /// would let something live beside the page.
    #[must_use]
    pub const fn can_be_answered(self) -> bool {
        matches!(
            self,
            Self::Script
                | Self::Stylesheet
                | Self::Data
                | Self::Image
                | Self::Font
                | Self::Media
                | Self::Manifest
                | Self::Other
        )
    }

    /// The kind of a request in the page, by the protocol's `Network.ResourceType` and what the request says.
    pub(crate) fn of(resource_type: &str, accept: &str, prefetch: bool) -> Self {
        if prefetch {
            return Self::Prefetch;
        }
        match resource_type {
            "Document" => Self::Frame,
            "Script" => Self::Script,
            "Stylesheet" => Self::Stylesheet,
            "XHR" | "Fetch" if accept.contains("text/event-stream") => Self::EventSource,
            "XHR" | "Fetch" | "Preflight" => Self::Data,
            "EventSource" => Self::EventSource,
            "Image" => Self::Image,
            "Font" => Self::Font,
            "Media" | "TextTrack" => Self::Media,
            "Manifest" => Self::Manifest,
            "Ping" | "CSPViolationReport" => Self::Beacon,
            "Prefetch" | "SignedExchange" => Self::Prefetch,
            "WebSocket" => Self::WebSocket,
            _ => Self::Other,
        }
    }

    /// The kind of a target of the protocol that is not the page.
    pub(crate) fn of_target(target: &str) -> Option<Self> {
        match target {
            "page" | "tab" | "webview" => Some(Self::Popup),
            "iframe" => Some(Self::Frame),
            "worker" => Some(Self::Worker),
            "shared_worker" => Some(Self::SharedWorker),
            "service_worker" => Some(Self::ServiceWorker),
            "browser_ui" | "browser" => None,
            _ => Some(Self::Other),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
