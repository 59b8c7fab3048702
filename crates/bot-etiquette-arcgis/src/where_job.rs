//! Where the data of a service's layers lies: at most three requests a visit, stalest layers first.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::address::ServiceUrl;
use crate::answer::Parsed;
use crate::count::{Count, LayerCount, QueryExtent};
use crate::coverage::Coverage;
use crate::features::FeaturePage;
use crate::layer::Layer;
use crate::outcome::Problem;
use crate::request::Request;
use crate::service::Service;
use crate::wgs84::{Bbox, Place, Reason, Verdict};

/// Requests of one visit at the most.
pub const WHERE_LIMIT: u32 = 3;
/// How long what is known of a layer holds.
pub const WHERE_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Features of a smaller layer at the most, whatever more the server would send.
pub const OUTLINES_LIMIT: u64 = 2_000;

/// What is known of where one layer's data lies. Keep it between visits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LayerWhere {
    /// The number of features, by a count or by ids.
    pub count: Option<u64>,
    /// Where the server says they lie.
    pub place: Option<Place>,
    /// Where outlines were seen; only when the page held all features.
    pub coverage: Option<Coverage>,
    /// When all that can be asked of the layer had been asked.
    pub checked: Option<SystemTime>,
    /// When a visit told the count.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<SystemTime>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    done: Vec<Question>,
}

/// A question about one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Question {
    /// How many features; answered to [`Where::counted`].
    Count,
    /// Their ids, after a server sent features for a count; answered to [`Where::counted`] too.
    Ids,
    /// Their extent; answered to [`Where::placed`].
    Extent,
    /// One page of outlines of a smaller layer; answered to [`Where::outlined`].
    Outlines,
    /// The same page without a wish about its size and order, after a server refused those; answered to
    /// [`Where::outlined`] too.
    PlainOutlines,
}

impl LayerWhere {
    /// Takes what a [`Visit`](crate::Visit) was told of the layer, so that it is not asked for again in the next 30 days.
    ///
    /// ```
    /// use bot_etiquette_arcgis::{Answer, Counts, LayerWhere};
    /// use std::time::SystemTime;
    ///
    /// let body = br#"{"layerEstimates":[{"layerId":0,"count":48}]}"#;
    /// let counts = Answer::body(body).read::<Counts>()?.facts;
    /// let mut known = LayerWhere::default();
    /// known.learn(&counts.layers[0], SystemTime::UNIX_EPOCH);
    /// assert_eq!(known.count, Some(48));
    /// # Ok::<(), bot_etiquette_arcgis::Problem>(())
    /// ```
    pub fn learn(&mut self, told: &LayerCount, now: SystemTime) {
        if told.count.is_some() {
            self.count = told.count;
            self.counted = Some(now);
            self.mark([Question::Count, Question::Ids]);
        }
        // An estimate may be too large: it stands in for no extent, and never takes a better one's place.
        if self.place.as_ref().is_none_or(|place| place.verdict == Verdict::None) && told.extent.is_some() {
            self.place = Some(told.place());
        }
    }

    fn mark(&mut self, questions: impl IntoIterator<Item = Question>) {
        for question in questions {
            if !self.done.contains(&question) {
                self.done.push(question);
            }
        }
    }

    /// Whether the place needs another question: none, a likely wrong one, or only the service's.
    fn is_doubtful(&self) -> bool {
        self.place.as_ref().is_none_or(|place| {
            place.inherited
                || (matches!(place.verdict, Verdict::None | Verdict::Suspect)
                    && place.reason != Some(Reason::NullIsland))
        })
    }
}

/// The job of one visit.
///
/// ```
/// use bot_etiquette_arcgis::{Address, Answer, Layer, LayerWhere, Question, Where};
/// use std::time::SystemTime;
///
/// let service = "https://gis.example.org/arcgis/rest/services/A/MapServer".parse::<Address>()?.service.unwrap();
/// let layer = Answer::body(br#"{"id":3,"name":"Wells","type":"Feature Layer","extent":null}"#).read::<Layer>()?.facts;
/// let mut job = Where::new(service, vec![(layer, LayerWhere::default())], SystemTime::UNIX_EPOCH);
///
/// let (id, question, _request) = job.next().unwrap();
/// assert_eq!((id, question), (3, Question::Count));
/// job.counted(Answer::body(br#"{"count":0}"#).read());
/// // Nothing is nowhere: the layer needs no more questions.
/// assert!(job.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Where {
    url: ServiceUrl,
    layers: Vec<(Layer, LayerWhere)>,
    now: SystemTime,
    requests: u32,
    /// Layers that are not asked now.
    skipped: Vec<u64>,
    is_over: bool,
}

impl Where {
    /// A job over layers and what is known of them, as of `now`. Fresh and unqueryable ones are left alone; the stalest
    /// come first.
    #[must_use]
    pub fn new(url: ServiceUrl, layers: Vec<(Layer, LayerWhere)>, now: SystemTime) -> Self {
        let mut job = Self { url, layers, now, requests: 0, skipped: Vec::new(), is_over: false };
        for (layer, known) in &mut job.layers {
            let is_stale = known
                .checked
                .is_some_and(|checked| now.duration_since(checked).is_ok_and(|age| age >= WHERE_AGE));
            if is_stale {
                // Asked anew from the start; what is known holds until the answers come.
                known.done.clear();
                let is_counted = known
                    .counted
                    .is_some_and(|at| now.duration_since(at).map_or(true, |age| age < WHERE_AGE));
                if is_counted {
                    known.mark([Question::Count, Question::Ids]);
                }
            }
            if known.place.is_none() {
                known.place = Some(layer.place(None, known.count));
            }
        }
        // Never checked sorts before any time.
        job.layers.sort_by_key(|(_, known)| known.checked);
        job
    }

    /// Lets layers that tell no extent, or no coordinate system, inherit those of their service. That is weak evidence,
    /// so such a layer is still asked for its extent.
    #[must_use]
    pub fn within(mut self, service: &Service) -> Self {
        for (layer, known) in &mut self.layers {
            if known.is_doubtful() && !known.done.contains(&Question::Extent) {
                let place = layer.place(Some(service), known.count);
                let had_none = known.place.as_ref().is_none_or(|place| place.verdict == Verdict::None);
                if place.verdict != Verdict::None || had_none {
                    known.place = Some(place);
                }
            }
        }
        self
    }

    /// The layer, question and request that come next; none when three were asked or nothing is left to ask.
    #[must_use]
    pub fn next(&self) -> Option<(u64, Question, Request)> {
        if self.requests >= WHERE_LIMIT {
            return None;
        }
        let (layer, known, question) = self.open()?;
        let request = match question {
            Question::Count => self.url.count(layer.id),
            Question::Ids => self.url.ids(layer.id),
            Question::Extent => self.url.extent(layer.id),
            Question::Outlines => {
                let width =
                    known.place.iter().flat_map(|place| &place.boxes).map(|bbox| bbox.east - bbox.west).sum();
                self.url.outlines(layer, known.count.unwrap_or(OUTLINES_LIMIT), width)
            }
            Question::PlainOutlines => self.url.plain_outlines(layer.id),
        };
        Some((layer.id, question, request))
    }

    /// Takes the answer of [`Question::Count`] or [`Question::Ids`].
    pub fn counted(&mut self, answer: Result<Parsed<Count>, Problem>) {
        self.answer(answer, |known, question, answer| match answer {
            Ok(counted) => {
                known.count = Some(counted.count);
                known.mark([Question::Count, Question::Ids]);
            }
            // A body cut off at the limit for counts looks like this as well.
            Err(Problem::CountIgnored) => known.mark([question]),
            Err(_) => known.mark([Question::Count, Question::Ids]),
        });
    }

    /// Takes the answer of [`Question::Extent`].
    pub fn placed(&mut self, answer: Result<Parsed<QueryExtent>, Problem>) {
        self.answer(answer, |known, question, answer| {
            known.mark([question]);
            let Ok(told) = answer else { return };
            known.count = told.count.or(known.count);
            // Servers that do not know the question tell the count alone.
            if told.extent.is_some() || told.count == Some(0) {
                known.place = Some(told.place());
            }
        });
    }

    /// Takes the answer of [`Question::Outlines`] or [`Question::PlainOutlines`].
    pub fn outlined(&mut self, answer: Result<Parsed<FeaturePage>, Problem>) {
        self.answer(answer, |known, question, answer| {
            known.mark([question]);
            if !matches!(answer, Err(Problem::Rejected(_))) {
                known.mark([Question::PlainOutlines]);
            }
            let Ok(page) = answer else { return };
            let outlines = page.outlines();
            let drawn = outlines.iter().filter_map(|outline| outline.geometry.as_ref());
            let points = drawn.flat_map(|geometry| geometry.parts().flatten());
            let Some(area) = around(points.map(|point| (point.x, point.y))) else { return };
            // A part of the features proves where something is, never where nothing is.
            if page.is_complete() && page.bad_items.is_empty() {
                known.coverage = Some(Coverage::of(area, outlines.iter()));
            }
        });
    }

    /// Passes over the layer whose turn it is until the next visit: its question was not sent or got no answer.
    pub fn skip(&mut self) {
        let id = self.open().map(|(layer, ..)| layer.id);
        self.skipped.extend(id);
    }

    /// Requests that were answered.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// What is known now, to be kept until the next visit.
    #[must_use]
    pub fn finish(self) -> Vec<(u64, LayerWhere)> {
        self.layers.into_iter().map(|(layer, known)| (layer.id, known)).collect()
    }

    fn answer<T>(
        &mut self,
        answer: Result<Parsed<T>, Problem>,
        learn: impl FnOnce(&mut LayerWhere, Question, Result<T, Problem>),
    ) {
        let Some((id, question)) = self.open().map(|(layer, _, question)| (layer.id, question)) else {
            return;
        };
        self.requests = self.requests.saturating_add(1);
        // A busy or closed service has not answered: nothing is learnt of the layer, and no other is asked now.
        if answer.as_ref().is_err_and(Problem::is_of_the_service) {
            self.is_over = true;
            return;
        }
        let now = self.now;
        if let Some((layer, known)) = self.layers.iter_mut().find(|(layer, _)| layer.id == id) {
            learn(known, question, answer.map(|parsed| parsed.facts));
            if open_question(layer, known, now).is_none() {
                known.checked = Some(now);
            }
        }
    }

    fn open(&self) -> Option<(&Layer, &LayerWhere, Question)> {
        if self.is_over {
            return None;
        }
        self.layers
            .iter()
            .filter(|(layer, _)| !self.skipped.contains(&layer.id))
            .find_map(|(layer, known)| Some((layer, known, open_question(layer, known, self.now)?)))
    }
}

/// What is still to be asked about a layer.
fn open_question(layer: &Layer, known: &LayerWhere, now: SystemTime) -> Option<Question> {
    let is_fresh =
        known.checked.is_some_and(|checked| now.duration_since(checked).map_or(true, |age| age < WHERE_AGE));
    if is_fresh || !layer.is_queryable() {
        return None;
    }
    let is_open = |question| !known.done.contains(&question);
    if is_open(Question::Count) {
        return Some(Question::Count);
    }
    if known.count.is_none() && is_open(Question::Ids) {
        return Some(Question::Ids);
    }
    let is_placeable = layer.geometry_type.is_some() || layer.extent.is_some();
    if known.count == Some(0) || !is_placeable {
        return None;
    }
    if known.is_doubtful() && layer.may_return_extent() && is_open(Question::Extent) {
        return Some(Question::Extent);
    }
    let most = layer.max_record_count.unwrap_or(OUTLINES_LIMIT).min(OUTLINES_LIMIT);
    if known.count.is_none_or(|count| count > most) {
        return None;
    }
    [Question::Outlines, Question::PlainOutlines].into_iter().find(|question| is_open(*question))
}

fn around(points: impl Iterator<Item = (f64, f64)>) -> Option<Bbox> {
    points.fold(None, |bbox, (x, y)| {
        let bbox = bbox.unwrap_or(Bbox { west: x, south: y, east: x, north: y });
        Some(Bbox {
            west: bbox.west.min(x),
            south: bbox.south.min(y),
            east: bbox.east.max(x),
            north: bbox.north.max(y),
        })
    })
}
