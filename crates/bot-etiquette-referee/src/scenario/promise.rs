//! `[promise]`.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::de::DeValue;

use super::table::Table;
use super::{Files, ScenarioError, read_file};
use crate::promise::{Held, Promise, PromiseError};
use crate::site::Site;

pub(super) fn read_promise<'t>(
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
    match Held::new(promise.clone(), names.as_deref()) {
        Ok(_) => Ok(promise),
        Err(PromiseError { key, problem }) => {
            let line = lines.get(key).copied().unwrap_or(own_line);
            Err(ScenarioError { line, problem: format!("promise.{key} {problem}") })
        }
    }
}
