//! Finding servers through public catalogues, as an ordinary client under each one's own rules.
//!
//! A catalogue that is *queried* is described by a reviewed record ([`ApiSource`]), never by a way around robots.txt: its
//! robots.txt is read like any other, its Crawl-delay is always kept, and a refusal is an error and never an empty result.
//!
//! | source | requests | answers |
//! |---|---|---|
//! | ArcGIS Online, Enterprise portals | [`PortalWalk`] | [`SearchPage`] |
//! | ArcGIS Hub | [`hub_search`], [`HubPage::next`] | [`HubPage`] |
//! | a Hub site | [`dcat_feed`], else [`hub_datasets`] | [`DcatFeed`], [`HubDatasets`] |
//! | a server's own portal | [`Root::info`](crate::Root::info), [`PortalWalk`] | [`ServerInfo`](crate::ServerInfo) |
//! | Wikidata | [`wikidata_query`] | [`WikidataRows`] |
//! | Certificate Transparency | [`ct::TileWalk`], [`ct::EntryWalk`] | host names |
//!
//! Every URL that they name goes through [`server_root`]; a name out of a certificate through [`Probe`].

pub mod ct;
mod dcat;
mod host;
mod hub;
mod portal;
mod probe;
mod source;
mod wikidata;

pub use self::dcat::{DcatDataset, DcatFeed, dcat_feed};
pub(crate) use self::host::is_private;
pub use self::host::{HostRefusal, is_probeable, portal_of, server_root};
pub use self::hub::{HubDataset, HubDatasets, HubItem, HubPage, hub_datasets, hub_search};
pub use self::portal::{PAGE_SIZE, PortalWalk, SEARCH_CAP, SearchItem, SearchPage, Window};
pub use self::probe::{Finding, Probe};
pub use self::source::{ApiSource, ContactRequired, Review, RobotsRule, SOURCES};
pub use self::wikidata::{WikidataProperty, WikidataRows, wikidata_query};
