//! What to ask of a service next, so that a visit is three requests at the most.

use crate::address::ServiceUrl;
use crate::answer::Parsed;
use crate::count::Counts;
use crate::layer::{Layer, Layers};
use crate::outcome::Problem;
use crate::request::Request;
use crate::service::Service;

/// Requests of one visit at the most, however many layers the service has.
pub const VISIT_LIMIT: u32 = 3;

/// A visit to one service: its description, all its layers, and their counts where one request gives them all.
///
/// Ask [`next`](Self::next), send that request, hand the answer to the method that the [`Step`] names, and go on until
/// there is no next step. What could not be read is left out and never asked twice; `/layers` refused by an old server is
/// replaced by one layer's own description, as far as the three requests reach.
///
/// ```
/// use bot_etiquette_arcgis::{Address, Answer, Step, Visit};
///
/// let address: Address = "https://gis.example.org/arcgis/rest/services/Roads/MapServer".parse()?;
/// let mut visit = Visit::new(address.service.unwrap());
/// while let Some(step) = visit.next() {
///     match step {
///         Step::Description(_request) => {
///             // Send the request with a client of your own; this is what came back.
///             let body = br#"{"mapName":"Roads","capabilities":"Map,Query","layers":[{"id":0,"name":"Street"}]}"#;
///             visit.described(Answer::body(body).read());
///         }
///         Step::Layers(_request) => visit.layered(Answer::body(br#"{"layers":[{"id":0,"name":"Street"}]}"#).read()),
///         Step::Layer(_, _request) => unreachable!("this server knows /layers"),
///         Step::Counts(_request) => unreachable!("a MapServer counts layer by layer only"),
///         _ => break,
///     }
/// }
/// let report = visit.finish();
/// assert_eq!((report.requests, report.layers.len()), (2, 1));
/// # Ok::<(), bot_etiquette_arcgis::AddressError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Visit {
    url: ServiceUrl,
    report: Report,
    stage: Stage,
}

/// A request of a visit, and what its answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// For [`Visit::described`].
    Description(Request),
    /// For [`Visit::layered`].
    Layers(Request),
    /// One layer alone, for [`Visit::one_layer`].
    Layer(u64, Request),
    /// For [`Visit::counted`].
    Counts(Request),
}

/// What a visit found.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The service's description; none when it could not be read.
    pub service: Option<Service>,
    /// Layers and tables that were described in full.
    pub layers: Vec<Layer>,
    /// Counts, where one request gave them.
    pub counts: Counts,
    /// What went wrong, in order; the first decides when there is no service.
    pub problems: Vec<Problem>,
    /// Requests that were made.
    pub requests: u32,
}

#[derive(Debug, Clone)]
enum Stage {
    Description,
    Layers,
    /// `/layers` is unknown here: these are asked one by one.
    Each(Vec<u64>),
    Counts,
    Done,
}

impl Visit {
    /// A visit that has asked nothing yet.
    #[must_use]
    pub fn new(url: ServiceUrl) -> Self {
        Self { url, report: Report::default(), stage: Stage::Description }
    }

    /// The request to send now; none when the visit is over. Asking again gives the same request until it is answered.
    #[must_use]
    pub fn next(&self) -> Option<Step> {
        if self.report.requests >= VISIT_LIMIT {
            return None;
        }
        Some(match &self.stage {
            Stage::Description => Step::Description(self.url.description()),
            Stage::Layers => Step::Layers(self.url.layers()),
            Stage::Each(left) => {
                let id = *left.first()?;
                Step::Layer(id, self.url.layer(id))
            }
            Stage::Counts => Step::Counts(self.counts_request()?),
            Stage::Done => return None,
        })
    }

    /// Takes the answer of [`Step::Description`].
    pub fn described(&mut self, answer: Result<Parsed<Service>, Problem>) {
        self.stage = match self.take(answer) {
            Some(service) => {
                let has_layers = !service.layers.is_empty() || !service.tables.is_empty();
                self.report.service = Some(service);
                if self.url.service_type().has_layers() && has_layers { Stage::Layers } else { Stage::Done }
            }
            None => Stage::Done,
        };
    }

    /// Takes the answer of [`Step::Layers`].
    pub fn layered(&mut self, answer: Result<Parsed<Layers>, Problem>) {
        // Servers before 10.0, and some proxies, do not know /layers.
        let is_unknown =
            matches!(answer, Err(Problem::Gone { .. } | Problem::Rejected(_) | Problem::OtherKind { .. }));
        self.stage = match self.take(answer) {
            Some(layers) => {
                self.report.layers = layers.layers.into_iter().chain(layers.tables).collect();
                self.after_layers()
            }
            None if is_unknown => Stage::Each(self.ids()),
            None => Stage::Done,
        };
    }

    /// Takes the answer of [`Step::Layer`].
    pub fn one_layer(&mut self, answer: Result<Parsed<Layer>, Problem>) {
        let ends = answer.as_ref().is_err_and(Problem::is_of_the_service);
        let layer = self.take(answer);
        self.report.layers.extend(layer);
        if ends {
            self.stage = Stage::Done;
        } else if let Stage::Each(left) = &mut self.stage
            && !left.is_empty()
        {
            left.remove(0);
        }
    }

    /// Takes the answer of [`Step::Counts`].
    pub fn counted(&mut self, answer: Result<Parsed<Counts>, Problem>) {
        if let Some(counts) = self.take(answer) {
            self.report.counts = counts;
        }
        self.stage = Stage::Done;
    }

    /// Passes over the request whose turn it is, which was not sent or got no answer: robots.txt closes its path, or the
    /// host is left alone. It is not counted, and what hangs on it is not asked.
    pub fn skip(&mut self) {
        match &mut self.stage {
            Stage::Each(left) if !left.is_empty() => {
                left.remove(0);
            }
            stage => *stage = Stage::Done,
        }
    }

    /// Ends the visit, wherever it stands.
    #[must_use]
    pub fn finish(self) -> Report {
        self.report
    }

    fn take<T>(&mut self, answer: Result<Parsed<T>, Problem>) -> Option<T> {
        self.report.requests = self.report.requests.saturating_add(1);
        match answer {
            Ok(parsed) => Some(parsed.facts),
            Err(problem) => {
                self.report.problems.push(problem);
                None
            }
        }
    }

    fn after_layers(&self) -> Stage {
        if self.counts_request().is_some() { Stage::Counts } else { Stage::Done }
    }

    /// Capability first: estimates where offered, a query of the whole service where that fits one request.
    fn counts_request(&self) -> Option<Request> {
        let service = self.report.service.as_ref()?;
        if *self.url.service_type() != crate::directory::ServiceType::FeatureServer {
            return None;
        }
        if service.estimates_counts() {
            return Some(self.url.estimates());
        }
        let layers: Vec<u64> =
            self.report.layers.iter().filter(|layer| layer.is_queryable()).map(|layer| layer.id).collect();
        self.url.counts(&layers).into_iter().next()
    }

    fn ids(&self) -> Vec<u64> {
        let service = self.report.service.iter();
        service
            .flat_map(|service| service.layers.iter().chain(&service.tables))
            .map(|layer| layer.id)
            .collect()
    }
}
