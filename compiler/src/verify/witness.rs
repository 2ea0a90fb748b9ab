//! From the solver's assignment to a concrete call: the smallest values of their types, with those
//! that the assignment fixes put in their places.

use std::collections::BTreeMap;

use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::{ArgumentId, FactId, Operand, Policy, Tool, Type, TypeId};
use rtbas_artifact::value::Value;

use super::encode::{self, Encoder, declared_type, without_null};
use super::z3::Assignment;

/// A call and the facts of a session in which it is made.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) arguments: Arguments,
    pub(super) facts: BTreeMap<String, Value>,
}

/// The call that an assignment describes, or `None` if a number in it has no finite decimal form.
pub(super) fn call(
    policy: &Policy,
    tool: &Tool,
    encoder: &Encoder<'_>,
    assignment: &Assignment,
) -> Option<Call> {
    let texts = encoder.texts(assignment)?;
    let mut fixed = BTreeMap::new();
    for operand in &encoder.operands {
        let mut value = chosen(policy, tool, encoder, assignment, operand)?;
        // Where a pattern is asked of a text, not every text will do.
        if let (Some(Value::Text(any)), Some(text)) =
            (&mut value, texts.get(&encode::value(operand)))
        {
            any.clone_from(text);
        }
        fixed.insert(operand.clone(), value);
    }
    // Sets hold the elements that the assignment says they hold.
    for membership in &encoder.memberships {
        let holds = assignment.formulas.get(&membership.name) == Some(&true);
        let element = match &membership.element {
            Operand::Literal(value) => Some(value.clone()),
            element => fixed.get(element).cloned().flatten(),
        };
        let set = fixed.get_mut(&membership.set);
        if let (true, Some(element), Some(Some(Value::List(items)))) = (holds, element, set) {
            items.push(element);
        }
    }
    let mut found = Call { arguments: Arguments::new(), facts: BTreeMap::new() };
    for (fact, id) in policy.facts.iter().zip(0..) {
        let root = |path: Vec<String>| Operand::Fact(FactId(id), path);
        let value = build(&policy.types, fact.ty, &mut Vec::new(), &fixed, &root);
        found.facts.insert(fact.name.clone(), value.unwrap_or(Value::Null));
    }
    for (argument, id) in tool.arguments.iter().zip(0..) {
        let root = |path: Vec<String>| Operand::Argument(ArgumentId(id), path);
        let mut value = build(&policy.types, argument.ty, &mut Vec::new(), &fixed, &root);
        let mentioned = fixed.keys().any(
            |operand| matches!(operand, Operand::Argument(ArgumentId(other), _) if *other == id),
        );
        if !argument.required && (!mentioned || (value.is_none() && argument.default.is_none())) {
            continue;
        }
        if value.is_none() {
            value = Some(Value::Null);
        }
        found.arguments.extend(value.map(|value| (argument.name.clone(), value)));
    }
    Some(found)
}

/// What the assignment makes of an operand: `Some(None)` if it is absent.
fn chosen(
    policy: &Policy,
    tool: &Tool,
    encoder: &Encoder<'_>,
    assignment: &Assignment,
    operand: &Operand,
) -> Option<Option<Value>> {
    if assignment.formulas.get(&encode::present(operand)) == Some(&false) {
        return Some(None);
    }
    let (ty, _) = declared_type(policy, tool, operand)?;
    let (ty, _) = without_null(&policy.types, ty);
    let name = encode::value(operand);
    let value = match policy.types.get(ty.index())? {
        Type::Bool => Value::Bool(assignment.formulas.get(&name).copied().unwrap_or(false)),
        Type::Integer | Type::Number => match assignment.numbers.get(&name) {
            Some(number) => Value::Number((*number)?),
            None => Value::Number(0.into()),
        },
        Type::Text | Type::Enumeration(_) => match assignment.numbers.get(&name) {
            Some(number) => {
                let number = (*number)?;
                let literal = encoder.text_of(number).map(str::to_owned);
                Value::Text(literal.unwrap_or_else(|| {
                    let mut text = format!("text {number}");
                    while encoder.is_literal(&text) {
                        text.push('\'');
                    }
                    text
                }))
            }
            None => smallest(&policy.types, ty),
        },
        Type::List(_) | Type::Set(_) => Value::List(Vec::new()),
        Type::Null => return Some(None),
        Type::Any | Type::Record { .. } | Type::Union(_) => smallest(&policy.types, ty),
    };
    Some(Some(value))
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
fn smallest(types: &[Type], ty: TypeId) -> Value {
    match types.get(ty.index()) {
        None | Some(Type::Null) => Value::Null,
        Some(Type::Any | Type::Text) => Value::Text(String::new()),
        Some(Type::Bool) => Value::Bool(false),
        Some(Type::Integer | Type::Number) => Value::Number(0.into()),
        Some(Type::Enumeration(values)) => {
            values.iter().find(|value| **value != Value::Null).cloned().unwrap_or(Value::Null)
        }
        Some(Type::List(_) | Type::Set(_)) => Value::List(Vec::new()),
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
