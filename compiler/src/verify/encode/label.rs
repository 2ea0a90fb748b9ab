//! Labels that are joins of terms: what a run's label is where it is known what was read.

use rtbas_artifact::ir::{LabelId, LabelPart};
use rtbas_artifact::lattice::LevelId;

use super::place::Place;
use super::{Encoder, Outside, flows};
use crate::verify::term::Formula;

/// A label of data, and where it is read.
pub(super) type Part = (LabelId, Place);

/// The label of a run as a join.
#[derive(Clone, Debug)]
pub(super) struct Join {
    run: usize,
    parts: Vec<Part>,
}

impl Encoder<'_> {
    /// Says that the label of a run is the join of these.
    fn join(&mut self, run: usize, parts: Vec<Part>) -> Result<(), Outside> {
        for part in &parts {
            self.know_names(part)?;
        }
        self.joins.push(Join { run, parts });
        Ok(())
    }

    /// Says that the label of a run is the floor: the join of the labels of the messages that no
    /// tool wrote.
    pub(in crate::verify) fn floor(&mut self, run: usize) -> Result<(), Outside> {
        let messages = &self.policy().messages;
        self.join(
            run,
            [messages.system, messages.user].map(|label| (label, Place::default())).to_vec(),
        )
    }

    /// Adds what holds of labels that are joins to the background. To be called once every bound
    /// and every element that anything asks about is known.
    pub(in crate::verify) fn close_labels(&mut self) -> Result<(), Outside> {
        for join in self.joins.clone() {
            for (lattice, bounds) in self.bounds.clone().into_iter().enumerate() {
                for bound in bounds {
                    let mut all = Vec::new();
                    for (label, _) in &join.parts {
                        let level = self.level_of(*label, lattice)?;
                        let table = self.policy().lattices.get(lattice);
                        let flows = table.is_some_and(|table| table.flows(level, bound));
                        all.push(Formula::constant(flows));
                    }
                    let name = flows(join.run, lattice, bound);
                    let is = Formula::variable(&name).same(Formula::and(all));
                    self.background.insert(format!("{name} as a join"), is);
                }
            }
            self.close_join_sets(join.run, &join.parts)?;
        }
        Ok(())
    }

    fn level_of(&self, label: LabelId, lattice: usize) -> Result<LevelId, Outside> {
        let term = self.policy().labels.get(label.index());
        match term.and_then(|term| term.parts.get(lattice)) {
            Some(LabelPart::Level(level)) => Ok(*level),
            _ => Err(Outside("a label that names a level by a value".to_owned())),
        }
    }
}
