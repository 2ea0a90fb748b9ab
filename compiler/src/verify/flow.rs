//! Flows: from where data can come to where, over all sessions, as a graph whose steps are each
//! proved or shown by a session.
//!
//! Takes a program whose obligations are proved. A step from a result to a call is there unless z3
//! finds none; one from a call to a cell, and from a cell to a result, is the tool's contract, which
//! is told. More taint never allows more and each result is labelled for itself, so whatever comes
//! from one point to another does so along these steps: where there is no way, there is no flow.
//! The other way round, each step of a way has its session, but not every way has one for all of it.

mod point;
mod search;

use std::cell::RefCell;
use std::collections::BTreeMap;

use petgraph::graph::{DiGraph, NodeIndex};
use rtbas_artifact::ir::{CellId, Effect, LabelId, Policy, ToolId};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

use super::claim::{Prover, Sink};
use super::outcome::Outcome;
use super::report::claim::steps;
use super::source::{Source, classes, may_write, outside, written_cells};
use super::trial::Trial;
pub(super) use point::Named;
pub use point::Point;
pub use search::{Found, Search, Way};

/// Why there is a step from one point to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The policy says so.
    Told,
    /// Some session does it.
    Shown,
    /// The solver could not tell, for this reason.
    Unknown(String),
}

/// What a sink does to a label.
type Known = BTreeMap<(Point, Says), Option<Step>>;

/// What matters of a label to a sink: what the bounds say of it, or all of it, where they name
/// values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Bounds(Vec<bool>),
    Label(Label),
}

/// Regions that are labelled alike.
#[derive(Clone)]
struct Class {
    sources: Vec<Source>,
    /// The label of what outsiders wrote, where it is theirs.
    outside: Option<LabelId>,
    /// The label that they always have, if they have one.
    label: Option<Label>,
}

/// All points and steps of a policy.
pub struct Flows<'p> {
    program: &'p Program,
    prover: Prover<'p>,
    graph: DiGraph<Point, Step>,
    points: BTreeMap<Point, NodeIndex>,
    /// What lets regions through is what they have in common.
    classes: Vec<Class>,
    known: RefCell<Known>,
}

impl std::fmt::Debug for Flows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flows").field("graph", &self.graph).finish_non_exhaustive()
    }
}

impl<'p> Flows<'p> {
    /// The flows of a policy.
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        let mut flows = Self {
            program,
            prover: Prover::new(program),
            graph: DiGraph::new(),
            points: BTreeMap::new(),
            classes: Vec::new(),
            known: RefCell::default(),
        };
        let sources = classes(program);
        let outside = outside(program, &sources).into_iter();
        let outside = outside.map(|(sources, label)| (sources, Some(label)));
        flows.classify(sources.into_iter().map(|sources| (sources, None)).chain(outside));
        flows.told();
        flows.proved();
        flows
    }

    /// The policy.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    fn policy(&self) -> &'p Policy {
        self.program.policy()
    }

    fn point(&mut self, point: Point) -> NodeIndex {
        let graph = &mut self.graph;
        *self.points.entry(point.clone()).or_insert_with(|| graph.add_node(point))
    }

    fn step(&mut self, from: Point, to: Point, step: Step) {
        let (from, to) = (self.point(from), self.point(to));
        self.graph.update_edge(from, to, step);
    }

    /// Puts together what always has the same label.
    fn classify(&mut self, classes: impl Iterator<Item = (Vec<Source>, Option<LabelId>)>) {
        let mut known: BTreeMap<(Label, bool), usize> = BTreeMap::new();
        for (sources, outside) in classes {
            let first = sources.first();
            let label = first.and_then(|first| self.prover.constant_label(first, outside));
            let next = self.classes.len();
            let key = label.clone().map(|label| (label, outside.is_some()));
            let index = key.map_or(next, |key| *known.entry(key).or_insert(next));
            match self.classes.get_mut(index) {
                Some(class) => class.sources.extend(sources),
                None => self.classes.push(Class { sources, outside, label }),
            }
        }
    }

    /// What the policy says of stores and of what tools do with them.
    fn told(&mut self) {
        let policy = self.policy();
        for (cell, id) in policy.cells.iter().zip(0..) {
            let cell_at = |outside| Point::Cell { cell: CellId(id), outside };
            self.point(cell_at(false));
            let Some(store) = policy.stores.get(cell.store.index()) else { continue };
            let Some(outsiders) = &store.outsiders else { continue };
            if outsiders.write.is_some_and(|written| may_write(self.program, written, &cell.label))
            {
                self.step(Point::OutsidersWrite, cell_at(true), Step::Told);
            }
            if outsiders.read.is_some() {
                self.step(cell_at(false), Point::OutsidersRead, Step::Told);
            }
        }
        for (tool, id) in policy.tools.iter().zip(0..) {
            for effect in [Effect::Allow, Effect::Confirm] {
                let call = Point::called(ToolId(id), effect);
                let Some(call) = call.filter(|_| tool.rules.iter().any(|r| r.effect == effect))
                else {
                    continue;
                };
                self.point(call.clone());
                for write in &tool.writes {
                    let cell = Point::Cell { cell: write.cell, outside: false };
                    self.step(call.clone(), cell, Step::Told);
                }
            }
        }
        self.point(Point::Reply);
        for (index, class) in self.classes.clone().into_iter().enumerate() {
            let is_outside = class.outside.is_some();
            for source in class.sources {
                let Some(region) = Point::region(self.program, &source, is_outside) else {
                    continue;
                };
                let cells = match is_outside {
                    false => source.shows(self.program),
                    true => written_cells(self.program, &source)
                        .into_iter()
                        .map(|(cell, _)| cell)
                        .collect(),
                };
                for cell in cells {
                    let cell = Point::Cell { cell, outside: is_outside };
                    self.step(cell, region.clone(), Step::Told);
                }
                self.step(region, Point::Class(index), Step::Told);
            }
        }
    }

    /// What gets through to calls and to the reply.
    fn proved(&mut self) {
        let tools = (0..).map(ToolId).take(self.policy().tools.len());
        let sinks: Vec<(Point, Sink)> = tools
            .flat_map(|id| [(id, Effect::Allow), (id, Effect::Confirm)])
            .filter_map(|(id, effect)| Some((Point::called(id, effect)?, Sink::Call(id, effect))))
            .filter(|(point, _)| self.points.contains_key(point))
            .chain([(Point::Reply, Sink::Reply)])
            .collect();
        for (index, class) in self.classes.clone().into_iter().enumerate() {
            for (point, sink) in &sinks {
                if let Some(step) = self.passes(&class, point, *sink) {
                    self.step(Point::Class(index), point.clone(), step);
                }
            }
        }
    }

    /// Whether what a source brings gets through to a sink.
    fn passes(&self, class: &Class, point: &Point, sink: Sink) -> Option<Step> {
        let source = (class.sources.first()?, class.outside);
        let Some(label) = &class.label else { return self.asked(source, sink) };
        let says = match self.prover.bounds(sink) {
            Some(bounds) => {
                Says::Bounds(bounds.iter().map(|bound| label.flows_to(bound)).collect())
            }
            None => Says::Label(label.clone()),
        };
        let key = (point.clone(), says);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let step = match self.tried(label, sink) {
            true => Some(Step::Shown),
            false => self.asked(source, sink),
        };
        self.known.borrow_mut().insert(key, step.clone());
        step
    }

    /// Whether a plain call gets through at a label.
    fn tried(&self, label: &Label, sink: Sink) -> bool {
        let Sink::Call(id, effect) = sink else { return false };
        let Some(tool) = self.program.tool(id) else { return false };
        let fires = Trial::plain(self.program, tool).fires(self.program, tool, |_| label.clone());
        let first = fires.into_iter().flatten().find(|(_, fires)| *fires);
        first.is_some_and(|(first, _)| first == effect)
    }

    fn asked(&self, (source, outside): (&Source, Option<LabelId>), sink: Sink) -> Option<Step> {
        match self.prover.passage(source, outside, sink) {
            Outcome::Proved { .. } => None,
            Outcome::Refuted(_) => Some(Step::Shown),
            Outcome::Unknown { reason } => Some(Step::Unknown(reason)),
            Outcome::Disagreement(_) => {
                Some(Step::Unknown("solver and evaluator disagree".to_owned()))
            }
        }
    }

    /// A session that goes from a region to a call or to the reply, step by step in the policy's
    /// words; none where no session has to be shown.
    #[must_use]
    pub fn session(&self, from: &Point, to: &Point) -> Vec<String> {
        let sink = match to {
            Point::Call(id) => Sink::Call(*id, Effect::Allow),
            Point::Approved(id) => Sink::Call(*id, Effect::Confirm),
            Point::Reply => Sink::Reply,
            _ => return Vec::new(),
        };
        let found = self.classes.iter().find_map(|class| {
            let outside = class.outside;
            let is_it = |source: &&Source| {
                Point::region(self.program, source, outside.is_some()).as_ref() == Some(from)
            };
            class.sources.iter().find(is_it).map(|source| (source, outside))
        });
        match found.map(|(source, outside)| self.prover.passage(source, outside, sink)) {
            Some(Outcome::Refuted(breach)) => steps(self.program, &breach),
            _ => Vec::new(),
        }
    }

    /// What a point is called: `ledger.subject`, `read_mail.result[*].body`, `send_money`, `reply`.
    #[must_use]
    pub fn name(&self, point: &Point) -> String {
        point.name(self.program)
    }
}
