//! Levels and labels: orders as the pairs that generate them, and bounds by search.
//!
//! Takes from a policy which level covers which and nothing else; the codes that the engine computes
//! with are not read.

use rtbas_artifact::lattice::Lattice;

use crate::monitor::Label;

/// An order on levels.
#[derive(Clone, Debug)]
pub struct Order {
    /// Names of the levels.
    names: Vec<String>,
    /// For each level: the levels directly above it.
    above: Vec<Vec<usize>>,
}

/// The labels over some orders.
#[derive(Clone, Debug)]
pub struct Space {
    orders: Vec<Order>,
}

impl Order {
    /// The order of a declared lattice, from the pairs between which no level lies.
    #[must_use]
    pub fn new(lattice: &Lattice) -> Self {
        let n = lattice.levels.len();
        let below = |a: usize, b: usize| a != b && lattice.up.get(a, b);
        let covers =
            |a: usize, b: usize| below(a, b) && !(0..n).any(|c| below(a, c) && below(c, b));
        let above = (0..n).map(|a| (0..n).filter(|&b| covers(a, b)).collect()).collect();
        Self { names: lattice.levels.clone(), above }
    }

    /// The levels.
    pub fn levels(&self) -> std::ops::Range<usize> {
        0..self.names.len()
    }

    /// The level of that name.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// The name of a level.
    #[must_use]
    pub fn name(&self, level: usize) -> &str {
        self.names.get(level).map_or("?", String::as_str)
    }

    /// Whether data at `a` may flow to `b`: one can climb from `a` to `b`.
    #[must_use]
    pub fn flows(&self, a: usize, b: usize) -> bool {
        let above = self.above.get(a).map_or(&[][..], Vec::as_slice);
        a == b || above.iter().any(|&next| self.flows(next, b))
    }

    /// The level that both flow to and that flows to all such levels. `None` if there is none: then
    /// this is no lattice.
    #[must_use]
    pub fn join(&self, a: usize, b: usize) -> Option<usize> {
        let is_upper = |c: &usize| self.flows(a, *c) && self.flows(b, *c);
        let is_least = |c: &usize| self.levels().filter(is_upper).all(|d| self.flows(*c, d));
        self.levels().filter(is_upper).find(is_least)
    }

    /// The level that all flow to, or the first if there is none.
    #[must_use]
    pub fn top(&self) -> usize {
        self.levels().find(|&b| self.levels().all(|a| self.flows(a, b))).unwrap_or(0)
    }

    /// The level that flows to all, or the first if there is none.
    #[must_use]
    pub fn bottom(&self) -> usize {
        self.levels().find(|&a| self.levels().all(|b| self.flows(a, b))).unwrap_or(0)
    }
}

impl Space {
    /// The labels of a policy with these lattices.
    #[must_use]
    pub fn new(lattices: &[Lattice]) -> Self {
        Self { orders: lattices.iter().map(Order::new).collect() }
    }

    /// The orders, one for each part of a label.
    #[must_use]
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// Whether data at `a` may flow to `b`: every part may.
    #[must_use]
    pub fn flows(&self, a: &Label, b: &Label) -> bool {
        self.orders.iter().zip(a.iter().zip(b)).all(|(order, (&a, &b))| order.flows(a, b))
    }

    /// The join of two labels, part by part.
    #[must_use]
    pub fn join(&self, a: &Label, b: &Label) -> Label {
        let parts = self.orders.iter().zip(a.iter().zip(b));
        parts.map(|(order, (&a, &b))| order.join(a, b).unwrap_or(order.top())).collect()
    }

    /// The join of any number of labels; the bottom if there are none.
    #[must_use]
    pub fn join_all<'a>(&self, labels: impl IntoIterator<Item = &'a Label>) -> Label {
        labels.into_iter().fold(self.bottom(), |joined, label| self.join(&joined, label))
    }

    /// The label that all flow to.
    #[must_use]
    pub fn top(&self) -> Label {
        self.orders.iter().map(Order::top).collect()
    }

    /// The label that flows to all.
    #[must_use]
    pub fn bottom(&self) -> Label {
        self.orders.iter().map(Order::bottom).collect()
    }

    /// All labels.
    #[must_use]
    pub fn labels(&self) -> Vec<Label> {
        self.orders.iter().fold(vec![Label::new()], |prefixes, order| {
            let longer = |prefix: Label| order.levels().map(move |l| [&prefix[..], &[l]].concat());
            prefixes.into_iter().flat_map(longer).collect()
        })
    }

    /// A label in the policy's words.
    #[must_use]
    pub fn show(&self, label: &Label) -> String {
        let names: Vec<&str> =
            self.orders.iter().zip(label).map(|(order, &level)| order.name(level)).collect();
        format!("{{{}}}", names.join(", "))
    }
}
