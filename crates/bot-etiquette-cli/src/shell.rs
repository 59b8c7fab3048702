//! What a shell wants of a command: completions and a manual page.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::exit::{Answer, Failure};
use crate::{Cli, output};

/// `completions SHELL`
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete for.
    shell: Shell,
}

pub(crate) fn completions(options: &Completions) -> Result<Answer, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "bot-etiquette", &mut script);
    output::text(&script)?;
    Ok(Answer::Yes)
}

pub(crate) fn man() -> Result<Answer, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    output::text(&page)?;
    Ok(Answer::Yes)
}
