//! Counts, extents and estimates: how much there is and where, without a feature.

use bot_etiquette_lenient::json::{Limits, Token, Tokens};
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::facts::{BadItem, items, sealed::Read};
use crate::outcome::Problem;
use crate::scalar;
use crate::space::{self, Extent};

/// How many features a layer holds.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Count, CountMethod};
///
/// let ids = Answer::body(br#"{"objectIdFieldName":"OID","objectIds":[3,4,7]}"#).read::<Count>()?.facts;
/// assert_eq!((ids.count, ids.method), (3, CountMethod::Ids));
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The number of features.
    pub count: u64,
    /// How it was told.
    pub method: CountMethod,
}

/// How a count was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CountMethod {
    /// The server counted.
    Counted,
    /// The server listed ids, which were counted here.
    Ids,
}

impl Read for Count {
    const KIND: &'static str = "count";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        if let Some(count) = document.with("count", |raw| scalar::unsigned(raw)) {
            return Ok(Self { count, method: CountMethod::Counted });
        }
        if document.has("objectIds") {
            let count = u64::try_from(document.items("objectIds").len()).unwrap_or(u64::MAX);
            return Ok(Self { count, method: CountMethod::Ids });
        }
        if document.has("features") {
            return Err(Problem::CountIgnored);
        }
        Err(Problem::OtherKind { expected: Self::KIND })
    }

    fn ignores_count(body: &[u8]) -> bool {
        let mut depth = 0_usize;
        for token in Tokens::new(body, Limits::default()).map_while(Result::ok) {
            match token {
                Token::BeginObject | Token::BeginArray => depth = depth.saturating_add(1),
                Token::EndObject | Token::EndArray => depth = depth.saturating_sub(1),
                Token::Key(key) if depth == 1 && key.raw() == b"features" => return true,
                _ => {}
            }
        }
        false
    }
}

/// Counts, and extents where told, of many layers: `getEstimates`, or a query of a whole service.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Counts};
///
/// let body = br#"{"layerEstimates":[{"layerId":0,"count":48},null,{"layerId":1,"count":69}]}"#;
/// let counts = Answer::body(body).read::<Counts>()?.facts;
/// assert_eq!(counts.of(1), Some(69));
/// assert_eq!(counts.bad_items.len(), 1);
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Counts {
    /// One for each layer that answered.
    #[serde(default)]
    pub layers: Vec<LayerCount>,
    /// Entries that hold no number of a layer; one layer may fail while others answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad_items: Vec<BadItem>,
}

/// The count of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayerCount {
    /// The layer.
    #[serde(alias = "layerId", deserialize_with = "scalar::id")]
    pub id: u64,
    /// How many features; none where the server does not say.
    #[serde(default, deserialize_with = "scalar::unsigned", skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Where they lie; an estimate may be too large.
    #[serde(default, deserialize_with = "space::extent", skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
}

impl Counts {
    /// The count of a layer.
    #[must_use]
    pub fn of(&self, layer: u64) -> Option<u64> {
        self.layers.iter().find(|counted| counted.id == layer)?.count
    }
}

impl Read for Counts {
    const KIND: &'static str = "list of counts";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let Some(list) = ["layerEstimates", "layers"].into_iter().find(|list| document.has(list)) else {
            return Err(Problem::OtherKind { expected: Self::KIND });
        };
        let (layers, bad_items) = items::<LayerCount>(document, list);
        // Descriptions list their layers under the same name as the query of a whole service does.
        if list == "layers" && layers.iter().all(|layer| layer.count.is_none()) {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        Ok(Self { layers, bad_items })
    }
}

/// The answer to "where, and how many": the extent of a query's features, or a layer's estimate.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, QueryExtent};
///
/// let answer = Answer::body(br#"{"count":0,"extent":{"xmin":"NaN","ymin":"NaN","xmax":"NaN","ymax":"NaN"}}"#);
/// let facts = answer.read::<QueryExtent>()?.facts;
/// assert!(facts.is_empty());
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueryExtent {
    /// How many features; servers that do not know the question leave it out, or tell it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Where they lie, as told.
    #[serde(default)]
    pub extent: Option<Extent>,
}

impl QueryExtent {
    /// Whether the answer says that there is nothing: a count of 0, or an extent without numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let has_numbers = self.extent.as_ref().and_then(|extent| extent.xmin).is_some_and(f64::is_finite);
        self.count.map_or(!has_numbers, |count| count == 0)
    }
}

impl Read for QueryExtent {
    const KIND: &'static str = "extent";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        // Image services and layers have an extent of their own.
        const OTHERS: [&str; 7] =
            ["id", "name", "currentVersion", "capabilities", "layers", "services", "fields"];
        if document.has("features") && !document.has("id") {
            return Err(Problem::CountIgnored);
        }
        if !document.has_any(&["extent", "count"]) || document.has_any(&OTHERS) {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        Ok(Self {
            count: document.with("count", |raw| scalar::unsigned(raw)),
            extent: document.with("extent", |raw| space::extent(raw)),
        })
    }

    fn ignores_count(body: &[u8]) -> bool {
        Count::ignores_count(body)
    }
}
