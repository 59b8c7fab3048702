//! The last bytes of a name as one number: most names differ in it, which spares a look at their letters.

/// The last eight bytes of a name; a shorter name is filled up with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail(u64);

impl Tail {
    #[inline]
    pub(crate) fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        if let Some(last) = bytes.last_chunk() {
            return Self(u64::from_be_bytes(*last));
        }
        Self(match (bytes.first_chunk(), bytes.last_chunk()) {
            // The two overlap, and agree where they do.
            (Some(first), Some(last)) => {
                let [first, last] = [first, last].map(|four| u64::from(u32::from_be_bytes(*four)));
                first << (bytes.len().saturating_sub(4) * 8) | last
            }
            _ => bytes.iter().fold(0, |tail, byte| tail << 8 | u64::from(*byte)),
        })
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }

    fn list(self) -> usize {
        let [.., last] = self.0.to_be_bytes();
        usize::from(last) % LISTS
    }
}

/// What a name must end with, whatever its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    tail: u64,
    mask: u64,
}

impl Ending {
    /// The end of the names that end with `local`; every name ends with an empty one.
    pub(crate) fn of(local: &str) -> Self {
        let mask = local.bytes().take(8).fold(0, |mask, _| mask << 8 | 0xFF);
        Self { tail: Tail::of(local).0, mask }
    }

    #[inline]
    pub(crate) fn fits(self, tail: Tail) -> bool {
        (self.tail ^ tail.0) & self.mask == 0
    }
}

/// Endings, each with the place of its name, in lists by the last bits of the last letter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Endings([Vec<(Ending, usize)>; LISTS]);

/// A letter of either case has a list of its own.
const LISTS: usize = 32;

impl Endings {
    pub(crate) fn add(&mut self, ending: Ending, place: usize) {
        for (list, endings) in self.0.iter_mut().enumerate() {
            if ending.mask == 0 || Tail(ending.tail).list() == list {
                endings.push((ending, place));
            }
        }
    }

    /// The places of the names that end as `tail` does, in the order in which they were added.
    pub(crate) fn fitting(&self, tail: Tail) -> impl Iterator<Item = usize> {
        let endings = self.0.get(tail.list()).map_or(&[][..], Vec::as_slice);
        endings.iter().filter(move |(ending, _)| ending.fits(tail)).map(|(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ending, Endings, Tail};

    #[test]
    fn a_name_has_the_ending_of_each_name_it_ends_with() {
        for name in ["", "e", "title", "category", "description", "dc:description", "ñ"] {
            for from in (0..=name.len()).filter(|from| name.is_char_boundary(*from)) {
                assert!(Ending::of(&name[from..]).fits(Tail::of(name)), "{name} {from}");
            }
        }
    }

    #[test]
    fn a_tail_is_the_last_eight_bytes() {
        for name in ["", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi"] {
            let bytes = name.bytes().rev().take(8).collect::<Vec<_>>();
            let number = bytes.iter().rev().fold(0, |tail, byte| tail << 8 | u64::from(*byte));
            assert_eq!(Tail::of(name).number(), number, "{name}");
        }
    }

    #[test]
    fn a_name_finds_each_ending_that_fits_it_and_no_other() {
        let endings = ["title", "", "e", "description", "titlE", "ñ", "date", "startdate", ":", "enddate"];
        let mut all = Endings::default();
        endings.iter().enumerate().for_each(|(place, ending)| all.add(Ending::of(ending), place));
        for name in ["", "title", "e", "ev:startdate", "subtitle", "titlE", "ñ", "description", "x"] {
            let fits = |place: &usize| Ending::of(endings[*place]).fits(Tail::of(name));
            let one_by_one: Vec<usize> = (0..endings.len()).filter(fits).collect();
            assert_eq!(all.fitting(Tail::of(name)).collect::<Vec<_>>(), one_by_one, "{name}");
        }
    }

    #[test]
    fn names_that_end_differently_are_told_apart() {
        for (ending, name) in [("e", ""), ("le", "e"), ("title", "titles"), ("startdate", "ev:enddate")] {
            assert!(!Ending::of(ending).fits(Tail::of(name)), "{ending} {name}");
        }
    }
}
