//! Finite lattices as tables.
//!
//! A declared lattice ships twice: as its order (`up`: for each level, the levels that its data may
//! flow to) and as its code (`code`: what labels are made of at run time). Level x has the bit of
//! the meet-irreducible level m exactly where x does not flow to m; then `a ⊑ b` is an and-not, and
//! a join is a plain `or`, in every finite lattice, distributive or not. The compiler proves that
//! the two tables agree; [`Lattice::laws`] checks it again whenever a policy is opened.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bits::{BitMatrix, subset};

/// Most levels that one lattice may declare.
pub const MAX_LEVELS: usize = 1024;

/// Index of a level in its lattice, in order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LevelId(pub u16);

impl LevelId {
    /// The index as a table index.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A declared finite lattice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lattice {
    /// Its name in the policy.
    pub name: String,
    /// Of a powerset, the element whose absence and presence its two levels are: a powerset is the
    /// product of such lattices, which stand side by side under one name.
    pub element: Option<String>,
    /// Names of its levels, in order of declaration.
    pub levels: Vec<String>,
    /// Bit (a, b): data at a may flow to b. Reflexive and transitive.
    pub up: BitMatrix,
    /// Row a: the code of a, one bit for each meet-irreducible level.
    pub code: BitMatrix,
}

/// A law that a table breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawError {
    /// No levels, or more than [`MAX_LEVELS`].
    Size(usize),
    /// A table is not of the size that the levels call for.
    Shape,
    /// The order lacks `a ⊑ a`.
    NotReflexive(LevelId),
    /// No level flows to every level.
    NoBottom,
    /// The code and the order disagree on whether the first flows to the second.
    Unfaithful(LevelId, LevelId),
    /// No level's code is the union of these two codes: they have no least upper bound.
    NoJoin(LevelId, LevelId),
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(n) => write!(f, "it has {n} levels; 1 to {MAX_LEVELS} are possible"),
            Self::Shape => f.write_str("a table has the wrong size"),
            Self::NotReflexive(a) => write!(f, "level {} does not flow to itself", a.0),
            Self::NoBottom => f.write_str("no level flows to all levels"),
            Self::Unfaithful(a, b) => {
                write!(f, "order and code disagree on whether level {} flows to level {}", a.0, b.0)
            }
            Self::NoJoin(a, b) => write!(f, "levels {} and {} have no join", a.0, b.0),
        }
    }
}

impl std::error::Error for LawError {}

impl Lattice {
    /// The tables of an order. `up` is reflexive, transitive and antisymmetric; whether it is a
    /// lattice is for a proof to say.
    #[must_use]
    pub fn new(name: String, levels: Vec<String>, up: BitMatrix) -> Self {
        let n = levels.len();
        let irreducible: Vec<usize> = (0..n).filter(|&m| is_meet_irreducible(&up, n, m)).collect();
        let columns = u32::try_from(irreducible.len()).unwrap_or(u32::MAX);
        let mut code = BitMatrix::zeros(n, columns);
        for level in 0..n {
            for (bit, &m) in irreducible.iter().enumerate() {
                code.set(level, bit, !up.get(level, m));
            }
        }
        Self { name, element: None, levels, up, code }
    }

    /// The level of a powerset's element that is in the set.
    pub const MEMBER: LevelId = LevelId(1);

    /// The levels, in order of declaration.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LevelId> + Clone + use<> {
        (0..u16::try_from(self.levels.len()).unwrap_or(u16::MAX)).map(LevelId)
    }

    /// The name of a level.
    #[must_use]
    pub fn level_name(&self, level: LevelId) -> &str {
        self.levels.get(level.index()).map_or("?", String::as_str)
    }

    /// The level of that name.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<LevelId> {
        self.ids().find(|&id| self.level_name(id) == name)
    }

    /// Whether data at `a` may flow to `b`.
    #[must_use]
    pub fn flows(&self, a: LevelId, b: LevelId) -> bool {
        self.up.get(a.index(), b.index())
    }

    /// The level that flows to all.
    #[must_use]
    pub fn bottom(&self) -> Option<LevelId> {
        self.ids().find(|&a| self.ids().all(|b| self.flows(a, b)))
    }

    /// The level that all flow to.
    #[must_use]
    pub fn top(&self) -> Option<LevelId> {
        self.ids().find(|&b| self.ids().all(|a| self.flows(a, b)))
    }

    /// The minimal upper bounds of a pair: one in a lattice.
    #[must_use]
    pub fn minimal_upper_bounds(&self, a: LevelId, b: LevelId) -> Vec<LevelId> {
        let upper = |c| self.flows(a, c) && self.flows(b, c);
        let all: Vec<LevelId> = self.ids().filter(|&c| upper(c)).collect();
        all.iter().copied().filter(|&c| !all.iter().any(|&d| d != c && self.flows(d, c))).collect()
    }

    /// The maximal lower bounds of a pair: one in a lattice.
    #[must_use]
    pub fn maximal_lower_bounds(&self, a: LevelId, b: LevelId) -> Vec<LevelId> {
        let lower = |c| self.flows(c, a) && self.flows(c, b);
        let all: Vec<LevelId> = self.ids().filter(|&c| lower(c)).collect();
        all.iter().copied().filter(|&c| !all.iter().any(|&d| d != c && self.flows(c, d))).collect()
    }

    /// The least upper bound of a pair; none if the order is no lattice and they have none.
    #[must_use]
    pub fn join(&self, a: LevelId, b: LevelId) -> Option<LevelId> {
        match (self.flows(a, b), self.flows(b, a)) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => self.minimal_upper_bounds(a, b).first().copied(),
        }
    }

    /// The greatest lower bound of a pair; none if the order is no lattice and they have none.
    #[must_use]
    pub fn meet(&self, a: LevelId, b: LevelId) -> Option<LevelId> {
        match (self.flows(a, b), self.flows(b, a)) {
            (true, _) => Some(a),
            (_, true) => Some(b),
            _ => self.maximal_lower_bounds(a, b).first().copied(),
        }
    }

    /// The pairs that the declared order is generated by: no level lies between.
    pub fn covers(&self) -> impl Iterator<Item = (LevelId, LevelId)> {
        let strictly = |a: LevelId, b: LevelId| a != b && self.flows(a, b);
        self.ids().flat_map(move |a| self.ids().map(move |b| (a, b))).filter(move |&(a, b)| {
            strictly(a, b) && !self.ids().any(|c| strictly(a, c) && strictly(c, b))
        })
    }

    /// Checks that the tables describe a bounded lattice and that the code is faithful to the order.
    /// With a bottom and all joins, a finite order has all meets and a top.
    ///
    /// # Errors
    /// The first law that is broken.
    pub fn laws(&self) -> Result<(), LawError> {
        let n = self.levels.len();
        let size = u32::try_from(n).ok().filter(|_| (1..=MAX_LEVELS).contains(&n));
        let size = size.ok_or(LawError::Size(n))?;
        let columns = self.code.columns();
        if !self.up.is_shape(n, size) || columns >= size || !self.code.is_shape(n, columns) {
            return Err(LawError::Shape);
        }
        if let Some(a) = self.ids().find(|&a| !self.flows(a, a)) {
            return Err(LawError::NotReflexive(a));
        }
        self.bottom().ok_or(LawError::NoBottom)?;
        let row = |a: LevelId| self.code.row(a.index());
        let mut codes = BTreeMap::new();
        for a in self.ids() {
            if let Some(b) = codes.insert(row(a), a) {
                return Err(LawError::Unfaithful(a, b));
            }
        }
        let mut joined = row(LevelId(0)).to_vec();
        for a in self.ids() {
            for b in self.ids() {
                if self.flows(a, b) != subset(row(a), row(b)) {
                    return Err(LawError::Unfaithful(a, b));
                }
                joined.clear();
                joined.extend(row(a).iter().zip(row(b)).map(|(a, b)| a | b));
                if !codes.contains_key(joined.as_slice()) {
                    return Err(LawError::NoJoin(a, b));
                }
            }
        }
        Ok(())
    }
}

/// In a lattice: whether exactly one level covers m.
fn is_meet_irreducible(up: &BitMatrix, n: usize, m: usize) -> bool {
    let above: Vec<usize> = (0..n).filter(|&x| x != m && up.get(m, x)).collect();
    let lowest = |&&x: &&usize| above.iter().all(|&y| up.get(x, y));
    above.iter().filter(lowest).count() == 1
}
