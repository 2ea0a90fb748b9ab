//! O1: each declared order is a bounded lattice, and the code that ships is faithful to it.
//!
//! The queries are over the tables that ship, with symbolic indices: the solver searches for the
//! pair of levels that breaks a law. Above [`MAX_SEARCH`] levels every pair is checked instead.

use std::sync::Arc;

use rtbas_artifact::bits::BitMatrix;
use rtbas_artifact::certificate::Method;
use rtbas_artifact::lattice::{Lattice, LevelId};

use super::term::{Bits, Formula};
use super::z3::{Answer, Assignment, solve};

/// Most levels for which the solver searches.
pub(super) const MAX_SEARCH: usize = 128;

/// What came of a lattice.
#[derive(Debug)]
pub(super) enum Outcome {
    Proved { method: Method, resource: u64 },
    Refuted(Flaw),
    Unknown { reason: String },
}

/// How a lattice is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The pair has no least upper bound.
    NoJoin(LevelId, LevelId),
    /// No level flows to all others; these two are minimal.
    NoBottom(LevelId, LevelId),
    /// The tables contradict each other on this pair: a fault of the compiler.
    Tables(LevelId, LevelId),
}

/// Checks a lattice.
///
/// One query is enough for an order that is one: where the code is faithful to the order, and the
/// union of two codes is always a code, that union is the join; and a finite order with a bottom
/// and all joins has all meets and a top. The code is much narrower than the order. For an order
/// that is no lattice the code means little, so a second query, over the order, finds the pair that
/// lacks a join.
pub(super) fn check(lattice: &Lattice) -> Outcome {
    if lattice.levels.len() > MAX_SEARCH {
        return check_every_pair(lattice);
    }
    let (x, y) = match solve(&broken_code(lattice)) {
        Answer::Unsatisfiable { resource } => {
            return Outcome::Proved { method: Method::Search, resource };
        }
        Answer::Unknown { reason } => return Outcome::Unknown { reason },
        Answer::Satisfiable(found) => pair_of(&found),
    };
    match solve(&broken_order(lattice)) {
        Answer::Unsatisfiable { .. } => Outcome::Refuted(Flaw::Tables(x, y)),
        Answer::Unknown { reason } => Outcome::Unknown { reason },
        Answer::Satisfiable(found) => {
            let (x, y) = pair_of(&found);
            Outcome::Refuted(flaw_of(lattice, x, y))
        }
    }
}

fn pair_of(found: &Assignment) -> (LevelId, LevelId) {
    let level = |name: &str| {
        let index = found.bits.get(name).copied().unwrap_or(0);
        LevelId(u16::try_from(index).unwrap_or(u16::MAX))
    };
    (level("x"), level("y"))
}

/// Which law a pair breaks: replays what the solver found on the tables.
fn flaw_of(lattice: &Lattice, x: LevelId, y: LevelId) -> Flaw {
    let joins = lattice.minimal_upper_bounds(x, y);
    if !is_order_at(lattice, x, y) {
        return Flaw::Tables(x, y);
    }
    if joins.len() != 1 {
        return Flaw::NoJoin(x, y);
    }
    no_bottom(lattice).unwrap_or(Flaw::Tables(x, y))
}

/// Two minimal levels, if no level flows to all.
fn no_bottom(lattice: &Lattice) -> Option<Flaw> {
    let below = |b: LevelId| lattice.ids().any(|a| a != b && lattice.flows(a, b));
    let mut minimal = lattice.ids().filter(|&level| !below(level));
    Some(Flaw::NoBottom(minimal.next()?, minimal.next()?))
}

fn is_order_at(lattice: &Lattice, x: LevelId, y: LevelId) -> bool {
    let contained = lattice.ids().all(|z| !lattice.flows(y, z) || lattice.flows(x, z));
    let mutual = x != y && lattice.flows(x, y) && lattice.flows(y, x);
    lattice.flows(x, y) == contained && !mutual
}

fn check_every_pair(lattice: &Lattice) -> Outcome {
    if lattice.laws().is_ok() {
        return Outcome::Proved { method: Method::Ground, resource: 0 };
    }
    if let (None, Some(flaw)) = (lattice.bottom(), no_bottom(lattice)) {
        return Outcome::Refuted(flaw);
    }
    let pairs = lattice.ids().flat_map(|x| lattice.ids().map(move |y| (x, y)));
    let mut ordered = pairs.filter(|(x, y)| x < y);
    let joinless = ordered.find(|&(x, y)| lattice.minimal_upper_bounds(x, y).len() != 1);
    Outcome::Refuted(match joinless {
        Some((x, y)) => Flaw::NoJoin(x, y),
        None => Flaw::Tables(LevelId(0), LevelId(0)),
    })
}

/// A table with an index variable: the rows, and the row under the index.
struct Table {
    rows: Arc<[Bits]>,
}

impl Table {
    fn new(matrix: &BitMatrix, rows: usize) -> Self {
        let width = matrix.columns().max(1);
        let row = |i| Bits::constant(matrix.row(i), width);
        Self { rows: (0..rows).map(row).collect() }
    }

    /// A variable that is the row under `index`, and the assertion that says so.
    fn at(&self, name: &str, width: u32, index: &Bits) -> (Bits, Formula) {
        let row = Bits::variable(name, width.max(1));
        let looked_up = Bits::lookup(self.rows.clone(), index.clone());
        (row.clone(), row.equal(looked_up))
    }

    fn holds(&self, bits: &Bits) -> Formula {
        Formula::or(self.rows.iter().map(|row| bits.clone().equal(row.clone())))
    }
}

/// Two level variables, `x` and `y`, and the assertions that keep them in range.
fn pair(levels: usize) -> (Bits, Bits, [Formula; 2]) {
    let width = usize::BITS - levels.saturating_sub(1).leading_zeros();
    let index = |name: &str| Bits::variable(name, width.max(1));
    let bound = u64::try_from(levels).unwrap_or(u64::MAX);
    // With one bit more than needed the bound would always fit; with none to spare every value is
    // in range anyway.
    let in_range = |bits: Bits| match levels.is_power_of_two() && levels > 1 {
        true => Formula::constant(true),
        false => bits.below(bound),
    };
    let (x, y) = (index("x"), index("y"));
    let ranges = [in_range(x.clone()), in_range(y.clone())];
    (x, y, ranges)
}

fn contains(outer: &Bits, inner: &Bits) -> Formula {
    outer.clone().and(inner.clone()).equal(inner.clone())
}

/// A pair of levels and what the tables say of it.
struct Pair {
    up_x: Bits,
    up_y: Bits,
    up: Table,
    /// The assertions that make the variables what they are called.
    given: Vec<Formula>,
    /// That the order is none at this pair, or that not everything lies above its bottom.
    no_order: Formula,
}

impl Pair {
    fn new(lattice: &Lattice) -> Self {
        let n = lattice.levels.len();
        let width = lattice.up.columns();
        let up = Table::new(&lattice.up, n);
        let mut identity = BitMatrix::zeros(n, width);
        for i in 0..n {
            identity.set(i, i, true);
        }
        let (x, y, ranges) = pair(n);
        let (up_x, is_up_x) = up.at("up_x", width, &x);
        let (up_y, is_up_y) = up.at("up_y", width, &y);
        let (one_y, is_one_y) = Table::new(&identity, n).at("one_y", width, &y);

        // A transitive, reflexive table: x flows to y exactly where all that y flows to, x flows to.
        let flows = contains(&up_x, &one_y);
        let preorder = flows.same(contains(&up_x, &up_y));
        let mutual = Formula::and([!x.equal(y), up_x.clone().equal(up_y.clone())]);
        // The level with most levels above it is the only candidate for a bottom.
        let above = |i: &usize| lattice.ids().filter(|b| lattice.up.get(*i, b.index())).count();
        let candidate = (0..n).max_by_key(above).unwrap_or(0);
        let bottom = Bits::constant(lattice.up.row(candidate), width.max(1));
        let no_bottom = !contains(&bottom, &one_y);
        let no_order = Formula::or([!preorder, mutual, no_bottom]);
        let [x_in_range, y_in_range] = ranges;
        let given = vec![x_in_range, y_in_range, is_up_x, is_up_y, is_one_y];
        Self { up_x, up_y, up, given, no_order }
    }
}

/// Satisfied by a pair at which the order is none, on which code and order disagree, or whose codes'
/// union is no code.
fn broken_code(lattice: &Lattice) -> Vec<Formula> {
    let Pair { up_x, up_y, mut given, no_order, .. } = Pair::new(lattice);
    let (n, width) = (lattice.levels.len(), lattice.code.columns());
    let code = Table::new(&lattice.code, n);
    let (x, y, _) = pair(n);
    let (code_x, is_code_x) = code.at("code_x", width, &x);
    let (code_y, is_code_y) = code.at("code_y", width, &y);
    let faithful = contains(&code_y, &code_x).same(contains(&up_x, &up_y));
    let no_union = !code.holds(&code_x.or(code_y));
    given.extend([is_code_x, is_code_y, Formula::or([no_order, !faithful, no_union])]);
    given
}

/// Satisfied by a pair at which the order is none, or that has no least upper bound: whose common
/// upper bounds are not those of one level.
fn broken_order(lattice: &Lattice) -> Vec<Formula> {
    let Pair { up_x, up_y, up, mut given, no_order } = Pair::new(lattice);
    let no_join = !up.holds(&up_x.and(up_y));
    given.push(Formula::or([no_order, no_join]));
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which each level flows to itself, and to others as `flows` says.
    fn order(levels: usize, flows: impl Fn(usize, usize) -> bool) -> Lattice {
        let mut up = BitMatrix::zeros(levels, u32::try_from(levels).unwrap());
        for (a, b) in (0..levels).flat_map(|a| (0..levels).map(move |b| (a, b))) {
            up.set(a, b, a == b || flows(a, b));
        }
        let names = (0..levels).map(|i| format!("l{i}")).collect();
        Lattice::new("order".to_owned(), names, up)
    }

    fn is_proved(lattice: &Lattice, how: Method) -> bool {
        matches!(check(lattice), Outcome::Proved { method, .. } if method == how)
    }

    /// Chain, square, cube, and the two smallest lattices that are not distributive.
    fn lattices() -> Vec<Lattice> {
        let bits = |a: usize, b: usize| a & b == a;
        let pentagon = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 4), (2, 4), (3, 4)];
        vec![
            order(1, |_, _| false),
            order(2, |a, b| a < b),
            order(37, |a, b| a < b),
            order(4, bits),
            order(8, bits),
            order(64, bits),
            order(5, |a, b| a == 0 || b == 4),
            order(5, move |a, b| pentagon.contains(&(a, b))),
        ]
    }

    #[test]
    fn lattices_are_proved() {
        for lattice in lattices() {
            assert!(is_proved(&lattice, Method::Search), "{lattice:?}");
            assert_eq!(lattice.laws(), Ok(()));
        }
    }

    #[test]
    fn a_large_lattice_is_checked_pair_by_pair() {
        let lattice = order(200, |a, b| a < b);
        assert!(is_proved(&lattice, Method::Ground));
    }

    #[test]
    fn orders_that_are_none_are_refuted() {
        // a and b lie below both c and d.
        let crossed = order(6, |a, b| a == 0 || b == 5 || (a <= 2 && b >= 3));
        let two_ends = order(2, |_, _| false);
        let no_top = order(3, |a, _| a == 0);
        let large = order(200, |a, b| a / 2 < b / 2);
        let flaw = |lattice: &Lattice| match check(lattice) {
            Outcome::Refuted(Flaw::NoJoin(a, b)) => (a.0.min(b.0), a.0.max(b.0)),
            Outcome::Refuted(Flaw::NoBottom(a, b)) => (a.0 + 1000, b.0 + 1000),
            other => panic!("{other:?}"),
        };
        assert_eq!(flaw(&crossed), (1, 2));
        assert!([(0, 1), (1000, 1001)].contains(&flaw(&two_ends)));
        assert_eq!(flaw(&no_top), (1, 2));
        assert_eq!(flaw(&large), (1000, 1001));
    }

    #[test]
    fn every_corrupted_entry_is_found_by_the_solver() {
        for lattice in lattices().into_iter().filter(|lattice| lattice.levels.len() <= 8) {
            let n = lattice.levels.len();
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                let mut corrupted = lattice.clone();
                corrupted.up.set(a, b, !lattice.up.get(a, b));
                let answer = solve(&broken_code(&corrupted));
                assert!(matches!(answer, Answer::Satisfiable(_)), "order {a} {b} of {lattice:?}");
            }
            for (a, bit) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                if bit >= lattice.code.columns() as usize {
                    continue;
                }
                let mut corrupted = lattice.clone();
                corrupted.code.set(a, bit, !lattice.code.get(a, bit));
                let answer = solve(&broken_code(&corrupted));
                assert!(matches!(answer, Answer::Satisfiable(_)), "code {a} {bit} of {lattice:?}");
            }
        }
    }
}
