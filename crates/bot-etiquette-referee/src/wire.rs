//! Requests as bytes: enough of HTTP/1.1 (RFC 9112) to see what a client really sends.

/// Bytes of a request's head at the most.
pub(crate) const MAX_HEAD: usize = 64 * 1024;

/// A request's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// Path and query; what else the request line said, where it is no path.
    pub(crate) target: String,
    pub(crate) authority: String,
    pub(crate) userinfo: bool,
    pub(crate) old: bool,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    /// Reads the bytes up to the empty line; `None` is no HTTP request.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let token = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if words.next().is_some() || !version.starts_with("HTTP/1.") || !token(method) || target.is_empty() {
            return None;
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            if let (true, Some((_, value))) = (line.starts_with([' ', '\t']), headers.last_mut()) {
                value.push(' ');
                value.push_str(line.trim());
                continue;
            }
            let (name, value) = line.split_once(':')?;
            if !token(name) {
                return None;
            }
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let host = headers.iter().find(|(name, _)| name == "host").map(|(_, value)| value.clone());
        let mut head = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            authority: host.unwrap_or_default(),
            userinfo: false,
            old: version == "HTTP/1.0",
            headers,
        };
        // The absolute form overrides the Host field (RFC 9112 3.2.2).
        if let Some((_, rest)) = target.split_once("://").filter(|_| !target.starts_with('/')) {
            let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            let (user, authority) =
                authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
            head.userinfo = user.is_some();
            authority.clone_into(&mut head.authority);
            head.target = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        }
        Some(head)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    fn lists(&self, name: &str, word: &str) -> bool {
        self.value(name)
            .is_some_and(|value| value.split(',').any(|each| each.trim().eq_ignore_ascii_case(word)))
    }

    /// Whether the client closes after this request.
    pub(crate) fn closes(&self) -> bool {
        self.lists("connection", "close") || (self.old && !self.lists("connection", "keep-alive"))
    }

    pub(crate) fn is_chunked(&self) -> bool {
        self.lists("transfer-encoding", "chunked")
    }

    pub(crate) fn content_length(&self) -> u64 {
        self.value("content-length").and_then(|value| value.parse().ok()).unwrap_or_default()
    }
}

/// The length of the head that `bytes` begin with, its empty line included.
pub(crate) fn head_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(end) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')) {
        let line = bytes.get(at..at + end).unwrap_or_default();
        at += end + 1;
        if line.is_empty() || line == b"\r" {
            return Some(at);
        }
    }
    None
}

/// A chunked body that has come so far: its decoded length and bytes used, once it is complete.
pub(crate) fn chunked(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let end = bytes.get(at..)?.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(bytes.get(at..at + end)?).unwrap_or("0");
        let size =
            usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16).unwrap_or_default();
        at += end + 1;
        if size == 0 {
            return head_length(bytes.get(at..)?).map(|trailers| (body, at + trailers));
        }
        body.extend_from_slice(bytes.get(at..at.checked_add(size)?)?);
        at = at.checked_add(size)?.checked_add(2)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_sent() {
        let bytes = b"GET /a?b HTTP/1.1\r\nHost: A.example:8080\r\nX-A:  1 \r\n  2\r\n\r\nrest";
        assert_eq!(head_length(bytes), Some(bytes.len() - 4));
        let head = Head::read(&bytes[..bytes.len() - 4]).unwrap();
        assert_eq!(
            (head.method.as_str(), head.target.as_str(), head.authority.as_str()),
            ("GET", "/a?b", "A.example:8080")
        );
        assert_eq!(head.value("x-a"), Some("1 2"));
        assert!(!head.closes() && !head.is_chunked());
    }

    #[test]
    fn the_absolute_form_names_the_host() {
        let head = Head::read(b"GET http://u:p@b.example?q HTTP/1.0\r\nHost: a.example\r\n\r\n").unwrap();
        assert_eq!(
            (head.authority.as_str(), head.target.as_str(), head.userinfo),
            ("b.example", "/?q", true)
        );
        assert!(head.closes());
    }

    #[test]
    fn what_is_no_request_is_none() {
        for bytes in [
            &b""[..],
            b"\x16\x03\x01",
            b"GET /\r\n\r\n",
            b"GET / HTTP/2.0\r\n\r\n",
            b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        ] {
            assert_eq!(Head::read(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn chunks_are_joined_and_their_end_is_known() {
        let bytes = b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\nnext";
        assert_eq!(chunked(bytes), Some((b"abcde".to_vec(), bytes.len() - 4)));
        for cut in 0..bytes.len() - 4 {
            assert_eq!(chunked(&bytes[..cut]), None, "{cut}");
        }
    }
}
