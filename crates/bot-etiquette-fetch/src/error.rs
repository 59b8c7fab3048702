//! [`FetchError`]: what went wrong, told apart.

use std::{fmt, io, time::Duration};

use crate::AddressRefusal;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why an exchange failed.
///
/// [`class`](Self::class) sorts the variants for a scheduler: did the host give an answer, none, or was it never
/// asked?
///
/// ```
/// use bot_etiquette_fetch::{AddressRefusal, FailureClass, FetchError};
///
/// let error = FetchError::Refused(AddressRefusal::Port { port: 25 });
/// assert_eq!(error.class(), FailureClass::Refused);
/// assert_eq!(error.to_string(), "refused by us: port 25 is not among the allowed ones");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The address policy said no, before anything was sent.
    #[error("refused by us: {0}")]
    Refused(#[source] AddressRefusal),
    /// The request cannot be sent as it is.
    #[error("the request cannot be sent: {0}")]
    Request(String),
    /// The name did not resolve.
    #[error("the name {host} did not resolve: {source}")]
    Dns {
        /// The name.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// No address of the host took the connection.
    #[error("no connection to {host}: {source}")]
    Connect {
        /// The host.
        host: String,
        /// What the last attempt met.
        source: io::Error,
    },
    /// The host took the connection, but TLS did not come about.
    #[error("no TLS with {host}: {source}")]
    Tls {
        /// The host.
        host: String,
        /// What TLS met: a certificate that is not trusted, a version not spoken.
        source: BoxError,
    },
    /// A time limit passed.
    #[error("no answer within {limit:?} ({phase})")]
    Timeout {
        /// What was waited for.
        phase: Phase,
        /// The limit that passed: `connect` in that phase, else `total`.
        limit: Duration,
    },
    /// The connection was closed or reset before the answer was whole.
    #[error("the connection ended early ({phase}): {source}")]
    Reset {
        /// How far it had come.
        phase: Phase,
        /// What the connection said.
        source: BoxError,
    },
    /// What came is not HTTP.
    #[error("the answer is not valid HTTP ({phase}): {source}")]
    Protocol {
        /// How far it had come.
        phase: Phase,
        /// What the parser said.
        source: BoxError,
    },
    /// A size limit was passed. The rest was not read.
    #[error("the answer is too large: more than {limit} ({what})")]
    TooLarge {
        /// Which limit.
        what: Limit,
        /// Its value.
        limit: u64,
    },
    /// The body's content coding could not be undone.
    #[error("the content coding {coding} cannot be undone: {source}")]
    Coding {
        /// The `Content-Encoding` as sent.
        coding: String,
        /// What the decoder said.
        source: io::Error,
    },
}

/// How far an exchange had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Name look-up, TCP and TLS.
    Connect,
    /// From the request to the end of the header section.
    Headers,
    /// The body.
    Body,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "while connecting",
            Self::Headers => "before the headers were whole",
            Self::Body => "while the body came",
        })
    }
}

/// A size limit of [`FetchLimits`](crate::FetchLimits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// `header_bytes`.
    Headers,
    /// `wire_bytes`.
    Wire,
    /// `decoded_bytes`.
    Decoded,
    /// `ratio`.
    Ratio,
    /// `codings`.
    Codings,
    /// `window_bytes`.
    Window,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Headers => "bytes of header section",
            Self::Wire => "bytes of body as sent",
            Self::Decoded => "bytes of decoded body",
            Self::Ratio => "times the bytes sent, decoded",
            Self::Codings => "stacked content codings",
            Self::Window => "bytes of coding window",
        })
    }
}

/// What a failure says of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// The host gave no answer: nothing resolved, connected or came, or the connection ended before the headers were
    /// whole. A scheduler counts it towards "unreachable".
    NoAnswer,
    /// The host answered; what came was late, broken or too large.
    Answered,
    /// The host was not asked: our own rules forbade it.
    Refused,
}

impl FetchError {
    /// What the failure says of the host.
    #[must_use]
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Refused(_) | Self::Request(_) => FailureClass::Refused,
            Self::Dns { .. } | Self::Connect { .. } | Self::Tls { .. } => FailureClass::NoAnswer,
            Self::Timeout { phase, .. } | Self::Reset { phase, .. } | Self::Protocol { phase, .. } => {
                match phase {
                    Phase::Body => FailureClass::Answered,
                    Phase::Connect | Phase::Headers => FailureClass::NoAnswer,
                }
            }
            Self::TooLarge { .. } | Self::Coding { .. } => FailureClass::Answered,
        }
    }

    /// What hyper reports while the exchange is in this phase.
    pub(crate) fn broken(fault: Fault, error: BoxError, phase: Phase, header_bytes: usize) -> Self {
        match fault {
            Fault::HeadersTooLarge => Self::TooLarge { what: Limit::Headers, limit: header_bytes as u64 },
            Fault::NotHttp => Self::Protocol { phase, source: error },
            Fault::Ended => Self::Reset { phase, source: error },
        }
    }
}

/// What an error of hyper comes down to.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    HeadersTooLarge,
    NotHttp,
    Ended,
}

impl Fault {
    pub(crate) fn of(error: &hyper::Error) -> Self {
        // A malformed chunk and an early end both are a body error over an `io::Error`, told apart by its kind.
        let malformed = std::error::Error::source(error)
            .and_then(|source| source.downcast_ref::<io::Error>())
            .is_some_and(|io| matches!(io.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData));
        if error.is_parse_too_large() {
            Self::HeadersTooLarge
        } else if error.is_parse() || malformed {
            Self::NotHttp
        } else {
            Self::Ended
        }
    }
}
