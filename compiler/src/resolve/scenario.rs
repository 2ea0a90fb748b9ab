//! Tests: sessions that a policy writes down.

use super::context::Context;
use super::hir::{Call, Test, TestStep, Tool};
use super::tool::argument;
use super::tool::cover::find;
use crate::diag::{Code, Diagnostic};
use crate::syntax::ast;

/// A test.
pub(super) fn test(cx: &mut Context<'_>, tools: &[Tool], written: &ast::Test) -> Test {
    let mut test = Test {
        name: written.name.clone(),
        span: written.span,
        facts: Vec::new(),
        steps: Vec::new(),
    };
    for (name, value, span) in &written.facts {
        let Some(fact) = cx.fact_names.find(name, cx.diagnostics) else { continue };
        if test.facts.iter().any(|(given, ..)| *given == fact) {
            let message = format!("the test gives the fact `{}` twice", name.text);
            cx.push(Diagnostic::new(Code::E0216, name.span, message));
        }
        test.facts.push((fact, value.clone(), *span));
    }
    for step in &written.steps {
        test.steps.extend(match step {
            ast::TestStep::System(text) => Some(TestStep::System(text.clone())),
            ast::TestStep::User(text) => Some(TestStep::User(text.clone())),
            ast::TestStep::Reply(text, expected, span) => {
                Some(TestStep::Reply(text.clone(), *expected, *span))
            }
            ast::TestStep::Call(written) => call(cx, tools, written).map(TestStep::Call),
        });
    }
    test
}

fn call(cx: &mut Context<'_>, tools: &[Tool], written: &ast::Call) -> Option<Call> {
    let tool = find(cx, tools, &written.tool)?;
    let declared = tools.get(tool.index()).map_or(&[][..], |tool| &tool.arguments);
    let mut arguments = Vec::new();
    for (name, value, span) in &written.arguments {
        if arguments.iter().any(|(given, ..): &(String, _, _, _)| *given == name.text) {
            let message = format!("the call gives the argument `{}` twice", name.text);
            cx.push(Diagnostic::new(Code::E0216, name.span, message));
        }
        let id = argument(declared, name);
        arguments.push((name.text.clone(), id, value.clone(), name.span.to(*span)));
    }
    let outcome = written.outcome.clone();
    let expected = written.expected;
    Some(Call { tool, arguments, outcome, expected, span: written.span })
}
