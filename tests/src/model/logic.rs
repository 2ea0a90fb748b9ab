//! Conditions, label terms and label rules.
//!
//! A truth is `Some(true)`, `Some(false)`, or `None` where a value that is read is absent, null or
//! of another type.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::ir::{
    Comparison, Condition, ConditionId, LabelId, LabelPart, LabelRule, Names as Naming, Operand,
    Policy, SetTerm,
};
use rtbas_artifact::value::Value;

use crate::model::flaw::Flaw;
use crate::model::function;
use crate::model::names::{Sets, named};
use crate::model::order::{Order, Space};
use crate::model::pattern;
use crate::monitor::{Label, Names};

/// What conditions and labels are read with.
#[derive(Clone, Copy, Debug)]
pub struct Logic<'p> {
    /// The policy.
    pub policy: &'p Policy,
    /// Its labels.
    pub space: &'p Space,
    /// A deliberate mistake.
    pub flaw: Option<Flaw>,
}

/// What they read.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The facts, in the order of their declarations.
    pub facts: &'a [Value],
    /// The arguments, in the order of their declarations.
    pub arguments: &'a [Option<Value>],
    /// The label of the call, where a decision is made.
    pub context: Option<&'a Label>,
    /// The record that a label belongs to.
    pub record: Option<&'a Value>,
}

/// Whether a missing level counts as the top, as for data, or as the bottom, as in a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// For data.
    Up,
    /// For bounds.
    Down,
}

impl Logic<'_> {
    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// What a condition amounts to.
    #[must_use]
    pub fn holds(&self, id: ConditionId, scope: &Scope<'_>) -> Option<bool> {
        match self.policy.conditions.get(id.index())? {
            Condition::Context(bound) => {
                let bound = self.term(*bound, Strict::Down, scope);
                scope.context.map(|context| self.space.flows(context, &bound))
            }
            Condition::Compare(comparison, left, right) => {
                compare(*comparison, &self.value(left, scope)?, &self.value(right, scope)?)
            }
            Condition::In(element, elements) => {
                let element = self.value(element, scope)?;
                self.is_among(&element, &items(self.value(elements, scope)?)?)
            }
            Condition::SubsetOf(inner, outer) => {
                let inner = items(self.value(inner, scope)?)?;
                let outer = items(self.value(outer, scope)?)?;
                let missing = inner.iter().map(|e| self.is_among(e, &outer).map(|is_in| !is_in));
                self.any(missing.collect()).map(|missing| !missing)
            }
            Condition::Present(operand)
                if matches!(operand.source(), Operand::Field(_))
                    && scope.record.is_none()
                    && !self.is(Flaw::NoRecordIsAbsent) =>
            {
                None
            }
            Condition::Present(operand) => Some(self.value(operand, scope).is_some()),
            Condition::Not(inner) => self.holds(*inner, scope).map(|holds| !holds),
            Condition::All(parts) => {
                let denied = parts.iter().map(|part| self.holds(*part, scope).map(|holds| !holds));
                self.any(denied.collect()).map(|holds| !holds)
            }
            Condition::Matches(operand, pattern) => match self.value(operand, scope)? {
                Value::Text(text) => Some(pattern::matches(pattern.text(), &text)),
                _ => None,
            },
            Condition::Any(parts) => {
                self.any(parts.iter().map(|p| self.holds(*p, scope)).collect())
            }
        }
    }

    fn is_among(&self, element: &Value, elements: &[Value]) -> Option<bool> {
        let equal = |other: &Value| match other {
            Value::Null if *element != Value::Null => None,
            other => compare(Comparison::Equal, element, other),
        };
        self.any(elements.iter().map(equal).collect())
    }

    fn any(&self, truths: Vec<Option<bool>>) -> Option<bool> {
        let undefined = truths.contains(&None);
        if undefined && self.is(Flaw::UndefinedSpreads) {
            None
        } else if truths.contains(&Some(true)) {
            Some(true)
        } else if undefined {
            None
        } else {
            Some(false)
        }
    }

    /// The value of an operand, if there is one. Null is none.
    fn value(&self, operand: &Operand, scope: &Scope<'_>) -> Option<Value> {
        let (mut value, path) = match operand {
            Operand::Literal(value) => (Some(value), &[][..]),
            Operand::Fact(fact, path) => (scope.facts.get(fact.index()), &path[..]),
            Operand::Argument(argument, path) => {
                (scope.arguments.get(argument.index()).and_then(Option::as_ref), &path[..])
            }
            Operand::Field(path) => (scope.record, &path[..]),
            Operand::Derived(function, source) => {
                let Value::Text(text) = self.value(source, scope)? else { return None };
                return function::apply(*function, &text);
            }
        };
        for step in path {
            value = match value {
                Some(Value::Record(fields)) => fields.get(step),
                _ => None,
            };
        }
        match value {
            Some(Value::Null) if !self.is(Flaw::NullIsPresent) => None,
            value => value.cloned(),
        }
    }

    /// A label term that stands for data.
    #[must_use]
    pub fn label(&self, id: LabelId, scope: &Scope<'_>) -> Label {
        self.term(id, Strict::Up, scope)
    }

    /// A label term.
    #[must_use]
    pub fn term(&self, id: LabelId, strict: Strict, scope: &Scope<'_>) -> Label {
        let Some(term) = self.policy.labels.get(id.index()) else { return self.space.top() };
        let level = |(order, part): (&Order, &LabelPart)| match part {
            LabelPart::Level(level) => level.index(),
            LabelPart::Named(operand) => {
                let named = match self.value(operand, scope) {
                    Some(Value::Text(name)) => order.level(&name),
                    _ => None,
                };
                named.unwrap_or_else(|| match strict {
                    Strict::Up if self.is(Flaw::NamelessDataAtBottom) => order.bottom(),
                    Strict::Down if self.is(Flaw::NamelessBoundAtTop) => order.top(),
                    Strict::Up => order.top(),
                    Strict::Down => order.bottom(),
                })
            }
        };
        let set = |(sets, term): (&Sets, &SetTerm)| {
            let naming = match term {
                SetTerm::All => return Names::All,
                SetTerm::Of(naming) => naming,
            };
            let mut names = BTreeSet::new();
            for naming in naming {
                match (self.names(sets, naming, strict, scope), strict) {
                    (Some(more), _) => names.extend(more),
                    (None, Strict::Up) if self.is(Flaw::StrangeValueNamesNoOne) => {}
                    (None, Strict::Up) => return sets.top(),
                    (None, Strict::Down) if self.is(Flaw::StrangeValueFreesBound) => {
                        return sets.top();
                    }
                    (None, Strict::Down) => return sets.bottom(),
                }
            }
            Names::Of(names)
        };
        Label {
            levels: self.space.orders().iter().zip(&term.parts).map(level).collect(),
            sets: self.space.open().iter().zip(&term.sets).map(set).collect(),
        }
    }

    /// The names that a value stands for in a set; `None` if the whole set is the strict one.
    fn names(
        &self,
        sets: &Sets,
        naming: &Naming,
        strict: Strict,
        scope: &Scope<'_>,
    ) -> Option<BTreeSet<String>> {
        match self.value(&naming.value, scope) {
            Some(value) => match named(&value, self.flaw) {
                None if naming.optional && self.is(Flaw::OptionalTakesAnything) => {
                    Some(BTreeSet::new())
                }
                Some(none)
                    if none.is_empty()
                        && strict == Strict::Up
                        && sets.more_is_stricter()
                        && !self.is(Flaw::SourcelessDataIsFree) =>
                {
                    None
                }
                names => names,
            },
            None if !naming.optional || self.is(Flaw::OptionalIsStrict) => None,
            None => {
                let is_strict = match &naming.value {
                    Operand::Derived(..) => !self.is(Flaw::OptionalFunctionFrees),
                    Operand::Field(_) if scope.record.is_none() => {
                        !self.is(Flaw::OptionalWithoutRecord)
                    }
                    Operand::Field(_) => {
                        let frees = strict == Strict::Up && sets.more_is_stricter();
                        frees && !self.is(Flaw::OptionalFieldFrees)
                    }
                    Operand::Literal(_) | Operand::Fact(..) | Operand::Argument(..) => false,
                };
                (!is_strict).then(BTreeSet::new)
            }
        }
    }

    /// The label that a rule gives: the first alternative whose guard holds, else the last word.
    #[must_use]
    pub fn rule(&self, rule: &LabelRule, scope: &Scope<'_>) -> Label {
        let holds = |guard| self.holds(guard, scope).unwrap_or(self.is(Flaw::UndefinedGuardHolds));
        let mut holding = rule.alternatives.iter().filter(|alternative| holds(alternative.when));
        let chosen =
            if self.is(Flaw::LastAlternative) { holding.next_back() } else { holding.next() };
        self.label(chosen.map_or(rule.otherwise, |alternative| alternative.label), scope)
    }
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Option<bool> {
    let same_type = matches!(
        (left, right),
        (Value::Null, Value::Null)
            | (Value::Bool(_), Value::Bool(_))
            | (Value::Number(_), Value::Number(_))
            | (Value::Text(_), Value::Text(_))
            | (Value::List(_), Value::List(_))
            | (Value::Set(_), Value::Set(_))
            | (Value::Record(_), Value::Record(_))
    );
    let order = match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(order(*left, *right)?),
        _ => None,
    };
    match comparison {
        Comparison::Equal => same_type.then_some(left == right),
        Comparison::NotEqual => same_type.then_some(left != right),
        Comparison::Less => order.map(|order| order == Ordering::Less),
        Comparison::LessOrEqual => order.map(|order| order != Ordering::Greater),
        Comparison::Greater => order.map(|order| order == Ordering::Greater),
        Comparison::GreaterOrEqual => order.map(|order| order != Ordering::Less),
    }
}

/// The order of two numbers, both written as whole multiples of the smaller power of ten. The
/// numbers here are small enough for that; where they are not, nothing is known.
fn order(left: Decimal, right: Decimal) -> Option<Ordering> {
    let ((left, left_power), (right, right_power)) = (left.parts(), right.parts());
    let power = left_power.min(right_power);
    let scaled = |coefficient: i128, from: i32| {
        let steps = u32::try_from(from.checked_sub(power)?).ok()?;
        coefficient.checked_mul(10_i128.checked_pow(steps)?)
    };
    Some(scaled(left, left_power)?.cmp(&scaled(right, right_power)?))
}

/// The elements of a list or a set.
fn items(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::List(items) => Some(items),
        Value::Set(items) => Some(items.into_iter().collect()),
        _ => None,
    }
}
