//! Claims: what is said about the policy as a whole.

use rtbas_artifact::ir::{Argument, Target, ToolId};

use super::condition::{Scope, ambiguous, condition, label};
use super::context::Context;
use super::hir::{Claim, Downgrade, Exception, Label, Tool};
use super::scope::{self, unknown};
use super::store;
use super::tool::argument;
use super::tool::cover::find;
use crate::diag::{Code, Diagnostic};
use crate::syntax::ast::{self, CellName, Cells, ClaimTarget, Name};

/// A claim for each of its targets.
pub(super) fn claims(
    cx: &mut Context<'_>,
    tools: &[Tool],
    downgrades: &[Downgrade],
    written: &ast::Claim,
) -> Vec<Claim> {
    let level = match &written.level {
        Some(level) => label(cx, Scope::default(), level),
        // Whatever there is flows from below to the bottom.
        None => Label { levels: Vec::new(), sets: Vec::new(), span: written.span },
    };
    let mut via = Vec::new();
    for admitted in &written.via {
        let Some(found) = exception(cx, tools, downgrades, admitted) else { continue };
        if let (true, ast::Exception::Downgrade(name) | ast::Exception::Approval(Some(name))) =
            (via.contains(&found), admitted)
        {
            let message = format!("the claim admits `{}` twice", name.text);
            cx.push(Diagnostic::new(Code::E0216, name.span, message).help("delete one of them"));
        }
        via.push(found);
    }
    let mut claims = Vec::new();
    for named in &written.targets {
        let Some(target) = target(cx, tools, named) else { continue };
        let tool = match target {
            Target::Tool(tool) | Target::Argument(tool, _) => Some(tool),
            Target::Reply | Target::Store(_) | Target::Cell(_) => None,
        };
        let scope = Scope { arguments: arguments(tools, tool), ..Scope::default() };
        let unless = match &written.unless {
            None => None,
            Some(unless) => match condition(cx, scope, unless) {
                Some(unless) => Some(unless),
                None => continue,
            },
        };
        let (level, via) = (level.clone(), via.clone());
        claims.push(Claim { level, target, unless, via, span: written.span });
    }
    claims
}

fn arguments(tools: &[Tool], tool: Option<ToolId>) -> &[Argument] {
    tool.and_then(|tool| tools.get(tool.index())).map_or(&[], |tool| &tool.arguments)
}

fn target(cx: &mut Context<'_>, tools: &[Tool], named: &ClaimTarget) -> Option<Target> {
    let (name, part) = match named {
        ClaimTarget::Reply => return Some(Target::Reply),
        ClaimTarget::Tool(name) => return find(cx, tools, name).map(Target::Tool),
        ClaimTarget::Whole(name) => (name, None),
        ClaimTarget::Part(name, part) => (name, Some(part)),
    };
    let is_tool = tools.iter().any(|tool| tool.name == name.text);
    let store = cx.store_names.get(&name.text);
    if !is_tool && store.is_none() {
        neither(cx, tools, name);
        return None;
    }
    if is_tool && store.is_some() {
        cx.push(ambiguous(name, &["a tool", "a store"], "store"));
        return None;
    }
    if is_tool {
        let id = find(cx, tools, name)?;
        return match part {
            None => Some(Target::Tool(id)),
            Some(part) => of_tool(cx, arguments(tools, Some(id)), name, part)
                .map(|argument| Target::Argument(id, argument)),
        };
    }
    match part {
        None => store.map(Target::Store),
        Some(part) => {
            let cells = vec![part.clone()];
            let span = name.span;
            let (_, cells) =
                store::cells(cx, &Cells { store: name.clone(), cells: Some(cells), span })?;
            cells.first().copied().map(Target::Cell)
        }
    }
}

/// Says that there is no tool and no store of that name, unless a list that cannot be read may have
/// the tool, or it has no block, which was complained of.
fn neither(cx: &mut Context<'_>, tools: &[Tool], name: &Name) {
    let stores: Vec<&str> = cx.store_names.iter().map(|(store, _)| store).collect();
    let is_imported = cx.imported.tools.iter().any(|tool| tool.name == name.text);
    if stores.is_empty() || is_imported || cx.imported.incomplete {
        find(cx, tools, name);
        return;
    }
    let known = cx.imported.tools.iter().map(|tool| tool.name.as_str());
    let mistake = unknown("tool or store", name, known.chain(stores));
    cx.push(mistake);
}

fn of_tool(
    cx: &mut Context<'_>,
    arguments: &[Argument],
    tool: &Name,
    part: &CellName,
) -> Option<rtbas_artifact::ir::ArgumentId> {
    let name = match part {
        CellName::Field(name) => name,
        // An argument may be called that.
        CellName::Shape(span) => &Name { text: "shape".to_owned(), span: *span },
    };
    let found = argument(arguments, name);
    if found.is_none() {
        let known = arguments.iter().map(|argument| argument.name.as_str());
        cx.push(unknown(&format!("argument of `{}` called", tool.text), name, known));
    }
    found
}

fn exception(
    cx: &mut Context<'_>,
    tools: &[Tool],
    downgrades: &[Downgrade],
    written: &ast::Exception,
) -> Option<Exception> {
    match written {
        ast::Exception::Approval(None) => Some(Exception::Approval(None)),
        ast::Exception::Approval(Some(tool)) => {
            Some(Exception::Approval(Some(find(cx, tools, tool)?)))
        }
        ast::Exception::Downgrade(name) => {
            if downgrades.iter().any(|downgrade| downgrade.name == name.text) {
                return Some(Exception::Downgrade(name.text.clone()));
            }
            let known = downgrades.iter().map(|downgrade| downgrade.name.as_str());
            let mistake = unknown("downgrade", name, known);
            let is_tool = tools.iter().any(|tool| tool.name == name.text);
            let right = format!("approval of {}", scope::written(&name.text));
            cx.push(match is_tool {
                true => mistake.help(format!("write `{right}`")).fix(name.span, right),
                false => mistake,
            });
            None
        }
    }
}
