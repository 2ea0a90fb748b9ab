//! A policy's tables while it is built, and what is known of its labels before any value is.

use rtbas_artifact::ir::{
    Condition, ConditionId, LabelId, LabelPart, LabelRule, LabelTerm, Names as Naming, Operand,
    SetTerm, Type, TypeId,
};
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::sets::SetLattice;
use rtbas_artifact::value::Value;

use crate::model::order::Space;
use crate::monitor::{Label, Names};

/// Tables of a policy.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Its closed lattices.
    pub lattices: Vec<Lattice>,
    /// Its open lattices.
    pub open: Vec<SetLattice>,
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
    pub fn new(lattices: Vec<Lattice>, open: Vec<SetLattice>) -> Self {
        let space = Space::new(&lattices, &open, None);
        let (labels, types, conditions) = (Vec::new(), Vec::new(), Vec::new());
        Self { lattices, open, space, labels, types, conditions }
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
    pub fn label(&mut self, parts: Vec<LabelPart>, sets: Vec<SetTerm>) -> LabelId {
        LabelId(add(&mut self.labels, LabelTerm { parts, sets }))
    }

    /// The index of a label.
    pub fn constant(&mut self, label: &Label) -> LabelId {
        let parts = label.levels.iter().map(|&level| part(level)).collect();
        self.label(parts, label.sets.iter().map(constant_set).collect())
    }

    /// The rule that gives one label.
    pub fn always(&mut self, label: &Label) -> LabelRule {
        LabelRule { alternatives: Vec::new(), otherwise: self.constant(label) }
    }

    /// What a rule's label always flows to: each alternative flows to its last word, and a level or
    /// a set that a value names may be any.
    #[must_use]
    pub fn ceiling(&self, rule: &LabelRule) -> Label {
        self.bound(rule.otherwise, &self.space.top())
    }

    /// What always flows to a rule's label, whatever is named.
    #[must_use]
    pub fn floor(&self, rule: &LabelRule) -> Label {
        let bottom = self.space.bottom();
        let alternatives = rule.alternatives.iter().map(|alternative| alternative.label);
        let low = alternatives.map(|label| self.bound(label, &bottom));
        low.fold(self.bound(rule.otherwise, &bottom), |floor, low| self.space.meet(&floor, &low))
    }

    /// A label term with another label's level or set wherever a value names one.
    #[must_use]
    pub fn bound(&self, label: LabelId, named: &Label) -> Label {
        let Some(term) = self.labels.get(label.index()) else { return named.clone() };
        let level = |(part, &named): (&LabelPart, &usize)| match part {
            LabelPart::Level(level) => level.index(),
            LabelPart::Named(_) => named,
        };
        let text = |naming: &Naming| match &naming.value {
            Operand::Literal(Value::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let set = |(set, named): (&SetTerm, &Names)| match set {
            SetTerm::All => Names::All,
            SetTerm::Of(naming) => {
                naming.iter().map(text).collect::<Option<_>>().map_or(named.clone(), Names::Of)
            }
        };
        Label {
            levels: term.parts.iter().zip(&named.levels).map(level).collect(),
            sets: term.sets.iter().zip(&named.sets).map(set).collect(),
        }
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
        for set in self.labels.get(label.index()).iter().flat_map(|term| &term.sets) {
            if let SetTerm::Of(naming) = set {
                found.extend(naming.iter().map(|naming| naming.value.clone()));
            }
        }
    }

    /// Adds the operands that a condition reads.
    pub fn read(&self, condition: ConditionId, found: &mut Vec<Operand>) {
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

/// A set as part of a label term.
#[must_use]
pub fn constant_set(names: &Names) -> SetTerm {
    match names {
        Names::All => SetTerm::All,
        Names::Of(names) => {
            let literal = |name: &String| Operand::Literal(Value::Text(name.clone()));
            let naming = |name| Naming { value: literal(name), optional: false };
            SetTerm::Of(names.iter().map(naming).collect())
        }
    }
}

/// The place of an entry in a table, which it is added to if it does not stand there.
fn add<T: PartialEq>(table: &mut Vec<T>, entry: T) -> u32 {
    let place = table.iter().position(|e| *e == entry).unwrap_or(table.len());
    if place == table.len() {
        table.push(entry);
    }
    u32::try_from(place).unwrap_or(u32::MAX)
}
