//! Ways through the graph: all shortest ones from some points to others.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction;
use petgraph::algo::dijkstra;
use petgraph::graph::NodeIndex;
use petgraph::visit::{EdgeFiltered, EdgeRef, IntoNeighbors, Reversed};

use super::{Flows, Named, Point, Step};

/// Most ways that are listed.
const MAX_WAYS: usize = 1000;

/// A way: points, and why there is a step from each to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The points, at least two.
    pub points: Vec<Point>,
    /// One step fewer.
    pub steps: Vec<Step>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The shortest ways.
    pub ways: Vec<Way>,
    /// Whether there are more of them than are listed.
    pub more: bool,
}

/// Which ways count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// Also those on which the user approves a call.
    pub approved: bool,
    /// Only those on which nothing lies in a store between.
    pub direct: bool,
}

impl Flows<'_> {
    /// The points from which data can start that have this name, or lie in what has it.
    #[must_use]
    pub fn starts(&self, name: &str) -> Vec<Point> {
        self.named(|point, own| match point {
            Point::Cell { outside: false, .. } | Point::Region { outside: false, .. } => {
                lies_in(own, name)
            }
            Point::OutsidersWrite => own == name,
            _ => false,
        })
    }

    /// The points at which data can arrive that have this name, or lie in what has it.
    #[must_use]
    pub fn ends(&self, name: &str) -> Vec<Point> {
        self.named(|point, own| match point {
            Point::Cell { .. } => lies_in(own, name),
            // A tool's name means its calls, and not what they return.
            Point::Region { tool, .. } => {
                let tool = self.program.tool(*tool);
                lies_in(own, name) && tool.is_none_or(|tool| tool.name != name)
            }
            Point::Call(id) | Point::Approved(id) => {
                let tool = self.program.tool(*id);
                let arguments = tool.into_iter().flat_map(|tool| &tool.arguments);
                let mut arguments = arguments.map(|argument| format!("{own}.{}", argument.name));
                own == name || arguments.any(|argument| argument == name)
            }
            Point::OutsidersRead | Point::Reply => own == name,
            Point::OutsidersWrite | Point::Class(_) => false,
        })
    }

    /// Every name that a search may begin or end with.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let shown = self.points.keys().filter(|point| !matches!(point, Point::Class(_)));
        let names = shown.map(|point| self.name(point));
        let stores = self.policy().stores.iter().map(|store| store.name.clone());
        let tools = self.policy().tools.iter().map(|tool| tool.name.clone());
        names.chain(stores).chain(tools).collect()
    }

    /// Where data can be said to start: outside, in a cell, or in a result that shows no cell.
    #[must_use]
    pub fn all_starts(&self) -> Vec<Point> {
        let shows = |point: &Point| {
            let index = self.points.get(point);
            let mut before = index
                .into_iter()
                .flat_map(|index| self.graph.neighbors_directed(*index, Direction::Incoming));
            before.next().is_some()
        };
        self.named(|point, _| match point {
            Point::OutsidersWrite | Point::Cell { outside: false, .. } => true,
            Point::Region { outside: false, .. } => !shows(point),
            _ => false,
        })
    }

    /// Where data can arrive.
    #[must_use]
    pub fn all_ends(&self) -> Vec<Point> {
        self.named(|point, _| match point {
            Point::Cell { .. } | Point::Call(_) | Point::Approved(_) => true,
            Point::Reply | Point::OutsidersRead => true,
            Point::OutsidersWrite | Point::Region { .. } | Point::Class(_) => false,
        })
    }

    fn named(&self, is_it: impl Fn(&Point, &str) -> bool) -> Vec<Point> {
        self.points.keys().filter(|point| is_it(point, &self.name(point))).cloned().collect()
    }

    /// All shortest ways from any of some points to any of others, at least one step long.
    #[must_use]
    pub fn find(&self, from: &[Point], to: &[Point], search: Search) -> Found {
        let index = |points: &[Point]| -> BTreeSet<NodeIndex> {
            points.iter().filter_map(|point| self.points.get(point)).copied().collect()
        };
        let (from, to) = (index(from), index(to));
        let allowed = EdgeFiltered::from_fn(&self.graph, |edge| {
            let (source, target) = (self.at(edge.source()), self.at(edge.target()));
            let is_approved = |point| matches!(point, Some(&Point::Approved(_)));
            let is_call = is_approved(source) || matches!(source, Some(Point::Call(_)));
            let is_stored = is_call && !to.contains(&edge.target());
            (search.approved || !is_approved(source) && !is_approved(target))
                && !(search.direct && is_stored)
        });
        let distances: Vec<_> =
            to.iter().map(|&goal| dijkstra(Reversed(&allowed), goal, None, |_| 1_usize)).collect();
        let left = |point: NodeIndex| distances.iter().filter_map(|all| all.get(&point)).min();
        // A point that is both where a search begins and where it ends has to be reached again.
        let far = |point: NodeIndex| {
            (&allowed).neighbors(point).filter_map(left).min().map(|next| next + 1)
        };
        let Some(shortest) = from.iter().filter_map(|&start| far(start)).min() else {
            return Found::default();
        };
        let mut found = Found::default();
        let starts = from.iter().rev().filter(|&&start| far(start) == Some(shortest));
        let mut open: Vec<Vec<NodeIndex>> = starts.map(|&start| vec![start]).collect();
        while let Some(way) = open.pop() {
            let (Some(&last), true) = (way.last(), way.len() <= shortest) else {
                if found.ways.len() == MAX_WAYS {
                    found.more = true;
                    break;
                }
                found.ways.push(self.way(&way));
                continue;
            };
            let rest = shortest - way.len();
            let mut next: Vec<_> =
                (&allowed).neighbors(last).filter(|next| left(*next) == Some(&rest)).collect();
            next.sort_by_key(|next| std::cmp::Reverse(self.at(*next)));
            open.extend(next.into_iter().map(|next| [way.as_slice(), &[next]].concat()));
        }
        found
    }

    fn at(&self, index: NodeIndex) -> Option<&Point> {
        self.graph.node_weight(index)
    }

    /// A way as people see it: without the classes.
    fn way(&self, way: &[NodeIndex]) -> Way {
        let mut shown = Way { points: Vec::new(), steps: Vec::new() };
        let mut before = None;
        for &index in way {
            let edge = before.and_then(|before| self.graph.find_edge(before, index));
            before = Some(index);
            match self.at(index) {
                None | Some(Point::Class(_)) => continue,
                Some(point) => shown.points.push(point.clone()),
            }
            shown.steps.extend(edge.and_then(|edge| self.graph.edge_weight(edge)).cloned());
        }
        shown
    }

    /// For each point, but regions: where the steps lead that the policy tells of.
    pub(in crate::verify) fn told_steps(&self) -> BTreeMap<Named, BTreeMap<Named, Step>> {
        let points = self.points.iter();
        let points =
            points.filter(|(point, _)| !matches!(point, Point::Class(_) | Point::Region { .. }));
        points.map(|(point, index)| (self.with_name(point), self.next(*index))).collect()
    }

    /// The class of each region.
    pub(in crate::verify) fn class_of_regions(&self) -> BTreeMap<Named, NodeIndex> {
        let regions = self.points.iter().filter(|(point, _)| matches!(point, Point::Region { .. }));
        let class = |(point, index): (&Point, &NodeIndex)| {
            Some((self.with_name(point), self.graph.neighbors(*index).next()?))
        };
        regions.filter_map(class).collect()
    }

    /// Where the steps from a point or class lead.
    pub(in crate::verify) fn next(&self, index: NodeIndex) -> BTreeMap<Named, Step> {
        let edges = self.graph.edges(index);
        let next = edges.filter_map(|edge| {
            Some((self.with_name(self.at(edge.target())?), edge.weight().clone()))
        });
        next.collect()
    }

    fn with_name(&self, point: &Point) -> Named {
        Named { name: self.name(point), point: point.clone() }
    }

    /// Every step between two points that people see.
    #[must_use]
    pub fn steps(&self) -> Vec<(Point, Point, Step)> {
        let mut steps = Vec::new();
        for edge in self.graph.edge_references() {
            let (Some(source), Some(target)) = (self.at(edge.source()), self.at(edge.target()))
            else {
                continue;
            };
            match (source, target) {
                (_, Point::Class(_)) => {}
                (Point::Class(_), _) => {
                    let regions = self.graph.neighbors_directed(edge.source(), Direction::Incoming);
                    let regions = regions.filter_map(|region| self.at(region));
                    let step =
                        |region: &Point| (region.clone(), target.clone(), edge.weight().clone());
                    steps.extend(regions.map(step));
                }
                _ => steps.push((source.clone(), target.clone(), edge.weight().clone())),
            }
        }
        steps.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        steps
    }
}

/// Whether a name is another's, or of something in it.
fn lies_in(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
