//! [`Rates`]: what a politeness policy file says of a bot's pace, as far as its page tells it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{IdentityError, Number, lines::Lines};

/// The rules of a politeness policy file, read for a page: which keys there are is the politeness library's to judge,
/// so unknown ones are passed over here.
///
/// ```
/// use bot_etiquette_identity::Rates;
///
/// let rates = Rates::from_toml("[default]\nmin_delay = 1\n[host.\"slow.example\"]\nmin_delay = 10.0\n")?;
/// assert_eq!(rates.of("default").and_then(|rules| rules.min_delay()).unwrap().value(), 1.0);
/// assert_eq!(rates.of("host.slow.example").and_then(|rules| rules.min_delay()).unwrap().value(), 10.0);
/// # Ok::<(), bot_etiquette_identity::IdentityError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rates {
    pub(crate) default: HostRates,
    pub(crate) closed: bool,
    pub(crate) tables: Vec<Table>,
}

/// A `[host."name"]` or `[group.name]` of a policy.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// `host.NAME` or `group.NAME`.
    pub(crate) name: String,
    /// The hosts it is about.
    pub(crate) hosts: Vec<String>,
    /// What the table itself says of each of them.
    pub(crate) own: HostRates,
    /// What holds for each of them, with what is inherited.
    pub(crate) each: HostRates,
    /// What holds over all of them together, in a group.
    pub(crate) all: GroupRates,
}

macro_rules! rates {
    ($(#[$doc:meta])* $vis:vis $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(default)]
        $vis struct $name {
            $(pub(crate) $field: Option<$type>,)*
        }

        impl $name {
            /// These rules, and others where they say nothing.
            #[allow(dead_code, reason = "a group has nothing to inherit from")]
            fn or(&self, under: &Self) -> Self {
                Self { $($field: self.$field.clone().or_else(|| under.$field.clone()),)* }
            }
        }
    };
}

rates! {
    /// The rules for one host, as far as they are written.
    pub HostRates {
        max_open: u64,
        min_delay: Number,
        delay_anchor: String,
        jitter: Number,
        crawl_delay_cap: Number,
        crawl_delay_over: String,
        unreachable_first: Number,
        unreachable_factor: Number,
        unreachable_max: Number,
        busy_first: Number,
        busy_factor: Number,
        busy_max: Number,
        busy_scope: String,
        busy_statuses: Vec<u16>,
        retry_after: String,
        retry_after_scope: String,
        retry_after_park: Number,
        rate_limit: String,
        hours: Vec<Hours>,
        quota: Vec<Quota>,
        revisit: BTreeMap<String, Number>,
        class_max_open: BTreeMap<String, u64>,
        blocked: bool,
    }
}

rates! {
    /// The rules over all hosts of a group.
    pub(crate) GroupRates {
        per_second: Number,
        max_open: u64,
        quota: Vec<Quota>,
        per_path: PerPath,
        retry_after_scope: String,
    }
}

impl HostRates {
    /// The pause between two requests, where the rules name one.
    #[must_use]
    pub const fn min_delay(&self) -> Option<Number> {
        self.min_delay
    }

    /// Requests open at one time, where the rules name a number.
    #[must_use]
    pub const fn max_open(&self) -> Option<u64> {
        self.max_open
    }

    /// What is not written: one request open.
    pub(crate) fn open(&self) -> u64 {
        self.max_open.unwrap_or(1)
    }

    /// Whether the pause runs from the start of the last request.
    pub(crate) fn paced_by_starts(&self) -> bool {
        self.delay_anchor.as_deref().map_or(self.open() > 1, |anchor| anchor == "start")
    }

    pub(crate) fn statuses(&self) -> &[u16] {
        self.busy_statuses.as_deref().unwrap_or(&[429, 503])
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Hours {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) zone: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Quota {
    pub(crate) limit: u64,
    pub(crate) window: Number,
    #[serde(default)]
    pub(crate) classes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct PerPath {
    pub(crate) max_open: u64,
}

/// The file as written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    default: Closed,
    host: BTreeMap<String, Named>,
    group: BTreeMap<String, Group>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Closed {
    closed: bool,
    #[serde(flatten)]
    rates: HostRates,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    hosts: Vec<String>,
    #[serde(flatten)]
    rates: HostRates,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Group {
    hosts: Vec<String>,
    each: HostRates,
    #[serde(flatten)]
    all: GroupRates,
}

impl Rates {
    /// Reads a policy file.
    ///
    /// # Errors
    /// [`IdentityError::Syntax`] where it is no TOML, or a value is of another kind than its key takes.
    pub fn from_toml(text: &str) -> Result<Self, IdentityError> {
        let file: File = toml::from_str(text)
            .map_err(|error| IdentityError::Syntax(crate::lines::mistake(text, &error)))?;
        let default = file.default.rates;
        let mut tables: Vec<Table> = Vec::new();
        for (name, group) in file.group {
            tables.push(Table {
                name: format!("group.{name}"),
                hosts: group.hosts,
                each: group.each.or(&default),
                own: group.each,
                all: group.all,
            });
        }
        for (name, line) in file.host {
            let mut each = line.rates.clone();
            for group in tables.iter().filter(|table| table.has(&name)) {
                each = each.or(&group.own);
            }
            let mut hosts = vec![name.clone()];
            hosts.extend(line.hosts);
            let each = each.or(&default);
            tables.push(Table {
                name: format!("host.{name}"),
                hosts,
                own: line.rates,
                each,
                all: GroupRates::default(),
            });
        }
        // A file has its tables in an order that means something to its writer.
        let lines = Lines::new(text);
        tables.sort_by_key(|table| lines.of(&table.path()));
        Ok(Self { default, closed: file.default.closed, tables })
    }

    /// The rules of a table, with what it inherits: `default`, `host.NAME` or `group.NAME` (for each of its hosts).
    #[must_use]
    pub fn of(&self, table: &str) -> Option<&HostRates> {
        match table {
            "default" => Some(&self.default),
            _ => self.tables.iter().find(|each| each.name == table).map(|table| &table.each),
        }
    }
}

impl Table {
    /// The path of the table in its file.
    pub(crate) fn path(&self) -> Vec<&str> {
        self.name.split_once('.').map_or_else(Vec::new, |(kind, name)| vec![kind, name])
    }

    /// Whether the table is about a host, by name or by `*.suffix`.
    pub(crate) fn has(&self, host: &str) -> bool {
        self.hosts.iter().any(|pattern| matches(pattern, host))
    }

    pub(crate) fn is_group(&self) -> bool {
        self.name.starts_with("group.")
    }
}

/// Whether a host, or another such pattern, lies in a pattern.
pub(crate) fn matches(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) => {
            host.len() >= suffix.len() && host.to_ascii_lowercase().ends_with(&suffix.to_ascii_lowercase())
        }
        None => pattern.eq_ignore_ascii_case(host),
    }
}
