//! The directory rows of the shared cases, where they are at hand.

use bot_etiquette_signing::directory::{CheckStep, DirectoryCheck};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

use super::at;

#[test]
fn the_directory_rows_of_the_cases_end_as_they_say() {
    let Ok(folder) = std::env::var("BOT_ETIQUETTE_CASES") else {
        eprintln!("left out: the directory rows of signing_vectors.json (BOT_ETIQUETTE_CASES is not set)");
        return;
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join("signing_vectors.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    let mut rows = 0;
    for row in cases["signatures"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let message = &row["message"];
        let Some(body) = message["body"].as_str().filter(|body| body.contains("\"keys\"")) else { continue };
        let mut headers = HeaderMap::new();
        for pair in message["headers"].as_array().unwrap() {
            let [field, value] = [&pair[0], &pair[1]].map(|text| text.as_str().unwrap());
            headers.append(field.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
        }
        let url = row["request"]["url"].as_str().unwrap();
        let authority = url.strip_prefix("https://").unwrap().split('/').next().unwrap();
        let findings = DirectoryCheck::new(body.as_bytes())
            .response(StatusCode::OK, &headers)
            .authority(authority)
            .run(at(row["now"].as_u64().unwrap()));
        let failed: Vec<_> =
            findings.iter().filter(|found| found.ok == Some(false)).map(|found| found.step).collect();
        let expected: &[CheckStep] = match (row["verifies"].as_bool().unwrap(), name.contains("content-type"))
        {
            (true, _) => &[],
            (false, true) => &[CheckStep::MediaType, CheckStep::Signatures],
            (false, false) if body.contains("\"enc\"") => &[CheckStep::Keys, CheckStep::Signatures],
            (false, false) => &[CheckStep::Signatures],
        };
        assert_eq!(failed, expected, "{name}: {findings:?}");
        rows += 1;
    }
    assert!(rows >= 5, "{rows} rows");
}
