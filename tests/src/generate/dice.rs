//! Choices read from a tape, so that a test runner can shrink what was chosen.
//!
//! The tape is all that is random. A zero, and whatever is read behind the end of the tape, is the
//! plainest choice: `false`, the first of a list, the fewest.

/// A reader of a tape.
#[derive(Clone, Debug)]
pub struct Dice<'t> {
    tape: std::slice::Iter<'t, u32>,
}

impl<'t> Dice<'t> {
    /// Reads a tape from its start.
    #[must_use]
    pub fn new(tape: &'t [u32]) -> Self {
        Self { tape: tape.iter() }
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        let next = self.tape.next().map_or(0, |&next| usize::try_from(next).unwrap_or(0));
        next.checked_rem(n).unwrap_or(0)
    }

    /// A number from a range, both ends included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Whether something happens that happens `percent` of the time.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100_usize.saturating_sub(percent)
    }

    /// One of these, the first where it matters least; none of none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Text, out of few.
    pub fn text(&mut self) -> String {
        TEXTS.get(self.below(TEXTS.len())).copied().unwrap_or_default().to_owned()
    }
}

/// The texts that policies, facts, arguments and results are made of. Names of levels are among
/// them, and words that mean something else where no text is declared.
const TEXTS: [&str; 16] = [
    "a",
    "b",
    "me",
    "c",
    "d",
    "you",
    "e",
    "f",
    "12",
    "null",
    "true",
    "",
    "ME",
    "x@Me",
    "http://me/x",
    "https://x@me",
];

/// Numbers that are written by a pseudo-random generator (xorshift64*), for a tape from a seed.
#[must_use]
pub fn tape(seed: u64, length: usize) -> Vec<u32> {
    // Zero would stay zero.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let [.., a, b, c, d] = state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    };
    (0..length).map(|_| next()).collect()
}
