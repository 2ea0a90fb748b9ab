//! Downgrades that lower nothing: each label that the region may have of its own flows to the one
//! that it would get. What is an exception in name alone is reviewed for nothing.

use rtbas_artifact::ir::{Downgrade, LabelId, Policy};

/// Whether a downgrade lowers nothing. May miss that it does not.
pub(super) fn is_needless(policy: &Policy, downgrade: &Downgrade) -> bool {
    let tool = policy.tools.get(downgrade.tool.index());
    let Some(node) = tool.and_then(|tool| tool.nodes.get(downgrade.node.index())) else {
        return false;
    };
    let term = |id: LabelId| policy.labels.get(id.index());
    let flows = |low: LabelId| {
        let pair = term(low).zip(term(downgrade.to));
        pair.is_some_and(|(low, high)| policy.surely_flows(low, high))
    };
    let cells = node.shows.iter().filter_map(|cell| policy.cells.get(cell.index()));
    let rules = cells.map(|cell| &cell.label).chain(&node.label);
    let labels = rules.flat_map(|rule| {
        rule.alternatives.iter().map(|alternative| alternative.label).chain([rule.otherwise])
    });
    labels.into_iter().all(flows)
}
