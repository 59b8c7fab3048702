//! How a bot's command ends.

use std::error::Error;
use std::process::ExitCode;

use bot_etiquette::identity::BotIdentity;

use crate::stack::BoxError;
use crate::talk;

/// How a command ended; each is an exit code that a script can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for was read.
    Done = 0,
    /// Something went wrong on this side.
    Failed = 1,
    /// The command, or a file it names, could not be understood.
    Usage = 2,
    /// Nothing could be read.
    Nothing = 3,
    /// Some of it was read; the rest has to wait.
    Partial = 4,
    /// The person stopped it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The end of a command, told on stderr where it went wrong.
    #[must_use]
    pub fn of(program: &str, done: Result<Self, BoxError>) -> ExitCode {
        let exit = done.unwrap_or_else(|error| {
            talk::warn(format_args!("{program}: {error}"));
            causes(&*error).iter().for_each(|cause| talk::warn(format_args!("  because {cause}")));
            let Some(usage) = error.downcast_ref::<Usage>() else { return Self::Failed };
            if usage.template {
                talk::warn(format_args!("\n{}", BotIdentity::TEMPLATE));
            }
            Self::Usage
        });
        match talk::unwritten() {
            Some(problem) => {
                talk::warn(format_args!("{program}: the output could not be written: {problem}"));
                Self::Failed.into()
            }
            None => exit.into(),
        }
    }
}

/// What lies behind an error, the nearest first: each cause that the one before does not say itself.
#[must_use]
pub fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut told = error.to_string();
    let mut causes = Vec::new();
    for source in std::iter::successors(error.source(), |&error| error.source()) {
        let cause = source.to_string();
        if !told.contains(cause.rsplit(": ").next().unwrap_or_default()) {
            told.clone_from(&cause);
            causes.push(cause);
        }
    }
    causes
}

/// What the person has to write differently.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct Usage {
    problem: String,
    /// Whether the template of an identity helps.
    template: bool,
}

impl Usage {
    /// A mistake in the command or in a file, in one sentence with what to do.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), template: false }
    }

    /// A mistake about the identity: the template is shown with it.
    #[must_use]
    pub fn identity(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), template: true }
    }
}
