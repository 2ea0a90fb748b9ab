//! Tests give every fact, and values of the types that are declared. A test that expects a call to
//! be denied may get its arguments wrong on purpose.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{ArgumentId, Effect, FactId, TypeId};
use rtbas_artifact::ty;
use rtbas_artifact::value::Value;

use crate::diag::{Code, Diagnostic, Diagnostics, listed};
use crate::resolve::form::{self, EndsEarly};
use crate::resolve::hir::{Call, Outcome, Policy, Test, TestStep};
use crate::source::Span;

pub(super) fn check(policy: &Policy, diagnostics: &mut Diagnostics) {
    for test in &policy.tests {
        facts(policy, test, diagnostics);
        for step in &test.steps {
            if let TestStep::Call(call) = step {
                self::call(policy, call, diagnostics);
            }
        }
    }
}

fn facts(policy: &Policy, test: &Test, diagnostics: &mut Diagnostics) {
    let mut given = BTreeSet::new();
    for (fact, value, at) in &test.facts {
        given.insert(*fact);
        if let Some(fact) = policy.facts.get(fact.index()) {
            let what = format!("the fact `{}`", fact.name);
            fits(policy, fact.ty, value, (*at, &what), diagnostics);
        }
    }
    let ids = (0..).map(FactId).zip(&policy.facts);
    let missing: Vec<&str> =
        ids.filter(|(id, _)| !given.contains(id)).map(|(_, fact)| fact.name.as_str()).collect();
    if !missing.is_empty() {
        let message = format!("the test gives no value to {}", listed(missing.iter().copied()));
        let lines: Vec<String> = missing.iter().map(|name| format!("fact {name} = …")).collect();
        let diagnostic = Diagnostic::new(Code::E0307, test.span, message);
        diagnostics.push(diagnostic.help(lines.join("\n")));
    }
}

fn call(policy: &Policy, call: &Call, diagnostics: &mut Diagnostics) {
    let Some(tool) = policy.tools.get(call.tool.index()) else {
        return;
    };
    if let Some(Outcome::Returns(value, at)) = &call.outcome {
        let what = format!("the result of `{}`", tool.name);
        let is_of_type = fits(policy, tool.result, value, (*at, &what), diagnostics);
        if let (true, Err(early)) = (is_of_type, form::text(policy, tool, value)) {
            let EndsEarly { field, piece } = early;
            let message = format!("`{field}` would end before {}", Value::Text(piece.to_owned()));
            let note = "a value in a text ends where the next piece stands first, so the text does \
                        not say this";
            let help = "give a value without it, as the tool would";
            diagnostics.push(Diagnostic::new(Code::E0306, *at, message).note(note).help(help));
        }
    }
    if let (Some(outcome), Some(Effect::Confirm | Effect::Deny)) = (&call.outcome, call.expected) {
        let (Outcome::Returns(_, at) | Outcome::Fails(_, at)) = outcome;
        let message = "a call that does not run has no result";
        let help = "leave the result out, or expect `=> allow`";
        diagnostics.push(Diagnostic::new(Code::E0310, *at, message).help(help));
    }
    if call.expected == Some(Effect::Deny) {
        return;
    }
    let mut given = BTreeSet::new();
    for (index, (name, id, value, at)) in call.arguments.iter().enumerate() {
        let Some(id) = id else {
            let known = tool.arguments.iter().map(|argument| argument.name.as_str());
            let message = format!("`{}` has no argument `{name}`", tool.name);
            let diagnostic = Diagnostic::new(Code::E0304, *at, message);
            let arguments = listed(known.clone());
            let diagnostic = diagnostic.note(format!("arguments of `{}`: {arguments}", tool.name));
            diagnostics.push(diagnostic.did_you_mean(name, known));
            continue;
        };
        given.insert(*id);
        if let Some(argument) = tool.arguments.get(id.index()) {
            if *value == Value::Null && !argument.required && !holds(policy, argument.ty, value) {
                diagnostics.push(absent(&call.arguments, index, name, *at));
                continue;
            }
            let what = format!("the argument `{name}`");
            fits(policy, argument.ty, value, (*at, &what), diagnostics);
        }
    }
    let ids = (0..).map(ArgumentId).zip(&tool.arguments);
    let missing = ids.filter(|(id, argument)| argument.required && !given.contains(id));
    let missing: Vec<&str> = missing.map(|(_, argument)| argument.name.as_str()).collect();
    if !missing.is_empty() {
        let message = format!("the call does not give {}", listed(missing));
        let help = "such a call is denied; if that is what the test is about, it expects `=> deny`";
        diagnostics.push(Diagnostic::new(Code::E0306, call.span, message).help(help));
    }
}

/// What a call gives: the name, which argument it is, the value and the place.
type Given = (String, Option<ArgumentId>, Value, Span);

/// An argument that is given as `null`, and should not be given.
fn absent(arguments: &[Given], index: usize, name: &str, at: Span) -> Diagnostic {
    let message = format!("the argument `{name}` is never `null`");
    let help = format!("an argument that a call does not give is left out: delete `{name}: null`");
    let span = |index: usize| arguments.get(index).map(|(.., at)| *at);
    // With the comma that joins it to another.
    let place = match (index.checked_sub(1).and_then(span), span(index + 1)) {
        (Some(before), _) => Span { start: before.end, ..at },
        (None, Some(next)) => Span { end: next.start, ..at },
        (None, None) => at,
    };
    Diagnostic::new(Code::E0306, at, message).help(help).fix(place, "")
}

fn holds(policy: &Policy, of: TypeId, value: &Value) -> bool {
    ty::check(policy.types.entries(), of, value).is_ok()
}

fn fits(
    policy: &Policy,
    of: TypeId,
    value: &Value,
    (at, what): (Span, &str),
    diagnostics: &mut Diagnostics,
) -> bool {
    let types = policy.types.entries();
    let value = ty::with_sets(types, of, value.clone());
    if let Err(mismatch) = ty::check(types, of, &value) {
        let message = format!("{what} is of another type: {mismatch}");
        diagnostics.push(Diagnostic::new(Code::E0306, at, message));
        return false;
    }
    true
}
