//! Labels and conditions → entries of tables, the same term always the same entry.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{
    self, Alternative, ConditionId, LabelId, LabelPart, LabelRule, LabelTerm, Node,
};
use rtbas_artifact::lattice::{Lattice, LevelId};

use crate::resolve::hir;
use crate::resolve::table::Table;

/// The tables, and the lattices whose levels they name.
pub(super) struct Terms<'l> {
    lattices: &'l [Lattice],
    labels: Table<LabelTerm>,
    conditions: Table<ir::Condition>,
}

impl<'l> Terms<'l> {
    pub(super) fn new(lattices: &'l [Lattice]) -> Self {
        Self { lattices, labels: Table::default(), conditions: Table::default() }
    }

    pub(super) fn into_tables(self) -> (Vec<LabelTerm>, Vec<ir::Condition>) {
        (self.labels.into_entries(), self.conditions.into_entries())
    }

    /// A label of data: a lattice that it does not name stands at its top.
    pub(super) fn data(&mut self, label: &hir::Label) -> LabelId {
        self.label(&label.levels, top)
    }

    /// A bound, or the level of a claim: a lattice that it does not name stands at its bottom.
    pub(super) fn bound(&mut self, label: &hir::Label) -> LabelId {
        self.label(&label.levels, bottom)
    }

    fn label(&mut self, levels: &[Option<LevelId>], unsaid: fn(&Lattice) -> LevelId) -> LabelId {
        let parts = self.lattices.iter().enumerate().map(|(index, lattice)| {
            let level = levels.get(index).copied().flatten();
            LabelPart::Level(level.unwrap_or_else(|| unsaid(lattice)))
        });
        let term = LabelTerm { parts: parts.collect() };
        LabelId(self.labels.intern(term))
    }

    /// A label that conditions choose; top where there is none.
    pub(super) fn rule(&mut self, rule: Option<&hir::LabelRule>) -> LabelRule {
        let Some(rule) = rule else {
            return LabelRule { alternatives: Vec::new(), otherwise: self.label(&[], top) };
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
            hir::Condition::Present(operand) => ir::Condition::Present(operand.read.clone()),
            hir::Condition::Not(inner) => ir::Condition::Not(self.condition(inner)),
            hir::Condition::All(all) => {
                ir::Condition::All(all.iter().map(|part| self.condition(part)).collect())
            }
            hir::Condition::Any(any) => {
                ir::Condition::Any(any.iter().map(|part| self.condition(part)).collect())
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
                return self.label(&[], top);
            }
            let shown = node.shows.iter().filter_map(|cell| cells.get(cell.index()));
            let rules = shown.map(|cell| &cell.label).chain(&node.label);
            labels.extend(rules.map(|rule| rule.otherwise));
        }
        let mut joined: Vec<LevelId> = self.lattices.iter().map(bottom).collect();
        for label in labels {
            let Some(term) = self.labels.entries().get(label.index()) else { continue };
            for ((lattice, level), part) in self.lattices.iter().zip(&mut joined).zip(&term.parts) {
                *level = match part {
                    LabelPart::Level(other) => join(lattice, *level, *other),
                    LabelPart::Named(_) => top(lattice),
                };
            }
        }
        let joined: Vec<Option<LevelId>> = joined.into_iter().map(Some).collect();
        self.label(&joined, top)
    }
}

fn top(lattice: &Lattice) -> LevelId {
    lattice.top().unwrap_or(LevelId(0))
}

fn bottom(lattice: &Lattice) -> LevelId {
    lattice.bottom().unwrap_or(LevelId(0))
}

fn join(lattice: &Lattice, a: LevelId, b: LevelId) -> LevelId {
    if lattice.flows(a, b) {
        return b;
    }
    if lattice.flows(b, a) {
        return a;
    }
    lattice.minimal_upper_bounds(a, b).first().copied().unwrap_or(LevelId(0))
}
