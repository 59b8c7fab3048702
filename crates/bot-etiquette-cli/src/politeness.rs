//! `politeness simulate`: events in, the decisions of a policy out.

mod answer;
mod event;
mod simulation;

use std::io::Write;
use std::time::SystemTime;

use bot_etiquette_politeness::{Policy, Timestamp};
use clap::{Args, Subcommand};

use crate::exit::{Answer, Failure};
use crate::{input, time};

use simulation::Simulation;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play events against a policy and print what it decides at each ask, and why.
    ///
    /// Each line of EVENTS is one JSON object with `at` (seconds) and one of ask, end, fail, report, robots,
    /// kill, revive, set, restart. Without --json a timeline for reading.
    Simulate(Simulate),
}

#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// The policy, as TOML.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    policy: String,
    /// Print one JSON object for each ask.
    #[arg(long)]
    json: bool,
    /// Lengthen the steps of backoff as the policy's jitter allows, by random numbers from this seed.
    #[arg(long, value_name = "SEED")]
    jitter: Option<u64>,
    /// The wall time at which `at` is 0, as Unix seconds or RFC 3339.
    #[arg(long, value_name = "T", value_parser = time::parse, default_value = "2027-12-31T23:59:00Z")]
    epoch: SystemTime,
    /// The events, one JSON object per line; - reads stdin.
    #[arg(value_parser = input::source)]
    events: String,
}

pub(crate) fn run(command: &Command) -> Result<Answer, Failure> {
    match command {
        Command::Simulate(options) => simulate(options),
    }
}

fn simulate(options: &Simulate) -> Result<Answer, Failure> {
    let policy = policy(&options.policy)?;
    let events = input::read(&options.events)?;
    let events = events.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&events);
    let mut simulation = Simulation::new(policy, Timestamp::from(options.epoch), options.jitter);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (line, text) in (1usize..).zip(events.split(|byte| *byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let told = event::read(text).and_then(|event| simulation.tell(&event).map(|answer| (event, answer)));
        let (event, answer) = match told {
            Ok(told) => told,
            Err(error) => {
                out.flush()?;
                return Err(Failure::new(format_args!("{}: line {line}: {error}", options.events)));
            }
        };
        if options.json {
            if let Some(answer) = answer {
                serde_json::to_writer(&mut out, &answer).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
        } else {
            writeln!(out, "{}", answer::Line { event: &event, answer: answer.as_ref() })?;
        }
    }
    out.flush()?;
    Ok(Answer::Yes)
}

fn policy(name: &str) -> Result<Policy, Failure> {
    let text = input::text(name)?;
    Policy::from_toml(&text).map_err(|error| Failure::new(format_args!("{name}: {error}")))
}
