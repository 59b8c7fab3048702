//! The browser's profile: a folder that ends with its browser, or with the next one when the program was killed.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

const PREFIX: &str = "bot-etiquette-render-";

/// Makes a profile, and takes away those of programs that ended without doing so.
pub(crate) fn new(folder: &Path) -> io::Result<TempDir> {
    let Some(space) = pid_space() else { return tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder) };
    let prefix = format!("{PREFIX}{space}-{}-", std::process::id());
    let profile = tempfile::Builder::new().prefix(&prefix).tempdir_in(folder)?;
    sweep(folder, &space, profile.path());
    Ok(profile)
}

/// Who counts processes here: the number of one says nothing where others are counted, as in another container over the same
/// folder. `None` where the system does not tell, and nothing is swept.
fn pid_space() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    let digits: String = link.to_str()?.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Takes away the profiles of this user whose program is gone. What cannot be taken away is left for the next time.
fn sweep(folder: &Path, space: &str, own: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let program = name.to_str().and_then(|name| {
            let mut parts = name.strip_prefix(PREFIX)?.splitn(3, '-');
            (parts.next()? == space).then_some(())?;
            let program: u32 = parts.next()?.parse().ok()?;
            parts.next().map(|_| program)
        });
        let is_gone = |program: u32| !Path::new("/proc").join(program.to_string()).exists();
        if program.is_some_and(is_gone) && is_ours(&entry.path(), own) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a path is a folder, no link to one, that belongs to the owner of `own`.
#[cfg(unix)]
fn is_ours(path: &Path, own: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = |path: &Path| fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir).map(|it| it.uid());
    owner(own).is_some_and(|own| owner(path) == Some(own))
}

#[cfg(not(unix))]
fn is_ours(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_profiles_of_programs_that_are_gone_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let space = pid_space().unwrap();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let (gone, own) = (gone.id(), std::process::id());
        let swept = format!("{PREFIX}{space}-{gone}-AbCdEf");
        let kept = [
            format!("{PREFIX}{space}-{own}-AbCdEf"),
            format!("{PREFIX}1{space}-{gone}-AbCdEf"),
            format!("{PREFIX}{space}-{gone}"),
            format!("{PREFIX}{space}-x{gone}-AbCdEf"),
            format!("{PREFIX}AbCdEf"),
            format!("other-{space}-{gone}-AbCdEf"),
        ];
        for name in kept.iter().chain([&swept]) {
            fs::create_dir_all(folder.path().join(name).join("Default")).unwrap();
            fs::write(folder.path().join(name).join("Default/Cookies"), "x").unwrap();
        }
        let (link, file) = (format!("{PREFIX}{space}-{gone}-link"), format!("{PREFIX}{space}-{gone}-file"));
        std::os::unix::fs::symlink(folder.path().join(&kept[5]), folder.path().join(&link)).unwrap();
        fs::write(folder.path().join(&file), "x").unwrap();

        let profile = new(folder.path()).unwrap();
        assert!(!folder.path().join(swept).exists());
        for name in kept.iter().chain([&link, &file]) {
            assert!(fs::symlink_metadata(folder.path().join(name)).is_ok(), "{name}");
        }
        assert!(folder.path().join(&kept[5]).join("Default/Cookies").exists(), "behind the link");
        assert!(profile.path().exists());
        let name = profile.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with(&format!("{PREFIX}{space}-{own}-")), "{name}");
    }
}
