//! ArcGIS REST for crawlers: requests out; directories, services, layers, counts and outlines in.
//!
//! Not an HTTP client and no SDK: bring your own client, which sends what this crate builds and hands back what came.
//! Nothing here opens a socket or reads a clock, and no request ever holds a token.
//!
//! # Reading an answer
//! ArcGIS servers put errors into answers with status 200, and data into JSON that no parser takes.
//! [`Answer::read`] judges both: facts, or a [`Problem`] that says what to do next.
//!
//! ```
//! use bot_etiquette_arcgis::{Answer, Layers, Problem};
//!
//! // A layer without data, from a server that writes NaN into JSON.
//! let body = br#"{"layers":[{"id":3,"name":"Wells","extent":{"xmin":NaN,"ymin":NaN,"xmax":NaN,"ymax":NaN}}]}"#;
//! let parsed = Answer::body(body).read::<Layers>()?;
//! assert_eq!(parsed.repairs, ["not-a-number"]);
//! assert_eq!(parsed.facts.layers[0].name.as_deref(), Some("Wells"));
//! # Ok::<(), Problem>(())
//! ```

mod address;
mod answer;
mod count;
mod coverage;
mod crs;
mod directory;
pub mod discover;
mod document;
#[cfg(feature = "draw")]
mod draw;
mod error;
mod facts;
mod features;
mod geojson;
mod geometry;
mod layer;
mod outcome;
mod preview;
mod request;
mod scalar;
mod service;
mod space;
mod standing;
mod tiles;
mod visit;
mod wgs84;
mod where_job;

pub use self::address::{Address, AddressError, Root, ServiceUrl};
pub use self::answer::{Answer, Parsed, REPAIR_LIMIT};
pub use self::count::{Count, CountMethod, Counts, LayerCount, QueryExtent};
pub use self::coverage::{Coverage, Evidence, GRID, evidence};
pub use self::directory::{Directory, ServiceEntry, ServiceType};
#[cfg(feature = "draw")]
pub use self::draw::draw_features;
pub use self::error::EsriError;
pub use self::facts::{BadItem, Facts};
pub use self::features::{Feature, FeaturePage};
pub use self::geojson::{Geometry, HOLE_BUDGET, Outline};
pub use self::geometry::{EsriGeometry, Position, Shape};
pub use self::layer::{EditingInfo, Field, Layer, LayerKind, LayerName, Layers, QueryCapabilities};
pub use self::outcome::{AuthReason, HtmlPage, Problem, RetryAfter};
pub use self::preview::{
    PREVIEW_AGE, PREVIEW_TILES, PictureError, Preview, SAMPLE_LIMIT, check_picture, plan_preview,
    preview_is_due,
};
pub use self::request::{
    COUNT_LIMIT, DIRECTORY_LIMIT, IMAGE_LIMIT, LAYERS_LIMIT, PAGE_LIMIT, Request, SERVICE_LIMIT, URL_LIMIT,
};
pub use self::service::{LayerEntry, Service};
pub use self::space::{Extent, SpatialReference};
pub use self::standing::{AUTH_STRIKES, GONE_STRIKES, STRIKE_GAP, ServiceState, Standing, Strikes};
pub use self::tiles::{Lod, Tile, TileInfo};
pub use self::visit::{Report, Step, VISIT_LIMIT, Visit};
pub use self::wgs84::{Bbox, EDGE_POINTS, Place, Reason, Verdict};
pub use self::where_job::{LayerWhere, OUTLINES_LIMIT, Question, WHERE_AGE, WHERE_LIMIT, Where};
