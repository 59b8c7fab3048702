//! What a render costs, and what the seal adds to it: `cargo run --release -p bot-etiquette-render --example cost`.
//!
//! One page with a script, a stylesheet and a data request is rendered over and over: sealed, with two quiet windows,
//! answered from memory; and in an open browser of the same kind, driven over the same pipes, that loads it from a
//! server on loopback and is read once Chromium calls the network idle (500 ms).
#![allow(clippy::disallowed_methods, clippy::indexing_slicing, clippy::print_stdout)]

use std::{
    error::Error,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use bot_etiquette_render::{PageInput, RenderConfig, RenderError, Renderer, Sandbox};
use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Value, json};

type Failure = Box<dyn Error + Send + Sync>;

const PAGES: usize = 21;
const AGENT: &str = "ShopBot/1.0 (+https://bot.example)";
const HTML: &str =
    "<!doctype html><title>Raw</title><link rel=stylesheet href=/app.css><body><script src=/app.js></script>";
const SCRIPT: &str = "fetch('/data.json').then((a) => a.json()).then((names) => names.forEach((name) => {\
    const link = document.createElement('a'); link.href = '/' + name; link.textContent = name; document.body.append(link) }))";

/// The type and the body of a path.
fn file(path: &str) -> (&'static str, &'static str) {
    match path {
        "/" => ("text/html", HTML),
        "/app.js" => ("text/javascript", SCRIPT),
        "/app.css" => ("text/css", "a { display: block }"),
        "/data.json" => ("application/json", r#"["one", "two", "three"]"#),
        _ => ("text/plain", ""),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let (open, memory) = tokio::task::spawn_blocking(open_browser).await??;
    report("open browser, network idle for 500 ms", open);
    println!("{:>44}: {memory} MiB", "its memory with one page (PSS)");
    for quiet in [500, 100] {
        let config = RenderConfig::default().quiet(Duration::from_millis(quiet));
        let begun = Instant::now();
        let renderer = match Renderer::launch(config.clone()).await {
            Err(RenderError::Root) => Renderer::launch(config.sandbox(Sandbox::Off)).await?,
            launched => launched?,
        };
        println!("{:>44}: {:?}", "a sealed browser's start", begun.elapsed());
        let (mut all, mut work) = (Vec::new(), Vec::new());
        let mut memory = 0;
        for _ in 0..PAGES {
            let page = PageInput::new("https://shop.example/".parse()?, HTML, AGENT);
            let begun = Instant::now();
            let rendered = renderer
                .render(page, |request: Request<Bytes>| async move {
                    let (kind, body) = file(request.uri().path());
                    Ok(Response::builder().header("content-type", kind).body(body.into())?)
                })
                .await?;
            all.push(begun.elapsed());
            work.push(rendered.timings.work);
            assert_eq!(rendered.links.len(), 3);
            memory = proportional(renderer.process_id().await.unwrap_or_default());
        }
        report(&format!("sealed, quiet for {quiet} ms"), all);
        report("of it from the navigation to the rest", work);
        println!("{:>44}: {memory} MiB", "its memory between pages (PSS)");
        renderer.close().await;
    }
    Ok(())
}

fn report(what: &str, mut times: Vec<Duration>) {
    let first = times.first().copied().unwrap_or_default();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 10).copied().unwrap_or_default();
    println!("{what:>44}: median {:?}, 90 % {:?}, first {first:?}", at(5), at(9));
}

/// The memory of a process and all below it, each shared page counted by its share.
fn proportional(root: u32) -> u64 {
    let mut parents = Vec::new();
    for folder in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(id) = folder.file_name().to_string_lossy().parse::<u32>() else { continue };
        let number = |file: &str, key: &str| {
            let text = std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.trim().trim_end_matches(" kB").parse::<u64>().ok())
        };
        let parent = number("status", "PPid:").unwrap_or_default();
        parents.push((id, parent, number("smaps_rollup", "Pss:").unwrap_or_default()));
    }
    let mut family = vec![root];
    for index in 0.. {
        let Some(id) = family.get(index).copied() else { break };
        family.extend(
            parents.iter().filter(|(_, parent, _)| *parent == u64::from(id)).map(|(child, ..)| *child),
        );
    }
    parents.iter().filter(|(id, ..)| family.contains(id)).map(|(.., pss)| pss).sum::<u64>() / 1_024
}

/// An open browser, spoken to one command after another.
struct Open {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Open {
    fn start(profile: &std::path::Path) -> Result<Self, Failure> {
        let program = ["/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/google-chrome"];
        let program =
            program.into_iter().find(|path| std::path::Path::new(path).exists()).ok_or("no browser")?;
        let mut child = Command::new("/bin/sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 0</dev/null 1>&2"#, "sh", program])
            .args([
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-startup-window",
                "--no-sandbox",
                "--disable-gpu",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take().ok_or("no pipe")?, child.stdout.take().ok_or("no pipe")?);
        Ok(Self { child, stdin, stdout: BufReader::new(stdout), next: 0 })
    }

    fn message(&mut self) -> Result<Value, Failure> {
        let mut message = Vec::new();
        self.stdout.read_until(0, &mut message)?;
        message.pop().ok_or("the browser ended")?;
        Ok(serde_json::from_slice(&message)?)
    }

    fn call(&mut self, session: &str, method: &str, params: Value) -> Result<Value, Failure> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        write!(self.stdin, "{message}\0")?;
        self.stdin.flush()?;
        loop {
            let answer = self.message()?;
            if answer["id"] == self.next {
                return Ok(answer["result"].clone());
            }
        }
    }

    fn render(&mut self, url: &str) -> Result<(), Failure> {
        let context = self.call("", "Target.createBrowserContext", json!({}))?["browserContextId"].clone();
        let target = json!({"url": "about:blank", "browserContextId": context});
        let target = self.call("", "Target.createTarget", target)?["targetId"].clone();
        let attached =
            self.call("", "Target.attachToTarget", json!({"targetId": target, "flatten": true}))?;
        let session = attached["sessionId"].as_str().ok_or("no session")?.to_owned();
        self.call(&session, "Page.enable", json!({}))?;
        self.call(&session, "Page.setLifecycleEventsEnabled", json!({"enabled": true}))?;
        let loader = self.call(&session, "Page.navigate", json!({"url": url}))?["loaderId"].clone();
        loop {
            let event = self.message()?;
            if event["params"]["name"] == "networkIdle" && event["params"]["loaderId"] == loader {
                break;
            }
        }
        let read =
            json!({"expression": "document.links.length + document.documentElement.outerHTML.length * 0"});
        assert_eq!(self.call(&session, "Runtime.evaluate", read)?["result"]["value"], 3);
        self.call("", "Target.disposeBrowserContext", json!({"browserContextId": context}))?;
        Ok(())
    }
}

fn open_browser() -> Result<(Vec<Duration>, u64), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    let profile = tempfile::tempdir()?;
    let mut open = Open::start(profile.path())?;
    let mut times = Vec::new();
    let mut memory = 0;
    for _ in 0..PAGES {
        let begun = Instant::now();
        open.render(&url)?;
        times.push(begun.elapsed());
        memory = proportional(open.child.id());
    }
    open.child.kill()?;
    open.child.wait()?;
    Ok((times, memory))
}

fn serve(mut stream: std::net::TcpStream) -> io::Result<()> {
    let mut request = [0; 4_096];
    let read = stream.read(&mut request)?;
    let text = String::from_utf8_lossy(request.get(..read).unwrap_or_default()).into_owned();
    let (kind, body) = file(text.split(' ').nth(1).unwrap_or_default());
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
