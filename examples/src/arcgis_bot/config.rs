//! What a person may set: the servers, and how much is asked of each.

use std::path::Path;
use std::time::Duration;

use bot_etiquette::arcgis::Root;
use bot_etiquette::fetch::FetchLimits;
use bot_etiquette::politeness::Policy;
use serde::Deserialize;

use crate::exit::Usage;
use crate::files;

/// The policy that keeps the promises of SmartSitePlanBot.
pub const POLICY: &str = include_str!("../../policies/smart-site-plan.toml");

/// Who the demonstration says it is.
pub const DEMO_IDENTITY: &str = include_str!("../../identities/smart-site-plan.toml");

/// Ports of map servers beside 80 and 443.
pub const PORTS: [u16; 3] = [6443, 6080, 8443];

/// The settings, read from TOML; every line may be left out.
///
/// ```
/// use bot_etiquette_examples::arcgis_bot::config::Config;
///
/// let config = Config::from_toml("servers = [\"https://gis.example.org/arcgis/rest/services\"]\nprevews = 1");
/// assert!(config.unwrap_err().to_string().contains("unknown field `prevews`"));
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Servers to crawl where the command names none.
    pub servers: Vec<String>,
    /// Preview pictures of one service and visit, at the most.
    pub previews: usize,
    /// Seconds for a connection to stand.
    pub connect: f64,
    /// Seconds for a whole request.
    pub total: f64,
    /// Certificate Transparency logs to read names from: their monitoring addresses, each under a reviewed record.
    pub ct_logs: Vec<String>,
    /// Full tiles of each log and run, at the most.
    pub ct_tiles: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            previews: 3,
            connect: 10.0,
            total: 30.0,
            ct_logs: Vec::new(),
            ct_tiles: 4,
        }
    }
}

impl Config {
    /// Reads a text.
    ///
    /// # Errors
    /// A [`Usage`] that names the line and what to write there.
    pub fn from_toml(text: &str) -> Result<Self, Usage> {
        let config: Self = files::read_toml(text).map_err(Usage::new)?;
        for (key, value) in [("connect", config.connect), ("total", config.total)] {
            if !(0.1..=300.0).contains(&value) {
                let line = files::line_of(text, key);
                return Err(Usage::new(format!("{line}{key} is {value}: give seconds from 0.1 to 300")));
            }
        }
        Ok(config)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A [`Usage`] that names the file.
    pub fn read(file: &Path) -> Result<Self, Usage> {
        let wrong = |error: &dyn std::fmt::Display| Usage::new(format!("config {}: {error}", file.display()));
        let text = files::read_text(file).map_err(|error| wrong(&error))?;
        Self::from_toml(&text).map_err(|error| wrong(&error))
    }

    /// The time limits of every request.
    #[must_use]
    pub fn limits(&self) -> FetchLimits {
        FetchLimits::default()
            .connect(Duration::from_secs_f64(self.connect))
            .total(Duration::from_secs_f64(self.total))
    }
}

/// The policy of a file, or the bot's own.
///
/// # Errors
/// A [`Usage`] that names the file and the line.
pub fn policy(file: Option<&Path>) -> Result<Policy, Usage> {
    let Some(file) = file else {
        return Policy::from_toml(POLICY).map_err(|error| Usage::new(error.to_string()));
    };
    let wrong = |error: &dyn std::fmt::Display| Usage::new(format!("policy {}: {error}", file.display()));
    let text = files::read_text(file).map_err(|error| wrong(&error))?;
    Policy::from_toml(&text).map_err(|error| wrong(&error))
}

/// The roots that these addresses name, each once.
///
/// # Errors
/// A [`Usage`] that says which address is no ArcGIS server's, by its place in the list: it may hold a token.
pub fn roots(addresses: &[String]) -> Result<Vec<Root>, Usage> {
    let mut roots: Vec<Root> = Vec::new();
    for (place, address) in addresses.iter().enumerate() {
        let root: Root = address
            .parse()
            .map_err(|error| Usage::new(format!("address {} is no ArcGIS server's: {error}", place + 1)))?;
        if !roots.iter().any(|known| known.key() == root.key()) {
            roots.push(root);
        }
    }
    Ok(roots)
}
