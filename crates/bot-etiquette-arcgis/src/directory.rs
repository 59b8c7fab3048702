//! The services directory: folders and services, at the root and in each folder.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::facts::{BadItem, items, sealed::Read};
use crate::outcome::Problem;
use crate::scalar;

/// The list of folders and services of a root or a folder.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, Directory, Root, ServiceType};
///
/// let body = br#"{"currentVersion":10.71,"folders":["AGP"],"services":[{"name":"AGP/Census","type":"MapServer"}]}"#;
/// let directory = Answer::body(body).read::<Directory>()?.facts;
/// assert_eq!(directory.services[0].service_type, ServiceType::MapServer);
///
/// // A name holds its folder, so the URL is always made from the root.
/// let root: Root = "https://gis.example.org/arcgis/rest/services".parse()?;
/// let service = root.service(&directory.services[0]);
/// assert_eq!(service.url().as_str(), "https://gis.example.org/arcgis/rest/services/AGP/Census/MapServer");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Directory {
    /// The server's version as a number, such as 10.81 or 11.1; servers of the 9.3 age send none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_version: Option<f64>,
    /// Names of folders, in the server's order.
    pub folders: Vec<String>,
    /// The services, in the server's order.
    pub services: Vec<ServiceEntry>,
    /// Entries that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bad_items: Vec<BadItem>,
}

/// One service of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEntry {
    /// The name with its folder: `AGP/Census`.
    pub name: String,
    /// What kind of service it is.
    #[serde(rename = "type")]
    pub service_type: ServiceType,
}

/// The kind of a service; the last segment of its URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum ServiceType {
    /// A map of layers that the server draws.
    MapServer,
    /// Layers of features.
    FeatureServer,
    /// Images; the service is its own layer.
    ImageServer,
    /// Tiles that hold vectors.
    VectorTileServer,
    /// Scenes in three dimensions.
    SceneServer,
    /// Anything else, by its name: `GPServer`, `GeometryServer` and others hold no map data.
    Other(String),
}

impl ServiceType {
    /// The name as URLs hold it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::MapServer => "MapServer",
            Self::FeatureServer => "FeatureServer",
            Self::ImageServer => "ImageServer",
            Self::VectorTileServer => "VectorTileServer",
            Self::SceneServer => "SceneServer",
            Self::Other(name) => name,
        }
    }

    /// Whether a person can search map data in it.
    #[must_use]
    pub fn has_map_data(&self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// Whether it answers `/layers` and holds layers with numbers.
    #[must_use]
    pub fn has_layers(&self) -> bool {
        matches!(self, Self::MapServer | Self::FeatureServer)
    }
}

impl From<String> for ServiceType {
    fn from(name: String) -> Self {
        [Self::MapServer, Self::FeatureServer, Self::ImageServer, Self::VectorTileServer, Self::SceneServer]
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(&name))
            .unwrap_or(Self::Other(name))
    }
}

impl From<&str> for ServiceType {
    fn from(name: &str) -> Self {
        Self::from(name.to_owned())
    }
}

impl From<ServiceType> for String {
    fn from(service_type: ServiceType) -> Self {
        match service_type {
            ServiceType::Other(name) => name,
            known => known.as_str().to_owned(),
        }
    }
}

impl fmt::Display for ServiceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Read for Directory {
    const KIND: &'static str = "directory";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let is_listed = document.has_any(&["services", "folders"]);
        // A service description has a version too, and is no directory without entries.
        const OTHERS: [&str; 14] = [
            "layers",
            "tables",
            "capabilities",
            "mapName",
            "fields",
            "type",
            "fullVersion",
            "authInfo",
            "id",
            "name",
            "fullExtent",
            "extent",
            "features",
            "count",
        ];
        let is_other = document.has_any(&OTHERS);
        if !is_listed && (is_other || !document.has("currentVersion")) {
            return Err(Problem::OtherKind { expected: Self::KIND });
        }
        let (services, bad_items) = items(document, "services");
        Ok(Self {
            current_version: document.with("currentVersion", |raw| scalar::number(raw)),
            folders: document.with("folders", |raw| scalar::words(raw)),
            services,
            bad_items,
        })
    }
}
