//! One question to the solver: about calls and records, and about two labels of which the first
//! flows to the second.
//!
//! The labels are not variables over all levels. Of a closed lattice only the answers to "does it
//! flow to this bound?" matter, and which answers two ordered levels give together is read off the
//! table; open ones are sets of which only membership is known. What the solver finds is turned
//! back into labels here, for the evaluator to judge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rtbas_artifact::ir::Policy;
use rtbas_artifact::label::Label;
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::program::Program;
use rtbas_artifact::sets::NameSet;
use rtbas_artifact::value::Value;

use super::encode::{Encoder, Outside, flows, sets};
use super::term::Formula;
use super::witness::{Reading, Values};
use super::z3::{Answer, Assignment, solve};

/// The run whose label is the lower one.
pub(super) const LOW: usize = 0;
/// The run whose label is the higher one.
pub(super) const HIGH: usize = 1;

/// What the solver said.
#[derive(Debug)]
pub(super) enum Found {
    /// There is nothing of the kind.
    Nothing {
        resource: u64,
    },
    /// This is.
    Something(Solution),
    Unknown {
        reason: String,
    },
}

/// An assignment, with the levels that give its answers.
#[derive(Debug)]
pub(super) struct Solution {
    assignment: Assignment,
    pairs: Vec<Pairs>,
}

/// What each of two ordered levels says to "flows to this bound?", and a pair that says so.
type Pairs = BTreeMap<(Vec<bool>, Vec<bool>), (LevelId, LevelId)>;

/// Looks for what a formula describes. The encoder is closed thereby.
pub(super) fn find(encoder: &mut Encoder<'_>, policy: &Policy, goal: Formula) -> Found {
    match asked(encoder, policy, goal) {
        Ok(found) => found,
        Err(Outside(construct)) => Found::Unknown { reason: construct },
    }
}

fn asked(encoder: &mut Encoder<'_>, policy: &Policy, goal: Formula) -> Result<Found, Outside> {
    encoder.close_labels()?;
    encoder.close_sets()?;
    let pairs: Vec<Pairs> = policy
        .lattices
        .iter()
        .zip(&encoder.bounds)
        .map(|(lattice, bounds)| ordered_pairs(lattice, bounds))
        .collect();
    let mut assertions = vec![goal];
    assertions.extend(encoder.background.values().cloned());
    for (lattice, (pairs, bounds)) in pairs.iter().zip(&encoder.bounds).enumerate() {
        assertions.push(Formula::or(pairs.keys().map(|signs| is_pair(lattice, bounds, signs))));
    }
    encoder.close(&mut assertions)?;
    Ok(match solve(&assertions) {
        Answer::Unsatisfiable { resource } => Found::Nothing { resource },
        Answer::Unknown { reason } => Found::Unknown { reason },
        Answer::Satisfiable(assignment) => Found::Something(Solution { assignment, pairs }),
    })
}

/// All that ordered pairs of levels can say about the bounds.
fn ordered_pairs(lattice: &Lattice, bounds: &BTreeSet<LevelId>) -> Pairs {
    let signs = |level| bounds.iter().map(|&bound| lattice.flows(level, bound)).collect::<Vec<_>>();
    let mut groups: BTreeMap<Vec<bool>, Vec<LevelId>> = BTreeMap::new();
    for level in lattice.ids() {
        groups.entry(signs(level)).or_default().push(level);
    }
    let mut pairs = Pairs::new();
    for (low_signs, lows) in &groups {
        for (high_signs, highs) in &groups {
            let ordered = lows
                .iter()
                .flat_map(|&low| highs.iter().map(move |&high| (low, high)))
                .find(|&(low, high)| lattice.flows(low, high));
            if let Some(ordered) = ordered {
                pairs.insert((low_signs.clone(), high_signs.clone()), ordered);
            }
        }
    }
    pairs
}

fn is_pair(
    lattice: usize,
    bounds: &BTreeSet<LevelId>,
    (low, high): &(Vec<bool>, Vec<bool>),
) -> Formula {
    let says = |run: usize, signs: &[bool]| {
        let each = bounds.iter().zip(signs).map(move |(&bound, &sign)| {
            Formula::variable(flows(run, lattice, bound)).same(Formula::constant(sign))
        });
        each.collect::<Vec<_>>()
    };
    Formula::and(says(LOW, low).into_iter().chain(says(HIGH, high)))
}

impl Solution {
    /// What the solution is in values and in two labels, of which the first is the lower.
    pub(super) fn show<T>(
        &self,
        program: &Program,
        encoder: &Encoder<'_>,
        judge: impl FnOnce(&Values<'_>, Label, Label) -> Result<T, Outside>,
    ) -> Result<T, Outside> {
        let reading = Reading::new(encoder, &self.assignment)?;
        let (low, high) = self.labels(program, encoder, &reading);
        judge(&Values::new(program.policy(), &reading)?, low, high)
    }

    fn labels(
        &self,
        program: &Program,
        encoder: &Encoder<'_>,
        reading: &Reading<'_>,
    ) -> (Label, Label) {
        let bottom = program.space().bottom();
        let (mut low, mut high) = (bottom.clone(), bottom.clone());
        for (lattice, (pairs, bounds)) in self.pairs.iter().zip(&encoder.bounds).enumerate() {
            let signs = |run| {
                let sign = |&bound| self.assignment.holds(&flows(run, lattice, bound));
                bounds.iter().map(sign).collect::<Vec<_>>()
            };
            // A lattice that nothing asks about has one entry, whatever the assignment says.
            if let Some(&(low_level, high_level)) = pairs.get(&(signs(LOW), signs(HIGH))) {
                let part = |level| program.space().part(lattice, level);
                part(low_level).into_iter().for_each(|part| low.join_with(part));
                part(high_level).into_iter().for_each(|part| high.join_with(part));
            }
        }
        for (open, lattice) in program.policy().open.iter().enumerate() {
            let set = |run| {
                let answer = |name: &str| reading.holds(name);
                if answer(&sets::has_all(run, open)) {
                    return lattice.level(NameSet::All);
                }
                let names =
                    encoder.elements_of(run, open, answer).into_iter().filter_map(|shape| {
                        match reading.value(shape) {
                            Some(Some(Value::Text(name))) => Some(Arc::from(name)),
                            _ => None,
                        }
                    });
                lattice.level(names.collect())
            };
            (low, high) = (low.with_set(open, set(LOW)), high.with_set(open, set(HIGH)));
        }
        (low, high)
    }
}
