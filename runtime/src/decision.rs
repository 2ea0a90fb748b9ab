//! Decisions, and the tokens that turn them into calls.
//!
//! A [`Permit`] is the only way to hand a result to a session. It is made by the engine alone, is
//! bound to one call of one moment, and is used up by being used: it cannot be cloned.

use rtbas_artifact::eval::Arguments;

use crate::view::Moment;

/// What is decided about a call.
#[derive(Debug)]
#[must_use = "a call whose decision is dropped leaves the session unsettled"]
pub enum Decision {
    /// The call may run unasked.
    Allow(Permit),
    /// The user must approve this very call.
    Confirm(Request),
    /// The call does not run. The session already holds the notice that the model will see.
    Deny,
}

/// Leave to run one call once.
#[derive(Debug)]
#[must_use = "a permit that is dropped leaves the session unsettled; hand in a result, or withdraw"]
pub struct Permit {
    pub(crate) moment: Moment,
    pub(crate) slot: usize,
    pub(crate) tool: String,
    pub(crate) arguments: Arguments,
}

/// A call that waits for the user.
#[derive(Debug)]
#[must_use = "a request that is dropped leaves the session unsettled; approve or reject it"]
pub struct Request {
    pub(crate) permit: Permit,
    pub(crate) endorses: Vec<String>,
}

/// What is decided about a final answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It may be shown unasked.
    Allow,
    /// It carries more than the policy's bound for replies: ask before it is shown.
    Confirm,
}

impl Permit {
    /// The tool to run.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments to run it with, defaults filled in. These were decided on; run no others.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }
}

impl Request {
    /// The tool to be run.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.permit.tool
    }

    /// The arguments that it would run with.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.permit.arguments
    }

    /// What approving endorses, in the policy's own words: from then on the store's labels hold for
    /// what this call writes.
    #[must_use]
    pub fn endorses(&self) -> &[String] {
        &self.endorses
    }
}
