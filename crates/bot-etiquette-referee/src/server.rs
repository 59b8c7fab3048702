//! One connection: requests in, planted answers out, each with its time.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{sleep, timeout};

use crate::answer::Answer;
use crate::judge::BODY_SLACK;
use crate::record::{KEPT_BODY, Record};
use crate::site::{Asked, Body};
use crate::state::Shared;
use crate::wire::{self, Head};

/// Bytes of a request's body at the most; a longer one ends the connection.
const MAX_BODY: usize = 1024 * 1024;
/// Real time that a connection may rest between requests.
const IDLE: Duration = Duration::from_secs(75);
/// Bytes written at a time.
const PIECE: usize = 16 * 1024;
/// Real time at the first byte past `max_body`, in which a crawler that keeps to it hangs up.
const AT_LIMIT_PAUSE: Duration = Duration::from_millis(100);
/// Real time between the further pieces.
const PAST_LIMIT_PAUSE: Duration = Duration::from_millis(25);

/// What one client sends, and when the first byte of what is unread came.
struct Incoming {
    half: OwnedReadHalf,
    bytes: Vec<u8>,
    since: Option<f64>,
    /// The client left with bytes unread, which is what makes a system reset a connection.
    reset: bool,
}

impl Incoming {
    /// Reads more; `false` when the client has left.
    async fn more(&mut self, shared: &Shared) -> bool {
        let mut piece = [0; 8192];
        let read = match self.half.read(&mut piece).await {
            Ok(read) => read,
            Err(_) => {
                self.reset = true;
                0
            }
        };
        if read > 0 && self.since.is_none() {
            self.since = Some(shared.clock.now());
        }
        self.bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
        read > 0
    }

    /// Takes the first `length` bytes away. What is left came with them, or after.
    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.bytes.split_off(length.min(self.bytes.len()));
        let taken = std::mem::replace(&mut self.bytes, rest);
        if self.bytes.is_empty() {
            self.since = None;
        }
        taken
    }
}

/// Serves one connection until either side ends it.
pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let Ok(local) = stream.local_addr() else { return };
    // Small answers go out at once: a held-back end would look like a longer request.
    let _ = stream.set_nodelay(true);
    let connection = shared.opened(local);
    let (half, mut out) = stream.into_split();
    let mut incoming = Incoming { half, bytes: Vec::new(), since: None, reset: false };
    loop {
        let Some((head, start)) = head(&mut incoming, &shared, connection).await else { return };
        let closes = head.closes();
        if head.value("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
            && out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.is_err()
        {
            return;
        }
        let Some(body) = body(&mut incoming, &head, &shared).await else { return };
        let body_bytes = u64::try_from(body.len()).unwrap_or(u64::MAX);
        let kept = body.get(..KEPT_BODY.min(body.len())).unwrap_or_default().to_vec();
        let (site, known_site) = shared.sites.name(&head.authority, local);
        let record = Record {
            site,
            known_site,
            start,
            unix: shared.clock.unix(start),
            real_unix: shared.clock.unix(start / shared.clock.scale()),
            method: head.method.clone(),
            target: head.target.clone(),
            authority: head.authority.clone(),
            userinfo: head.userinfo,
            headers: head.headers.clone(),
            body: kept,
            body_bytes,
            ..Record::default()
        };
        let Some((index, answer)) = planned(&shared, record, &head, local) else { return };
        let served = send_while_watching(&mut incoming, &mut out, &shared, index, &answer).await;
        if !served || closes || answer.closes {
            let _ = out.shutdown().await;
            return;
        }
    }
}

/// The next head, and when its first byte came.
async fn head(incoming: &mut Incoming, shared: &Shared, connection: u64) -> Option<(Head, f64)> {
    loop {
        if let Some(length) = wire::head_length(&incoming.bytes) {
            let start = incoming.since.unwrap_or_else(|| shared.clock.now());
            let head = Head::read(&incoming.take(length));
            shared.spoke(connection, head.is_none().then_some("no HTTP request"));
            return head.map(|head| (head, start));
        }
        match incoming.bytes.first() {
            Some(0x16) => shared.spoke(connection, Some("a TLS greeting instead of HTTP")),
            _ if incoming.bytes.len() > wire::MAX_HEAD => {
                shared.spoke(connection, Some("a head without end"))
            }
            _ => {
                if timeout(IDLE, incoming.more(shared)).await == Ok(true) {
                    continue;
                }
            }
        }
        return None;
    }
}

/// The body of a request; `None` when it breaks off or is too long.
async fn body(incoming: &mut Incoming, head: &Head, shared: &Shared) -> Option<Vec<u8>> {
    loop {
        if head.is_chunked() {
            if let Some((body, used)) = wire::chunked(&incoming.bytes) {
                incoming.take(used);
                return (body.len() <= MAX_BODY).then_some(body);
            }
        } else {
            let length = usize::try_from(head.content_length()).unwrap_or(usize::MAX);
            if length > MAX_BODY {
                return None;
            }
            if incoming.bytes.len() >= length {
                return Some(incoming.take(length));
            }
        }
        // The framing of chunks may double what small ones weigh.
        if incoming.bytes.len() > 2 * MAX_BODY || timeout(IDLE, incoming.more(shared)).await != Ok(true) {
            return None;
        }
    }
}

/// Files the request and finds what its site has planted for it.
fn planned(
    shared: &Shared,
    mut record: Record,
    head: &Head,
    local: std::net::SocketAddr,
) -> Option<(usize, Answer)> {
    let path = record.path().to_owned();
    let before = shared.visit(&record.site, &path);
    let page = shared.sites.site(&record.site).filter(|_| record.known_site).and_then(|site| {
        site.answer(&Asked { method: &head.method, target: &head.target, headers: &head.headers, before })
    });
    let answer = Answer::new(page, head, &shared.sites);
    record.status = answer.status;
    answer.facts(&mut record, &shared.sites, &shared.held, local);
    // Until the head goes out the client has had no answer.
    shared.file(record).map(|index| (index, answer))
}

/// Sends an answer and notices when the client leaves; `false` ends the connection.
async fn send_while_watching(
    incoming: &mut Incoming,
    out: &mut OwnedWriteHalf,
    shared: &Shared,
    index: usize,
    answer: &Answer,
) -> bool {
    let sending = send(out, shared, index, answer);
    tokio::pin!(sending);
    let mut here = true;
    let sent = loop {
        tokio::select! {
            biased;
            sent = &mut sending => break sent,
            still = incoming.more(shared), if incoming.bytes.len() <= wire::MAX_HEAD => {
                here = still;
                if !still {
                    break false;
                }
            }
        }
    };
    let now = shared.clock.now();
    shared.change(index, |record| {
        // Who ends a connection in good order has read all that had come.
        let all = record.headed.is_some() && record.sent == answer.body_length() && !incoming.reset;
        record.whole = answer.is_meant_whole() && (sent || (!here && all));
        record.left = answer.is_meant_whole() && !record.whole;
        if record.left {
            record.end = Some(now);
        }
        record.end.get_or_insert(now);
        if record.headed.is_none() {
            record.status = 0;
        }
        record.closed = true;
    });
    sent && here
}

/// Writes an answer as badly as it was planted; `false` when the connection is over.
async fn send(out: &mut OwnedWriteHalf, shared: &Shared, index: usize, answer: &Answer) -> bool {
    if !answer.delay.is_zero() {
        sleep(shared.clock.real(answer.delay)).await;
    }
    if answer.silent {
        return false;
    }
    let length = answer.body_length();
    let stop = answer.break_after.unwrap_or(length).min(length);
    let now = shared.clock.now();
    let head = answer.head(shared.clock.unix(now));
    shared.change(index, |record| {
        record.headed = Some(now);
        record.answer_headers.clone_from(&head.fields);
        if stop == 0 {
            record.end = Some(now);
        }
    });
    if out.write_all(&head.bytes).await.is_err() {
        return false;
    }
    let limit =
        shared.held.promise.max_body.filter(|limit| stop > *limit && !matches!(answer.body, Body::Raw(_)));
    let mut at = 0;
    while at < stop {
        let mut most = u64::try_from(PIECE).unwrap_or(u64::MAX).min(stop - at);
        if let Some(rate) = answer.per_second {
            if rate == 0 {
                std::future::pending::<()>().await;
            }
            most = most.min((rate / 20).max(1));
            #[expect(clippy::cast_precision_loss, reason = "a piece is small, a rate a person's number")]
            let pause = most as f64 / rate as f64;
            if at > 0 {
                sleep(shared.clock.real(Duration::try_from_secs_f64(pause).unwrap_or(IDLE))).await;
            }
        }
        // Up to one byte past the limit at full speed, then slowly while a crawler may still hang up.
        if let Some(limit) = limit {
            if at <= limit {
                most = most.min(limit + 1 - at);
            } else if at <= limit.saturating_add(BODY_SLACK) {
                sleep(if at == limit + 1 { AT_LIMIT_PAUSE } else { PAST_LIMIT_PAUSE }).await;
            }
        }
        let piece = answer.body.piece(at, usize::try_from(most).unwrap_or(PIECE));
        at += most;
        let last = at >= stop;
        // Noted before it is written: the client cannot have it sooner.
        let now = shared.clock.now();
        if last {
            shared.change(index, |record| record.end = Some(now));
        }
        if out.write_all(&piece).await.is_err() {
            return false;
        }
        shared.change(index, |record| record.sent = at);
    }
    if limit.is_some() {
        sleep(PAST_LIMIT_PAUSE * 2).await;
    }
    stop == length
}
