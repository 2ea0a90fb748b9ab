//! Where the parts of a policy stand.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{CellId, RuleId, ToolId};
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::origin::{Origin, Origins};

use crate::resolve::hir::{LabelRule, Policy};
use crate::source::{FileId, Sources, Span};

/// Places of what has an id; none of what has no source.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// By lattice.
    pub lattices: Vec<LatticeSpans>,
    /// By cell: its label, if it is declared.
    pub cells: Vec<Option<Span>>,
    /// By tool: where the policy speaks of it.
    pub tools: Vec<Span>,
    /// By tool and rule.
    pub rules: Vec<Vec<Span>>,
    /// By claim.
    pub claims: Vec<Span>,
    /// By downgrade: its name.
    pub downgrades: Vec<Span>,
}

/// Places of a lattice.
#[derive(Clone, Debug)]
pub struct LatticeSpans {
    /// Its name.
    pub name: Span,
    /// By level: where it stands first.
    pub levels: Vec<Span>,
    /// The declared edges: data at the first may flow to the second.
    pub edges: Vec<(LevelId, LevelId, Span)>,
}

impl Spans {
    /// The name of a lattice.
    #[must_use]
    pub fn lattice(&self, lattice: usize) -> Option<Span> {
        self.lattices.get(lattice).map(|lattice| lattice.name)
    }

    /// A level of a lattice.
    #[must_use]
    pub fn level(&self, lattice: usize, level: LevelId) -> Option<Span> {
        self.lattices.get(lattice)?.levels.get(level.index()).copied()
    }

    /// The label of a cell.
    #[must_use]
    pub fn cell(&self, cell: CellId) -> Option<Span> {
        self.cells.get(cell.index()).copied().flatten()
    }

    /// A tool.
    #[must_use]
    pub fn tool(&self, tool: ToolId) -> Option<Span> {
        self.tools.get(tool.index()).copied()
    }

    /// A rule of a tool.
    #[must_use]
    pub fn rule(&self, tool: ToolId, rule: RuleId) -> Option<Span> {
        self.rules.get(tool.index())?.get(rule.index()).copied()
    }
}

pub(super) fn spans(policy: &Policy) -> Spans {
    let lattice = |lattice: &crate::resolve::hir::Lattice| LatticeSpans {
        name: lattice.span,
        levels: lattice.spans.clone(),
        edges: lattice.edges.iter().map(|edge| (edge.from, edge.to, edge.span)).collect(),
    };
    // A label with guards is found by the first that may come of it.
    let first = |rule: &LabelRule| {
        rule.alternatives.first().map_or(rule.otherwise.span, |(label, _)| label.span)
    };
    let rules = policy.tools.iter().map(|tool| tool.rules.iter().map(|rule| rule.span).collect());
    Spans {
        lattices: policy.lattices.iter().map(lattice).collect(),
        cells: policy.cells.iter().map(|cell| cell.label.as_ref().map(first)).collect(),
        tools: policy.tools.iter().map(|tool| tool.span).collect(),
        rules: rules.collect(),
        claims: policy.claims.iter().map(|claim| claim.span).collect(),
        downgrades: policy.downgrades.iter().map(|downgrade| downgrade.span).collect(),
    }
}

/// Files are named without their folders: an artifact does not depend on where it was built.
pub(super) fn origins(policy: &Policy, sources: &Sources<'_>) -> Origins {
    let spans = policy.tools.iter().flat_map(|tool| tool.rules.iter().map(|rule| rule.span.file));
    let files: BTreeSet<FileId> = std::iter::once(policy.file).chain(spans).collect();
    let files: Vec<FileId> = files.into_iter().collect();
    let origin = |span: Span| {
        let position = sources.position(span);
        let words: Vec<&str> = sources.slice(span).split_whitespace().collect();
        let file = files.binary_search(&span.file).unwrap_or(0);
        let file = u32::try_from(file).unwrap_or(u32::MAX);
        Origin { file, line: position.line, column: position.column, text: words.join(" ") }
    };
    let rules = policy.tools.iter();
    let rules = rules.map(|tool| tool.rules.iter().map(|rule| origin(rule.span)).collect());
    let names = files.iter().map(|file| sources.name(*file).to_owned()).collect();
    Origins { files: names, rules: rules.collect() }
}
