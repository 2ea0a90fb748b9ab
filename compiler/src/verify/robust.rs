//! O3: whoever writes a field does not choose a label by it. What a label, or a guard of it, reads
//! from a record flows to every label that may come of it.
//!
//! Labels of closed lattices are tables, so this is checked instance by instance. A cycle of fields
//! that label each other needs no check of its own: each would have to flow to all that may come of
//! the other, so all of them are one label, and nothing is chosen.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{
    CellId, CellPart, Condition, ConditionId, LabelId, LabelPart, LabelRule, NodeId, NodeKind,
    Operand, StoreId, Tool, ToolId,
};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

/// A label that the author of a field may choose.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) place: Place,
    /// The field that is read.
    pub(super) field: String,
    /// What that field may be labelled.
    pub(super) label: Label,
    /// The label that it does not flow to.
    pub(super) choice: Label,
}

/// Whose label is chosen.
#[derive(Debug)]
pub(super) enum Place {
    Cell(CellId),
    /// A region of a tool's result, by its path.
    Region(ToolId, String),
}

/// The labels of a policy that somebody may choose.
pub(super) fn check(program: &Program) -> Vec<Chosen> {
    let policy = program.policy();
    let mut found = Vec::new();
    for (cell, id) in policy.cells.iter().zip(0..) {
        // A record is reached through the shape of its store, so its fields are at least as high.
        let over = match cell.part {
            CellPart::Shape => highest(program, [&cell.label]),
            CellPart::Field(_) | CellPart::Content => program.space().bottom().clone(),
        };
        let place = || Place::Cell(CellId(id));
        judge(program, &cell.label, &mut found, place, |path| {
            let field = path.first();
            let read = policy.cells.iter().find(|other| {
                other.store == cell.store
                    && matches!(&other.part, CellPart::Field(name) if Some(name) == field)
            });
            over.join(&highest(program, read.map(|read| &read.label)))
        });
    }
    if !found.is_empty() {
        // Every result that shows such a cell would say the same again.
        return found;
    }
    for (tool, id) in policy.tools.iter().zip(0..) {
        let root = NodeId(u32::try_from(tool.nodes.len().saturating_sub(1)).unwrap_or(0));
        let mut walk = Walk { program, tool, id: ToolId(id), found: &mut found };
        walk.node(root, "result".to_owned(), None);
    }
    found
}

/// Judges one label by what it reads, given the highest label of what lies under a path.
fn judge(
    program: &Program,
    rule: &LabelRule,
    found: &mut Vec<Chosen>,
    place: impl Fn() -> Place,
    read: impl Fn(&[String]) -> Label,
) {
    for path in fields_read(program, rule) {
        let label = read(&path);
        let lows = choices(rule).map(|choice| extent(program, choice).0);
        if let Some(choice) = lows.into_iter().find(|low| !label.flows_to(low)) {
            found.push(Chosen { place: place(), field: path.join("."), label, choice });
        }
    }
}

/// The regions of a result, each with the record whose fields its guards read.
struct Walk<'p, 'f> {
    program: &'p Program,
    tool: &'p Tool,
    id: ToolId,
    found: &'f mut Vec<Chosen>,
}

impl Walk<'_, '_> {
    fn node(&mut self, id: NodeId, path: String, record: Option<(StoreId, NodeId)>) {
        let Some(node) = self.tool.nodes.get(id.index()) else {
            return;
        };
        let record = node.record_of.map(|store| (store, id)).or(record);
        let cells = node.shows.iter().filter_map(|cell| {
            self.program
                .policy()
                .cells
                .get(cell.index())
                .map(|cell| (Some(cell.store), &cell.label))
        });
        for (store, rule) in cells.chain(node.label.iter().map(|label| (None, label))) {
            // Without a record a guard is undefined, and the label is the last word.
            let is_this = |of: StoreId| {
                store.is_none_or(|store| store == of && self.program.is_of_this_record(node, store))
            };
            let scope = record.filter(|(of, _)| is_this(*of));
            let Some((_, scope)) = scope else { continue };
            let place = || Place::Region(self.id, path.clone());
            let mut found = Vec::new();
            judge(self.program, rule, &mut found, place, |read| self.highest(scope, id, read));
            self.found.append(&mut found);
        }
        match &node.kind {
            NodeKind::Leaf(_) => {}
            NodeKind::List(item) => self.node(*item, format!("{path}[*]"), record),
            NodeKind::Record(fields) => {
                for field in fields {
                    self.node(field.node, format!("{path}.{}", field.name), record);
                }
            }
        }
    }

    /// The highest label of what a path from a record reads, where the label of `reader` is asked
    /// for: a region holds what lies in it, so what lies in the reader is as high as it.
    fn highest(&self, record: NodeId, reader: NodeId, path: &[String]) -> Label {
        let mut label = self.program.space().bottom().clone();
        if record == reader {
            label.join_with(&self.highest_of(reader));
        }
        let mut at = record;
        for step in path {
            let kind = self.tool.nodes.get(at.index()).map(|node| &node.kind);
            let Some(NodeKind::Record(fields)) = kind else { break };
            let Some(field) = fields.iter().find(|field| field.name == *step) else {
                return self.program.space().top().clone();
            };
            at = field.node;
            label.join_with(&self.highest_of(at));
        }
        // What is read is the value with all that lies in it.
        self.join_below(at, &mut label);
        label
    }

    fn join_below(&self, node: NodeId, label: &mut Label) {
        let below: Vec<NodeId> = match self.tool.nodes.get(node.index()).map(|node| &node.kind) {
            Some(NodeKind::List(item)) => vec![*item],
            Some(NodeKind::Record(fields)) => fields.iter().map(|field| field.node).collect(),
            Some(NodeKind::Leaf(_)) | None => Vec::new(),
        };
        for node in below {
            label.join_with(&self.highest_of(node));
            self.join_below(node, label);
        }
    }

    fn highest_of(&self, node: NodeId) -> Label {
        let Some(node) = self.tool.nodes.get(node.index()) else {
            return self.program.space().top().clone();
        };
        let cells = node.shows.iter().filter_map(|cell| {
            self.program.policy().cells.get(cell.index()).map(|cell| &cell.label)
        });
        highest(self.program, cells.chain(node.label.as_ref()))
    }
}

/// The join of all that may come of these labels; top if there are none.
fn highest<'a>(program: &Program, rules: impl IntoIterator<Item = &'a LabelRule>) -> Label {
    let labels = rules.into_iter().flat_map(choices).map(|label| extent(program, label).1);
    labels.reduce(|a, b| a.join(&b)).unwrap_or_else(|| program.space().top().clone())
}

/// All that may come of a label.
fn choices(rule: &LabelRule) -> impl Iterator<Item = LabelId> {
    rule.alternatives.iter().map(|alternative| alternative.label).chain([rule.otherwise])
}

/// The lowest and the highest that a label term may be: a level that a value names may be any.
fn extent(program: &Program, label: LabelId) -> (Label, Label) {
    let space = program.space();
    let (mut low, mut high) = (space.bottom().clone(), space.bottom().clone());
    let Some(term) = program.policy().labels.get(label.index()) else {
        return (low, space.top().clone());
    };
    for (lattice, part) in term.parts.iter().enumerate() {
        match part {
            LabelPart::Level(level) => {
                if let Some(part) = space.part(lattice, *level) {
                    low.join_with(part);
                    high.join_with(part);
                }
            }
            LabelPart::Named(_) => space.mask(lattice).into_iter().for_each(|m| high.join_with(m)),
        }
    }
    (low, high)
}

/// The fields that a label reads: in its guards, and where a value names a level.
fn fields_read(program: &Program, rule: &LabelRule) -> BTreeSet<Vec<String>> {
    let mut read = BTreeSet::new();
    let mut field = |operand: &Operand| {
        if let Operand::Field(path) = operand {
            read.insert(path.clone());
        }
    };
    for alternative in &rule.alternatives {
        operands(program, alternative.when, &mut field);
    }
    let terms = choices(rule).filter_map(|label| program.policy().labels.get(label.index()));
    for part in terms.flat_map(|term| &term.parts) {
        if let LabelPart::Named(operand) = part {
            field(operand);
        }
    }
    read
}

fn operands(program: &Program, condition: ConditionId, visit: &mut impl FnMut(&Operand)) {
    match program.policy().conditions.get(condition.index()) {
        Some(Condition::Compare(_, left, right) | Condition::In(left, right)) => {
            visit(left);
            visit(right);
        }
        Some(Condition::Present(operand) | Condition::Matches(operand, _)) => visit(operand),
        Some(Condition::Not(inner)) => operands(program, *inner, visit),
        Some(Condition::All(parts) | Condition::Any(parts)) => {
            for &part in parts {
                operands(program, part, visit);
            }
        }
        Some(Condition::Context(_)) | None => {}
    }
}
