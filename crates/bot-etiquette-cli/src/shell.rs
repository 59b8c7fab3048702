//! What a shell wants of a command: completions and a manual page.

use std::io::{self, Write};

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

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

/// One page for all commands: each with its own heading, in place of a page each that nobody installs.
pub(crate) fn man() -> Result<Answer, Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let whole = Man::new(command.clone());
    let mut page = Vec::new();
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    for command in command.get_subcommands() {
        commands(command, &mut page)?;
    }
    whole.render_version_section(&mut page)?;
    output::text(&page)?;
    Ok(Answer::Yes)
}

/// What a command and those below it take.
fn commands(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    if command.has_subcommands() {
        return command.get_subcommands().try_for_each(|command| commands(command, page));
    }
    let own = Man::new(command.clone());
    let mut text = Vec::new();
    own.render_synopsis_section(&mut text)?;
    own.render_description_section(&mut text)?;
    own.render_options_section(&mut text)?;
    writeln!(page, ".SH \"{}\"", command.get_bin_name().unwrap_or_default())?;
    page.extend_from_slice(String::from_utf8_lossy(&text).replace(".SH ", ".SS ").as_bytes());
    Ok(())
}
