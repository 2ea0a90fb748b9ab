//! The type of a result → its regions, and what each of them shows.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{
    CellId, CellPart, Field, Node, NodeField, NodeId, NodeKind, StoreId, Type, TypeId,
};

use rtbas_artifact::term::NodeStep;

use super::term::Terms;
use crate::resolve::hir::{Cell, Policy, Step, Tool};
use crate::resolve::store::{all_cells, field_cell, shape};

/// The regions of a tool's results; children before parents, the root last.
pub(super) fn nodes(terms: &mut Terms<'_>, policy: &Policy, tool: &Tool) -> Vec<Node> {
    let reads = tool.reads.iter().map(|reads| {
        let path = reads.path.as_deref();
        let way = path.map(|path| walk(policy, tool.result, path));
        let is_record = way.as_ref().is_some_and(|way| policy.types.are_records(&way.ends));
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
    path.iter().try_fold(root, |at, step| {
        let step = match step {
            Step::Items => NodeStep::Items,
            Step::Keys => NodeStep::Keys,
            Step::Field(name) => NodeStep::Field(name),
        };
        let mut below = nodes.get(at.index())?.steps().into_iter();
        below.find(|(here, _)| *here == step).map(|(_, node)| node)
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
        let policy = self.policy;
        let division = policy.types.division(ty);
        let mut kinds: Vec<NodeKind> =
            division.leaves.iter().map(|ty| NodeKind::Leaf(*ty)).collect();
        if let Some(item) = division.list {
            kinds.push(NodeKind::List(self.below(item, path, Step::Items)));
        }
        if let Some(value) = division.map {
            let text = policy.types.find(&Type::Text).unwrap_or(ty);
            let key = self.below(text, path, Step::Keys);
            kinds.push(NodeKind::Map { key, value: self.below(value, path, Step::Items) });
        }
        // Records that are told apart have one region for fields of one name and type.
        let mut known: BTreeMap<(&str, TypeId), NodeId> = BTreeMap::new();
        for fields in &division.records {
            let mut children = Vec::with_capacity(fields.len());
            for field in *fields {
                let name = field.name.clone();
                let node = match known.get(&(field.name.as_str(), field.ty)) {
                    Some(node) => *node,
                    None => self.below(field.ty, path, Step::Field(name.clone())),
                };
                known.insert((&field.name, field.ty), node);
                children.push(NodeField { name, node, required: field.required });
            }
            kinds.push(NodeKind::Record(children));
        }
        let fields = division.records.iter().flat_map(|fields| fields.iter());
        let optional = fields.filter(|field| !field.required).map(|field| field.name.as_str());
        let optional: Vec<&str> = optional.chain(division.tag).collect();
        let cells = |shown| cells(&self.policy.cells, shown, path, &optional);
        let mut shows = BTreeSet::new();
        let mut of_two = false;
        for cell in self.reads.iter().filter(|shown| shown.path.is_some()).flat_map(cells) {
            let part = self.policy.cells.get(cell.index()).map(|cell| &cell.part);
            of_two |= !shows.insert(cell) && matches!(part, Some(CellPart::Field(_)));
        }
        shows.extend(self.reads.iter().filter(|shown| shown.path.is_none()).flat_map(cells));
        let own = self.tool.labels.iter().find(|label| label.path == *path);
        // Fields of a text of a form are nobody's to go by: see `resolve`.
        let is_this = |shown: &&Shown<'_>| {
            self.tool.form.is_empty() && shown.is_record && shown.path == Some(path.as_slice())
        };
        let record = self.reads.iter().find(is_this);
        let node = Node {
            kinds,
            tag: division.tag.map(str::to_owned),
            shows: shows.into_iter().collect(),
            label: match own {
                // One cell of two records has two labels, of which a region could name one alone.
                _ if of_two => Some(self.terms.rule(None)),
                own => own.map(|own| self.terms.rule(Some(&own.label))),
            },
            record_of: record.map(|shown| shown.store),
        };
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    fn below(&mut self, ty: TypeId, path: &mut Vec<Step>, step: Step) -> NodeId {
        path.push(step);
        let node = self.node(ty, path);
        path.pop();
        node
    }
}

/// The cells of a store that the region at this path shows. Which of its optional fields are there
/// is a record's own, and so is which of several records it is, so it shows their cells and the
/// tag's, too.
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
    /// The types at its end, several where alternatives have it; none if there is no such region.
    ends: Vec<TypeId>,
    /// Its last step that may lead to nothing or to many.
    chance: Option<usize>,
}

/// Follows a path.
fn walk(policy: &Policy, ty: TypeId, path: &[Step]) -> Way {
    let mut way = Way { ends: vec![ty], chance: None };
    for (i, step) in path.iter().enumerate() {
        let is_certain = way.ends.iter().all(|ty| {
            let division = policy.types.division(*ty);
            let is_it = |field: &Field| matches!(step, Step::Field(name) if *name == field.name);
            let is_there =
                |fields: &&[Field]| fields.iter().any(|field| field.required && is_it(field));
            division.leaves.is_empty()
                && division.is_record()
                && division.records.iter().all(is_there)
        });
        let ends = policy.types.step(&way.ends, step);
        way = Way { ends, chance: if is_certain { way.chance } else { Some(i) } };
    }
    way
}
