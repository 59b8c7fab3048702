//! The sources as a person writes them: a TOML file, with the maps, the policy and the reviews it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bot_etiquette::feed::SourceMap;
use bot_etiquette::politeness::{
    Groups, Host, HostPolicy, HostState, Hours, HoursWindow, Policy, Reason, Timestamp,
};
use bot_etiquette::robots::ProductToken;
use serde::Deserialize;
use url::Url;

use super::review::Reviews;
use super::strings;
use crate::exit::Usage;
use crate::files;

/// The most requests of one run of a source, redirects among them.
pub const MAX_REQUESTS: u32 = 5;

/// The least time between two runs of a source.
pub const EVERY: Duration = Duration::from_secs(3 * 3600);

/// What a person has configured, whole and checked.
#[derive(Debug)]
pub struct Config {
    /// The time between two runs of a source.
    pub every: Duration,
    /// The languages of the output, the first its own.
    pub languages: Vec<String>,
    /// The command that translates, if one does.
    pub translator: Option<TranslatorLine>,
    /// The pace of each host.
    pub policy: Policy,
    /// What a person found in each robots.txt.
    pub reviews: Reviews,
    /// The sources, in the order in which their words count.
    pub sources: Vec<Arc<Source>>,
    /// The files it was read from.
    pub(super) files: Vec<(PathBuf, String)>,
}

/// One source: a line that a switch turns off.
#[derive(Debug)]
pub struct Source {
    /// Its name.
    pub id: String,
    /// Its switch.
    pub on: bool,
    /// Which fields are read, with the zone, the licence and the source's name.
    pub map: SourceMap,
    /// The exact addresses, one a page.
    pub urls: Vec<Url>,
    /// Where redirects may lead: the hosts of these.
    pub redirects: Vec<Url>,
    /// How long after the start of the program its first run is.
    pub phase: Duration,
    /// What a person still has to look up.
    pub verify: Vec<String>,
}

/// A command that translates: lines in, lines out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TranslatorLine {
    /// The name that readers see beside the text.
    pub name: String,
    /// The program and its arguments; `{from}` and `{to}` are languages.
    pub command: Vec<String>,
    /// How many real seconds it may take for one pair of languages.
    #[serde(default = "translator_seconds")]
    pub seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "every_seconds")]
    every: u64,
    #[serde(default = "all_languages")]
    languages: Vec<String>,
    policy: PathBuf,
    reviews: PathBuf,
    translator: Option<TranslatorLine>,
    #[serde(default)]
    host: BTreeMap<String, HostLine>,
    source: Vec<SourceLine>,
}

/// What a person asks for one host beyond the policy: slower, or only at some hours.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostLine {
    pause: Option<f64>,
    hours: Option<Vec<HoursWindow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceLine {
    id: String,
    on: bool,
    map: PathBuf,
    urls: Vec<Url>,
    #[serde(default)]
    redirects: Vec<Url>,
    #[serde(default)]
    phase: u64,
    #[serde(default)]
    verify: Vec<String>,
}

fn every_seconds() -> u64 {
    EVERY.as_secs()
}

fn all_languages() -> Vec<String> {
    strings::LANGUAGES.iter().map(|&language| language.to_owned()).collect()
}

const fn translator_seconds() -> u64 {
    60
}

/// Reads files and remembers what they held.
struct Files(Vec<(PathBuf, String)>);

impl Files {
    fn read(&mut self, path: &Path) -> Result<String, Usage> {
        let text = files::read_text(path).map_err(|error| wrong(path, &error))?;
        self.0.push((path.to_owned(), text.clone()));
        Ok(text)
    }
}

fn wrong(path: &Path, problem: &dyn Display) -> Usage {
    Usage::new(format!("{}: {problem}", path.display()))
}

impl Config {
    /// Reads the file and those it names, which lie beside it. `token` is the name that the reviews are for, where that
    /// matters; `loopback`: whether addresses may be plain http.
    ///
    /// # Errors
    /// A [`Usage`] that names the file, the key and what to write there. Nothing is guessed: a limit that cannot be
    /// read is an error.
    pub fn read(path: &Path, token: Option<&str>, loopback: bool) -> Result<Self, Usage> {
        let mut files = Files(Vec::new());
        let text = files.read(path).map_err(|problem| match path.exists() {
            true => problem,
            false => Usage::new(format!("{problem}; give the file of your sources as --sources FILE")),
        })?;
        let wrong_here = |problem: &dyn Display| wrong(path, problem);
        let file: File = files::read_toml(&text).map_err(|problem| wrong_here(&problem))?;
        let token: Option<ProductToken> =
            token.map(str::parse).transpose().map_err(|error| wrong_here(&error))?;
        let beside = |name: &Path| path.parent().unwrap_or(Path::new("")).join(name);
        if file.every < EVERY.as_secs() {
            let line = files::line_of(&text, "every");
            let problem = format!(
                "{line}every = {}: a source is read every three hours at the most, so 10800 or more",
                file.every
            );
            return Err(wrong_here(&problem));
        }
        check_languages(&file.languages)
            .map_err(|problem| wrong_here(&format!("{}{problem}", files::line_of(&text, "languages"))))?;
        let policy_path = beside(&file.policy);
        let mut policy =
            Policy::from_toml(&files.read(&policy_path)?).map_err(|error| wrong(&policy_path, &error))?;
        let of_host = |name: &str| files::line_of(&text, &format!("[host.\"{name}\""));
        for (name, line) in &file.host {
            let host: Host = name
                .parse()
                .map_err(|error| wrong_here(&format!("{}[host.\"{name}\"]: {error}", of_host(name))))?;
            slow_down(&mut policy, &host, line)
                .map_err(|problem| wrong_here(&format!("{}[host.\"{name}\"] {problem}", of_host(name))))?;
        }
        let mut sources = Vec::new();
        let mut known = BTreeSet::new();
        for line in file.source {
            let in_source = |problem: &dyn Display| {
                let at = files::line_of(&text, &format!("id = {:?}", line.id));
                wrong_here(&format!("{at}source {:?}: {problem}", line.id))
            };
            if !known.insert(line.id.clone()) || !is_id(&line.id) {
                return Err(in_source(&"id: give each source one of its own, of a-z, 0-9 and -"));
            }
            check_addresses(&line.urls, &line.redirects, loopback).map_err(|problem| in_source(&problem))?;
            for url in line.urls.iter().chain(&line.redirects) {
                check_host(&policy, url).map_err(|problem| in_source(&problem))?;
            }
            let map_path = beside(&line.map);
            let map =
                SourceMap::from_toml(&files.read(&map_path)?).map_err(|error| wrong(&map_path, &error))?;
            let SourceLine { id, on, urls, redirects, verify, .. } = line;
            let phase = Duration::from_secs(line.phase);
            sources.push(Arc::new(Source { id, on, map, urls, redirects, phase, verify }));
        }
        let asked = sources.iter().flat_map(|source| source.urls.iter().chain(&source.redirects));
        let reviews = Reviews::read(&beside(&file.reviews), asked, token.as_ref(), |path| files.read(path))?;
        let every = Duration::from_secs(file.every);
        let (languages, translator) = (file.languages, file.translator);
        Ok(Self { every, languages, translator, policy, reviews, sources, files: files.0 })
    }

    /// The source of this name.
    #[must_use]
    pub fn source(&self, id: &str) -> Option<&Arc<Source>> {
        self.sources.iter().find(|source| source.id == id)
    }

    /// The pause that the policy keeps at a host.
    #[must_use]
    pub fn pause(&self, host: &str) -> Option<Duration> {
        host.parse().ok().map(|host| self.policy.rules(&host).min_delay())
    }
}

impl Source {
    /// Whether a request of this source may go to this host at all.
    #[must_use]
    pub fn lists(&self, host: &str) -> bool {
        self.urls.iter().chain(&self.redirects).any(|url| url.host_str() == Some(host))
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty()
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn check_languages(languages: &[String]) -> Result<(), String> {
    if languages.is_empty() {
        return Err("languages: name at least one".to_owned());
    }
    match languages.iter().find(|language| !strings::LANGUAGES.contains(&language.as_str())) {
        Some(other) => Err(format!(
            "languages: the page has no words in {other:?}, only in {}",
            strings::LANGUAGES.join(", ")
        )),
        None => Ok(()),
    }
}

/// Lays a person's wishes for a host over the policy; never under what it promises.
fn slow_down(policy: &mut Policy, host: &Host, line: &HostLine) -> Result<(), String> {
    if !may_be_asked(policy, host) {
        return Err("is no host of the policy: add its line there".to_owned());
    }
    let mut over = HostPolicy::new();
    if let Some(pause) = line.pause {
        let promised = policy.rules(host).min_delay();
        let pause = Duration::try_from_secs_f64(pause)
            .map_err(|_| format!("pause = {pause}: expected seconds, such as 10.0"))?;
        if pause < promised {
            let (pause, promised) = (pause.as_secs_f64(), promised.as_secs_f64());
            return Err(format!("pause = {pause}: {promised} seconds are promised, so it may only be more"));
        }
        over = over.min_delay(pause);
    }
    if let Some(hours) = &line.hours {
        over = over.hours(Hours::new(hours.clone()).map_err(|error| format!("hours: {error}"))?);
    }
    policy.override_host(host, over);
    Ok(())
}

fn may_be_asked(policy: &Policy, host: &Host) -> bool {
    let checked = HostState::default().check_host(&policy.rules(host), &Groups::default(), Timestamp::ZERO);
    !checked.is_err_and(|refusal| refusal.reasons().any(|reason| reason == Reason::NotConfigured))
}

fn check_host(policy: &Policy, url: &Url) -> Result<(), String> {
    let name = url.host_str().unwrap_or_default();
    match name.parse().is_ok_and(|host| may_be_asked(policy, &host)) {
        true => Ok(()),
        false => Err(format!("{name} has no line in the policy, and is not asked without one")),
    }
}

/// Extensions of pages and pictures, which are never asked for.
const NO_FEEDS: [&str; 18] = [
    "html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "jpg", "jpeg", "png", "gif", "webp", "avif", "svg",
    "bmp", "tif", "tiff", "ico",
];

/// Why this is no address of a feed, if it is none.
#[must_use]
pub fn no_feed(url: &Url) -> Option<&'static str> {
    let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
    let extension = last.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    if extension.is_some_and(|extension| NO_FEEDS.contains(&extension.as_str())) {
        return Some("is a page or a picture, and none is ever asked for");
    }
    (!url.username().is_empty() || url.password().is_some()).then_some("carries a login")
}

fn check_addresses(urls: &[Url], redirects: &[Url], loopback: bool) -> Result<(), String> {
    let pages = u32::try_from(urls.len()).unwrap_or(u32::MAX);
    if pages == 0 || pages > MAX_REQUESTS {
        return Err(format!("urls: one to {MAX_REQUESTS} addresses, here are {pages}"));
    }
    for (key, url) in
        urls.iter().map(|url| ("urls", url)).chain(redirects.iter().map(|url| ("redirects", url)))
    {
        if url.scheme() != "https" && !(loopback && url.scheme() == "http") {
            return Err(format!("{key}: {url} is not https"));
        }
        if url.fragment().is_some() {
            return Err(format!("{key}: {url} has a fragment, which no server sees: leave it out"));
        }
        if let Some(problem) = no_feed(url) {
            return Err(format!("{key}: the address at {} {problem}", url.host_str().unwrap_or_default()));
        }
    }
    Ok(())
}
