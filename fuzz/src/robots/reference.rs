//! A slow and simple reading of RFC 9309, sections 2.2.1 to 2.2.3: every rule is compared with every octet.

use bot_etiquette_robots::{Key, records};

/// Whether the crawler with this lower-case token may fetch the target.
pub(super) fn is_allowed(text: &[u8], token: &[u8], target: &[u8]) -> bool {
    if target == b"/robots.txt" {
        return true;
    }
    let target = escaped(target, false);
    let groups = groups(text);
    let own: Vec<&Group> =
        groups.iter().filter(|group| group.agents.iter().any(|value| names(value, token))).collect();
    let followed = if own.is_empty() {
        groups.iter().filter(|group| group.agents.iter().any(|value| is_star(value))).collect()
    } else {
        own
    };
    // The longest pattern decides, and of equal ones an allow.
    followed
        .iter()
        .flat_map(|group| &group.rules)
        .map(|(allow, pattern)| (*allow, escaped(pattern, true)))
        .filter(|(_, pattern)| matches(pattern, &target))
        .map(|(allow, pattern)| (pattern.len(), allow))
        .max()
        .is_none_or(|(_, allow)| allow)
}

#[derive(Default)]
struct Group {
    agents: Vec<Vec<u8>>,
    rules: Vec<(bool, Vec<u8>)>,
}

fn groups(text: &[u8]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut after_rule = true;
    for record in records(text) {
        match record.key {
            Key::UserAgent => {
                if after_rule {
                    groups.push(Group::default());
                }
                after_rule = false;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(record.value.to_vec());
                }
            }
            Key::Allow | Key::Disallow => {
                after_rule = true;
                if let (Some(group), Some(b'/' | b'*')) = (groups.last_mut(), record.value.first()) {
                    group.rules.push((record.key == Key::Allow, record.value.to_vec()));
                }
            }
            _ => {}
        }
    }
    groups
}

/// An agent value names a token by the letters, `-` and `_` it begins with.
fn names(value: &[u8], token: &[u8]) -> bool {
    let end = value.iter().position(|byte| !(byte.is_ascii_alphabetic() || b"-_".contains(byte)));
    value[..end.unwrap_or(value.len())].eq_ignore_ascii_case(token)
}

fn is_star(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && value.get(1).is_none_or(|next| matches!(next, b' ' | b'\t' | 0x0b | 0x0c))
}

/// The text with what a URL cannot hold as escapes; in a pattern `*` and a final `$` stay, in a target none.
fn escaped(text: &[u8], is_pattern: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        let raw = match byte {
            b'*' => is_pattern,
            b'$' => is_pattern && at + 1 == text.len(),
            0x21..=0x7e => !b"\"<>\\^`{|}".contains(&byte),
            _ => false,
        };
        if raw {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    out
}

/// Which places of the target each octet of the pattern can end at, one after the other.
fn matches(pattern: &[u8], target: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let mut ends = vec![false; target.len() + 1];
    ends[0] = true;
    for &byte in pattern {
        if byte == b'*' {
            for at in 1..ends.len() {
                ends[at] |= ends[at - 1];
            }
        } else {
            for at in (1..ends.len()).rev() {
                ends[at] = ends[at - 1] && target[at - 1] == byte;
            }
            ends[0] = false;
        }
    }
    if anchored { ends[target.len()] } else { ends.contains(&true) }
}
