//! Which hosts may be asked at all.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::address::{Address, AddressError, Root};

/// Why a URL or a name is not taken as a server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostRefusal {
    /// No URL of an ArcGIS server.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A portal's proxy to a server behind it, which is not a directory.
    #[error("a proxy of a portal")]
    Proxy,
    /// Esri's own basemaps.
    #[error("a basemap")]
    Basemap,
    /// A host inside somebody's network.
    #[error("a private host")]
    PrivateHost,
    /// A name that does not look like a map server's, or looks like a test machine or an inner one.
    #[error("a name that does not invite")]
    Name,
}

/// The root of the server that a catalogue's URL names.
///
/// ```
/// use bot_etiquette_arcgis::discover::{HostRefusal, server_root};
///
/// let root = server_root("https://gis.example.gov/arcgis/rest/services/Parcels/MapServer/0?token=x")?;
/// assert_eq!(root.to_string(), "https://gis.example.gov/arcgis/rest/services");
/// assert_eq!(server_root("http://10.1.2.3/arcgis/rest/services"), Err(HostRefusal::PrivateHost));
/// # Ok::<(), HostRefusal>(())
/// ```
///
/// # Errors
/// [`HostRefusal`] for what is no public server's directory.
pub fn server_root(url: &str) -> Result<Root, HostRefusal> {
    let parsed = Url::parse(url.trim()).map_err(AddressError::Url)?;
    let host = parsed.host_str().unwrap_or_default();
    if host == "utility.arcgis.com" || parsed.path().contains("/sharing/servers/") {
        return Err(HostRefusal::Proxy);
    }
    if host == "arcgisonline.com" || host.ends_with(".arcgisonline.com") {
        return Err(HostRefusal::Basemap);
    }
    if is_private(&parsed) {
        return Err(HostRefusal::PrivateHost);
    }
    Ok(url.parse::<Address>()?.root)
}

/// The portal whose page of an item this is: it can be searched, though the page names no server.
///
/// ```
/// use bot_etiquette_arcgis::discover::portal_of;
///
/// let portal = portal_of("https://maps.example.org/portal/home/item.html?id=0123").unwrap();
/// assert_eq!(portal.as_str(), "https://maps.example.org/portal");
/// assert_eq!(portal_of("https://maps.example.org/arcgis/rest/services"), None);
/// ```
#[must_use]
pub fn portal_of(url: &str) -> Option<Url> {
    let mut url = Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let (context, page) = url.path().split_once("/home/")?;
    if is_private(&url) || !page.ends_with(".html") || !url.username().is_empty() {
        return None;
    }
    let context = context.to_owned();
    url.set_path(&context);
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

pub(crate) fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            !name.contains('.')
                || [".local", ".internal", ".lan", ".corp", ".localhost"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        Some(Host::Ipv4(address)) => is_inner(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_inner(IpAddr::V6(address)),
        None => true,
    }
}

fn is_inner(address: IpAddr) -> bool {
    let v4 = |address: Ipv4Addr| {
        let [a, b, ..] = address.octets();
        address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_multicast()
            || address.is_unspecified()
            || address.is_broadcast()
            || (a == 100 && (64..128).contains(&b))
    };
    let v6 = |address: Ipv6Addr| {
        let first = address.segments().first().copied().unwrap_or(0);
        address.is_loopback()
            || address.is_unspecified()
            || address.is_multicast()
            || first & 0xfe00 == 0xfc00
            || first & 0xffc0 == 0xfe80
    };
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => address.to_ipv4_mapped().map_or_else(|| v6(address), v4),
    }
}

/// First labels of map servers, without what may follow them.
const STEMS: [&str; 11] =
    ["gis", "egis", "arcgis", "ags", "map", "maps", "geo", "geoportal", "gisportal", "webgis", "mapping"];
const TAILS: [&str; 12] = [
    "", "web", "server", "service", "services", "map", "maps", "data", "portal", "public", "prod", "spatial",
];
/// Words that say "not for you".
const INNER: [&str; 26] = [
    "dev", "test", "tst", "qa", "uat", "stage", "staging", "stg", "int", "internal", "intranet", "vpn",
    "admin", "mgmt", "backup", "bak", "dr", "old", "priv", "private", "secure", "auth", "sso", "login",
    "citrix", "remote",
];

/// Whether a name out of a certificate may be probed: its first label is a map server's, and nothing left of its
/// registrable domain says that it is a test machine or an inner one.
///
/// ```
/// use bot_etiquette_arcgis::discover::is_probeable;
///
/// assert!(is_probeable("gis2.example.org"));
/// assert!(is_probeable("maps.example.int"));
/// assert!(!is_probeable("gis-test.example.org"));
/// assert!(!is_probeable("*.gis.example.org"));
/// ```
#[must_use]
pub fn is_probeable(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let labels: Vec<&str> = name.split('.').collect();
    let is_plain = |label: &&str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if labels.len() < 3 || !labels.iter().all(is_plain) {
        return false;
    }
    // Under country codes a short second label (org.qa, co.uk) belongs to the registry.
    let is_country =
        |index: usize, most: usize| labels.iter().rev().nth(index).is_some_and(|label| label.len() <= most);
    let registrable = if is_country(0, 2) && is_country(1, 3) { 3 } else { 2 };
    let Some(own) = labels.len().checked_sub(registrable).and_then(|end| labels.get(..end)) else {
        return false;
    };
    let words = own.iter().flat_map(|label| label.split(|c: char| c == '-' || c.is_ascii_digit()));
    let says_no = words.into_iter().any(|word| INNER.contains(&word));
    own.first().is_some_and(|label| is_map_label(label)) && !says_no
}

fn is_map_label(label: &str) -> bool {
    if label == "spatial" {
        return true;
    }
    let bare = label.trim_end_matches(|c: char| c.is_ascii_digit());
    let has_few_digits = label.len().saturating_sub(bare.len()) <= 2;
    has_few_digits
        && STEMS.iter().any(|stem| {
            bare.strip_prefix(stem)
                .is_some_and(|tail| TAILS.contains(&tail) && (tail.is_empty() || bare.len() == label.len()))
        })
}
