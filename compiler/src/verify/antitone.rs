//! O5: more taint never gives a weaker decision. For two labels l ⊑ l′ and the same arguments and
//! facts, the decision at l is at least as permissive as the one at l′.
//!
//! Every argument that over-approximating a label is safe rests on this.

use rtbas_artifact::certificate::Method;
use rtbas_artifact::eval::Verdict;
use rtbas_artifact::ir::{Condition, ConditionId, Effect, Policy, Tool};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

use super::decision::Decisions;
use super::encode::place::Place;
use super::encode::{Encoder, Outside};
use super::outcome::Outcome;
use super::query::{Found, HIGH, LOW, Solution, find};
use super::term::Formula;
use super::witness::Call;

/// A call that more taint lets through.
#[derive(Debug)]
pub(super) struct Witness {
    pub(super) call: Call,
    pub(super) low: (Label, Verdict),
    pub(super) high: (Label, Verdict),
}

/// Checks one tool.
pub(super) fn check(program: &Program, tool: &Tool) -> Outcome<Box<Witness>> {
    if is_ordered(program.policy(), tool) {
        return Outcome::Proved { method: Method::Form, resource: 0 };
    }
    let mut encoder = Encoder::new(program);
    let place = encoder.call(tool);
    let violated = match violation(&mut encoder, tool, &place) {
        Ok(violated) => violated,
        Err(Outside(construct)) => return Outcome::Unknown { reason: construct },
    };
    match find(&mut encoder, program.policy(), violated) {
        Found::Nothing { resource } => Outcome::Proved { method: Method::Search, resource },
        Found::Unknown { reason } => Outcome::Unknown { reason },
        Found::Something(solution) => {
            replay(program, tool, &place, &encoder, &solution).unwrap_or_else(Outcome::unshown)
        }
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

/// When the decision at the lower label is stricter than that at the higher one.
fn violation(encoder: &mut Encoder<'_>, tool: &Tool, place: &Place) -> Result<Formula, Outside> {
    let low = Decisions::of(encoder, tool, place, LOW)?;
    let high = Decisions::of(encoder, tool, place, HIGH)?;
    Ok(Formula::or([
        Formula::and([low.is(Effect::Deny), !high.is(Effect::Deny)]),
        Formula::and([low.is(Effect::Confirm), high.is(Effect::Allow)]),
    ]))
}

/// The counterexample as a call, decided by the evaluator at both labels.
fn replay(
    program: &Program,
    tool: &Tool,
    place: &Place,
    encoder: &Encoder<'_>,
    solution: &Solution,
) -> Result<Outcome<Box<Witness>>, Outside> {
    solution.show(program, encoder, |values, low, high| {
        let call = values.call(tool, place);
        let decided = (|| {
            let facts = program.facts(call.facts.clone()).ok()?;
            let bound = program.bind(&tool.name, &call.arguments).ok()?;
            Some((program.decide(&facts, &bound, &low), program.decide(&facts, &bound, &high)))
        })();
        let deny = Verdict { effect: Effect::Deny, rule: None };
        let (at_low, at_high) = decided.unwrap_or((deny, deny));
        let agrees = low.flows_to(&high) && at_low.effect < at_high.effect;
        let witness = Box::new(Witness { call, low: (low, at_low), high: (high, at_high) });
        Ok(Outcome::replayed(witness, agrees, encoder))
    })
}
