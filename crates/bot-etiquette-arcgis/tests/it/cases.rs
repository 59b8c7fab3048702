//! Answers of real servers, where the environment names a folder of them.

use std::path::PathBuf;

use bot_etiquette_arcgis::{Answer, Count, Directory, FeaturePage, Layer, Layers, Problem, Service};

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
