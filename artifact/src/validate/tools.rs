//! The tools of a policy: arguments, regions, effects and rules.

use std::collections::{BTreeMap, BTreeSet};

use super::reads::{Reach, Readers};
use super::tables::{Below, nesting};
use super::{Invalid, each, index, name, text, unique, value};
use crate::ir::{
    Argument, CellPart, Format, Node, NodeField, NodeId, NodeKind, Operand, Policy, Tool, Type,
    Write, WriteKind,
};
use crate::ty;
use crate::value::Value;

pub(super) fn validate(policy: &Policy, readers: &Readers<'_>) -> Result<(), Invalid> {
    each("tools", &policy.tools, |one| tool(policy, readers, one))?;
    let pairs = policy.tools.iter().zip(policy.tools.iter().skip(1));
    match pairs.into_iter().find(|(a, b)| a.name >= b.name) {
        Some((a, b)) => {
            let problem = format!("{:?} stands before {:?}; names ascend", a.name, b.name);
            Err(Invalid::new("tools", problem))
        }
        None => Ok(()),
    }
}

fn tool(policy: &Policy, readers: &Readers<'_>, tool: &Tool) -> Result<(), Invalid> {
    name("name", &tool.name)?;
    text("description", &tool.description)?;
    text("schema", &tool.schema)?;
    if let Err(e) = serde_json::from_str::<serde_json::Map<_, _>>(&tool.schema) {
        return Err(Invalid::new("schema", format!("not a JSON object: {e}")));
    }
    each("arguments", &tool.arguments, |one| argument(policy, one))?;
    unique("arguments", tool.arguments.iter().map(|argument| &argument.name))?;
    let arguments = tool.arguments.len();
    nodes(policy, readers, tool)?;
    form(tool)?;
    readers.rule("errors", &tool.errors, Reach { arguments, ..Reach::default() })?;
    effects(policy, tool, readers)?;
    let decision = Reach { context: true, arguments, fields: false };
    each("rules", &tool.rules, |rule| {
        rule.when.map_or(Ok(()), |when| readers.condition("when", when, decision))
    })?;
    match tool.rules.split_last() {
        None => Err(Invalid::new("rules", "a tool without rules")),
        Some((last, _)) if last.when.is_some() => {
            Err(Invalid::new("rules", "the last rule has a condition, so a call may match none"))
        }
        Some((_, before)) if before.iter().any(|rule| rule.when.is_none()) => {
            Err(Invalid::new("rules", "rules after one that always fires"))
        }
        Some(_) => Ok(()),
    }
}

fn argument(policy: &Policy, argument: &Argument) -> Result<(), Invalid> {
    name("name", &argument.name)?;
    index("ty", argument.ty.index(), policy.types.len())?;
    let Some(default) = &argument.default else {
        return Ok(());
    };
    value("default", default, 0)?;
    ty::check(&policy.types, argument.ty, default)
        .map_err(|mismatch| Invalid::new("default", mismatch.to_string()))
}

fn nodes(policy: &Policy, readers: &Readers<'_>, tool: &Tool) -> Result<(), Invalid> {
    if tool.nodes.is_empty() {
        return Err(Invalid::new("nodes", "a result without a root"));
    }
    let reach = Reach {
        context: false,
        arguments: tool.arguments.len(),
        fields: tool.nodes.iter().any(|node| node.record_of.is_some()),
    };
    each("nodes", &tool.nodes, |one| {
        node(policy, one)?;
        one.label.as_ref().map_or(Ok(()), |label| readers.rule("label", label, reach))
    })?;
    nesting("nodes", &tool.nodes, below)?;
    told_apart(policy, tool)?;
    // A region that nothing holds would be one that no result has.
    let root = tool.nodes.len() - 1;
    let held: BTreeSet<usize> = tool.nodes.iter().flat_map(below).chain([root]).collect();
    match (0..tool.nodes.len()).find(|i| !held.contains(i)) {
        Some(i) => {
            Err(Invalid::new(&format!("nodes[{i}]"), "no region holds it, and it is not the root"))
        }
        None => Ok(()),
    }
}

/// Checks that pieces of text stand around each field, and that values end where a piece begins.
fn form(tool: &Tool) -> Result<(), Invalid> {
    each("form", &tool.form, |piece| text("piece", piece))?;
    let Some((_, pieces)) = tool.form.split_first() else { return Ok(()) };
    let fields = match tool.nodes.last().map(|root| root.kinds.as_slice()) {
        Some([NodeKind::Record(fields)]) if tool.format == Format::Text => fields,
        _ => return Err(Invalid::new("form", "pieces around what is no record in a text")),
    };
    let is_leaf = |field: &NodeField| {
        field.required && tool.nodes.get(field.node.index()).is_some_and(|n| n.leaf().is_some())
    };
    if fields.is_empty() || pieces.len() != fields.len() || !fields.iter().all(is_leaf) {
        return Err(Invalid::new("form", "pieces that do not stand around fields"));
    }
    // What stands in a field may come from those before it, so no label may be chosen by it.
    if tool.nodes.iter().any(|node| node.record_of.is_some()) {
        return Err(Invalid::new("form", "a record whose fields labels read"));
    }
    match pieces.split_last() {
        Some((_, between)) if between.iter().all(|piece| !piece.is_empty()) => Ok(()),
        _ => Err(Invalid::new("form", "nothing stands between two fields")),
    }
}

fn below(node: &Node) -> Below {
    node.steps().into_iter().map(|(_, below)| below.index()).collect()
}

/// Checks that what stands for the names of a map is text, and that tags tell records apart.
fn told_apart(policy: &Policy, tool: &Tool) -> Result<(), Invalid> {
    let leaf = |id: NodeId| {
        let ty = tool.nodes.get(id.index()).and_then(Node::leaf)?;
        policy.types.get(ty.index())
    };
    each("nodes", &tool.nodes, |node| {
        let (mut lists, mut maps, mut records) = (0, 0, Vec::new());
        for kind in &node.kinds {
            match kind {
                NodeKind::Leaf(_) => {}
                NodeKind::List(_) => lists += 1,
                NodeKind::Record(fields) => records.push(fields),
                NodeKind::Map { key, .. } if leaf(*key) == Some(&Type::Text) => maps += 1,
                NodeKind::Map { .. } => {
                    return Err(Invalid::new("key", "the names of a map are text"));
                }
            }
        }
        if node.kinds.is_empty() || lists > 1 || maps > 1 || (maps == 1 && !records.is_empty()) {
            return Err(Invalid::new("kinds", "nothing tells what it is"));
        }
        if (records.len() > 1) != node.tag.is_some() {
            return Err(Invalid::new("tag", "a tag is for records that it tells apart"));
        }
        let Some(tag) = &node.tag else { return Ok(()) };
        let mut values: Vec<&Value> = Vec::new();
        for fields in records {
            let field = fields.iter().find(|field| field.name == *tag && field.required);
            let Some(Type::Enumeration(of)) = field.and_then(|field| leaf(field.node)) else {
                return Err(Invalid::new("tag", "a record without one of listed values there"));
            };
            if of.iter().any(|value| !value.is_scalar() || values.contains(&value)) {
                return Err(Invalid::new("tag", "two records with one value there"));
            }
            values.extend(of);
        }
        Ok(())
    })
}

fn node(policy: &Policy, node: &Node) -> Result<(), Invalid> {
    each("kinds", &node.kinds, |kind| match kind {
        NodeKind::Leaf(ty) => index("ty", ty.index(), policy.types.len()),
        NodeKind::List(_) | NodeKind::Map { .. } => Ok(()),
        NodeKind::Record(fields) => {
            each("fields", fields, |field| text("name", &field.name))?;
            unique("fields", fields.iter().map(|field| &field.name))
        }
    })?;
    text("tag", node.tag.as_deref().unwrap_or_default())?;
    if let Some(store) = node.record_of {
        if node.kinds.iter().any(|kind| matches!(kind, NodeKind::List(_) | NodeKind::Map { .. })) {
            return Err(Invalid::new("record_of", "a list or a map is no record of a store"));
        }
        index("record_of", store.index(), policy.stores.len())?;
    }
    each("shows", &node.shows, |cell| index("cell", cell.index(), policy.cells.len()))?;
    let mut seen = BTreeSet::new();
    match node.shows.iter().find(|cell| !seen.insert(**cell)) {
        Some(cell) => Err(Invalid::new("shows", format!("cell {} stands there twice", cell.0))),
        None => Ok(()),
    }
}

fn effects(policy: &Policy, tool: &Tool, readers: &Readers<'_>) -> Result<(), Invalid> {
    each("writes", &tool.writes, |write| {
        index("cell", write.cell.index(), policy.cells.len())?;
        each("from", &write.from, |from| index("argument", from.index(), tool.arguments.len()))?;
        written_value(policy, tool, readers, write)
    })?;
    let mut ways = BTreeMap::new();
    let mut written = BTreeSet::new();
    for (i, write) in tool.writes.iter().enumerate() {
        let fault = |problem: &str| Err(Invalid::new(&format!("writes[{i}]"), problem));
        if !written.insert(write.cell) {
            return fault("a cell that stands there twice");
        }
        let Some(cell) = policy.cells.get(write.cell.index()) else { continue };
        if *ways.entry(cell.store).or_insert(write.how) != write.how {
            return fault("a store of which the tool says two things");
        }
        if write.how == WriteKind::Changes && cell.part == CellPart::Shape {
            return fault("a shape, which a change of records leaves as it is");
        }
    }
    each("endorsements", &tool.endorsements, |endorsement| {
        text("because", &endorsement.because)?;
        each("cells", &endorsement.cells, |cell| {
            if written.contains(cell) {
                return Ok(());
            }
            Err(Invalid::new("cell", format!("the tool does not write cell {}", cell.0)))
        })
    })
}

/// Checks that what a field holds afterwards is something that the call knows, and that it flows
/// from there.
fn written_value(
    policy: &Policy,
    tool: &Tool,
    readers: &Readers<'_>,
    write: &Write,
) -> Result<(), Invalid> {
    let Some(value) = &write.value else { return Ok(()) };
    let cell = policy.cells.get(write.cell.index());
    if !cell.is_some_and(|cell| matches!(cell.part, CellPart::Field(_))) {
        return Err(Invalid::new("value", "a value of what is no field"));
    }
    let call = Reach { arguments: tool.arguments.len(), ..Reach::default() };
    readers.value("value", value, call)?;
    match value {
        Operand::Derived(..) => Err(Invalid::new("value", "what a function gives")),
        Operand::Argument(argument, _) if !write.from.contains(argument) => {
            Err(Invalid::new("value", "an argument that does not flow into the cell"))
        }
        _ => Ok(()),
    }
}
