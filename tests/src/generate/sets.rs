//! Open lattices, and sets that values name.

use std::collections::BTreeSet;

use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{Names as Naming, Operand, SetTerm, Type};
use rtbas_artifact::sets::{SetKind, SetLattice};
use rtbas_artifact::value::Value;

use crate::generate::conditions::{Place, Source, plain_type};
use crate::generate::dice::Dice;
use crate::generate::tables::{Tables, constant_set};
use crate::monitor::Names;

/// A random open lattice.
pub fn lattice(dice: &mut Dice<'_>, name: &str) -> SetLattice {
    SetLattice {
        name: name.to_owned(),
        kind: if dice.chance(50) { SetKind::Sources } else { SetKind::Readers },
        dual: dice.chance(20),
    }
}

/// A random set: all names, none, or some out of those that texts are made of.
pub fn set(dice: &mut Dice<'_>) -> Names {
    match dice.below(8) {
        0 => Names::All,
        1 => Names::Of(BTreeSet::new()),
        2 | 3 => Names::Of((0..dice.between(1, 3)).map(|_| dice.text()).collect()),
        _ => Names::Of((0..dice.between(6, 20)).map(|_| dice.text()).collect()),
    }
}

impl Place<'_, '_> {
    /// A set in a bound.
    pub fn bounding_set(&mut self, open: usize) -> SetTerm {
        let named = self.dice.chance(50).then(|| self.naming_set(open)).flatten();
        named.unwrap_or_else(|| {
            let top = self.tables.space.open().get(open).map_or(Names::All, |open| open.top());
            constant_set(&if self.dice.chance(40) { top } else { set(self.dice) })
        })
    }

    /// A set that values name. What they are read from is at the bottom of this lattice, so that
    /// whatever they name may be flowed to.
    pub fn naming_set(&mut self, open: usize) -> Option<SetTerm> {
        let mut naming = Vec::new();
        for _ in 0..=usize::from(self.dice.chance(40)) {
            // Most often fields, where there are some, and what may hold names.
            let (of_field, any) = (self.dice.chance(60), self.dice.chance(20));
            let is_named = |tables: &Tables, source: &Source| {
                let bottom = tables.space.bottom();
                let holds_names = match plain_type(tables, source.ty) {
                    Type::Text | Type::Any | Type::Enumeration(_) | Type::Pattern(_) => true,
                    Type::List(_) | Type::Set(_) | Type::Map(_) => true,
                    _ => any,
                };
                source.ceiling.sets.get(open) == bottom.sets.get(open) && holds_names
            };
            let is_field = |source: &Source| matches!(source.operand, Operand::Field(_));
            let field = of_field.then(|| self.source(|t, s| is_field(s) && is_named(t, s)));
            let source = field.flatten().or_else(|| self.source(is_named))?;
            naming.push(self.naming(&source));
        }
        if self.dice.chance(25) {
            let value = Operand::Literal(Value::Text(self.dice.text()));
            naming.push(Naming { value, optional: false });
        }
        Some(SetTerm::Of(naming))
    }

    fn naming(&mut self, source: &Source) -> Naming {
        let mut value = self.read(source);
        let is_text = plain_type(self.tables, source.ty) == Type::Text;
        if is_text && self.dice.chance(12) {
            let functions = [Function::Lower, Function::Host, Function::Domain];
            let function = self.dice.pick(&functions).copied().unwrap_or(Function::Lower);
            value = Operand::Derived(function, Box::new(value));
        }
        Naming { value, optional: self.dice.chance(50) }
    }

    /// The sets of the last word of a label of data and of its alternatives, each of which flows to
    /// the last word. All of them are at or above what has been read, which is known by now.
    pub fn sets_of_rule(&mut self, open: usize, named: &[Option<SetTerm>]) -> Vec<SetTerm> {
        let Some(sets) = self.tables.space.open().get(open).cloned() else { return Vec::new() };
        let read = self.read.sets.get(open).cloned().unwrap_or(Names::All);
        let is_free = read == sets.bottom();
        let (bottom, top) = (constant_set(&sets.bottom()), constant_set(&sets.top()));
        let name = |row: &Option<SetTerm>| row.clone().filter(|_| is_free);
        let Some((last, rows)) = named.split_first() else { return Vec::new() };
        if let Some(last) = name(last) {
            let mut all = vec![last.clone()];
            for _ in rows {
                all.push(match (&last, self.dice.below(3)) {
                    (SetTerm::Of(naming), 0) if sets.more_is_stricter() => {
                        SetTerm::Of(naming.iter().skip(1).cloned().collect())
                    }
                    (SetTerm::Of(naming), 0) => {
                        let value = Operand::Literal(Value::Text(self.dice.text()));
                        let more = Naming { value, optional: false };
                        SetTerm::Of(naming.iter().cloned().chain([more]).collect())
                    }
                    (_, 1) => bottom.clone(),
                    _ => last.clone(),
                });
            }
            return all;
        }
        let is_named = rows.iter().any(|row| name(row).is_some());
        let last = match self.dice.below(10) {
            _ if is_named => sets.top(),
            0..=5 => read.clone(),
            6..=8 => sets.join(&read, &set(self.dice)),
            _ => sets.top(),
        };
        let mut all = vec![if is_named { top } else { constant_set(&last) }];
        for row in rows {
            all.push(name(row).unwrap_or_else(|| {
                let between = sets.join(&read, &sets.meet(&last, &set(self.dice)));
                constant_set(if self.dice.chance(50) { &read } else { &between })
            }));
        }
        all
    }
}
