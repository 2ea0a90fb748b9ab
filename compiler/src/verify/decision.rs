//! Decisions as formulas: when each rule of a tool is the first that fires.

use rtbas_artifact::ir::{Effect, Tool};

use super::encode::place::Place;
use super::encode::{Encoder, Outside};
use super::term::Formula;

/// Each rule's effect, when its condition makes it fire, and when it is the first that does.
#[derive(Debug)]
pub(super) struct Decisions(pub(super) Vec<Fires>);

#[derive(Debug)]
pub(super) struct Fires {
    pub(super) effect: Effect,
    pub(super) alone: Formula,
    pub(super) first: Formula,
}

impl Decisions {
    /// The decision about a call of a tool at a place, at the label of that run.
    pub(super) fn of(
        encoder: &mut Encoder<'_>,
        tool: &Tool,
        place: &Place,
        run: usize,
    ) -> Result<Self, Outside> {
        let mut earlier = Formula::constant(false);
        let mut decisions = Vec::new();
        for rule in &tool.rules {
            let alone = match rule.when {
                None => Formula::constant(true),
                Some(when) => {
                    let truth = encoder.condition(when, run, place)?;
                    match rule.effect {
                        Effect::Allow => truth.yes,
                        Effect::Confirm | Effect::Deny => !truth.no,
                    }
                }
            };
            let first = Formula::and([!earlier.clone(), alone.clone()]);
            earlier = Formula::or([earlier, alone.clone()]);
            decisions.push(Fires { effect: rule.effect, alone, first });
        }
        Ok(Self(decisions))
    }

    /// When the decision is this one.
    pub(super) fn is(&self, effect: Effect) -> Formula {
        let chosen = self.0.iter().filter(|fires| fires.effect == effect);
        Formula::or(chosen.map(|fires| fires.first.clone()))
    }
}
