//! Runs the binary in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder of one test; it is emptied first.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    pub(crate) fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(file), bytes).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bot-etiquette"));
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    #[track_caller]
    pub(crate) fn json(&self, code: i32) -> serde_json::Value {
        assert_eq!(self.code, Some(code), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Bad usage: exit 2, nothing on stdout, and a message with these words.
    #[track_caller]
    pub(crate) fn refuses(&self, words: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:?}");
        assert!(self.stderr.contains(words), "{self:?}");
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}
