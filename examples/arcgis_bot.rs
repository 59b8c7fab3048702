//! A crawler of ArcGIS servers that keeps what it promises: SmartSitePlanBot, end to end.
//!
//! ```text
//! cargo run --release --example arcgis_bot                            # serves a world of its own and crawls that
//! arcgis_bot --identity me.toml crawl https://gis.example.org/arcgis/rest/services
//! arcgis_bot --identity me.toml search parks --at 5.72,45.18
//! ```

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::arcgis::Root;
use bot_etiquette::politeness::Host;
use bot_etiquette_examples::arcgis_bot::catalogue::{Catalogue, NAME, TABLES};
use bot_etiquette_examples::arcgis_bot::config::{self, Config, DEMO_IDENTITY, PORTS};
use bot_etiquette_examples::arcgis_bot::report::{Story, moment};
use bot_etiquette_examples::arcgis_bot::session::Session;
use bot_etiquette_examples::arcgis_bot::tally::Tally;
use bot_etiquette_examples::arcgis_bot::{budget, check, crawl, demo, discover, outputs, search};
use bot_etiquette_examples::bot::Bot;
use bot_etiquette_examples::exit::{Exit, Usage};
use bot_etiquette_examples::files;
use bot_etiquette_examples::interrupt::Interrupt;
use bot_etiquette_examples::stack::BoxError;
use bot_etiquette_examples::state::State;
use bot_etiquette_examples::talk::{self, Talk};
use bot_etiquette_examples::world::World;
use clap::{Parser, Subcommand};

/// Reads what ArcGIS servers publish, politely, and searches it. Without a command it serves a world of its own, anew each time.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Who you are: needed for any server that is not on this machine
    #[arg(long, global = true, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// How hosts are treated, instead of the bot's own policy; `blocked = true` under a host leaves it alone
    #[arg(long, global = true, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Servers, limits, pictures
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The catalogue, which holds the politeness of all commands as well; catalogue.sqlite in the folder of --out
    #[arg(long, global = true, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Where reports go; the demonstration keeps to a folder `demo` in it
    #[arg(long, global = true, value_name = "DIR", default_value = "arcgis-bot-out")]
    out: PathBuf,
    /// A served world that another process wrote down, instead of the network
    #[arg(long, global = true, value_name = "FILE")]
    world: Option<PathBuf>,
    /// How long the whole command waits for turns, in seconds
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 600)]
    wait: u64,
    /// What was read and found as JSON on stdout, and nothing on stderr
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Reads servers: their directories, services and layers, where those lie, a picture of each
    Crawl {
        /// Any address of the server; those of the config and of discover when there is none
        urls: Vec<String>,
        /// Tell what would be asked, and ask nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Asks known services whether they still answer, each at most once a day
    Check,
    /// Asks what is not known yet of where layers lie, and draws the pictures that are due
    Where,
    /// Finds layers by word and place, and asks the servers that match
    Search {
        /// Words that all occur in a layer's name, description or fields
        #[arg(required = true)]
        words: Vec<String>,
        /// Longitude and latitude
        #[arg(long, value_name = "LON,LAT", value_parser = point, allow_hyphen_values = true)]
        at: (f64, f64),
        /// Kilometres around it
        #[arg(long, default_value_t = 1.0)]
        within: f64,
        /// Layers to ask their servers about; 0 asks nobody
        #[arg(long, default_value_t = 5)]
        live: usize,
    },
    /// Finds servers in ArcGIS Online, Hub, Wikidata and certificate logs
    Discover {
        /// arcgis-online, arcgis-hub, wikidata or certificates; all when there is none
        lanes: Vec<String>,
    },
    /// Leaves a host alone from now on, in every running command too
    Block {
        /// The host
        host: String,
        /// Takes the block away
        #[arg(long)]
        lift: bool,
    },
    /// Writes the report anew from what is known
    Report,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    Exit::of("arcgis_bot", run(arguments).await)
}

async fn run(arguments: Arguments) -> Result<Exit, BoxError> {
    let talk = Talk::new(arguments.json);
    let interrupt = Interrupt::listen();
    let Some(command) = &arguments.command else {
        return demo::run(&arguments.out, talk, arguments.json, interrupt).await;
    };
    let config = arguments.config.as_deref().map_or_else(|| Ok(Config::default()), Config::read)?;
    // What is wrong in the command is told before anything is opened.
    let given = match command {
        Command::Crawl { urls, .. } if !urls.is_empty() => config::roots(urls)?,
        _ => config::roots(&config.servers)?,
    };
    let world = world(&arguments, command, &given)?;
    let problem = "servers are asked under a name of your own: give --identity FILE, such as";
    let bot = Bot::in_world(arguments.identity.as_deref(), &world, DEMO_IDENTITY, problem)?;
    let session = Session::new(
        &bot,
        &world,
        Arc::new(open(&arguments)?),
        config,
        (talk.clone(), interrupt, Duration::from_secs(arguments.wait)),
    )?;
    let done = match command {
        Command::Crawl { urls, dry_run } => {
            let roots = if urls.is_empty() { known(&session.catalogue, given)? } else { given };
            if roots.is_empty() {
                return Err(Usage::new(
                    "no server to crawl: name one, list some under servers in --config, or run discover",
                )
                .into());
            }
            if *dry_run {
                let budgets = budget::budget(&session, &roots)?;
                match arguments.json {
                    true => talk::line(serde_json::to_string(&budgets)?),
                    false => talk::text(budget::told(&budgets)),
                }
                return Ok(Exit::Done);
            }
            crawl::crawl(&session, roots).await?
        }
        Command::Check => check::check(&session).await?,
        Command::Where => crawl::places(&session).await?,
        Command::Discover { lanes } => {
            let lanes: Vec<&str> = match lanes.as_slice() {
                [] => discover::LANES.to_vec(),
                lanes => lanes.iter().map(String::as_str).collect(),
            };
            let (found, tally) = discover::discover(&session, &lanes).await?;
            for root in found.iter().filter(|_| !arguments.json) {
                talk::line(root);
            }
            tally
        }
        Command::Search { words, at, within, live } => {
            let (words, place) = (words.join(" "), search::around(*at, *within));
            let mut hits = search::find(&session.catalogue, &words, Some(&place))?;
            let tally = search::ask_live(&session, &mut hits, &place, *live).await?;
            talk.finish();
            match arguments.json {
                true => talk::line(serde_json::to_string(&hits)?),
                false => demo::print_hits(&hits),
            }
            let story = Story { search: Some((&words, *at, &hits)), ..Story::default() };
            outputs::write(&arguments.out, &session, &story)?;
            return Ok(if tally.interrupted { Exit::Interrupted } else { Exit::Done });
        }
        Command::Block { host, lift } => {
            let host: Host = host.parse().map_err(|error| Usage::new(format!("{host}: {error}")))?;
            let (store, now) = (&session.asker.state().politeness, session.now().into());
            match lift {
                true => store.revive(&host, now)?,
                false => store.kill(&host, now)?,
            }
            talk.say(format!("{host} is {}", if *lift { "asked again" } else { "left alone from now on" }));
            return Ok(Exit::Done);
        }
        Command::Report => Tally::default(),
    };
    talk.finish();
    outputs::write(&arguments.out, &session, &Story { tally: Some(&done), ..Story::default() })?;
    told(&arguments, &talk, &done)?;
    Ok(done.exit())
}

/// Those of the config, and those that the catalogue knows.
fn known(catalogue: &Catalogue, mut roots: Vec<Root>) -> Result<Vec<Root>, BoxError> {
    for root in catalogue.roots()?.iter().filter_map(|record| record.root()) {
        if !roots.iter().any(|one| one.key() == root.key()) {
            roots.push(root);
        }
    }
    Ok(roots)
}

fn open(arguments: &Arguments) -> Result<State, BoxError> {
    let policy = config::policy(arguments.policy.as_deref())?;
    let file = state(arguments);
    if arguments.state.is_none() {
        files::make_folder(&arguments.out)?;
    }
    let state = State::open(&file, policy, NAME.0, TABLES, NAME.1)?;
    if arguments.world.is_some() {
        state.politeness.unsynced()?;
    }
    Ok(state)
}

fn state(arguments: &Arguments) -> PathBuf {
    arguments.state.clone().unwrap_or_else(|| arguments.out.join("catalogue.sqlite"))
}

/// Where the servers of the command are. Off this machine they are asked only under the person's own name; what asks nobody
/// needs none.
fn world(arguments: &Arguments, command: &Command, given: &[Root]) -> Result<World, BoxError> {
    if let Some(file) = &arguments.world {
        return Ok(World::read(file)?);
    }
    let roots = match command {
        Command::Block { .. }
        | Command::Report
        | Command::Crawl { dry_run: true, .. }
        | Command::Search { live: 0, .. } => return Ok(World::loopback()),
        Command::Discover { .. } => return Ok(World::real(&PORTS)),
        Command::Crawl { urls, .. } if !urls.is_empty() => given.to_vec(),
        _ if state(arguments).exists() => {
            known(&Catalogue::new(Arc::new(open(arguments)?))?, given.to_vec())?
        }
        _ => given.to_vec(),
    };
    Ok(World::of(roots.iter().map(Root::url), &PORTS))
}

fn told(arguments: &Arguments, talk: &Talk, tally: &Tally) -> Result<(), BoxError> {
    if arguments.json {
        talk::line(serde_json::to_string(tally)?);
        return Ok(());
    }
    talk.say(format!(
        "read {}, left {}; {}",
        tally.read,
        tally.left.len(),
        arguments.out.join("report.html").display()
    ));
    if let Some(until) = tally.come_back() {
        talk.say(format!("come back at {}: the same command goes on where this one ended", moment(until)));
    } else if tally.interrupted {
        talk.say("stopped: the same command goes on where this one ended");
    }
    Ok(())
}

fn point(text: &str) -> Result<(f64, f64), String> {
    let numbers = text
        .split_once(',')
        .and_then(|(lon, lat)| Some((lon.trim().parse().ok()?, lat.trim().parse().ok()?)));
    numbers
        .filter(|(lon, lat): &(f64, f64)| lon.abs() <= 180.0 && lat.abs() <= 90.0)
        .ok_or_else(|| "give longitude and latitude in degrees, such as 5.72,45.18".into())
}
