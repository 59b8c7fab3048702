//! `robots directives`

use std::fmt::Write;

use bot_etiquette_robots::{RobotsDirectives, RobotsTags};
use clap::Args;
use serde::Serialize;

use crate::exit::{Answer, Failure};
use crate::{output, robots};

/// The one field that speaks to robots.
const FIELD: &str = "X-Robots-Tag";

#[derive(Debug, Args)]
pub(crate) struct Directives {
    /// The crawler's product token; without it only what is said to all robots counts.
    #[arg(long, value_name = "TOKEN")]
    agent: Option<String>,
    /// A header field line of the answer; give it again for each line.
    #[arg(long = "header", value_name = "X-Robots-Tag: VALUE")]
    headers: Vec<String>,
    /// A meta tag of the page by its name and content; give it again for each tag.
    #[arg(long = "meta", value_name = "NAME=CONTENT")]
    metas: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    schema: u32,
    #[serde(flatten)]
    directives: &'a RobotsDirectives,
}

pub(crate) fn run(options: &Directives) -> Result<Answer, Failure> {
    let mut tags = RobotsTags::new();
    if let Some(agent) = &options.agent {
        tags = tags.agent(robots::agent(agent)?);
    }
    for header in &options.headers {
        tags.header(field_value(header)?.as_bytes());
    }
    for meta in &options.metas {
        let (name, content) = meta.split_once('=').ok_or_else(|| {
            Failure::new(format_args!(
                "--meta `{meta}`: expected the tag's name and content, such as `robots=noindex`"
            ))
        })?;
        tags.meta(name, content);
    }
    let directives = tags.directives();
    if options.json {
        output::json(&Report { schema: output::SCHEMA, directives })?;
    } else {
        output::text(words(directives).as_bytes())?;
    }
    Ok(Answer::Yes)
}

/// The value of a line that is an `X-Robots-Tag` field.
fn field_value(header: &str) -> Result<&str, Failure> {
    match header.split_once(':') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case(FIELD) => Ok(value.trim()),
        _ => Err(Failure::new(format_args!(
            "--header `{header}`: expected a line such as `{FIELD}: noindex`; no other field speaks to robots"
        ))),
    }
}

/// One line for each directive that is set.
fn words(directives: &RobotsDirectives) -> String {
    let flags = [
        (directives.noindex, "noindex"),
        (directives.nofollow, "nofollow"),
        (directives.noarchive, "noarchive"),
        (directives.nosnippet, "nosnippet"),
        (directives.noimageindex, "noimageindex"),
        (directives.notranslate, "notranslate"),
        (directives.indexifembedded, "indexifembedded"),
    ];
    let mut lines = String::new();
    for (_, word) in flags.iter().filter(|(set, _)| *set) {
        let _ = writeln!(lines, "{word}");
    }
    let values = [
        ("max-snippet", directives.max_snippet.map(|limit| limit.to_string())),
        ("max-image-preview", directives.max_image_preview.map(|size| size.to_string())),
        ("max-video-preview", directives.max_video_preview.map(|limit| limit.to_string())),
        ("unavailable_after", directives.unavailable_after.as_ref().map(ToString::to_string)),
    ];
    for (name, value) in values {
        if let Some(value) = value {
            let _ = writeln!(lines, "{name}: {}", value.escape_debug());
        }
    }
    for word in &directives.unknown {
        let _ = writeln!(lines, "unknown: {}", word.escape_debug());
    }
    if lines.is_empty() {
        lines.push_str("nothing is asked\n");
    }
    lines
}
