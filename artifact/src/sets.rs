//! Open lattices: their levels are sets of names that no policy lists, such as everyone who may
//! read a mail.
//!
//! A level is a sorted set of names, or the set of all names that there are, which no one could
//! list. Inclusion orders them, in one direction or the other; so meets and joins are intersections
//! and unions, and the laws of a bounded lattice hold without a proof for each policy. A name is
//! its text: an interner would be state that sessions share, and that grows with what strangers
//! write.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// A set of names, or all names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameSet {
    /// Every name, those that nobody has thought of included.
    All,
    /// These, in ascending order.
    Listed(Arc<[Arc<str>]>),
}

/// An open lattice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetLattice {
    /// Its name in the policy.
    pub name: String,
    /// What its names are.
    pub kind: SetKind,
    /// Whether its order is turned round.
    pub dual: bool,
}

/// What the names in an open lattice are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SetKind {
    /// Those who may read: data with fewer readers is stricter, and a join keeps the common ones.
    Readers,
    /// Those whom it is from: data of more sources is stricter, and a join has them all.
    Sources,
}

/// A level of an open lattice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetLevel {
    /// Whether a join is the union, so that larger sets are stricter; else it is the intersection.
    joins_by_union: bool,
    names: NameSet,
}

impl NameSet {
    /// The set of no names.
    #[must_use]
    pub fn none() -> Self {
        Self::Listed(Arc::from([]))
    }

    /// The names that a value is or holds: a text is one, a list or set of texts are those, and a
    /// map's are its keys. `None` for any other value.
    #[must_use]
    pub fn of(value: &Value) -> Option<Vec<Arc<str>>> {
        let text = |value: &Value| match value {
            Value::Text(text) => Some(Arc::from(text.as_str())),
            _ => None,
        };
        match value {
            Value::Text(_) => Some(vec![text(value)?]),
            Value::List(items) => items.iter().map(text).collect(),
            Value::Set(items) => items.iter().map(text).collect(),
            Value::Record(entries) => Some(entries.keys().map(|key| key.as_str().into()).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// Whether every name in the other set is in this one.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Listed(_), Self::All) => false,
            (Self::Listed(these), Self::Listed(others)) => {
                Arc::ptr_eq(these, others)
                    || others.iter().all(|name| these.binary_search(name).is_ok())
            }
        }
    }

    fn union(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Listed(these), Self::Listed(others)) => {
                these.iter().chain(others.iter()).cloned().collect()
            }
            _ => Self::All,
        }
    }

    fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, set) | (set, Self::All) => set.clone(),
            (Self::Listed(these), Self::Listed(others)) => {
                let common = these.iter().filter(|name| others.binary_search(name).is_ok());
                common.cloned().collect()
            }
        }
    }
}

impl FromIterator<Arc<str>> for NameSet {
    fn from_iter<I: IntoIterator<Item = Arc<str>>>(names: I) -> Self {
        let mut names: Vec<Arc<str>> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        Self::Listed(names.into())
    }
}

impl SetLattice {
    /// Whether a join is the union, so that more names are stricter; else it is the intersection.
    #[must_use]
    pub fn joins_by_union(&self) -> bool {
        (self.kind == SetKind::Sources) != self.dual
    }

    /// The level that is this set.
    #[must_use]
    pub fn level(&self, names: NameSet) -> SetLevel {
        SetLevel { joins_by_union: self.joins_by_union(), names }
    }

    /// The set whose data may flow anywhere: `anyone` for readers, none for sources.
    #[must_use]
    pub fn bottom(&self) -> NameSet {
        if self.joins_by_union() { NameSet::none() } else { NameSet::All }
    }

    /// The set to which all data may flow: `nobody` for readers, `any` for sources.
    #[must_use]
    pub fn top(&self) -> NameSet {
        if self.joins_by_union() { NameSet::All } else { NameSet::none() }
    }
}

impl SetKind {
    /// The word for it in policies.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Readers => "readers",
            Self::Sources => "sources",
        }
    }

    /// The word for the set of all names.
    #[must_use]
    pub fn all(self) -> &'static str {
        match self {
            Self::Readers => "anyone",
            Self::Sources => "any",
        }
    }

    /// The word for the set of no names.
    #[must_use]
    pub fn none(self) -> &'static str {
        match self {
            Self::Readers => "nobody",
            Self::Sources => "none",
        }
    }
}

impl SetLevel {
    /// Whether data at this level may flow to the other; false between lattices of opposite order.
    #[must_use]
    pub fn flows_to(&self, other: &Self) -> bool {
        let (low, high) = match self.joins_by_union {
            true => (&self.names, &other.names),
            false => (&other.names, &self.names),
        };
        self.joins_by_union == other.joins_by_union && high.includes(low)
    }

    /// Raises this level to its join with the other.
    pub fn join_with(&mut self, other: &Self) {
        if !other.flows_to(self) {
            self.names = match self.joins_by_union {
                true => self.names.union(&other.names),
                false => self.names.intersection(&other.names),
            };
        }
    }

    /// The greatest level that flows to both.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let names = match self.joins_by_union {
            true => self.names.intersection(&other.names),
            false => self.names.union(&other.names),
        };
        Self { joins_by_union: self.joins_by_union, names }
    }

    /// The set.
    #[must_use]
    pub fn names(&self) -> &NameSet {
        &self.names
    }
}

impl fmt::Display for SetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
