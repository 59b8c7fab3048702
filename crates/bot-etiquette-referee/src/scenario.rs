//! Scenarios and promises as TOML text.

mod promise;
mod sites;
mod table;

use std::io;

use self::promise::read_promise;
use self::sites::read_site;
use self::table::{Entry, Table, document};
use crate::promise::Promise;
use crate::referee::{Builder, Referee};
use crate::site::Site;

/// Sites and a promise, read from TOML.
///
/// Keys: `time_scale`; `[[site]]` with `name`, `robots` (its text, or a status; 0 is no answer) and `[[site.page]]` with
/// `path`, `status` (0 or `"none"` is no answer), `headers` (a table of texts or lists, or a list of pairs), one of `body`,
/// `file` and `bytes_of` (a number, or `{ gzip = number }` for a bomb), `delay`, `per_second_bytes`, `break_after`;
/// and `[promise]` with what [`Promise`] has, where `closed_paths`, `canaries` and `groups` are lists,
/// `quota = { requests, window }`, and `key_directory` is a file or the JWK Set itself. Durations are seconds.
///
/// ```
/// use bot_etiquette_referee::Scenario;
///
/// let text = r#"
/// [[site]]
/// name = "example.com"
/// robots = "User-agent: *\nDisallow: /private/"
/// [[site.page]]
/// path = "/"
/// body = "<a href=/private/>come in</a>"
/// [promise]
/// closed_paths = ["/private/"]
/// min_delay = 1
/// "#;
/// let no_files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
/// let scenario = Scenario::parse(text, no_files).unwrap();
/// assert_eq!(scenario.sites()[0].name(), "example.com");
///
/// let wrong = text.replace("min_delay", "min_dealy");
/// let error = Scenario::parse(&wrong, no_files).unwrap_err();
/// assert!(error.to_string().starts_with("line 10: unknown key promise.min_dealy"));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Scenario {
    sites: Vec<Site>,
    promise: Promise,
    time_scale: f64,
}

/// What is wrong with a scenario, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScenarioError {
    line: usize,
    problem: String,
}

impl ScenarioError {
    /// The line, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }
}

/// Reads the files that a scenario names.
type Files<'a> = dyn FnMut(&str) -> io::Result<Vec<u8>> + 'a;

impl Scenario {
    /// Reads a scenario; `file` reads what `file` and `key_directory` name.
    ///
    /// # Errors
    ///
    /// The first thing that is no TOML, no known key, no usable value or no promise anybody could keep.
    pub fn parse(
        text: &str,
        mut file: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<Self, ScenarioError> {
        let document = document(text)?;
        let mut top = Table::new(text, "", document.get_ref(), 0);
        let time_scale = top.take("time_scale").map(|value| value.number()).transpose()?.unwrap_or(1.0);
        let mut sites = Vec::new();
        let tables = top.tables("site")?;
        let name = |table: &Table<'_, '_>| {
            Some(Site::new(table.entries.get("name")?.value.as_str()?).name().to_owned())
        };
        let names: Vec<String> = tables.iter().filter_map(name).collect();
        for site in tables {
            sites.push(read_site(site, &names, &mut file)?);
        }
        let promise = match top.table("promise")? {
            Some(table) => read_promise(table, Some(&sites), &mut file)?,
            None => Promise::new(),
        };
        top.finish()?;
        let scenario = Self { sites, promise, time_scale };
        if scenario.time_scale == 0.0 {
            return Err(ScenarioError {
                line: 1,
                problem: "time_scale is 0: give a number above 0, such as 1.0".into(),
            });
        }
        if scenario.sites.is_empty() {
            return Err(ScenarioError {
                line: 1,
                problem: "has no [[site]]: a crawler needs one to visit".into(),
            });
        }
        Ok(scenario)
    }

    /// Reads only the promise: of a scenario, of a text with a `[promise]`, of a text of its bare keys, or of the
    /// configuration by which a bot names itself, which has a `[promise]` too.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_promise(
        text: &str,
        mut file: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<Promise, ScenarioError> {
        let document = document(text)?;
        let mut top = Table::new(text, "", document.get_ref(), 0);
        let Some(table) = top.table("promise")? else { return read_promise(top, None, &mut file) };
        // A bot's configuration has a page; its other keys are for its own reader to judge.
        if !top.entries.contains_key("page") {
            let _ = (top.take("site"), top.take("time_scale"));
            top.finish()?;
        }
        read_promise(table, None, &mut file)
    }

    /// The sites.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// What the crawler is held to.
    pub const fn promise(&self) -> &Promise {
        &self.promise
    }

    /// A referee of this scenario, ready to start.
    pub fn builder(self) -> Builder {
        let builder = Referee::builder().promise(self.promise).time_scale(self.time_scale);
        self.sites.into_iter().fold(builder, Builder::site)
    }
}

fn read_file(entry: &Entry<'_, '_>, file: &mut Files<'_>) -> Result<Vec<u8>, ScenarioError> {
    let name = entry.string()?;
    file(name).map_err(|error| entry.fault(format_args!("{name:?} cannot be read: {error}")))
}
