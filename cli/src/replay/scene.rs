//! The one session of a replay whose timeline is shown.
//!
//! Takes each session once it is played; keeps the one that was asked for by its id, or else the
//! first of those that have most to show.

use rtbas::{Session, SessionError, View};
use rtbas_artifact::ir::Effect;
use rtbas_artifact::label::Label;

use super::play::Played;

/// A session that was played.
#[derive(Debug)]
pub(crate) struct Scene {
    /// What came of it.
    pub(crate) played: Played,
    /// The session at its end.
    pub(crate) session: Session,
    /// The label that every context of it has.
    pub(crate) floor: Label,
}

/// How much a session has to show, least first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Interest {
    /// A call did not run that came after an attacker's text was read.
    stops_attack: bool,
    most: Most,
}

/// What came of the call of a session that was treated worst.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Most {
    Ran,
    Malformed,
    Asked,
    Refused,
}

/// The choice of a session.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    /// The id that was asked for.
    wanted: Option<&'a str>,
    chosen: Option<Scene>,
}

impl Scene {
    /// All that its history holds.
    ///
    /// # Errors
    /// None for a session that was played to its end.
    pub(crate) fn view(&self) -> Result<View, SessionError> {
        self.session.view()
    }

    fn interest(&self) -> Interest {
        let calls = &self.played.calls;
        let most = calls.iter().map(|call| match call.effect {
            Effect::Deny if call.has_rule() => Most::Refused,
            Effect::Deny => Most::Malformed,
            Effect::Confirm => Most::Asked,
            Effect::Allow => Most::Ran,
        });
        let mut after = calls.iter().skip_while(|call| !call.injected).skip(1);
        Interest {
            stops_attack: after.any(|call| call.effect != Effect::Allow),
            most: most.max().unwrap_or(Most::Ran),
        }
    }
}

impl<'a> Choice<'a> {
    /// Nothing chosen yet.
    pub(crate) fn new(wanted: Option<&'a str>) -> Self {
        Self { wanted, chosen: None }
    }

    /// Considers a session.
    pub(crate) fn offer(&mut self, scene: Scene) {
        let better = match self.wanted {
            Some(id) => scene.played.id == id,
            None => self.chosen.as_ref().is_none_or(|old| scene.interest() > old.interest()),
        };
        if better {
            self.chosen = Some(scene);
        }
    }

    /// The session that was chosen.
    pub(crate) fn chosen(self) -> Option<Scene> {
        self.chosen
    }
}
