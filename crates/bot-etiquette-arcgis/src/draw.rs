//! Drawing a sample of features.

use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Stroke, Transform};

use crate::features::FeaturePage;
use crate::geojson::Geometry;
use crate::geometry::Position;
use crate::picture::is_blank;
use crate::preview::PictureError;

/// Draws a page of features as a PNG: `view` is xmin, ymin, xmax, ymax in the page's own coordinates.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, FeaturePage, check_picture, draw_features};
///
/// let body = br#"{"features":[{"geometry":{"rings":[[[0,0],[0,5],[5,5],[5,0],[0,0]]]}}]}"#;
/// let page = Answer::body(body).read::<FeaturePage>()?.facts;
/// let png = draw_features(&page, [-1.0, -1.0, 9.0, 9.0], (40, 40))?;
/// assert_eq!(check_picture(&png, (40, 40)), Ok(()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PictureError::Blank`] when nothing of the page lies in the view; [`PictureError::Broken`] for a size of no pixels.
pub fn draw_features(
    page: &FeaturePage,
    view: [f64; 4],
    (width, height): (u32, u32),
) -> Result<Vec<u8>, PictureError> {
    let mut pixmap = Pixmap::new(width, height).ok_or(PictureError::Broken)?;
    let [left, bottom, right, top] = view;
    let scale_x = f64::from(width) / (right - left);
    let scale_y = f64::from(height) / (top - bottom);
    #[allow(clippy::cast_possible_truncation, reason = "pixels")]
    let pixel = |point: &Position| (((point.x - left) * scale_x) as f32, ((top - point.y) * scale_y) as f32);
    let (mut fill, mut line) = (Paint::default(), Paint::default());
    fill.set_color_rgba8(31, 119, 180, 90);
    line.set_color_rgba8(20, 80, 130, 255);
    let stroke = Stroke { width: 1.5, ..Stroke::default() };
    for feature in &page.features {
        let Some(geometry) =
            feature.geometry.as_ref().and_then(|geometry| geometry.to_geojson(page.has_z).geometry)
        else {
            continue;
        };
        let mut path = PathBuilder::new();
        for part in geometry.parts() {
            if let [point] = part {
                let (x, y) = pixel(point);
                path.push_circle(x, y, 3.0);
                continue;
            }
            for (index, point) in part.iter().enumerate() {
                let (x, y) = pixel(point);
                if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
        }
        let Some(path) = path.finish() else { continue };
        if !matches!(geometry, Geometry::MultiLineString(_)) {
            pixmap.fill_path(&path, &fill, FillRule::EvenOdd, Transform::identity(), None);
        }
        pixmap.stroke_path(&path, &line, &stroke, Transform::identity(), None);
    }
    if is_blank(&pixmap) {
        return Err(PictureError::Blank);
    }
    pixmap.encode_png().map_err(|_| PictureError::Broken)
}
