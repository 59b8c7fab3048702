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
    use super::*;

    #[test]
    fn the_sandbox_is_off_only_where_that_was_chosen() {
        let with = |sandbox| flags(Path::new("/tmp/p"), sandbox);
        assert!(!with(Sandbox::Required).contains(&"--no-sandbox".into()));
        assert!(with(Sandbox::Off).contains(&"--no-sandbox".into()));
        assert!(with(Sandbox::Off).contains(&"--user-data-dir=/tmp/p".into()));
    }
}
