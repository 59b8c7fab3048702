//! What is asked, letter by letter.

use bot_etiquette_arcgis::{
    Address, AddressError, Answer, Bbox, Directory, Layer, Lod, Root, ServiceEntry, ServiceType, Tile,
    TileInfo, URL_LIMIT,
};

#[test]
fn a_pasted_url_is_brought_to_its_root_service_and_layer() {
    let org = "r6FcH3ngAQDWWMWu";
    let table = [
        (
            "https://gis.example.gov/arcgis/rest/services/Parcels/MapServer/0",
            "https://gis.example.gov/arcgis/rest/services",
            "Parcels",
            Some(0),
        ),
        (
            "https://gis.example.gov/arcgis/rest/services/F/Parcels/FeatureServer/0/query?where=1%3D1&token=abc",
            "https://gis.example.gov/arcgis/rest/services",
            "F/Parcels",
            Some(0),
        ),
        (
            "https://services3.arcgis.com/r6FcH3ngAQDWWMWu/ArcGIS/rest/services/Help/FeatureServer/0/query?token=abc",
            "https://services3.arcgis.com/r6FcH3ngAQDWWMWu/ArcGIS/rest/services",
            "Help",
            Some(0),
        ),
        (
            "https://gis.example.org/a/b/arcgis2/rest/services/F/S/ImageServer?f=pjson",
            "https://gis.example.org/a/b/arcgis2/rest/services",
            "F/S",
            None,
        ),
        (
            "https://GIS.example.org:6443/arcgis/rest/services//X/MapServer#top",
            "https://gis.example.org:6443/arcgis/rest/services",
            "X",
            None,
        ),
        (
            "https://gis.example.org/rest/services/X/MapServer",
            "https://gis.example.org/rest/services",
            "X",
            None,
        ),
        (
            "https://gis.example.org/arcgis/services/X/MapServer/WMSServer?request=GetCapabilities",
            "https://gis.example.org/arcgis/rest/services",
            "X",
            None,
        ),
        (
            "https://gis.example.org/arcgis/REST/Services/Buffer%20of%20Runways/FeatureServer",
            "https://gis.example.org/arcgis/rest/services",
            "Buffer of Runways",
            None,
        ),
    ];
    for (pasted, root, name, layer) in table {
        let address: Address = pasted.parse().unwrap();
        let service = address.service.unwrap();
        assert_eq!(
            (address.root.url().as_str(), service.name(), address.layer),
            (root, name, layer),
            "{pasted}"
        );
        assert!(!service.description().url.as_str().contains("token"));
    }
    let hosted: Root = format!("https://services3.arcgis.com/{org}/ArcGIS/rest/services").parse().unwrap();
    assert_eq!(hosted.organisation(), Some(org));
    let tiles: Root =
        format!("https://tiles.arcgis.com/tiles/{org}/arcgis/rest/services/X/MapServer").parse().unwrap();
    assert_eq!(tiles.organisation(), Some(org));
    let folder: Address = "https://gis.example.org/arcgis/rest/services/Draft/".parse().unwrap();
    assert_eq!((folder.folder.as_deref(), folder.service), (Some("Draft"), None));
}

#[test]
fn what_names_no_server_is_refused_without_repeating_it() {
    let table = [
        ("https://maps.example.org/portal/home/item.html?id=0123", AddressError::NoServices),
        ("https://example.org/services/roof", AddressError::NoServices),
        ("ftp://gis.example.org/arcgis/rest/services", AddressError::Scheme),
        ("https://me:secret@gis.example.org/arcgis/rest/services", AddressError::Credentials),
    ];
    for (pasted, expected) in table {
        let error = pasted.parse::<Address>().unwrap_err();
        assert_eq!(error, expected, "{pasted}");
        assert!(!error.to_string().contains("secret"));
    }
    assert!(matches!(
        "https://{switch:a,b}.example.org/rest/services".parse::<Address>(),
        Err(AddressError::Url(_))
    ));
}

#[test]
fn one_server_has_one_key() {
    let key = |url: &str| url.parse::<Root>().unwrap().key();
    assert_eq!(
        key("http://gis.example.org/ArcGIS/rest/services"),
        key("https://gis.example.org/arcgis/rest/services")
    );
    assert_ne!(
        key("https://gis.example.org:6443/arcgis/rest/services"),
        key("https://gis.example.org/arcgis/rest/services")
    );
    assert_ne!(
        key("https://services.arcgis.com/aB/arcgis/rest/services"),
        key("https://services.arcgis.com/ab/arcgis/rest/services")
    );
}

#[test]
fn names_hold_their_folder_and_are_encoded_by_segment() {
    let root: Root = "https://gis.example.org/arcgis/rest/services".parse().unwrap();
    let body = r#"{"services":[{"name":"Straßen/Fußwege","type":"MapServer"},{"name":"A b?c#d%","type":"FeatureServer"}]}"#;
    let directory = Answer::body(body.as_bytes()).read::<Directory>().unwrap().facts;
    let urls: Vec<_> = directory.services.iter().map(|entry| root.service(entry).url().to_string()).collect();
    assert_eq!(urls[0], "https://gis.example.org/arcgis/rest/services/Stra%C3%9Fen/Fu%C3%9Fwege/MapServer");
    assert_eq!(urls[1], "https://gis.example.org/arcgis/rest/services/A%20b%3Fc%23d%25/FeatureServer");
    assert_eq!(
        root.folder("My maps").url.as_str(),
        "https://gis.example.org/arcgis/rest/services/My%20maps?f=json"
    );
    // A name that tries to climb out stays below the root.
    let climbing = ServiceEntry { name: "../../admin".to_owned(), service_type: ServiceType::MapServer };
    assert!(
        root.service(&climbing).url().path().starts_with("/arcgis/rest/services/"),
        "{}",
        root.service(&climbing)
    );
}

#[test]
fn questions_about_many_layers_are_split_below_the_limit() {
    let service = "https://gis.example.org/arcgis/rest/services/X/FeatureServer"
        .parse::<Address>()
        .unwrap()
        .service
        .unwrap();
    assert!(service.counts(&[]).is_empty());
    let one = service.counts(&[0, 3]);
    assert_eq!(
        one[0].url.query(),
        Some("layerDefs=%7B%220%22%3A%221%3D1%22%2C%223%22%3A%221%3D1%22%7D&returnCountOnly=true&f=json")
    );
    let layers: Vec<u64> = (0..200).collect();
    let requests = service.counts(&layers);
    assert!(requests.len() > 1 && requests.iter().all(|request| request.url.as_str().len() <= URL_LIMIT));
    let asked: usize =
        requests.iter().map(|request| request.url.as_str().matches("%3A%221%3D1").count()).sum();
    assert_eq!(asked, 200);
}

#[test]
fn a_page_of_outlines_asks_for_pages_only_where_there_are_pages() {
    let service = "https://gis.example.org/arcgis/rest/services/X/FeatureServer"
        .parse::<Address>()
        .unwrap()
        .service
        .unwrap();
    let layer = |json: &str| Answer::body(json.as_bytes()).read::<Layer>().unwrap().facts;
    let paged = layer(
        r#"{"id":4,"name":"L","objectIdField":"OID","advancedQueryCapabilities":{"supportsPagination":true}}"#,
    );
    let url = service.outlines(&paged, 12, 2.0).url.to_string();
    for part in [
        "/4/query?",
        "outFields=OID",
        "outSR=4326",
        "returnTrueCurves=false",
        "orderByFields=OID",
        "resultRecordCount=12",
        "maxAllowableOffset=0.001000",
    ] {
        assert!(url.contains(part), "{part}: {url}");
    }
    for json in [
        r#"{"id":4,"name":"L","supportsPagination":false,"advancedQueryCapabilities":{"supportsPagination":false}}"#,
        r#"{"id":4,"name":"L","advancedQueryCapabilities":{"supportsOrderBy":true}}"#,
    ] {
        let url = service.outlines(&layer(json), 12, 2.0).url.to_string();
        assert!(!url.contains("resultRecordCount") && !url.contains("orderByFields"), "{url}");
    }
}

#[test]
fn pictures_and_tiles_are_asked_for_as_their_servers_want() {
    let service = "https://gis.example.org/arcgis/rest/services/X/MapServer"
        .parse::<Address>()
        .unwrap()
        .service
        .unwrap();
    let bbox = Bbox { west: 1.0, south: 2.0, east: 3.0, north: 4.0 };
    let url = service.export(Some(3), &bbox, (400, 300)).url.to_string();
    for part in
        ["/export?", "bbox=1%2C2%2C3%2C4", "bboxSR=4326", "layers=show%3A3", "size=400%2C300", "f=image"]
    {
        assert!(url.contains(part), "{part}: {url}");
    }
    let url = service.tile(Tile { level: 9, row: 669, col: 175 }).url.to_string();
    assert!(url.ends_with("/X/MapServer/tile/9/669/175"), "{url}");
}

#[test]
fn tiles_are_counted_from_the_scheme_s_own_origin() {
    // The origin of ArcGIS's full Mercator range, not of the usual square.
    let scheme = TileInfo {
        rows: 256,
        cols: 256,
        origin: (-20_037_700.0, 30_241_100.0),
        lods: vec![Lod { level: 10, resolution: 152.874_056_570_353, scale: 577_790.554_288_566 }],
        ..TileInfo::default()
    };
    assert_eq!(scheme.tile(10, -13_163_000.0, 4_035_000.0), Some(Tile { level: 10, row: 669, col: 175 }));
    assert_eq!(scheme.tile(11, 0.0, 0.0), None);
    assert_eq!(scheme.tile(10, -30_000_000.0, 0.0), None);
    assert_eq!(scheme.tile(10, f64::NAN, 0.0), None);
}
