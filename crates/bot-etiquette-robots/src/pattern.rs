//! Matching of `*` and `$` without backtracking (RFC 9309, section 2.2.3).
//!
//! Between two stars stands a literal segment. Taking each segment at its first place after the one before is
//! always right, and the last segment of an anchored pattern is compared with the end: one pass over the
//! target and one over the pattern, whatever they hold.

use memchr::{memchr, memmem};

/// Octets looked at so far: what a bound on the work is stated in.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Steps(pub(crate) u64);

impl Steps {
    #[inline]
    pub(crate) fn add(&mut self, octets: usize) {
        self.0 = self.0.saturating_add(octets as u64);
    }
}

/// The part of a canonical pattern before its first `*`, and the part from there on.
#[inline]
pub(crate) fn split(pattern: &[u8]) -> (&[u8], &[u8]) {
    let at = memchr(b'*', pattern).unwrap_or(pattern.len());
    pattern.split_at_checked(at).unwrap_or((pattern, &[]))
}

/// Whether `tail`, which is empty or begins with a star, matches `text`; `anchored` when a final `$` was cut off.
pub(crate) fn tail_matches(tail: &[u8], anchored: bool, text: &[u8], steps: &mut Steps) -> bool {
    if tail.is_empty() {
        return !anchored || text.is_empty();
    }
    let mut tail = tail;
    let mut text = text;
    loop {
        let stars = tail.iter().position(|&byte| byte != b'*').unwrap_or(tail.len());
        let segments = tail.get(stars..).unwrap_or_default();
        if segments.is_empty() {
            steps.add(stars);
            return true;
        }
        let (segment, after) = split(segments);
        steps.add(stars.saturating_add(segment.len()));
        if anchored && after.is_empty() {
            return text.ends_with(segment);
        }
        let Some(at) = find(segment, text) else {
            steps.add(text.len());
            return false;
        };
        let end = at.saturating_add(segment.len());
        steps.add(end);
        text = text.get(end..).unwrap_or_default();
        tail = after;
        if tail.is_empty() {
            return true;
        }
    }
}

fn find(segment: &[u8], text: &[u8]) -> Option<usize> {
    match segment {
        [byte] => memchr(*byte, text),
        _ => memmem::find(text, segment),
    }
}

/// Every run of one, two or three octets of a target, to turn away patterns that hold another one.
pub(crate) struct Grams([u64; 512]);

impl Grams {
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut set = Self([0; 512]);
        for byte in text {
            set.insert(&[*byte]);
        }
        for pair in text.windows(2) {
            set.insert(pair);
        }
        for triple in text.windows(3) {
            set.insert(triple);
        }
        set
    }

    /// False when a segment of `tail` cannot be in the text.
    pub(crate) fn may_hold(&self, tail: &[u8], steps: &mut Steps) -> bool {
        let mut rest = tail;
        while let Some((first, after)) = rest.split_first() {
            if *first == b'*' {
                rest = after;
                continue;
            }
            let (segment, after) = split(rest);
            let width = segment.len().min(3);
            for gram in segment.windows(width) {
                steps.add(1);
                if !self.contains(gram) {
                    return false;
                }
            }
            rest = after;
        }
        true
    }

    fn insert(&mut self, gram: &[u8]) {
        let (word, bit) = Self::place(gram);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn contains(&self, gram: &[u8]) -> bool {
        let (word, bit) = Self::place(gram);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    fn place(gram: &[u8]) -> (usize, u64) {
        let mut key: u32 = 0;
        for &byte in gram {
            key = (key << 8) | u32::from(byte);
        }
        let hash = key.wrapping_mul(0x9e37_79b1) >> 17;
        ((hash >> 6) as usize, 1 << (hash & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &[u8], text: &[u8]) -> bool {
        let (body, anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |body| (body, true));
        let (literal, tail) = split(body);
        text.strip_prefix(literal)
            .is_some_and(|text| tail_matches(tail, anchored, text, &mut Steps::default()))
    }

    /// The set of positions a pattern can reach, one octet at a time.
    fn slow(pattern: &[u8], text: &[u8]) -> bool {
        let (body, anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |body| (body, true));
        let mut reached = vec![false; text.len() + 1];
        reached[0] = true;
        for &byte in body {
            let mut next = vec![false; text.len() + 1];
            for at in 0..=text.len() {
                if byte == b'*' {
                    next[at] = reached[..=at].contains(&true);
                } else if at > 0 {
                    next[at] = reached[at - 1] && text[at - 1] == byte;
                }
            }
            reached = next;
        }
        if anchored { reached[text.len()] } else { reached.contains(&true) }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn segments_agree_with_the_set_of_positions(pattern in "/?[ab*]{0,8}[$]?", text in "/?[ab]{0,10}") {
            prop_assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), slow(pattern.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn the_filter_never_turns_away_a_match(tail in "[*][abc*]{0,10}", text in "[abc]{0,12}") {
            let mut steps = Steps::default();
            if tail_matches(tail.as_bytes(), false, text.as_bytes(), &mut steps) {
                prop_assert!(Grams::of(text.as_bytes()).may_hold(tail.as_bytes(), &mut steps));
            }
        }
    }

    #[test]
    fn the_filter_turns_away_nearly_all_that_is_not_in_the_text() {
        let set = Grams::of(b"/catalogue/item-00007/large.html");
        let held = |tail: &str| set.may_hold(tail.as_bytes(), &mut Steps::default());
        assert!(held("*item*large") && held("*/*e*m"));
        for tail in ["*z", "*item*z", "*meti", "*large*ite0"] {
            assert!(!held(tail), "{tail}");
        }
        let letters = || b'a'..=b'z';
        let pairs = letters().flat_map(|one| letters().map(move |two| [one, two]));
        let strange = pairs.flat_map(|[one, two]| letters().map(move |three| [one, two, three]));
        let taken = strange.filter(|gram| set.contains(gram)).count();
        assert!(taken < 26 * 26 * 26 / 50, "{taken} of {} triples", 26 * 26 * 26);
    }
}
