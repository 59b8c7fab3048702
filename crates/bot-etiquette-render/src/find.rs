//! Where a browser is looked for.

use std::path::{Path, PathBuf};

use crate::RenderError;

/// Programs by their full names. Debian's `/usr/bin/chromium` is a script that adds flags of its own: the program
/// behind it comes first.
const PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/// Names that are looked for in `PATH` after that.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The browser that was named, or the first one found.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, RenderError> {
    let looked: Vec<PathBuf> = match named {
        Some(named) => vec![named.to_owned()],
        None => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
            let named = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
            PLACES.iter().map(PathBuf::from).chain(named).collect()
        }
    };
    if let Some(found) = looked.iter().find(|place| place.is_file()) {
        return Ok(found.clone());
    }
    let looked = match named {
        Some(_) => looked,
        None => PLACES.iter().chain(NAMES).map(PathBuf::from).collect(),
    };
    Err(RenderError::NoBrowser { looked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_is_not_there_is_named_in_the_error() {
        let error = find(Some(Path::new("/nowhere/chromium"))).unwrap_err();
        assert!(error.to_string().contains("/nowhere/chromium"), "{error}");
        assert!(error.to_string().contains("the package chromium"), "{error}");
    }

    #[test]
    fn a_folder_is_no_browser() {
        assert!(find(Some(&std::env::temp_dir())).is_err());
    }
}
