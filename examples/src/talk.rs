//! What a bot tells the person: bars on a terminal, plain lines elsewhere, nothing beside `--json`.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Why data could not be written to stdout, where it was more than that nobody reads it any longer.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// Whether nothing is said at all.
static HUSHED: AtomicBool = AtomicBool::new(false);

/// Says nothing from here on, in the whole program: for tests, since what is written here passes the harness by and breaks
/// the lines that it writes itself.
pub fn hush() {
    HUSHED.store(true, Ordering::Relaxed);
}

/// Writes a line to stdout; a reader that went away ends nothing.
pub fn line(line: impl Display) {
    text(format_args!("{line}\n"));
}

/// Writes a text that ends its own lines to stdout, as [`line()`].
pub fn text(text: impl Display) {
    if HUSHED.load(Ordering::Relaxed) {
        return;
    }
    let mut stdout = io::stdout().lock();
    match write!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => drop(UNWRITTEN.set(error.to_string())),
        _ => {}
    }
}

/// Writes a line to stderr; nothing is left to do where that is gone.
pub fn warn(line: impl Display) {
    if !HUSHED.load(Ordering::Relaxed) {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Why some of the data was not written, such as a disk that is full.
#[must_use]
pub fn unwritten() -> Option<&'static str> {
    UNWRITTEN.get().map(String::as_str)
}

/// Talks on stderr; stdout is for data.
#[derive(Clone)]
pub struct Talk {
    bar: ProgressBar,
    quiet: bool,
}

impl Talk {
    /// Talks, unless the output is for a program.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        let target = match !quiet && std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, quiet }
    }

    /// One line.
    pub fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            self.bar.suspend(|| warn(line.as_ref()));
        }
    }

    /// How much there is to do in all.
    pub fn total(&self, steps: u64) {
        self.bar.set_length(steps);
    }

    /// There is more to do than was thought.
    pub fn more(&self, steps: u64) {
        self.bar.inc_length(steps);
    }

    /// One more step is done; elsewhere than on a terminal a line says which.
    pub fn done(&self, what: impl Into<String>) {
        let what = what.into();
        if self.bar.is_hidden() {
            self.say(&what);
        }
        self.bar.inc(1);
        self.bar.set_message(what);
    }

    /// What goes on now, on a terminal.
    pub fn doing(&self, what: impl Into<String>) {
        self.bar.enable_steady_tick(Duration::from_millis(200));
        self.bar.set_message(what.into());
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
