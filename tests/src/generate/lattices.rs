//! Lattices of up to six levels: known shapes, and random orders of which those are kept that are
//! lattices.

use rtbas_artifact::bits::BitMatrix;
use rtbas_artifact::lattice::Lattice;

use crate::generate::dice::Dice;

/// Names of levels; two lattices may share them.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// An order: for each pair of levels, whether the first flows to the second.
type Pairs = Vec<Vec<bool>>;

/// A random lattice.
pub fn lattice(dice: &mut Dice<'_>, name: &str) -> Lattice {
    let pairs = match dice.below(16) {
        0 | 1 => chain(2),
        2 | 3 => closed(4, &SQUARE),
        4 | 5 => closed(5, &M3),
        6 | 7 => closed(5, &N5),
        8 => chain(1),
        9 | 10 => chain(dice.between(3, 6)),
        _ => random(dice),
    };
    build(name, &shuffled(dice, &pairs))
}

const SQUARE: [(usize, usize); 4] = [(0, 1), (0, 2), (1, 3), (2, 3)];
/// The smallest lattice that is modular and not distributive.
const M3: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)];
/// The smallest lattice that is not modular.
const N5: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 4), (0, 3), (3, 4)];

fn chain(n: usize) -> Pairs {
    let covers: Vec<(usize, usize)> = (1..n).map(|level| (level - 1, level)).collect();
    closed(n, &covers)
}

/// A random order that happens to be a lattice; a chain if none is found soon.
fn random(dice: &mut Dice<'_>) -> Pairs {
    for _ in 0..20 {
        let n = dice.between(2, 6);
        let mut covers = Vec::new();
        for a in 0..n {
            for b in a + 1..n {
                // The first is a bottom and the last a top, or hardly any order is a lattice.
                if a == 0 || b == n - 1 || dice.chance(35) {
                    covers.push((a, b));
                }
            }
        }
        let pairs = closed(n, &covers);
        if is_lattice(&pairs) {
            return pairs;
        }
    }
    chain(3)
}

fn flows(pairs: &Pairs, a: usize, b: usize) -> bool {
    pairs.get(a).and_then(|row| row.get(b)).copied().unwrap_or(false)
}

/// The reflexive and transitive closure of pairs whose first is less than their second.
fn closed(n: usize, covers: &[(usize, usize)]) -> Pairs {
    let mut pairs: Pairs = (0..n).map(|a| (0..n).map(|b| a == b).collect()).collect();
    for a in (0..n).rev() {
        for &(_, above) in covers.iter().filter(|(below, _)| *below == a) {
            for b in (0..n).filter(|&b| flows(&pairs, above, b)).collect::<Vec<_>>() {
                if let Some(pair) = pairs.get_mut(a).and_then(|row| row.get_mut(b)) {
                    *pair = true;
                }
            }
        }
    }
    pairs
}

/// Whether each two levels have a least upper and a greatest lower bound.
fn is_lattice(pairs: &Pairs) -> bool {
    let levels = 0..pairs.len();
    levels.clone().all(|a| {
        levels.clone().all(|b| {
            let upper = |&c: &usize| flows(pairs, a, c) && flows(pairs, b, c);
            let lower = |&c: &usize| flows(pairs, c, a) && flows(pairs, c, b);
            let least = |c| levels.clone().filter(upper).all(|d| flows(pairs, c, d));
            let greatest = |c| levels.clone().filter(lower).all(|d| flows(pairs, d, c));
            levels.clone().filter(upper).any(least) && levels.clone().filter(lower).any(greatest)
        })
    })
}

/// The same order with its levels in another order of declaration.
fn shuffled(dice: &mut Dice<'_>, pairs: &Pairs) -> Pairs {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    for i in (1..order.len()).rev() {
        // Zero leaves the level where it is.
        order.swap(i, i - dice.below(i + 1));
    }
    order.iter().map(|&a| order.iter().map(|&b| flows(pairs, a, b)).collect()).collect()
}

fn build(name: &str, pairs: &Pairs) -> Lattice {
    let n = pairs.len();
    let mut up = BitMatrix::zeros(n, u32::try_from(n).unwrap_or(0));
    for (a, row) in pairs.iter().enumerate() {
        for (b, &flows) in row.iter().enumerate() {
            up.set(a, b, flows);
        }
    }
    Lattice::new(name.to_owned(), NAMES.iter().take(n).map(ToString::to_string).collect(), up)
}
