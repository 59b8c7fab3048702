//! How the browser is started: with no way to the network, and with nothing of its own to do there.

use std::{ffi::OsString, path::Path};

use crate::Sandbox;

/// What seals it. Each stands alone; none is relied on alone.
const SEAL: &[&str] = &[
    // No name resolves, and no address either: the rule covers literals.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    // What would go round the rule meets a proxy that is not there, on loopback too.
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    // WebRTC has sockets of its own, which heed neither: without this a page's STUN request leaves the machine. The
    // similar `--force-webrtc-ip-handling-policy` does not help.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-pings",
    // Frames stay in the page's process, where they can be seen.
    "--disable-site-isolation-trials",
];

/// Features that would speak, look round, or take a page out of sight.
const FEATURES_OFF: &[&str] = &[
    "IsolateOrigins",
    "site-per-process",
    // Multicast: names for WebRTC, screens to cast to.
    "WebRtcHideLocalIpsWithMdns",
    "MediaRouter",
    "DialMediaRouteProvider",
    // Pages loaded before anybody asked.
    "Prerender2",
    // A page given as bytes has no address: it would not be let to data on loopback.
    "LocalNetworkAccessChecks",
    // The page is asked for as it is named.
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "OptimizationHints",
    "Translate",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
];

/// What keeps it quiet and small.
const QUIET: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    // A page in the background runs as one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

pub(crate) fn flags(profile: &Path, sandbox: Sandbox) -> Vec<OsString> {
    let mut flags: Vec<OsString> = SEAL.iter().chain(QUIET).map(OsString::from).collect();
    flags.push(format!("--disable-features={}", FEATURES_OFF.join(",")).into());
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    flags.push(folder);
    if sandbox == Sandbox::Off {
        flags.push("--no-sandbox".into());
    }
    flags
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, BufRead as _, BufReader, Write as _},
        net::UdpSocket,
        process::{Command, Stdio},
        time::Duration,
    };

    use serde_json::{Value, json};

    use super::*;
    use crate::{browser::PIPES, find::find};

    #[test]
    fn the_sandbox_is_off_only_where_that_was_chosen() {
        let with = |sandbox| flags(Path::new("/tmp/p"), sandbox);
        assert!(!with(Sandbox::Required).contains(&"--no-sandbox".into()));
        assert!(with(Sandbox::Off).contains(&"--no-sandbox".into()));
        assert!(with(Sandbox::Off).contains(&"--user-data-dir=/tmp/p".into()));
    }

    /// A page is kept from peer connections by a script as well: here it has none but the flags. The same page without
    /// them shows that the socket hears.
    #[cfg(unix)]
    #[test]
    fn the_flags_alone_keep_a_peer_connection_from_sending() {
        let name = "flags::tests::the_flags_alone_keep_a_peer_connection_from_sending";
        let Ok(browser) = find(None) else {
            assert!(std::env::var_os("BOT_ETIQUETTE_BROWSER").is_none_or(|wanted| wanted != "required"));
            let _ = writeln!(
                io::stderr(),
                "left out: {name}: no Chromium; on Debian the package chromium brings one"
            );
            return;
        };
        for (sealed, heard) in [(false, true), (true, false)] {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
            let port = socket.local_addr().unwrap().port();
            let profile = tempfile::tempdir().unwrap();
            let mut flags = flags(profile.path(), Sandbox::Off);
            flags.retain(|flag| sealed || !flag.to_string_lossy().contains("webrtc"));
            let mut child = Command::new("/bin/sh")
                .args(["-c", PIPES, "sh"])
                .arg(&browser)
                .args(flags)
                .env("HOME", profile.path())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let script = format!(
                "const peer = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }}] }});\
                 peer.createDataChannel('x');\
                 peer.createOffer().then((offer) => peer.setLocalDescription(offer)).then(() => 7)"
            );
            let (mut stdin, mut stdout) =
                (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
            let mut call = |id: u64, session: &str, method: &str, params: Value| {
                let mut message = json!({"id": id, "method": method, "params": params});
                if !session.is_empty() {
                    message["sessionId"] = session.into();
                }
                write!(stdin, "{message}\0").unwrap();
                loop {
                    let mut answer = Vec::new();
                    stdout.read_until(0, &mut answer).unwrap();
                    let answer: Value = serde_json::from_slice(answer.strip_suffix(&[0]).unwrap()).unwrap();
                    if answer["id"] == id {
                        return answer["result"].clone();
                    }
                }
            };
            let page = call(1, "", "Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
            let session = call(2, "", "Target.attachToTarget", json!({"targetId": page, "flatten": true}));
            let session = session["sessionId"].as_str().unwrap();
            let run = json!({"expression": script, "awaitPromise": true});
            assert_eq!(call(3, session, "Runtime.evaluate", run)["result"]["value"], 7);
            assert_eq!(socket.recv(&mut [0; 64]).is_ok(), heard, "sealed: {sealed}");
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
