//! One ArcGIS server of the world: directories, descriptions, counts, outlines, pictures; and its faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bot_etiquette::arcgis::{Answer, FeaturePage, draw_features};
use bot_etiquette::referee::{Asked, Page};
use serde_json::{Value, json};

use super::shapes::{At, Shape, shapes};
use super::{Layer, Server, Service};
use crate::personal;

/// How often each service was asked.
#[derive(Clone, Default)]
pub(super) struct Hits(Arc<Mutex<BTreeMap<String, u64>>>);

impl Hits {
    /// Counts one more; how many there were before.
    fn of(&self, service: &str) -> u64 {
        let mut hits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hit = hits.entry(service.to_owned()).or_default();
        *hit += 1;
        *hit - 1
    }
}

/// Where a number would stand that is none: written bare, which no JSON allows.
const NAN: &str = "@NaN@";

/// The islands with the sea around them, in the systems that the servers use.
const EXTENTS: [(u32, [f64; 4]); 3] = [
    (2154, [-142_873.5, 6_712_235.2, -25_989.0, 6_819_736.4]),
    (32629, [563_467.2, 5_216_627.3, 670_735.0, 5_313_193.0]),
    (3035, [2_957_801.2, 2_808_532.4, 3_081_418.8, 2_925_597.4]),
];

/// The answer of this server, if the path is one of its own.
pub(super) fn answer(server: &Server, asked: &Asked<'_>, hits: &Hits) -> Option<Page> {
    let (path, query) = asked.target.split_once('?').unwrap_or((asked.target, ""));
    let inside = path.strip_prefix(server.root.as_str())?.trim_start_matches('/').replace("%20", " ");
    let query: BTreeMap<String, String> =
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let page = inside_of(server, &inside, &query, hits)
        .unwrap_or_else(|| json_page(&error(404, "Service not found")));
    Some(page.delay(Duration::from_secs_f64(server.delay)))
}

fn inside_of(server: &Server, inside: &str, query: &BTreeMap<String, String>, hits: &Hits) -> Option<Page> {
    let folder_of = |service: &Service| service.name.split_once('/').map(|(folder, _)| folder.to_owned());
    let listed = |folder: Option<&str>| -> Vec<Value> {
        let of_folder = server.services.iter().filter(|service| folder_of(service).as_deref() == folder);
        of_folder.map(|service| json!({"name": service.name, "type": service.kind})).collect()
    };
    let mut folders: Vec<String> = server.services.iter().filter_map(folder_of).collect();
    folders.dedup();
    if inside.is_empty() {
        return Some(json_page(
            &json!({"currentVersion": server.version, "folders": folders, "services": listed(None)}),
        ));
    }
    if folders.iter().any(|folder| folder == inside) {
        return Some(json_page(
            &json!({"currentVersion": server.version, "folders": [], "services": listed(Some(inside))}),
        ));
    }
    let (service, rest) = server.services.iter().find_map(|service| {
        let rest =
            inside.strip_prefix(service.name.as_str())?.strip_prefix('/')?.strip_prefix(&*service.kind)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| (service, rest.trim_start_matches('/')))
    })?;
    let before = hits.of(&format!("{}/{}/{}", server.root, service.name, service.kind));
    if let Some(page) = fault(service, before) {
        return Some(page);
    }
    Some(match rest.split('/').collect::<Vec<_>>().as_slice() {
        [""] => described(service, &description(server, service)),
        ["layers"] if service.has("old") => json_page(&error(400, "Invalid URL")),
        ["layers"] => {
            let layers: Vec<Value> =
                (0..).zip(&service.layers).map(|(id, one)| layer(service, id, one)).collect();
            json_page(&json!({"layers": layers, "tables": []}))
        }
        ["getEstimates"] => {
            let estimate = |(id, one): (usize, &Layer)| json!({"layerId": id, "count": one.shapes().len()});
            json_page(
                &json!({"layerEstimates": service.layers.iter().enumerate().map(estimate).collect::<Vec<_>>()}),
            )
        }
        ["query"] => {
            let count = |(id, one): (usize, &Layer)| json!({"id": id, "count": one.shapes().len()});
            json_page(&json!({"layers": service.layers.iter().enumerate().map(count).collect::<Vec<_>>()}))
        }
        ["export"] => export(service, query)?,
        ["tile", level, row, col] => {
            tile(service, level.parse().ok()?, row.parse().ok()?, col.parse().ok()?)?
        }
        [id] => json_page(&layer(service, id.parse().ok()?, service.layers.get(id.parse::<usize>().ok()?)?)),
        [id, "query"] => json_page(&queried(service, service.layers.get(id.parse::<usize>().ok()?)?, query)),
        _ => return None,
    })
}

impl Service {
    fn has(&self, fault: &str) -> bool {
        self.faults.iter().any(|one| one == fault)
    }
}

impl Layer {
    fn shapes(&self) -> Vec<Shape> {
        shapes(&self.shape, self.count)
    }
}

/// What the service answers whatever is asked, if it does.
fn fault(service: &Service, before: u64) -> Option<Page> {
    let page = Page::new("/");
    if service.has("token") {
        return Some(json_page(&error(499, "Token Required")));
    }
    if service.has("stopped") {
        return Some(json_page(&error(500, &format!("Service {} not started", service.name))));
    }
    if service.has("half") {
        return Some(
            page.header("Content-Type", "application/json")
                .body("{\"currentVersion\": 10.2, \"layers\": [{\"id\": 0,"),
        );
    }
    if service.has("html") {
        let body =
            "<html><title>Down for maintenance</title><p>Temporarily unavailable, back on Monday.</html>";
        return Some(page.header("Content-Type", "text/html").body(body));
    }
    if service.has("busy") && before == 0 {
        return Some(
            page.status(503).header("Content-Type", "text/html").body("<h1>Service Unavailable</h1>"),
        );
    }
    if service.has("busy-in-200") && before == 0 {
        return Some(json_page(&error(504, "Wait time of the request has expired")));
    }
    None
}

fn error(code: u16, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "details": []}})
}

fn json_page(value: &Value) -> Page {
    let text = value.to_string().replace(&format!("\"{NAN}\""), "NaN");
    Page::new("/").header("Content-Type", "application/json;charset=UTF-8").body(text)
}

/// A description, with what some servers do to their JSON.
fn described(service: &Service, description: &Value) -> Page {
    let mut text = description.to_string().replace(&format!("\"{NAN}\""), "NaN");
    if service.has("odd-json") {
        // A byte order mark, a bare line break within a text, a comma too many.
        text = format!("\u{feff}{}", text.replacen("mapName\":\"", "mapName\":\"\n", 1));
        text.truncate(text.len() - 1);
        text.push_str(",}");
    }
    Page::new("/").header("Content-Type", "text/plain;charset=UTF-8").body(text)
}

fn description(server: &Server, service: &Service) -> Value {
    let short = |(id, one): (usize, &Layer)| json!({"id": id, "name": one.name, "type": "Feature Layer", "parentLayerId": -1});
    let layers: Vec<Value> = service.layers.iter().enumerate().map(short).collect();
    let all: Vec<Shape> = service.layers.iter().flat_map(Layer::shapes).collect();
    let mut description = json!({
        "currentVersion": server.version,
        "serviceDescription": service.about,
        "mapName": service.name.rsplit('/').next(),
        "copyrightText": server.publisher,
        "capabilities": if service.kind == "FeatureServer" { "Query" } else { "Map,Query,Data" },
        "layers": layers, "tables": [],
        "spatialReference": {"wkid": service.wkid, "latestWkid": service.wkid},
        "fullExtent": extent(service, &all),
        "singleFusedMapCache": service.has("tiles"),
        "documentInfo": {"Author": personal::EMAIL, "Keywords": personal::PHONE},
        "maxRecordCount": 2000, "maxImageWidth": 4096, "maxImageHeight": 4096,
        "supportedImageFormatTypes": "PNG32,PNG",
    });
    if service.has("estimates") {
        description["infoInEstimates"] = json!(["extent", "count"]);
    }
    if service.has("tiles") {
        description["capabilities"] = json!("Map,TilesOnly,Tilemap");
        let lod = |level: u32| {
            let resolution = 156_543.033_928 / f64::from(1_u32 << level);
            json!({"level": level, "resolution": resolution, "scale": resolution * 3_779.527_559})
        };
        description["tileInfo"] = json!({
            "rows": 256, "cols": 256, "dpi": 96, "format": "PNG32",
            "origin": {"x": -20_037_508.342_787, "y": 20_037_508.342_787},
            "spatialReference": {"wkid": 102_100, "latestWkid": 3857},
            "lods": (0..=12).map(lod).collect::<Vec<_>>(),
        });
    }
    description
}

fn layer(service: &Service, id: usize, one: &Layer) -> Value {
    let shapes = one.shapes();
    let field = |name: &String| json!({"name": name, "type": "esriFieldTypeString", "alias": name.replace('_', " "), "length": 80});
    let id_field = json!({"name": "OBJECTID", "type": "esriFieldTypeOID", "alias": "OBJECTID"});
    let fields: Vec<Value> = std::iter::once(id_field).chain(one.fields.iter().map(field)).collect();
    json!({
        "id": id, "name": one.name, "type": "Feature Layer", "description": one.about,
        "geometryType": geometry_type(&shapes), "extent": extent(service, &shapes),
        "objectIdField": "OBJECTID", "displayField": one.fields.first(), "fields": fields,
        "capabilities": "Map,Query,Data", "maxRecordCount": 2000,
        "advancedQueryCapabilities": {"supportsPagination": !service.has("old"), "supportsReturningQueryExtent": !service.has("old")},
    })
}

fn geometry_type(shapes: &[Shape]) -> Option<&'static str> {
    Some(match shapes.first()? {
        Shape::Point(_) => "esriGeometryPoint",
        Shape::Line(_) => "esriGeometryPolyline",
        Shape::Ring(_) => "esriGeometryPolygon",
    })
}

/// The extent as this service tells it, in its own system.
fn extent(service: &Service, shapes: &[Shape]) -> Value {
    let reference = json!({"wkid": service.wkid, "latestWkid": service.wkid});
    let told = |[xmin, ymin, xmax, ymax]: [f64; 4]| json!({"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax, "spatialReference": reference});
    if service.has("nan") {
        return json!({"xmin": NAN, "ymin": NAN, "xmax": NAN, "ymax": NAN, "spatialReference": reference});
    }
    if service.has("world") {
        return told([-180.0, -90.0, 180.0, 90.0]);
    }
    let Some(area) = around(shapes) else { return Value::Null };
    match EXTENTS.iter().find(|(wkid, _)| *wkid == service.wkid) {
        Some((_, area)) => told(*area),
        None if service.wkid == 4326 => told(area),
        None => {
            let ((xmin, ymin), (xmax, ymax)) = (mercator((area[0], area[1])), mercator((area[2], area[3])));
            told([xmin, ymin, xmax, ymax])
        }
    }
}

fn around(shapes: &[Shape]) -> Option<[f64; 4]> {
    let points = shapes.iter().flat_map(Shape::points);
    points.fold(None, |area: Option<[f64; 4]>, (x, y)| {
        let [west, south, east, north] = area.unwrap_or([*x, *y, *x, *y]);
        Some([west.min(*x), south.min(*y), east.max(*x), north.max(*y)])
    })
}

fn queried(service: &Service, one: &Layer, query: &BTreeMap<String, String>) -> Value {
    let is = |name: &str| query.get(name).is_some_and(|value| value == "true");
    let mut shapes = one.shapes();
    if let Some([west, south, east, north]) = query.get("geometry").and_then(|corners| numbers(corners)) {
        let inside = |(x, y): &At| (west..=east).contains(x) && (south..=north).contains(y);
        let middle = (west.midpoint(east), south.midpoint(north));
        shapes.retain(|shape| shape.points().iter().any(inside) || shape.encloses(middle));
    }
    let counts = is("returnCountOnly") && !service.has("count-ignored");
    if is("returnExtentOnly") && !service.has("old") {
        let [xmin, ymin, xmax, ymax] = around(&shapes).unwrap_or_default();
        let extent = json!({"xmin": xmin, "ymin": ymin, "xmax": xmax, "ymax": ymax, "spatialReference": {"wkid": 4326}});
        return json!({"count": shapes.len(), "extent": if shapes.is_empty() { Value::Null } else { extent }});
    }
    if counts {
        return json!({"count": shapes.len()});
    }
    if is("returnIdsOnly") {
        return json!({"objectIdFieldName": "OBJECTID", "objectIds": (1..=shapes.len()).collect::<Vec<_>>()});
    }
    let most =
        query.get("resultRecordCount").and_then(|most| most.parse().ok()).unwrap_or(2000_usize).min(2000);
    let wkid = if query.get("outSR").is_some_and(|wkid| wkid == "3857") { 3857 } else { 4326 };
    features(&shapes, most, wkid)
}

fn features(shapes: &[Shape], most: usize, wkid: u32) -> Value {
    let place = |at: &At| -> [f64; 2] {
        if wkid == 3857 {
            let (x, y) = mercator(*at);
            [(x * 10.0).round() / 10.0, (y * 10.0).round() / 10.0]
        } else {
            [(at.0 * 1e5).round() / 1e5, (at.1 * 1e5).round() / 1e5]
        }
    };
    let geometry = |shape: &Shape| match shape {
        Shape::Point(at) => {
            let [x, y] = place(at);
            json!({"x": x, "y": y})
        }
        Shape::Line(points) => json!({"paths": [points.iter().map(place).collect::<Vec<_>>()]}),
        Shape::Ring(points) => json!({"rings": [points.iter().map(place).collect::<Vec<_>>()]}),
    };
    let each = shapes.iter().take(most).enumerate();
    let each = each.map(|(id, shape)| json!({"attributes": owned(id + 1), "geometry": geometry(shape)}));
    json!({
        "objectIdFieldName": "OBJECTID", "geometryType": geometry_type(shapes), "spatialReference": {"wkid": wkid},
        "features": each.collect::<Vec<_>>(), "exceededTransferLimit": shapes.len() > most,
    })
}

/// What servers tell of an object although nobody asked: who owns it.
fn owned(id: usize) -> Value {
    let [email, phone, identity, account] = personal::ALL;
    json!({"OBJECTID": id, "OWNER_MAIL": email, "OWNER_PHONE": phone, "OWNER_ID": identity, "ACCOUNT": account})
}

fn export(service: &Service, query: &BTreeMap<String, String>) -> Option<Page> {
    let [west, south, east, north] = numbers(query.get("bbox")?)?;
    let size = query.get("size")?.split_once(',')?;
    let size = (size.0.parse().ok()?, size.1.parse().ok()?);
    if service.has("no-picture") || service.kind != "MapServer" {
        return Some(json_page(&error(400, "Invalid URL")).header("Content-Type", "image/png"));
    }
    let show = query.get("layers").and_then(|layers| layers.strip_prefix("show:")?.parse::<usize>().ok());
    let shown = (0..).zip(&service.layers).filter(|(id, _)| show.is_none_or(|show| show == *id));
    let shapes: Vec<Shape> = shown.flat_map(|(_, one)| one.shapes()).collect();
    let ((left, bottom), (right, top)) = (mercator((west, south)), mercator((east, north)));
    Some(picture(&shapes, [left, bottom, right, top], size))
}

fn tile(service: &Service, level: u32, row: u32, col: u32) -> Option<Page> {
    let side = 2.0 * 20_037_508.342_787 / f64::from(1_u32.checked_shl(level)?);
    let (left, top) =
        (f64::from(col) * side - 20_037_508.342_787, 20_037_508.342_787 - f64::from(row) * side);
    let shapes: Vec<Shape> = service.layers.iter().flat_map(Layer::shapes).collect();
    service.has("tiles").then(|| picture(&shapes, [left, top - side, left + side, top], (256, 256)))
}

/// Drawn with the very function that draws samples: lines, dots and areas in blue.
fn picture(shapes: &[Shape], view: [f64; 4], size: (u32, u32)) -> Page {
    let page = features(shapes, usize::MAX, 3857).to_string();
    let page = Answer::body(page.as_bytes()).read::<FeaturePage>().map(|page| page.facts);
    match page.ok().and_then(|page| draw_features(&page, view, size).ok()) {
        Some(png) => Page::new("/").header("Content-Type", "image/png").body(png),
        None => Page::new("/").status(404),
    }
}

fn numbers(text: &str) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = text.split(',').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn mercator((lon, lat): At) -> At {
    const RADIUS: f64 = 6_378_137.0;
    (lon.to_radians() * RADIUS, (std::f64::consts::FRAC_PI_4 + lat.to_radians() / 2.0).tan().ln() * RADIUS)
}
