//! Plays a recorded session through the engine.
//!
//! Takes a recording and an engine; gives what was decided about each call, and why. The user of a
//! replay is absent: a call that waits for approval does not run. The result of a call that did not
//! run stays out of the session, whatever the recording says that it returned; the model of the
//! recording goes on as recorded, so it is the worst case.

use std::collections::BTreeMap;

use rtbas::{
    Call, Cause, Decision, Engine, Permit, Reason, Receipt, Reply, Session, SessionError, Unfit,
};
use rtbas_artifact::eval::FactError;
use rtbas_artifact::ir::Effect;
use rtbas_artifact::value::Value;

use super::log::{Outcome, RecordedCall, Recording, Step};

/// What came of a session.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Its id.
    pub(crate) id: String,
    /// Its calls, in order.
    pub(crate) calls: Vec<Judged>,
    /// The decisions about its answers to the user, by the index of their message in the history.
    pub(crate) replies: BTreeMap<usize, Reply>,
    /// The results that do not have their declared shape, by tool.
    pub(crate) unfit: Vec<(String, Unfit)>,
    /// How many labelled regions its history has.
    pub(crate) regions: usize,
}

/// A call, and what was decided.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Its id in the recording.
    pub(crate) id: String,
    /// The tool that it names.
    pub(crate) tool: String,
    /// Index in the history of the message that makes it.
    pub(crate) message: usize,
    /// Its index among the calls of that message; `None` if its arguments are no values, and so
    /// it is not among them.
    pub(crate) index: Option<usize>,
    /// Whether the recorder knew that its result shows an attacker's text.
    pub(crate) injected: bool,
    /// Whether the model may have read an attacker's text when it made the call.
    pub(crate) informed: bool,
    /// The decision.
    pub(crate) effect: Effect,
    /// Why, or what is wrong with arguments that the engine could not be given.
    pub(crate) reason: Result<Reason, String>,
}

/// The marks that a recorder put around each result.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    /// Stands before the result.
    pub(crate) open: String,
    /// Stands behind it.
    pub(crate) close: String,
}

impl Judged {
    /// Whether a rule decided it, and not the call's own form.
    pub(crate) fn has_rule(&self) -> bool {
        matches!(&self.reason, Ok(Reason { cause: Cause::Rule(_), .. }))
    }
}

impl Marks {
    fn strip<'t>(&self, text: &'t str) -> &'t str {
        let inner = text.strip_prefix(&self.open).and_then(|t| t.strip_suffix(&self.close));
        inner.unwrap_or(text)
    }
}

/// Opens the session that a recording is played in.
///
/// # Errors
/// Facts that are not those that the policy declares.
pub(crate) fn session(
    engine: &Engine,
    facts: &BTreeMap<String, Value>,
) -> Result<Session, FactError> {
    let declared = &engine.artifact().program().policy().facts;
    let own = declared.iter().filter_map(|fact| facts.get_key_value(&fact.name));
    engine.session(own.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Plays a recording.
///
/// # Errors
/// None for what [`super::log`] reads: it keeps the order that a session asks for.
pub(crate) fn play(
    session: &mut Session,
    recording: Recording,
    marks: Option<&Marks>,
) -> Result<Played, SessionError> {
    let mut played = Played { id: recording.id, ..Played::default() };
    let mut informed = recording.injected.is_none();
    let injected = recording.injected.unwrap_or_default();
    for step in recording.steps {
        match step {
            Step::System(text) => session.system(text)?,
            Step::User(text) => session.user(text)?,
            Step::Output { text, calls } if calls.is_empty() => {
                let view = session.view()?;
                played.replies.insert(view.messages().len(), session.reply(&view, text)?);
            }
            Step::Output { text, calls } => {
                let before = played.calls.len();
                output(session, text, calls, marks, &mut played)?;
                let calls = played.calls.iter_mut().skip(before);
                // What the calls of one output return is read after all of them are made.
                let reads = calls.fold(false, |reads, call| {
                    call.informed = informed;
                    call.injected = injected.contains(&call.id);
                    reads || call.injected
                });
                informed |= reads;
            }
        }
    }
    played.regions = session.view()?.messages().map(|message| message.regions().len()).sum();
    Ok(played)
}

/// Plays an output that makes calls. Those whose arguments are no values are denied without the
/// engine.
fn output(
    session: &mut Session,
    text: String,
    calls: Vec<RecordedCall>,
    marks: Option<&Marks>,
    played: &mut Played,
) -> Result<(), SessionError> {
    let view = session.view()?;
    let message = view.messages().len();
    let proposed = calls.iter().filter_map(|call| {
        let arguments = call.arguments.as_ref().ok()?.clone();
        Some(Call { tool: call.tool.clone(), arguments })
    });
    let proposed: Vec<Call> = proposed.collect();
    let decisions = match proposed.is_empty() {
        // The text stands in the history all the same.
        true => session.reply(&view, text).map(|_| Vec::new()),
        false => session.propose(&view, text, proposed),
    };
    let mut decisions = decisions?.into_iter().enumerate();
    for RecordedCall { id, tool, arguments, outcome } in calls {
        let decided = arguments.and_then(|_| decisions.next().ok_or_else(undecided));
        let index = decided.as_ref().ok().map(|(index, _)| *index);
        let (effect, reason) = match decided {
            Err(problem) => (Effect::Deny, Err(problem)),
            Ok((index, decision)) => {
                let reason = session.explain(index).ok_or_else(undecided);
                let effect = match decision {
                    Decision::Allow(permit) => {
                        let unfit = run(session, permit, outcome, marks)?;
                        played.unfit.extend(unfit.map(|unfit| (tool.clone(), unfit)));
                        Effect::Allow
                    }
                    Decision::Confirm(request) => {
                        session.reject(request)?;
                        Effect::Confirm
                    }
                    Decision::Deny => Effect::Deny,
                };
                (effect, reason)
            }
        };
        let (informed, injected) = (true, false);
        let judged = Judged { id, tool, message, index, injected, informed, effect, reason };
        played.calls.push(judged);
    }
    Ok(())
}

/// The engine decides each call that it is given; were there one that it did not, it would not run.
fn undecided() -> String {
    "the engine did not decide it".to_owned()
}

/// Hands in what a call returned, if it came to that.
fn run(
    session: &mut Session,
    permit: Permit,
    outcome: Option<Outcome>,
    marks: Option<&Marks>,
) -> Result<Option<Unfit>, SessionError> {
    match outcome {
        Some(Outcome::Returned(text)) => {
            let text = marks.map_or(text.as_str(), |marks| marks.strip(&text));
            match session.result(permit, text)? {
                Receipt::Fits => Ok(None),
                Receipt::Unfit(unfit) => Ok(Some(unfit)),
            }
        }
        Some(Outcome::Failed(text)) => session.failed(permit, text).map(|()| None),
        None => session.withdraw(permit).map(|()| None),
    }
}
