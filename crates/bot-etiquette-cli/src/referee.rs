//! `referee`: watch a crawler in any language, or read its log, and say which promises it broke.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_etiquette_referee::{Report, Scenario, read_log, read_log_of};
use clap::Args;
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::{input, output};

/// The address of the first site where none is asked for: the system picks the port.
const FIRST: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)), 0);

/// `referee --scenario FILE.toml` or `referee --log FILE --promise FILE.toml`
#[derive(Debug, Args)]
#[group(id = "source")]
pub(crate) struct Referee {
    /// Serves this scenario (TOML) on loopback, each site on an address of its own, and reports at the end.
    #[arg(long, value_name = "FILE.toml", required_unless_present = "log", conflicts_with = "log")]
    scenario: Option<String>,
    /// Reads this request log (common, combined or NDJSON) instead.
    #[arg(long, value_name = "FILE", requires = "promise")]
    log: Option<String>,
    /// What the log is held against: TOML with a promise table, which a scenario and a bot's configuration have too.
    #[arg(long, value_name = "FILE.toml", requires = "log")]
    promise: Option<String>,
    /// Only the requests of this bot count, by its name in the User-Agent: for the log of a whole site.
    #[arg(long, value_name = "TOKEN", requires = "log")]
    agent: Option<String>,
    /// The address of the first site; the others follow it: 127.0.0.3 after 127.0.0.2, under one port.
    #[arg(long, value_name = "ADDR", conflicts_with = "log", default_value_t = FIRST)]
    listen: SocketAddr,
    /// Seconds to serve; until Ctrl-C when left out.
    #[arg(long = "for", value_name = "S", conflicts_with = "log", value_parser = seconds)]
    lasting: Option<Duration>,
    /// Prints the report as one JSON object; the addresses then go to stderr.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Printed<'a> {
    schema: u32,
    #[serde(flatten)]
    report: &'a Report,
}

pub(crate) fn referee(options: &Referee) -> Result<Answer, Failure> {
    let report = match (&options.scenario, &options.log, &options.promise) {
        (Some(scenario), _, _) => watch(options, scenario)?,
        (None, Some(log), Some(promise)) => from_log(log, promise, options.agent.as_deref())?,
        _ => {
            return Err(Failure::new(
                "referee: give --scenario FILE.toml, or --log FILE with --promise FILE.toml",
            ));
        }
    };
    if options.json {
        output::json(&Printed { schema: output::SCHEMA, report: &report })?;
    } else {
        output::text(report.to_string().as_bytes())?;
    }
    Ok(if report.is_clean() { Answer::Yes } else { Answer::No })
}

fn from_log(log: &str, promise: &str, agent: Option<&str>) -> Result<Report, Failure> {
    let text = input::text(promise)?;
    let held = Scenario::parse_promise(&text, beside(promise));
    let held = held.map_err(|error| Failure::new(format_args!("{promise}: {error}")))?;
    let text = input::read(log)?;
    let report = match agent {
        Some(agent) => read_log_of(&text, held, agent),
        None => read_log(&text, held),
    };
    report.map_err(|error| Failure::new(format_args!("{log}: {error}")))
}

fn watch(options: &Referee, name: &str) -> Result<Report, Failure> {
    let text = input::text(name)?;
    let scenario = Scenario::parse(&text, beside(name));
    let scenario = scenario.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let referee = scenario.builder().listen(options.listen).own_addresses(true).start().await;
        let referee = referee.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        let mut addresses = String::new();
        for (site, address) in referee.addresses() {
            addresses.push_str(&format!("{site} http://{address}/\n"));
        }
        if options.json {
            output::talk(&addresses);
        } else {
            output::text(addresses.as_bytes())?;
        }
        wait(options.lasting).await?;
        Ok(referee.finish().await)
    })
}

/// Waits for the time to pass or for a person (or their script) to end it.
async fn wait(lasting: Option<Duration>) -> Result<(), Failure> {
    let passed = async {
        match lasting {
            Some(lasting) => tokio::time::sleep(lasting).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = passed => Ok(()),
        ended = ended() => Ok(ended?),
    }
}

#[cfg(unix)]
async fn ended() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = tokio::signal::ctrl_c() => ended,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn ended() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Reads the files that a scenario names, from the folder it lies in.
fn beside(scenario: &str) -> impl FnMut(&str) -> io::Result<Vec<u8>> {
    let folder = Path::new(scenario).parent().map(Path::to_path_buf).unwrap_or_default();
    move |name| std::fs::read(folder.join(PathBuf::from(name)))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "give a number of seconds, such as 30".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "give a number of seconds of 0 or more".to_owned())
}
