//! Levels and labels: orders as the pairs that generate them, and bounds by search; sets beside
//! them.
//!
//! Takes from a policy which level covers which and nothing else; the codes that the engine computes
//! with are not read.

use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::sets::SetLattice;

use crate::model::flaw::Flaw;
use crate::model::names::Sets;
use crate::monitor::{Label, Names};

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
    open: Vec<Sets>,
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

    /// The level that flows to both and that all such levels flow to. `None` if there is none.
    #[must_use]
    pub fn meet(&self, a: usize, b: usize) -> Option<usize> {
        let is_lower = |c: &usize| self.flows(*c, a) && self.flows(*c, b);
        let is_greatest = |c: &usize| self.levels().filter(is_lower).all(|d| self.flows(d, *c));
        self.levels().filter(is_lower).find(is_greatest)
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
    pub fn new(lattices: &[Lattice], open: &[SetLattice], flaw: Option<Flaw>) -> Self {
        Self {
            orders: lattices.iter().map(Order::new).collect(),
            open: open.iter().map(|lattice| Sets::new(lattice, flaw)).collect(),
        }
    }

    /// The orders, one for each level of a label.
    #[must_use]
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// The open lattices, one for each set of a label.
    #[must_use]
    pub fn open(&self) -> &[Sets] {
        &self.open
    }

    /// Whether data at `a` may flow to `b`: every part may.
    #[must_use]
    pub fn flows(&self, a: &Label, b: &Label) -> bool {
        let levels = a.levels.iter().zip(&b.levels);
        let sets = a.sets.iter().zip(&b.sets);
        self.orders.iter().zip(levels).all(|(order, (&a, &b))| order.flows(a, b))
            && self.open.iter().zip(sets).all(|(open, (a, b))| open.flows(a, b))
    }

    /// The join of two labels, part by part.
    #[must_use]
    pub fn join(&self, a: &Label, b: &Label) -> Label {
        let level = |order: &Order, a, b| order.join(a, b).unwrap_or(order.top());
        self.by_parts(a, b, level, Sets::join)
    }

    /// The greatest label that flows to both, part by part.
    #[must_use]
    pub fn meet(&self, a: &Label, b: &Label) -> Label {
        let level = |order: &Order, a, b| order.meet(a, b).unwrap_or(order.bottom());
        self.by_parts(a, b, level, Sets::meet)
    }

    fn by_parts(
        &self,
        a: &Label,
        b: &Label,
        level: impl Fn(&Order, usize, usize) -> usize,
        set: impl Fn(&Sets, &Names, &Names) -> Names,
    ) -> Label {
        let levels = self.orders.iter().zip(a.levels.iter().zip(&b.levels));
        let sets = self.open.iter().zip(a.sets.iter().zip(&b.sets));
        Label {
            levels: levels.map(|(order, (&a, &b))| level(order, a, b)).collect(),
            sets: sets.map(|(open, (a, b))| set(open, a, b)).collect(),
        }
    }

    /// The join of any number of labels; the bottom if there are none.
    #[must_use]
    pub fn join_all<'a>(&self, labels: impl IntoIterator<Item = &'a Label>) -> Label {
        labels.into_iter().fold(self.bottom(), |joined, label| self.join(&joined, label))
    }

    /// The label that all flow to.
    #[must_use]
    pub fn top(&self) -> Label {
        Label {
            levels: self.orders.iter().map(Order::top).collect(),
            sets: self.open.iter().map(Sets::top).collect(),
        }
    }

    /// The label that flows to all.
    #[must_use]
    pub fn bottom(&self) -> Label {
        Label {
            levels: self.orders.iter().map(Order::bottom).collect(),
            sets: self.open.iter().map(Sets::bottom).collect(),
        }
    }

    /// All labels whose sets are all names, or are made of two.
    #[must_use]
    pub fn labels(&self) -> Vec<Label> {
        let mut labels = vec![Label::default()];
        for order in &self.orders {
            let longer = |label: Label| {
                order.levels().map(move |level| {
                    let mut label = label.clone();
                    label.levels.push(level);
                    label
                })
            };
            labels = labels.into_iter().flat_map(longer).collect();
        }
        let of = |names: &[&str]| Names::Of(names.iter().map(ToString::to_string).collect());
        let sets = [Names::All, of(&["a", "me"]), of(&["a"]), of(&["me"]), of(&[])];
        for _ in &self.open {
            let longer = |label: Label| {
                sets.iter().map(move |set| {
                    let mut label = label.clone();
                    label.sets.push(set.clone());
                    label
                })
            };
            labels = labels.into_iter().flat_map(longer).collect();
        }
        labels
    }

    /// A label in the policy's words.
    #[must_use]
    pub fn show(&self, label: &Label) -> String {
        let levels = self.orders.iter().zip(&label.levels);
        let levels = levels.map(|(order, &level)| order.name(level).to_owned());
        let sets = self.open.iter().zip(&label.sets);
        let sets = sets.map(|(open, names)| open.show(names, &self.open));
        format!("{{{}}}", levels.chain(sets).collect::<Vec<String>>().join(", "))
    }
}
