//! A vector that grows in blocks: nothing in it moves once its block is full, and no great room is held in reserve.

/// Places of one block.
const BLOCK: usize = 1 << SHIFT;
const SHIFT: u32 = 14;

/// Values by place, from 0 on; at most as many as a `u32` counts.
#[derive(Debug)]
pub(crate) struct Blocks<T>(Vec<Vec<T>>);

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Blocks<T> {
    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.0.get((place >> SHIFT) as usize)?.get(place as usize % BLOCK)
    }

    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.0.get_mut((place >> SHIFT) as usize)?.get_mut(place as usize % BLOCK)
    }

    /// Adds a value at the end, and returns its place; `None` when places have run out.
    pub(crate) fn push(&mut self, value: T) -> Option<u32> {
        let full = self.0.len().saturating_sub(1);
        let in_last = self.0.last().map_or(BLOCK, Vec::len);
        if in_last < BLOCK {
            let place = u32::try_from(full * BLOCK + in_last).ok()?;
            self.0.last_mut()?.push(value);
            return Some(place);
        }
        let place = u32::try_from(self.0.len() * BLOCK).ok()?;
        // The first block grows with a small table, the others are made whole.
        let mut block = Vec::with_capacity(if place == 0 { 0 } else { BLOCK });
        block.push(value);
        self.0.push(block);
        Some(place)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_holds_what_was_put_there() {
        let mut blocks = Blocks::default();
        let count = 2 * BLOCK as u32 + 1;
        for place in 0..count {
            assert_eq!(blocks.get(place), None);
            assert_eq!(blocks.push(place), Some(place));
        }
        for place in 0..count {
            assert_eq!(blocks.get(place).copied(), Some(place));
            assert_eq!(blocks.get_mut(place).copied(), Some(place));
        }
        assert!(blocks.iter().copied().eq(0..count));
        assert!(blocks.iter_mut().map(|value| *value).eq(0..count));
        assert_eq!(blocks.0.iter().map(Vec::capacity).max(), Some(BLOCK), "full blocks have no slack");
    }
}
