//! What enforces a policy, seen from outside: one interface for the engine and the model.
//!
//! Labels are levels by index and sets of names, one for each lattice of the policy, so that neither
//! side's form of them is the yardstick.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::Effect;
use rtbas_artifact::value::Value;

use crate::written::Document;

/// A label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// One level, by index, of each closed lattice of the policy in order.
    pub levels: Vec<usize>,
    /// One level of each open lattice in order.
    pub sets: Vec<Names>,
}

/// A level of an open lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// All names that there are.
    All,
    /// These.
    Of(BTreeSet<String>),
}

/// A call as a model writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The arguments by name.
    pub arguments: BTreeMap<String, Value>,
}

/// What becomes of a call that may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returns this.
    Returned(Document),
    /// It fails with this text.
    Failed(String),
    /// It is not run after all.
    Withdrawn,
    /// Whoever was to run it is gone, and all calls that are open are withdrawn at once.
    Dropped,
}

/// A decision on a call, with all that is told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The decision.
    pub effect: Effect,
    /// The rule that made it; none if the call is not one that rules decide.
    pub rule: Option<usize>,
    /// The label it was decided at, in the policy's words.
    pub label: String,
    /// The arguments to run the call with, if it is not denied.
    pub arguments: Option<BTreeMap<String, Value>>,
    /// What approving it endorses, if the user is asked.
    pub endorses: Vec<String>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// Label of the fact that it exists.
    pub existence: Label,
    /// Its text.
    pub text: String,
    /// The calls that it makes.
    pub calls: Vec<Call>,
    /// The call of the output before it that it answers.
    pub answers: Option<usize>,
    /// Its regions, each before those in it.
    pub regions: Vec<Region>,
}

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// A region of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// How it is reached.
    pub path: String,
    /// Its label.
    pub label: Label,
    /// The region that it lies in.
    pub parent: Option<usize>,
    /// Its text, if no region lies in it.
    pub text: Option<String>,
}

/// What a model is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The context label.
    pub label: Label,
    /// The messages.
    pub messages: Vec<Message>,
}

/// A session of something that enforces a policy. It is driven in order: no message and no view
/// while calls of the last output are unsettled.
pub trait Monitor {
    /// Adds a system message; before all others.
    fn system(&mut self, text: &str);
    /// Adds a message of the user.
    fn user(&mut self, text: &str);
    /// What the model sees now.
    fn view(&self) -> View;
    /// Decides the calls of an output that was written from the view of this moment.
    fn propose(&mut self, text: &str, calls: &[Call]) -> Vec<Ruling>;
    /// Settles a call of the last output. A call that waits for the user is approved first, unless
    /// `approve` is false: then it is rejected. Says whether a result has its declared shape.
    fn settle(&mut self, call: usize, approve: bool, outcome: &Outcome) -> Option<bool>;
    /// Withdraws all calls that are still open.
    fn withdraw_all(&mut self);
    /// Adds an output without calls. Whether it may be shown unasked.
    fn reply(&mut self, text: &str) -> bool;
}
