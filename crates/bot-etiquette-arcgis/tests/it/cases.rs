//! Answers of real servers, where the environment names a folder of them.

use std::path::PathBuf;

use bot_etiquette_arcgis::{
    Answer, Count, Directory, FeaturePage, Layer, Layers, Place, Problem, Reason, ServerInfo, Service,
};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("BOT_ETIQUETTE_CASES").map(|folder| PathBuf::from(folder).join("arcgis"));
    if folder.is_none() {
        println!("left out: BOT_ETIQUETTE_CASES names no folder of cases");
    }
    folder
}

fn read(folder: &std::path::Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn real_answers_are_read_as_what_they_are() {
    let Some(folder) = folder() else { return };
    let facts = |name: &str, kind: &str| -> Result<String, Problem> {
        let body = read(&folder, name);
        let answer = Answer::body(&body);
        Ok(match kind {
            "directory" => {
                let facts = answer.read::<Directory>()?.facts;
                format!("{} folders, {} services", facts.folders.len(), facts.services.len())
            }
            "service" => {
                let facts = answer.read::<Service>()?.facts;
                assert!(facts.bad_items.is_empty(), "{name}: {:?}", facts.bad_items);
                format!("{} layers, {} tables", facts.layers.len(), facts.tables.len())
            }
            "layers" => {
                let facts = answer.read::<Layers>()?.facts;
                assert!(facts.bad_items.is_empty(), "{name}: {:?}", facts.bad_items);
                format!("{} layers, {} tables", facts.layers.len(), facts.tables.len())
            }
            "layer" => {
                let facts = answer.read::<Layer>()?.facts;
                format!("{} {}, {} fields", facts.id, facts.name.unwrap_or_default(), facts.fields.len())
            }
            "count" => answer.read::<Count>()?.facts.count.to_string(),
            _ => {
                let facts = answer.read::<FeaturePage>()?.facts;
                let drawn = facts.features.iter().filter(|feature| {
                    feature
                        .geometry
                        .as_ref()
                        .is_some_and(|geometry| geometry.to_geojson(facts.has_z).geometry.is_some())
                });
                format!("{} features, {} drawn", facts.features.len(), drawn.count())
            }
        })
    };
    let table = [
        ("terria_ss6_root_services.json", "directory", "2 folders, 8 services"),
        ("terria_ss6_folder_AGP.json", "directory", "0 folders, 4 services"),
        ("terria_ss6_folder_Elevation.json", "directory", "0 folders, 5 services"),
        ("sce-drpep-arcgis-services-catalog.json", "directory", "0 folders, 15 services"),
        ("sce-drpep-arcgis-rest-info.json", "directory", "other-kind"),
        ("sce-drpep-distribution-circuits-featureserver.json", "service", "1 layers, 0 tables"),
        ("terria_ss6_CDA_FeatureServer.json", "service", "1 layers, 0 tables"),
        ("terria_ss6_Census_MapServer.json", "service", "4 layers, 0 tables"),
        ("terria_redlands_featureserver.json", "service", "3 layers, 0 tables"),
        ("terria_redlands_mapserver.json", "service", "6 layers, 0 tables"),
        ("terria_fused_mapserver.json", "service", "6 layers, 0 tables"),
        ("terria_tiled_mapserver.json", "service", "2 layers, 0 tables"),
        ("terria_time_enabled_mapserver.json", "service", "4 layers, 0 tables"),
        ("terria_imageserver_rasterfns.json", "service", "0 layers, 0 tables"),
        ("terria_imageserver_tiled.json", "service", "0 layers, 0 tables"),
        ("terria_ga_hydro_mapserver.json", "service", "74 layers, 0 tables"),
        ("terria_ga_hydro_layers_495kB.json", "layers", "74 layers, 0 tables"),
        ("terria_redlands_layer17.json", "layer", "17 911 Calls Hotspot, 0 fields"),
        ("pyesridump_us-ca-carson-metadata.json", "layer", "1 Address Points, 19 fields"),
        ("pyesridump_us-ca-tuolumne-metadata.json", "layer", "0 Parcel Addresses, 28 fields"),
        ("pyesridump_us-esri-test-metadata.json", "layer", "0 Facilities, 6 fields"),
        ("pyesridump_us-il-chicago_metadata.json", "layer", "28 Census Designated Places, 21 fields"),
        ("pyesridump_us-il-cook_metadata.json", "layer", "11 Point of Interest, 32 fields"),
        ("pyesridump_us-mo-columbia-metadata.json", "layer", "2 city.COLUMBIA.addresses, 27 fields"),
        (
            "restgdf_metadata_missing_supports_pagination.json",
            "layer",
            "0 Audit sample layer without paging flag, 1 fields",
        ),
        (
            "restgdf_metadata_supports_pagination_false.json",
            "layer",
            "0 Legacy layer without offset paging, 1 fields",
        ),
        ("restgdf_query_limit_metadata.json", "layer", "0 Hosted point layer limits sample, 1 fields"),
        ("pyesridump_us-ca-tuolumne-count-only.json", "count", "469"),
        ("pyesridump_us-il-chicago_count-only.json", "count", "0"),
        ("pyesridump_us-ms-madison-count-only.json", "count", "124"),
        ("restgdf_count_response_text_plain.txt", "count", "42"),
        ("pyesridump_us-mi-kent-ids-only.json", "count", "15"),
        ("pyesridump_us-il-cook_count-only_FIRST3000.txt", "count", "count-ignored"),
        ("pyesridump_us-mi-kent-statistics.json", "features", "rejected"),
        ("pyesridump_us-ca-tuolumne-statistics.json", "features", "1 features, 0 drawn"),
        ("pyesridump_us-ms-madison-outStatistics.json", "features", "1 features, 0 drawn"),
        ("restgdf_generate_token_default_html_response.html", "directory", "auth-required"),
        ("restgdf_generate_token_invalid_credentials_error.json", "directory", "auth-required"),
        ("restgdf_query_exceeded_transfer_limit_empty_features.json", "features", "empty-page"),
        ("pyesridump_us-ca-tuolumne-0.json", "features", "15 features, 15 drawn"),
        ("pyesridump_us-il-cook_page-partial.json", "features", "2 features, 2 drawn"),
        ("koop_esri.json", "features", "12 features, 12 drawn"),
        ("restjs_LineHasM.json", "features", "4 features, 4 drawn"),
        ("restjs_LineHasZ.json", "features", "3 features, 3 drawn"),
        ("restjs_PointHasM.json", "features", "5 features, 5 drawn"),
        ("restjs_PointHasZ.json", "features", "3 features, 3 drawn"),
        ("restjs_arcGISLineResponse.json", "features", "1 features, 1 drawn"),
        ("restjs_arcGISPointResponse.json", "features", "1 features, 1 drawn"),
        ("restjs_arcGISPolygonResponse.json", "features", "1 features, 1 drawn"),
    ];
    let mut wrong = Vec::new();
    for (name, kind, expected) in table {
        let found = facts(name, kind).unwrap_or_else(|problem| problem.code().to_owned());
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let count = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(count, table.len() + 1, "every file but the index is in the table");
}

/// Where each description says that its data lies, to a tenth of a degree, and how it may be asked.
#[test]
fn real_descriptions_are_placed_and_their_capabilities_known() {
    let Some(folder) = folder() else { return };
    let place = |place: Place| {
        let boxes: Vec<_> = place
            .boxes
            .iter()
            .map(|bbox| <[f64; 4]>::from(*bbox).map(|edge| format!("{edge:.1}")).join(" "))
            .collect();
        let reason = place.reason.map_or("ok", Reason::as_str);
        format!("{reason} {}", boxes.join(" | ")).trim_end().to_owned()
    };
    let told = |name: &str| {
        let body = read(&folder, name);
        let answer = Answer::body(&body);
        if let Ok(service) = answer.read::<Service>().map(|parsed| parsed.facts) {
            let can: Vec<_> =
                ["Map", "Query", "TilesOnly", "Image"].into_iter().filter(|word| service.can(word)).collect();
            let tiles =
                if service.single_fused_map_cache && service.tile_info.is_some() { " tiled" } else { "" };
            return format!("{} can {}{tiles}", place(service.place()), can.join("+"));
        }
        let layer = answer.read::<Layer>().unwrap().facts;
        let query = if layer.is_queryable() { " query" } else { "" };
        let pages = if layer.has_pages() { " pages" } else { "" };
        format!("{}{query}{pages}", place(layer.place(None, None)))
    };
    let table = [
        ("pyesridump_us-ca-carson-metadata.json", "ok -118.3 33.8 -118.2 33.9 query"),
        ("pyesridump_us-ca-tuolumne-metadata.json", "ok -120.7 37.6 -119.2 38.4 query"),
        ("pyesridump_us-esri-test-metadata.json", "ok -180.0 -90.0 178.0 89.0 query pages"),
        ("pyesridump_us-il-chicago_metadata.json", "ok -177.0 -14.5 173.8 71.5 query pages"),
        ("pyesridump_us-il-cook_metadata.json", "ok -88.3 41.5 -87.1 42.2 query"),
        ("pyesridump_us-mo-columbia-metadata.json", "ok -92.6 38.7 -92.1 39.2 query"),
        ("restgdf_metadata_missing_supports_pagination.json", "null query"),
        ("restgdf_metadata_supports_pagination_false.json", "null query"),
        ("restgdf_query_limit_metadata.json", "null query pages"),
        ("terria_redlands_layer17.json", "ok -122.9 45.4 -122.7 45.5"),
        ("sce-drpep-distribution-circuits-featureserver.json", "ok -120.7 32.8 -114.0 38.4 can Query"),
        ("terria_fused_mapserver.json", "ok 141.0 -38.9 149.5 -34.1 can Map+TilesOnly tiled"),
        ("terria_ga_hydro_mapserver.json", "ok 100.1 -50.0 169.2 -2.4 can Map+Query"),
        ("terria_imageserver_rasterfns.json", "ok -124.6 41.9 -116.4 46.3 can Image"),
        ("terria_imageserver_tiled.json", "ok -124.6 41.9 -116.4 46.3 can Image tiled"),
        ("terria_redlands_featureserver.json", "ok -118.8 25.2 55.3 38.5 can Query"),
        ("terria_redlands_mapserver.json", "ok -152.9 25.2 55.3 56.4 can Map+Query"),
        ("terria_ss6_CDA_FeatureServer.json", "ok -167.4 -13.4 -7.1 82.9 can Query"),
        ("terria_ss6_Census_MapServer.json", "ok -179.6 17.9 -65.2 71.4 can Map+Query"),
        ("terria_tiled_mapserver.json", "ok 96.8 -43.7 159.1 -9.1 can Map+Query"),
        ("terria_time_enabled_mapserver.json", "ok 141.0 -37.6 159.4 -28.1 can Map+Query"),
    ];
    let wrong: Vec<_> = table
        .into_iter()
        .filter(|(name, expected)| told(name) != *expected)
        .map(|(name, expected)| format!("{name}: {}, not {expected}", told(name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let info =
        Answer::body(&read(&folder, "sce-drpep-arcgis-rest-info.json")).read::<ServerInfo>().unwrap().facts;
    assert_eq!(info.portal().map(|portal| portal.path().to_owned()).as_deref(), Some("/arcgis_portal"));
    assert!(info.auth_info.is_some_and(|auth| auth.is_token_based_security == Some(true)));
}
