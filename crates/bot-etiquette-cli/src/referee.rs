//! `referee`: watch a crawler in any language, or read its log, and say which promises it broke.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_etiquette_referee::{Report, Rule, Scenario, Violation, read_log, read_log_of};
use clap::Args;
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::{input, interrupt, output};

/// The address of the first site where none is asked for: the system picks the port.
const FIRST: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)), 0);

/// `referee --scenario FILE.toml` or `referee --log FILE --promise FILE.toml`
#[derive(Debug, Args)]
#[group(id = "source")]
pub(crate) struct Referee {
    /// Serves this scenario (TOML) on loopback, each site on an address of its own, and reports at the end.
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["log", "promise", "agent"], value_parser = input::source)]
    scenario: Option<String>,
    /// Reads this request log (common, combined or NDJSON) instead.
    #[arg(long, value_name = "FILE", requires = "promise", value_parser = input::source)]
    log: Option<String>,
    /// What the log is held against: TOML with a promise table, which a scenario and a bot's configuration have too.
    #[arg(long, value_name = "FILE.toml", requires = "log", value_parser = input::source)]
    promise: Option<String>,
    /// Only the requests of this bot count, by its name in the User-Agent: for the log of a whole site.
    #[arg(long, value_name = "TOKEN", requires = "log", value_parser = product)]
    agent: Option<String>,
    /// The address of the first site; the others follow it: 127.0.0.3 after 127.0.0.2, under one port.
    #[arg(long, value_name = "ADDR", conflicts_with = "log", default_value_t = FIRST, value_parser = address)]
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
    requests: u64,
    violations: &'a [Violation],
    #[serde(skip_serializing_if = "Option::is_none")]
    unseen: Option<&'a [Rule]>,
}

pub(crate) fn referee(options: &Referee) -> Result<Answer, Failure> {
    let report = match (&options.scenario, &options.log, &options.promise) {
        (Some(scenario), _, _) => watch(options, scenario)?,
        (None, Some(log), Some(promise)) => from_log(log, promise, options.agent.as_deref())?,
        _ => {
            return Err(Failure::new(
                "referee: give --scenario FILE.toml to watch a crawler, or --log FILE with --promise FILE.toml to read its log",
            ));
        }
    };
    if options.json {
        output::json(&Printed {
            schema: output::SCHEMA,
            requests: report.requests(),
            violations: report.violations(),
            unseen: options.log.is_some().then(|| report.unseen()),
        })?;
        for (rule, more) in report.left_out() {
            output::talk(&format!("bot-etiquette: and {more} more of {rule}\n"));
        }
    } else {
        output::text(report.to_string().as_bytes())?;
    }
    Ok(if report.is_clean() { Answer::Yes } else { Answer::No })
}

fn from_log(log: &str, promise: &str, agent: Option<&str>) -> Result<Report, Failure> {
    let text = input::text(promise)?;
    let held = Scenario::parse_promise(&text, beside(promise));
    let held = held.map_err(|error| Failure::new(format_args!("{promise}: {error}")))?;
    if held.is_empty() {
        nothing_promised(promise);
    }
    let text = input::read(log)?;
    let report = match agent {
        Some(agent) => read_log_of(&text, held, agent),
        None => read_log(&text, held),
    };
    let report = report.map_err(|error| Failure::new(format_args!("{log}: {error}")))?;
    if report.requests() == 0 {
        output::talk(&format!("bot-etiquette: {log}: nothing was judged: {}\n", nobody(&report, agent)));
    }
    Ok(report)
}

/// Why no request of a log was judged.
fn nobody(report: &Report, agent: Option<&str>) -> String {
    match agent {
        Some(agent) if report.lines() > 0 => {
            let names = match report.passed_over() {
                [] => "none".to_owned(),
                names => names.join(", "),
            };
            format!("no request of {agent} in {} lines; names seen: {names}", report.lines())
        }
        _ => "it holds no request".to_owned(),
    }
}

fn nothing_promised(file: &str) {
    output::talk(&format!(
        "bot-etiquette: {file}: promises nothing: only cookie, credentials, form, method and agent-header are judged \
         (give [promise] a key, such as min_delay = 1)\n"
    ));
}

fn watch(options: &Referee, name: &str) -> Result<Report, Failure> {
    let text = input::text(name)?;
    let scenario = Scenario::parse(&text, beside(name));
    let scenario = scenario.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
    if scenario.promise().is_empty() {
        nothing_promised(name);
    }
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
        let report = referee.finish().await;
        if report.requests() == 0 {
            output::talk(&format!("bot-etiquette: {name}: nothing was judged: no request came\n"));
        }
        Ok(report)
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
        ended = interrupt::ended() => ended,
    }
}

/// Reads the files that a scenario names, from the folder it lies in.
fn beside(scenario: &str) -> impl FnMut(&str) -> io::Result<Vec<u8>> {
    let folder = Path::new(scenario).parent().map(Path::to_path_buf).unwrap_or_default();
    move |name| std::fs::read(folder.join(PathBuf::from(name)))
}

/// A bot's name, which is not nobody's.
fn product(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("give the product of the bot's User-Agent, such as MyBot".to_owned()),
        name => Ok(name.to_owned()),
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected an address and port such as 127.0.0.2:7080".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "give a number of seconds, such as 30".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "give a number of seconds of 0 or more".to_owned())
}
