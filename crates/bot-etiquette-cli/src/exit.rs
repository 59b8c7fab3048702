//! How a command ends: 0 for yes, 1 for no, 2 for a request that could not be understood.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The answer of a command that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Allowed, valid, done: exit 0.
    Yes,
    /// Disallowed, invalid, problems found: exit 1.
    No,
}

/// Bad usage or unreadable input: exit 2. The text names the file, the line and a fix.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What to tell the person.
    Message(String),
    /// The reader of our output went away, which is no fault of theirs.
    ClosedPipe,
}

impl Failure {
    /// A failure with a message for the person who called.
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self::Message(message.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Message(format!("cannot write the output: {error}")),
        }
    }
}

/// Turns the end of a command into its exit code, telling a failure on stderr.
pub(crate) fn code(end: Result<Answer, Failure>) -> ExitCode {
    match end {
        Ok(Answer::Yes) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(Failure::Message(message)) => {
            // Nothing is left to do when stderr is gone too.
            let _ = writeln!(io::stderr(), "bot-etiquette: {message}");
            ExitCode::from(2)
        }
    }
}
