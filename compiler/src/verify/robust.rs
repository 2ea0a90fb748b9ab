//! O3: whoever writes a field does not choose a label by it. What a label, or a guard of it, reads
//! from a record flows to every label that may come of it.
//!
//! Levels of closed lattices are tables, so they are compared instance by instance; sets that values
//! name are compared as terms, for all values at once. A cycle of fields that label each other needs
//! no check of its own: each would have to flow to all that may come of the other, so all of them
//! are one label, and nothing is chosen. So is a field that names its own readers.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{
    CellId, CellPart, Condition, ConditionId, Downgrade, LabelId, LabelPart, LabelRule, LabelTerm,
    Node, NodeField, NodeId, Operand, StoreId, Tool, ToolId,
};
use rtbas_artifact::program::Program;

/// A label that the author of a field may choose.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) place: Place,
    /// The field that is read.
    pub(super) field: String,
    /// What that field may be labelled; the top if `None`.
    pub(super) label: Option<LabelId>,
    /// The label that it does not flow to.
    pub(super) choice: LabelId,
}

/// Whose label is chosen.
#[derive(Debug)]
pub(super) enum Place {
    Cell(CellId),
    /// A region of a tool's result, by its path.
    Region(ToolId, String),
    /// The downgrade at this index: what its guard reads decides, or what the region's label reads.
    Downgrade(usize, Decider),
}

/// What decides whether a downgrade lowers a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decider {
    Guard,
    /// A label is lowered only if it flows to where the downgrade begins, and to its meet with where
    /// that ends; so the lowered label tells what chose it.
    Label,
}

/// A label that a field may have.
#[derive(Clone, Copy, Debug)]
enum Source {
    Top,
    Term {
        label: LabelId,
        /// Whether the fields that it names are those of the record whose label is asked for.
        is_of_record: bool,
    },
}

/// The labels of a policy that somebody may choose.
pub(super) fn check(program: &Program) -> Vec<Chosen> {
    let policy = program.policy();
    let mut found = Vec::new();
    for (cell, id) in policy.cells.iter().zip(0..) {
        // A record is reached through the shape of its store, so its fields are at least as high.
        let over = match cell.part {
            CellPart::Shape => Some(&cell.label),
            CellPart::Field(_) | CellPart::Content => None,
        };
        let place = || Place::Cell(CellId(id));
        judge(program, &cell.label, &mut found, place, |path| {
            let field = path.first();
            let read = policy.cells.iter().find(|other| {
                other.store == cell.store
                    && matches!(&other.part, CellPart::Field(name) if Some(name) == field)
            });
            let mut sources = read.map_or(vec![Source::Top], |read| of_rule(&read.label, true));
            sources.extend(over.into_iter().flat_map(|over| of_rule(over, true)));
            sources
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

/// Judges one label by what it reads, given what the fields under a path may be labelled.
fn judge(
    program: &Program,
    rule: &LabelRule,
    found: &mut Vec<Chosen>,
    place: impl Fn() -> Place,
    read: impl Fn(&[String]) -> Vec<Source>,
) {
    let choices: Vec<LabelId> = choices(rule).collect();
    judge_paths(program, fields_read(program, rule), &choices, found, place, read);
}

fn judge_paths(
    program: &Program,
    paths: BTreeSet<Vec<String>>,
    choices: &[LabelId],
    found: &mut Vec<Chosen>,
    place: impl Fn() -> Place,
    read: impl Fn(&[String]) -> Vec<Source>,
) {
    for path in paths {
        let sources = read(&path);
        let pairs = choices.iter().flat_map(|choice| sources.iter().map(move |s| (*choice, s)));
        let escapes = |(choice, source): &(LabelId, &Source)| !flows(program, **source, *choice);
        if let Some((choice, source)) = pairs.into_iter().find(escapes) {
            let label = match *source {
                Source::Top => None,
                Source::Term { label, .. } => Some(label),
            };
            found.push(Chosen { place: place(), field: path.join("."), label, choice });
        }
    }
}

/// Whether all that a source may be flows to a choice, whatever the values are.
fn flows(program: &Program, source: Source, choice: LabelId) -> bool {
    let policy = program.policy();
    let term = |label: LabelId| policy.labels.get(label.index());
    let Some(high) = term(choice) else { return false };
    match source {
        Source::Top => program.constant(choice) == Some(program.space().top()),
        Source::Term { label, is_of_record } => term(label).is_some_and(|low| {
            // Fields of another record, or of none, are other values.
            (is_of_record || !low.reads_fields()) && policy.surely_flows(low, high)
                || program.constant(choice) == Some(program.space().top())
        }),
    }
}

/// The regions of a result, each with the record whose fields its guards read.
struct Walk<'p, 'f> {
    program: &'p Program,
    tool: &'p Tool,
    id: ToolId,
    found: &'f mut Vec<Chosen>,
}

/// A record of a store, and the region that it is.
type Record = (StoreId, NodeId);

impl<'p> Walk<'p, '_> {
    fn node(&mut self, id: NodeId, path: String, record: Option<Record>) {
        let Some(node) = self.tool.nodes.get(id.index()) else {
            return;
        };
        let record = node.record_of.map(|store| (store, id)).or(record);
        for (rule, scope) in self.rules(node, record) {
            // Without a record a guard is undefined, and the label is the last word.
            let Some((_, scope)) = scope else { continue };
            let place = || Place::Region(self.id, path.clone());
            let mut found = Vec::new();
            judge(self.program, rule, &mut found, place, |read| self.sources(scope, id, read));
            self.found.append(&mut found);
        }
        self.downgrades(id, node, record);
        for (step, below) in node.steps() {
            self.node(below, format!("{path}{step}"), record);
        }
    }

    /// Whether a region's label is lowered is told by what may be at the lowered label.
    fn downgrades(&mut self, id: NodeId, node: &'p Node, record: Option<Record>) {
        let Some((_, scope)) = record else { return };
        let program = self.program;
        for (index, downgrade) in program.policy().downgrades.iter().enumerate() {
            if (downgrade.tool, downgrade.node) != (self.id, id) {
                continue;
            }
            let mut paths = BTreeSet::new();
            if let Some(guard) = downgrade.when {
                operands(program, guard, &mut |operand| add_field(operand, &mut paths));
            }
            let rules = self.rules(node, record);
            let labels = rules.iter().flat_map(|(rule, _)| choices(rule)).chain([downgrade.to]);
            let labels: Vec<LabelId> = labels.collect();
            let mut found = Vec::new();
            let place = || Place::Downgrade(index, Decider::Guard);
            let read = |path: &[String]| self.sources(scope, id, path);
            judge_paths(program, paths, &labels, &mut found, place, read);
            let place = || Place::Downgrade(index, Decider::Label);
            for (rule, scope) in rules {
                let Some((_, scope)) = scope else { continue };
                if is_lowered_alike(program, rule, downgrade) {
                    continue;
                }
                let read = |path: &[String]| self.sources(scope, id, path);
                let paths = fields_read(program, rule);
                judge_paths(program, paths, &[downgrade.to], &mut found, place, read);
            }
            self.found.append(&mut found);
        }
    }

    /// The labels of a region in a record, each with the record whose fields it reads, if any.
    fn rules(
        &self,
        node: &'p Node,
        record: Option<Record>,
    ) -> Vec<(&'p LabelRule, Option<Record>)> {
        let cells = node.shows.iter().filter_map(|cell| {
            let cell = self.program.policy().cells.get(cell.index())?;
            let is_this = |(of, _): &Record| {
                cell.store == *of && self.program.is_of_this_record(node, cell.store)
            };
            Some((&cell.label, record.filter(is_this)))
        });
        cells.chain(node.label.iter().map(|label| (label, record))).collect()
    }

    /// What a path from a record may be labelled, where the label of `reader` is asked for: a
    /// region holds what lies in it, so what lies in the reader is as high as it.
    fn sources(&self, record: NodeId, reader: NodeId, path: &[String]) -> Vec<Source> {
        let mut found = Sources { walk: self, record, sources: Vec::new() };
        let around = self.record_at(record, None);
        if record == reader {
            found.add(reader, around);
        }
        if !found.add_path(record, around, path) {
            return vec![Source::Top];
        }
        found.sources
    }

    /// The innermost record around a region, itself included.
    fn record_at(&self, id: NodeId, around: Option<Record>) -> Option<Record> {
        let store = self.tool.nodes.get(id.index()).and_then(|node| node.record_of);
        store.map(|store| (store, id)).or(around)
    }
}

/// What regions within a record may be labelled.
struct Sources<'w, 'p, 'f> {
    walk: &'w Walk<'p, 'f>,
    record: NodeId,
    sources: Vec<Source>,
}

impl Sources<'_, '_, '_> {
    /// Adds what lies on a path of fields from a node, in every record that it may be. Says whether
    /// there is such a thing: in one of the records of a store that it may be, since one that has no
    /// such field has none in the store either, and further down in all of them, lest a guard take
    /// for missing what was left out.
    fn add_path(&mut self, node: NodeId, around: Option<Record>, path: &[String]) -> bool {
        let records: Vec<&[NodeField]> =
            self.walk.tool.nodes.get(node.index()).into_iter().flat_map(Node::records).collect();
        let Some((step, path)) = path.split_first().filter(|_| !records.is_empty()) else {
            // What is read is the value with all that lies in it.
            self.add_below(node, around);
            return true;
        };
        let fields = records.iter().map(|fields| fields.iter().find(|field| field.name == *step));
        let fields: Vec<&NodeField> = match node == self.record {
            true => fields.flatten().collect(),
            false => fields.collect::<Option<_>>().unwrap_or_default(),
        };
        let read: BTreeSet<NodeId> = fields.into_iter().map(|field| field.node).collect();
        let is_there = !read.is_empty();
        is_there
            && read.into_iter().all(|field| {
                let around = self.walk.record_at(field, around);
                self.add(field, around);
                self.add_path(field, around, path)
            })
    }

    fn add_below(&mut self, node: NodeId, around: Option<Record>) {
        let below = self.walk.tool.nodes.get(node.index()).map(Node::steps);
        for (_, node) in below.unwrap_or_default() {
            let around = self.walk.record_at(node, around);
            self.add(node, around);
            self.add_below(node, around);
        }
    }

    fn add(&mut self, id: NodeId, around: Option<Record>) {
        let node = self.walk.tool.nodes.get(id.index());
        let Some(node) = node.filter(|node| !node.shows.is_empty() || node.label.is_some()) else {
            return self.sources.push(Source::Top);
        };
        for (rule, scope) in self.walk.rules(node, around) {
            let is_of_record = scope.is_some_and(|(_, at)| at == self.record);
            self.sources.extend(of_rule(rule, is_of_record));
        }
    }
}

/// Whether a downgrade lowers all that may come of a label, and all of it to the same: what the label
/// reads is not told then. May miss that it does.
fn is_lowered_alike(program: &Program, rule: &LabelRule, downgrade: &Downgrade) -> bool {
    let policy = program.policy();
    let term = |label: LabelId| policy.labels.get(label.index());
    let all: Option<Vec<&LabelTerm>> = choices(rule).map(term).collect();
    let (Some(all), Some(from), Some(to)) = (all, term(downgrade.from), term(downgrade.to)) else {
        return false;
    };
    // Where a part of the label is always the same, so is what it is lowered to.
    let mut to = to.clone();
    for (index, part) in to.parts.iter_mut().enumerate() {
        match all.first().and_then(|first| first.parts.get(index)) {
            Some(LabelPart::Named(named)) if matches!(named.source(), Operand::Field(_)) => {}
            Some(same) if all.iter().all(|term| term.parts.get(index) == Some(same)) => {
                *part = same.clone();
            }
            _ => {}
        }
    }
    for (index, set) in to.sets.iter_mut().enumerate() {
        match all.first().and_then(|first| first.sets.get(index)) {
            Some(same)
                if !same.reads_fields()
                    && all.iter().all(|term| term.sets.get(index) == Some(same)) =>
            {
                *set = same.clone();
            }
            _ => {}
        }
    }
    // A value in `from` that names nothing makes it the bottom, which not all flows to.
    from.operands().all(|operand| matches!(operand, Operand::Literal(_)))
        && all.iter().all(|term| policy.surely_flows(term, from) && policy.surely_flows(&to, term))
}

/// All that may come of a label.
fn of_rule(rule: &LabelRule, is_of_record: bool) -> Vec<Source> {
    choices(rule).map(|label| Source::Term { label, is_of_record }).collect()
}

/// All labels that may come of a rule.
pub(super) fn choices(rule: &LabelRule) -> impl Iterator<Item = LabelId> {
    rule.alternatives.iter().map(|alternative| alternative.label).chain([rule.otherwise])
}

/// The fields that a label reads: in its guards, and where a value names a level.
pub(super) fn fields_read(program: &Program, rule: &LabelRule) -> BTreeSet<Vec<String>> {
    let mut read = BTreeSet::new();
    for alternative in &rule.alternatives {
        operands(program, alternative.when, &mut |operand| add_field(operand, &mut read));
    }
    let terms = choices(rule).filter_map(|label| program.policy().labels.get(label.index()));
    terms.flat_map(LabelTerm::operands).for_each(|operand| add_field(operand, &mut read));
    read
}

fn add_field(operand: &Operand, read: &mut BTreeSet<Vec<String>>) {
    if let Operand::Field(path) = operand.source() {
        read.insert(path.clone());
    }
}

/// Visits what a condition reads.
pub(super) fn operands(
    program: &Program,
    condition: ConditionId,
    visit: &mut impl FnMut(&Operand),
) {
    match program.policy().conditions.get(condition.index()) {
        Some(
            Condition::Compare(_, left, right)
            | Condition::In(left, right)
            | Condition::SubsetOf(left, right),
        ) => {
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
