//! What is read back of a page.

use serde_json::{Value, json};

use crate::{Kind, RenderedLink, cdp::text, rendered::MAX_LINKS};

/// The world in which the crate's own scripts run: the page's scripts cannot reach it.
pub(crate) const WORLD: &str = "bot-etiquette";
/// Notes when an element was last added.
pub(crate) const WATCH: &str = include_str!("watch.js");
/// Lists what the protocol does not.
pub(crate) const REFUSE: &str = include_str!("refuse.js");
/// How long ago an element was added, in milliseconds.
pub(crate) const SINCE_ADDED: &str = "performance.now() - (globalThis.lastAdded ?? 0)";

/// The expression that reads the page.
pub(crate) fn expression(html_limit: usize) -> String {
    format!("{}({html_limit}, {MAX_LINKS})", include_str!("snapshot.js").trim_end())
}

/// What an expression in the world gave.
pub(crate) fn evaluate(context: &Value, expression: &str) -> Value {
    json!({"expression": expression, "contextId": context, "returnByValue": true, "silent": true})
}

/// The page as it was read.
pub(crate) struct Snapshot {
    pub(crate) html: String,
    pub(crate) cut: bool,
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) base: String,
    pub(crate) text: String,
    pub(crate) links: Vec<RenderedLink>,
    pub(crate) more_links: bool,
    /// Where the page hints that connections will be needed.
    pub(crate) hints: Vec<String>,
    /// How many peer connections, and how many dialogs, were refused.
    pub(crate) refused: [(Kind, u64); 2],
}

impl Snapshot {
    /// Reads the result of `Runtime.evaluate`.
    pub(crate) fn read(result: &Value) -> Option<Self> {
        let value = result.get("result")?.get("value")?;
        let string = |key| text(value, key).to_owned();
        let flag = |key| value.get(key).and_then(Value::as_bool).unwrap_or_default();
        let list = |key| value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let count = |key| value.get("refused").and_then(|all| all.get(key)?.as_u64()).unwrap_or_default();
        let link = |link: &Value| RenderedLink {
            url: text(link, "url").to_owned(),
            rel: text(link, "rel").to_owned(),
            text: text(link, "text").to_owned(),
        };
        value.get("html")?;
        Some(Self {
            html: string("html"),
            cut: flag("cut"),
            title: string("title"),
            url: string("url"),
            base: string("base"),
            text: string("text"),
            links: list("links").iter().map(link).collect(),
            more_links: flag("more"),
            hints: list("hints").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            refused: [(Kind::WebRtc, "peer"), (Kind::Dialog, "dialog")].map(|(kind, key)| (kind, count(key))),
        })
    }
}
