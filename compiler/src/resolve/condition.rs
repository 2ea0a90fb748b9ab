//! Conditions and labels that they choose: names → facts, arguments and fields.

use rtbas_artifact::ir::{self, Argument, ArgumentId, TypeId};
use rtbas_artifact::validate::MAX_NESTING;

use super::context::Context;
use super::hir::{Condition, LabelRule, Operand};
use super::scope::unknown;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{self, Name, OperandKind};

/// What a condition may read, beside facts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope<'s> {
    /// The arguments of a call.
    pub(super) arguments: &'s [Argument],
    /// The fields of a record.
    pub(super) record: Option<TypeId>,
    /// The label of the call.
    pub(super) context: bool,
}

/// The condition that is written; `None` after a message.
pub(super) fn condition(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    written: &ast::Condition,
) -> Option<Condition> {
    condition_at(cx, scope, written, Place::default())
}

/// Where in a condition.
#[derive(Clone, Copy, Default)]
struct Place {
    negated: bool,
    depth: usize,
}

fn condition_at(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    written: &ast::Condition,
    place: Place,
) -> Option<Condition> {
    let place = Place { depth: place.depth + 1, ..place };
    let leaf = |cx: &mut Context<'_>, written: &ast::Operand| {
        if place.depth > MAX_NESTING {
            cx.push(too_deep(written.span));
        }
        operand(cx, scope, written)
    };
    let parts = |cx: &mut Context<'_>, parts: &[ast::Condition]| {
        // Every part is looked at, so that every mistake is found.
        let resolved: Vec<Option<Condition>> =
            parts.iter().map(|part| condition_at(cx, scope, part, place)).collect();
        resolved.into_iter().collect::<Option<Vec<Condition>>>()
    };
    Some(match written {
        ast::Condition::Context(label, span) => {
            if let Some(mistake) = misplaced(scope, place, *span) {
                cx.push(mistake);
            }
            Condition::Context(cx.label(label))
        }
        ast::Condition::Compare(comparison, left, right) => {
            let (left, right) = (leaf(cx, left), leaf(cx, right));
            Condition::Compare(*comparison, left?, right?)
        }
        ast::Condition::In(element, list) => {
            let (element, list) = (leaf(cx, element), leaf(cx, list));
            Condition::In(element?, list?)
        }
        ast::Condition::Matches(text, pattern) => {
            Condition::Matches(leaf(cx, text)?, pattern.clone())
        }
        ast::Condition::Present(present) => Condition::Present(leaf(cx, present)?),
        ast::Condition::Not(inner) => {
            let place = Place { negated: true, ..place };
            Condition::Not(Box::new(condition_at(cx, scope, inner, place)?))
        }
        ast::Condition::All(all) => Condition::All(parts(cx, all)?),
        ast::Condition::Any(any) => Condition::Any(parts(cx, any)?),
    })
}

fn too_deep(at: Span) -> Diagnostic {
    let message = format!("this condition is nested more than {MAX_NESTING} deep");
    Diagnostic::new(Code::E0103, at, message)
}

/// What is wrong with `context` in this place.
fn misplaced(scope: Scope<'_>, place: Place, at: Span) -> Option<Diagnostic> {
    if place.depth > MAX_NESTING {
        return Some(too_deep(at));
    }
    if !scope.context {
        let message = "`context` can be compared in the rules of a tool only";
        let help = "elsewhere a condition reads facts, and what arguments or fields there are";
        return Some(Diagnostic::new(Code::E0215, at, message).help(help));
    }
    if place.negated {
        let message = "`not` stands above `context`, so that more taint would allow more";
        let help = "say what a clean context may do: `allow when context <= …`";
        return Some(Diagnostic::new(Code::E0215, at, message).help(help));
    }
    None
}

fn operand(cx: &mut Context<'_>, scope: Scope<'_>, operand: &ast::Operand) -> Option<Operand> {
    let span = operand.span;
    let (name, path) = match &operand.kind {
        OperandKind::Literal(value) => {
            let read = ir::Operand::Literal(value.clone());
            return Some(Operand { read, root: None, span });
        }
        OperandKind::Path(name, path) => (name, path),
    };
    let path: Vec<String> = path.iter().map(|name| name.text.clone()).collect();
    let fact = cx.fact_names.get(&name.text);
    let argument = scope.arguments.iter().zip(0..).find(|(a, _)| a.name == name.text);
    let fields = scope.record.map_or(&[][..], |record| cx.types.fields(record));
    let field = fields.iter().any(|field| field.name == name.text).then_some(());
    let (read, root) = match (fact, argument, field) {
        (Some(fact), None, None) => {
            cx.facts_read.insert(fact);
            let ty = cx.facts.get(fact.index()).map(|fact| fact.ty);
            (ir::Operand::Fact(fact, path), ty)
        }
        (None, Some((argument, id)), None) => {
            (ir::Operand::Argument(ArgumentId(id), path), Some(argument.ty))
        }
        (None, None, Some(())) => {
            let steps = std::iter::once(name.text.clone()).chain(path).collect();
            (ir::Operand::Field(steps), scope.record)
        }
        (None, None, None) => {
            let mistake = nothing(cx, scope, name);
            cx.push(mistake);
            return None;
        }
        _ => {
            let meanings = [
                fact.map(|_| "a fact"),
                argument.map(|_| "an argument"),
                field.map(|_| "a field of the record"),
            ];
            let meanings: Vec<&str> = meanings.into_iter().flatten().collect();
            let message = format!("`{}` is {}", name.text, meanings.join(" and "));
            let help = "rename the fact, so that a reader knows which one is meant";
            cx.push(Diagnostic::new(Code::E0203, name.span, message).help(help));
            return None;
        }
    };
    Some(Operand { read, root, span })
}

/// A name that means nothing here.
fn nothing(cx: &Context<'_>, scope: Scope<'_>, name: &Name) -> Diagnostic {
    let mut kinds = vec!["fact"];
    let mut known: Vec<&str> = cx.fact_names.iter().map(|(fact, _)| fact).collect();
    if !scope.arguments.is_empty() {
        kinds.push("argument");
        known.extend(scope.arguments.iter().map(|argument| argument.name.as_str()));
    }
    if let Some(record) = scope.record {
        kinds.push("field");
        known.extend(cx.types.fields(record).iter().map(|field| field.name.as_str()));
    }
    unknown(&kinds.join(" or "), name, known)
}

/// The label rule that is written; `None` after a message.
pub(super) fn label_rule(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    written: &ast::LabelRule,
) -> Option<LabelRule> {
    let alternatives: Vec<_> = written
        .alternatives
        .iter()
        .map(|(label, when)| {
            let label = cx.label(label);
            Some((label, condition(cx, scope, when)?))
        })
        .collect();
    let otherwise = cx.label(&written.otherwise);
    Some(LabelRule { alternatives: alternatives.into_iter().collect::<Option<_>>()?, otherwise })
}
