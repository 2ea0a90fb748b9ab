//! What happens in a session: messages of the user, outputs, and what becomes of their calls.

use rtbas_artifact::ir::{Policy, Tool};
use rtbas_artifact::value::Value;

use crate::generate::dice::Dice;
use crate::generate::{results, values};
use crate::monitor::{Call, Outcome};

/// A session as it is to run. What is planned for a call that may not run does not happen.
#[derive(Clone, Debug)]
pub struct Script {
    /// System messages.
    pub system: Vec<String>,
    /// What follows.
    pub steps: Vec<Step>,
}

/// A step of a session.
#[derive(Clone, Debug)]
pub enum Step {
    /// The user writes.
    User(String),
    /// The model answers without calls.
    Reply(String),
    /// The model makes calls.
    Output(Output),
}

/// An output with calls.
#[derive(Clone, Debug)]
pub struct Output {
    /// The calls.
    pub calls: Vec<Planned>,
    /// The order in which they are settled.
    pub order: Vec<usize>,
}

/// A call, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The call.
    pub call: Call,
    /// Whether the user approves it, if asked.
    pub approve: bool,
    /// What comes of it, if it may run.
    pub outcome: Outcome,
}

/// A session of a policy.
pub fn script(dice: &mut Dice<'_>, policy: &Policy) -> Script {
    let system = (0..dice.below(3)).map(|i| format!("system {i}")).collect();
    let mut steps = Vec::new();
    for i in 0..dice.between(2, 10) {
        steps.push(match dice.below(12) {
            0 | 1 => Step::User(format!("user {i} {}", dice.text())),
            2 => Step::Reply(format!("reply {i}")),
            _ => Step::Output(output(dice, policy)),
        });
    }
    Script { system, steps }
}

/// An output of one to three calls.
pub fn output(dice: &mut Dice<'_>, policy: &Policy) -> Output {
    let count = [1, 2, 2, 3].get(dice.below(4)).copied().unwrap_or(1);
    let calls: Vec<Planned> = (0..count).map(|_| planned(dice, policy)).collect();
    let mut order: Vec<usize> = (0..calls.len()).collect();
    if dice.chance(40) {
        order.reverse();
    }
    Output { calls, order }
}

fn planned(dice: &mut Dice<'_>, policy: &Policy) -> Planned {
    let call = call(dice, policy);
    let approve = !dice.chance(30);
    let outcome = outcome(dice, policy, tool(policy, &call));
    Planned { call, approve, outcome }
}

/// The tool that a call names.
#[must_use]
pub fn tool<'p>(policy: &'p Policy, call: &Call) -> Option<&'p Tool> {
    policy.tools.iter().find(|tool| tool.name == call.tool)
}

/// What comes of a call of a tool.
pub fn outcome(dice: &mut Dice<'_>, policy: &Policy, tool: Option<&Tool>) -> Outcome {
    match (dice.below(20), tool) {
        (1, _) => Outcome::Withdrawn,
        (2, _) => Outcome::Dropped,
        (3 | 4, _) => Outcome::Failed(format!("it failed: {}", dice.text())),
        (_, Some(tool)) => Outcome::Returned(results::document(dice, policy, tool)),
        (_, None) => Outcome::Withdrawn,
    }
}

/// A call, now and then one that no tool answers to.
pub fn call(dice: &mut Dice<'_>, policy: &Policy) -> Call {
    let Some(tool) = dice.pick(&policy.tools).filter(|_| !dice.clone().chance(4)) else {
        return Call { tool: "unknown".to_owned(), arguments: std::collections::BTreeMap::new() };
    };
    let mut arguments = std::collections::BTreeMap::new();
    for argument in &tool.arguments {
        if argument.required || dice.chance(60) {
            let value = values::value(dice, &policy.types, argument.ty);
            arguments.insert(argument.name.clone(), value);
        }
    }
    if dice.chance(8) {
        match (dice.below(3), dice.pick(&tool.arguments)) {
            (0, Some(argument)) => drop(arguments.remove(&argument.name)),
            (1, Some(argument)) => {
                if let Some(value) = values::mistyped(dice, &policy.types, argument.ty) {
                    arguments.insert(argument.name.clone(), value);
                }
            }
            _ => drop(arguments.insert("other".to_owned(), Value::Bool(true))),
        }
    }
    Call { tool: tool.name.clone(), arguments }
}
