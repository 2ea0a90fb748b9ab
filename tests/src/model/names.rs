//! Open lattices: sets of names, and what values name.

use std::collections::BTreeSet;

use rtbas_artifact::sets::{SetKind, SetLattice};
use rtbas_artifact::value::Value;

use crate::model::flaw::Flaw;
use crate::monitor::Names;

/// An open lattice. Its order is inclusion, one way or the other.
#[derive(Clone, Debug)]
pub struct Sets {
    name: String,
    kind: SetKind,
    /// Whether data of more names is stricter.
    more_is_stricter: bool,
    flaw: Option<Flaw>,
}

impl Sets {
    /// The sets of an open lattice of a policy.
    #[must_use]
    pub fn new(lattice: &SetLattice, flaw: Option<Flaw>) -> Self {
        let by_kind = match lattice.kind {
            SetKind::Readers => false,
            SetKind::Sources => true,
        };
        let is_turned = lattice.dual && flaw != Some(Flaw::DualForgotten);
        Self {
            name: lattice.name.clone(),
            kind: lattice.kind,
            more_is_stricter: by_kind != is_turned,
            flaw,
        }
    }

    /// Whether data of more names is stricter, so that a join is the union.
    #[must_use]
    pub fn more_is_stricter(&self) -> bool {
        self.more_is_stricter
    }

    /// Whether data of these names may flow to those.
    #[must_use]
    pub fn flows(&self, from: &Names, to: &Names) -> bool {
        match (self.flaw, self.more_is_stricter) {
            (Some(Flaw::SetsDoNotMatter), _) => true,
            (_, true) => is_within(from, to),
            (_, false) => is_within(to, from),
        }
    }

    /// The least set that both flow to.
    #[must_use]
    pub fn join(&self, a: &Names, b: &Names) -> Names {
        match self.more_is_stricter != (self.flaw == Some(Flaw::JoinIsMeet)) {
            true => union(a, b),
            false => intersection(a, b),
        }
    }

    /// The greatest set that flows to both.
    #[must_use]
    pub fn meet(&self, a: &Names, b: &Names) -> Names {
        match self.more_is_stricter {
            true => intersection(a, b),
            false => union(a, b),
        }
    }

    /// The set that all flow to.
    #[must_use]
    pub fn top(&self) -> Names {
        if self.more_is_stricter { Names::All } else { none() }
    }

    /// The set that flows to all.
    #[must_use]
    pub fn bottom(&self) -> Names {
        if self.more_is_stricter { none() } else { Names::All }
    }

    /// A set in the policy's words; `others` are all open lattices of the policy.
    #[must_use]
    pub fn show(&self, names: &Names, others: &[Self]) -> String {
        let (word, all, nobody) = match self.kind {
            SetKind::Readers => ("readers", "anyone", "nobody"),
            SetKind::Sources => ("sources", "any", "none"),
        };
        let is_only = others.iter().filter(|other| other.kind == self.kind).count() == 1;
        let word = if is_only { word } else { &self.name };
        match names {
            Names::All => all.to_owned(),
            Names::Of(names) if names.is_empty() => nobody.to_owned(),
            Names::Of(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
                format!("{word} {{{}}}", names.join(", "))
            }
        }
    }
}

/// The names that a value is or holds, if it is one that names: a text is a name, a list or a set
/// of texts are those, a map is its keys.
#[must_use]
pub fn named(value: &Value, flaw: Option<Flaw>) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let items: Vec<&Value> = match value {
        Value::Text(_) => vec![value],
        Value::List(items) => items.iter().collect(),
        Value::Set(items) => items.iter().collect(),
        Value::Record(_) if flaw == Some(Flaw::MapNamesNothing) => return None,
        Value::Record(fields) => return Some(fields.keys().cloned().collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    for item in items {
        match item {
            Value::Text(name) => drop(names.insert(name.clone())),
            _ if flaw == Some(Flaw::ListNamesItsTexts) => {}
            _ => return None,
        }
    }
    Some(names)
}

fn none() -> Names {
    Names::Of(BTreeSet::new())
}

fn is_within(inner: &Names, outer: &Names) -> bool {
    match (inner, outer) {
        (_, Names::All) => true,
        (Names::All, Names::Of(_)) => false,
        (Names::Of(inner), Names::Of(outer)) => inner.iter().all(|name| outer.contains(name)),
    }
}

fn union(a: &Names, b: &Names) -> Names {
    match (a, b) {
        (Names::Of(a), Names::Of(b)) => Names::Of(a.union(b).cloned().collect()),
        _ => Names::All,
    }
}

fn intersection(a: &Names, b: &Names) -> Names {
    match (a, b) {
        (Names::All, other) | (other, Names::All) => other.clone(),
        (Names::Of(a), Names::Of(b)) => Names::Of(a.intersection(b).cloned().collect()),
    }
}
