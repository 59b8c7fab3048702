//! The map of the report: every layer where it lies, as SVG within the page.

use std::fmt::Write as _;

use bot_etiquette::arcgis::{Bbox, Coverage, GRID, Verdict};

use super::outputs::Contents;
use super::records::LayerRecord;
use crate::html::Escaped;

/// The width in units of the picture.
const WIDTH: f64 = 1000.0;

/// Its width, in heights.
const SHAPE: f64 = 1.75;

/// Colours of areas, lines and points, in this order.
const COLOURS: [[&str; 5]; 3] = [
    ["#d9cfae", "#c5d3a0", "#a9c4a4", "#8fb996", "#9cc3cf"],
    ["#8a7f77", "#4f83c4", "#a0654a", "#5a9a8d", "#7d6bb0"],
    ["#2f6f4f", "#b5503c", "#3b5aa8", "#b0307a", "#c9862b"],
];

struct Frame {
    area: Bbox,
    /// Units of the picture in a degree of longitude, and of latitude.
    scale: (f64, f64),
    height: f64,
}

impl Frame {
    /// Around what was seen; where nothing was, around what servers say.
    fn around(contents: &Contents) -> Option<Self> {
        let seen =
            || contents.layers().filter_map(|(_, _, layer)| Some(layer.known.coverage.as_ref()?.area()));
        let said = || contents.layers().filter_map(|(_, _, layer)| trusted(layer)).flatten();
        let area = join(seen()).or_else(|| join(said()))?;
        let (lon, lat) = (area.west.midpoint(area.east), area.south.midpoint(area.north));
        let narrow = lat.to_radians().cos().max(0.1);
        // Half of each side, in degrees of latitude, with a margin and in the shape of the picture.
        let (wide, high) = ((area.east - area.west) * narrow * 0.53, (area.north - area.south) * 0.55);
        let high = high.max(wide / SHAPE).max(0.005);
        let wide = high * SHAPE / narrow;
        let area = Bbox { west: lon - wide, south: lat - high, east: lon + wide, north: lat + high };
        let scale = WIDTH / (2.0 * wide);
        Some(Self { area, scale: (scale, scale / narrow), height: WIDTH / SHAPE })
    }

    fn x(&self, lon: f64) -> f64 {
        ((lon - self.area.west) * self.scale.0).clamp(-10.0, WIDTH + 10.0)
    }

    fn y(&self, lat: f64) -> f64 {
        ((self.area.north - lat) * self.scale.1).clamp(-10.0, self.height + 10.0)
    }
}

fn join(boxes: impl Iterator<Item = Bbox>) -> Option<Bbox> {
    boxes.reduce(|area, one| Bbox {
        west: area.west.min(one.west),
        south: area.south.min(one.south),
        east: area.east.max(one.east),
        north: area.north.max(one.north),
    })
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
         <filter id=\"soft\"><feGaussianBlur stdDeviation=\"4\"/><feColorMatrix values=\"1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 14 -6\"/></filter>\
         <rect width=\"{WIDTH}\" height=\"{:.0}\" class=\"sea\"/>",
        frame.height, frame.height
    );
    graticule(&mut svg, &frame);
    let mut layers: Vec<_> = contents.layers().collect();
    // Areas below lines below points, and what covers much below what covers little.
    layers.sort_by_key(|(_, _, layer)| {
        let cells = layer.known.coverage.as_ref().map_or(0, Coverage::cells);
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
        let _ = write!(svg, "<path d=\"{}\"/>", cells(frame, coverage, kind));
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

/// The cells where outlines were seen: as areas, as lines between neighbours, or as dots.
fn cells(frame: &Frame, coverage: &Coverage, kind: usize) -> String {
    let area = coverage.area();
    let (wide, high) =
        ((area.east - area.west) / f64::from(GRID), (area.north - area.south) / f64::from(GRID));
    let lon = |column: u32| area.west + (f64::from(column) + 0.5) * wide;
    let lat = |row: u32| area.south + (f64::from(row) + 0.5) * high;
    let is_seen =
        |row: u32, column: u32| column < GRID && row < GRID && coverage.covers(lon(column), lat(row));
    let mut path = String::new();
    for row in 0..GRID {
        for column in (0..GRID).filter(|column| is_seen(row, *column)) {
            let (x, y) = (frame.x(lon(column)), frame.y(lat(row)));
            let _ = match kind {
                0 => {
                    let (wide, high) = (wide * frame.scale.0, high * frame.scale.1);
                    write!(
                        path,
                        "M{:.1} {:.1}h{wide:.1}v{high:.1}h-{wide:.1}z",
                        x - wide / 2.0,
                        y - high / 2.0
                    )
                }
                1 => {
                    let right = is_seen(row, column + 1).then_some((row, column + 1));
                    let up = is_seen(row + 1, column).then_some((row + 1, column));
                    let slant = (right.is_none() && up.is_none()).then(|| {
                        let left = column
                            .checked_sub(1)
                            .filter(|left| is_seen(row + 1, *left) && !is_seen(row, *left));
                        let over = is_seen(row + 1, column + 1).then_some(column + 1);
                        over.or(left).map(|column| (row + 1, column))
                    });
                    let ends = [right, up, slant.flatten()];
                    let line = |(row, column)| {
                        format!("M{x:.1} {y:.1}L{:.1} {:.1}", frame.x(lon(column)), frame.y(lat(row)))
                    };
                    path.extend(ends.into_iter().flatten().map(line));
                    Ok(())
                }
                // A line of no length with round ends.
                _ => write!(path, "M{x:.1} {y:.1}h0"),
            };
        }
    }
    path
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
