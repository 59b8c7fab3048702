//! `on` and `off`: the switch of a source, in the file where it stands.

use std::path::Path;

use toml_edit::{DocumentMut, TomlError};

use crate::exit::Usage;
use crate::files;

/// Turns a source on or off; comments and everything else in the file stay as they are. Says whether that was a change.
///
/// # Errors
/// A [`Usage`] that names the file, where it has no such source or cannot be written.
pub fn turn(path: &Path, id: &str, on: bool) -> Result<bool, Usage> {
    let wrong = |problem: &dyn std::fmt::Display| Usage::new(format!("{}: {problem}", path.display()));
    let text = files::read_text(path).map_err(|error| wrong(&error))?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: TomlError| wrong(&files::mistake(&text, error.span(), error.message())))?;
    let sources = document.get_mut("source").and_then(|item| item.as_array_of_tables_mut());
    let sources = sources.ok_or_else(|| wrong(&"has no [[source]]"))?;
    let named = |table: &toml_edit::Table| table.get("id").and_then(|item| item.as_str()) == Some(id);
    let Some(source) = sources.iter_mut().find(|table| named(table)) else {
        return Err(wrong(&format!("has no source {id:?}; `sources` lists them")));
    };
    let Some(switch) = source.get_mut("on").and_then(|item| item.as_value_mut()) else {
        return Err(wrong(&format!("source {id:?} has no switch: write on = {on}")));
    };
    if switch.as_bool() == Some(on) {
        return Ok(false);
    }
    let decor = switch.decor().clone();
    *switch = on.into();
    *switch.decor_mut() = decor;
    // In one step: a bot that reads it meanwhile sees the old file or the new one.
    files::write_whole(path, document.to_string()).map_err(|error| Usage::new(error.to_string()))?;
    Ok(true)
}
