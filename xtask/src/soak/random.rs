//! Random numbers that a seed repeats.

/// A source of numbers: splitmix64, which is enough to choose with.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one, which is not zero.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// One of a list, which is not empty.
    pub(super) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let index = self.below(list.len() as u64);
        &list[usize::try_from(index).unwrap_or(0)]
    }
}
