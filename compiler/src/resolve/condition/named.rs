//! Named conditions: each is written out where it is used, and its names mean what they mean there.

use rtbas_artifact::ir;
use rtbas_artifact::validate::{MAX_NESTING, MAX_WEIGHT};

use super::{Place, Scope, condition_at, operand};
use crate::diag::{Code, Diagnostic};
use crate::resolve::context::Context;
use crate::resolve::hir::{Condition, Operand};
use crate::resolve::scope::Names;
use crate::source::Span;
use crate::syntax::ast::{self, Name};

/// A named condition that is being written out.
#[derive(Debug)]
pub(in crate::resolve) struct Inside<'s> {
    name: &'s str,
    /// Where it is used.
    pub(super) at: Span,
    /// What its parameters stand for.
    parameters: Vec<(&'s str, Operand)>,
    /// The one around it.
    outer: Option<&'s Inside<'s>>,
}

impl<'s> Inside<'s> {
    /// What a parameter stands for.
    pub(super) fn parameter(&self, name: &str) -> Option<&Operand> {
        self.parameters.iter().find(|(known, _)| *known == name).map(|(_, operand)| operand)
    }

    /// Where the outermost one is used: in a rule, a label or a claim.
    pub(super) fn outermost(&self) -> Span {
        self.outer.map_or(self.at, Inside::outermost)
    }

    fn names(&self) -> Vec<&'s str> {
        let mut names = self.outer.map(Inside::names).unwrap_or_default();
        names.push(self.name);
        names
    }
}

/// The named condition that is used, written out; `None` after a message.
pub(super) fn named(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    place: Place,
    declared: &ast::NamedCondition,
    (name, values, at): (&Name, &[ast::Operand], Span),
) -> Option<Condition> {
    let open = scope.inside.map(Inside::names).unwrap_or_default();
    if let Some(first) = open.iter().position(|open| *open == name.text) {
        let circle = open.iter().skip(first).copied().chain([name.text.as_str()]);
        let arrows: Vec<&str> = circle.collect();
        let message =
            format!("the condition `{}` is made of itself: {}", name.text, arrows.join(" -> "));
        cx.push(Diagnostic::new(Code::E0204, at, message));
        return None;
    }
    if open.len() > MAX_NESTING {
        let message = format!("named conditions stand in each other more than {MAX_NESTING} deep");
        cx.push(Diagnostic::new(Code::E0103, at, message));
        return None;
    }
    let (wanted, given) = (declared.parameters.len(), values.len());
    if wanted != given {
        let s = if wanted == 1 { "" } else { "s" };
        let message = format!("`{}` takes {wanted} value{s}, and is given {given}", name.text);
        let parameters: Vec<&str> = declared.parameters.iter().map(|p| p.text.as_str()).collect();
        let help = match parameters.as_slice() {
            [] => format!("write `{}`", name.text),
            _ => format!("write `{}({})`", name.text, parameters.join(", ")),
        };
        let diagnostic = Diagnostic::new(Code::E0218, at, message).help(help);
        cx.push(diagnostic.label(declared.name.span, "declared here"));
        return None;
    }
    // Every value is looked at, so that every mistake is found.
    let values: Vec<Option<Operand>> =
        values.iter().map(|value| operand(cx, scope, value)).collect();
    let values: Vec<Operand> = values.into_iter().collect::<Option<_>>()?;
    let names = declared.parameters.iter().map(|parameter| parameter.text.as_str());
    let parameters = names.zip(values).collect();
    let inside = Inside { name: &declared.name.text, at, parameters, outer: scope.inside };
    if cx.written_out > MAX_WEIGHT {
        let message = format!(
            "this condition has more than {MAX_WEIGHT} parts when the names in it are written out"
        );
        cx.push(Diagnostic::new(Code::E0103, inside.outermost(), message));
        return None;
    }
    let scope = Scope { inside: Some(&inside), ..scope };
    condition_at(cx, scope, &declared.condition, place)
}

/// What a parameter stands for, and a path from there.
pub(super) fn field_of(
    cx: &mut Context<'_>,
    parameter: &Operand,
    (name, path): (&Name, &[Name]),
    span: Span,
) -> Option<Operand> {
    let mut operand = parameter.clone();
    if path.is_empty() {
        return Some(operand);
    }
    match &mut operand.read {
        ir::Operand::Fact(_, steps)
        | ir::Operand::Argument(_, steps)
        | ir::Operand::Field(steps) => steps.extend(path.iter().map(|step| step.text.clone())),
        ir::Operand::Literal(_) | ir::Operand::Derived(..) => {
            let message = format!("`{}` stands for a value without fields here", name.text);
            let diagnostic = Diagnostic::new(Code::E0218, span, message);
            cx.push(diagnostic.label(parameter.span, "for this one"));
            return None;
        }
    }
    Some(operand)
}

/// Whether a condition's own names are in order: its parameters differ, and none is a fact.
pub(super) fn declare(cx: &mut Context<'_>, declared: &ast::NamedCondition) {
    let mut names = Names::new("parameter");
    for parameter in &declared.parameters {
        let is_new = names.declare(parameter, (), cx.diagnostics);
        if is_new && cx.fact_names.get(&parameter.text).is_some() {
            let message = format!("`{}` is a parameter and a fact", parameter.text);
            let help = "rename the parameter, so that a reader knows which one is meant";
            cx.push(Diagnostic::new(Code::E0203, parameter.span, message).help(help));
        }
    }
}
