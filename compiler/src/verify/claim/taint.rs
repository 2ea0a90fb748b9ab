//! What stores may hold above their labels: in a session before, a call wrote there that an endorsement
//! excused, or what it was made of had been lowered on its way.

use std::collections::BTreeMap;

use rtbas_artifact::ir::{CellId, Claim, Effect, LabelPart, Target, ToolId};

use super::carrier::Carried;
use super::session::{Breach, Taint, Tainted};
use super::{Ceiling, Exceptions, Goal, Prover, Sink};
use crate::verify::encode::Outside;
use crate::verify::outcome::Outcome;
use crate::verify::robust::choices;

impl Prover<'_> {
    /// The cells that calls may fill with what lies above a ceiling.
    pub(super) fn tainted(&self, via: &Exceptions, ceiling: Ceiling) -> Result<Tainted, Outside> {
        let key = (via.clone(), ceiling);
        if let Some(known) = self.tainted.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mut tainted = Tainted::new();
        loop {
            let before = tainted.len();
            // What has its raw label is at or below that of the cell, unless it is endorsed.
            let all = self.has_downgrades(via) || !tainted.is_empty();
            for (tool, id) in self.policy().tools.iter().zip((0..).map(ToolId)) {
                for effect in [Effect::Allow, Effect::Confirm] {
                    let excused = |cell: CellId| {
                        let mut endorsements = tool.endorsements.iter();
                        endorsements.any(|endorsement| {
                            endorsement.cells.contains(&cell)
                                && (endorsement.unasked || effect == Effect::Confirm)
                        })
                    };
                    let admitted = effect == Effect::Confirm && via.approvals.contains(&id);
                    let counts = |cell: &CellId| match excused(*cell) {
                        true => !admitted,
                        false => all,
                    };
                    let written = tool.writes.iter().map(|write| write.cell);
                    let new: Vec<CellId> = written
                        .filter(|cell| !tainted.contains_key(cell))
                        // What a claim lets be lowered hides in every cell.
                        .filter(|cell| {
                            !via.downgrades.is_empty() || self.may_lie_below(*cell, ceiling)
                        })
                        .filter(counts)
                        .collect();
                    if new.is_empty() || tool.rules.iter().all(|rule| rule.effect != effect) {
                        continue;
                    }
                    if let Some(breach) = self.writes(via, ceiling, &tainted, (id, effect))? {
                        let taint = Taint::new(breach);
                        tainted.extend(new.into_iter().map(|cell| (cell, taint.clone())));
                    }
                }
            }
            if tainted.len() == before {
                break;
            }
        }
        self.tainted.borrow_mut().insert(key, tainted.clone());
        Ok(tainted)
    }

    /// Whether a cell's own label may flow to a ceiling, so that what it holds can hide there.
    fn may_lie_below(&self, cell: CellId, ceiling: Ceiling) -> bool {
        let policy = self.policy();
        let Some(cell) = policy.cells.get(cell.index()) else { return true };
        choices(&cell.label).any(|label| {
            let term = policy.labels.get(label.index());
            match term.and_then(|term| term.parts.get(ceiling.lattice)) {
                Some(LabelPart::Level(level)) => {
                    let lattice = policy.lattices.get(ceiling.lattice);
                    lattice.is_none_or(|lattice| lattice.flows(*level, ceiling.level))
                }
                _ => true,
            }
        })
    }

    /// A session in which a call that is decided so is made of what lies above a ceiling.
    fn writes(
        &self,
        via: &Exceptions,
        ceiling: Ceiling,
        tainted: &Tainted,
        (tool, effect): (ToolId, Effect),
    ) -> Result<Option<Breach>, Outside> {
        let claim = Claim {
            level: self.policy().messages.system,
            target: Target::Tool(tool),
            unless: None,
            via: Vec::new(),
        };
        let goal = Goal {
            claim: &claim,
            sink: Sink::Call(tool, effect),
            via,
            open: &[],
            ceilings: &[ceiling],
        };
        let all = BTreeMap::from([(ceiling, tainted.clone())]);
        match self.by_carriers(&goal, &all)? {
            Outcome::Refuted(breach) => Ok(Some(*breach)),
            Outcome::Proved { .. } => Ok(None),
            Outcome::Unknown { reason } => Err(Outside(reason)),
            Outcome::Disagreement(_) => Err(Outside("what a call writes".to_owned())),
        }
    }
}

pub(super) fn is_tainted(carried: &Carried, cells: Option<&Tainted>) -> bool {
    cells.is_some_and(|cells| carried.cells.iter().any(|cell| cells.contains_key(cell)))
}
