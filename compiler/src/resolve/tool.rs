//! Tools: each imported tool gets the one block that speaks of it; names in the block → ids.

use rtbas_artifact::ir::{Argument, ArgumentId, Format, Type};

use super::condition::{Scope, condition, label_rule};
use super::context::Context;
use super::hir::{NodeLabel, Reads, Rule, Step, Tool};
use crate::diag::{Code, Diagnostic, listed};
use crate::source::Span;
use crate::syntax::ast::{Name, NodePath, RuleWhen, ToolBlock, ToolLine, TypeKind};

pub(super) mod cover;
pub(super) mod rules;
mod effects;

/// The tools of a policy, in order of their names.
pub(super) fn resolve<'a>(cx: &mut Context<'a>, blocks: &'a [ToolBlock]) -> Vec<Tool> {
    for block in blocks {
        rules::warn_of_later_tools(cx, block);
    }
    let covered = cover::cover(cx, blocks);
    let tools = covered.into_iter().map(|(index, block, span)| tool(cx, index, block, span));
    tools.collect()
}

/// What a block says of the imported tool at this index.
fn tool<'a>(cx: &mut Context<'a>, index: usize, block: &'a ToolBlock, span: Span) -> Tool {
    let (name, description, schema, arguments) = match cx.imported.tools.get(index) {
        Some(tool) => (
            tool.name.clone(),
            tool.description.clone(),
            tool.schema.clone(),
            tool.arguments.clone(),
        ),
        None => Default::default(),
    };
    let text = cx.types.simple(Type::Text);
    let mut tool = Tool {
        name,
        span,
        description,
        schema,
        arguments,
        format: Format::Text,
        form: Vec::new(),
        result: text,
        result_span: None,
        reads: Vec::new(),
        labels: Vec::new(),
        errors: None,
        writes: Vec::new(),
        endorsements: Vec::new(),
        rules: Vec::new(),
    };
    let mut errors = None;
    let arguments = tool.arguments.clone();
    let call = Scope { arguments: &arguments, ..Scope::default() };
    for line in &block.lines {
        match line {
            ToolLine::Result(_, _, at) | ToolLine::Form(_, at) => match tool.result_span {
                Some(first) => cx.push(said_twice("the tool has a result already", *at, first)),
                None => {
                    tool.result_span = Some(*at);
                    result(cx, &mut tool, line);
                }
            },
            ToolLine::Reads(store, path) => tool.reads.extend(reads(cx, store, path.as_ref())),
            ToolLine::Errors(label, at) => match errors {
                Some(first) => cx.push(said_twice("the errors have a label already", *at, first)),
                None => {
                    errors = Some(*at);
                    tool.errors = label_rule(cx, call, label);
                }
            },
            ToolLine::Rule(effect, when, at) => {
                let scope = Scope { context: true, ..call };
                let when = match when {
                    RuleWhen::When(when) => match condition(cx, scope, when) {
                        Some(when) => Some(when),
                        None => continue,
                    },
                    RuleWhen::Always | RuleWhen::Otherwise => None,
                };
                tool.rules.push(Rule { effect: *effect, when, span: *at });
            }
            ToolLine::Writes(_) | ToolLine::Endorses(_) | ToolLine::Node(..) => {}
        }
    }
    tool.writes = effects::writes(cx, &tool, block);
    // What is endorsed and what a guard reads depends on the lines of what is written and read,
    // wherever those stand.
    for line in &block.lines {
        match line {
            ToolLine::Endorses(endorses) => {
                tool.endorsements.extend(effects::endorsement(cx, &tool.writes, endorses));
            }
            ToolLine::Node(path, label) => {
                let record = record_around(cx, &tool, &path.steps);
                let scope = Scope { record, form: form_of(&tool), ..call };
                if let Some(first) = tool.labels.iter().find(|label| label.path == path.steps) {
                    cx.push(said_twice("this region has a label already", path.span, first.span));
                } else if let Some(label) = label_rule(cx, scope, label) {
                    let (path, span) = (path.steps.clone(), path.span);
                    tool.labels.push(NodeLabel { path, span, label });
                }
            }
            _ => {}
        }
    }
    rules::check(cx, block, &tool.name);
    tool
}

/// How a tool's results are written, and of what type they are.
fn result<'a>(cx: &mut Context<'a>, tool: &mut Tool, line: &'a ToolLine) {
    match line {
        ToolLine::Result(format, ty, _) => {
            tool.format = *format;
            if let Some(ty) = ty {
                if let (Format::Text, TypeKind::Enumeration(texts)) = (format, &ty.kind) {
                    texts.iter().for_each(|text| warn_of_braces(cx, text, ty.span));
                }
                tool.result = cx.ty(ty);
            }
        }
        ToolLine::Form(form, _) => {
            form.pieces.iter().for_each(|piece| warn_of_braces(cx, piece, form.record.span));
            tool.form.clone_from(&form.pieces);
            tool.result = cx.ty(&form.record);
        }
        _ => {}
    }
}

/// Warns of what was probably meant as a value of a form, and is text in one.
fn warn_of_braces(cx: &mut Context<'_>, text: &str, at: Span) {
    let inner = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    for inner in inner {
        let name = inner.split_once(':').map_or(inner, |(name, _)| name).trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name {
            let message = format!("`{{{inner}}}` stands inside a string, and is text there");
            let ty = inner.split_once(':').map_or("string", |(_, ty)| ty.trim());
            let right = format!("\" {{{name}: {ty}}} \"");
            let help = format!("end the string before it: write `{right}` in its place");
            cx.push(Diagnostic::new(Code::W0211, at, message).help(help));
        }
    }
}

fn said_twice(message: &str, at: Span, first: Span) -> Diagnostic {
    Diagnostic::new(Code::E0216, at, message).label(first, "the first is here")
}

fn reads(cx: &mut Context<'_>, store: &Name, path: Option<&NodePath>) -> Option<Reads> {
    let id = cx.store_names.find(store, cx.diagnostics)?;
    let region = path.map_or(store.span, |path| path.span);
    let span = store.span.to(region);
    Some(Reads { store: id, path: path.map(|path| path.steps.clone()), region, span })
}

/// The type of the innermost record around a region, itself included. A text of a form has none:
/// what stands in one of its fields may be words of another, so no label goes by it.
pub(super) fn record_around(
    cx: &Context<'_>,
    tool: &Tool,
    path: &[Step],
) -> Option<rtbas_artifact::ir::TypeId> {
    if !tool.form.is_empty() {
        return None;
    }
    let around =
        |reads: &&Reads| reads.path.as_ref().is_some_and(|record| path.starts_with(record));
    let nearest =
        tool.reads.iter().filter(around).max_by_key(|reads| reads.path.as_ref().map(Vec::len))?;
    cx.stores.get(nearest.store.index()).map(|store| store.record)
}

/// The values in the text of a form.
pub(super) fn form_of(tool: &Tool) -> Option<rtbas_artifact::ir::TypeId> {
    (!tool.form.is_empty()).then_some(tool.result)
}

/// The argument of that name.
pub(super) fn argument(arguments: &[Argument], name: &Name) -> Option<ArgumentId> {
    (0..).map(ArgumentId).zip(arguments).find(|(_, a)| a.name == name.text).map(|(id, _)| id)
}
