//! A policy's tables while it is built, and what is known of its labels before any value is.

use rtbas_artifact::ir::{
    Condition, ConditionId, LabelId, LabelPart, LabelRule, LabelTerm, Operand, Type, TypeId,
};
use rtbas_artifact::lattice::{Lattice, LevelId};

use crate::model::order::Space;
use crate::monitor::Label;

/// Tables of a policy.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Its lattices.
    pub lattices: Vec<Lattice>,
    /// Its labels.
    pub space: Space,
    /// Label terms.
    pub labels: Vec<LabelTerm>,
    /// Types.
    pub types: Vec<Type>,
    /// Conditions.
    pub conditions: Vec<Condition>,
}

impl Tables {
    /// Tables with lattices alone.
    #[must_use]
    pub fn new(lattices: Vec<Lattice>) -> Self {
        let space = Space::new(&lattices);
        Self { lattices, space, labels: Vec::new(), types: Vec::new(), conditions: Vec::new() }
    }

    /// The index of a type.
    pub fn ty(&mut self, ty: Type) -> TypeId {
        TypeId(add(&mut self.types, ty))
    }

    /// The index of a condition.
    pub fn condition(&mut self, condition: Condition) -> ConditionId {
        ConditionId(add(&mut self.conditions, condition))
    }

    /// The index of a label term.
    pub fn label(&mut self, parts: Vec<LabelPart>) -> LabelId {
        LabelId(add(&mut self.labels, LabelTerm { parts, sets: Vec::new() }))
    }

    /// The index of a label.
    pub fn constant(&mut self, label: &Label) -> LabelId {
        let parts = label.iter().map(|&level| part(level)).collect();
        self.label(parts)
    }

    /// The rule that gives one label.
    pub fn always(&mut self, label: &Label) -> LabelRule {
        LabelRule { alternatives: Vec::new(), otherwise: self.constant(label) }
    }

    /// What a rule's label always flows to: each alternative flows to its last word, and a level
    /// that a value names may be any.
    #[must_use]
    pub fn ceiling(&self, rule: &LabelRule) -> Label {
        self.bound(rule.otherwise, &self.space.top())
    }

    /// Whether all alternatives of a rule are at or above a level of one lattice, whatever is named.
    #[must_use]
    pub fn is_above(&self, rule: &LabelRule, lattice: usize, level: usize) -> bool {
        let alternatives = rule.alternatives.iter().map(|alternative| alternative.label);
        alternatives.chain([rule.otherwise]).all(|label| {
            let low = self.bound(label, &self.space.bottom());
            match (self.space.orders().get(lattice), low.get(lattice)) {
                (Some(order), Some(&low)) => order.flows(level, low),
                _ => false,
            }
        })
    }

    /// A label term with another label's level wherever a value names one.
    fn bound(&self, label: LabelId, named: &Label) -> Label {
        let parts = self.labels.get(label.index()).map_or(&[][..], |term| &term.parts);
        let level = |(part, &named): (&LabelPart, &usize)| match part {
            LabelPart::Level(level) => level.index(),
            LabelPart::Named(_) => named,
        };
        parts.iter().zip(named).map(level).collect()
    }

    /// The operands that a rule reads, in its guards and in its labels.
    #[must_use]
    pub fn operands(&self, rule: &LabelRule) -> Vec<Operand> {
        let mut found = Vec::new();
        let labels = rule.alternatives.iter().map(|alternative| alternative.label);
        for label in labels.chain([rule.otherwise]) {
            self.named(label, &mut found);
        }
        for alternative in &rule.alternatives {
            self.read(alternative.when, &mut found);
        }
        found
    }

    fn named(&self, label: LabelId, found: &mut Vec<Operand>) {
        for part in self.labels.get(label.index()).iter().flat_map(|term| &term.parts) {
            if let LabelPart::Named(operand) = part {
                found.push(operand.clone());
            }
        }
    }

    fn read(&self, condition: ConditionId, found: &mut Vec<Operand>) {
        match self.conditions.get(condition.index()) {
            Some(Condition::Context(bound)) => self.named(*bound, found),
            Some(
                Condition::Compare(_, left, right)
                | Condition::In(left, right)
                | Condition::SubsetOf(left, right),
            ) => {
                found.extend([left.clone(), right.clone()]);
            }
            Some(Condition::Present(operand) | Condition::Matches(operand, _)) => {
                found.push(operand.clone())
            }
            Some(Condition::Not(inner)) => self.read(*inner, found),
            Some(Condition::All(parts) | Condition::Any(parts)) => {
                parts.iter().for_each(|part| self.read(*part, found));
            }
            None => {}
        }
    }
}

/// A level as part of a label term.
#[must_use]
pub fn part(level: usize) -> LabelPart {
    LabelPart::Level(LevelId(u16::try_from(level).unwrap_or(u16::MAX)))
}

/// The place of an entry in a table, which it is added to if it does not stand there.
fn add<T: PartialEq>(table: &mut Vec<T>, entry: T) -> u32 {
    let place = table.iter().position(|e| *e == entry).unwrap_or(table.len());
    if place == table.len() {
        table.push(entry);
    }
    u32::try_from(place).unwrap_or(u32::MAX)
}
