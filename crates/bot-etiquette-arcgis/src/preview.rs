//! A preview picture: which one to ask for, at a scale where the layer draws, and whether what came is one.

use std::time::{Duration, SystemTime};

use crate::address::ServiceUrl;
use crate::crs::{MERCATOR_EDGE, mercator};
use crate::directory::ServiceType;
use crate::layer::Layer;
use crate::request::Request;
use crate::service::Service;
use crate::tiles::Tile;
use crate::wgs84::{Bbox, Place};

/// A preview older than this may be drawn anew; one of exactly this age is kept.
pub const PREVIEW_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Tiles put together for one preview at the most.
pub const PREVIEW_TILES: usize = 4;
/// Features of a sample that is drawn here at the most.
pub const SAMPLE_LIMIT: u64 = 500;

/// Denominator of the scale of one metre a pixel at 96 dots an inch.
const SCALE_PER_METRE: f64 = 96.0 / 0.0254;

/// One way to a preview picture.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Preview {
    /// The server draws it: one request, whose answer is a picture of this size.
    Picture {
        /// What to ask.
        request: Request,
        /// Width and height in pixels.
        size: (u32, u32),
        /// What it shows.
        bbox: Bbox,
    },
    /// Tiles that were drawn before, all layers fused; a missing one (404) is no fault.
    Tiles {
        /// What to ask, and where each tile belongs.
        requests: Vec<(Tile, Request)>,
        /// Width and height of each tile in pixels.
        size: (u32, u32),
    },
    /// Features to draw here.
    Sample {
        /// What to ask; the answer is in Web Mercator.
        request: Request,
        /// Width and height of the picture to draw.
        size: (u32, u32),
        /// The view in Web Mercator: xmin, ymin, xmax, ymax.
        view: [f64; 4],
    },
}

/// Whether a preview is due, given when the last one was drawn.
///
/// ```
/// use bot_etiquette_arcgis::{PREVIEW_AGE, preview_is_due};
/// use std::time::{Duration, SystemTime};
///
/// let drawn = SystemTime::UNIX_EPOCH;
/// assert!(!preview_is_due(Some(drawn), drawn + PREVIEW_AGE));
/// assert!(preview_is_due(Some(drawn), drawn + PREVIEW_AGE + Duration::from_secs(1)));
/// assert!(preview_is_due(None, drawn));
/// ```
#[must_use]
pub fn preview_is_due(drawn: Option<SystemTime>, now: SystemTime) -> bool {
    drawn.is_none_or(|drawn| now.duration_since(drawn).is_ok_and(|age| age > PREVIEW_AGE))
}

/// The ways to a preview of a layer (of the whole service when none is given), the best first. Take the next one where a
/// picture fails or is blank; none are left where the place is unknown.
///
/// A box too large for the layer's scales is made smaller around its middle, one too small is made larger: what a
/// publisher hides at a scale stays hidden.
///
/// ```
/// use bot_etiquette_arcgis::{Address, Answer, Extent, Layer, Preview, Service, plan_preview};
///
/// let url = "https://gis.example.org/arcgis/rest/services/A/MapServer".parse::<Address>()?.service.unwrap();
/// let service = Answer::body(br#"{"mapName":"A","capabilities":"Map,Query"}"#).read::<Service>()?.facts;
/// let layer = Answer::body(br#"{"id":3,"name":"Wells","geometryType":"esriGeometryPoint"}"#).read::<Layer>()?.facts;
/// let place = Extent::new([5.0, 45.0, 6.0, 46.0], 4326).to_wgs84();
/// let plan = plan_preview(&url, &service, Some(&layer), &place, (400, 300));
/// assert!(matches!(plan.as_slice(), [Preview::Picture { .. }, Preview::Sample { .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn plan_preview(
    url: &ServiceUrl,
    service: &Service,
    layer: Option<&Layer>,
    place: &Place,
    size: (u32, u32),
) -> Vec<Preview> {
    let Some(bbox) = place.boxes.first() else { return Vec::new() };
    let size =
        (size.0.clamp(1, limit(service.max_image_width)), size.1.clamp(1, limit(service.max_image_height)));
    let range = layer.map_or_else(|| scales(service), Layer::scale_range);
    let Some(view) = view(bbox, size, range) else { return Vec::new() };
    let shown = degrees(view);
    let mut ways = Vec::new();
    let tiles_only = service.can("TilesOnly");
    match url.service_type() {
        ServiceType::MapServer if service.can("Map") && !tiles_only => {
            let request = url.export(layer.map(|layer| layer.id), &shown, size);
            ways.push(Preview::Picture { request, size, bbox: shown });
        }
        ServiceType::ImageServer if !tiles_only => {
            ways.push(Preview::Picture { request: url.export_image(&shown, size), size, bbox: shown });
        }
        _ => {}
    }
    // A scheme alone means nothing: only a fused cache has tiles.
    if let Some(scheme) = service.tile_info.as_ref().filter(|_| service.single_fused_map_cache) {
        let reference = scheme.spatial_reference.as_ref().or(service.spatial_reference.as_ref());
        let crs = reference.and_then(|reference| crate::crs::Crs::find(reference).into_iter().next());
        let area = match crs {
            Some(crs) if crs.is_mercator() => Some(view),
            Some(crs) if crs.is_degrees() => Some(shown.into()),
            // Tiles of other grids would need the way there, not only the way back.
            _ => None,
        };
        let draws = |scale: f64| (range.0 <= 0.0 || scale <= range.0) && (range.1 <= 0.0 || scale >= range.1);
        let tiles = area.map(|area| scheme.cover(area, PREVIEW_TILES, draws)).unwrap_or_default();
        if !tiles.is_empty() {
            ways.push(Preview::Tiles {
                requests: tiles.into_iter().map(|tile| (tile, url.tile(tile))).collect(),
                size: (scheme.cols, scheme.rows),
            });
        }
    }
    if let Some(layer) = layer.filter(|layer| layer.geometry_type.is_some() && layer.is_queryable())
        && url.service_type().has_layers()
    {
        let metres = (view[2] - view[0]) / f64::from(size.0);
        ways.push(Preview::Sample { request: url.sample(layer, &shown, SAMPLE_LIMIT, metres), size, view });
    }
    ways
}

/// What a picture in the answer is, or why it is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Text, JSON or HTML with or without a content type of a picture.
    #[error("no picture, whatever its content type says")]
    NotAPicture,
    /// Another size than was asked for.
    #[error("a picture of {0} x {1} pixels, which is not what was asked for")]
    Size(u32, u32),
    /// A header of a picture whose rest is broken.
    #[error("a broken picture")]
    Broken,
    /// One colour, or transparent, all over.
    #[error("a picture of nothing")]
    Blank,
}

/// Checks a picture by its bytes: a PNG or JPEG, of the size asked for, and with the feature `draw` that it is whole and
/// shows something.
///
/// ```
/// use bot_etiquette_arcgis::{PictureError, check_picture};
///
/// let body = br#"{"error":{"code":400,"message":"Invalid URL"}}"#;
/// assert_eq!(check_picture(body, (400, 300)), Err(PictureError::NotAPicture));
/// ```
///
/// # Errors
/// [`PictureError`] for what should not be shown.
pub fn check_picture(body: &[u8], asked: (u32, u32)) -> Result<(), PictureError> {
    let (width, height) = png_size(body).or_else(|| jpeg_size(body)).ok_or(PictureError::NotAPicture)?;
    if (width, height) != asked {
        return Err(PictureError::Size(width, height));
    }
    #[cfg(feature = "draw")]
    crate::picture::check(body)?;
    Ok(())
}

fn png_size(body: &[u8]) -> Option<(u32, u32)> {
    let rest = body.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let header = rest.get(4..16)?.strip_prefix(b"IHDR")?;
    let (width, height) = header.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(*height.first_chunk()?)))
}

/// The size in the frame header, found by walking from segment to segment.
fn jpeg_size(body: &[u8]) -> Option<(u32, u32)> {
    let mut rest = body.strip_prefix(b"\xff\xd8")?;
    loop {
        let [0xff, marker, high, low, tail @ ..] = rest else { return None };
        // Frame headers, without the three markers of their range that are something else.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let [_, h1, h2, w1, w2, ..] = tail else { return None };
            return Some((u16::from_be_bytes([*w1, *w2]).into(), u16::from_be_bytes([*h1, *h2]).into()));
        }
        rest = rest.get(2..)?.get(usize::from(u16::from_be_bytes([*high, *low])).max(2)..)?;
    }
}

fn limit(told: Option<u64>) -> u32 {
    told.and_then(|pixels| u32::try_from(pixels).ok())
        .filter(|pixels| *pixels > 0)
        .unwrap_or(4_096)
        .min(4_096)
}

fn scales(service: &Service) -> (f64, f64) {
    (service.min_scale.unwrap_or(0.0).max(0.0), service.max_scale.unwrap_or(0.0).max(0.0))
}

/// The view in Web Mercator: the box with a margin, in the picture's shape, at a scale within `range`.
fn view(bbox: &Bbox, (width, height): (u32, u32), (far, near): (f64, f64)) -> Option<[f64; 4]> {
    let (left, bottom) = mercator(bbox.west, bbox.south.max(-85.0));
    let (right, top) = mercator(bbox.east, bbox.north.min(85.0));
    let (width, height) = (f64::from(width), f64::from(height));
    // A single point gets 500 metres.
    let needed = ((right - left) * 1.1 / width).max((top - bottom) * 1.1 / height).max(500.0 / width);
    let mut metres = needed;
    // Well within the limits where there is room, in the middle of a narrow band where there is not.
    let within = |wanted: f64| {
        if far > 0.0 && (wanted > far || wanted < near) { (far * near.max(far / 2.0)).sqrt() } else { wanted }
    };
    if far > 0.0 && metres * SCALE_PER_METRE > far {
        metres = within(far * 0.7) / SCALE_PER_METRE;
    } else if near > 0.0 && metres * SCALE_PER_METRE < near {
        metres = within(near * 1.4) / SCALE_PER_METRE;
    }
    let (x, y) = (left.midpoint(right), bottom.midpoint(top));
    let (half_wide, half_high) = (metres * width / 2.0, metres * height / 2.0);
    let view = [x - half_wide, y - half_high, x + half_wide, y + half_high];
    view.iter().all(|edge| edge.is_finite()).then_some(view)
}

fn degrees([left, bottom, right, top]: [f64; 4]) -> Bbox {
    let place = |x: f64, y: f64| {
        let (x, y) = (x.clamp(-MERCATOR_EDGE, MERCATOR_EDGE), y.clamp(-MERCATOR_EDGE, MERCATOR_EDGE));
        crate::crs::from_mercator(x, y)
    };
    let ((west, south), (east, north)) = (place(left, bottom), place(right, top));
    Bbox { west, south, east, north }
}
