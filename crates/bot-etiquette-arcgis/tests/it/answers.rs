//! Each answer of a server has one meaning.

use std::time::{Duration, SystemTime};

use bot_etiquette_arcgis::{
    Answer, Count, CountMethod, Counts, Directory, FeaturePage, HtmlPage, Layer, LayerKind, Layers, Problem,
    QueryExtent, REPAIR_LIMIT, RetryAfter, Service,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use url::Url;

#[track_caller]
fn code<T: bot_etiquette_arcgis::Facts>(body: &str) -> &'static str {
    match Answer::body(body.as_bytes()).read::<T>() {
        Ok(_) => "data",
        Err(problem) => problem.code(),
    }
}

#[test]
fn an_error_in_an_answer_with_status_200_is_told_by_its_meaning() {
    let table = [
        (r#"{"error":{"code":499,"message":"Token Required","details":[]}}"#, "auth-required"),
        (r#"{"error":{"code":498,"message":"Invalid Token","details":null}}"#, "auth-required"),
        (
            r#"{"error":{"code":403,"message":"no permission","messageCode":"GWM_0003","details":[""]}}"#,
            "auth-required",
        ),
        (r#"{"error":{"code":400,"message":"no token","messageCode":"GWM_0003"}}"#, "auth-required"),
        (
            r#"{"status":"error","messages":["Unauthorized access to the resource"],"code":499}"#,
            "auth-required",
        ),
        (r#"{"success":false,"error":{"code":"499","message":"Token Required"}}"#, "auth-required"),
        (r#"{"error":{"code":404,"message":"Service X/MapServer not found ","details":[]}}"#, "gone"),
        (r#"{"error":{"code":500,"message":"Service X/MapServer not found ","details":[]}}"#, "gone"),
        (r#"{"error":{"code":400,"message":"Invalid URL","details":["Invalid URL"]}}"#, "gone"),
        (r#"{"error":{"code":500,"message":"Service X/MapServer not started"}}"#, "stopped"),
        (r#"{"error":{"code":504,"message":"Wait time expired","details":null}}"#, "busy"),
        (r#"{"error":{"code":503,"message":"An error occurred","details":"no instance"}}"#, "busy"),
        (r#"{"error":{"code":429,"message":"Too many requests","details":["try again in 60 sec"]}}"#, "busy"),
        (r#"{"error":{"code":400,"message":"Unable to complete operation.","details":[]}}"#, "rejected"),
        (r#"{"error":{"code":400,"message":"Pagination is not supported"}}"#, "rejected"),
        (r#"{"error":{"code":501,"message":"not found here"}}"#, "rejected"),
        (
            r#"{"error":{"code":400,"message":"Failed","details":["This SQL Server client is not supported"]}}"#,
            "service-fault",
        ),
        (r#"{"error":{"code":500,"message":null,"details":[]}}"#, "service-fault"),
        (r#"{"error":"something broke"}"#, "service-fault"),
        (r#"{"error":{"code":500,"message":"x"},"layers":[]}"#, "service-fault"),
        (r#"{"error":{"code":500,"message":"x"},"currentVersion":10.9,"layers":null}"#, "service-fault"),
        (r#"{"error":{},"layers":[{"id":1}]}"#, "data"),
        (r#"{"error":{"code":500,"message":"x"},"layers":[{"id":1}]}"#, "data"),
        (r#"{"error":null,"layers":[]}"#, "data"),
        (r#"{"currentVersion":10.9,"description":"see \"error\" log","layers":[]}"#, "data"),
        (
            r#"{"layers":[{"id":0,"name":"error","fields":[{"name":"error"}],"description":"{\"error\":{\"code\":499}}"}]}"#,
            "data",
        ),
    ];
    for (body, expected) in table {
        assert_eq!(code::<Layers>(body), expected, "{body}");
    }
}

#[test]
fn an_error_beside_data_is_a_warning() {
    let parsed = Answer::body(br#"{"error":{"code":500,"message":"x"},"layers":[{"id":1}]}"#)
        .read::<Layers>()
        .unwrap();
    assert_eq!((parsed.facts.layers.len(), parsed.warnings.len()), (1, 1));
}

#[test]
fn the_envelope_is_kept_verbatim() {
    let body = br#"{"error":{"code":400,"message":"Unable, sadly","details":"one, with a comma","messageCode":"SB_0006"}}"#;
    let problem = Answer::body(body).read::<Layers>().unwrap_err();
    let error = problem.esri().unwrap();
    assert_eq!((error.code, error.message.as_deref()), (Some(400), Some("Unable, sadly")));
    assert_eq!(
        (error.message_code.as_deref(), error.details.as_slice()),
        (Some("SB_0006"), &["one, with a comma".to_owned()][..])
    );
}

#[test]
fn status_and_header_tell_what_the_body_cannot() {
    let login = "<html><form><input type=\"password\"></form></html>";
    type Row = (u16, &'static [(&'static str, &'static str)], &'static str, &'static str);
    let table: [Row; 22] = [
        (302, &[("location", "/portal/sharing/oauth2/authorize?x=1")], "", "auth-required"),
        (302, &[("location", "https://login.example.net/")], "", "auth-required"),
        (302, &[("location", "https://other.example.net/arcgis/rest/services")], "", "auth-required"),
        (301, &[("location", "https://gis.example.org/arcgis/rest/services")], "", "redirect"),
        (302, &[], "", "status"),
        (304, &[], "", "status"),
        (200, &[("content-type", "text/html")], login, "auth-required"),
        (200, &[], "<html><title>Sign In</title></html>", "auth-required"),
        (200, &[], "<html>Down for maintenance</html>", "html"),
        (200, &[], "  \n", "empty"),
        (204, &[], "", "empty"),
        (401, &[], login, "auth-required"),
        (403, &[], "<html>Services Directory has been disabled</html>", "blocked"),
        (403, &[], r#"{"error":{"code":403,"message":"no"}}"#, "auth-required"),
        (404, &[], "<html>", "gone"),
        (410, &[], "", "gone"),
        (429, &[], "", "busy"),
        (429, &[("cf-mitigated", "challenge")], "", "blocked"),
        (202, &[("x-amzn-waf-action", "challenge")], "", "blocked"),
        (500, &[], r#"{"error":{"code":499,"message":"Token Required"}}"#, "auth-required"),
        (500, &[], "<html>", "service-fault"),
        (400, &[], r#"{"error":{"code":400,"message":"Unable to complete operation."}}"#, "rejected"),
    ];
    let asked = Url::parse("http://gis.example.org/arcgis/rest/services?f=json").unwrap();
    for (status, fields, body, expected) in table {
        let headers: HeaderMap = fields
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let answer =
            Answer::new(StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes()).asked(&asked);
        assert_eq!(answer.read::<Directory>().unwrap_err().code(), expected, "{status} {fields:?} {body}");
    }
}

#[test]
fn a_busy_server_s_own_wish_is_kept() {
    let wish = |status: StatusCode, value: &str, body: &str| {
        let mut headers = HeaderMap::new();
        if !value.is_empty() {
            headers.insert("retry-after", value.parse().unwrap());
        }
        match Answer::new(status, &headers, body.as_bytes()).read::<Count>() {
            Err(Problem::Busy { retry_after, .. }) => retry_after,
            other => panic!("{other:?}"),
        }
    };
    let seconds = |seconds| Some(RetryAfter::Delay(Duration::from_secs(seconds)));
    assert_eq!(wish(StatusCode::SERVICE_UNAVAILABLE, "7200", ""), seconds(7200));
    assert_eq!(wish(StatusCode::SERVICE_UNAVAILABLE, "", ""), None);
    assert_eq!(wish(StatusCode::SERVICE_UNAVAILABLE, "99999999999999999999999", ""), seconds(u64::MAX));
    let date = Some(RetryAfter::At(SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)));
    assert_eq!(wish(StatusCode::TOO_MANY_REQUESTS, "Sun, 06 Nov 1994 08:49:37 GMT", ""), date);
    assert_eq!(wish(StatusCode::TOO_MANY_REQUESTS, "Sun, 06 Nov 1994 08:49:37 UTC", ""), date);
    assert_eq!(
        wish(StatusCode::OK, "", r#"{"error":{"code":429,"message":"Please try again in 60 sec."}}"#),
        seconds(60)
    );
}

#[test]
fn broken_text_is_mended_and_the_mending_named() {
    let table: [(&[u8], &[&str]); 9] = [
        (br#"{"count": 5}"#, &[]),
        (b"\xEF\xBB\xBF{\"count\":5}", &["bom"]),
        (br#"cb({"count":5});"#, &["jsonp"]),
        (br#"{"count":5,}"#, &["extra-comma"]),
        (br#"{"count":5,"x":NaN}"#, &["not-a-number"]),
        (b"{\"count\":5,\"x\":\"a\x01b\nc\"}", &["control-character"]),
        (br#"{"count":5,"owner":"DOMAIN\USER"}"#, &["escape"]),
        (b"{\"count\":5,\"x\":\"Stra\xDFe\"}", &["charset"]),
        (b"\xFF\xFE{\0\"\0c\0o\0u\0n\0t\0\"\0:\x005\0}\0", &["charset"]),
    ];
    for (body, repairs) in table {
        let parsed =
            Answer::body(body).read::<Count>().unwrap_or_else(|problem| panic!("{problem}: {body:?}"));
        assert_eq!(
            (parsed.facts.count, parsed.repairs.as_slice()),
            (5, &repairs.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()[..]),
            "{body:?}"
        );
    }
}

#[test]
fn equal_keys_are_resolved_to_the_last_and_told_whatever_is_read() {
    #[track_caller]
    fn told<T: bot_etiquette_arcgis::Facts>(body: &str) -> T {
        let parsed = Answer::body(body.as_bytes()).read::<T>().unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(parsed.repairs, ["equal-keys"], "{body}");
        parsed.facts
    }
    assert_eq!(told::<Layer>(r#"{"id":1,"id":2,"name":"L","type":"Feature Layer"}"#).id, 2);
    assert_eq!(
        told::<Layer>(r#"{"id":1,"name":"L","extent":{"xmin":1,"xmin":2}}"#).extent.unwrap().xmin,
        Some(2.0)
    );
    assert_eq!(told::<Layer>(r#"{"id":1,"name":"L","of no use":1,"of no use":2}"#).id, 1);
    assert_eq!(told::<Layers>(r#"{"layers":[{"id":1,"name":"L","id":2}],"tables":[]}"#).layers[0].id, 2);
    let directory = told::<Directory>(r#"{"services":[{"name":"A","name":"B","type":"MapServer"}]}"#);
    assert_eq!(directory.services[0].name, "B");
    let twice = r#"{"services":[],"folders":["A"],"folders":["B"]}"#;
    assert_eq!(told::<Directory>(twice).folders, ["B"]);
    let service = told::<Service>(r#"{"mapName":"M","layers":[],"fullExtent":{"xmin":1,"ymin":1,"ymin":2}}"#);
    assert_eq!(service.full_extent.unwrap().ymin, Some(2.0));
    assert_eq!(told::<Count>(r#"{"count":1,"count":2}"#).count, 2);
    assert_eq!(told::<Counts>(r#"{"layerEstimates":[{"layerId":1,"count":1,"count":2}]}"#).of(1), Some(2));
    let extent = told::<QueryExtent>(r#"{"extent":{"xmin":1,"ymin":1,"xmax":1,"ymax":1,"xmax":3}}"#);
    assert_eq!(extent.extent.unwrap().xmax, Some(3.0));
    let page = told::<FeaturePage>(r#"{"features":[{"geometry":{"x":1,"y":1,"x":5}}]}"#);
    assert!(format!("{page:?}").contains("5.0"), "{page:?}");
    // Members that are passed over undecoded are not looked into.
    let page = r#"{"features":[{"attributes":{"a":1,"a":2},"geometry":null}]}"#;
    assert!(Answer::body(page.as_bytes()).read::<FeaturePage>().unwrap().repairs.is_empty());
}

#[test]
fn a_document_cut_at_any_byte_is_never_data() {
    let body = br#"{"currentVersion":10.81,"services":[{"name":"A/B","type":"MapServer"}],"folders":["A","\u00e9"]}"#;
    for end in 0..body.len() {
        let problem = Answer::body(&body[..end]).read::<Directory>().unwrap_err();
        assert!(matches!(problem, Problem::BadJson { .. } | Problem::Empty), "{end}: {problem:?}");
    }
    assert!(Answer::body(body).read::<Directory>().is_ok());
    let offset = match Answer::body(b"\n{\"a\" 1}").read::<Directory>() {
        Err(Problem::BadJson { offset, .. }) => offset,
        other => panic!("{other:?}"),
    };
    assert_eq!(offset, 6);
}

#[test]
fn only_bodies_up_to_the_limit_are_mended() {
    for (size, is_mended) in [(REPAIR_LIMIT - 1, true), (REPAIR_LIMIT, true), (REPAIR_LIMIT + 1, false)] {
        let mut body = br#"{"count":5,}"#.to_vec();
        body.resize(size, b' ');
        assert_eq!(Answer::body(&body).read::<Count>().is_ok(), is_mended, "{size}");
    }
}

#[test]
fn a_directory_is_read_from_whatever_its_server_sends() {
    let read = |body: &str| {
        Answer::body(body.as_bytes()).read::<Directory>().map(|parsed| {
            let facts = parsed.facts;
            (facts.current_version, facts.folders.len(), facts.services.len())
        })
    };
    assert_eq!(
        read(r#"{"currentVersion":10.71,"folders":["AGP"],"services":[{"name":"C","type":"MapServer"}]}"#),
        Ok((Some(10.71), 1, 1))
    );
    assert_eq!(read(r#"{"folders":[],"services":[]}"#), Ok((None, 0, 0)));
    assert_eq!(read(r#"{"services":null,"folders":null,"currentVersion":11.1}"#), Ok((Some(11.1), 0, 0)));
    assert_eq!(read(r#"{"currentVersion":"10.81","services":[]}"#), Ok((Some(10.81), 0, 0)));
    assert_eq!(
        read(r#"{"services":[{"name":"C","type":"NewServer"},{"type":"MapServer"},7]}"#),
        Ok((None, 0, 1))
    );
    for body in ["{}", "[]", "7", r#"{"currentVersion":11.1,"layers":[]}"#, r#"{"features":[]}"#] {
        assert_eq!(code::<Directory>(body), "other-kind", "{body}");
    }
}

#[test]
fn one_broken_layer_loses_nobody_else() {
    let body = br#"{"layers":[{"id":"7","minScale":"NaN","capabilities":null},{"id":"x"},[],{"id":8,"extent":[],"fields":{}},
        {"id":9.0,"type":"Group Layer","fields":null,"parentLayer":null,"subLayers":[{"id":1,"name":"a"}]}],"tables":null}"#;
    let layers = Answer::body(body).read::<Layers>().unwrap().facts;
    assert_eq!(layers.iter().map(|layer| layer.id).collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!(layers.bad_items.iter().map(|bad| bad.index).collect::<Vec<_>>(), [1, 2]);
    let group = &layers.layers[2];
    assert_eq!(
        (group.kind.as_ref(), group.is_queryable(), group.sub_layers.len()),
        (Some(&LayerKind::Group), false, 1)
    );
}

#[test]
fn counts_come_in_many_forms() {
    let read = |body: &str| {
        Answer::body(body.as_bytes()).read::<Count>().map(|parsed| (parsed.facts.count, parsed.facts.method))
    };
    let table = [
        (r#"{"count": 42}"#, Ok((42, CountMethod::Counted))),
        (r#"{"count":0}"#, Ok((0, CountMethod::Counted))),
        (r#"{"count":"17"}"#, Ok((17, CountMethod::Counted))),
        (r#"{"objectIdFieldName":"OID","objectIds":null}"#, Ok((0, CountMethod::Ids))),
        (r#"{"objectIdFieldName":"OID","objectIds":[1,2]}"#, Ok((2, CountMethod::Ids))),
        (r#"{"features":[{"attributes":{}}]}"#, Err(Problem::CountIgnored)),
        (r#"{"geometryType":"x","features":[{"attributes":{"a":1}},{"attr"#, Err(Problem::CountIgnored)),
        (r#"{"count":-1}"#, Err(Problem::OtherKind { expected: "count" })),
    ];
    for (body, expected) in table {
        assert_eq!(read(body), expected, "{body}");
    }
    let counts = |body: &str| Answer::body(body.as_bytes()).read::<Counts>().unwrap().facts;
    let estimates = counts(
        r#"{"layerEstimates":[{"extent":{"xmin":1,"ymin":2,"xmax":3,"ymax":4,"spatialReference":{"wkid":102100,"latestWkid":3857}},"layerId":0,"count":48},{"layerId":1,"count":69}]}"#,
    );
    assert_eq!((estimates.of(0), estimates.of(1), estimates.of(2)), (Some(48), Some(69), None));
    assert_eq!(
        estimates.layers[0].extent.as_ref().unwrap().spatial_reference.as_ref().unwrap().latest_wkid,
        Some(3857)
    );
    assert_eq!(counts(r#"{"layers":[{"id":0,"count":5}]}"#).of(0), Some(5));
    assert!(counts(r#"{"layerEstimates":null}"#).layers.is_empty());
    assert_eq!(counts(r#"{"layerEstimates":[{"layerId":0,"error":{"code":400}},null]}"#).bad_items.len(), 1);
}

#[test]
fn an_extent_may_be_empty_or_come_alone() {
    let read = |body: &str| Answer::body(body.as_bytes()).read::<QueryExtent>().unwrap().facts;
    assert!(read(r#"{"extent":{"xmin":"NaN","ymin":"NaN","xmax":"NaN","ymax":"NaN"}}"#).is_empty());
    assert!(read(r#"{"extent":null}"#).is_empty());
    assert!(!read(r#"{"count":5}"#).is_empty());
    let estimate = read(
        r#"{"count":931,"extent":{"xmin":470789.1,"ymin":1,"xmax":2,"ymax":3,"spatialReference":{"wkid":26911,"latestWkid":26911}}}"#,
    );
    assert_eq!(
        (estimate.count, estimate.extent.unwrap().spatial_reference.unwrap().wkid),
        (Some(931), Some(26911))
    );
    assert_eq!(code::<QueryExtent>(r#"{"features":[]}"#), "count-ignored");
}

#[test]
fn a_page_that_promises_more_and_brings_nothing_is_a_problem() {
    assert_eq!(code::<FeaturePage>(r#"{"features":[],"exceededTransferLimit":true}"#), "empty-page");
    let page = |body: &str| Answer::body(body.as_bytes()).read::<FeaturePage>().unwrap().facts;
    assert!(!page(r#"{"features":[{},{}],"exceededTransferLimit":true}"#).is_complete());
    assert!(
        !page(r#"{"type":"FeatureCollection","features":[{}],"properties":{"exceededTransferLimit":true}}"#)
            .is_complete()
    );
    assert!(page(r#"{"features":[]}"#).is_complete());
    assert_eq!(code::<FeaturePage>(r#"{"error":{"code":500,"message":"later page"}}"#), "service-fault");
}

#[test]
fn attributes_never_reach_a_struct() {
    let body = br#"{"objectIdFieldName":"OID","features":[{"attributes":{"owner":"Jane Doe","OID":7},"geometry":{"x":1,"y":2}}]}"#;
    let page = Answer::body(body).read::<FeaturePage>().unwrap().facts;
    assert_eq!(page.features[0].object_id, Some(7));
    assert!(!format!("{page:?}{}", serde_json::to_string(&page).unwrap()).contains("Jane"));
}

#[test]
fn kinds_are_not_taken_for_each_other() {
    let layer = r#"{"currentVersion":10.9,"id":0,"name":"L","type":"Feature Layer","geometryType":"esriGeometryPoint","fields":[],"capabilities":"Query"}"#;
    assert_eq!(code::<Service>(layer), "other-kind");
    assert_eq!(code::<Directory>(layer), "other-kind");
    assert_eq!(code::<Layers>(layer), "other-kind");
    assert_eq!(code::<Layer>(layer), "data");
    assert_eq!(code::<Layer>(r#"{"currentVersion":10.9,"layers":[]}"#), "other-kind");
    assert_eq!(code::<Service>(r#"{"currentVersion":10.9,"services":[]}"#), "other-kind");
    // Each of these is data of its own kinds and of no other.
    let directory = r#"{"currentVersion":10.9,"services":[{"name":"A","type":"MapServer"}]}"#;
    let service =
        r#"{"layers":[{"id":0,"name":"L","type":"Feature Layer"}],"currentVersion":10,"mapName":"M"}"#;
    let image =
        r#"{"currentVersion":10.9,"name":"I","extent":{"xmin":1,"ymin":1,"xmax":2,"ymax":2},"pixelSizeX":1}"#;
    let layers = r#"{"layers":[{"id":0,"name":"L","type":"Feature Layer"}],"tables":[]}"#;
    let simple =
        r#"{"id":0,"name":"L","type":"Feature Layer","extent":{"xmin":1,"ymin":1,"xmax":2,"ymax":2}}"#;
    let count = r#"{"count":5}"#;
    let counts = r#"{"layers":[{"id":0,"count":5},{"id":1}]}"#;
    let estimates = r#"{"layerEstimates":[{"layerId":0}]}"#;
    let extent = r#"{"extent":{"xmin":1,"ymin":1,"xmax":2,"ymax":2},"count":5}"#;
    let features = r#"{"features":[{"geometry":null}]}"#;
    let info = r#"{"currentVersion":10.81,"authInfo":{"isTokenBasedSecurity":true}}"#;
    let all =
        [directory, service, image, layers, layer, simple, count, counts, estimates, extent, features, info];
    type Judge = fn(&str) -> &'static str;
    let kinds: [(Judge, &[&str]); 8] = [
        (code::<Directory>, &[directory]),
        (code::<Service>, &[service, image]),
        (code::<Layers>, &[layers]),
        (code::<Layer>, &[layer, simple]),
        (code::<Count>, &[count, extent]),
        (code::<Counts>, &[counts, estimates]),
        (code::<QueryExtent>, &[count, extent]),
        (code::<FeaturePage>, &[features]),
    ];
    for (index, (judge, own)) in kinds.into_iter().enumerate() {
        for body in all {
            assert_eq!(judge(body) == "data", own.contains(&body), "kind {index}: {body}");
        }
    }
    assert_eq!(code::<Counts>(r#"{"layers":[{"id":0,"name":"L"}],"currentVersion":10}"#), "other-kind");
    assert_eq!(code::<Counts>(r#"{"layers":[]}"#), "other-kind");
}

#[test]
fn html_pages_say_what_they_are() {
    let read = |body: &str| Answer::body(body.as_bytes()).read::<Directory>().unwrap_err();
    assert_eq!(read("<html>scheduled Maintenance</html>"), Problem::Html(HtmlPage::Maintenance));
    assert_eq!(read("<!doctype html><p>It works!"), Problem::Html(HtmlPage::Other));
    assert_eq!(read("<html><script src=/recaptcha/api.js>").code(), "blocked");
}
