//! Tells on the terminal what each layer of a stack does, and why.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bot_etiquette::fetch::RemoteAddress;
use bot_etiquette::politeness::Timestamp;
use http::{HeaderMap, header};

use crate::clock::Clock;
use crate::stack::{Step, Watch};
use crate::talk;

/// Prints one line a step: the time since it began, the layer, and what the layer did.
///
/// Of a signature it shows what it covers and by which key; a request holds nothing that is secret.
#[derive(Clone)]
pub struct Narrator {
    clock: Clock,
    began: Timestamp,
    /// What was told of name and key; it is told again when it changes.
    told: Arc<Mutex<HashMap<&'static str, String>>>,
}

impl Narrator {
    /// Begins at the clock's time.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, began: clock.now().into(), told: Arc::default() }
    }

    /// Prints a line of a layer.
    pub fn say(&self, layer: &str, text: &str) {
        talk::line(format_args!("{:>6.1} s  {layer:<11} {text}", self.now().since(self.began).as_secs_f64()));
    }

    /// For [`Stack::watch`](crate::stack::Stack::watch).
    #[must_use]
    pub fn watch(&self) -> Watch {
        let narrator = self.clone();
        Arc::new(move |step| narrator.tell(&step))
    }

    /// The clock's time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now().into()
    }

    fn tell(&self, step: &Step<'_>) {
        match step {
            Step::Learned(origin, Some(delay)) => {
                self.say("robots", &format!("{origin} asks for a Crawl-delay of {}", seconds(*delay)));
            }
            Step::Learned(_, None) => {}
            Step::Judged(uri, verdict) => self.say("robots", &format!("{} is {verdict}", uri.path())),
            Step::Waits(ask, refusal) => {
                let host = ask.host_str().unwrap_or_default();
                let wait = refusal.until().map_or_else(
                    || format!("for a slot of {host}"),
                    |until| format!("{} for {host}", seconds(until.since(self.now()))),
                );
                // Of several reasons those that end last.
                let last = refusal.clocks().iter().filter(|clock| clock.until == refusal.until());
                let why: Vec<_> = last.map(|clock| clock.reason.sentence()).collect();
                self.say("politeness", &format!("waits {wait}: {}", why.join("; ")));
            }
            Step::Sent(request) => {
                self.named(request.headers());
                self.signed(request.headers(), request.uri().host().unwrap_or_default());
                self.say("fetch", &format!("{} {}", request.method(), request.uri()));
            }
            Step::Answered(answer) => {
                let from = answer
                    .extensions()
                    .get()
                    .map_or_else(String::new, |RemoteAddress(address)| format!(", from {address}"));
                self.say("fetch", &format!("{}{from}", answer.status()));
                if let Some(location) = text(answer.headers(), header::LOCATION.as_str()) {
                    self.say("redirects", &format!("to {location}: a request of its own, to be judged anew"));
                }
                if let Some(wait) = text(answer.headers(), header::RETRY_AFTER.as_str()) {
                    self.say("politeness", &format!("heard Retry-After: {wait}"));
                }
            }
        }
    }

    /// Prints a line of a layer, unless it is the same as the last time.
    fn say_once(&self, layer: &'static str, text: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(layer) != Some(&text) {
            self.say(layer, &text);
            told.insert(layer, text);
        }
    }

    fn named(&self, headers: &HeaderMap) {
        let name = text(headers, header::USER_AGENT.as_str()).unwrap_or_default();
        let from =
            text(headers, header::FROM.as_str()).map_or_else(String::new, |from| format!(", from {from}"));
        self.say_once("identity", format!("{name}{from}"));
    }

    fn signed(&self, headers: &HeaderMap, host: &str) {
        let Some(input) = text(headers, "signature-input") else { return };
        let parameter = |name: &str| {
            let value = input.split(';').find_map(|each| each.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or_default().trim_matches('"')
        };
        let covered = input.split(['(', ')']).nth(1).unwrap_or_default().replace('"', "").replace(' ', ", ");
        let moment = |name: &str| parameter(name).parse::<u64>().unwrap_or_default();
        let lifetime = moment("expires").saturating_sub(moment("created"));
        let key = parameter("keyid").get(..8).unwrap_or_default();
        let agent = text(headers, "signature-agent").unwrap_or_default().trim_matches('"');
        self.say_once("signing", format!("covers {covered}; key {key}.. of {agent}"));
        self.say("signing", &format!("anew for {host}, good for {lifetime} s"));
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
