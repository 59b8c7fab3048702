//! Where the data of a service's layers lies: at most three requests a visit, stalest layers first.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::address::ServiceUrl;
use crate::answer::Parsed;
use crate::count::{Count, QueryExtent};
use crate::coverage::Coverage;
use crate::features::FeaturePage;
use crate::layer::Layer;
use crate::outcome::Problem;
use crate::request::Request;
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
}

impl Where {
    /// A job over layers and what is known of them, as of `now`. Fresh and unqueryable ones are left alone; the stalest
    /// come first.
    #[must_use]
    pub fn new(url: ServiceUrl, layers: Vec<(Layer, LayerWhere)>, now: SystemTime) -> Self {
        let mut job = Self { url, layers, now, requests: 0 };
        for (layer, known) in &mut job.layers {
            let is_stale = known
                .checked
                .is_some_and(|checked| now.duration_since(checked).is_ok_and(|age| age >= WHERE_AGE));
            if is_stale {
                // Asked anew from the start; what is known holds until the answers come.
                known.done.clear();
            }
            if known.place.is_none() {
                known.place = Some(layer.place(None, known.count));
            }
        }
        // Never checked sorts before any time.
        job.layers.sort_by_key(|(_, known)| known.checked);
        job
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
        };
        Some((layer.id, question, request))
    }

    /// Takes the answer of [`Question::Count`] or [`Question::Ids`].
    pub fn counted(&mut self, answer: Result<Parsed<Count>, Problem>) {
        self.answer(|known, question| match answer {
            Ok(parsed) => {
                known.count = Some(parsed.facts.count);
                known.done.extend([Question::Count, Question::Ids]);
            }
            // A body cut off at the limit for counts looks like this as well.
            Err(Problem::CountIgnored) => known.done.push(question),
            Err(_) => known.done.extend([Question::Count, Question::Ids]),
        });
    }

    /// Takes the answer of [`Question::Extent`].
    pub fn placed(&mut self, answer: Result<Parsed<QueryExtent>, Problem>) {
        self.answer(|known, question| {
            known.done.push(question);
            if let Ok(parsed) = answer {
                known.count = parsed.facts.count.or(known.count);
                // Servers that do not know the question tell the count alone.
                if parsed.facts.extent.is_some() || parsed.facts.count == Some(0) {
                    known.place = Some(parsed.facts.place());
                }
            }
        });
    }

    /// Takes the answer of [`Question::Outlines`].
    pub fn outlined(&mut self, answer: Result<Parsed<FeaturePage>, Problem>) {
        self.answer(|known, question| {
            known.done.push(question);
            let Ok(parsed) = answer else { return };
            let outlines = parsed.facts.outlines();
            let drawn = outlines.iter().filter_map(|outline| outline.geometry.as_ref());
            let points = drawn.flat_map(|geometry| geometry.parts().flatten());
            let Some(area) = around(points.map(|point| (point.x, point.y))) else { return };
            // A part of the features proves where something is, never where nothing is.
            if parsed.facts.is_complete() && parsed.facts.bad_items.is_empty() {
                known.coverage = Some(Coverage::of(area, outlines.iter()));
            }
        });
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

    fn answer(&mut self, learn: impl FnOnce(&mut LayerWhere, Question)) {
        let Some((id, question)) = self.open().map(|(layer, _, question)| (layer.id, question)) else {
            return;
        };
        self.requests = self.requests.saturating_add(1);
        let now = self.now;
        if let Some((layer, known)) = self.layers.iter_mut().find(|(layer, _)| layer.id == id) {
            learn(known, question);
            if open_question(layer, known, now).is_none() {
                known.checked = Some(now);
            }
        }
    }

    fn open(&self) -> Option<(&Layer, &LayerWhere, Question)> {
        self.layers
            .iter()
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
    let is_doubtful = known.place.as_ref().is_none_or(|place| {
        matches!(place.verdict, Verdict::None | Verdict::Suspect) && place.reason != Some(Reason::NullIsland)
    });
    if is_doubtful && layer.may_return_extent() && is_open(Question::Extent) {
        return Some(Question::Extent);
    }
    let most = layer.max_record_count.unwrap_or(OUTLINES_LIMIT).min(OUTLINES_LIMIT);
    let is_small = known.count.is_some_and(|count| count <= most);
    (is_small && is_open(Question::Outlines)).then_some(Question::Outlines)
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
