//! Conditions, labels that depend on values, and bounds.
//!
//! Labels of data respect O3: what a guard or a label term reads flows to every alternative.

use std::collections::BTreeSet;

use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{
    Alternative, Comparison, Condition, ConditionId, LabelId, LabelPart, LabelRule, Operand,
    SetTerm, Type, TypeId,
};
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::value::Value;

use crate::generate::dice::Dice;
use crate::generate::tables::{Tables, part};
use crate::generate::values;
use crate::monitor::Label;

/// Something that a condition may read.
#[derive(Clone, Debug)]
pub struct Source {
    /// How it is read.
    pub operand: Operand,
    /// Its type.
    pub ty: TypeId,
    /// What its label always flows to. Facts are at the bottom, and so are arguments, since the
    /// label of a call is part of every label of its result.
    pub ceiling: Label,
}

impl Source {
    /// A source, and the fields in it if it is a record.
    #[must_use]
    pub fn all(tables: &Tables, operand: &Operand, ty: TypeId, ceiling: &Label) -> Vec<Self> {
        let mut sources = vec![Self { operand: operand.clone(), ty, ceiling: ceiling.clone() }];
        if let Type::Record { fields, .. } = plain_type(tables, ty) {
            for field in fields {
                let mut operand = operand.clone();
                match &mut operand {
                    Operand::Fact(_, path) | Operand::Argument(_, path) | Operand::Field(path) => {
                        path.push(field.name.clone());
                    }
                    Operand::Literal(_) | Operand::Derived(..) => {}
                }
                sources.extend(Self::all(tables, &operand, field.ty, ceiling));
            }
        }
        sources
    }
}

/// A type, without null if it is nullable.
#[must_use]
pub fn plain_type(tables: &Tables, ty: TypeId) -> Type {
    match tables.types.get(ty.index()) {
        Some(Type::Union(choices)) => {
            choices.first().map_or(Type::Null, |&first| plain_type(tables, first))
        }
        ty => ty.cloned().unwrap_or(Type::Null),
    }
}

/// A generator of conditions at one place.
#[derive(Debug)]
pub struct Place<'a, 't> {
    /// What chooses.
    pub dice: &'a mut Dice<'t>,
    /// Where conditions and labels go.
    pub tables: &'a mut Tables,
    /// What can be read.
    pub sources: &'a [Source],
    /// Join of the ceilings of what has been read.
    pub read: Label,
}

impl<'a, 't> Place<'a, 't> {
    /// A generator where `sources` can be read.
    pub fn new(dice: &'a mut Dice<'t>, tables: &'a mut Tables, sources: &'a [Source]) -> Self {
        let read = tables.space.bottom();
        Self { dice, tables, sources, read }
    }

    /// A condition that reads no labels.
    pub fn condition(&mut self, depth: usize) -> ConditionId {
        let condition = match self.dice.below(10) {
            6 if depth > 0 => Condition::Not(self.condition(depth - 1)),
            7 if depth > 0 => Condition::All(self.conditions(depth - 1)),
            8 | 9 if depth > 0 => Condition::Any(self.conditions(depth - 1)),
            _ => self.atom(),
        };
        self.tables.condition(condition)
    }

    fn conditions(&mut self, depth: usize) -> Vec<ConditionId> {
        let count = [2, 2, 2, 3, 1, 0].get(self.dice.below(6)).copied().unwrap_or(2);
        (0..count).map(|_| self.condition(depth)).collect()
    }

    /// A condition of a rule that compares the context with a bound.
    pub fn bounded(&mut self) -> ConditionId {
        let context = Condition::Context(self.bound());
        let context = self.tables.condition(context);
        let mut parts = vec![context];
        parts.extend(self.dice.chance(40).then(|| self.condition(1)));
        match (parts.len(), self.dice.below(8)) {
            (1, 0..=5) => context,
            (_, 6) => {
                let other = Condition::Context(self.bound());
                parts.push(self.tables.condition(other));
                self.tables.condition(Condition::Any(parts))
            }
            (2, 7) => self.tables.condition(Condition::Any(parts)),
            _ => self.tables.condition(Condition::All(parts)),
        }
    }

    /// Something that can be read and fits.
    pub fn source(&mut self, fits: impl Fn(&Tables, &Source) -> bool) -> Option<Source> {
        let fitting: Vec<&Source> = self.sources.iter().filter(|s| fits(self.tables, s)).collect();
        self.dice.pick(&fitting).map(|source| (*source).clone())
    }

    /// Reads something.
    pub fn read(&mut self, source: &Source) -> Operand {
        self.read = self.tables.space.join(&self.read, &source.ceiling);
        source.operand.clone()
    }

    fn atom(&mut self) -> Condition {
        let Some(source) = self.source(|_, _| true) else {
            return if self.dice.chance(50) {
                Condition::Any(vec![])
            } else {
                Condition::All(vec![])
            };
        };
        let mut operand = self.read(&source);
        if matches!(plain_type(self.tables, source.ty), Type::Text | Type::Any)
            && self.dice.chance(15)
            && let Some(function) = self.dice.pick(&Function::ALL)
        {
            operand = Operand::Derived(*function, Box::new(operand));
        }
        if self.dice.chance(25) {
            let present = Condition::Present(operand);
            return match self.dice.chance(50) {
                true => Condition::Not(self.tables.condition(present)),
                false => present,
            };
        }
        let ty = plain_type(self.tables, source.ty);
        if matches!(ty, Type::Text | Type::Enumeration(_) | Type::Any)
            && self.dice.chance(20)
            && let Some(pattern) = self.dice.pick(&PATTERNS).and_then(|p| Pattern::new(*p).ok())
        {
            return Condition::Matches(operand, pattern);
        }
        match ty {
            Type::Date | Type::Time if self.dice.chance(70) => {
                let function = if ty == Type::Date { Function::Date } else { Function::Time };
                let read = |operand| match operand {
                    Operand::Derived(..) => operand,
                    operand => Operand::Derived(function, Box::new(operand)),
                };
                let comparison = COMPARISONS.get(self.dice.below(6)).copied();
                let comparison = comparison.unwrap_or(Comparison::Less);
                Condition::Compare(comparison, read(operand), read(self.other(source.ty)))
            }
            Type::List(_) | Type::Set(_) if self.dice.chance(40) => match self.dice.chance(50) {
                true => Condition::SubsetOf(operand, self.collection()),
                false => Condition::SubsetOf(self.collection(), operand),
            },
            Type::List(element) | Type::Set(element) => Condition::In(self.other(element), operand),
            Type::Number | Type::Integer => {
                let comparison = COMPARISONS.get(self.dice.below(6)).copied();
                Condition::Compare(
                    comparison.unwrap_or(Comparison::Less),
                    operand,
                    self.other(source.ty),
                )
            }
            Type::Text | Type::Enumeration(_) | Type::Any if self.dice.chance(40) => {
                Condition::In(operand, self.collection())
            }
            _ => {
                let comparison =
                    if self.dice.chance(30) { Comparison::NotEqual } else { Comparison::Equal };
                Condition::Compare(comparison, operand, self.other(source.ty))
            }
        }
    }

    /// Something to compare a value of a type with: most often a value of that type.
    fn other(&mut self, ty: TypeId) -> Operand {
        let wanted = plain_type(self.tables, ty);
        if self.dice.chance(30)
            && let Some(source) = self.source(|tables, s| plain_type(tables, s.ty) == wanted)
        {
            return self.read(&source);
        }
        if self.dice.chance(8) {
            return Operand::Literal(Value::Bool(true));
        }
        Operand::Literal(values::value(self.dice, &self.tables.types, ty))
    }

    /// A list or a set of texts.
    fn collection(&mut self) -> Operand {
        let is_collection = |tables: &Tables, source: &Source| {
            matches!(plain_type(tables, source.ty), Type::List(_) | Type::Set(_))
        };
        if self.dice.chance(40)
            && let Some(source) = self.source(is_collection)
        {
            return self.read(&source);
        }
        let mut items: Vec<Value> =
            (0..self.dice.between(1, 5)).map(|_| Value::Text(self.dice.text())).collect();
        if self.dice.chance(15) {
            items.push(values::number(self.dice));
        }
        Operand::Literal(match self.dice.chance(40) {
            true => Value::Set(items.into_iter().collect::<BTreeSet<_>>()),
            false => Value::List(items),
        })
    }

    /// A value that may name a level of a lattice: text, at the bottom of that lattice.
    fn naming_level(&mut self, lattice: usize) -> Option<Operand> {
        let source = self.source(|tables, source| {
            let bottom = tables.space.bottom();
            matches!(plain_type(tables, source.ty), Type::Text | Type::Any | Type::Enumeration(_))
                && source.ceiling.levels.get(lattice) == bottom.levels.get(lattice)
        })?;
        Some(self.read(&source))
    }

    /// A bound, high more often than low.
    pub fn bound(&mut self) -> LabelId {
        let lattices = self.tables.lattices.len();
        let mut parts = Vec::new();
        for lattice in 0..lattices {
            let named = if self.dice.chance(12) { self.naming_level(lattice) } else { None };
            parts.push(match named {
                Some(operand) => LabelPart::Named(operand),
                None => {
                    let top = self.tables.space.top().levels.get(lattice).copied().unwrap_or(0);
                    let any = self.level(lattice, None, None);
                    part(if self.dice.chance(45) { top } else { any })
                }
            });
        }
        let sets = (0..self.tables.open.len()).map(|open| self.bounding_set(open)).collect();
        self.tables.label(parts, sets)
    }

    /// A level of a lattice between two, where they are given.
    fn level(&mut self, lattice: usize, low: Option<usize>, high: Option<usize>) -> usize {
        let Some(order) = self.tables.space.orders().get(lattice) else { return 0 };
        let between = |&level: &usize| {
            low.is_none_or(|low| order.flows(low, level))
                && high.is_none_or(|high| order.flows(level, high))
        };
        let levels: Vec<usize> = order.levels().filter(between).collect();
        self.dice.pick(&levels).copied().unwrap_or(low.unwrap_or(order.top()))
    }

    /// A rule for the label of data.
    pub fn rule(&mut self) -> LabelRule {
        let count = [0, 0, 1, 1, 1, 2].get(self.dice.below(6)).copied().unwrap_or(0);
        let guards: Vec<ConditionId> = (0..count).map(|_| self.condition(1)).collect();
        let lattices = self.tables.lattices.len();
        // For the last word and each alternative: the values that name its levels.
        let mut named: Vec<Vec<Option<Operand>>> = vec![vec![None; lattices]; count + 1];
        for row in &mut named {
            for (lattice, name) in row.iter_mut().enumerate() {
                if self.dice.chance(6) {
                    *name = self.naming_level(lattice);
                }
            }
        }
        let mut named_sets: Vec<Vec<Option<SetTerm>>> = Vec::new();
        for open in 0..self.tables.open.len() {
            let mut name = || self.dice.chance(40).then(|| self.naming_set(open)).flatten();
            named_sets.push((0..=count).map(|_| name()).collect());
        }
        let (last, alternatives) = named.split_first().map_or((&[][..], &[][..]), |(l, a)| (l, a));
        let mut last_parts = Vec::new();
        let mut parts = vec![Vec::new(); count];
        for lattice in 0..lattices {
            let read = self.read.levels.get(lattice).copied().unwrap_or(0);
            let bottom = self.tables.space.bottom().levels.get(lattice).copied().unwrap_or(0);
            let top = self.tables.space.top().levels.get(lattice).copied().unwrap_or(0);
            let name = |row: &[Option<Operand>]| {
                row.get(lattice).cloned().flatten().filter(|_| read == bottom)
            };
            let last_name = name(last);
            let may_name =
                last_name.is_none() && alternatives.iter().any(|row| name(row).is_some());
            let last_level = match count {
                _ if may_name => top,
                0 if self.dice.chance(60) => read,
                _ => self.level(lattice, Some(read), None),
            };
            for (row, parts) in alternatives.iter().zip(&mut parts) {
                parts.push(match (&last_name, name(row)) {
                    (Some(last), Some(_)) => LabelPart::Named(last.clone()),
                    (Some(_), None) => part(bottom),
                    (None, Some(own)) => LabelPart::Named(own),
                    (None, None) if self.dice.chance(60) => part(read),
                    (None, None) => part(self.level(lattice, Some(read), Some(last_level))),
                });
            }
            last_parts.push(last_name.map_or(part(last_level), LabelPart::Named));
        }
        let mut sets = vec![Vec::new(); count + 1];
        for (open, named) in named_sets.iter().enumerate() {
            for (sets, set) in sets.iter_mut().zip(self.sets_of_rule(open, named)) {
                sets.push(set);
            }
        }
        let mut sets = sets.into_iter();
        let otherwise = self.tables.label(last_parts, sets.next().unwrap_or_default());
        let alternatives =
            guards.into_iter().zip(parts.into_iter().zip(sets)).map(|(when, (parts, sets))| {
                Alternative { when, label: self.tables.label(parts, sets) }
            });
        LabelRule { alternatives: alternatives.collect(), otherwise }
    }
}

/// Of each combination of them there is some text that generators choose, and some that none does.
const PATTERNS: [&str; 6] =
    ["[a-f]", ".*e.*", "(yo)?u?", "\\d+|null", "[^a]*", "me|tru\\w|[\\s\\S]"];

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];
