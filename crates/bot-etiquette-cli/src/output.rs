//! Writing data to stdout, as text or as one JSON object.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::exit::Failure;

/// The version of the shape of every `--json` object.
pub(crate) const SCHEMA: u32 = 1;

/// Writes one JSON object and a line end.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(value)
        .map_err(|error| Failure::new(format_args!("cannot write JSON: {error}")))?;
    line.push(b'\n');
    text(&line)
}

/// Writes bytes as they are. A reader that went away does not change the answer, which the exit code still tells.
pub(crate) fn text(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        end => Ok(end?),
    }
}

/// Whether the lines on stdout may be coloured: on a terminal, and not with `NO_COLOR`.
pub(crate) fn is_coloured() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Warns the person of what goes on nevertheless.
pub(crate) fn warn(words: impl Display) {
    talk(&format!("warning: {words}\n"));
}

/// Says something to the person, on stderr; nothing is left to do when that is gone.
pub(crate) fn talk(words: &str) {
    let _ = io::stderr().lock().write_all(words.as_bytes());
}
