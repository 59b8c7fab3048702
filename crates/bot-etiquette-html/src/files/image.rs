//! The size of a picture from its first bytes.
//!
//! Read here: PNG, GIF, JPEG with its orientation, WebP, BMP, ICO, SVG. By the `imagesize` crate: AVIF and HEIF, JPEG XL, TIFF.

use std::io::Read;

use imagesize::{ImageError, ImageType};
use quick_xml::Reader;
use quick_xml::events::Event;

/// Bytes unpacked of a compressed SVG.
const SVG_WINDOW: u64 = 65_536;

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Image {
    /// The format.
    pub format: ImageFormat,
    /// The width in pixels as it is stored; of an SVG in CSS pixels, rounded.
    pub width: u32,
    /// The height likewise.
    pub height: u32,
    /// How a viewer turns it, as EXIF says it: 1 for not at all.
    pub orientation: u8,
}

impl Image {
    /// Width and height as a viewer shows it: changed for each other where the orientation is 5 to 8.
    #[must_use]
    pub fn shown(&self) -> (u32, u32) {
        if (5..=8).contains(&self.orientation) {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        }
    }
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ImageFormat {
    /// PNG, animated or not.
    Png,
    /// GIF.
    Gif,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// Windows bitmap.
    Bmp,
    /// SVG, packed or not.
    Svg,
    /// AVIF, HEIC and their like.
    Heif,
    /// JPEG XL.
    Jxl,
    /// TIFF.
    Tiff,
    /// Windows icon.
    Ico,
}

/// What the first bytes of a file tell of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ImageHead {
    /// The picture.
    Known(Image),
    /// A picture by its start; its size is told by bytes at this offset or beyond.
    NeedMore(u64),
    /// No picture of a known format, or a broken one.
    NotAnImage,
}

/// Reads the first bytes of a picture.
///
/// ```
/// use bot_etiquette_html::{ImageFormat, ImageHead, image_head};
///
/// let ImageHead::Known(image) = image_head(b"GIF89a\x40\x01\xf0\x00\0\0\0") else { return Err("no picture") };
/// assert_eq!((image.format, image.width, image.height), (ImageFormat::Gif, 320, 240));
/// assert_eq!(image_head(b"\x89PNG\r\n\x1a\n"), ImageHead::NeedMore(8));
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn image_head(bytes: &[u8]) -> ImageHead {
    let found = match bytes {
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => png(bytes),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => gif(bytes),
        [0xFF, 0xD8, 0xFF, ..] => jpeg(bytes),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(bytes),
        [b'B', b'M', ..] => bmp(bytes),
        [0, 0, 1, 0, ..] => icon(bytes),
        [0x1F, 0x8B, ..] => svgz(bytes),
        _ => match by_library(bytes) {
            Ok(ImageHead::NotAnImage) => svg(bytes),
            found => found,
        },
    };
    found.unwrap_or_else(|Short(offset)| ImageHead::NeedMore(offset as u64))
}

/// The bytes end before this offset is read.
#[derive(Debug)]
struct Short(usize);

type Found = Result<ImageHead, Short>;

fn known(format: ImageFormat, width: u32, height: u32) -> ImageHead {
    if width == 0 || height == 0 {
        return ImageHead::NotAnImage;
    }
    ImageHead::Known(Image { format, width, height, orientation: 1 })
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Short> {
    let piece = bytes.get(at..at.saturating_add(N)).and_then(|piece| piece.try_into().ok());
    piece.ok_or(Short(bytes.len().min(at.max(bytes.len()))))
}

fn be16(bytes: &[u8], at: usize) -> Result<u32, Short> {
    array(bytes, at).map(|piece| u32::from(u16::from_be_bytes(piece)))
}

fn le16(bytes: &[u8], at: usize) -> Result<u32, Short> {
    array(bytes, at).map(|piece| u32::from(u16::from_le_bytes(piece)))
}

fn be32(bytes: &[u8], at: usize) -> Result<u32, Short> {
    array(bytes, at).map(u32::from_be_bytes)
}

fn le32(bytes: &[u8], at: usize) -> Result<u32, Short> {
    array(bytes, at).map(u32::from_le_bytes)
}

fn png(bytes: &[u8]) -> Found {
    // Apple's tools put a chunk of their own before the header.
    let at = if array(bytes, 12)? == *b"CgBI" { 28 } else { 12 };
    if array(bytes, at)? != *b"IHDR" {
        return Ok(ImageHead::NotAnImage);
    }
    Ok(known(ImageFormat::Png, be32(bytes, at.saturating_add(4))?, be32(bytes, at.saturating_add(8))?))
}

fn gif(bytes: &[u8]) -> Found {
    let (width, height) = (le16(bytes, 6)?, le16(bytes, 8)?);
    if width > 0 && height > 0 {
        return Ok(known(ImageFormat::Gif, width, height));
    }
    // No screen of its own: the first picture says it.
    let [flags] = array(bytes, 10)?;
    let colours = if flags & 0x80 == 0 { 0 } else { 3_usize << ((flags & 7) + 1) };
    let mut at = 13_usize.saturating_add(colours);
    loop {
        match array(bytes, at)? {
            [0x2C] => {
                let (width, height) =
                    (le16(bytes, at.saturating_add(5))?, le16(bytes, at.saturating_add(7))?);
                return Ok(known(ImageFormat::Gif, width, height));
            }
            [0x21] => {
                at = at.saturating_add(2);
                loop {
                    let [length] = array(bytes, at)?;
                    at = at.saturating_add(1).saturating_add(usize::from(length));
                    if length == 0 {
                        break;
                    }
                }
            }
            _ => return Ok(ImageHead::NotAnImage),
        }
    }
}

fn jpeg(bytes: &[u8]) -> Found {
    let mut at = 2_usize;
    let mut turned = 1;
    loop {
        let [mark] = array(bytes, at)?;
        if mark != 0xFF {
            return Ok(ImageHead::NotAnImage);
        }
        let [code] = array(bytes, at.saturating_add(1))?;
        match code {
            // A fill byte.
            0xFF => at = at.saturating_add(1),
            // These stand alone.
            0x01 | 0xD0..=0xD8 => at = at.saturating_add(2),
            // The end, or the picture itself, before a header was seen.
            0xD9 | 0xDA => return Ok(ImageHead::NotAnImage),
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                let (height, width) =
                    (be16(bytes, at.saturating_add(5))?, be16(bytes, at.saturating_add(7))?);
                return Ok(match known(ImageFormat::Jpeg, width, height) {
                    ImageHead::Known(image) => ImageHead::Known(Image { orientation: turned, ..image }),
                    other => other,
                });
            }
            _ => {
                let length = be16(bytes, at.saturating_add(2))? as usize;
                if length < 2 {
                    return Ok(ImageHead::NotAnImage);
                }
                let start = at.saturating_add(4);
                let next = at.saturating_add(2).saturating_add(length);
                if code == 0xE1 && turned == 1 {
                    let segment = bytes.get(start..next.min(bytes.len())).unwrap_or_default();
                    turned = segment.strip_prefix(b"Exif\0\0").and_then(orientation).unwrap_or(1);
                }
                if next > bytes.len() {
                    return Err(Short(next));
                }
                at = next;
            }
        }
    }
}

/// Tag 0x0112 of the first directory of EXIF.
fn orientation(tiff: &[u8]) -> Option<u8> {
    let is_little = match tiff.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |at| if is_little { le16(tiff, at) } else { be16(tiff, at) }.ok();
    let long = |at| if is_little { le32(tiff, at) } else { be32(tiff, at) }.ok();
    let directory = usize::try_from(long(4)?).ok()?;
    let entries = short(directory)? as usize;
    (0..entries)
        .map_while(|index| {
            let at = directory.checked_add(2)?.checked_add(index.checked_mul(12)?)?;
            Some((short(at)?, short(at.checked_add(8)?)?))
        })
        .find(|(tag, _)| *tag == 0x0112)
        .and_then(|(_, value)| u8::try_from(value).ok())
        .filter(|value| (1..=8).contains(value))
}

fn webp(bytes: &[u8]) -> Found {
    match &array::<4>(bytes, 12)? {
        b"VP8 " => {
            if array(bytes, 23)? != [0x9D, 0x01, 0x2A] {
                return Ok(ImageHead::NotAnImage);
            }
            // The two bits above are a scale.
            Ok(known(ImageFormat::Webp, le16(bytes, 26)? & 0x3FFF, le16(bytes, 28)? & 0x3FFF))
        }
        b"VP8L" => {
            let [mark] = array(bytes, 20)?;
            let sizes = le32(bytes, 21)?;
            if mark != 0x2F {
                return Ok(ImageHead::NotAnImage);
            }
            Ok(known(ImageFormat::Webp, (sizes & 0x3FFF) + 1, ((sizes >> 14) & 0x3FFF) + 1))
        }
        b"VP8X" => {
            let size = |at| {
                array::<3>(bytes, at)
                    .map(|[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]) + 1)
            };
            Ok(known(ImageFormat::Webp, size(24)?, size(27)?))
        }
        _ => Ok(ImageHead::NotAnImage),
    }
}

fn bmp(bytes: &[u8]) -> Found {
    match le32(bytes, 14)? {
        12 => Ok(known(ImageFormat::Bmp, le16(bytes, 18)?, le16(bytes, 20)?)),
        // A negative height is a picture stored from the top down.
        16..=1_024 => {
            let size = |at| array(bytes, at).map(|piece| i32::from_le_bytes(piece).unsigned_abs());
            Ok(known(ImageFormat::Bmp, size(18)?, size(22)?))
        }
        _ => Ok(ImageHead::NotAnImage),
    }
}

/// The largest of an icon's pictures; a list that breaks off may still name a larger one.
fn icon(bytes: &[u8]) -> Found {
    let end = 6_usize.saturating_add(le16(bytes, 4)? as usize * 16);
    let list = bytes.get(6..end).ok_or(Short(end.saturating_sub(1)))?;
    // 0 stands for 256, which a byte cannot hold.
    let side = |byte: u8| if byte == 0 { 256 } else { u32::from(byte) };
    let sizes = list.chunks_exact(16).filter_map(|entry| match entry {
        [width, height, ..] => Some((side(*width), side(*height))),
        _ => None,
    });
    let largest = sizes.max_by_key(|(width, height)| width * height);
    Ok(largest.map_or(ImageHead::NotAnImage, |(width, height)| known(ImageFormat::Ico, width, height)))
}

fn by_library(bytes: &[u8]) -> Found {
    let format = match imagesize::image_type(bytes) {
        Ok(ImageType::Heif(_)) => ImageFormat::Heif,
        Ok(ImageType::Jxl) => ImageFormat::Jxl,
        Ok(ImageType::Tiff) => ImageFormat::Tiff,
        _ => return Ok(ImageHead::NotAnImage),
    };
    let bytes = if format == ImageFormat::Heif { heif_facts(bytes)? } else { bytes };
    let fits = |number: usize| u32::try_from(number).ok();
    match imagesize::blob_size(bytes) {
        Ok(size) => Ok(match (fits(size.width), fits(size.height)) {
            (Some(width), Some(height)) => known(format, width, height),
            _ => ImageHead::NotAnImage,
        }),
        Err(ImageError::IoError(_)) => Err(Short(bytes.len())),
        Err(_) => Ok(ImageHead::NotAnImage),
    }
}

/// The bytes up to the end of the box that holds the facts, `meta` (ISO/IEC 14496-12, 8.11.1): what comes behind it, or
/// is yet to come, says nothing of the size.
fn heif_facts(bytes: &[u8]) -> Result<&[u8], Short> {
    let mut at = 0_usize;
    loop {
        let kind: [u8; 4] = array(bytes, at.saturating_add(4))?;
        let length = match be32(bytes, at)? {
            // To the end of the file, wherever that is.
            0 => return Err(Short(bytes.len())),
            1 => u64::from_be_bytes(array(bytes, at.saturating_add(8))?),
            length => u64::from(length),
        };
        // A box is no shorter than its own head.
        at = at.saturating_add(usize::try_from(length.max(8)).unwrap_or(usize::MAX));
        if &kind == b"meta" {
            return bytes.get(..at).ok_or(Short(bytes.len()));
        }
    }
}

fn svgz(bytes: &[u8]) -> Found {
    let mut text = Vec::new();
    // What breaks off may hold the root all the same.
    let whole = flate2::read::GzDecoder::new(bytes).take(SVG_WINDOW).read_to_end(&mut text).is_ok();
    match svg(&text) {
        Err(_) if whole => Ok(ImageHead::NotAnImage),
        Err(_) => Err(Short(bytes.len())),
        found => found,
    }
}

/// The root of an SVG: `width` and `height`, else the `viewBox`.
fn svg(bytes: &[u8]) -> Found {
    let text = String::from_utf8_lossy(bytes);
    if !text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<') {
        return Ok(ImageHead::NotAnImage);
    }
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                if root.local_name().into_inner() != "svg" {
                    return Ok(ImageHead::NotAnImage);
                }
                let mut attributes = root.html_attributes();
                let value = |name: &str, attributes: &mut quick_xml::events::attributes::Attributes<'_>| {
                    let found =
                        attributes.with_checks(false).flatten().find(|attribute| attribute.key.0 == name);
                    found.map(|attribute| attribute.value.into_owned())
                };
                let width = value("width", &mut attributes.clone()).and_then(|text| pixels(&text));
                let height = value("height", &mut attributes.clone()).and_then(|text| pixels(&text));
                let view = value("viewBox", &mut attributes).and_then(|text| view_box(&text));
                let size = match (width, height, view) {
                    (Some(width), Some(height), _) => Some((width, height)),
                    (Some(width), None, Some((across, down))) => Some((width, width * down / across)),
                    (None, Some(height), Some((across, down))) => Some((height * across / down, height)),
                    (None, None, view) => view,
                    _ => None,
                };
                return Ok(size.map_or(ImageHead::NotAnImage, |(width, height)| {
                    known(ImageFormat::Svg, rounded(width), rounded(height))
                }));
            }
            Ok(Event::Eof) | Err(_) => return Err(Short(bytes.len())),
            Ok(_) => {}
        }
    }
}

fn rounded(pixels: f64) -> u32 {
    // A float that is too large or no number becomes the nearest number there is; zero is refused by the caller.
    pixels.round().max(1.0) as u32
}

/// A length in CSS pixels; percentages and words are none.
fn pixels(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text
        .find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E') || c == '%')
        .unwrap_or(text.len());
    let end = if text.ends_with("em") || text.ends_with("ex") { return None } else { end };
    let (number, unit) = text.split_at_checked(end)?;
    let scale = match unit.trim() {
        "" | "px" => 1.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        _ => return None,
    };
    number
        .trim()
        .parse::<f64>()
        .ok()
        .map(|number| number * scale)
        .filter(|number| number.is_finite() && *number > 0.0)
}

fn view_box(text: &str) -> Option<(f64, f64)> {
    let mut numbers = text.split([' ', ',', '\t', '\n', '\r']).filter(|part| !part.is_empty()).skip(2);
    let mut next =
        || numbers.next()?.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    Some((next()?, next()?))
}
