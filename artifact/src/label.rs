//! Labels at run time: one level of every lattice. Levels of closed lattices are one row of bits,
//! those of open ones are sets of names behind it.

use std::fmt;

use smallvec::SmallVec;

use crate::bits::subset;
use crate::lattice::{Lattice, LevelId};
use crate::sets::{NameSet, SetLattice, SetLevel};

/// A label: the codes of its levels, one after the other. Labels of one [`LabelSpace`] have equal
/// width; a label means nothing outside its space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    bits: SmallVec<[u64; 2]>,
    sets: SmallVec<[SetLevel; 1]>,
}

impl Label {
    /// Whether data at this label may flow to `other` (a ⊑ b).
    #[must_use]
    #[inline]
    pub fn flows_to(&self, other: &Self) -> bool {
        self.bits.len() == other.bits.len()
            && self.sets.len() == other.sets.len()
            && subset(&self.bits, &other.bits)
            && self.sets.iter().zip(&other.sets).all(|(a, b)| a.flows_to(b))
    }

    /// Raises this label to its join with `other` (a ⊔ b).
    #[inline]
    pub fn join_with(&mut self, other: &Self) {
        for (a, b) in self.bits.iter_mut().zip(&other.bits) {
            *a |= b;
        }
        for (a, b) in self.sets.iter_mut().zip(&other.sets) {
            a.join_with(b);
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

    /// The level of the open lattice at an index.
    #[must_use]
    pub fn set(&self, open: usize) -> Option<&SetLevel> {
        self.sets.get(open)
    }

    /// This label with the level of one open lattice set to another.
    #[must_use]
    pub fn with_set(mut self, open: usize, level: SetLevel) -> Self {
        if let Some(place) = self.sets.get_mut(open) {
            *place = level;
        }
        self
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
    /// The space of labels over these lattices, which obey their laws ([`Lattice::laws`]), and these
    /// open ones.
    #[must_use]
    pub fn new(lattices: &[Lattice], open: &[SetLattice]) -> Self {
        let bits: usize = lattices.iter().map(|l| l.code.columns() as usize).sum();
        let end = |end: fn(&SetLattice) -> NameSet| open.iter().map(|l| l.level(end(l))).collect();
        let bits = SmallVec::from_elem(0, bits.div_ceil(64));
        let zero = Label { bits, sets: end(SetLattice::bottom) };
        let place = |offset: usize, count: u32, bit: &dyn Fn(usize) -> bool| {
            let mut label = zero.clone();
            for i in (0..count as usize).filter(|&i| bit(i)) {
                if let Some(word) = label.bits.get_mut((offset + i) / 64) {
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
        top.sets = end(SetLattice::top);
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
                let there = label.bits.iter().zip(&mask.bits).map(|(w, m)| w & m);
                w.bits.iter().zip(&mask.bits).map(|(w, m)| w & m).eq(there)
            };
            let index = parts.iter().position(masked)?;
            u16::try_from(index).ok().map(LevelId)
        };
        if label.bits.len() != self.bottom.bits.len() {
            return None;
        }
        self.parts.iter().zip(&self.masks).map(level).collect()
    }

    /// The greatest label that flows to both. `None` for labels of another space.
    #[must_use]
    pub fn meet(&self, lattices: &[Lattice], a: &Label, b: &Label) -> Option<Label> {
        let mut met = self.bottom.clone();
        let levels = self.levels(a)?.into_iter().zip(self.levels(b)?);
        for (index, (lattice, (a, b))) in lattices.iter().zip(levels).enumerate() {
            met.join_with(self.part(index, lattice.meet(a, b)?)?);
        }
        for (index, (a, b)) in a.sets.iter().zip(&b.sets).enumerate() {
            met = met.with_set(index, a.meet(b));
        }
        Some(met)
    }

    /// A label in the policy's words, such as `{trusted, readers {"ann@example.org"}}`.
    #[must_use]
    pub fn show<'a>(
        &'a self,
        lattices: &'a [Lattice],
        open: &'a [SetLattice],
        label: &'a Label,
    ) -> impl fmt::Display + 'a {
        Shown { space: self, lattices, open, label }
    }
}

struct Shown<'a> {
    space: &'a LabelSpace,
    lattices: &'a [Lattice],
    open: &'a [SetLattice],
    label: &'a Label,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = self.space.levels(self.label).unwrap_or_default();
        let closed =
            self.lattices.iter().zip(levels).map(|(lattice, level)| (lattice, Some(level)));
        let mut parts = closed_parts(closed);
        for (lattice, level) in self.open.iter().zip(&self.label.sets) {
            let names = match level.names() {
                NameSet::All => None,
                NameSet::Listed(names) => Some(names.iter().map(|name| format!("{name:?}"))),
            };
            parts.push(open_part(self.open, lattice, names.map(Iterator::collect)));
        }
        write!(f, "{{{}}}", parts.join(", "))
    }
}

/// The levels of closed lattices in the policy's words; the elements of a powerset together. A
/// level that is no constant has been put into words by the caller, and is `None` here.
pub(crate) fn closed_parts<'a>(
    levels: impl Iterator<Item = (&'a Lattice, Option<LevelId>)>,
) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut powerset: Option<(&str, Vec<&str>)> = None;
    let close = |powerset: &mut Option<(&str, Vec<&str>)>, parts: &mut Vec<String>| {
        if let Some((name, elements)) = powerset.take() {
            parts.push(format!("{name} {{{}}}", elements.join(", ")));
        }
    };
    for (lattice, level) in levels {
        let Some(element) = &lattice.element else {
            close(&mut powerset, &mut parts);
            parts.extend(level.map(|level| lattice.level_name(level).to_owned()));
            continue;
        };
        if powerset.as_ref().is_none_or(|(name, _)| *name != lattice.name) {
            close(&mut powerset, &mut parts);
            powerset = Some((&lattice.name, Vec::new()));
        }
        let is_in = level == Some(Lattice::MEMBER);
        if let Some((_, elements)) = powerset.as_mut().filter(|_| is_in) {
            elements.push(element);
        }
    }
    close(&mut powerset, &mut parts);
    parts
}

/// A set of an open lattice in the policy's words: of these names, or of all if there are none.
pub(crate) fn open_part(
    open: &[SetLattice],
    lattice: &SetLattice,
    names: Option<Vec<String>>,
) -> String {
    let kind = lattice.kind;
    let Some(names) = names else { return kind.all().to_owned() };
    if names.is_empty() {
        return kind.none().to_owned();
    }
    // By what its names are, or by the lattice's name where there are several such.
    let word = match open.iter().filter(|other| other.kind == kind).count() {
        1 => kind.word(),
        _ => &lattice.name,
    };
    format!("{word} {{{}}}", names.join(", "))
}
