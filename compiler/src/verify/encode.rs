//! Conditions as formulas: the mirror of `artifact::eval`, construct by construct. What the mirror
//! shows is replayed through the evaluator, so a slip here is an internal error and not a proof.
//!
//! Takes a program; gives, for a condition that is read at some place, when it is true and when it is
//! false (it is undefined where neither holds). A construct outside the fragment of
//! `docs/semantics.md` is named, and the obligation is then *unknown*.

pub(super) mod place;
mod typed;
pub(super) mod label;
mod pattern;
mod function;
mod date;
mod choice;

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::eval::Side;
use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{
    Comparison, Condition, ConditionId, LabelId, LabelPart, Operand, Policy, Type, TypeId,
};
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::term::{Formula, Number};
use place::{Place, Variable};
use sets::Sets;
pub(super) use typed::without_null;
use typed::{admits_null, enclosing, is_only_null};

pub(super) mod sets;

/// A construct that the fragment does not cover, in the policy's words.
#[derive(Debug)]
pub(super) struct Outside(pub(super) String);

/// When a condition is true and when it is false.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) yes: Formula,
    pub(super) no: Formula,
}

/// A value that the solver chooses.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// When it is there and not null.
    present: Formula,
    shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Bool(Formula),
    Number(Number),
    /// Texts are numbered; equal numbers are equal texts.
    Text(Number),
    /// Elements that are written out.
    Elements(Vec<Value>),
    /// A list or set of which only membership is known.
    Open,
    /// Never there.
    Absent,
}

/// Builds the formulas of conditions and labels.
///
/// What stands at places are variables: an operand `Argument(i, path)` in here reads variable i,
/// whichever argument of whichever call or field of whichever record that is.
pub(super) struct Encoder<'p> {
    program: &'p Program,
    variables: Vec<Variable>,
    /// Operands met, other than literals.
    pub(super) operands: BTreeSet<Operand>,
    /// What is asked of sets.
    pub(super) sets: Sets,
    /// Literal texts and their numbers.
    texts: BTreeMap<String, i64>,
    asked: pattern::Asked,
    /// Labels that are joins of terms.
    joins: Vec<label::Join>,
    images: Vec<function::Image>,
    dates: Vec<date::Dated>,
    /// For each lattice: the levels that some bound names.
    pub(super) bounds: Vec<BTreeSet<LevelId>>,
    /// What holds of every assignment.
    pub(super) background: BTreeMap<String, Formula>,
}

/// The proposition that the label's level of a lattice flows to a level. `run` tells apart the
/// labels of a formula that speaks of two.
pub(super) fn flows(run: usize, lattice: usize, level: LevelId) -> String {
    format!("label {run} part {lattice} flows to {}", level.0)
}

pub(super) fn present(operand: &Operand) -> String {
    format!("present {operand:?}")
}

pub(super) fn value(operand: &Operand) -> String {
    format!("value {operand:?}")
}

impl<'p> Encoder<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self {
            program,
            variables: Vec::new(),
            operands: BTreeSet::new(),
            sets: Sets::default(),
            texts: BTreeMap::new(),
            asked: pattern::Asked::default(),
            joins: Vec::new(),
            images: Vec::new(),
            dates: Vec::new(),
            bounds: vec![BTreeSet::new(); program.policy().lattices.len()],
            background: BTreeMap::new(),
        }
    }

    fn policy(&self) -> &'p Policy {
        self.program.policy()
    }

    /// When a condition is true and when it is false, read at a place, at the label of that run.
    pub(super) fn condition(
        &mut self,
        id: ConditionId,
        run: usize,
        place: &Place,
    ) -> Result<Truth, Outside> {
        let never = || Truth { yes: Formula::constant(false), no: Formula::constant(false) };
        let Some(condition) = self.policy().conditions.get(id.index()) else {
            return Ok(never());
        };
        Ok(match condition {
            Condition::Context(bound) => {
                let yes = self.flows_to(run, *bound, Side::Bound, place)?;
                Truth { no: !yes.clone(), yes }
            }
            Condition::Present(operand) => {
                let Some(operand) = place.locate(operand) else { return Ok(never()) };
                let yes = match &operand {
                    Operand::Literal(literal) => Formula::constant(*literal != Value::Null),
                    Operand::Derived(..) => self.operand(&operand)?.present,
                    _ => self.presence(&operand)?.1,
                };
                Truth { no: !yes.clone(), yes }
            }
            Condition::Compare(comparison, left, right) => {
                let (left, right) = (self.read(left, place)?, self.read(right, place)?);
                match relation(*comparison, &left.shape, &right.shape)? {
                    None => never(),
                    Some(holds) => defined([left.present, right.present], holds),
                }
            }
            Condition::In(element, set) => match (place.locate(element), place.locate(set)) {
                (Some(element), Some(set)) => self.membership(&element, &set)?,
                _ => never(),
            },
            Condition::Matches(operand, pattern) => {
                let Coded { present, shape } = self.read(operand, place)?;
                match shape {
                    Shape::Text(text) => {
                        let holds = self.matches(&text, pattern);
                        defined([present, Formula::constant(true)], holds)
                    }
                    _ => never(),
                }
            }
            Condition::SubsetOf(inner, outer) => match (place.locate(inner), place.locate(outer)) {
                (Some(inner), Some(outer)) => self.subset(&inner, &outer)?,
                _ => never(),
            },
            Condition::Not(inner) => {
                let Truth { yes, no } = self.condition(*inner, run, place)?;
                Truth { yes: no, no: yes }
            }
            Condition::All(parts) => {
                let parts = self.conditions(parts, run, place)?;
                Truth {
                    yes: Formula::and(parts.iter().map(|part| part.yes.clone())),
                    no: Formula::or(parts.iter().map(|part| part.no.clone())),
                }
            }
            Condition::Any(parts) => {
                let parts = self.conditions(parts, run, place)?;
                Truth {
                    yes: Formula::or(parts.iter().map(|part| part.yes.clone())),
                    no: Formula::and(parts.iter().map(|part| part.no.clone())),
                }
            }
        })
    }

    fn conditions(
        &mut self,
        ids: &[ConditionId],
        run: usize,
        place: &Place,
    ) -> Result<Vec<Truth>, Outside> {
        ids.iter().map(|&id| self.condition(id, run, place)).collect()
    }

    /// The label of that run flows to a label that is read at a place: each of its parts does.
    pub(super) fn flows_to(
        &mut self,
        run: usize,
        label: LabelId,
        side: Side,
        place: &Place,
    ) -> Result<Formula, Outside> {
        let Some(term) = self.policy().labels.get(label.index()) else {
            return Ok(Formula::constant(false));
        };
        let mut all = Vec::new();
        for (lattice, part) in term.parts.iter().enumerate() {
            all.push(match part {
                LabelPart::Level(level) => self.flows(run, lattice, *level),
                LabelPart::Named(operand) => self.named(run, lattice, operand, side, place)?,
            });
        }
        for (open, set) in term.sets.iter().enumerate() {
            all.push(self.set_flows(run, open, set, side, place)?);
        }
        Ok(Formula::and(all))
    }

    /// When a label's level of a closed lattice flows to a level.
    pub(super) fn flows(&mut self, run: usize, lattice: usize, level: LevelId) -> Formula {
        if let Some(bounds) = self.bounds.get_mut(lattice) {
            bounds.insert(level);
        }
        Formula::variable(flows(run, lattice, level))
    }

    /// The level that a value names, or the strict one if it names none.
    fn named(
        &mut self,
        run: usize,
        index: usize,
        operand: &Operand,
        side: Side,
        place: &Place,
    ) -> Result<Formula, Outside> {
        let coded = self.read(operand, place)?;
        let Some(lattice) = self.policy().lattices.get(index) else {
            return Ok(Formula::constant(false));
        };
        let Shape::Text(text) = coded.shape else {
            return Err(Outside("a level that is named by a value other than text".to_owned()));
        };
        let mut names = Vec::new();
        let mut named = Vec::new();
        for level in lattice.ids() {
            let number = self.text(lattice.level_name(level));
            let is_it = Formula::and([coded.present.clone(), text.clone().equal(number)]);
            names.push(is_it.clone());
            named.push(Formula::and([is_it, self.flows(run, index, level)]));
        }
        let strict = match side {
            Side::Data => lattice.top(),
            Side::Bound => lattice.bottom(),
        };
        if let Some(strict) = strict {
            let flows = self.flows(run, index, strict);
            named.push(Formula::and([!Formula::or(names), flows]));
        }
        Ok(Formula::or(named))
    }

    fn text(&mut self, text: &str) -> Number {
        Number::Constant(self.number_of(text))
    }

    fn number_of(&mut self, text: &str) -> Decimal {
        let next = i64::try_from(self.texts.len()).unwrap_or(i64::MAX);
        (*self.texts.entry(text.to_owned()).or_insert(next)).into()
    }

    /// The literal text of that number.
    pub(super) fn text_of(&self, number: Decimal) -> Option<&str> {
        self.texts.iter().find(|(_, n)| Decimal::from(**n) == number).map(|(text, _)| text.as_str())
    }

    /// Whether the policy's conditions hold this text.
    pub(super) fn is_literal(&self, text: &str) -> bool {
        self.texts.contains_key(text)
    }

    fn literal(&mut self, literal: &Value) -> Result<Coded, Outside> {
        let shape = match literal {
            Value::Null => Shape::Absent,
            Value::Bool(value) => Shape::Bool(Formula::constant(*value)),
            Value::Number(number) => Shape::Number(Number::Constant(*number)),
            Value::Text(text) => Shape::Text(self.text(text)),
            Value::List(items) => Shape::Elements(items.clone()),
            Value::Set(items) => Shape::Elements(items.iter().cloned().collect()),
            Value::Record(_) => return Err(Outside("a record in a condition".to_owned())),
        };
        Ok(Coded { present: Formula::constant(!matches!(shape, Shape::Absent)), shape })
    }

    /// The type of what an operand reads, null aside, and when it is there and not null.
    fn presence(&mut self, operand: &Operand) -> Result<(TypeId, Formula), Outside> {
        let types = &self.policy().types;
        let Some((ty, always)) = self.declared_type(operand) else {
            return Err(Outside("a field of which no type is declared".to_owned()));
        };
        let nullable = admits_null(types, ty);
        let (ty, _) = without_null(types, ty);
        let present = match () {
            () if is_only_null(types, ty) => Formula::constant(false),
            () if always && !nullable => Formula::constant(true),
            () => Formula::variable(present(operand)),
        };
        // What lies in a record is there only if the record is, and if it must be, exactly then.
        if self.operands.insert(operand.clone())
            && let Some(record) = enclosing(operand)
        {
            let (_, there) = self.presence(&record)?;
            let required = self.is_required(&record, operand) && !nullable;
            let holds = match required {
                true => present.clone().same(there),
                false => present.clone().implies(there),
            };
            self.background.insert(self::present(operand), holds);
        }
        Ok((ty, present))
    }

    /// What an operand reads at a place.
    fn read(&mut self, operand: &Operand, place: &Place) -> Result<Coded, Outside> {
        match place.locate(operand) {
            Some(operand) => self.operand(&operand),
            None => Ok(Coded { present: Formula::constant(false), shape: Shape::Absent }),
        }
    }

    fn operand(&mut self, operand: &Operand) -> Result<Coded, Outside> {
        match operand {
            Operand::Literal(literal) => return self.literal(literal),
            Operand::Derived(function, _) => return self.given(operand, *function),
            Operand::Fact(..) | Operand::Argument(..) | Operand::Field(_) => {}
        }
        let (ty, present) = self.presence(operand)?;
        let number = |whole| Number::Variable { name: value(operand), whole };
        let shape = match self.policy().types.get(ty.index()) {
            Some(Type::Null) => Shape::Absent,
            Some(Type::Bool) => Shape::Bool(Formula::variable(value(operand))),
            Some(Type::Integer) => Shape::Number(number(true)),
            Some(Type::Number) => Shape::Number(number(false)),
            Some(Type::Text) => Shape::Text(number(true)),
            Some(Type::Enumeration(values)) => {
                let one = number(true);
                let choice = self.one_of(&one, values)?;
                self.background.insert(value(operand), choice);
                Shape::Text(one)
            }
            Some(Type::Date) => {
                self.dated(Function::Date, &value(operand), true);
                Shape::Text(number(true))
            }
            Some(Type::Time) => {
                self.dated(Function::Time, &value(operand), true);
                Shape::Text(number(true))
            }
            Some(Type::Pattern(pattern)) => {
                let matches = self.matches(&number(true), pattern);
                self.background.insert(value(operand), matches);
                Shape::Text(number(true))
            }
            Some(Type::List(_) | Type::Set(_)) => Shape::Open,
            Some(Type::Any | Type::Record { .. } | Type::Map(_) | Type::Union(_)) | None => {
                return Err(Outside(format!(
                    "a condition on what may be {}; give it one type in the tool list, or ask \
                     something else of the call",
                    rtbas_artifact::ty::describe(&self.policy().types, ty)
                )));
            }
        };
        Ok(Coded { present, shape })
    }

    /// That a text is one of those that an enumeration lists.
    fn one_of(&mut self, text: &Number, values: &[Value]) -> Result<Formula, Outside> {
        let each = values.iter().map(|value| match value {
            Value::Text(value) => Ok(text.clone().equal(self.text(value))),
            _ => Err(Outside("an enumeration of values other than text".to_owned())),
        });
        each.collect::<Result<Vec<_>, _>>().map(Formula::or)
    }

    /// What holds of a value that is an element of a declared list or set.
    fn of_element(&mut self, set: &Operand, value: &Shape) -> Result<Formula, Outside> {
        let types = &self.policy().types;
        let set_type = self
            .declared_type(set)
            .and_then(|(ty, _)| types.get(without_null(types, ty).0.index()));
        let element = match set_type {
            Some(Type::List(element) | Type::Set(element)) => types.get(element.index()),
            // A map's keys.
            Some(Type::Map(_)) => Some(&Type::Text),
            _ => None,
        };
        Ok(match (element, value) {
            (Some(Type::Bool), Shape::Bool(_))
            | (Some(Type::Number), Shape::Number(_))
            | (Some(Type::Text), Shape::Text(_)) => Formula::constant(true),
            (Some(Type::Integer), Shape::Number(number)) => {
                let whole = format!("whole {number:?}");
                number.clone().equal(Number::Variable { name: whole, whole: true })
            }
            (Some(Type::Enumeration(values)), Shape::Text(text)) => self.one_of(text, values)?,
            (Some(Type::Pattern(pattern)), Shape::Text(text)) => self.matches(text, pattern),
            (Some(ty @ (Type::Date | Type::Time)), Shape::Text(text)) => {
                let function = if *ty == Type::Date { Function::Date } else { Function::Time };
                match text {
                    Number::Constant(number) => {
                        let text = self.text_of(*number).unwrap_or_default().to_owned();
                        Formula::constant(function.of(&Value::Text(text)).is_some())
                    }
                    Number::Variable { name, .. } => self.dated(function, name, false).parses,
                }
            }
            _ => return Err(Outside("membership among values of another type".to_owned())),
        })
    }

    /// Whether an operand reads a map.
    fn is_map(&self, operand: &Operand) -> bool {
        let types = &self.policy().types;
        self.declared_type(operand).is_some_and(|(ty, _)| {
            matches!(types.get(without_null(types, ty).0.index()), Some(Type::Map(_)))
        })
    }

    /// Whether the elements of a list or set are numbers, or else texts; `None` if neither.
    fn has_number_elements(&self, set: &Operand) -> Option<bool> {
        let types = &self.policy().types;
        let (ty, _) = self.declared_type(set)?;
        let item = match types.get(without_null(types, ty).0.index())? {
            Type::List(item) | Type::Set(item) => item,
            Type::Map(_) => return Some(false),
            _ => return None,
        };
        match types.get(item.index())? {
            Type::Integer | Type::Number => Some(true),
            Type::Text | Type::Enumeration(_) | Type::Pattern(_) => Some(false),
            Type::Date | Type::Time => Some(false),
            _ => None,
        }
    }

    fn membership(&mut self, element: &Operand, set: &Operand) -> Result<Truth, Outside> {
        let (coded, coded_set) = (self.operand(element)?, self.operand(set)?);
        let both = [coded.present.clone(), coded_set.present.clone()];
        let holds = match &coded_set.shape {
            Shape::Absent => return Ok(defined(both, Formula::constant(false))),
            Shape::Elements(items) => {
                let mut equal = Vec::new();
                let mut comparable = true;
                for item in items {
                    let item = self.literal(item)?;
                    match relation(Comparison::Equal, &coded.shape, &item.shape)? {
                        Some(holds) => equal.push(holds),
                        None => comparable = false,
                    }
                }
                let Truth { yes, no } = defined(both, Formula::or(equal));
                let no = Formula::and([no, Formula::constant(comparable)]);
                return Ok(Truth { yes, no });
            }
            Shape::Open => self.member(set, &coded.shape)?,
            Shape::Bool(_) | Shape::Number(_) | Shape::Text(_) => {
                return Ok(Truth { yes: Formula::constant(false), no: Formula::constant(false) });
            }
        };
        Ok(defined(both, holds))
    }
}

/// A relation that is undefined where a side is absent.
fn defined(present: [Formula; 2], holds: Formula) -> Truth {
    let [left, right] = present;
    Truth {
        yes: Formula::and([left.clone(), right.clone(), holds.clone()]),
        no: Formula::and([left, right, !holds]),
    }
}

/// When a comparison holds, or `None` for values of different types: undefined.
fn relation(
    comparison: Comparison,
    left: &Shape,
    right: &Shape,
) -> Result<Option<Formula>, Outside> {
    let equal = match (left, right) {
        (Shape::Bool(a), Shape::Bool(b)) => a.clone().same(b.clone()),
        (Shape::Number(a), Shape::Number(b)) | (Shape::Text(a), Shape::Text(b)) => {
            a.clone().equal(b.clone())
        }
        (Shape::Elements(_) | Shape::Open, Shape::Elements(_) | Shape::Open) => {
            return Err(Outside("a comparison of lists".to_owned()));
        }
        _ => return Ok(None),
    };
    let numbers = match (left, right) {
        (Shape::Number(a), Shape::Number(b)) => Some((a.clone(), b.clone())),
        _ => None,
    };
    Ok(match comparison {
        Comparison::Equal => Some(equal),
        Comparison::NotEqual => Some(!equal),
        Comparison::Less => numbers.map(|(a, b)| a.less(b)),
        Comparison::GreaterOrEqual => numbers.map(|(a, b)| !a.less(b)),
        Comparison::Greater => numbers.map(|(a, b)| b.less(a)),
        Comparison::LessOrEqual => numbers.map(|(a, b)| !b.less(a)),
    })
}
