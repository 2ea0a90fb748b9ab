//! The type of a result → its regions, and what each of them shows.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{CellId, Node, NodeField, NodeId, NodeKind, StoreId, Type, TypeId};

use super::term::Terms;
use crate::resolve::hir::{Cell, Policy, Step, Tool};
use crate::resolve::store::{all_cells, field_cell, shape};

/// The regions of a tool's results; children before parents, the root last.
pub(super) fn nodes(terms: &mut Terms<'_>, policy: &Policy, tool: &Tool) -> Vec<Node> {
    let reads = tool.reads.iter().map(|reads| {
        let path = reads.path.as_deref();
        let way = path.and_then(|path| walk(policy, tool.result, path));
        let is_record = way
            .as_ref()
            .is_some_and(|way| matches!(policy.types.get(way.end), Type::Record { .. }));
        Shown { store: reads.store, path, is_record, chance: way.and_then(|way| way.chance) }
    });
    let reads = reads.collect();
    let mut builder = Builder { terms, policy, tool, reads, nodes: Vec::new() };
    builder.node(tool.result, &mut Vec::new());
    builder.nodes
}

/// The region at a path.
pub(super) fn at(nodes: &[Node], path: &[Step]) -> Option<NodeId> {
    let root = NodeId(u32::try_from(nodes.len().checked_sub(1)?).ok()?);
    path.iter().try_fold(root, |at, step| match (step, &nodes.get(at.index())?.kind) {
        (Step::Items, NodeKind::List(item) | NodeKind::Map { value: item, .. }) => Some(*item),
        (Step::Keys, NodeKind::Map { key, .. }) => Some(*key),
        (Step::Field(name), NodeKind::Record(fields)) => {
            fields.iter().find(|field| field.name == *name).map(|field| field.node)
        }
        _ => None,
    })
}

/// A store that a result shows.
struct Shown<'p> {
    store: StoreId,
    path: Option<&'p [Step]>,
    /// Whether the region at the path is a record, whose fields show fields.
    is_record: bool,
    /// The last step of the path that may lead to nothing or to many: an element or an optional
    /// field. What lies up to there tells which records there are.
    chance: Option<usize>,
}

struct Builder<'p, 'b, 't> {
    terms: &'b mut Terms<'t>,
    policy: &'p Policy,
    tool: &'p Tool,
    reads: Vec<Shown<'p>>,
    nodes: Vec<Node>,
}

impl Builder<'_, '_, '_> {
    fn node(&mut self, ty: TypeId, path: &mut Vec<Step>) -> NodeId {
        let mut optional: Vec<&str> = Vec::new();
        let kind = match self.policy.types.get(ty) {
            Type::List(item) => {
                path.push(Step::Items);
                let item = self.node(*item, path);
                path.pop();
                NodeKind::List(item)
            }
            Type::Map(value) => {
                let text = self.policy.types.find(&Type::Text).unwrap_or(ty);
                let mut below = |ty, step| {
                    path.push(step);
                    let node = self.node(ty, path);
                    path.pop();
                    node
                };
                NodeKind::Map { key: below(text, Step::Keys), value: below(*value, Step::Items) }
            }
            Type::Record { fields, open: false } => {
                optional = fields.iter().filter(|f| !f.required).map(|f| f.name.as_str()).collect();
                let mut children = Vec::with_capacity(fields.len());
                for field in fields {
                    path.push(Step::Field(field.name.clone()));
                    let node = self.node(field.ty, path);
                    path.pop();
                    let name = field.name.clone();
                    children.push(NodeField { name, node, required: field.required });
                }
                NodeKind::Record(children)
            }
            _ => NodeKind::Leaf(ty),
        };
        let cells = |shown| cells(&self.policy.cells, shown, path, &optional);
        let shows: BTreeSet<CellId> = self.reads.iter().flat_map(cells).collect();
        let own = self.tool.labels.iter().find(|label| label.path == *path);
        let record =
            self.reads.iter().find(|shown| shown.is_record && shown.path == Some(path.as_slice()));
        let node = Node {
            kind,
            shows: shows.into_iter().collect(),
            label: own.map(|own| self.terms.rule(Some(&own.label))),
            record_of: record.map(|shown| shown.store),
        };
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }
}

/// The cells of a store that the region at this path shows. Which of its optional fields are there
/// is a record's own, so it shows their cells, too.
fn cells(cells: &[Cell], shown: &Shown<'_>, path: &[Step], optional: &[&str]) -> Vec<CellId> {
    let all = || all_cells(cells, shown.store);
    let shape = || shape(cells, shown.store).into_iter();
    let field = |name: &str| field_cell(cells, shown.store, name);
    let Some(record) = shown.path else {
        return all();
    };
    if let Some(below) = path.strip_prefix(record) {
        return match below.first() {
            _ if !shown.is_record => all(),
            Some(Step::Field(name)) => field(name).into_iter().collect(),
            Some(Step::Items | Step::Keys) => shape().collect(),
            None => shape().chain(optional.iter().filter_map(|name| field(name))).collect(),
        };
    }
    let around = record.starts_with(path) && shown.chance.is_some_and(|last| path.len() <= last);
    if around { shape().collect() } else { Vec::new() }
}

/// Where a path leads.
struct Way {
    /// The type at its end.
    end: TypeId,
    /// Its last step that may lead to nothing or to many.
    chance: Option<usize>,
}

/// Follows a path; `None` if the type has no such region.
fn walk(policy: &Policy, ty: TypeId, path: &[Step]) -> Option<Way> {
    let mut way = Way { end: ty, chance: None };
    for (i, step) in path.iter().enumerate() {
        let (next, is_certain) = match (step, policy.types.get(way.end)) {
            (Step::Items, Type::List(item) | Type::Map(item)) => (*item, false),
            (Step::Keys, Type::Map(_)) => (policy.types.find(&Type::Text)?, false),
            (Step::Field(name), Type::Record { fields, .. }) => {
                let field = fields.iter().find(|field| field.name == *name)?;
                (field.ty, field.required)
            }
            _ => return None,
        };
        way = Way { end: next, chance: if is_certain { way.chance } else { Some(i) } };
    }
    Some(way)
}
