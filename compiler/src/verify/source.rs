//! Where data comes into a session: the regions of results, the texts of failures, and what an
//! answer says beside its regions.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{
    CellId, Effect, Format, LabelId, LabelRule, Node, NodeId, Operand, Policy, StoreId, Tool,
    ToolId,
};
use rtbas_artifact::program::Program;
use rtbas_artifact::term::NodeStep;

use super::robust::{choices, operands};

/// Something that a tool returns.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) tool: ToolId,
    pub(super) at: At,
}

#[derive(Clone, Debug)]
pub(super) enum At {
    /// A region, with those that it lies in, the root first.
    Region(Vec<Step>),
    /// The text of a failed call.
    Failure,
    /// What stands beside the regions and says something else, at the top.
    Undivided,
}

/// A region, and the field that it is of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) field: Option<String>,
}

/// A label of a region, and whether it reads fields of the record around.
pub(super) struct Rule<'p> {
    pub(super) label: &'p LabelRule,
    pub(super) cell: Option<CellId>,
    pub(super) reads_record: bool,
}

/// All that may come into a session, what lies further out first; of what has the same labels, one.
pub(super) fn sources(program: &Program) -> Vec<Source> {
    classes(program).into_iter().filter_map(|class| class.into_iter().next()).collect()
}

/// All that may come into a session: what has the same labels together, and what stands for it first.
pub(super) fn classes(program: &Program) -> Vec<Vec<Source>> {
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let mut order = 0;
    for (tool, id) in program.policy().tools.iter().zip(0..) {
        if tool.rules.iter().all(|rule| rule.effect == Effect::Deny) {
            continue;
        }
        let mut add = |at: At| {
            let source = Source { tool: ToolId(id), at };
            order += 1;
            let asked = tool.rules.iter().all(|rule| rule.effect != Effect::Allow);
            let rank = (asked, source.depth(), order);
            found.entry(source.signature(program, tool)).or_default().push((rank, source));
        };
        let root = NodeId(u32::try_from(tool.nodes.len().saturating_sub(1)).unwrap_or(0));
        walk(tool, Step { node: root, field: None }, &mut Vec::new(), &mut |chain| {
            add(At::Region(chain.to_vec()));
        });
        add(At::Failure);
        if tool.format == Format::Mcp {
            add(At::Undivided);
        }
    }
    let mut all: Vec<Vec<_>> = found.into_values().collect();
    for class in &mut all {
        class.sort_by_key(|(rank, _)| *rank);
    }
    all.sort_by_key(|class| class.first().map(|(rank, _)| *rank));
    let sources = |class: Vec<_>| class.into_iter().map(|(_, source)| source).collect();
    all.into_iter().map(sources).collect()
}

/// The classes again, of what outsiders wrote, with its label.
pub(super) fn outside(program: &Program, classes: &[Vec<Source>]) -> Vec<(Vec<Source>, LabelId)> {
    let mut found = Vec::new();
    for class in classes {
        let mut by_label: BTreeMap<LabelId, Vec<Source>> = BTreeMap::new();
        for source in class {
            let written = written_cells(program, source).into_iter();
            for label in written.map(|(_, label)| label).collect::<BTreeSet<_>>() {
                by_label.entry(label).or_default().push(source.clone());
            }
        }
        found.extend(by_label.into_iter().map(|(label, class)| (class, label)));
    }
    found
}

/// The cells that a source shows and outsiders write, with the label of what they write.
pub(super) fn written_cells(program: &Program, source: &Source) -> Vec<(CellId, LabelId)> {
    let policy = program.policy();
    let cells = source.shows(program).into_iter().filter_map(|id| {
        let cell = policy.cells.get(id.index())?;
        let written = policy.stores.get(cell.store.index())?.outsiders.as_ref()?.write?;
        may_write(program, written, &cell.label).then_some((id, written))
    });
    cells.collect()
}

/// Whether outsiders may write into a cell: what they write flows to its label, whichever that is at
/// the moment. Nothing is said of labels that name values.
pub(super) fn may_write(program: &Program, written: LabelId, rule: &LabelRule) -> bool {
    let constant = |label| program.constant(label);
    choices(rule).any(|label| match (constant(written), constant(label)) {
        (Some(written), Some(label)) => written.flows_to(label),
        _ => true,
    })
}

fn walk(tool: &Tool, at: Step, chain: &mut Vec<Step>, visit: &mut impl FnMut(&[Step])) {
    let node = tool.nodes.get(at.node.index());
    chain.push(at);
    visit(chain);
    for (step, below) in node.into_iter().flat_map(Node::steps) {
        let field = match step {
            NodeStep::Field(name) => Some(name.to_owned()),
            NodeStep::Items | NodeStep::Keys => None,
        };
        walk(tool, Step { node: below, field }, chain, visit);
    }
    chain.pop();
}

/// The labels of a region in a record of a store: the cells' that it shows, and its own.
pub(super) fn rules<'p>(
    program: &'p Program,
    node: &'p Node,
    record: Option<StoreId>,
) -> Vec<Rule<'p>> {
    let cells = node.shows.iter().filter_map(|&id| {
        let cell = program.policy().cells.get(id.index())?;
        let reads_record =
            record == Some(cell.store) && program.is_of_this_record(node, cell.store);
        Some(Rule { label: &cell.label, cell: Some(id), reads_record })
    });
    let own = node.label.iter().map(|label| Rule { label, cell: None, reads_record: true });
    cells.chain(own).collect()
}

impl Source {
    /// What there is to say of its labels: two of which the same is said are alike.
    fn signature(&self, program: &Program, tool: &Tool) -> String {
        let policy = program.policy();
        let mut parts = Vec::new();
        let mut reads_call = tool.rules.iter().any(|rule| rule.effect == Effect::Deny);
        match &self.at {
            At::Undivided => parts.push("top".to_owned()),
            At::Failure => {
                reads_call |= reads_arguments(program, &tool.errors);
                parts.push(format!("{:?}", tool.errors));
            }
            At::Region(chain) => {
                let mut record = None;
                reads_call |= !tool.form.is_empty();
                for step in chain {
                    let Some(node) = tool.nodes.get(step.node.index()) else { continue };
                    record = node.record_of.or(record);
                    for rule in rules(program, node, record) {
                        reads_call |= reads_arguments(program, rule.label);
                        let reads = rule.reads_record.then_some(record);
                        parts.push(format!("{:?} {:?} {reads:?}", rule.label, rule.cell));
                    }
                    let mut downgrades = policy.downgrades.iter();
                    reads_call |= downgrades.any(|d| (d.tool, d.node) == (self.tool, step.node));
                    if node.shows.is_empty() && node.label.is_none() {
                        parts.push("top".to_owned());
                    }
                }
            }
        }
        // Labels are joined, so neither their order nor their number matters.
        parts.sort();
        parts.dedup();
        format!("{:?} {}", reads_call.then_some(self.tool), parts.join(", "))
    }

    /// What a person calls it, behind the tool's name.
    pub(super) fn path(&self, program: &Program) -> Option<String> {
        match &self.at {
            At::Region(chain) => program.tool(self.tool)?.path_of(chain.last()?.node),
            At::Failure => Some("errors".to_owned()),
            At::Undivided => Some("content".to_owned()),
        }
    }

    /// The cells that it shows. The text of a failure may quote any that its tool reads.
    pub(super) fn shows(&self, program: &Program) -> Vec<CellId> {
        let Some(tool) = program.tool(self.tool) else { return Vec::new() };
        match &self.at {
            At::Region(chain) => {
                let last = chain.last().and_then(|step| tool.nodes.get(step.node.index()));
                last.map(|node| node.shows.clone()).unwrap_or_default()
            }
            At::Failure | At::Undivided => {
                tool.nodes.iter().flat_map(|node| node.shows.iter().copied()).collect()
            }
        }
    }

    /// What is further out is easier to see; what a call returns, than what it says when it fails.
    fn depth(&self) -> usize {
        match &self.at {
            At::Region(chain) => chain.len(),
            At::Failure | At::Undivided => usize::MAX,
        }
    }
}

fn reads_arguments(program: &Program, rule: &LabelRule) -> bool {
    let policy: &Policy = program.policy();
    let mut reads = false;
    let mut visit = |operand: &Operand| {
        reads |= matches!(operand.source(), Operand::Argument(..));
    };
    for alternative in &rule.alternatives {
        operands(program, alternative.when, &mut visit);
    }
    let terms = choices(rule).filter_map(|label| policy.labels.get(label.index()));
    terms.flat_map(rtbas_artifact::ir::LabelTerm::operands).for_each(visit);
    reads
}
