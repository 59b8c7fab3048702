//! Scenarios and promises as TOML text.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::promise::{Promise, PromiseError};
use crate::referee::{Builder, Referee};
use crate::site::{Page, Site};

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
        for site in top.tables("site")? {
            sites.push(read_site(site, &mut file)?);
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

fn document(text: &str) -> Result<Spanned<DeTable<'_>>, ScenarioError> {
    DeTable::parse(text).map_err(|error| ScenarioError {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        problem: format!("is no TOML: {}", error.message()),
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// A table whose keys are taken one by one, so that what is left over is unknown.
struct Table<'t, 'i> {
    /// The name in front of its keys, such as `site.page`.
    name: String,
    entries: BTreeMap<String, Entry<'t, 'i>>,
    known: Vec<&'static str>,
    line: usize,
}

/// One value, with its key's full name and line.
struct Entry<'t, 'i> {
    text: &'t str,
    key: String,
    line: usize,
    value: &'t DeValue<'i>,
}

impl<'t, 'i> Table<'t, 'i> {
    fn new(text: &'t str, name: &str, table: &'t DeTable<'i>, line: usize) -> Self {
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<DeValue<'i>>)| {
            let short: &std::borrow::Cow<'_, str> = key.get_ref();
            let line = line_of(text, key.span().start);
            let full = if name.is_empty() { short.to_string() } else { format!("{name}.{short}") };
            (short.to_string(), Entry { text, key: full, line, value: value.get_ref() })
        };
        let entries: BTreeMap<_, _> = table.iter().map(entry).collect();
        let line = entries.values().map(|entry| entry.line).min().unwrap_or(line);
        Self { name: name.to_owned(), entries, known: Vec::new(), line }
    }

    fn take(&mut self, key: &'static str) -> Option<Entry<'t, 'i>> {
        self.known.push(key);
        self.entries.remove(key)
    }

    fn table(&mut self, key: &'static str) -> Result<Option<Self>, ScenarioError> {
        self.take(key).map(|entry| entry.table()).transpose()
    }

    fn tables(&mut self, key: &'static str) -> Result<Vec<Self>, ScenarioError> {
        self.take(key).map_or(Ok(Vec::new()), |entry| entry.list()?.iter().map(Entry::table).collect())
    }

    fn required(&mut self, key: &'static str) -> Result<Entry<'t, 'i>, ScenarioError> {
        let (line, name) = (self.line, self.name.clone());
        self.take(key)
            .ok_or_else(|| ScenarioError { line, problem: format!("{name} has no {key}: it needs one") })
    }

    /// Complains about the first key that nobody took.
    fn finish(self) -> Result<(), ScenarioError> {
        match self.entries.values().min_by_key(|entry| entry.line) {
            Some(entry) => Err(ScenarioError {
                line: entry.line,
                problem: format!("unknown key {}: known are {}", entry.key, self.known.join(", ")),
            }),
            None => Ok(()),
        }
    }
}

impl<'t, 'i> Entry<'t, 'i> {
    fn wrong(&self, expected: &str) -> ScenarioError {
        let kind = self.value.type_str();
        ScenarioError { line: self.line, problem: format!("{} is a {kind}: give {expected}", self.key) }
    }

    fn fault(&self, problem: impl std::fmt::Display) -> ScenarioError {
        ScenarioError { line: self.line, problem: format!("{} {problem}", self.key) }
    }

    fn table(&self) -> Result<Table<'t, 'i>, ScenarioError> {
        match self.value {
            DeValue::Table(table) => Ok(Table::new(self.text, &self.key, table, self.line)),
            _ => Err(self.wrong("a table")),
        }
    }

    fn list(&self) -> Result<Vec<Self>, ScenarioError> {
        let DeValue::Array(list) = self.value else { return Err(self.wrong("a list")) };
        let entry = |value: &'t Spanned<DeValue<'i>>| Entry {
            text: self.text,
            key: self.key.clone(),
            line: line_of(self.text, value.span().start),
            value: value.get_ref(),
        };
        Ok(list.iter().map(entry).collect())
    }

    fn string(&self) -> Result<&'t str, ScenarioError> {
        self.value.as_str().ok_or_else(|| self.wrong("a text in quotes"))
    }

    fn strings(&self) -> Result<Vec<&'t str>, ScenarioError> {
        match self.value {
            DeValue::String(_) => Ok(vec![self.string()?]),
            _ => self.list()?.iter().map(Entry::string).collect(),
        }
    }

    fn bool(&self) -> Result<bool, ScenarioError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// A whole number of 0 or more.
    fn whole(&self) -> Result<u64, ScenarioError> {
        let Some(integer) = self.value.as_integer() else { return Err(self.wrong("a whole number")) };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .map_err(|_| self.fault("is no whole number of 0 or more"))
    }

    /// A finite number of 0 or more.
    fn number(&self) -> Result<f64, ScenarioError> {
        let number = match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse::<f64>().ok(),
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            _ => return Err(self.wrong("a number")),
        };
        number
            .filter(|number| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| self.fault("is no number of 0 or more"))
    }

    fn seconds(&self) -> Result<Duration, ScenarioError> {
        Duration::try_from_secs_f64(self.number()?)
            .map_err(|_| self.fault("is more seconds than can be counted"))
    }
}

fn read_site<'t>(mut table: Table<'t, '_>, file: &mut Files<'_>) -> Result<Site, ScenarioError> {
    let name = table.required("name")?;
    let mut site = Site::new(name.string()?);
    let good = !site.name.is_empty()
        && site.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !good {
        return Err(name.fault("is no host name: give one such as a.example, without a port"));
    }
    if let Some(robots) = table.take("robots") {
        site = match robots.value {
            DeValue::String(_) => site.robots(robots.string()?),
            DeValue::Integer(_) => site.robots_answer(Page::new("/robots.txt").status(status(&robots)?)),
            _ => return Err(robots.wrong("the text of the file, or a status")),
        };
    }
    for page in table.tables("page")? {
        site = site.page(read_page(page, file)?);
    }
    table.finish()?;
    Ok(site)
}

fn status(entry: &Entry<'_, '_>) -> Result<u16, ScenarioError> {
    if let Some(word) = entry.value.as_str() {
        return match word {
            "none" | "reset" | "close" => Ok(0),
            _ => Err(entry.fault(r#"is no status: give a number such as 503, or "none" for no answer"#)),
        };
    }
    let status =
        u16::try_from(entry.whole()?).ok().filter(|status| *status == 0 || (100..1000).contains(status));
    status.ok_or_else(|| entry.fault("is no status: give 100 to 999, or 0 for no answer"))
}

fn read_page<'t>(mut table: Table<'t, '_>, file: &mut Files<'_>) -> Result<Page, ScenarioError> {
    let path = table.required("path")?;
    let mut page = Page::new(path.string()?);
    if !page.path.starts_with('/') {
        return Err(path.fault("does not begin with /"));
    }
    if let Some(entry) = table.take("status") {
        page = page.status(status(&entry)?);
    }
    if let Some(entry) = table.take("headers") {
        page = read_headers(&entry, page)?;
    }
    let bodies = [table.take("body"), table.take("file"), table.take("bytes_of")];
    if let Some(second) = bodies.iter().flatten().nth(1) {
        return Err(second.fault("is a second body: give one of body, file and bytes_of"));
    }
    let [body, named, generated] = bodies;
    if let Some(entry) = body {
        page = page.body(entry.string()?);
    }
    if let Some(entry) = named {
        page = page.body(read_file(&entry, file)?);
    }
    if let Some(entry) = generated {
        page = match entry.value {
            DeValue::Table(_) => {
                let mut kind = entry.table()?;
                let zeros = kind.required("gzip")?.whole()?;
                kind.finish()?;
                page.gzip_bomb(zeros)
            }
            _ => page.bytes_of(entry.whole()?),
        };
    }
    if let Some(entry) = table.take("delay") {
        page = page.delay(entry.seconds()?);
    }
    if let Some(entry) = table.take("per_second_bytes") {
        page = page.per_second_bytes(entry.whole()?);
    }
    if let Some(entry) = table.take("break_after") {
        page = page.break_after(entry.whole()?);
    }
    table.finish()?;
    Ok(page)
}

fn read_headers(entry: &Entry<'_, '_>, mut page: Page) -> Result<Page, ScenarioError> {
    let mut pairs: Vec<(String, Entry<'_, '_>)> = Vec::new();
    match entry.value {
        DeValue::Table(_) => pairs.extend(entry.table()?.entries),
        DeValue::Array(_) => {
            for pair in entry.list()? {
                let mut two = pair.list()?.into_iter();
                match (two.next(), two.next(), two.next()) {
                    (Some(name), Some(value), None) => pairs.push((name.string()?.to_owned(), value)),
                    _ => return Err(pair.fault("holds a list that is no pair of name and value")),
                }
            }
        }
        _ => return Err(entry.wrong("a table of names and values")),
    }
    for (name, value) in pairs {
        let token = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
        let values = match value.value {
            DeValue::Integer(integer) => vec![integer.as_str()],
            _ => value.strings()?,
        };
        for text in values {
            if !token || text.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
                return Err(value.fault(format_args!("has a field {name:?} that cannot be sent")));
            }
            page = page.header(&name, text);
        }
    }
    Ok(page)
}

fn read_file(entry: &Entry<'_, '_>, file: &mut Files<'_>) -> Result<Vec<u8>, ScenarioError> {
    let name = entry.string()?;
    file(name).map_err(|error| entry.fault(format_args!("{name:?} cannot be read: {error}")))
}

fn read_promise<'t>(
    mut table: Table<'t, '_>,
    sites: Option<&[Site]>,
    file: &mut Files<'_>,
) -> Result<Promise, ScenarioError> {
    let lines: BTreeMap<String, usize> =
        table.entries.iter().map(|(key, entry)| (key.clone(), entry.line)).collect();
    let own_line = table.line;
    let mut promise = Promise::new();
    macro_rules! take {
        ($($key:ident $(as $setter:ident)?: |$entry:ident| $value:expr;)*) => {$(
            if let Some($entry) = table.take(stringify!($key)) {
                let value = $value;
                promise = take!(@set promise, value, $key $($setter)?);
            }
        )*};
        (@set $promise:ident, $value:ident, $key:ident) => { $promise.$key($value) };
        (@set $promise:ident, $value:ident, $key:ident $setter:ident) => { $promise.$setter($value) };
    }
    take! {
        user_agent: |entry| entry.string()?;
        robots_token: |entry| entry.string()?;
        max_open: |entry| entry.whole()?;
        min_delay: |entry| entry.seconds()?;
        signed: |entry| entry.bool()?;
        conditional: |entry| entry.bool()?;
        cookies: |entry| entry.bool()?;
        max_redirects: |entry| entry.whole()?;
        max_body: |entry| entry.whole()?;
        robots_first: |entry| entry.bool()?;
        robots_max_age: |entry| entry.seconds()?;
        revisit: |entry| entry.seconds()?;
        max_requests: |entry| entry.whole()?;
        nofollow: |entry| entry.bool()?;
        time_limit: |entry| entry.seconds()?;
        busy_first: |entry| entry.seconds()?;
        busy_factor: |entry| entry.number()?;
        unreachable_first: |entry| entry.seconds()?;
        unreachable_factor: |entry| entry.number()?;
        browser: |entry| entry.bool()?;
        crawl_delay_cap: |entry| match entry.value {
            DeValue::Float(float) if float.as_str().trim_start_matches('+') == "inf" => Duration::MAX,
            _ => entry.seconds()?,
        };
        retry_after: |entry| match entry.value.as_str() {
            Some("honour" | "longest") => true,
            Some("ignore") => false,
            Some(_) => return Err(entry.fault("is neither true nor false")),
            None => entry.bool()?,
        };
        busy_scope as busy_by_path: |entry| match entry.string()? {
            "host" => false,
            "path" => true,
            _ => return Err(entry.fault(r#"is neither "host" nor "path""#)),
        };
    }
    if let Some(entry) = table.take("from") {
        promise = match entry.value.as_bool() {
            Some(true) => promise.from("*@*"),
            Some(false) => promise,
            None => promise.from(entry.string()?),
        };
    }
    if let Some(entry) = table.take("key_directory") {
        let text = entry.string()?;
        if text.contains("://") {
            return Err(entry
                .fault("is an address, and nothing is fetched here: save the directory and give its file"));
        }
        let read = if text.trim_start().starts_with('{') {
            text.as_bytes().to_vec()
        } else {
            read_file(&entry, file)?
        };
        promise = promise.key_directory(&String::from_utf8_lossy(&read));
    }
    if let Some(entry) = table.take("methods") {
        promise = promise.methods(&entry.strings()?);
    }
    if let Some(entry) = table.take("scope") {
        promise = promise.scope(&entry.strings()?);
    }
    for path in table.take("closed_paths").map_or(Ok(Vec::new()), |entry| entry.strings())? {
        promise = promise.closed_path(path);
    }
    for canary in table.take("canaries").map_or(Ok(Vec::new()), |entry| entry.strings())? {
        promise = promise.canary(canary);
    }
    for mut group in table.tables("groups")? {
        let (names, rate) = (group.required("sites")?.strings()?, group.required("per_second")?.number()?);
        promise = promise.group(&names, rate);
        group.finish()?;
    }
    if let Some(mut quota) = table.table("quota")? {
        promise = promise.quota(quota.required("requests")?.whole()?, quota.required("window")?.seconds()?);
        quota.finish()?;
    }
    table.finish()?;
    let names = sites.map(|sites| sites.iter().map(|site| site.name.clone()).collect::<Vec<_>>());
    match crate::promise::Held::new(promise.clone(), names.as_deref()) {
        Ok(_) => Ok(promise),
        Err(PromiseError { key, problem }) => {
            let line = lines.get(key).copied().unwrap_or(own_line);
            Err(ScenarioError { line, problem: format!("promise.{key} {problem}") })
        }
    }
}
