//! The DevTools protocol over a pair of pipes: messages of JSON, each ended by a NUL.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{mpsc, oneshot},
};

/// The longest message that is read: the largest answer of a snapshot with every unit escaped. A longer one ends the
/// connection.
pub(crate) const MAX_MESSAGE: u64 = 256 << 20;
/// How many events of a page may wait to be read.
pub(crate) const MAX_EVENTS: usize = 4_096;

/// What the browser said unasked.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) method: String,
    pub(crate) params: Value,
    /// The session it belongs to; empty for the browser's own.
    pub(crate) session: String,
}

/// Why a command has no result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The browser is gone.
    Closed,
    /// The browser said no.
    Refused(String),
}

/// One connection to a browser. Clones speak over the same one.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    next: AtomicU64,
    routes: Mutex<Routes>,
}

/// Who hears what.
#[derive(Debug, Default)]
struct Routes {
    closed: bool,
    calls: HashMap<u64, oneshot::Sender<Result<Value, CallError>>>,
    /// Listeners by browser context: each page has its own.
    contexts: HashMap<String, mpsc::Sender<Event>>,
    /// The context of each session.
    sessions: HashMap<String, String>,
}

impl Connection {
    /// Speaks over the pipes until the browser closes its end.
    pub(crate) fn open(
        reader: impl AsyncRead + Unpin + Send + 'static,
        mut writer: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Self {
        let (outgoing, mut messages) = mpsc::unbounded_channel::<Vec<u8>>();
        let shared =
            Arc::new(Shared { outgoing, next: AtomicU64::new(1), routes: Mutex::new(Routes::default()) });
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                if writer.write_all(&message).await.is_err() || writer.flush().await.is_err() {
                    break;
                }
            }
        });
        let reading = Arc::downgrade(&shared);
        tokio::spawn(async move {
            let mut reader = BufReader::with_capacity(1 << 16, reader);
            let mut message = Vec::new();
            while read_message(&mut reader, &mut message).await {
                let Some(shared) = reading.upgrade() else { return };
                shared.routes().dispatch(parse(&message));
            }
            if let Some(shared) = reading.upgrade() {
                shared.routes().close();
            }
        });
        Self { shared }
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn call(&self, session: &str, method: &str, params: Value) -> Result<Value, CallError> {
        self.start(session, method, params).await.unwrap_or(Err(CallError::Closed))
    }

    /// Sends a command. Its result may be waited for, or not.
    pub(crate) fn start(
        &self,
        session: &str,
        method: &str,
        params: Value,
    ) -> oneshot::Receiver<Result<Value, CallError>> {
        let (sender, receiver) = oneshot::channel();
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        {
            let mut routes = self.shared.routes();
            if routes.closed {
                return receiver;
            }
            routes.calls.insert(id, sender);
        }
        let mut message = json!({"id": id, "method": method, "params": params});
        if let (Some(object), false) = (message.as_object_mut(), session.is_empty()) {
            object.insert("sessionId".to_owned(), session.into());
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // The receiver of what cannot be sent learns it when the reader meets the end.
        let _ = self.shared.outgoing.send(bytes);
        receiver
    }

    /// Hears all that happens in a browser context, its pages' sessions included, until `ignore`.
    pub(crate) fn listen(&self, context: &str) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(MAX_EVENTS);
        let mut routes = self.shared.routes();
        if !routes.closed {
            routes.contexts.insert(context.to_owned(), sender);
        }
        receiver
    }

    /// Ends `listen`.
    pub(crate) fn ignore(&self, context: &str) {
        let mut routes = self.shared.routes();
        routes.contexts.remove(context);
        routes.sessions.retain(|_, of| of != context);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.routes().closed
    }
}

impl Shared {
    fn routes(&self) -> MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Routes {
    fn dispatch(&mut self, message: Option<Value>) {
        let Some(mut message) = message else { return };
        if let Some(id) = message.get("id").and_then(Value::as_u64) {
            let Some(call) = self.calls.remove(&id) else { return };
            let result = match message.get("error") {
                Some(error) => Err(CallError::Refused(text(error, "message").to_owned())),
                None => Ok(message.get_mut("result").map(Value::take).unwrap_or_default()),
            };
            let _ = call.send(result);
            return;
        }
        let event = Event {
            method: text(&message, "method").to_owned(),
            session: text(&message, "sessionId").to_owned(),
            params: message.get_mut("params").map(Value::take).unwrap_or_default(),
        };
        let Some(context) = self.context_of(&event) else { return };
        let heard = self.contexts.get(&context).map(|listener| listener.try_send(event));
        if heard.is_some_and(|sent| sent.is_err()) {
            // Too much to keep, or nobody left: the listener sees the end of its channel.
            self.contexts.remove(&context);
        }
    }

    fn context_of(&mut self, event: &Event) -> Option<String> {
        let of_session = self.sessions.get(&event.session).cloned();
        match event.method.as_str() {
            "Target.attachedToTarget" => {
                let named = event.params.get("targetInfo").map(|target| text(target, "browserContextId"));
                let context = of_session.or_else(|| named.map(str::to_owned))?;
                if !self.contexts.contains_key(&context) {
                    return None;
                }
                self.sessions.insert(text(&event.params, "sessionId").to_owned(), context.clone());
                Some(context)
            }
            "Target.detachedFromTarget" => {
                let session = text(&event.params, "sessionId");
                self.sessions.remove(session).or(of_session)
            }
            _ => of_session,
        }
    }

    fn close(&mut self) {
        *self = Self { closed: true, ..Self::default() };
    }
}

/// A text member of an object, or nothing.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

async fn read_message(reader: &mut (impl AsyncBufReadExt + Unpin), message: &mut Vec<u8>) -> bool {
    message.clear();
    if message.capacity() > 1 << 20 {
        message.shrink_to(1 << 16);
    }
    let read = reader.take(MAX_MESSAGE).read_until(0, message).await;
    read.is_ok() && message.pop() == Some(0)
}

/// A page may put half a surrogate pair into a title or a question, which JSON carries and Rust's text cannot.
fn parse(message: &[u8]) -> Option<Value> {
    serde_json::from_slice(message).ok().or_else(|| serde_json::from_slice(&without_surrogates(message)).ok())
}

/// The message with every escaped half of a surrogate pair replaced; whole pairs go with them, as this is the way of
/// last resort.
fn without_surrogates(message: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(message.len());
    let mut rest = message;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'\\' {
            mended.push(byte);
            rest = after;
            continue;
        }
        let escape = rest.get(..6).filter(|escape| {
            matches!(escape, [_, b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', _, _])
        });
        let (written, length): (&[u8], usize) = match escape {
            Some(_) => (b"\\ufffd", 6),
            None => (rest.get(..2).unwrap_or(rest), 2),
        };
        mended.extend_from_slice(written);
        rest = rest.get(length..).unwrap_or_default();
    }
    mended
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, duplex};

    use super::*;

    /// A connection and the browser's ends of its pipes.
    fn connect() -> (Connection, DuplexStream, DuplexStream) {
        let (ours_in, theirs_out) = duplex(1 << 20);
        let (theirs_in, ours_out) = duplex(1 << 20);
        (Connection::open(ours_in, ours_out), theirs_in, theirs_out)
    }

    async fn say(pipe: &mut DuplexStream, message: &str) {
        pipe.write_all(message.as_bytes()).await.unwrap();
        pipe.write_all(&[0]).await.unwrap();
    }

    #[tokio::test]
    async fn a_result_finds_its_command_and_an_error_says_its_message() {
        let (connection, mut commands, mut answers) = connect();
        let first = connection.start("", "Browser.getVersion", json!({}));
        let second = connection.start("S", "Page.enable", json!({}));
        say(&mut answers, r#"{"id":2,"error":{"code":-32000,"message":"no such page"}}"#).await;
        say(&mut answers, r#"{"id":1,"result":{"product":"Chrome/156"}}"#).await;
        assert_eq!(first.await.unwrap().unwrap()["product"], "Chrome/156");
        assert_eq!(second.await.unwrap().unwrap_err(), CallError::Refused("no such page".to_owned()));
        let mut sent = BufReader::new(&mut commands);
        let mut message = Vec::new();
        assert!(read_message(&mut sent, &mut message).await);
        assert_eq!(parse(&message).unwrap(), json!({"id": 1, "method": "Browser.getVersion", "params": {}}));
        assert!(read_message(&mut sent, &mut message).await);
        assert_eq!(parse(&message).unwrap()["sessionId"], "S");
    }

    #[tokio::test]
    async fn events_go_to_the_context_of_their_session_and_children_inherit_it() {
        let (connection, _commands, mut answers) = connect();
        let mut events = connection.listen("C1");
        let attached = |session: &str, context: &str| {
            json!({"method": "Target.attachedToTarget",
                "params": {"sessionId": session, "targetInfo": {"browserContextId": context}}})
            .to_string()
        };
        say(&mut answers, &attached("S1", "C1")).await;
        say(&mut answers, &attached("S2", "C2")).await;
        say(&mut answers, r#"{"method":"Page.loadEventFired","params":{},"sessionId":"S2"}"#).await;
        let child = json!({"method": "Target.attachedToTarget", "sessionId": "S1",
            "params": {"sessionId": "S3", "targetInfo": {"type": "worker"}}});
        say(&mut answers, &child.to_string()).await;
        say(&mut answers, r#"{"method":"Network.x","params":{},"sessionId":"S3"}"#).await;
        for (method, session) in
            [("Target.attachedToTarget", ""), ("Target.attachedToTarget", "S1"), ("Network.x", "S3")]
        {
            let event = events.recv().await.unwrap();
            assert_eq!((event.method.as_str(), event.session.as_str()), (method, session));
        }
        connection.ignore("C1");
        assert!(events.recv().await.is_none());
    }

    #[tokio::test]
    async fn a_flood_ends_the_listening_at_its_limit() {
        for (count, ended) in [(MAX_EVENTS - 1, false), (MAX_EVENTS, true)] {
            let (connection, _commands, mut answers) = connect();
            let mut events = connection.listen("C");
            let attach = r#"{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"browserContextId":"C"}}}"#;
            say(&mut answers, attach).await;
            for _ in 0..count {
                say(&mut answers, r#"{"method":"x","sessionId":"S"}"#).await;
            }
            let done = connection.start("", "Browser.getVersion", json!({}));
            say(&mut answers, r#"{"id":1,"result":{}}"#).await;
            done.await.unwrap().unwrap();
            let mut heard = 0;
            while events.try_recv().is_ok() {
                heard += 1;
            }
            assert_eq!(heard, MAX_EVENTS);
            assert_eq!(events.is_closed(), ended);
        }
    }

    #[tokio::test]
    async fn the_end_of_the_pipe_ends_every_call_and_every_listener() {
        let (connection, _commands, answers) = connect();
        let open = connection.start("", "Browser.getVersion", json!({}));
        let mut events = connection.listen("C");
        drop(answers);
        assert!(open.await.is_err());
        assert!(events.recv().await.is_none());
        assert!(connection.is_closed());
        assert_eq!(connection.call("", "Browser.close", json!({})).await, Err(CallError::Closed));
        assert!(connection.listen("D").recv().await.is_none());
    }

    #[test]
    fn half_a_surrogate_pair_does_not_lose_a_message() {
        let message = br#"{"id":1,"result":{"a":"x\ud800y","b":"\\ud800","c":"\ud83d"}}"#;
        let value = parse(message).unwrap();
        assert_eq!(value["result"], json!({"a": "x\u{fffd}y", "b": "\\ud800", "c": "\u{fffd}"}));
        assert_eq!(parse(br#"{"a":"\ud83d\ude00"}"#).unwrap()["a"], "\u{1f600}");
        assert_eq!(parse(b"{\"a\":\"\\"), None);
    }
}
