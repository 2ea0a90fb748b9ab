//! Conditions: names → facts, arguments and fields.

mod application;
mod named;
mod label;

pub(super) use label::{label, label_rule};

use rtbas_artifact::ir::{self, Argument, ArgumentId, TypeId};
use rtbas_artifact::validate::MAX_NESTING;

use super::context::Context;
use super::hir::{Condition, Operand};
use super::scope::unknown;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{self, Name, OperandKind};
use crate::syntax::value_elsewhere;

/// What a condition may read, beside facts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope<'s> {
    /// The arguments of a call.
    pub(super) arguments: &'s [Argument],
    /// The fields of a record.
    pub(super) record: Option<TypeId>,
    /// The values in a text of a form, which nothing reads.
    pub(super) form: Option<TypeId>,
    /// The label of the call.
    pub(super) context: bool,
    /// The value of the region that is judged, by its type.
    pub(super) value: Option<TypeId>,
    /// The named condition that is being written out.
    pub(super) inside: Option<&'s named::Inside<'s>>,
}

/// The condition that is written; `None` after a message.
pub(super) fn condition(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    written: &ast::Condition,
) -> Option<Condition> {
    cx.written_out = 0;
    condition_at(cx, scope, written, Place::default())
}

/// Checks what named conditions say of themselves; the rest depends on where they are used.
pub(super) fn declare(cx: &mut Context<'_>, conditions: &[ast::NamedCondition]) {
    for condition in conditions {
        named::declare(cx, condition);
        application::is_free(cx, &condition.name);
    }
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
    cx.written_out += 1;
    let leaf = |cx: &mut Context<'_>, written: &ast::Operand| {
        if place.depth > MAX_NESTING {
            cx.push(too_deep("condition", written.span));
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
            Condition::Context(label::label(cx, scope, label))
        }
        ast::Condition::Compare(comparison, left, right) => {
            let (left, right) = (leaf(cx, left), leaf(cx, right));
            let (left, right) = application::dated(cx, left?, right?);
            Condition::Compare(*comparison, left, right)
        }
        ast::Condition::In(element, list) => {
            let (element, list) = (leaf(cx, element), leaf(cx, list));
            Condition::In(element?, list?)
        }
        ast::Condition::Stated(stated) => match &stated.kind {
            OperandKind::Application(name, values) => match cx.condition_named(&name.text) {
                Some(declared) => {
                    named::named(cx, scope, place, declared, (name, values, stated.span))?
                }
                None => application::test(cx, scope, (name, values, stated.span))?,
            },
            OperandKind::Path(name, path) if path.is_empty() => {
                match (stands_for(cx, scope, &name.text), cx.condition_named(&name.text)) {
                    (meanings, Some(declared)) if meanings.is_empty() => {
                        named::named(cx, scope, place, declared, (name, &[], stated.span))?
                    }
                    (mut meanings, Some(_)) => {
                        meanings.push("a condition");
                        cx.push(ambiguous(name, &meanings, "condition"));
                        return None;
                    }
                    (meanings, None)
                        if meanings.is_empty() && elsewhere(scope, name, &[]).is_none() =>
                    {
                        cx.push(nothing(cx, scope, name, true));
                        return None;
                    }
                    (_, None) => Condition::Stated(leaf(cx, stated)?),
                }
            }
            OperandKind::Path(..) | OperandKind::Literal(_) => Condition::Stated(leaf(cx, stated)?),
        },
        ast::Condition::Matches(text, pattern) => {
            Condition::Matches(leaf(cx, text)?, pattern.clone())
        }
        ast::Condition::SubsetOf(inner, outer) => {
            let (inner, outer) = (leaf(cx, inner), leaf(cx, outer));
            Condition::SubsetOf(inner?, outer?)
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

fn too_deep(what: &str, at: Span) -> Diagnostic {
    let message = format!("this {what} is nested more than {MAX_NESTING} deep");
    Diagnostic::new(Code::E0103, at, message)
}

/// What is wrong with `context` in this place.
fn misplaced(scope: Scope<'_>, place: Place, here: Span) -> Option<Diagnostic> {
    let at = scope.inside.map_or(here, named::Inside::outermost);
    let mistake = |message: &str| {
        let diagnostic = Diagnostic::new(Code::E0215, at, message);
        match scope.inside {
            Some(_) => diagnostic.label(here, "`context` stands here"),
            None => diagnostic,
        }
    };
    if place.depth > MAX_NESTING {
        return Some(too_deep("condition", at));
    }
    if !scope.context {
        let message = "`context` can be compared in the rules of a tool only";
        let help = "elsewhere a condition reads facts, and what arguments or fields there are";
        return Some(mistake(message).help(help));
    }
    if place.negated {
        let message = "`not` stands above `context`, so that more taint would allow more";
        let help = "say what a clean context may do: `allow when context <= …`";
        return Some(mistake(message).help(help));
    }
    None
}

/// What a value or a name stands for; `None` after a message.
pub(super) fn operand(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    operand: &ast::Operand,
) -> Option<Operand> {
    let span = operand.span;
    let (name, path) = match &operand.kind {
        OperandKind::Literal(value) => {
            let read = ir::Operand::Literal(value.clone());
            return Some(Operand { read, root: None, span });
        }
        OperandKind::Path(name, path) => (name, path),
        OperandKind::Application(name, values) => {
            return application::function(cx, scope, (name, values, span));
        }
    };
    if let Some(parameter) = scope.inside.and_then(|inside| inside.parameter(&name.text)) {
        return named::field_of(cx, parameter, (name, path), span);
    }
    let path: Vec<String> = path.iter().map(|name| name.text.clone()).collect();
    if let Some(root) = scope.value.filter(|_| name.text == "value") {
        let others = stands_for(cx, Scope { value: None, ..scope }, "value");
        if !others.is_empty() {
            let meanings = [&["the value of the region"], others.as_slice()].concat();
            cx.push(ambiguous(name, &meanings, "fact or argument"));
            return None;
        }
        return Some(Operand { read: ir::Operand::Field(path), root: Some(root), span });
    }
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
            let mistake = match elsewhere(scope, name, &path) {
                Some(right) => {
                    let message = format!("there is no `{}` here", name.text);
                    let mistake = Diagnostic::new(Code::E0201, name.span, message);
                    mistake.help(format!("write `{right}`")).fix(span, right)
                }
                None => nothing(cx, scope, name, false),
            };
            cx.push(mistake);
            return None;
        }
        _ => {
            let meanings = stands_for(cx, scope, &name.text);
            cx.push(ambiguous(name, &meanings, "fact"));
            return None;
        }
    };
    Some(Operand { read, root, span })
}

/// What other languages call so: a value, or the arguments of a call.
fn elsewhere(scope: Scope<'_>, name: &Name, path: &[String]) -> Option<String> {
    const ARGUMENTS: [&str; 7] =
        ["args", "arguments", "call", "input", "parameters", "params", "request"];
    match path.split_first() {
        None => value_elsewhere(&name.text).map(str::to_owned),
        Some((argument, _)) => {
            let is_known = scope.arguments.iter().any(|known| known.name == *argument);
            let path: Vec<String> = path.iter().map(|step| super::scope::written(step)).collect();
            (is_known && ARGUMENTS.contains(&name.text.as_str())).then(|| path.join("."))
        }
    }
}

/// What a name stands for that is a value.
fn stands_for(cx: &Context<'_>, scope: Scope<'_>, name: &str) -> Vec<&'static str> {
    if scope.inside.is_some_and(|inside| inside.parameter(name).is_some()) {
        return vec!["a parameter"];
    }
    if name == "value" && scope.value.is_some() {
        return vec!["the value of the region"];
    }
    let fields = scope.record.map_or(&[][..], |record| cx.types.fields(record));
    let meanings = [
        cx.fact_names.get(name).map(|_| "a fact"),
        scope.arguments.iter().find(|a| a.name == name).map(|_| "an argument"),
        fields.iter().find(|field| field.name == name).map(|_| "a field of the record"),
    ];
    meanings.into_iter().flatten().collect()
}

/// A name that stands for several things, one of which should be renamed.
pub(super) fn ambiguous(name: &Name, meanings: &[&str], rename: &str) -> Diagnostic {
    let message = format!("`{}` is {}", name.text, meanings.join(" and "));
    let help = format!("rename the {rename}, so that a reader knows which one is meant");
    Diagnostic::new(Code::E0203, name.span, message).help(help)
}

/// A name that means nothing here, where a value stands or a condition, too.
fn nothing(cx: &Context<'_>, scope: Scope<'_>, name: &Name, condition: bool) -> Diagnostic {
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
    if condition {
        kinds.push("condition");
        known.extend(cx.condition_names());
    }
    let mut diagnostic = unknown(&kinds.join(" or "), name, known);
    let in_form = scope.form.map_or(&[][..], |form| cx.types.fields(form));
    if in_form.iter().any(|field| field.name == name.text) {
        let note = "what stands in the text as this may be words of the values before it, so no \
                    guard and no label reads it";
        diagnostic = diagnostic.note(note);
    }
    match scope.inside {
        Some(inside) => diagnostic.label(inside.outermost(), "where this is used"),
        None => diagnostic,
    }
}
