//! Declared edges → the order that they generate, or the cycles that make it none.

use petgraph::algo::{astar, kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use rtbas_artifact::bits::BitMatrix;
use rtbas_artifact::lattice::{Lattice, LevelId};

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::resolve::hir::{self, Edge};

/// The tables of a lattice's reflexive and transitive order.
pub(super) fn table(lattice: &hir::Lattice, diagnostics: &mut Diagnostics) -> Option<Lattice> {
    let mut graph: DiGraph<LevelId, ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> =
        (0..).map(LevelId).zip(&lattice.levels).map(|(id, _)| graph.add_node(id)).collect();
    let node = |level: LevelId| nodes.get(level.index()).copied();
    for edge in &lattice.edges {
        if let (Some(from), Some(to)) = (node(edge.from), node(edge.to)) {
            graph.update_edge(from, to, ());
        }
    }
    let Ok(order) = toposort(&graph, None) else {
        for cycle in cycles(&graph) {
            diagnostics.push(cyclic(lattice, &cycle));
        }
        return None;
    };
    let count = lattice.levels.len();
    let mut up = BitMatrix::zeros(count, u32::try_from(count).unwrap_or(u32::MAX));
    for from in order.into_iter().rev() {
        up.set(from.index(), from.index(), true);
        for to in graph.neighbors(from) {
            for above in 0..count {
                if up.get(to.index(), above) {
                    up.set(from.index(), above, true);
                }
            }
        }
    }
    let table = Lattice::new(lattice.name.clone(), lattice.levels.clone(), up);
    Some(Lattice { element: lattice.element.clone(), ..table })
}

/// A shortest cycle of each part of the graph that has one, its first level also at its end.
fn cycles(graph: &DiGraph<LevelId, ()>) -> Vec<Vec<LevelId>> {
    let mut components = kosaraju_scc(graph);
    for component in &mut components {
        component.sort_unstable();
    }
    components.sort_unstable();
    let cycle = |component: Vec<NodeIndex>| {
        let first = *component.first()?;
        let back = |from| astar(graph, from, |node| node == first, |_| 1_u32, |_| 0);
        let (_, path) = graph.neighbors(first).filter_map(back).min()?;
        let nodes = std::iter::once(first).chain(path);
        Some(nodes.filter_map(|node| graph.node_weight(node).copied()).collect())
    };
    components.into_iter().filter_map(cycle).collect()
}

fn cyclic(lattice: &hir::Lattice, cycle: &[LevelId]) -> Diagnostic {
    let name = |level: &LevelId| lattice.levels.get(level.index()).map_or("", String::as_str);
    let arrows: Vec<&str> = cycle.iter().map(name).collect();
    let message = format!("the order of `{}` has a cycle: {}", lattice.name, arrows.join(" -> "));
    let edges: Vec<Edge> = cycle
        .windows(2)
        .filter_map(|pair| lattice.edges.iter().find(|edge| pair == [edge.from, edge.to]).copied())
        .collect();
    let last = edges.last().map(|edge| edge.span);
    let mut diagnostic = Diagnostic::new(Code::E0301, last, message);
    for edge in edges.iter().take(edges.len().saturating_sub(1)) {
        let text = format!("`{}` flows to `{}`", name(&edge.from), name(&edge.to));
        diagnostic = diagnostic.label(edge.span, text);
    }
    diagnostic.help("levels that flow to each other are one level; delete an arrow, or merge them")
}

/// Warns of orders in which the application's own messages are not at the freest level. There is no
/// text that is trusted more, so the arrows may point the wrong way; then all bounds fail open.
pub(super) fn warn_of_direction(
    policy: &hir::Policy,
    lattices: &[Lattice],
    diagnostics: &mut Diagnostics,
) {
    let [system, ..] = &policy.messages;
    for ((lattice, level), written) in lattices.iter().zip(&system.levels).zip(&policy.lattices) {
        // The two levels of an element are not written, and neither is their order.
        let (None, Some(level), Some(freest)) = (&lattice.element, *level, lattice.bottom()) else {
            continue;
        };
        if level == freest {
            continue;
        }
        let (name, level) = (&lattice.name, lattice.level_name(level));
        let freest = lattice.level_name(freest);
        let message =
            format!("`message system` is at `{level}`, and `{freest}` is the freest level");
        let note = format!(
            "an arrow points the way data may flow: what is `{freest}` may go wherever `{level}` \
             data may"
        );
        let help = format!(
            "turn the arrows of `{name}` round; or, if your instructions to the model are so \
             strict:\nlint allow W0302 because \"…\""
        );
        let diagnostic = Diagnostic::new(Code::W0302, system.span, message).note(note).help(help);
        diagnostics.push(diagnostic.label(written.span, "the order is declared here"));
    }
}
