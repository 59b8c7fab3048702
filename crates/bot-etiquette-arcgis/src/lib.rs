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
//!
//! Send what a [`Request`] holds, stop reading at its [`body_limit`](Request::body_limit), and hand status, header and
//! decompressed body to [`Answer::new`].
//!
//! # Reading a server
//! 1. [`DirectoryWalk`] reads the root and each folder once.
//! 2. [`Visit`] reads a service: its description, all its layers, and their counts, in three requests at the most.
//! 3. [`Layer::place`] says where a layer's data lies and what that is worth; where it is worth little, [`Where`] asks.
//! 4. [`plan_preview`] says which picture to ask for, [`check_picture`] whether one came.
//! 5. [`Standing`] says after repeated checks whether a service is public, gone or unchecked.
//!
//! robots.txt and the pace of requests are the crawler's: each of these yields one request at a time and waits for nothing.
//!
//! # Features
//! - `proj` (default): extents of EPSG's and Esri's coordinate systems, in pure Rust; without it WGS 84 and its like and
//!   Web Mercator alone.
//! - `draw`: draws samples of features, puts tiles together, and sees whether a picture shows anything.

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
mod footprints;
mod geojson;
mod geometry;
mod info;
mod layer;
mod outcome;
#[cfg(feature = "draw")]
mod picture;
mod place;
mod preview;
mod request;
mod scalar;
mod service;
mod shape;
mod space;
mod standing;
mod tiles;
mod visit;
mod walk;
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
pub use self::footprints::{Footprint, Footprints};
pub use self::geojson::{Geometry, HOLE_BUDGET, Outline};
pub use self::geometry::{EsriGeometry, Position, Shape};
pub use self::info::{AuthInfo, ServerInfo};
pub use self::layer::{EditingInfo, Field, Layer, LayerKind, LayerName, Layers, QueryCapabilities};
pub use self::outcome::{AuthReason, HtmlPage, Problem, RetryAfter};
#[cfg(feature = "draw")]
pub use self::picture::join_tiles;
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
pub use self::walk::{DirectoryWalk, FOLDER_DEPTH};
pub use self::wgs84::{Bbox, EDGE_POINTS, Place, Reason, Verdict};
pub use self::where_job::{LayerWhere, OUTLINES_LIMIT, Question, WHERE_AGE, WHERE_LIMIT, Where};
