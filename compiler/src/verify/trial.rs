//! Plain calls to try before the solver is asked: where the evaluator finds on one of them what is
//! looked for, that it exists is shown, and no search is needed.

use std::collections::BTreeMap;

use rtbas_artifact::eval::{Arguments, Facts, Scope, Truth};
use rtbas_artifact::ir::{ConditionId, Effect, Tool, Type, TypeId};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

/// A call with the facts of its session.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    facts: BTreeMap<String, Value>,
    arguments: Arguments,
}

impl Trial {
    /// A call with nothing degenerate in it: texts and lists are not empty, and every argument is
    /// there.
    pub(super) fn plain(program: &Program, tool: &Tool) -> Self {
        let types = &program.policy().types;
        let facts = program.policy().facts.iter();
        Self {
            facts: facts.map(|fact| (fact.name.clone(), plain(types, fact.ty))).collect(),
            arguments: tool
                .arguments
                .iter()
                .map(|argument| (argument.name.clone(), plain(types, argument.ty)))
                .collect(),
        }
    }

    /// Which rules fire, each for itself, at a label that the facts may decide about. Nothing if
    /// the call is none: a type may have no plain value.
    pub(super) fn fires(
        &self,
        program: &Program,
        tool: &Tool,
        label: impl Fn(&Facts) -> Label,
    ) -> Option<Vec<(Effect, bool)>> {
        let facts = program.facts(self.facts.clone()).ok()?;
        let call = program.bind(&tool.name, &self.arguments).ok()?;
        let label = label(&facts);
        let scope = Scope { facts: &facts, call: Some(&call), context: Some(&label), record: None };
        let fires = |effect, when: Option<ConditionId>| {
            let truth = when.map_or(Truth::True, |when| program.holds(when, &scope));
            match effect {
                Effect::Allow => truth == Truth::True,
                Effect::Confirm | Effect::Deny => truth != Truth::False,
            }
        };
        let rules = tool.rules.iter();
        Some(rules.map(|rule| (rule.effect, fires(rule.effect, rule.when))).collect())
    }
}

/// A plain value of a type; null where there is none.
fn plain(types: &[Type], ty: TypeId) -> Value {
    let text = || Value::Text("x".to_owned());
    match types.get(ty.index()) {
        None | Some(Type::Null) => Value::Null,
        Some(Type::Any | Type::Text) => text(),
        Some(Type::Bool) => Value::Bool(true),
        Some(Type::Integer | Type::Number) => Value::Number(1.into()),
        Some(Type::Enumeration(values)) => values.first().cloned().unwrap_or(Value::Null),
        Some(Type::List(item) | Type::Set(item)) => Value::List(vec![plain(types, *item)]),
        Some(Type::Map(value)) => {
            Value::Record(BTreeMap::from([("x".to_owned(), plain(types, *value))]))
        }
        Some(Type::Record { fields, .. }) => Value::Record(
            fields.iter().map(|field| (field.name.clone(), plain(types, field.ty))).collect(),
        ),
        Some(Type::Union(choices)) => {
            let mut values = choices.iter().map(|&choice| plain(types, choice));
            values.find(|value| *value != Value::Null).unwrap_or(Value::Null)
        }
        Some(Type::Date) => Value::Text("2000-01-01".to_owned()),
        Some(Type::Time) => Value::Text("2000-01-01T00:00Z".to_owned()),
        // Its texts are the automaton's to find.
        Some(Type::Pattern(_)) => Value::Null,
    }
}
