//! `extract feed`

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use bot_etiquette_feed::{Event, Feed, Moment, Report, SourceMap, Verdict};
use clap::Args;

use crate::exit::{Answer, Failure};
use crate::{input, output};

/// `extract feed --map MAP FILE`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Which fields of the feed are read, and as what: a TOML file.
    #[arg(long, value_name = "FILE.toml", value_parser = input::source)]
    map: String,
    /// The feed; - reads stdin. It is read in pieces, so its size does not matter.
    #[arg(value_parser = input::source)]
    file: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<Answer, Failure> {
    let map = input::text(&options.map)?;
    let map =
        SourceMap::from_toml(&map).map_err(|error| Failure::new(format_args!("{}: {error}", options.map)))?;
    let mut source: Box<dyn Read> = match options.file.as_str() {
        "-" => Box::new(io::stdin().lock()),
        name => Box::new(File::open(name).map_err(|error| {
            Failure::new(format_args!(
                "{name}: cannot read: {error} (give the path of a feed's file, or - for stdin)"
            ))
        })?),
    };
    let mut feed = Feed::new(&map);
    let mut out = Printer {
        out: BufWriter::new(io::stdout().lock()),
        json: options.json,
        started: false,
        events: 0,
        unpublished: 0,
    };
    let mut piece = vec![0; PIECE];
    loop {
        let length = match source.read(&mut piece) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Failure::new(format_args!(
                    "{}: cannot read: {error} (give the path of a feed's file, or - for stdin)",
                    options.file
                )));
            }
        };
        // Nothing is printed of what cannot be read at all.
        out.start()?;
        match piece.get(..length) {
            Some(bytes) if length > 0 => feed.push(bytes),
            _ => feed.finish(),
        }
        while let Some(event) = feed.next_event() {
            out.event(&event)?;
        }
        if length == 0 {
            break;
        }
    }
    let report = feed.report();
    out.end(&report)?;
    Ok(match report.completeness.verdict {
        Verdict::Complete | Verdict::Partial => Answer::Yes,
        _ => Answer::No,
    })
}

/// Bytes read at once.
const PIECE: usize = 64 * 1024;

/// Prints events as they come, so that none has to wait in memory.
struct Printer<W: Write> {
    out: W,
    json: bool,
    started: bool,
    events: u64,
    unpublished: u64,
}

impl<W: Write> Printer<W> {
    /// Begins the object, once.
    fn start(&mut self) -> Result<(), Failure> {
        if self.json && !std::mem::replace(&mut self.started, true) {
            write!(self.out, "{{\"schema\":{},\"events\":[", output::SCHEMA)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        let Ok(published) = event.publish() else {
            self.unpublished = self.unpublished.saturating_add(1);
            return Ok(());
        };
        if self.json {
            let comma = if self.events == 0 { "" } else { "," };
            write!(self.out, "{comma}{}", as_json(&published)?)?;
        } else {
            let first = event.when().first().as_ref().map_or_else(|| "no date".to_owned(), Moment::to_string);
            let title = event.titles().source().map(|title| title.text().as_str()).unwrap_or_default();
            writeln!(self.out, "{first}  {title}  {}", published.link())?;
        }
        self.events = self.events.saturating_add(1);
        Ok(())
    }

    fn end(&mut self, report: &Report) -> Result<(), Failure> {
        if self.json {
            writeln!(self.out, "],\"unpublished\":{},\"report\":{}}}", self.unpublished, as_json(report)?)?;
            return Ok(self.out.flush()?);
        }
        self.out.flush()?;
        let completeness = &report.completeness;
        output::talk(&format!(
            "{} events of {} records; {} dropped, {} without a link; taken out of texts: {}; verdict: {:?}, doubts: {:?}\n",
            self.events,
            completeness.read,
            report.dropped,
            self.unpublished,
            report.scrubbed.total(),
            completeness.verdict,
            completeness.doubts
        ));
        for (note, count) in report.notes.iter() {
            output::talk(&format!("{}: {count}\n", note.as_str()));
        }
        Ok(())
    }
}

fn as_json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::new(format_args!("cannot write JSON: {error}")))
}
