//! Labels at run time: one level of every lattice, as one row of bits.

use std::fmt;

use smallvec::SmallVec;

use crate::bits::subset;
use crate::lattice::{Lattice, LevelId};

/// A label: the codes of its levels, one after the other. Labels of one [`LabelSpace`] have equal
/// width; a label means nothing outside its space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(SmallVec<[u64; 2]>);

impl Label {
    /// Whether data at this label may flow to `other` (a ⊑ b).
    #[must_use]
    #[inline]
    pub fn flows_to(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && subset(&self.0, &other.0)
    }

    /// Raises this label to its join with `other` (a ⊔ b).
    #[inline]
    pub fn join_with(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    /// The join of two labels.
    #[must_use]
    #[inline]
    pub fn join(&self, other: &Self) -> Self {
        let mut joined = self.clone();
        joined.join_with(other);
        joined
    }
}

/// The product of a policy's lattices: what makes labels, and names them again.
#[derive(Clone, Debug)]
pub struct LabelSpace {
    bottom: Label,
    top: Label,
    /// For each lattice and level: its code at its place in a label.
    parts: Vec<Vec<Label>>,
    /// For each lattice: the bits that are its place.
    masks: Vec<Label>,
}

impl LabelSpace {
    /// The space of labels over these lattices, which obey their laws ([`Lattice::laws`]).
    #[must_use]
    pub fn new(lattices: &[Lattice]) -> Self {
        let bits: usize = lattices.iter().map(|l| l.code.columns() as usize).sum();
        let zero = Label(SmallVec::from_elem(0, bits.div_ceil(64)));
        let place = |offset: usize, count: u32, bit: &dyn Fn(usize) -> bool| {
            let mut label = zero.clone();
            for i in (0..count as usize).filter(|&i| bit(i)) {
                if let Some(word) = label.0.get_mut((offset + i) / 64) {
                    *word |= 1 << ((offset + i) % 64);
                }
            }
            label
        };
        let mut offset = 0;
        let (mut parts, mut masks, mut top) = (Vec::new(), Vec::new(), zero.clone());
        for lattice in lattices {
            let count = lattice.code.columns();
            let level = |l: LevelId| place(offset, count, &|i| lattice.code.get(l.index(), i));
            let levels: Vec<Label> = lattice.ids().map(level).collect();
            for level in &levels {
                top.join_with(level);
            }
            parts.push(levels);
            masks.push(place(offset, count, &|_| true));
            offset += count as usize;
        }
        Self { bottom: zero, top, parts, masks }
    }

    /// The label that flows to every label.
    #[must_use]
    pub fn bottom(&self) -> &Label {
        &self.bottom
    }

    /// The label that every label flows to.
    #[must_use]
    pub fn top(&self) -> &Label {
        &self.top
    }

    /// The code of one level of one lattice, at its place, if there is such a level.
    #[must_use]
    pub fn part(&self, lattice: usize, level: LevelId) -> Option<&Label> {
        self.parts.get(lattice)?.get(level.index())
    }

    /// The bits in which the labels of one lattice's levels can differ.
    #[must_use]
    pub fn mask(&self, lattice: usize) -> Option<&Label> {
        self.masks.get(lattice)
    }

    /// The levels of a label, one for each lattice in order. `None` for a label of another space.
    #[must_use]
    pub fn levels(&self, label: &Label) -> Option<Vec<LevelId>> {
        let level = |(parts, mask): (&Vec<Label>, &Label)| {
            let masked = |w: &Label| {
                w.0.iter().zip(&mask.0).map(|(w, m)| w & m).eq(label
                    .0
                    .iter()
                    .zip(&mask.0)
                    .map(|(w, m)| w & m))
            };
            let index = parts.iter().position(masked)?;
            u16::try_from(index).ok().map(LevelId)
        };
        if label.0.len() != self.bottom.0.len() {
            return None;
        }
        self.parts.iter().zip(&self.masks).map(level).collect()
    }

    /// A label in the policy's words, such as `{trusted, private}`.
    #[must_use]
    pub fn show<'a>(&'a self, lattices: &'a [Lattice], label: &'a Label) -> impl fmt::Display + 'a {
        Shown { space: self, lattices, label }
    }
}

struct Shown<'a> {
    space: &'a LabelSpace,
    lattices: &'a [Lattice],
    label: &'a Label,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = self.space.levels(self.label).unwrap_or_default();
        f.write_str("{")?;
        for (i, (lattice, level)) in self.lattices.iter().zip(levels).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", lattice.level_name(level))?;
        }
        f.write_str("}")
    }
}
