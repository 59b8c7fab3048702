//! A site on loopback for the small examples: a few pages, one redirect, and one page that is busy at first.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// Serves in the background until the program ends; returns the addresses of its pages, under two host names.
///
/// `/busy` answers its first request with 503 and `Retry-After: 1`, `/old` redirects to `/new` on the other host.
pub fn serve() -> std::io::Result<Vec<String>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        let mut asked: HashMap<String, u32> = HashMap::new();
        for stream in listener.incoming().flatten() {
            // One client, one request at a time: what goes wrong with it is the client's to see.
            drop(answer(stream, port, &mut asked));
        }
    });
    let pages = [("127.0.0.1", "/"), ("127.0.0.1", "/old"), ("localhost", "/busy"), ("localhost", "/about")];
    Ok(pages.iter().map(|(host, path)| format!("http://{host}:{port}{path}")).collect())
}

fn answer(mut stream: TcpStream, port: u16, asked: &mut HashMap<String, u32>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let count = asked.entry(path.clone()).or_default();
    *count += 1;
    let head = match path.as_str() {
        "/busy" if *count == 1 => "503 Service Unavailable\r\nRetry-After: 1".to_owned(),
        "/old" => format!("301 Moved Permanently\r\nLocation: http://localhost:{port}/new"),
        _ => "200 OK".to_owned(),
    };
    write!(stream, "HTTP/1.1 {head}\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n")
}
