//! What a tool does to stores: names of cells and arguments → ids, each cell once.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{ArgumentId, CellId, CellPart, Endorsement, StoreId, WriteKind};

use super::{argument, said_twice};
use crate::diag::{Code, Diagnostic};
use crate::resolve::condition::{Scope, operand};
use crate::resolve::context::Context;
use crate::resolve::hir::{Operand, Tool, Write};
use crate::resolve::scope::unknown;
use crate::resolve::store;
use crate::source::Span;
use crate::syntax::ast::{CellName, Cells, Endorses, Name, ToolBlock, ToolLine, Writes};

/// What one line says.
struct Line {
    cells: Vec<CellId>,
    /// Whether it speaks of a whole store.
    whole: bool,
    from: BTreeSet<ArgumentId>,
    value: Option<Operand>,
    span: Span,
}

/// What a tool writes: of a store in one way, and of a field either what it holds or what flows
/// into it.
pub(super) fn writes(cx: &mut Context<'_>, tool: &Tool, block: &ToolBlock) -> Vec<Write> {
    let mut ways: BTreeMap<StoreId, (WriteKind, Span)> = BTreeMap::new();
    let mut lines = Vec::new();
    for line in &block.lines {
        let ToolLine::Writes(written) = line else { continue };
        let Some((store, line)) = self::line(cx, tool, written) else { continue };
        let (how, first) = *ways.entry(store).or_insert((written.how, written.span));
        if how != written.how {
            let store = &written.cells.store.text;
            let message = format!("the tool says already in another way what it does to `{store}`");
            let help = format!("write `writes {store} …` in all lines where a call does both");
            cx.push(said_twice(&message, written.span, first).help(help));
        }
        lines.push(line);
    }
    let mut holds: BTreeMap<CellId, Span> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.value.is_some()) {
        for cell in &line.cells {
            if let Some(first) = holds.insert(*cell, line.span) {
                cx.push(said_twice("what the field holds is said already", line.span, first));
            }
        }
    }
    let mut found: BTreeMap<CellId, (BTreeSet<ArgumentId>, Option<Operand>)> = BTreeMap::new();
    for Line { cells, whole, from, value, span } in lines {
        for cell in cells {
            match holds.get(&cell) {
                // What a field holds is the whole word on it.
                Some(_) if value.is_none() && whole => continue,
                Some(first) if value.is_none() => {
                    let message = "what the field holds is said already";
                    let help = "delete one of the lines, or the field in this one";
                    let mistake = Diagnostic::new(Code::E0216, span, message);
                    cx.push(mistake.label(*first, "here").help(help));
                }
                _ => {}
            }
            let (all, held) = found.entry(cell).or_default();
            all.extend(&from);
            *held = held.take().or_else(|| value.clone());
        }
    }
    // Whoever writes a record chooses which record there is.
    for (store, (how, _)) in &ways {
        if let (true, Some(shape)) = (*how != WriteKind::Changes, store::shape(&cx.cells, *store)) {
            found.entry(shape).or_default();
        }
    }
    let way = |cell: CellId| {
        let store = cx.cells.get(cell.index()).map(|cell| cell.store);
        store.and_then(|store| ways.get(&store)).map_or(WriteKind::Any, |(how, _)| *how)
    };
    let write = |(cell, (from, value)): (CellId, (BTreeSet<ArgumentId>, Option<Operand>))| Write {
        cell,
        from: from.into_iter().collect(),
        value,
        how: way(cell),
    };
    found.into_iter().map(write).collect()
}

fn line(cx: &mut Context<'_>, tool: &Tool, written: &Writes) -> Option<(StoreId, Line)> {
    let call = Scope { arguments: &tool.arguments, ..Scope::default() };
    let value = written.value.as_ref().map(|value| operand(cx, call, value));
    let from = match &value {
        Some(value) => value.as_ref().and_then(|value| value.read.argument()).into_iter().collect(),
        None => arguments(cx, tool, written.from.as_deref()),
    };
    let (store, mut cells) = store::cells(cx, &written.cells)?;
    let parts = |cell: &CellId| cx.cells.get(cell.index()).map(|cell| &cell.part);
    if written.how == WriteKind::Changes {
        cells.retain(|cell| parts(cell) != Some(&CellPart::Shape));
    }
    if value.is_some() && cells.iter().any(|cell| parts(cell) == Some(&CellPart::Content)) {
        let name = &written.cells.store.text;
        let message = format!("store `{name}` has no line for this field, only for all the rest");
        let help = format!("give the field a line of its own in `{name}`");
        cx.push(Diagnostic::new(Code::E0201, written.cells.span, message).help(help));
    }
    let (whole, span) = (written.cells.cells.is_none(), written.span);
    // A value that there is not has its message.
    Some((store, Line { cells, whole, from, value: value.flatten(), span }))
}

/// The arguments that a line names; all of them, if it names none.
fn arguments(cx: &mut Context<'_>, tool: &Tool, names: Option<&[Name]>) -> BTreeSet<ArgumentId> {
    let Some(names) = names else {
        return (0..).map(ArgumentId).take(tool.arguments.len()).collect();
    };
    let mut found = BTreeSet::new();
    for name in names {
        let named = argument(&tool.arguments, name);
        if named.is_none() {
            let known = tool.arguments.iter().map(|argument| argument.name.as_str());
            cx.push(unknown(&format!("argument of `{}` called", tool.name), name, known));
        }
        found.extend(named);
    }
    found
}

/// A whole store stands for what the tool writes of it; a field that is named is one that it
/// writes.
pub(super) fn endorsement(
    cx: &mut Context<'_>,
    writes: &[Write],
    line: &Endorses,
) -> Option<Endorsement> {
    let Endorses { cells: named, because, unasked } = line;
    let (store, cells) = store::cells(cx, named)?;
    let count = cells.len();
    let is_written = |cell: &CellId| writes.iter().any(|write| write.cell == *cell);
    let written: Vec<CellId> = cells.into_iter().filter(is_written).collect();
    if written.is_empty() || (named.cells.is_some() && written.len() < count) {
        let message = match unasked {
            true => "a call endorses what it writes, and it does not write this",
            false => "an approval endorses what the call writes, and it does not write this",
        };
        let help = instead(cx, writes, store, named);
        cx.push(Diagnostic::new(Code::E0217, named.span, message).help(help));
        return None;
    }
    Some(Endorsement { cells: written, because: because.clone(), unasked: *unasked })
}

/// What to say instead of an endorsement of what is not written: nothing else, or that it is
/// written, too, in the way that the tool writes the store.
fn instead(cx: &Context<'_>, writes: &[Write], store: StoreId, named: &Cells) -> String {
    let is_here =
        |write: &&Write| cx.cells.get(write.cell.index()).is_some_and(|cell| cell.store == store);
    let names = named.cells.as_deref().unwrap_or_default();
    let verb = match writes.iter().find(is_here).map(|write| write.how) {
        Some(WriteKind::Changes) if names.iter().any(|name| matches!(name, CellName::Shape(_))) => {
            return "delete the line: what changes records leaves the shape as it is".to_owned();
        }
        Some(WriteKind::Changes) => "changes",
        Some(WriteKind::Adds) => "adds",
        Some(WriteKind::Any) | None => "writes",
    };
    format!("add `{verb} {}`, or delete the line", named.store.text)
}
