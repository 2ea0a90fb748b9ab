//! What comes of an obligation.

use rtbas_artifact::certificate::Method;

use super::encode::{Encoder, Outside};

/// Proved, refuted with a witness of kind `W`, or neither.
#[derive(Debug)]
pub(super) enum Outcome<W> {
    Proved {
        method: Method,
        resource: u64,
    },
    Refuted(W),
    Unknown {
        reason: String,
    },
    /// The evaluator does not see the solver's counterexample: a fault of ours.
    Disagreement(W),
}

impl<W> Outcome<W> {
    /// The counterexample lies outside of what can be shown.
    pub(super) fn unshown(Outside(construct): Outside) -> Self {
        Self::Unknown { reason: format!("the counterexample needs {construct}") }
    }

    /// A counterexample that the evaluator sees, or does not.
    pub(super) fn replayed(witness: W, agrees: bool, encoder: &Encoder<'_>) -> Self {
        match encoder.doubt() {
            _ if agrees => Self::Refuted(witness),
            Some(doubt) => Self::unshown(Outside(doubt)),
            None => Self::Disagreement(witness),
        }
    }
}

/// The outcomes of the parts of one obligation.
#[derive(Debug)]
pub(super) struct All<W> {
    failed: Vec<Outcome<W>>,
    searched: bool,
    resource: u64,
}

impl<W> Default for All<W> {
    fn default() -> Self {
        Self { failed: Vec::new(), searched: false, resource: 0 }
    }
}

impl<W> All<W> {
    pub(super) fn add(&mut self, outcome: Outcome<W>) {
        match outcome {
            Outcome::Proved { method, resource } => {
                self.searched |= method == Method::Search;
                self.resource = self.resource.saturating_add(resource);
            }
            failed => self.failed.push(failed),
        }
    }

    /// What is not proved, or one proof of all: by search, or if that was not needed as it says.
    pub(super) fn outcomes(mut self, method: Method) -> Vec<Outcome<W>> {
        if self.failed.is_empty() {
            let method = if self.searched { Method::Search } else { method };
            self.failed.push(Outcome::Proved { method, resource: self.resource });
        }
        self.failed
    }
}
