//! The bots as programs: started, signalled and watched from outside, as a person or a machine would.
#![allow(dead_code, reason = "each binary of tests uses what it needs")]
#![allow(clippy::disallowed_methods, reason = "whether a program hangs is a matter of real time")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A bot: cargo builds the examples beside the tests.
#[track_caller]
pub fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(program.exists(), "{} is not built: run the tests of the whole package", program.display());
    program
}

/// A program that runs; it is killed with the test.
pub struct Running {
    child: Child,
    told: PathBuf,
}

impl Running {
    /// Starts it; what it says on stdout and stderr goes to a file.
    pub fn start(command: &mut Command, told: &Path) -> Self {
        let file = File::create(told).unwrap();
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        Self { child: command.spawn().unwrap(), told: told.to_owned() }
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends a signal, such as `INT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success(), "{name} could not be sent");
    }

    /// SIGKILL, and waits until it is gone.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, and leaves the servers of this process their time; `None` when a signal ended it.
    pub async fn ended(&mut self, within: Duration) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(started.elapsed() < within, "it hangs:\n{}", self.told());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// What it said so far.
    pub fn told(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.told).unwrap()).into_owned()
    }

    /// The memory that it takes, in KiB, where the system tells.
    pub fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
