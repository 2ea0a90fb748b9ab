//! The smallest lattice that holds an order: its Dedekind–MacNeille completion. Used to offer the
//! missing levels when a declared order is no lattice.

use std::collections::BTreeSet;

use rtbas_artifact::bits::subset;
use rtbas_artifact::lattice::Lattice;

/// Most levels that are offered; a completion can be exponentially large.
const MAX_NEW: usize = 16;

/// A level that the order lacks, and where it belongs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    /// A name that the order does not use yet.
    pub(super) name: String,
    /// Names of the levels right below and right above, new ones included.
    pub(super) below: Vec<String>,
    pub(super) above: Vec<String>,
}

/// The levels that make the order a lattice, or `None` if there are more than [`MAX_NEW`].
pub(super) fn missing_levels(lattice: &Lattice) -> Option<Vec<Missing>> {
    let n = lattice.levels.len();
    let width = n.div_ceil(64);
    // A level stands for its down-set; the completion is all intersections of down-sets, with the
    // whole set, which is the top. Sets are rows of bits.
    let mut everything = vec![0_u64; width];
    let down = |b| {
        let mut row = vec![0_u64; width];
        for a in lattice.ids().filter(|&a| lattice.flows(a, b)) {
            set(&mut row, a.index());
        }
        row
    };
    lattice.ids().for_each(|a| set(&mut everything, a.index()));
    let principal: Vec<Vec<u64>> = lattice.ids().map(down).collect();
    let mut cuts: BTreeSet<Vec<u64>> = principal.iter().cloned().collect();
    cuts.insert(everything.clone());
    let mut fresh: Vec<Vec<u64>> = cuts.iter().cloned().collect();
    while let Some(cut) = fresh.pop() {
        for level in &principal {
            let both: Vec<u64> = cut.iter().zip(level).map(|(a, b)| a & b).collect();
            if cuts.insert(both.clone()) {
                fresh.push(both);
            }
            if cuts.len() > n + MAX_NEW {
                return None;
            }
        }
    }
    let mut taken: BTreeSet<String> = lattice.levels.iter().cloned().collect();
    let mut named: Vec<(Vec<u64>, String, bool)> = Vec::new();
    for cut in cuts {
        match principal.iter().position(|level| *level == cut) {
            Some(index) => {
                let name = lattice.levels.get(index).cloned().unwrap_or_default();
                named.push((cut, name, false));
            }
            None => {
                let name = name_for(lattice, &cut, cut == everything, &mut taken);
                named.push((cut, name, true));
            }
        }
    }
    let covers = |low: &[u64], high: &[u64]| {
        let under = |a: &[u64], b: &[u64]| a != b && subset(a, b);
        under(low, high) && !named.iter().any(|(c, ..)| under(low, c) && under(c, high))
    };
    let names = |keep: &dyn Fn(&[u64]) -> bool| {
        named.iter().filter(|(cut, ..)| keep(cut)).map(|(_, name, _)| name.clone()).collect()
    };
    let missing = named.iter().filter(|(.., new)| *new).map(|(cut, name, _)| Missing {
        name: name.clone(),
        below: names(&|low| covers(low, cut)),
        above: names(&|high| covers(cut, high)),
    });
    Some(missing.collect())
}

/// A name from the maximal levels of a cut, such as `a_or_b`.
fn name_for(lattice: &Lattice, cut: &[u64], is_top: bool, taken: &mut BTreeSet<String>) -> String {
    let inside: Vec<_> = lattice.ids().filter(|a| is_set(cut, a.index())).collect();
    let maximal = inside
        .iter()
        .filter(|&&a| !inside.iter().any(|&b| a != b && lattice.flows(a, b)))
        .map(|&a| lattice.level_name(a));
    let base = match inside.is_empty() {
        true => "bottom".to_owned(),
        false if is_top => "top".to_owned(),
        false => maximal.take(3).collect::<Vec<_>>().join("_or_"),
    };
    let mut name = base.clone();
    for n in 2.. {
        if taken.insert(name.clone()) {
            break;
        }
        name = format!("{base}_{n}");
    }
    name
}

fn set(row: &mut [u64], bit: usize) {
    if let Some(word) = row.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

fn is_set(row: &[u64], bit: usize) -> bool {
    row.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
}
