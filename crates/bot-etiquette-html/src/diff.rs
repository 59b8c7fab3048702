//! What changed between two readings of a page.

use std::collections::{BTreeSet, HashMap};

use crate::Page;

/// Lines of text told as removed or added, each, at the most; all are counted.
pub const MAX_DIFF_LINES: usize = 1_000;

/// What changed between two readings of a page: field by field, then its links, then its text line by line.
///
/// Markup, scripts, comments and tokens that change with each answer are no part of it. A line that only moved is neither
/// removed nor added.
///
/// ```
/// use bot_etiquette_html::{Page, PageDiff};
///
/// let url = url::Url::parse("https://example.com/")?;
/// let before = Page::read(&url, b"<title>Shop</title><p>Open on Monday<p>Tea 2.00");
/// let after = Page::read(&url, b"<title>Shop</title><p>Open on Monday<p nonce=x>Tea 2.50");
/// let diff = PageDiff::between(&before, &after);
/// assert_eq!(diff.to_string(), "- Tea 2.00\n+ Tea 2.50\n");
/// assert!(PageDiff::between(&before, &before).is_empty());
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PageDiff {
    /// The fields whose value changed.
    pub fields: Vec<FieldChange>,
    /// Links that are gone: their kind, URL and whether they were marked `nofollow`, as text.
    pub links_removed: Vec<String>,
    /// Links that are new.
    pub links_added: Vec<String>,
    /// Lines of the visible text that are gone, in their old order.
    pub text_removed: Vec<String>,
    /// Lines that are new, in their new order.
    pub text_added: Vec<String>,
    /// Lines left out of the two lists.
    pub text_beyond: usize,
    /// Whether the same lines stand in another order.
    pub text_moved: bool,
}

/// A field whose value changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FieldChange {
    /// The field, as [`Page`] names it.
    pub field: String,
    /// What it was; several values are joined by ` | `.
    pub before: String,
    /// What it is.
    pub after: String,
}

impl PageDiff {
    /// Compares two readings. Time and memory grow with their length alone.
    #[must_use]
    pub fn between(before: &Page, after: &Page) -> Self {
        let (old, new) = (fields(before), fields(after));
        let changed = old.into_iter().zip(new).filter(|((_, before), (_, after))| before != after);
        let fields = changed
            .map(|((field, before), (_, after))| FieldChange { field: field.to_owned(), before, after })
            .collect();
        let (old, new) = (links(before), links(after));
        let mut diff = Self {
            fields,
            links_removed: old.difference(&new).cloned().collect(),
            links_added: new.difference(&old).cloned().collect(),
            ..Self::default()
        };
        if before.text != after.text {
            diff.lines(&before.text, &after.text);
        }
        diff
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn lines(&mut self, before: &str, after: &str) {
        // How often each line stands in the old text more than in the new.
        let mut surplus: HashMap<&str, i64> = HashMap::new();
        for (text, step) in [(before, 1), (after, -1)] {
            for line in text.lines() {
                let count = surplus.entry(line).or_default();
                *count = count.saturating_add(step);
            }
        }
        for (text, step) in [(before, 1), (after, -1)] {
            for line in text.lines() {
                let Some(count) = surplus.get_mut(line).filter(|count| count.signum() == step) else {
                    continue;
                };
                *count = count.saturating_sub(step);
                let list = if step > 0 { &mut self.text_removed } else { &mut self.text_added };
                if list.len() < MAX_DIFF_LINES {
                    list.push(line.to_owned());
                } else {
                    self.text_beyond = self.text_beyond.saturating_add(1);
                }
            }
        }
        self.text_moved = self.text_removed.is_empty() && self.text_added.is_empty();
    }
}

/// A line for each change, as a person reads it.
impl std::fmt::Display for PageDiff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for FieldChange { field, before, after } in &self.fields {
            writeln!(f, "{field}: {before:?} -> {after:?}")?;
        }
        for (mark, lines) in [
            ("- link ", &self.links_removed),
            ("+ link ", &self.links_added),
            ("- ", &self.text_removed),
            ("+ ", &self.text_added),
        ] {
            for line in lines {
                writeln!(f, "{mark}{line}")?;
            }
        }
        if self.text_beyond > 0 {
            writeln!(f, "and {} lines more", self.text_beyond)?;
        }
        if self.text_moved {
            writeln!(f, "the text stands in another order")?;
        }
        Ok(())
    }
}

fn fields(page: &Page) -> [(&'static str, String); 11] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let all = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(" | ");
    let metas =
        |metas: &[crate::Meta]| all(&mut metas.iter().map(|meta| format!("{}={}", meta.name, meta.content)));
    let types = || {
        let items = page.json_ld.iter().flat_map(|block| &block.items);
        items.flat_map(|item| item.types.iter().cloned()).collect::<BTreeSet<_>>()
    };
    let named = page.canonical.named.iter().map(|named| named.url.to_string());
    let alternates: BTreeSet<_> =
        page.alternates.iter().map(|alternate| format!("{}={}", alternate.hreflang, alternate.url)).collect();
    let refresh = page.refresh.as_ref().map(|refresh| format!("{};{}", refresh.seconds, refresh.url));
    [
        ("title", text(&page.title)),
        ("description", text(&page.description)),
        ("h1", all(&mut page.h1.iter().cloned())),
        ("lang", text(&page.lang)),
        ("robots", metas(&page.robots)),
        ("x_robots_tag", all(&mut page.x_robots_tag.iter().cloned())),
        ("canonical", all(&mut named.collect::<Vec<_>>().into_iter())),
        ("alternates", all(&mut alternates.into_iter())),
        ("refresh", refresh.unwrap_or_default()),
        ("json_ld", all(&mut types().into_iter())),
        ("open_graph", metas(&page.open_graph)),
    ]
}

fn links(page: &Page) -> BTreeSet<String> {
    let link = |link: &crate::Link| {
        let nofollow = if link.nofollow { " nofollow" } else { "" };
        format!("{:?} {}{nofollow}", link.kind, link.url)
    };
    page.links.iter().map(link).collect()
}

/// A 64-bit fingerprint of a text: texts that differ in a few words differ in a few bits.
///
/// Charikar's simhash over runs of three words. Two texts of some length are as good as the same where at most three bits
/// differ ([`u64::count_ones`] of their exclusive or).
///
/// ```
/// use bot_etiquette_html::simhash;
///
/// let text = "the quick brown fox jumps over the lazy dog and runs away into the dark wood at night";
/// assert_eq!(simhash(text), simhash(&text.to_uppercase()));
/// assert!((simhash(text) ^ simhash("something else altogether")).count_ones() > 3);
/// ```
#[must_use]
pub fn simhash(text: &str) -> u64 {
    let mut votes = [0_i64; 64];
    let words: Vec<u64> = text.split_whitespace().map(hash).collect();
    let mut vote = |shingle: &[u64]| {
        let hash = shingle.iter().fold(SEED, |sum, word| mix(sum.rotate_left(21) ^ word));
        for (bit, votes) in votes.iter_mut().enumerate() {
            *votes = votes.saturating_add(if hash >> bit & 1 == 1 { 1 } else { -1 });
        }
    };
    if words.len() < 3 {
        vote(&words);
    }
    words.windows(3).for_each(&mut vote);
    votes.iter().enumerate().filter(|(_, votes)| **votes > 0).fold(0, |hash, (bit, _)| hash | 1 << bit)
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over the word in lower case: stable over releases, which the standard library's hash is not.
fn hash(word: &str) -> u64 {
    let lower = word.chars().flat_map(char::to_lowercase);
    lower.fold(SEED, |hash, c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Spreads each bit over all (the finaliser of `SplitMix64`).
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
