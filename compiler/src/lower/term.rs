//! Labels and conditions → entries of tables, the same term always the same entry.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{
    self, Alternative, Comparison, ConditionId, LabelId, LabelPart, LabelRule, LabelTerm, Node,
    SetTerm,
};
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::sets::{NameSet, SetLattice};
use rtbas_artifact::value::Value;

use crate::resolve::hir;
use crate::resolve::table::Table;

/// The tables, and the lattices whose levels they name.
pub(super) struct Terms<'l> {
    lattices: &'l [Lattice],
    open: &'l [SetLattice],
    labels: Table<LabelTerm>,
    conditions: Table<ir::Condition>,
}

impl<'l> Terms<'l> {
    pub(super) fn new(lattices: &'l [Lattice], open: &'l [SetLattice]) -> Self {
        Self { lattices, open, labels: Table::default(), conditions: Table::default() }
    }

    pub(super) fn into_tables(self) -> (Vec<LabelTerm>, Vec<ir::Condition>) {
        (self.labels.into_entries(), self.conditions.into_entries())
    }

    /// A label of data: a lattice that it does not name stands at its top.
    pub(super) fn data(&mut self, label: &hir::Label) -> LabelId {
        self.label(Some(label), top, SetLattice::top)
    }

    /// A bound, or the level of a claim: a lattice that it does not name stands at its bottom.
    pub(super) fn bound(&mut self, label: &hir::Label) -> LabelId {
        self.label(Some(label), bottom, SetLattice::bottom)
    }

    fn label(
        &mut self,
        label: Option<&hir::Label>,
        level: fn(&Lattice) -> LevelId,
        set: fn(&SetLattice) -> NameSet,
    ) -> LabelId {
        let levels = self.lattices.iter().enumerate().map(|(index, lattice)| {
            let named = label.and_then(|label| label.levels.get(index).copied().flatten());
            LabelPart::Level(named.unwrap_or_else(|| level(lattice)))
        });
        let sets = self.open.iter().enumerate().map(|(index, lattice)| {
            let named = label.and_then(|label| label.sets.get(index)?.as_ref());
            named.map_or_else(|| constant(&set(lattice)), |set| set.term.clone())
        });
        let term = LabelTerm { parts: levels.collect(), sets: sets.collect() };
        LabelId(self.labels.intern(term))
    }

    fn top(&mut self) -> LabelId {
        self.label(None, top, SetLattice::top)
    }

    /// A label that conditions choose; top where there is none.
    pub(super) fn rule(&mut self, rule: Option<&hir::LabelRule>) -> LabelRule {
        let Some(rule) = rule else {
            return LabelRule { alternatives: Vec::new(), otherwise: self.top() };
        };
        let alternative = |(label, when): &(hir::Label, hir::Condition)| Alternative {
            when: self.condition(when),
            label: self.data(label),
        };
        let alternatives = rule.alternatives.iter().map(alternative).collect();
        LabelRule { alternatives, otherwise: self.data(&rule.otherwise) }
    }

    pub(super) fn condition(&mut self, condition: &hir::Condition) -> ConditionId {
        let condition = match condition {
            hir::Condition::Context(bound) => ir::Condition::Context(self.bound(bound)),
            hir::Condition::Compare(comparison, left, right) => {
                ir::Condition::Compare(*comparison, left.read.clone(), right.read.clone())
            }
            hir::Condition::In(element, list) => {
                ir::Condition::In(element.read.clone(), list.read.clone())
            }
            hir::Condition::SubsetOf(inner, outer) => {
                ir::Condition::SubsetOf(inner.read.clone(), outer.read.clone())
            }
            hir::Condition::Present(operand) => ir::Condition::Present(operand.read.clone()),
            hir::Condition::Not(inner) => ir::Condition::Not(self.condition(inner)),
            hir::Condition::All(all) => {
                ir::Condition::All(all.iter().map(|part| self.condition(part)).collect())
            }
            hir::Condition::Any(any) => {
                ir::Condition::Any(any.iter().map(|part| self.condition(part)).collect())
            }
            hir::Condition::Stated(operand) => {
                let holds = ir::Operand::Literal(Value::Bool(true));
                ir::Condition::Compare(Comparison::Equal, operand.read.clone(), holds)
            }
            hir::Condition::Matches(operand, pattern) => {
                ir::Condition::Matches(operand.read.clone(), pattern.clone())
            }
        };
        ConditionId(self.conditions.intern(condition))
    }

    /// The join of all labels that regions have; top if a region has none. Where conditions choose,
    /// the last word counts, since every alternative flows to it.
    pub(super) fn join_of(&mut self, nodes: &[Node], cells: &[ir::Cell]) -> LabelId {
        let mut labels: BTreeSet<LabelId> = BTreeSet::new();
        for node in nodes {
            if node.shows.is_empty() && node.label.is_none() {
                return self.top();
            }
            let shown = node.shows.iter().filter_map(|cell| cells.get(cell.index()));
            let rules = shown.map(|cell| &cell.label).chain(&node.label);
            labels.extend(rules.map(|rule| rule.otherwise));
        }
        let terms = labels.iter().filter_map(|label| self.labels.entries().get(label.index()));
        let terms: Vec<&LabelTerm> = terms.collect();
        let part = |(index, lattice): (usize, &Lattice)| {
            let parts = terms.iter().filter_map(|term| term.parts.get(index));
            let levels = parts.map(|part| match part {
                LabelPart::Level(level) => *level,
                LabelPart::Named(_) => top(lattice),
            });
            LabelPart::Level(levels.fold(bottom(lattice), |a, b| join(lattice, a, b)))
        };
        let set = |(index, lattice): (usize, &SetLattice)| {
            let bottom = constant(&lattice.bottom());
            let sets = terms.iter().filter_map(|term| term.sets.get(index));
            let mut sets: Vec<&SetTerm> = sets.filter(|set| **set != bottom).collect();
            sets.dedup();
            // There is no word for the join of sets that values name; and an error has no record.
            match sets.as_slice() {
                [] => bottom,
                [only] if !only.reads_fields() => (*only).clone(),
                _ => constant(&lattice.top()),
            }
        };
        let parts = self.lattices.iter().enumerate().map(part).collect();
        let sets = self.open.iter().enumerate().map(set).collect();
        LabelId(self.labels.intern(LabelTerm { parts, sets }))
    }
}

fn constant(set: &NameSet) -> SetTerm {
    match set {
        NameSet::All => SetTerm::All,
        // The ends of an open lattice are all names and none.
        NameSet::Listed(_) => SetTerm::Of(Vec::new()),
    }
}

fn top(lattice: &Lattice) -> LevelId {
    lattice.top().unwrap_or(LevelId(0))
}

fn bottom(lattice: &Lattice) -> LevelId {
    lattice.bottom().unwrap_or(LevelId(0))
}

fn join(lattice: &Lattice, a: LevelId, b: LevelId) -> LevelId {
    lattice.join(a, b).unwrap_or(LevelId(0))
}
