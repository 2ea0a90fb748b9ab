//! Usable tools: one that has an `allow` rule can run unasked in some session. At the floor, that
//! is, since more taint never allows more; with nothing empty, lest a mail to nobody be the example.
//!
//! A tool that never does only teaches people to click yes.

use rtbas_artifact::certificate::Method;
use rtbas_artifact::eval::{Facts, Side};
use rtbas_artifact::ir::{Effect, Tool};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

use super::decision::Decisions;
use super::encode::{Encoder, Outside};
use super::outcome::Outcome;
use super::query::{Found, LOW, find};
use super::term::Formula;
use super::trial::Trial;

/// Checks one tool. There is no witness of a call that does not exist.
pub(super) fn check(program: &Program, tool: &Tool) -> Option<Outcome<()>> {
    if tool.rules.iter().all(|rule| rule.effect != Effect::Allow) {
        return None;
    }
    let fires = Trial::plain(program, tool).fires(program, tool, |facts| floor(program, facts));
    let first = fires.into_iter().flatten().find(|(_, fires)| *fires);
    if first.is_some_and(|(effect, _)| effect == Effect::Allow) {
        return Some(Outcome::Proved { method: Method::Instance, resource: 0 });
    }
    Some(search(program, tool).unwrap_or_else(|Outside(reason)| Outcome::Unknown { reason }))
}

/// The label that every context has at least (F).
fn floor(program: &Program, facts: &Facts) -> Label {
    let messages = &program.policy().messages;
    let label = |label| program.message_label(label, Side::Data, facts);
    label(messages.system).join(&label(messages.user))
}

fn search(program: &Program, tool: &Tool) -> Result<Outcome<()>, Outside> {
    let mut encoder = Encoder::new(program);
    let place = encoder.call(tool);
    let decisions = Decisions::of(&mut encoder, tool, &place, LOW)?;
    encoder.floor(LOW)?;
    let mut goal = vec![decisions.is(Effect::Allow)];
    goal.extend(encoder.nothing_empty()?);
    Ok(match find(&mut encoder, program.policy(), Formula::and(goal)) {
        Found::Nothing { .. } => Outcome::Refuted(()),
        Found::Something(_) => Outcome::Proved { method: Method::Instance, resource: 0 },
        Found::Unknown { reason } => Outcome::Unknown { reason },
    })
}
