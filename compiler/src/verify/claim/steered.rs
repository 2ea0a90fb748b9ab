//! Calls that outsiders steer: what they wrote is in the context, the call runs unasked, and with
//! other arguments it would not. A rule may well say so (`to in contacts`); whoever reviews it should
//! know that strangers can choose among the arguments that it lets pass.

use std::collections::BTreeMap;

use rtbas_artifact::ir::{
    Claim, Condition, ConditionId, Effect, LabelId, LabelPart, Target, ToolId,
};

use super::carrier::Carrier;
use super::session::Player;
use super::{Breach, Exceptions, FLOOR, Goal, Prover, Sink, runs};
use crate::verify::decision::Decisions;
use crate::verify::encode::{Encoder, Outside};
use crate::verify::query::{Found, LOW, find};
use crate::verify::source::Source;
use crate::verify::term::Formula;
use crate::verify::witness::Call;

/// A session in which outsiders choose the arguments of a call that runs unasked.
#[derive(Debug)]
pub(in crate::verify) struct Steered {
    pub(in crate::verify) session: Box<Breach>,
    /// The call that would not run unasked in its place, and what is decided of it.
    pub(in crate::verify) other: Call,
    pub(in crate::verify) effect: Effect,
}

impl Prover<'_> {
    /// Looks for a call of a tool that outsiders steer by what they wrote in a source.
    pub(in crate::verify) fn steered(
        &self,
        source: &Source,
        outside: LabelId,
        id: ToolId,
    ) -> Result<Option<Steered>, Outside> {
        let Some((tool, reader)) = self.program.tool(id).zip(self.program.tool(source.tool)) else {
            return Ok(None);
        };
        let allows = tool.rules.iter().filter(|rule| rule.effect == Effect::Allow);
        let mut conditions = allows.filter_map(|rule| rule.when);
        if !conditions.any(|when| self.may_hold(when, outside)) {
            return Ok(None);
        }
        let via = Exceptions::default();
        let claim = Claim {
            level: self.policy().messages.system,
            target: Target::Tool(id),
            unless: None,
            via: Vec::new(),
        };
        let sink = Sink::Call(id, Effect::Allow);
        let goal = Goal { claim: &claim, sink, via: &via, open: &[], ceilings: &[] };
        let (source, outside) = (source.clone(), Some(outside));
        let carrier = Carrier { source, lowered: false, late: false, outside, constant: None };
        let mut encoder = Encoder::new(self.program);
        let floor = encoder.floor_parts();
        let carried = carrier.encode(&mut encoder, self.program, reader, (&via, &floor))?;
        let returns = runs(&mut encoder, reader, &carried, FLOOR)?;
        let (call, passes) = goal.sink(&mut encoder, self.program, LOW)?;
        let other = encoder.call(tool);
        let stopped = !Decisions::of(&mut encoder, tool, &other, LOW)?.is(Effect::Allow);
        let all = [returns, passes, stopped];
        let label = [encoder.floor_parts(), carried.label.clone()].concat();
        encoder.join(LOW, label)?;
        encoder.join(FLOOR, floor)?;
        match find(&mut encoder, self.policy(), Formula::and(all)) {
            Found::Nothing { .. } => Ok(None),
            Found::Unknown { reason } => Err(Outside(reason)),
            Found::Something(solution) => solution.show(self.program, &encoder, |values, _, _| {
                let tainted = BTreeMap::new();
                let player = Player { program: self.program, goal: &goal, tainted: &tainted };
                let played = player.play(values, [(&carrier, &carried)].into_iter(), &call);
                let Some((session, true)) = played else { return Ok(None) };
                let other = values.call(tool, &other);
                let facts = self.program.facts(session.facts.clone()).ok();
                let bound = self.program.bind(&tool.name, &other.arguments).ok();
                let effect = facts.zip(bound).map(|(facts, bound)| {
                    self.program.decide(&facts, &bound, &session.context).effect
                });
                Ok(match effect {
                    None | Some(Effect::Allow) => None,
                    Some(effect) => Some(Steered { session: Box::new(session), other, effect }),
                })
            }),
        }
    }

    /// Whether a condition can hold in a context with what outsiders wrote in it, as far as its
    /// bounds tell: most tools are settled by that, without a query.
    fn may_hold(&self, condition: ConditionId, outside: LabelId) -> bool {
        let policy = self.policy();
        match policy.conditions.get(condition.index()) {
            Some(Condition::Context(bound)) => {
                let terms = [outside, *bound].map(|label| policy.labels.get(label.index()));
                let [Some(written), Some(bound)] = terms else { return true };
                let parts = written.parts.iter().zip(&bound.parts).zip(&policy.lattices);
                parts.into_iter().all(|((written, bound), lattice)| match (written, bound) {
                    (LabelPart::Level(written), LabelPart::Level(bound)) => {
                        lattice.flows(*written, *bound)
                    }
                    _ => true,
                })
            }
            Some(Condition::All(parts)) => parts.iter().all(|part| self.may_hold(*part, outside)),
            Some(Condition::Any(parts)) => parts.iter().any(|part| self.may_hold(*part, outside)),
            _ => true,
        }
    }
}
