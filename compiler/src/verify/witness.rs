//! From the solver's assignment to a concrete call: the smallest values of their types, with those
//! that the assignment fixes put in their places.

use std::collections::BTreeMap;

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::{ArgumentId, FactId, Operand, Policy, Tool, Type, TypeId};
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::value::Value;

use super::automaton::Automaton;
use super::encode::place::{Place, Record};
use super::encode::{self, Encoder, Outside, Shape, without_null};
use super::term::{Formula, Number};
use super::z3::Assignment;

/// A call and the facts of a session in which it is made.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) arguments: Arguments,
    pub(super) facts: BTreeMap<String, Value>,
}

/// What an assignment says of the values that an encoder asked about.
pub(super) struct Reading<'e> {
    encoder: &'e Encoder<'e>,
    assignment: &'e Assignment,
    /// Where a pattern is asked of a text, not every text will do.
    texts: BTreeMap<String, String>,
}

impl<'e> Reading<'e> {
    pub(super) fn new(
        encoder: &'e Encoder<'e>,
        assignment: &'e Assignment,
    ) -> Result<Self, Outside> {
        Ok(Self { encoder, assignment, texts: encoder.texts(assignment)? })
    }

    /// Whether a proposition holds.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.assignment.holds(name)
    }

    /// The value of a number or text, or `None` if it has no finite decimal form.
    fn number(&self, name: &str) -> Option<Option<Decimal>> {
        // One that no formula needed may be anything.
        match self.assignment.numbers.get(name) {
            Some(number) => number.map(Some),
            None => Some(None),
        }
    }

    fn text(&self, of: &Number) -> Option<String> {
        let number = match of {
            Number::Constant(number) => Some(*number),
            Number::Variable { name, .. } => match self.texts.get(name) {
                Some(text) => return Some(text.clone()),
                None => self.number(name)?,
            },
        };
        let Some(number) = number else { return Some(String::new()) };
        let literal = self.encoder.text_of(number).map(str::to_owned);
        Some(literal.unwrap_or_else(|| {
            let mut text = format!("text {number}");
            while self.encoder.is_literal(&text) {
                text.push('\'');
            }
            text
        }))
    }

    /// The value of a scalar: `Some(None)` for any other, `None` if it has no finite decimal form.
    pub(super) fn value(&self, shape: &Shape) -> Option<Option<Value>> {
        Some(Some(match shape {
            Shape::Bool(formula) => Value::Bool(self.assignment.satisfies(formula)),
            Shape::Number(Number::Constant(number)) => Value::Number(*number),
            Shape::Number(Number::Variable { name, .. }) => {
                Value::Number(self.number(name)?.unwrap_or(0.into()))
            }
            Shape::Text(of) => Value::Text(self.text(of)?),
            Shape::Elements(_) | Shape::Open | Shape::Absent => return Some(None),
        }))
    }
}

/// The values that an assignment fixes, and what is made of them.
pub(super) struct Values<'r> {
    policy: &'r Policy,
    encoder: &'r Encoder<'r>,
    fixed: BTreeMap<Operand, Option<Value>>,
}

impl<'r> Values<'r> {
    /// The values that the encoder asked about, or what cannot be shown of them.
    pub(super) fn new(policy: &'r Policy, reading: &Reading<'r>) -> Result<Self, Outside> {
        let endless = || Outside("a number without a finite decimal form".to_owned());
        let mut fixed = BTreeMap::new();
        for operand in &reading.encoder.operands {
            let value = chosen(policy, reading, operand).ok_or_else(endless)?;
            fixed.insert(operand.clone(), value);
        }
        // Sets hold the elements that the assignment says they hold.
        for (name, membership) in &reading.encoder.sets.memberships {
            let Some(Some(set)) = fixed.get_mut(&membership.set) else { continue };
            if !reading.holds(name) {
                continue;
            }
            let element = reading.value(&membership.element).ok_or_else(endless)?;
            match (set, element) {
                (Value::List(items), Some(element)) if !items.contains(&element) => {
                    items.push(element);
                }
                (Value::Record(entries), Some(Value::Text(key))) => {
                    let value = values_type(policy, reading, &membership.set);
                    entries.insert(key, smallest(&policy.types, value));
                }
                _ => {}
            }
        }
        Ok(Self { policy, encoder: reading.encoder, fixed })
    }

    /// The facts of the session.
    pub(super) fn facts(&self) -> BTreeMap<String, Value> {
        let value = |id, ty| {
            let root = |path: Vec<String>| Operand::Fact(FactId(id), path);
            build(&self.policy.types, ty, &mut Vec::new(), &self.fixed, &root)
        };
        let facts = self.policy.facts.iter().zip(0..);
        let facts = facts.map(|(f, id)| (f.name.clone(), value(id, f.ty).unwrap_or(Value::Null)));
        facts.collect()
    }

    /// The call of a tool at a place.
    pub(super) fn call(&self, tool: &Tool, place: &Place) -> Call {
        let mut found = Call { arguments: Arguments::new(), facts: self.facts() };
        for (argument, id) in tool.arguments.iter().zip(place.first_argument()..) {
            let mut value = self.variable(ArgumentId(id), argument.ty);
            let is_it =
                |operand: &Operand| matches!(operand, Operand::Argument(of, _) if of.0 == id);
            let mentioned = self.fixed.keys().any(is_it);
            if !argument.required && (!mentioned || (value.is_none() && argument.default.is_none()))
            {
                continue;
            }
            if value.is_none() {
                value = Some(Value::Null);
            }
            found.arguments.extend(value.map(|value| (argument.name.clone(), value)));
        }
        found
    }

    /// The fields of a record, those that something reads.
    pub(super) fn record(&self, record: &Record) -> Value {
        let fields = record.iter().filter_map(|(name, operand)| {
            let value = match operand {
                Operand::Literal(_) => self.of(operand)?,
                operand if self.is_asked(operand) => self.of(operand)?,
                _ => return None,
            };
            Some((name.clone(), value))
        });
        Value::Record(fields.collect())
    }

    /// The value of a variable, or of something in one.
    pub(super) fn of(&self, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Literal(value) => Some(value.clone()),
            operand => {
                let (ty, _) = self.encoder.declared_type(operand)?;
                let root = |path: Vec<String>| longer(operand, path);
                build(&self.policy.types, ty, &mut Vec::new(), &self.fixed, &root)
            }
        }
    }

    fn is_asked(&self, operand: &Operand) -> bool {
        self.fixed.keys().any(|asked| is_under(asked, operand))
    }

    fn variable(&self, id: ArgumentId, ty: TypeId) -> Option<Value> {
        let root = |path: Vec<String>| Operand::Argument(id, path);
        build(&self.policy.types, ty, &mut Vec::new(), &self.fixed, &root)
    }
}

/// What an operand reads, or something in it.
fn longer(operand: &Operand, rest: Vec<String>) -> Operand {
    let join = |path: &[String]| path.iter().cloned().chain(rest.clone()).collect();
    match operand {
        Operand::Fact(fact, path) => Operand::Fact(*fact, join(path)),
        Operand::Argument(argument, path) => Operand::Argument(*argument, join(path)),
        Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => operand.clone(),
    }
}

/// The type of a map's values.
fn values_type(policy: &Policy, reading: &Reading<'_>, map: &Operand) -> TypeId {
    let ty = reading.encoder.declared_type(map).map(|(ty, _)| without_null(&policy.types, ty).0);
    match ty.and_then(|ty| policy.types.get(ty.index())) {
        Some(Type::Map(value)) => *value,
        _ => TypeId(u32::MAX),
    }
}

/// What the assignment makes of an operand: `Some(None)` if it is absent.
fn chosen(policy: &Policy, reading: &Reading<'_>, operand: &Operand) -> Option<Option<Value>> {
    if reading.assignment.formulas.get(&encode::present(operand)) == Some(&false) {
        return Some(None);
    }
    let (ty, _) = reading.encoder.declared_type(operand)?;
    let (ty, _) = without_null(&policy.types, ty);
    let name = encode::value(operand);
    let is_asked =
        reading.texts.contains_key(&name) || reading.assignment.numbers.contains_key(&name);
    let number = |whole| Number::Variable { name: name.clone(), whole };
    match policy.types.get(ty.index())? {
        Type::Bool => reading.value(&Shape::Bool(Formula::variable(name))),
        Type::Integer => reading.value(&Shape::Number(number(true))),
        Type::Number => reading.value(&Shape::Number(number(false))),
        Type::Text | Type::Enumeration(_) | Type::Date | Type::Time | Type::Pattern(_)
            if is_asked =>
        {
            reading.value(&Shape::Text(number(true)))
        }
        Type::List(_) | Type::Set(_) => Some(Some(Value::List(Vec::new()))),
        Type::Map(_) => Some(Some(Value::Record(BTreeMap::new()))),
        Type::Null => Some(None),
        _ => Some(Some(smallest(&policy.types, ty))),
    }
}

/// A value of a type with the fixed values at their paths; `None` where it is to be absent.
fn build(
    types: &[Type],
    ty: TypeId,
    path: &mut Vec<String>,
    fixed: &BTreeMap<Operand, Option<Value>>,
    root: &dyn Fn(Vec<String>) -> Operand,
) -> Option<Value> {
    let (inner, _) = without_null(types, ty);
    if let Some(Type::Record { fields, .. }) = types.get(inner.index()) {
        if fixed.get(&root(path.clone())) == Some(&None) {
            return None;
        }
        let mut record = BTreeMap::new();
        for field in fields {
            path.push(field.name.clone());
            let mentioned = fixed.keys().any(|operand| is_under(operand, &root(path.clone())));
            if field.required || mentioned {
                let value = build(types, field.ty, path, fixed, root);
                let value = value.or(field.required.then_some(Value::Null));
                record.extend(value.map(|value| (field.name.clone(), value)));
            }
            path.pop();
        }
        return Some(Value::Record(record));
    }
    match fixed.get(&root(path.clone())) {
        Some(value) => value.clone(),
        None => Some(smallest(types, ty)),
    }
}

/// Whether an operand reads what another reads, or something in it.
fn is_under(operand: &Operand, other: &Operand) -> bool {
    match (operand, other) {
        (Operand::Fact(a, path), Operand::Fact(b, prefix)) => a == b && path.starts_with(prefix),
        (Operand::Argument(a, path), Operand::Argument(b, prefix)) => {
            a == b && path.starts_with(prefix)
        }
        _ => false,
    }
}

/// The plainest value of a type, and not null unless the type has nothing else.
pub(super) fn smallest(types: &[Type], ty: TypeId) -> Value {
    match types.get(ty.index()) {
        None | Some(Type::Null) => Value::Null,
        Some(Type::Any | Type::Text) => Value::Text(String::new()),
        Some(Type::Bool) => Value::Bool(false),
        Some(Type::Date) => Value::Text("1970-01-01".to_owned()),
        Some(Type::Time) => Value::Text("1970-01-01T00:00Z".to_owned()),
        Some(Type::Pattern(pattern)) => Value::Text(shortest(pattern)),
        Some(Type::Integer | Type::Number) => Value::Number(0.into()),
        Some(Type::Enumeration(values)) => {
            values.iter().find(|value| **value != Value::Null).cloned().unwrap_or(Value::Null)
        }
        Some(Type::List(_) | Type::Set(_)) => Value::List(Vec::new()),
        Some(Type::Map(_)) => Value::Record(BTreeMap::new()),
        Some(Type::Record { fields, .. }) => Value::Record(
            fields
                .iter()
                .filter(|field| field.required)
                .map(|field| (field.name.clone(), smallest(types, field.ty)))
                .collect(),
        ),
        Some(Type::Union(choices)) => {
            let mut values = choices.iter().map(|&choice| smallest(types, choice));
            values.find(|value| *value != Value::Null).unwrap_or(Value::Null)
        }
    }
}

/// The shortest text that matches; the empty one if it is not found.
fn shortest(pattern: &Pattern) -> String {
    let found = Automaton::new([pattern.tree()]).and_then(|all| all.texts(&vec![true], 1));
    found.unwrap_or_default().pop().unwrap_or_default()
}
