//! What a pattern is made of, with nothing left of how it was written.

use regex_syntax::hir::{self, ClassUnicode, ClassUnicodeRange, Hir};

/// A pattern, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// One character.
    Class(Class),
    /// One after the other; the empty text if there are none.
    Sequence(Vec<Tree>),
    /// One of these; there is at least one.
    Choice(Vec<Tree>),
    /// The same part several times.
    Repeat {
        /// The part.
        part: Box<Tree>,
        /// How often at least.
        least: u32,
        /// How often at most, if there is an end to it.
        most: Option<u32>,
    },
}

/// A set of characters that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class(pub(super) ClassUnicode);

impl Class {
    /// The characters of these ranges, both ends included.
    #[must_use]
    pub fn of(ranges: &[(char, char)]) -> Self {
        let range = |&(first, last): &(char, char)| ClassUnicodeRange::new(first, last);
        Self(ClassUnicode::new(ranges.iter().map(range)))
    }

    /// Its ranges in order, both ends included.
    pub fn ranges(&self) -> impl Iterator<Item = (char, char)> {
        self.0.iter().map(|range| (range.start(), range.end()))
    }
}

impl Tree {
    /// The tree of one text.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self::Sequence(text.chars().map(|c| Self::Class(Class::of(&[(c, c)]))).collect())
    }

    /// How many states matching needs, more or less: its parts, repetitions written out.
    #[must_use]
    pub fn weight(&self) -> usize {
        let sum = |parts: &[Self]| {
            parts.iter().fold(1, |sum: usize, part| sum.saturating_add(part.weight()))
        };
        match self {
            // A range beyond ASCII is several ranges of bytes.
            Self::Class(class) => {
                class.ranges().map(|(_, last)| if last.is_ascii() { 1 } else { 8 }).sum()
            }
            Self::Sequence(parts) | Self::Choice(parts) => sum(parts),
            Self::Repeat { part, least, most } => {
                let times = most.unwrap_or(least.saturating_add(1)).max(1);
                part.weight().saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
            }
        }
    }

    /// How many texts match, or more where several readings match the same text; `None` if there is
    /// no end to them. Too many to count are counted as the most there can be.
    #[must_use]
    pub fn count(&self) -> Option<u128> {
        let counts = |parts: &[Self]| parts.iter().map(Self::count).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::Class(class) => {
                let length = |(first, last): (char, char)| {
                    let all = u128::from(u32::from(last) - u32::from(first)) + 1;
                    // There are no characters between these two.
                    let skips = first < '\u{e000}' && last > '\u{d7ff}';
                    if skips { all - 0x800 } else { all }
                };
                class.ranges().map(length).sum()
            }
            Self::Sequence(parts) => counts(parts)?.into_iter().fold(1, u128::saturating_mul),
            Self::Choice(parts) => counts(parts)?.into_iter().fold(0, u128::saturating_add),
            Self::Repeat { part, least, most } => {
                let one = part.count()?;
                // The empty text repeated is itself.
                let most = if part.is_empty() { *least } else { (*most)? };
                let times = |n: u32| one.checked_pow(n).unwrap_or(u128::MAX);
                (*least..=most).map(times).fold(0, u128::saturating_add)
            }
        })
    }

    /// Whether nothing but the empty text matches.
    fn is_empty(&self) -> bool {
        match self {
            Self::Class(_) => false,
            Self::Sequence(parts) | Self::Choice(parts) => parts.iter().all(Self::is_empty),
            Self::Repeat { part, .. } => part.is_empty(),
        }
    }

    /// The form that automata are built from.
    #[must_use]
    pub fn hir(&self) -> Hir {
        match self {
            Self::Class(class) => Hir::class(hir::Class::Unicode(class.0.clone())),
            Self::Sequence(parts) => Hir::concat(parts.iter().map(Self::hir).collect()),
            Self::Choice(parts) => Hir::alternation(parts.iter().map(Self::hir).collect()),
            Self::Repeat { part, least, most } => Hir::repetition(hir::Repetition {
                min: *least,
                max: *most,
                greedy: true,
                sub: Box::new(part.hir()),
            }),
        }
    }
}
