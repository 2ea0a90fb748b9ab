//! Which block speaks of which tool: its name before a pattern, a pattern before `*`, and no tool
//! without a block.

use std::collections::BTreeMap;

use rtbas_artifact::ir::ToolId;

use super::{Context, ToolBlock, listed};
use crate::diag::{Code, Diagnostic, nearest};
use crate::resolve::hir;
use crate::resolve::scope::{known_here, meaning, unknown, written};
use crate::source::Span;
use crate::syntax::ast::Name;

/// For each imported tool: its index, its block, and where the block names it.
pub(super) fn cover<'a>(
    cx: &mut Context<'_>,
    blocks: &'a [ToolBlock],
) -> Vec<(usize, &'a ToolBlock, Span)> {
    let names: Vec<String> = cx.imported.tools.iter().map(|tool| tool.name.clone()).collect();
    let mut named: BTreeMap<&str, (&ToolBlock, Span)> = BTreeMap::new();
    let mut prefixes: Vec<(&str, &ToolBlock, Span)> = Vec::new();
    let mut rest: Option<(&ToolBlock, Span)> = None;
    let mut strangers: Vec<(&ToolBlock, &Name)> = Vec::new();
    for (block, pattern) in blocks.iter().flat_map(|b| b.patterns.iter().map(move |p| (b, p))) {
        let Name { text, span } = &pattern.name;
        match (pattern.open, text.as_str()) {
            (true, "") => match rest {
                Some((_, first)) => cx.push(named_twice("`*`", *span, first)),
                None => rest = Some((block, *span)),
            },
            (true, prefix) => {
                if !cx.imported.incomplete && !names.iter().any(|name| name.starts_with(prefix)) {
                    let message = format!("no tool matches `{prefix}*`");
                    let known = names.iter().map(String::as_str);
                    let diagnostic = Diagnostic::new(Code::E0210, *span, message);
                    cx.push(diagnostic.note(format!("the tools are {}", listed(known))));
                }
                prefixes.push((prefix, block, *span));
            }
            (false, _) if !names.contains(text) => strangers.push((block, &pattern.name)),
            (false, name) => match named.get(name) {
                Some((_, first)) => {
                    cx.push(named_twice(&format!("the tool `{name}`"), *span, *first));
                }
                None => {
                    named.insert(name, (block, *span));
                }
            },
        }
    }
    let mut covered = Vec::new();
    let mut bare: Vec<&str> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let mut matching = prefixes.iter().filter(|(prefix, ..)| name.starts_with(prefix));
        let by_name = named.get(name.as_str()).copied();
        let found = by_name.or_else(|| {
            let (prefix, block, span) = matching.next()?;
            if let Some((other, _, second)) = matching.next() {
                cx.push(competing(name, (prefix, *span), (other, *second)));
            }
            Some((*block, *span))
        });
        match found.or(rest) {
            Some((block, span)) => covered.push((index, block, span)),
            None => bare.push(name),
        }
    }
    for (prefix, block, span) in &prefixes {
        let mut matching = names.iter().filter(|name| name.starts_with(prefix)).peekable();
        let has_block = |name: &String| named.contains_key(name.as_str());
        if matching.peek().is_some() && matching.all(has_block) {
            let message = format!("every tool that `{prefix}*` matches has a block of its own");
            let diagnostic = Diagnostic::new(Code::W0208, *span, message);
            cx.push(match block.patterns.as_slice() {
                [_] => diagnostic.help("delete this block").fix(block.whole, ""),
                _ => diagnostic.help("delete the pattern"),
            });
        }
    }
    let own = |name: &&str| !named.contains_key(name);
    let without: Vec<&str> = names.iter().map(String::as_str).filter(own).collect();
    let meant = strangers.into_iter().filter_map(|stranger| complain(cx, stranger, &without));
    let meant: Vec<String> = meant.collect();
    bare.retain(|name| !meant.iter().any(|meant| meant == name));
    if let Some(used) = cx.imported.tools.first().map(|tool| tool.used).filter(|_| !bare.is_empty())
    {
        let names: Vec<String> = bare.iter().map(|name| written(name)).collect();
        let message =
            format!("the policy does not say what may be done with {}", listed(bare.clone()));
        let line = format!("tools {} {{ deny always }}", names.join(", "));
        let diagnostic = Diagnostic::new(Code::E0209, used, message).help(&line);
        cx.push(diagnostic.fix(cx.end, format!("{line}\n")));
    }
    covered
}

/// Says that no list has the tool that a block names. Gives the tool that was probably meant, of
/// those without a block of their own.
fn complain(
    cx: &mut Context<'_>,
    (block, name): (&ToolBlock, &Name),
    without: &[&str],
) -> Option<String> {
    let meant = nearest(&name.text, without.iter().copied());
    if cx.imported.incomplete || cx.imported.tools.is_empty() {
        complain_of_unknown(cx, name);
        return None;
    }
    let message = format!("there is no tool `{}`", name.text);
    let diagnostic = Diagnostic::new(Code::E0201, name.span, message);
    let known = cx.imported.tools.iter().map(|tool| tool.name.as_str());
    let diagnostic = match (meant, block.patterns.as_slice()) {
        (Some(meant), _) => meaning(diagnostic, name.span, meant),
        (None, [_]) => diagnostic
            .note(known_here(known))
            .help("add the tool to a list that the policy uses, or delete this block")
            .fix(block.whole, ""),
        (None, _) => diagnostic.note(known_here(known)).help("delete the name"),
    };
    cx.push(diagnostic);
    meant.map(str::to_owned)
}

/// The tool of a name, or a message.
pub(in crate::resolve) fn find(
    cx: &mut Context<'_>,
    tools: &[hir::Tool],
    name: &Name,
) -> Option<ToolId> {
    let found = (0..).map(ToolId).zip(tools).find(|(_, tool)| tool.name == name.text);
    let imported = cx.imported.tools.iter().any(|tool| tool.name == name.text);
    // A tool that is imported and has no block was complained of.
    if found.is_none() && !imported {
        complain_of_unknown(cx, name);
    }
    found.map(|(id, _)| id)
}

/// Says that no list has this tool, unless one that cannot be read may have it.
fn complain_of_unknown(cx: &mut Context<'_>, name: &Name) {
    if cx.imported.incomplete {
        return;
    }
    let known = cx.imported.tools.iter().map(|tool| tool.name.as_str());
    let diagnostic = unknown("tool", name, known);
    let diagnostic = match cx.imported.tools.as_slice() {
        [] => diagnostic.help("import the tools: `use tools from \"tools.json\"`"),
        _ => diagnostic,
    };
    cx.push(diagnostic);
}

fn named_twice(what: &str, at: Span, first: Span) -> Diagnostic {
    let message = format!("{what} has two blocks");
    Diagnostic::new(Code::E0202, at, message)
        .label(first, "the first is here")
        .help("put what both say into one block, and delete the other")
}

fn competing(name: &str, first: (&str, Span), second: (&str, Span)) -> Diagnostic {
    let message = format!("both `{}*` and `{}*` match the tool `{name}`", first.0, second.0);
    Diagnostic::new(Code::E0210, second.1, message)
        .label(first.1, "the other pattern")
        .help(format!("give `{name}` a block of its own, or narrow one of the patterns"))
}
