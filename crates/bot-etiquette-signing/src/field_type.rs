//! Which structured type a field has (RFC 9421 2.1.1 needs to know it for `sf`).

/// The three types of structured fields (RFC 9651 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// One item.
    Item,
    /// A list.
    List,
    /// A dictionary.
    Dictionary,
}

use FieldType::{Dictionary, Item, List};

/// The structured type of a field by its registration, or none.
pub(crate) fn registered(name: &str) -> Option<FieldType> {
    REGISTERED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// From the IANA registry of field names, and the drafts of Web Bot Auth. `example-*` are the fields with
/// which RFC 9421 and RFC 9651 show the types.
const REGISTERED: &[(&str, FieldType)] = &[
    ("accept-ch", List),
    ("accept-query", List),
    ("accept-signature", Dictionary),
    ("available-dictionary", Item),
    ("cache-group-invalidation", List),
    ("cache-groups", List),
    ("cache-status", List),
    ("capsule-protocol", Item),
    ("cdn-cache-control", Dictionary),
    ("client-cert", Item),
    ("client-cert-chain", List),
    ("content-digest", Dictionary),
    ("content-usage", Dictionary),
    ("cross-origin-embedder-policy", Item),
    ("cross-origin-embedder-policy-report-only", Item),
    ("cross-origin-opener-policy", Item),
    ("cross-origin-opener-policy-report-only", Item),
    ("deprecation", Item),
    ("dictionary-id", Item),
    ("example-boolean", Item),
    ("example-dict", Dictionary),
    ("example-integer", Item),
    ("example-list", List),
    ("example-string", Item),
    ("incremental", Item),
    ("integrity-policy", Dictionary),
    ("integrity-policy-report-only", Dictionary),
    ("origin-agent-cluster", Item),
    ("permissions-policy", Dictionary),
    ("priority", Dictionary),
    ("proxy-status", List),
    ("ratelimit", List),
    ("ratelimit-policy", List),
    ("reporting-endpoints", Dictionary),
    ("repr-digest", Dictionary),
    ("sec-ch-ua", List),
    ("sec-ch-ua-mobile", Item),
    ("sec-ch-ua-platform", Item),
    ("signature", Dictionary),
    ("signature-input", Dictionary),
    ("unencoded-digest", Dictionary),
    ("use-as-dictionary", Dictionary),
    ("want-content-digest", Dictionary),
    ("want-repr-digest", Dictionary),
    ("want-unencoded-digest", Dictionary),
];
