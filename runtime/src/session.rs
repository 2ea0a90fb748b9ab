//! A session: one conversation, its facts, and its labelled history.
//!
//! The order of things is the formal core's: view, output, decisions, results, next view. It cannot
//! be changed from outside: a view goes stale when the history grows, calls need the view that they
//! were written from, results need the permit of their call, and there is no view while a call of
//! the last output is unsettled.
//!
//! This session shows everything (the screener `all`): each view is the whole history, labelled
//! with its join.

use std::fmt;
use std::sync::Arc;

use rtbas_artifact::eval::{BindError, Bound, Facts, Side, Verdict};
use rtbas_artifact::ir::{ArgumentId, Effect, Tool};
use rtbas_artifact::label::Label;
use rtbas_artifact::open::Artifact;
use rtbas_artifact::program::Program;

use crate::decision::{Decision, Permit, Reply, Request};
use crate::history::{Call, Message, Role};
use crate::receive::{Receipt, Received};
use crate::view::{Identity, Moment, View};

/// What the model reads where a call did not run. One fixed text: whoever may see that a call was
/// made learns nothing from it but that it did not run.
pub const NOTICE: &str = "This call was not run: the policy or the user did not allow it.";

/// One conversation.
pub struct Session {
    artifact: Arc<Artifact>,
    facts: Facts,
    moment: Moment,
    /// Label that every context has: the system's and the user's own words (F).
    floor: Label,
    labels: Labels,
    /// Join of the labels of everything in the history.
    seen: Label,
    messages: Vec<Arc<Message>>,
    /// The calls of the last output, in order.
    slots: Vec<Slot>,
    /// How many messages the view of the last output held.
    seen_by_output: usize,
}

/// The labels of messages that no tool wrote, and the bound of the reply: they may name facts.
struct Labels {
    system: Label,
    user: Label,
    reply: Label,
}

/// A call of the last output.
pub(crate) struct Slot {
    pub(crate) call: Call,
    /// Label of the call and of the choice to make it (κ).
    pub(crate) label: Label,
    pub(crate) ruling: Result<Verdict, BindError>,
    answer: Answer,
}

/// How far the answer to a call is.
enum Answer {
    /// The call waits for the user or for its result.
    Open,
    /// The answer waits for those of the other calls.
    Settled(Message),
    /// The answer stands in the history.
    Recorded,
}

/// Something that a session refuses to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// The token belongs to another session.
    OtherSession,
    /// The history has changed since the view, permit or request was made.
    Stale,
    /// Calls of the last output are neither run nor refused yet.
    Unsettled,
    /// A system message after the conversation has begun.
    LateSystemMessage,
    /// A proposal without calls.
    NoCalls,
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherSession => "this belongs to another session",
            Self::Stale => "the history has changed since this was made; take a new view",
            Self::Unsettled => {
                "calls of the last output are unsettled; hand in their results, or withdraw them"
            }
            Self::LateSystemMessage => "system messages come before all others",
            Self::NoCalls => "an output without calls is an answer to the user; `reply` decides it",
        })
    }
}

impl std::error::Error for SessionError {}

impl Session {
    pub(crate) fn new(artifact: Arc<Artifact>, facts: Facts) -> Self {
        let program = artifact.program();
        let messages = &program.policy().messages;
        let label = |label, side| program.message_label(label, side, &facts);
        let labels = Labels {
            system: label(messages.system, Side::Data),
            user: label(messages.user, Side::Data),
            reply: label(messages.reply, Side::Bound),
        };
        let floor = labels.system.join(&labels.user);
        Self {
            facts,
            moment: Moment { session: Identity::default(), tick: 0 },
            seen: floor.clone(),
            floor,
            labels,
            messages: Vec::new(),
            slots: Vec::new(),
            seen_by_output: 0,
            artifact,
        }
    }

    /// The artifact that decides here.
    #[must_use]
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }

    /// Adds a system message.
    ///
    /// # Errors
    /// [`SessionError::LateSystemMessage`] once another message stands.
    pub fn system(&mut self, text: impl Into<String>) -> Result<(), SessionError> {
        if self.messages.iter().any(|message| message.role != Role::System) {
            return Err(SessionError::LateSystemMessage);
        }
        let label = self.labels.system.clone();
        self.push(Message::whole(Role::System, label.clone(), label, text.into()));
        Ok(())
    }

    /// Adds what the user wrote. Text that the user merely pasted is not the user's own.
    ///
    /// # Errors
    /// [`SessionError::Unsettled`].
    pub fn user(&mut self, text: impl Into<String>) -> Result<(), SessionError> {
        self.settled()?;
        let label = self.labels.user.clone();
        self.push(Message::whole(Role::User, label.clone(), label, text.into()));
        Ok(())
    }

    /// What the model may see now.
    ///
    /// # Errors
    /// [`SessionError::Unsettled`].
    pub fn view(&self) -> Result<View, SessionError> {
        self.settled()?;
        Ok(View {
            moment: self.moment.clone(),
            label: self.seen.clone(),
            messages: self.messages.clone(),
        })
    }

    /// Takes an output that makes calls, and decides each of them at the view's label. What one
    /// call returns has no influence on the decisions about the others. Text beside the calls is
    /// kept for the model's later views; it is no answer, and the host does not show it to anyone.
    ///
    /// # Errors
    /// A view of another session or of an earlier moment, or no calls. Nothing is then added to the
    /// history.
    pub fn propose(
        &mut self,
        view: &View,
        text: impl Into<String>,
        calls: Vec<Call>,
    ) -> Result<Vec<Decision>, SessionError> {
        self.current(&view.moment)?;
        self.settled()?;
        if calls.is_empty() {
            return Err(SessionError::NoCalls);
        }
        self.say(view, text.into(), calls.clone());
        let artifact = Arc::clone(&self.artifact);
        let mut decisions = Vec::with_capacity(calls.len());
        self.slots = Vec::with_capacity(calls.len());
        for call in calls {
            let (decision, slot) = self.rule_on(artifact.program(), &view.label, call);
            decisions.push(decision);
            self.slots.push(slot);
        }
        self.record();
        Ok(decisions)
    }

    /// Takes an output that makes no calls: the answer to the user.
    ///
    /// # Errors
    /// A view of another session or of an earlier moment.
    pub fn reply(&mut self, view: &View, text: impl Into<String>) -> Result<Reply, SessionError> {
        self.current(&view.moment)?;
        self.settled()?;
        self.say(view, text.into(), Vec::new());
        self.slots.clear();
        Ok(if view.label.flows_to(&self.labels.reply) { Reply::Allow } else { Reply::Confirm })
    }

    /// The user approved a call.
    ///
    /// # Errors
    /// A request of another session or of an earlier moment.
    pub fn approve(&mut self, request: Request) -> Result<Permit, SessionError> {
        self.current(&request.permit.moment)?;
        Ok(request.permit)
    }

    /// The user rejected a call, or could not be asked.
    ///
    /// # Errors
    /// A request of another session or of an earlier moment.
    pub fn reject(&mut self, request: Request) -> Result<(), SessionError> {
        self.withdraw(request.permit)
    }

    /// The call was not run after all.
    ///
    /// # Errors
    /// A permit of another session or of an earlier moment.
    pub fn withdraw(&mut self, permit: Permit) -> Result<(), SessionError> {
        let label = self.label_of(&permit)?;
        self.settle(permit.slot, notice(self.context(), label));
        Ok(())
    }

    /// Withdraws every call that is still open, so that a session whose permits or requests were
    /// lost can go on. They are void from then on.
    pub fn withdraw_all(&mut self) {
        let context = self.context();
        for slot in &mut self.slots {
            if matches!(slot.answer, Answer::Open) {
                slot.answer = Answer::Settled(notice(context.clone(), slot.label.clone()));
            }
        }
        self.record();
    }

    /// The call ran and returned `text`.
    ///
    /// # Errors
    /// A permit of another session or of an earlier moment.
    pub fn result(
        &mut self,
        permit: Permit,
        text: impl Into<String>,
    ) -> Result<Receipt, SessionError> {
        let label = self.label_of(&permit)?;
        let program = self.artifact.program();
        let call = Received::new(program, &self.facts, &permit, self.context(), label);
        let (message, receipt) = call.result(text.into());
        self.settle(permit.slot, message);
        Ok(receipt)
    }

    /// The call ran and failed with `text`, which may quote what the tool read.
    ///
    /// # Errors
    /// A permit of another session or of an earlier moment.
    pub fn failed(&mut self, permit: Permit, text: impl Into<String>) -> Result<(), SessionError> {
        let label = self.label_of(&permit)?;
        let program = self.artifact.program();
        let call = Received::new(program, &self.facts, &permit, self.context(), label);
        let message = call.error(text.into());
        self.settle(permit.slot, message);
        Ok(())
    }

    pub(crate) fn slot(&self, index: usize) -> Option<&Slot> {
        self.slots.get(index)
    }

    /// The messages that the last output was written from.
    pub(crate) fn seen_by_last_output(&self) -> &[Arc<Message>] {
        self.messages.get(..self.seen_by_output).unwrap_or(&[])
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(crate) fn floor(&self) -> &Label {
        &self.floor
    }

    /// The label of the output whose calls stand open.
    fn context(&self) -> Label {
        self.messages
            .iter()
            .rfind(|message| message.role == Role::Assistant)
            .map_or_else(|| self.seen.clone(), |message| message.existence.clone())
    }

    fn rule_on(&self, program: &Program, context: &Label, call: Call) -> (Decision, Slot) {
        // No argument is filled from a region yet, so every argument has the context's label.
        let label = program.call_label(context, &[]);
        let bound = program.bind(&call.tool, &call.arguments);
        let ruling = match &bound {
            Ok(bound) => Ok(program.decide(&self.facts, bound, &label)),
            Err(error) => Err(error.clone()),
        };
        let effect = ruling.as_ref().map_or(Effect::Deny, |verdict| verdict.effect);
        let tool = bound.ok().and_then(|bound| Some((program.tool(bound.tool())?, bound)));
        let decision = match (effect, tool) {
            (Effect::Allow, Some((tool, bound))) => Decision::Allow(self.permit(tool, &bound)),
            (Effect::Confirm, Some((tool, bound))) => {
                let endorses = tool.endorsements.iter().map(|e| e.because.clone()).collect();
                Decision::Confirm(Request { permit: self.permit(tool, &bound), endorses })
            }
            _ => Decision::Deny,
        };
        let answer = match decision {
            Decision::Deny => Answer::Settled(notice(context.clone(), label.clone())),
            Decision::Allow(_) | Decision::Confirm(_) => Answer::Open,
        };
        (decision, Slot { call, label, ruling, answer })
    }

    /// Leave to run the call whose slot comes next.
    fn permit(&self, tool: &Tool, bound: &Bound<'_>) -> Permit {
        let arguments = tool.arguments.iter().zip(0..).filter_map(|(argument, id)| {
            let value = bound.argument(ArgumentId(id))?;
            Some((argument.name.clone(), value.clone()))
        });
        Permit {
            moment: self.moment.clone(),
            slot: self.slots.len(),
            tool: tool.name.clone(),
            arguments: arguments.collect(),
        }
    }

    fn say(&mut self, view: &View, text: String, calls: Vec<Call>) {
        self.seen_by_output = self.messages.len();
        let label = view.label.clone();
        let mut message = Message::whole(Role::Assistant, label.clone(), label, text);
        message.calls = calls;
        self.push(message);
    }

    fn push(&mut self, message: Message) {
        self.seen.join_with(&message.label());
        self.messages.push(Arc::new(message));
        self.moment.tick += 1;
    }

    fn settle(&mut self, slot: usize, message: Message) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.answer = Answer::Settled(message);
        }
        self.record();
    }

    /// Once every call is settled, adds their answers in the order of the calls: the order in which
    /// they came in is not for the model to see.
    fn record(&mut self) {
        if self.slots.iter().any(|slot| matches!(slot.answer, Answer::Open)) {
            return;
        }
        for index in 0..self.slots.len() {
            let slot = self.slots.get_mut(index);
            let answer = slot.map(|slot| std::mem::replace(&mut slot.answer, Answer::Recorded));
            if let Some(Answer::Settled(mut message)) = answer {
                message.answers = Some(index);
                self.push(message);
            }
        }
    }

    fn settled(&self) -> Result<(), SessionError> {
        match self.slots.iter().any(|slot| matches!(slot.answer, Answer::Open)) {
            true => Err(SessionError::Unsettled),
            false => Ok(()),
        }
    }

    /// Checks a token, and gives the label of its call.
    fn label_of(&self, permit: &Permit) -> Result<Label, SessionError> {
        self.current(&permit.moment)?;
        self.slots.get(permit.slot).map(|slot| slot.label.clone()).ok_or(SessionError::Stale)
    }

    fn current(&self, moment: &Moment) -> Result<(), SessionError> {
        if moment.session != self.moment.session {
            Err(SessionError::OtherSession)
        } else if moment.tick != self.moment.tick {
            Err(SessionError::Stale)
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("messages", &self.messages.len()).finish_non_exhaustive()
    }
}

fn notice(existence: Label, label: Label) -> Message {
    Message::whole(Role::Tool, existence, label, NOTICE.to_owned())
}
