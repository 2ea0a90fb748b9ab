//! Tests → cases that an engine can be taken through.

use std::collections::BTreeMap;

use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::Effect;
use rtbas_artifact::value::Value;

use super::written;
use crate::resolve::hir;
use crate::source::Span;

/// A test of the policy.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// What it says.
    pub name: String,
    /// Where it says so.
    pub span: Span,
    /// The facts of its session.
    pub facts: BTreeMap<String, Value>,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub enum Step {
    /// A message of the application.
    System(String),
    /// A message of the user.
    User(String),
    /// A call that the model proposes.
    Call {
        /// The tool's name.
        tool: String,
        /// Its arguments.
        arguments: Arguments,
        /// What comes back, if the test says so.
        outcome: Option<Outcome>,
        /// The decision that is expected, if the test says so.
        expected: Option<Effect>,
        /// Where.
        span: Span,
    },
    /// A final answer.
    Reply {
        /// Its text.
        text: String,
        /// The decision that is expected, if the test says so.
        expected: Option<Effect>,
        /// Where.
        span: Span,
    },
}

/// What comes back from a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The text of a result, in the tool's format.
    Returns(String),
    /// The text of an error.
    Fails(String),
}

pub(super) fn case(policy: &hir::Policy, test: &hir::Test) -> TestCase {
    let fact = |(id, value, _): &(rtbas_artifact::ir::FactId, Value, Span)| {
        let fact = policy.facts.get(id.index())?;
        Some((fact.name.clone(), value.clone()))
    };
    let step = |step: &hir::TestStep| match step {
        hir::TestStep::System(text) => Some(Step::System(text.clone())),
        hir::TestStep::User(text) => Some(Step::User(text.clone())),
        hir::TestStep::Reply(text, expected, span) => {
            Some(Step::Reply { text: text.clone(), expected: *expected, span: *span })
        }
        hir::TestStep::Call(call) => self::call(policy, call),
    };
    TestCase {
        name: test.name.clone(),
        span: test.span,
        facts: test.facts.iter().filter_map(fact).collect(),
        steps: test.steps.iter().filter_map(step).collect(),
    }
}

fn call(policy: &hir::Policy, call: &hir::Call) -> Option<Step> {
    let tool = policy.tools.get(call.tool.index())?;
    let arguments = call.arguments.iter();
    let arguments = arguments.map(|(name, _, value, _)| (name.clone(), value.clone())).collect();
    let outcome = call.outcome.as_ref().map(|outcome| match outcome {
        hir::Outcome::Returns(value, _) => Outcome::Returns(written::text(policy, tool, value)),
        hir::Outcome::Fails(text, _) => Outcome::Fails(text.clone()),
    });
    let (expected, span) = (call.expected, call.span);
    Some(Step::Call { tool: tool.name.clone(), arguments, outcome, expected, span })
}
