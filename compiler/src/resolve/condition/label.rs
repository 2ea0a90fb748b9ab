//! Labels, and those that conditions choose: names → levels, and values that name readers or
//! sources.

use std::collections::BTreeMap;

use rtbas_artifact::ir;
use rtbas_artifact::lattice::{Lattice as Table, LevelId};
use rtbas_artifact::validate::MAX_NESTING;

use super::{Scope, condition, operand, too_deep};
use crate::diag::{Code, Diagnostic, listed};
use crate::resolve::context::Context;
use crate::resolve::hir::{Label, LabelRule, SetTerm};
use crate::resolve::lattice::{Axis, AxisKind, Found};
use crate::resolve::scope::unknown;
use crate::source::Span;
use crate::syntax::ast::{self, OperandKind};

/// The label that is written; what is wrong with it is left out after a message.
pub(in crate::resolve) fn label(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    written: &ast::Label,
) -> Label {
    let (closed, open) = cx.levels.count();
    let (levels, sets) = (vec![None; closed], vec![None; open]);
    let mut label = Label { levels, sets, span: written.span };
    let (named, within) = (BTreeMap::new(), Vec::new());
    let mut parts = Parts { label: &mut label, named, within, count: 0 };
    add_parts(cx, scope, &mut parts, written);
    label
}

/// Most parts of a label when its abbreviations are written out.
const MAX_PARTS: usize = 4096;

/// A label that is being put together.
struct Parts<'l> {
    label: &'l mut Label,
    /// Where an axis got its level.
    named: BTreeMap<usize, Span>,
    /// The abbreviations around the part that comes next.
    within: Vec<String>,
    count: usize,
}

fn add_parts(cx: &mut Context<'_>, scope: Scope<'_>, parts: &mut Parts<'_>, written: &ast::Label) {
    for level in &written.levels {
        parts.count += 1;
        if let Some(whole) = cx.abbreviation(level) {
            if parts.within.contains(&level.name.text) {
                let message = format!("the label `{}` stands for itself", level.name.text);
                cx.push(Diagnostic::new(Code::E0204, level.span, message));
            } else if parts.within.len() >= MAX_NESTING || parts.count > MAX_PARTS {
                cx.push(too_deep("label", level.span));
                return;
            } else {
                parts.within.push(level.name.text.clone());
                add_parts(cx, scope, parts, whole);
                parts.within.pop();
            }
            continue;
        }
        let found = match &level.names {
            None => cx.levels.level(level, cx.diagnostics).map(|(axis, found)| (axis, Some(found))),
            Some(_) => cx.levels.set(level, cx.diagnostics).map(|axis| (axis, None)),
        };
        let Some((axis, found)) = found else { continue };
        if let Some(first) = parts.named.insert(axis, level.span) {
            let name = cx.levels.axis(axis).map_or_else(String::new, Axis::name);
            let message = format!("this label names a second level of `{name}`");
            let diagnostic = Diagnostic::new(Code::E0212, level.span, message);
            cx.push(diagnostic.label(first, "the first is here"));
            continue;
        }
        let label = &mut *parts.label;
        match found {
            Some(Found::Level(index, id)) => put(&mut label.levels, index, id),
            Some(Found::Element(element)) => put_members(cx, label, axis, &[element]),
            Some(Found::Set(index, is_all)) => {
                let term = if is_all { ir::SetTerm::All } else { ir::SetTerm::Of(Vec::new()) };
                put(&mut label.sets, index, SetTerm { term, operands: Vec::new() });
            }
            None => put_names(cx, scope, label, axis, level.names.as_deref().unwrap_or(&[])),
        }
    }
}

fn put<T>(places: &mut [Option<T>], index: usize, part: T) {
    if let Some(place) = places.get_mut(index) {
        *place = Some(part);
    }
}

/// The set of some elements of a powerset.
fn put_members(cx: &Context<'_>, label: &mut Label, axis: usize, members: &[usize]) {
    if let Some(AxisKind::Powerset(first, elements)) = cx.levels.axis(axis).map(|axis| &axis.kind) {
        for element in 0..elements.len() {
            let is_in = members.contains(&element);
            put(&mut label.levels, first + element, if is_in { Table::MEMBER } else { LevelId(0) });
        }
    }
}

/// The set of some names: elements of a powerset, or values that name readers or sources.
fn put_names(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    label: &mut Label,
    axis: usize,
    names: &[ast::Names],
) {
    let Some(kind) = cx.levels.axis(axis).map(|axis| &axis.kind) else { return };
    match kind {
        AxisKind::Closed(..) => {}
        AxisKind::Powerset(_, elements) => {
            let elements = elements.clone();
            let members: Vec<usize> =
                names.iter().filter_map(|names| element(cx, &elements, names)).collect();
            put_members(cx, label, axis, &members);
        }
        AxisKind::Open(index, _) => {
            let index = *index;
            let mut set = SetTerm { term: ir::SetTerm::All, operands: Vec::new() };
            let mut values = Vec::new();
            for names in names {
                // Without one of its values the set would be another.
                let Some(operand) = operand(cx, scope, &names.operand) else { return };
                let optional = names.optional;
                values.push(ir::Names { value: operand.read.clone(), optional });
                set.operands.push((operand, optional));
            }
            values.sort();
            values.dedup();
            set.term = ir::SetTerm::Of(values);
            put(&mut label.sets, index, set);
        }
    }
}

/// An element of a powerset.
fn element(cx: &mut Context<'_>, elements: &[String], names: &ast::Names) -> Option<usize> {
    let known = elements.iter().map(String::as_str);
    match &names.operand.kind {
        OperandKind::Path(name, path) if path.is_empty() && !names.optional => {
            let found = elements.iter().position(|element| *element == name.text);
            if found.is_none() {
                let mistake = unknown("element", name, known);
                cx.push(mistake);
            }
            found
        }
        _ => {
            let message = "a powerset has the elements that its declaration lists";
            let help = format!("name some of them: {}", listed(known));
            cx.push(Diagnostic::new(Code::E0201, names.operand.span, message).help(help));
            None
        }
    }
}

/// The label rule that is written; `None` after a message.
pub(in crate::resolve) fn label_rule(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    written: &ast::LabelRule,
) -> Option<LabelRule> {
    let alternatives: Vec<_> = written
        .alternatives
        .iter()
        .map(|(label, when)| {
            let label = self::label(cx, scope, label);
            Some((label, condition(cx, scope, when)?))
        })
        .collect();
    let otherwise = label(cx, scope, &written.otherwise);
    Some(LabelRule { alternatives: alternatives.into_iter().collect::<Option<_>>()?, otherwise })
}
