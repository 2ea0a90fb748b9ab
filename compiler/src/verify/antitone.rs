//! O5: more taint never gives a weaker decision. For two labels l ⊑ l′ and the same arguments and
//! facts, the decision at l is at least as permissive as the one at l′.
//!
//! Every argument that over-approximating a label is safe rests on this.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rtbas_artifact::certificate::Method;
use rtbas_artifact::eval::Verdict;
use rtbas_artifact::ir::{Condition, ConditionId, Effect, Policy, Tool};
use rtbas_artifact::label::Label;
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::program::Program;
use rtbas_artifact::sets::NameSet;
use rtbas_artifact::value::Value;

use super::encode::{Encoder, Outside, flows, sets};
use super::term::Formula;
use super::witness::{self, Call, Reading};
use super::z3::{Answer, Assignment, solve};

/// What came of the obligation for one tool.
#[derive(Debug)]
pub(super) enum Outcome {
    Proved {
        method: Method,
        resource: u64,
    },
    Refuted(Box<Witness>),
    Unknown {
        reason: String,
    },
    /// The evaluator decides the solver's counterexample otherwise: a fault of ours.
    Disagreement(Box<Witness>),
}

/// A call that more taint lets through.
#[derive(Debug)]
pub(super) struct Witness {
    pub(super) call: Call,
    pub(super) low: (Label, Verdict),
    pub(super) high: (Label, Verdict),
}

/// Checks one tool.
pub(super) fn check(program: &Program, tool: &Tool) -> Outcome {
    if is_ordered(program.policy(), tool) {
        return Outcome::Proved { method: Method::Form, resource: 0 };
    }
    let mut encoder = Encoder::new(program, tool);
    let encoded = violation(&mut encoder, tool);
    let violated = match encoded.and_then(|violated| encoder.close_sets().map(|()| violated)) {
        Ok(violated) => violated,
        Err(Outside(construct)) => return Outcome::Unknown { reason: construct },
    };
    let policy = program.policy();
    let pairs: Vec<Pairs> = policy
        .lattices
        .iter()
        .zip(&encoder.bounds)
        .map(|(lattice, bounds)| ordered_pairs(lattice, bounds))
        .collect();
    let mut assertions = vec![violated];
    assertions.extend(encoder.background.values().cloned());
    for (lattice, (pairs, bounds)) in pairs.iter().zip(&encoder.bounds).enumerate() {
        assertions.push(Formula::or(pairs.keys().map(|signs| is_pair(lattice, bounds, signs))));
    }
    if let Err(Outside(construct)) = encoder.close(&mut assertions) {
        return Outcome::Unknown { reason: construct };
    }
    match solve(&assertions) {
        Answer::Unsatisfiable { resource } => Outcome::Proved { method: Method::Search, resource },
        Answer::Unknown { reason } => Outcome::Unknown { reason },
        Answer::Satisfiable(found) => replay(program, tool, &encoder, &pairs, &found),
    }
}

/// Whether every rule that reads a label stands before rules of its own effect or stricter ones
/// only. No `not` stands above `context`, so more taint can do no more than keep such a rule from
/// firing, and a later one decides, or none, which denies.
fn is_ordered(policy: &Policy, tool: &Tool) -> bool {
    let mut weakest_below = Effect::Deny;
    tool.rules.iter().rev().all(|rule| {
        weakest_below = weakest_below.max(rule.effect);
        let Some(reads) = rule.when.map_or(Some(false), |when| reads_label(policy, when)) else {
            return false;
        };
        !reads || weakest_below == rule.effect
    })
}

/// Whether a condition reads a label; `None` if it does so below a `not`.
fn reads_label(policy: &Policy, condition: ConditionId) -> Option<bool> {
    match policy.conditions.get(condition.index())? {
        Condition::Context(_) => Some(true),
        Condition::Not(inner) => (!reads_label(policy, *inner)?).then_some(false),
        Condition::All(parts) | Condition::Any(parts) => {
            let reads = parts.iter().map(|part| reads_label(policy, *part));
            Some(reads.collect::<Option<Vec<_>>>()?.contains(&true))
        }
        Condition::Compare(..)
        | Condition::In(..)
        | Condition::SubsetOf(..)
        | Condition::Present(_)
        | Condition::Matches(..) => Some(false),
    }
}

/// When the decision at label 0 is stricter than that at label 1.
fn violation(encoder: &mut Encoder<'_>, tool: &Tool) -> Result<Formula, Outside> {
    let (low, high) = (decisions(encoder, tool, 0)?, decisions(encoder, tool, 1)?);
    let at = |decisions: &Decisions, effect| {
        let chosen = decisions.iter().filter(|(e, _)| *e == effect);
        Formula::or(chosen.map(|(_, fires)| fires.clone()))
    };
    let stricter = Formula::or([
        Formula::and([at(&low, Effect::Deny), !at(&high, Effect::Deny)]),
        Formula::and([at(&low, Effect::Confirm), at(&high, Effect::Allow)]),
    ]);
    Ok(stricter)
}

/// Each rule's effect, and when it is the first that fires.
type Decisions = Vec<(Effect, Formula)>;

fn decisions(encoder: &mut Encoder<'_>, tool: &Tool, run: usize) -> Result<Decisions, Outside> {
    let mut earlier = Formula::constant(false);
    let mut decisions = Vec::new();
    for rule in &tool.rules {
        let fires = match rule.when {
            None => Formula::constant(true),
            Some(when) => {
                let truth = encoder.condition(when, run)?;
                match rule.effect {
                    Effect::Allow => truth.yes,
                    Effect::Confirm | Effect::Deny => !truth.no,
                }
            }
        };
        decisions.push((rule.effect, Formula::and([!earlier.clone(), fires.clone()])));
        earlier = Formula::or([earlier, fires]);
    }
    Ok(decisions)
}

/// What each of two ordered levels says to "flows to this bound?", and a pair that says so.
type Pairs = BTreeMap<(Vec<bool>, Vec<bool>), (LevelId, LevelId)>;

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
    Formula::and(says(0, low).into_iter().chain(says(1, high)))
}

/// The counterexample as a call, decided by the evaluator at both labels.
fn replay(
    program: &Program,
    tool: &Tool,
    encoder: &Encoder<'_>,
    pairs: &[Pairs],
    found: &Assignment,
) -> Outcome {
    let (mut low, mut high) = (program.space().bottom().clone(), program.space().bottom().clone());
    for (lattice, (pairs, bounds)) in pairs.iter().zip(&encoder.bounds).enumerate() {
        let signs = |run| {
            let sign = |&bound| found.holds(&flows(run, lattice, bound));
            bounds.iter().map(sign).collect::<Vec<_>>()
        };
        // A lattice that no rule speaks of has one entry, whatever the assignment says.
        let levels = pairs.get(&(signs(0), signs(1)));
        if let Some(&(low_level, high_level)) = levels {
            let part = |level| program.space().part(lattice, level);
            part(low_level).into_iter().for_each(|part| low.join_with(part));
            part(high_level).into_iter().for_each(|part| high.join_with(part));
        }
    }
    let unshown = |Outside(construct)| Outcome::Unknown {
        reason: format!("the counterexample needs {construct}"),
    };
    let reading = match Reading::new(encoder, found) {
        Ok(reading) => reading,
        Err(outside) => return unshown(outside),
    };
    for (open, lattice) in program.policy().open.iter().enumerate() {
        let set = |run| {
            let answer = |name: &str| reading.holds(name);
            if answer(&sets::has_all(run, open)) {
                return lattice.level(NameSet::All);
            }
            let names =
                encoder.elements_of(run, open, answer).into_iter().filter_map(
                    |shape| match reading.value(shape) {
                        Some(Some(Value::Text(name))) => Some(Arc::from(name)),
                        _ => None,
                    },
                );
            lattice.level(names.collect())
        };
        (low, high) = (low.with_set(open, set(0)), high.with_set(open, set(1)));
    }
    let call = match witness::call(program.policy(), tool, &reading) {
        Ok(call) => call,
        Err(outside) => return unshown(outside),
    };
    let decided = (|| {
        let facts = program.facts(call.facts.clone()).ok()?;
        let bound = program.bind(&tool.name, &call.arguments).ok()?;
        Some((program.decide(&facts, &bound, &low), program.decide(&facts, &bound, &high)))
    })();
    let deny = Verdict { effect: Effect::Deny, rule: None };
    let (at_low, at_high) = decided.unwrap_or((deny, deny));
    let agrees = low.flows_to(&high) && at_low.effect < at_high.effect;
    let witness = Box::new(Witness { call, low: (low, at_low), high: (high, at_high) });
    match encoder.doubt() {
        _ if agrees => Outcome::Refuted(witness),
        Some(doubt) => Outcome::Unknown { reason: format!("the counterexample needs {doubt}") },
        None => Outcome::Disagreement(witness),
    }
}
