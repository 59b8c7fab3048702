//! What the programs write: a file is there whole or as it was before, and a state is its owner's alone.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// Writes a file in one step: whoever reads it sees the old one or the new one, also when the program is killed meanwhile.
///
/// # Errors
/// Names the file; what was there before stays then.
pub fn write_whole(file: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    name.push(".new");
    let beside = file.with_file_name(name);
    let written = fs::write(&beside, text).and_then(|()| {
        // What a person let nobody else read stays so.
        if let Ok(before) = fs::metadata(file) {
            fs::set_permissions(&beside, before.permissions())?;
        }
        fs::rename(&beside, file)
    });
    written.map_err(|error| {
        // What could not be written whole is of no use.
        let _ = fs::remove_file(&beside);
        named(file, &error)
    })
}

/// Reads a text that a person wrote.
///
/// # Errors
/// In words for a message that names the file: the line that is no UTF-8, or why it cannot be read.
pub fn read_text(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        format!("line {line}: not UTF-8 (save the file as UTF-8)")
    })
}

/// `line 3: ` for the first line that begins so, to lead a message about what stands there; empty where there is none.
#[must_use]
pub fn line_of(text: &str, begins: &str) -> String {
    let found = (1..).zip(text.lines()).find(|(_, line)| line.trim_start().starts_with(begins));
    found.map_or_else(String::new, |(number, _)| format!("line {number}: "))
}

/// Reads TOML that a person wrote.
///
/// # Errors
/// In one line, for a message that names the file: the line, its key, and what is wrong there.
pub fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| mistake(text, error.span(), error.message()))
}

/// A mistake in TOML, in one line: where it stands, its key, and what is wrong there.
#[must_use]
pub fn mistake(text: &str, span: Option<Range<usize>>, problem: &str) -> String {
    // What is missing in the whole file is missing in its first line.
    let before = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.split('\n').count();
    let row = before.rsplit('\n').next().unwrap_or_default();
    let problem = problem.trim().replace('\n', ", ");
    // Some problems begin with their key.
    let key = row.split_once('=').map(|(key, _)| key.trim()).filter(|key| !problem.starts_with(key));
    format!("line {line}: {}{problem}", key.map_or_else(String::new, |key| format!("{key}: ")))
}

/// Makes a folder for outputs and state, and those above it, for their owner alone; one that is there stays as it is.
///
/// # Errors
/// Names the folder.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // The folder of a bare file name is where the program runs.
    if folder.as_os_str().is_empty() { Ok(()) } else { builder.create(folder) }
        .map_err(|error| named(folder, &error))
}

/// Begins a demonstration in a folder of its own, `demo` below the one for outputs: gives that folder, and a state that does not
/// exist yet. What commands keep and write lies beside it, and is never touched.
///
/// # Errors
/// Names the folder, or the file of an earlier demonstration that cannot be taken away.
pub fn begin_demo(out: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let folder = out.join("demo");
    make_folder(&folder)?;
    let state = folder.join("demo.sqlite");
    for end in ["", "-wal", "-shm"] {
        // The clock of the earlier one ran ahead: its state is of no use to the next.
        let mut old = state.clone().into_os_string();
        old.push(end);
        match fs::remove_file(&old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(named(Path::new(&old), &error));
            }
            _ => {}
        }
    }
    Ok((folder, state))
}

/// Makes a database its owner's alone, whatever the umask, before it is opened: what lies beside it gets its mode from it.
///
/// A file of another's that this user may write is left as that one wants it, and one that cannot be made is told when it is
/// opened.
pub fn make_private(database: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let _ = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(database);
        for end in ["", "-wal", "-shm"] {
            let mut file = database.as_os_str().to_owned();
            file.push(end);
            if fs::metadata(&file)
                .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o777 != 0o600)
            {
                let _ = fs::set_permissions(&file, fs::Permissions::from_mode(0o600));
            }
        }
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} could not be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail so")]

    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("bot-etiquette-files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        make_folder(&folder).unwrap();
        folder
    }

    #[test]
    fn a_file_that_cannot_be_written_whole_stays_as_it_was() {
        let folder = folder("whole");
        let file = folder.join("report.html");
        write_whole(&file, "first").unwrap();
        // Where the new one would be written there is something else.
        fs::create_dir(folder.join(".report.html.new")).unwrap();
        let error = write_whole(&file, "second").unwrap_err();
        assert!(error.to_string().contains("report.html could not be written"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        fs::remove_dir(folder.join(".report.html.new")).unwrap();
        write_whole(&file, "second").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_text_that_is_no_utf_8_is_told_with_its_line() {
        let folder = folder("text");
        let file = folder.join("identity.toml");
        for (bytes, told) in [
            (&b"a\nb\n"[..], Ok("a\nb\n".to_owned())),
            (b"\xff", Err("line 1: not UTF-8 (save the file as UTF-8)".to_owned())),
            (b"a\nb\nc \xe9\nd", Err("line 3: not UTF-8 (save the file as UTF-8)".to_owned())),
        ] {
            fs::write(&file, bytes).unwrap();
            assert_eq!(read_text(&file), told);
        }
        assert!(read_text(&folder.join("none")).unwrap_err().contains("No such file"));
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(line_of("every = 1\n [host.\"a\"]\n", "[host"), "line 2: ");
        assert_eq!(line_of("every = 1\n", "languages"), "");
    }

    #[test]
    fn a_mistake_in_toml_is_told_in_one_line_with_its_key() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "read alone")]
        struct Settings {
            every: u64,
            name: String,
        }
        for (text, told) in [
            ("every = 1\nname = 2\n", "line 2: name: invalid type: integer `2`, expected a string"),
            ("every = 1\nnmae = \"a\"\n", "line 2: unknown field `nmae`, expected `every` or `name`"),
            ("every = 1\n", "line 1: missing field `name`"),
            ("# all of it\n\nevery = = 1\n", "line 3: every: "),
        ] {
            let problem = read_toml::<Settings>(text).unwrap_err();
            assert!(problem.starts_with(told) && !problem.contains('\n'), "{problem}");
        }
        assert_eq!(read_toml::<Settings>("every = 1\nname = \"a\"").unwrap().every, 1);
    }

    #[test]
    fn a_demonstration_begins_anew_and_touches_nothing_outside_its_folder() {
        let out = folder("demo");
        for name in ["state.sqlite", "catalogue.sqlite", "catalogue.sqlite-wal", "demo.sqlite"] {
            fs::write(out.join(name), "real").unwrap();
        }
        let (folder, state) = begin_demo(&out).unwrap();
        assert_eq!((folder.clone(), state.clone()), (out.join("demo"), out.join("demo/demo.sqlite")));
        for name in ["demo.sqlite", "demo.sqlite-wal", "demo.sqlite-shm", "state.sqlite"] {
            fs::write(folder.join(name), "old").unwrap();
        }
        begin_demo(&out).unwrap();
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["state.sqlite"], "a state of another name is none of a demonstration's");
        for name in ["state.sqlite", "catalogue.sqlite", "catalogue.sqlite-wal", "demo.sqlite"] {
            assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "real", "{name}");
        }
        fs::remove_dir_all(out).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_state_is_its_owners_alone_also_one_that_was_open_to_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("modes");
        let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(""), 0o700);
        for before in [None, Some(0o644), Some(0o666), Some(0o777), Some(0o400)] {
            if let Some(before) = before {
                for name in ["state.sqlite", "state.sqlite-wal"] {
                    fs::write(folder.join(name), "kept").unwrap();
                    fs::set_permissions(folder.join(name), fs::Permissions::from_mode(before)).unwrap();
                }
            }
            make_private(&folder.join("state.sqlite"));
            assert_eq!(mode("state.sqlite"), 0o600, "{before:?}");
            if before.is_some() {
                assert_eq!(mode("state.sqlite-wal"), 0o600, "{before:?}");
                assert_eq!(fs::read_to_string(folder.join("state.sqlite")).unwrap(), "kept");
                fs::set_permissions(folder.join("state.sqlite"), fs::Permissions::from_mode(0o600)).unwrap();
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
