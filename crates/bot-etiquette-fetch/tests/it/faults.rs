//! Each way an exchange can fail has its own error, in time.

use std::time::Duration;

use bot_etiquette_fetch::{
    FailureClass::{Answered, NoAnswer},
    FetchError, FetchLimits, Limit,
    Phase::{self, Body, Connect, Headers},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::support::{Site, Step, fetch, fetcher, forever, get, in_time, quick, send, trickle, whole};

const HEAD: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// What an error is, without its text.
fn name(error: &FetchError) -> (&'static str, Option<Phase>) {
    match error {
        FetchError::Dns { .. } => ("dns", None),
        FetchError::Connect { .. } => ("connect", None),
        FetchError::Tls { .. } => ("tls", None),
        FetchError::Timeout { phase, .. } => ("timeout", Some(*phase)),
        FetchError::Reset { phase, .. } => ("reset", Some(*phase)),
        FetchError::Protocol { phase, .. } => ("protocol", Some(*phase)),
        FetchError::TooLarge { what: Limit::Headers, .. } => ("headers too large", None),
        FetchError::TooLarge { what: Limit::Wire, .. } => ("wire too large", None),
        FetchError::Coding { .. } => ("coding", None),
        _ => ("other", None),
    }
}

#[tokio::test]
async fn a_server_that_misbehaves_is_told_apart_and_never_waited_for() {
    let slow_head = vec![send(HEAD), trickle("X-Slow: 1\r\n")];
    let slow_line = vec![send("HTTP/1.1 200 OK\r\nX-Slow: "), trickle("a")];
    let slow_body = vec![send(format!("{HEAD}Content-Length: 50000\r\n\r\n")), trickle("a")];
    let slow_chunks = vec![send(CHUNKED), trickle("1\r\na\r\n")];
    let slow_size = vec![send(CHUNKED), trickle("0")];
    let short = vec![send(format!("{HEAD}Content-Length: 10\r\n\r\nshort")), Step::Close];
    let reset_in_body = vec![
        send(format!("{HEAD}Content-Length: 10\r\n\r\nshort")),
        Step::Wait(Duration::from_millis(10)),
        Step::Reset,
    ];
    let rows = [
        ("silence", vec![Step::Silence], "timeout", Some(Headers), NoAnswer),
        ("a header a time", slow_head, "timeout", Some(Headers), NoAnswer),
        ("a header without end, slowly", slow_line, "timeout", Some(Headers), NoAnswer),
        (
            "1xx for ever",
            vec![trickle("HTTP/1.1 103 Early Hints\r\n\r\n")],
            "timeout",
            Some(Headers),
            NoAnswer,
        ),
        ("a body a byte a time", slow_body, "timeout", Some(Body), Answered),
        ("a chunk a time", slow_chunks, "timeout", Some(Body), Answered),
        ("a chunk size without end, slowly", slow_size, "timeout", Some(Body), Answered),
        ("closed at once", vec![Step::Close], "reset", Some(Headers), NoAnswer),
        ("reset at once", vec![Step::Reset], "reset", Some(Headers), NoAnswer),
        (
            "closed in the status line",
            vec![send("HTTP/1.1 20"), Step::Close],
            "reset",
            Some(Headers),
            NoAnswer,
        ),
        ("closed in the headers", vec![send(HEAD), Step::Close], "reset", Some(Headers), NoAnswer),
        ("closed before the length is reached", short, "reset", Some(Body), Answered),
        ("reset in the body", reset_in_body, "reset", Some(Body), Answered),
        (
            "closed in a chunk",
            vec![send(CHUNKED), send("5\r\nab"), Step::Close],
            "reset",
            Some(Body),
            Answered,
        ),
        (
            "closed before the last chunk",
            vec![send(CHUNKED), send("2\r\nab\r\n"), Step::Close],
            "reset",
            Some(Body),
            Answered,
        ),
        ("not HTTP", vec![send("SSH-2.0-OpenSSH_9.6\r\n\r\n")], "protocol", Some(Headers), NoAnswer),
        ("a status of letters", vec![send("HTTP/1.1 OK 200\r\n\r\n")], "protocol", Some(Headers), NoAnswer),
        (
            "a NUL in a header",
            vec![send(format!("{HEAD}X: a\0b\r\n\r\n"))],
            "protocol",
            Some(Headers),
            NoAnswer,
        ),
        (
            "two lengths",
            vec![send(format!("{HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"))],
            "protocol",
            Some(Headers),
            NoAnswer,
        ),
        ("a chunk size of letters", vec![send(CHUNKED), send("xyz\r\n")], "protocol", Some(Body), Answered),
        (
            "a chunk longer than it says",
            vec![send(CHUNKED), send("2\r\nabcdef\r\n")],
            "protocol",
            Some(Body),
            Answered,
        ),
        (
            "a chunk size beyond u64",
            vec![send(CHUNKED), send("fffffffffffffffff\r\n")],
            "protocol",
            Some(Body),
            Answered,
        ),
        (
            "chunk extensions without end",
            vec![send(CHUNKED), send("1;"), forever("a=b;".repeat(500))],
            "protocol",
            Some(Body),
            Answered,
        ),
        (
            "headers without end",
            vec![send(HEAD), forever("X-Many: 1\r\n".repeat(200))],
            "headers too large",
            None,
            Answered,
        ),
        (
            "one header without end",
            vec![send("HTTP/1.1 200 OK\r\nX: "), forever("a".repeat(2000))],
            "headers too large",
            None,
            Answered,
        ),
        (
            "a body without end",
            vec![send(CHUNKED), forever("4\r\nabcd\r\n".repeat(500))],
            "wire too large",
            None,
            Answered,
        ),
        (
            "a body to the close without end",
            vec![send(HEAD), send("\r\n"), forever("abcd".repeat(500))],
            "wire too large",
            None,
            Answered,
        ),
    ];
    for (what, steps, wanted, phase, class) in rows {
        let site = Site::always(steps).await;
        // Room enough for what is fast, on a busy machine too; what is slow runs into the short limit.
        let fast = matches!(wanted, "wire too large" | "headers too large" | "protocol" | "reset");
        let limits = if fast { quick().total(Duration::from_secs(10)) } else { quick() };
        let error = fetch(limits.wire_bytes(100_000), &site.url("/")).await.map(|_| what).unwrap_err();
        assert_eq!((name(&error), error.class()), ((wanted, phase), class), "{what}: {error:?}");
    }
}

#[tokio::test]
async fn what_never_connects_is_told_apart() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("https://{}/", silent.local_addr().unwrap());
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let not_tls = format!("https://{}/", plain.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream.read_to_end(&mut Vec::new()).await
    });
    let rows = [(closed, "connect", None), (not_tls, "tls", None), (silent, "timeout", Some(Connect))];
    for (url, wanted, phase) in rows {
        let limits =
            if wanted == "timeout" { quick().total(Duration::from_secs(10)) } else { FetchLimits::default() };
        let error = fetch(limits, &url).await.unwrap_err();
        assert_eq!((name(&error), error.class()), ((wanted, phase), NoAnswer), "{url}: {error:?}");
    }
}

#[tokio::test]
async fn a_timeout_names_the_limit_that_passed() {
    let site = Site::always(vec![Step::Silence]).await;
    let error = fetch(quick().total(Duration::from_millis(70)), &site.url("/")).await.unwrap_err();
    assert_eq!(error.to_string(), "no answer within 70ms (before the headers were whole)");
}

#[tokio::test]
async fn bytes_beyond_the_length_are_not_the_next_answer() {
    let site = Site::start(|path| match path {
        "/long" => vec![send(
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        )],
        _ => whole("", b"good"),
    })
    .await;
    let fetcher = fetcher(FetchLimits::default());
    assert_eq!(in_time(fetcher.fetch(get(&site.url("/long")))).await.unwrap().body, "abc");
    assert_eq!(in_time(fetcher.fetch(get(&site.url("/next")))).await.unwrap().body, "good");
}
