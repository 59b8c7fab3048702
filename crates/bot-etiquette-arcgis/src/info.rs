//! What a server says of itself beside its directory: its version, and the portal that it belongs to.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::address::Root;
use crate::discover::is_private;
use crate::document::Document;
use crate::facts::sealed::Read;
use crate::outcome::Problem;
use crate::request::{Request, SERVICE_LIMIT};
use crate::scalar;

/// The answer to [`Root::info`]. Nobody needs it to read a server; the portal that it names knows the servers beside it.
///
/// ```
/// use bot_etiquette_arcgis::{Answer, ServerInfo};
///
/// let body = br#"{"currentVersion":10.81,"fullVersion":"10.8.1","owningSystemUrl":"https://maps.example.org/portal",
///     "authInfo":{"isTokenBasedSecurity":true,"tokenServicesUrl":"https://maps.example.org/portal/sharing/rest/generateToken"}}"#;
/// let info = Answer::body(body).read::<ServerInfo>()?.facts;
/// assert_eq!(info.portal().unwrap().as_str(), "https://maps.example.org/portal");
/// # Ok::<(), bot_etiquette_arcgis::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The version as a number, such as 10.81.
    #[serde(deserialize_with = "scalar::number", skip_serializing_if = "Option::is_none")]
    pub current_version: Option<f64>,
    /// The version in full, such as `10.8.1`.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub full_version: Option<String>,
    /// The portal that the server belongs to.
    #[serde(deserialize_with = "scalar::text", skip_serializing_if = "Option::is_none")]
    pub owning_system_url: Option<String>,
    /// How it is secured. Tokens do not mean that nothing is public.
    #[serde(deserialize_with = "scalar::object", skip_serializing_if = "Option::is_none")]
    pub auth_info: Option<AuthInfo>,
}

/// How a server is secured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AuthInfo {
    /// Whether it gives tokens out, which says nothing of what needs one.
    #[serde(deserialize_with = "scalar::truth", skip_serializing_if = "Option::is_none")]
    pub is_token_based_security: Option<bool>,
}

impl ServerInfo {
    /// The portal's URL, for a [`PortalWalk`](crate::discover::PortalWalk); none where it is no public one.
    #[must_use]
    pub fn portal(&self) -> Option<Url> {
        let url = Url::parse(self.owning_system_url.as_deref()?).ok()?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
        (is_web && !is_private(&url)).then_some(url)
    }
}

impl Root {
    /// What the server says of itself: its version and its portal.
    #[must_use]
    pub fn info(&self) -> Request {
        let mut url = self.url().clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop().push("info");
        }
        url.query_pairs_mut().append_pair("f", "json");
        Request::new(url, SERVICE_LIMIT)
    }
}

impl Read for ServerInfo {
    const KIND: &'static str = "server's description";

    fn from_document(document: &Document<'_>) -> Result<Self, Problem> {
        let is_info = document.has_any(&["fullVersion", "owningSystemUrl", "authInfo", "soapUrl"]);
        let is_other = document.has_any(&["services", "layers", "capabilities", "type"]);
        let info = document.whole().filter(|_| is_info && !is_other);
        info.ok_or(Problem::OtherKind { expected: Self::KIND })
    }
}
