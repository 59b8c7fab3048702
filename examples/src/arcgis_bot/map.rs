//! The map of the report: every layer where it lies, as SVG within the page.

use std::fmt::Write as _;

use bot_etiquette::arcgis::{Bbox, Verdict};

use super::outputs::Contents;
use super::records::LayerRecord;
use crate::html::Escaped;

/// The width in units of the picture.
const WIDTH: f64 = 1000.0;

/// Colours of areas, lines and points, in this order.
const COLOURS: [[&str; 5]; 3] = [
    ["#8fb996", "#c9b458", "#7fb3b0", "#b58db6", "#d39a6a"],
    ["#4f83c4", "#a0654a", "#5a9a8d", "#7d6bb0", "#6b7a86"],
    ["#c8453b", "#2f6f4f", "#b0307a", "#d9822b", "#3b5aa8"],
];

struct Frame {
    area: Bbox,
    /// Units of the picture in a degree of longitude, and of latitude.
    scale: (f64, f64),
    height: f64,
}

impl Frame {
    fn around(contents: &Contents) -> Option<Self> {
        let boxes = contents.layers().filter_map(|(_, _, layer)| trusted(layer)).flatten();
        let area = boxes.fold(None, |area: Option<Bbox>, one| {
            let area = area.unwrap_or(one);
            Some(Bbox {
                west: area.west.min(one.west),
                south: area.south.min(one.south),
                east: area.east.max(one.east),
                north: area.north.max(one.north),
            })
        })?;
        let margin = ((area.east - area.west) * 0.04).max(0.01);
        let area = Bbox {
            west: area.west - margin,
            south: area.south - margin * 0.7,
            east: area.east + margin,
            north: area.north + margin * 0.7,
        };
        let wide = WIDTH / (area.east - area.west);
        let high = wide / area.south.midpoint(area.north).to_radians().cos().max(0.1);
        Some(Self { area, scale: (wide, high), height: (area.north - area.south) * high })
    }

    fn x(&self, lon: f64) -> f64 {
        ((lon - self.area.west) * self.scale.0).clamp(-10.0, WIDTH + 10.0)
    }

    fn y(&self, lat: f64) -> f64 {
        ((self.area.north - lat) * self.scale.1).clamp(-10.0, self.height + 10.0)
    }
}

/// The boxes that a map may be drawn around: of layers that say where they lie, and are believed.
fn trusted(layer: &LayerRecord) -> Option<Vec<Bbox>> {
    let place = layer.known.place.as_ref()?;
    let world = place.boxes.iter().any(|one| one.east - one.west > 90.0);
    (!world && matches!(place.verdict, Verdict::Ok | Verdict::Antimeridian)).then(|| place.boxes.clone())
}

/// The map; empty where no layer says where it lies.
#[must_use]
pub fn map(contents: &Contents, marked: Option<(f64, f64)>) -> String {
    let Some(frame) = Frame::around(contents) else { return String::new() };
    let mut svg = format!(
        "<svg id=\"map\" viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"Map of the layers\">\
         <rect width=\"{WIDTH}\" height=\"{:.0}\" class=\"sea\"/>",
        frame.height, frame.height
    );
    graticule(&mut svg, &frame);
    let mut layers: Vec<_> = contents.layers().collect();
    // Areas below lines below points, and what covers much below what covers little.
    layers.sort_by_key(|(_, _, layer)| {
        let cells = layer.known.coverage.as_ref().map_or(0, bot_etiquette::arcgis::Coverage::cells);
        (kind(layer), std::cmp::Reverse(cells))
    });
    let mut used = [0_usize; 3];
    for (root, _, layer) in layers {
        let kind = kind(layer);
        let colours = COLOURS[kind];
        let colour = colours[used[kind] % colours.len()];
        used[kind] += 1;
        draw(&mut svg, &frame, layer, &root.host, (kind, colour));
    }
    if let Some((lon, lat)) = marked {
        let (x, y) = (frame.x(lon), frame.y(lat));
        let _ = write!(
            svg,
            "<g class=\"pin\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"13\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/></g>"
        );
    }
    svg.push_str("</svg>");
    svg
}

fn kind(layer: &LayerRecord) -> usize {
    match layer.layer.geometry_type.as_deref() {
        Some("esriGeometryPolyline") => 1,
        Some("esriGeometryPoint" | "esriGeometryMultipoint") => 2,
        _ => 0,
    }
}

fn draw(svg: &mut String, frame: &Frame, layer: &LayerRecord, host: &str, (kind, colour): (usize, &str)) {
    let _ = write!(
        svg,
        "<g class=\"layer k{kind}\" id=\"map-{}\" style=\"--c:{colour}\"><title>{} ({})</title>",
        layer.id,
        Escaped(&layer.name()),
        Escaped(host)
    );
    if let Some(coverage) = &layer.known.coverage {
        let mut path = String::new();
        for one in coverage.boxes() {
            let (x, y) = (frame.x(one.west), frame.y(one.north));
            let (wide, high) = (frame.x(one.east) - x, frame.y(one.south) - y);
            // A hair more, so that neighbours leave no seam.
            let _ = write!(path, "M{x:.1} {y:.1}h{:.1}v{:.1}h-{:.1}z", wide + 0.2, high + 0.2, wide + 0.2);
        }
        let _ = write!(svg, "<path d=\"{path}\"/>");
    } else if let Some(boxes) = trusted(layer) {
        for one in boxes {
            let (x, y) = (frame.x(one.west), frame.y(one.north));
            let (wide, high) = (frame.x(one.east) - x, frame.y(one.south) - y);
            let _ = write!(
                svg,
                "<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\"/>"
            );
        }
    }
    svg.push_str("</g>");
}

fn graticule(svg: &mut String, frame: &Frame) {
    let span = frame.area.east - frame.area.west;
    let steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0];
    let step = steps.into_iter().find(|step| span / step <= 9.0).unwrap_or(60.0);
    let digits = if step < 0.1 { 2 } else { usize::from(step < 1.0) };
    let mut lon = (frame.area.west / step).ceil() * step;
    while lon < frame.area.east {
        let x = frame.x(lon);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} 0V{:.0}\"/><text x=\"{:.1}\" y=\"{:.0}\">{:.digits$}&deg; {}</text>",
            frame.height,
            x + 4.0,
            frame.height - 6.0,
            lon.abs(),
            if lon < 0.0 { 'W' } else { 'E' }
        );
        lon += step;
    }
    let mut lat = (frame.area.south / step).ceil() * step;
    while lat < frame.area.north {
        let y = frame.y(lat);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M0 {y:.1}H{WIDTH}\"/><text x=\"4\" y=\"{:.1}\">{:.digits$}&deg; {}</text>",
            y - 4.0,
            lat.abs(),
            if lat < 0.0 { 'S' } else { 'N' }
        );
        lat += step;
    }
}
