//! Pictures that servers drew: whether they show anything, and tiles put together.

use tiny_skia::{IntSize, Pixmap, PixmapPaint, Transform};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::preview::{PREVIEW_TILES, PictureError};
use crate::tiles::Tile;

/// Pixels of a side at the most, as servers draw them.
const SIDE_LIMIT: u16 = 4_096;

/// Puts tiles of one level together as one PNG; where a tile is missing, the picture is transparent.
///
/// `size` is that of each tile; a tile that fails [`check_picture`](crate::check_picture) otherwise than by being blank is
/// left out.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, FeaturePage, Tile, check_picture, draw_features, join_tiles};
///
/// let line = Answer::body(br#"{"features":[{"geometry":{"paths":[[[0,0],[9,9]]]}}]}"#).read::<FeaturePage>()?.facts;
/// let drawn = draw_features(&line, [0.0, 0.0, 9.0, 9.0], (16, 16))?;
/// let tile = |col| Tile { level: 4, row: 7, col };
/// let picture = join_tiles(&[(tile(30), &drawn), (tile(31), b"not found")], (16, 16))?;
/// assert_eq!(check_picture(&picture, (16, 16)), Ok(()));
/// let picture = join_tiles(&[(tile(30), &drawn), (tile(31), &drawn)], (16, 16))?;
/// assert_eq!(check_picture(&picture, (32, 16)), Ok(()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PictureError::Blank`] when nothing is to be seen; [`PictureError::Broken`] for tiles that lie further apart than a
/// preview has room for.
pub fn join_tiles(tiles: &[(Tile, &[u8])], size: (u32, u32)) -> Result<Vec<u8>, PictureError> {
    let decoded = tiles.iter().filter_map(|(tile, body)| {
        let is_fit = matches!(crate::check_picture(body, size), Ok(()) | Err(PictureError::Blank));
        Some((tile, decode(body).ok().filter(|_| is_fit)?))
    });
    let decoded: Vec<_> = decoded.collect();
    let rows = || decoded.iter().map(|(tile, _)| tile.row);
    let cols = || decoded.iter().map(|(tile, _)| tile.col);
    let (Some(top), Some(bottom), Some(left), Some(right)) =
        (rows().min(), rows().max(), cols().min(), cols().max())
    else {
        return Err(PictureError::Blank);
    };
    let most = PREVIEW_TILES as u64;
    let across = |from: u64, to: u64, pixels: u32| {
        let count = to.saturating_sub(from).saturating_add(1);
        u32::try_from(count).ok().filter(|_| count <= most)?.checked_mul(pixels)
    };
    let picture = across(left, right, size.0).zip(across(top, bottom, size.1));
    let mut picture =
        picture.and_then(|(width, height)| Pixmap::new(width, height)).ok_or(PictureError::Broken)?;
    for (tile, pixels) in &decoded {
        let offset = |at: u64, from: u64, pixels: u32| {
            let offset = u32::try_from(at.saturating_sub(from)).ok()?.checked_mul(pixels)?;
            i32::try_from(offset).ok()
        };
        let (Some(x), Some(y)) = (offset(tile.col, left, size.0), offset(tile.row, top, size.1)) else {
            continue;
        };
        picture.draw_pixmap(x, y, pixels.as_ref(), &PixmapPaint::default(), Transform::identity(), None);
    }
    if is_blank(&picture) {
        return Err(PictureError::Blank);
    }
    picture.encode_png().map_err(|_| PictureError::Broken)
}

/// Decodes a picture, whose size was checked before, and looks whether it shows anything.
pub(crate) fn check(body: &[u8]) -> Result<(), PictureError> {
    if is_blank(&decode(body)?) { Err(PictureError::Blank) } else { Ok(()) }
}

pub(crate) fn is_blank(pixmap: &Pixmap) -> bool {
    let pixels = pixmap.pixels();
    pixels.iter().all(|pixel| Some(pixel) == pixels.first())
}

fn decode(body: &[u8]) -> Result<Pixmap, PictureError> {
    if body.starts_with(b"\xff\xd8") {
        jpeg(body).ok_or(PictureError::Broken)
    } else {
        Pixmap::decode_png(body).map_err(|_| PictureError::Broken)
    }
}

fn jpeg(body: &[u8]) -> Option<Pixmap> {
    let options = DecoderOptions::new_fast()
        .set_max_width(SIDE_LIMIT.into())
        .set_max_height(SIDE_LIMIT.into())
        .set_strict_mode(true)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(body), options);
    let pixels = decoder.decode().ok()?;
    let (width, height) = decoder.dimensions()?;
    let size = IntSize::from_wh(width.try_into().ok()?, height.try_into().ok()?)?;
    Pixmap::from_vec(pixels, size)
}
