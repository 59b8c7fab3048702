//! `[[site]]` and its pages.

use toml::de::DeValue;

use super::table::{Entry, Table};
use super::{Files, ScenarioError, read_file};
use crate::site::{Page, Site};

/// Reads a site of a scenario that has sites of these `names`.
pub(super) fn read_site<'t>(
    mut table: Table<'t, '_>,
    names: &[String],
    file: &mut Files<'_>,
) -> Result<Site, ScenarioError> {
    let name = table.required("name")?;
    let mut site = Site::new(name.string()?);
    let good = !site.name.is_empty()
        && site.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !good {
        return Err(name.fault("is no host name: give one such as a.example, without a port"));
    }
    if let Some(robots) = table.take("robots") {
        site = match robots.value {
            DeValue::String(_) => {
                linked(&robots, robots.string()?, names)?;
                site.robots(robots.string()?)
            }
            DeValue::Integer(_) => site.robots_answer(Page::new("/robots.txt").status(status(&robots)?)),
            _ => return Err(robots.wrong("the text of the file, or a status")),
        };
    }
    for page in table.tables("page")? {
        site = site.page(read_page(page, names, file)?);
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

/// Whether each `{site:NAME}` of a text means a site.
fn linked(entry: &Entry<'_, '_>, text: &str, names: &[String]) -> Result<(), ScenarioError> {
    for rest in text.split("{site:").skip(1) {
        let Some((name, _)) = rest.split_once('}') else { continue };
        if !names.iter().any(|known| known == name) {
            return Err(entry.fault(format_args!(
                "has {{site:{name}}}, which is no site of the scenario: there are {}",
                names.join(", ")
            )));
        }
    }
    Ok(())
}

fn read_page<'t>(
    mut table: Table<'t, '_>,
    names: &[String],
    file: &mut Files<'_>,
) -> Result<Page, ScenarioError> {
    let path = table.required("path")?;
    let mut page = Page::new(path.string()?);
    if !page.path.starts_with('/') {
        return Err(path.fault("does not begin with /"));
    }
    if let Some(entry) = table.take("status") {
        page = page.status(status(&entry)?);
    }
    if let Some(entry) = table.take("headers") {
        page = read_headers(&entry, names, page)?;
    }
    let bodies = [table.take("body"), table.take("file"), table.take("bytes_of")];
    if let Some(second) = bodies.iter().flatten().nth(1) {
        return Err(second.fault("is a second body: give one of body, file and bytes_of"));
    }
    let [body, named, generated] = bodies;
    if let Some(entry) = body {
        linked(&entry, entry.string()?, names)?;
        page = page.body(entry.string()?);
    }
    if let Some(entry) = named {
        let body = read_file(&entry, file)?;
        // What is no text is sent as it is.
        linked(&entry, std::str::from_utf8(&body).unwrap_or_default(), names)?;
        page = page.body(body);
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

fn read_headers(entry: &Entry<'_, '_>, names: &[String], mut page: Page) -> Result<Page, ScenarioError> {
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
            linked(&value, text, names)?;
            page = page.header(&name, text);
        }
    }
    Ok(page)
}
