//! One page in a browser: from an empty place that is sealed, to what is read back of it.

mod events;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, oneshot},
    task::{Id, JoinSet},
    time::Instant,
};

use crate::{
    Answer, Cause, ClientRedirect, Kind, PageInput, RenderConfig, RenderError, Rendered, Settled, Timings,
    browser::{Browser, hold_all},
    cdp::{CallError, Connection, Event, text},
    ledger::Ledger,
    requests::Asked,
    settle::{Limits, Next, Settle},
    snapshot::{REFUSE, SINCE_ADDED, Snapshot, WATCH, WORLD, evaluate, expression},
};

/// How long the browser may take to make an empty page ready, or to answer that it lives.
const READY: Duration = Duration::from_secs(30);
/// How long reading a page back may take.
const READ: Duration = Duration::from_secs(10);
/// How long a script may take to stop before it is told again.
const HALT: Duration = Duration::from_secs(1);
/// How many peer connections, and how many dialogs, are counted.
const MAX_REFUSED: u64 = 100;
/// Requests that are remembered to tell which of them never paused.
const MAX_SENT: usize = 5_000;

pub(crate) type Ask<'a> =
    dyn Fn(Request<Bytes>) -> Pin<Box<dyn Future<Output = Answer> + Send>> + Send + Sync + 'a;

pub(crate) struct Visit<'a> {
    pub(crate) config: &'a RenderConfig,
    pub(crate) page: &'a PageInput,
    pub(crate) ask: &'a Ask<'a>,
    pub(crate) place: Place,
    events: mpsc::Receiver<Event>,
    pub(crate) session: String,
    /// The page's target, which is the id of its main frame as well.
    pub(crate) target: String,
    pub(crate) started: Instant,
    pub(crate) settle: Settle,
    pub(crate) ledger: Ledger,
    /// Answers under way, and what they are to.
    pub(crate) open: JoinSet<Answer>,
    pub(crate) asked: HashMap<Id, Asked>,
    pub(crate) count: usize,
    /// Answers for the URLs that others were redirected to.
    pub(crate) moved: HashMap<String, Response<Bytes>>,
    /// How often the page was given.
    pub(crate) given: u8,
    pub(crate) ended: bool,
    /// The last navigations that the page asked for: their requests are yet to stop.
    pub(crate) wishes: VecDeque<String>,
    pub(crate) redirect: Option<ClientRedirect>,
    /// Requests by the network's id: those sent, and those that paused.
    sent: HashMap<String, (Kind, String)>,
    pub(crate) paused: HashSet<String>,
    targets: HashSet<String>,
    document: String,
}

/// A browser context of its own, which goes with all that was stored in it.
pub(crate) struct Place {
    pub(crate) browser: Arc<Browser>,
    context: String,
}

impl Place {
    pub(crate) fn connection(&self) -> &Connection {
        &self.browser.connection
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connection().ignore(&self.context);
        let context = json!({"browserContextId": self.context});
        drop(self.connection().start("", "Target.disposeBrowserContext", context));
    }
}

impl<'a> Visit<'a> {
    pub(crate) async fn render(
        browser: Arc<Browser>,
        config: &'a RenderConfig,
        page: &'a PageInput,
        ask: &'a Ask<'a>,
    ) -> Result<Rendered, RenderError> {
        let begun = Instant::now();
        let mut visit = Self::open(browser, config, page, ask).await?;
        visit.seal().await?;
        let setup = begun.elapsed();
        let navigation = visit.navigate();
        let settled = visit.settle().await?;
        let (work, waited) = visit.settle.spent();
        let reading = Instant::now();
        visit.end();
        if visit.given == 0 {
            return Err(visit.not_loaded(navigation).await);
        }
        let snapshot = visit.read(settled).await?;
        let timings = Timings { setup, work, waited, snapshot: reading.elapsed() };
        Ok(visit.finish(snapshot, settled, timings))
    }

    async fn open(
        browser: Arc<Browser>,
        config: &'a RenderConfig,
        page: &'a PageInput,
        ask: &'a Ask<'a>,
    ) -> Result<Self, RenderError> {
        let make = "Target.createBrowserContext";
        let made = browser.connection.call("", make, json!({"disposeOnDetach": true}));
        let made = tokio::time::timeout(READY, made).await;
        let made = made.map_err(|_| hung(make, READY))?.map_err(|error| refused(make, error))?;
        let context = text(&made, "browserContextId").to_owned();
        let events = browser.connection.listen(&context);
        let limits = Limits { quiet: config.quiet, work: config.work, wait: config.wait };
        Ok(Self {
            config,
            page,
            ask,
            place: Place { browser, context },
            events,
            session: String::new(),
            target: String::new(),
            started: Instant::now(),
            settle: Settle::new(limits),
            ledger: Ledger::default(),
            open: JoinSet::new(),
            asked: HashMap::new(),
            count: 0,
            moved: HashMap::new(),
            given: 0,
            ended: false,
            wishes: VecDeque::new(),
            redirect: None,
            sent: HashMap::new(),
            paused: HashSet::new(),
            targets: HashSet::new(),
            document: String::new(),
        })
    }

    /// An empty page in which every request stops, and no target but itself ever runs.
    async fn seal(&mut self) -> Result<(), RenderError> {
        let context = &self.place.context;
        let downloads = json!({"behavior": "deny", "browserContextId": context, "eventsEnabled": false});
        let blank = json!({"url": "about:blank", "browserContextId": context});
        self.call_all("", [("Browser.setDownloadBehavior", downloads), ("Target.createTarget", blank)])
            .await?;
        if self.session.is_empty() {
            return Err(RenderError::Command {
                method: "Target.createTarget",
                message: "no page was attached".to_owned(),
            });
        }
        let device = self.page.device;
        let version = &self.place.browser.version.full;
        let name = device.user_agent(&self.page.user_agent, &self.page.language, version);
        let every = json!({"patterns": [{"urlPattern": "*", "requestStage": "Request"}]});
        let small = json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0});
        let watch = json!({"source": WATCH, "worldName": WORLD});
        let commands = [
            ("Target.setAutoAttach", hold_all()),
            ("Fetch.enable", every),
            ("Network.enable", small),
            ("Network.setBypassServiceWorker", json!({"bypass": true})),
            ("Network.setCacheDisabled", json!({"cacheDisabled": true})),
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
            ("Emulation.setUserAgentOverride", name),
            ("Emulation.setDeviceMetricsOverride", device.metrics()),
            ("Emulation.setTouchEmulationEnabled", device.touch()),
            ("Page.addScriptToEvaluateOnNewDocument", json!({"source": REFUSE})),
            ("Page.addScriptToEvaluateOnNewDocument", watch),
            ("Runtime.runIfWaitingForDebugger", json!({})),
        ];
        let session = self.session.clone();
        self.call_all(&session, commands).await
    }

    fn navigate(&mut self) -> oneshot::Receiver<Result<Value, CallError>> {
        self.started = Instant::now();
        let mut url = self.page.url.clone();
        url.set_fragment(None);
        self.command("Page.navigate", json!({"url": url.as_str()}))
    }

    /// Hears the page until it rests or its time is up.
    async fn settle(&mut self) -> Result<Settled, RenderError> {
        let mut settled = Settled::Quiet;
        let mut probe: Option<Pin<Box<dyn Future<Output = Duration> + Send>>> = None;
        loop {
            let until = match self.settle.next(self.now()) {
                Next::Wait(until) => until,
                Next::OutOfWork => return Ok(Settled::OutOfWork),
                Next::OutOfPatience => {
                    settled = Settled::OutOfPatience;
                    self.give_up(Cause::Waiting);
                    continue;
                }
                Next::Quiet => {
                    if probe.is_none() {
                        probe = Some(Box::pin(self.since_added()));
                    }
                    self.settle.end(self.now())
                }
            };
            let deadline = self.started.checked_add(until).unwrap_or(self.started);
            tokio::select! {
                event = self.events.recv() => self.hear(event)?,
                Some(done) = self.open.join_next_with_id() => self.answered(done),
                since = async { match &mut probe { Some(probe) => probe.await, None => std::future::pending().await } } => {
                    probe = None;
                    let now = self.now();
                    self.settle.active(now.saturating_sub(since));
                    if self.settle.next(now) == Next::Quiet {
                        return Ok(settled);
                    }
                }
                () = tokio::time::sleep_until(deadline) => {}
            }
        }
    }

    /// How long ago the page grew. A page that cannot say has done nothing.
    fn since_added(&self) -> impl Future<Output = Duration> + Send + 'static {
        let connection = self.place.connection().clone();
        let (session, world) = (self.session.clone(), self.world());
        async move {
            let Ok(made) = connection.call(&session, "Page.createIsolatedWorld", world).await else {
                return Duration::MAX;
            };
            let context = made.get("executionContextId").cloned().unwrap_or_default();
            let asked = connection.call(&session, "Runtime.evaluate", evaluate(&context, SINCE_ADDED)).await;
            let value = asked.ok().as_ref().and_then(|answer| answer.get("result")?.get("value")?.as_f64());
            let since = value.map(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1_000.0));
            since.and_then(Result::ok).unwrap_or(Duration::MAX)
        }
    }

    /// From here on nothing is answered any more.
    fn end(&mut self) {
        self.ended = true;
        self.give_up(Cause::Ended);
    }

    async fn read(&mut self, settled: Settled) -> Result<Snapshot, RenderError> {
        let session = self.session.clone();
        let made = match settled {
            Settled::OutOfWork => self.halt().await?,
            _ => self.call(&session, "Page.createIsolatedWorld", self.world(), READ).await?,
        };
        let context = made.get("executionContextId").cloned().unwrap_or_default();
        let read = evaluate(&context, &expression(self.config.html_bytes));
        let result = self.call(&session, "Runtime.evaluate", read, READ).await?;
        Snapshot::read(&result).ok_or_else(|| {
            let fault = result.get("exceptionDetails").map(|details| text(details, "text"));
            let message = format!("the page could not be read: {}", fault.unwrap_or("no value came"));
            RenderError::Command { method: "Runtime.evaluate", message }
        })
    }

    /// Stops what is at work still, and lets nothing new start; makes the world the page is read from. A busy
    /// script is not always stopped by the first try.
    async fn halt(&mut self) -> Result<Value, RenderError> {
        let session = self.session.clone();
        let mut tries = READ.as_secs() / HALT.as_secs();
        loop {
            drop(self.command("Runtime.terminateExecution", json!({})));
            drop(self.command("Emulation.setScriptExecutionDisabled", json!({"value": true})));
            let made = self.call(&session, "Page.createIsolatedWorld", self.world(), HALT).await;
            tries = tries.saturating_sub(1);
            if tries == 0 || !matches!(made, Err(RenderError::Hung { .. })) {
                return made;
            }
        }
    }

    fn finish(mut self, snapshot: Snapshot, settled: Settled, timings: Timings) -> Rendered {
        for hint in &snapshot.hints {
            self.ledger.block(Kind::Preconnect, "GET", hint, Cause::Kind);
        }
        for (kind, count) in snapshot.refused {
            for _ in 0..count.min(MAX_REFUSED) {
                self.ledger.block(kind, "", "", Cause::Kind);
            }
        }
        let (requests, blocked) = std::mem::take(&mut self.ledger).into_parts();
        Rendered {
            html: snapshot.html,
            cut: snapshot.cut,
            title: snapshot.title,
            url: snapshot.url,
            base: snapshot.base,
            text: snapshot.text,
            links: snapshot.links,
            more_links: snapshot.more_links,
            requests,
            blocked,
            settled,
            redirect: self.redirect.take(),
            timings,
        }
    }

    async fn not_loaded(&self, navigation: oneshot::Receiver<Result<Value, CallError>>) -> RenderError {
        let answer = tokio::time::timeout(Duration::ZERO, navigation).await;
        let message = match answer {
            Ok(Ok(Ok(answer))) => text(&answer, "errorText").to_owned(),
            Ok(Ok(Err(CallError::Refused(message)))) => message,
            _ => "the browser did not ask for the page".to_owned(),
        };
        RenderError::Command { method: "Page.navigate", message }
    }

    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn command(&self, method: &str, params: Value) -> oneshot::Receiver<Result<Value, CallError>> {
        self.place.connection().start(&self.session, method, params)
    }

    fn world(&self) -> Value {
        json!({"frameId": self.target, "worldName": WORLD})
    }

    /// Sends all at once, and waits for each.
    async fn call_all<const N: usize>(
        &mut self,
        session: &str,
        commands: [(&'static str, Value); N],
    ) -> Result<(), RenderError> {
        let started =
            commands.map(|(method, params)| (method, self.place.connection().start(session, method, params)));
        for (method, result) in started {
            self.wait(method, result, READY).await?;
        }
        Ok(())
    }

    async fn call(
        &mut self,
        session: &str,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, RenderError> {
        let result = self.place.connection().start(session, method, params);
        self.wait(method, result, limit).await
    }

    /// Waits for a result, and hears what happens meanwhile: a dialog would keep the page from answering.
    async fn wait(
        &mut self,
        method: &'static str,
        mut result: oneshot::Receiver<Result<Value, CallError>>,
        limit: Duration,
    ) -> Result<Value, RenderError> {
        let deadline = tokio::time::sleep(limit);
        tokio::pin!(deadline);
        loop {
            tokio::select! {
                result = &mut result => {
                    // Events that came before the result are heard before it counts.
                    while let Ok(event) = self.events.try_recv() {
                        self.hear(Some(event))?;
                    }
                    return result.unwrap_or(Err(CallError::Closed)).map_err(|error| refused(method, error));
                }
                event = self.events.recv() => self.hear(event)?,
                Some(done) = self.open.join_next_with_id() => self.answered(done),
                () = &mut deadline => return Err(hung(method, limit)),
            }
        }
    }
}

/// Whether the browser still answers.
pub(crate) async fn lives(connection: &Connection) -> bool {
    let asked = connection.call("", "Browser.getVersion", json!({}));
    tokio::time::timeout(READY, asked).await.is_ok_and(|answer| answer.is_ok())
}

fn refused(method: &'static str, error: CallError) -> RenderError {
    match error {
        CallError::Closed => RenderError::BrowserLost,
        CallError::Refused(message) => RenderError::Command { method, message },
    }
}

fn hung(what: &'static str, limit: Duration) -> RenderError {
    RenderError::Hung { what, limit }
}
