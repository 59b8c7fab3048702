//! How keys are spelt, rightly and wrongly.

use crate::Key;

/// The right spelling of each key, and the wrong ones that count too.
pub(crate) const SPELLINGS: [(Key, &str, &[&str]); 5] = [
    (Key::UserAgent, "user-agent", &["useragent", "user agent"]),
    (Key::Allow, "allow", &[]),
    (Key::Disallow, "disallow", &["dissallow", "dissalow", "disalow", "diasllow", "disallaw"]),
    (Key::Sitemap, "sitemap", &["site-map"]),
    (Key::CrawlDelay, "crawl-delay", &["crawldelay", "crawl delay"]),
];

pub(crate) fn identify(name: &[u8]) -> Key {
    let is = |spelling: &str| name.eq_ignore_ascii_case(spelling.as_bytes());
    SPELLINGS
        .iter()
        .find(|(_, right, wrong)| is(right) || wrong.iter().any(|wrong| is(wrong)))
        .map_or(Key::Other, |&(key, ..)| key)
}

/// The known key that `name` probably means: one that it begins with, or one or two slips away.
pub(crate) fn nearest_key(name: &[u8]) -> Option<&'static str> {
    if name.len() > 16 {
        return None;
    }
    let name: Vec<u8> =
        name.to_ascii_lowercase().into_iter().filter(|byte| !matches!(byte, b'_' | b' ')).collect();
    SPELLINGS.iter().map(|&(_, right, _)| right).find(|right| {
        let bare: Vec<u8> = right.bytes().filter(|&byte| byte != b'-').collect();
        let slips = if bare.len() > 6 { 2 } else { 1 };
        name.starts_with(right.as_bytes())
            || name.starts_with(&bare)
            || distance(&name, right.as_bytes()) <= slips
    })
}

/// Insertions, deletions and replacements between two short words.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, &byte) in one.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, &against) in row.iter_mut().skip(1).zip(other) {
            let replaced = diagonal.saturating_add(usize::from(byte != against));
            diagonal = *cell;
            left = replaced.min(left.saturating_add(1)).min(cell.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
