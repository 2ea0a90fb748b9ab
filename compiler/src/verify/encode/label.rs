//! Labels that are joins of terms: what a run's label is where it is known what was read.

use rtbas_artifact::eval::Side;
use rtbas_artifact::ir::{LabelId, LabelPart, LabelRule};
use rtbas_artifact::lattice::LevelId;

use super::place::Place;
use super::{Encoder, Outside, flows};
use crate::verify::term::Formula;

/// Where nothing reads a label.
const NO_RUN: usize = usize::MAX;

/// A label of data, and where it is read.
pub(in crate::verify) type Term = (LabelId, Place);

/// Part of a label that is a join, where it is there.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Part {
    pub(in crate::verify) present: Formula,
    pub(in crate::verify) label: Joined,
}

/// A label that is made of terms.
#[derive(Clone, Debug)]
pub(in crate::verify) enum Joined {
    Top,
    /// The join of the first, and that met with the second.
    Terms(Vec<Term>, Option<Term>),
}

impl Part {
    /// One term.
    pub(in crate::verify) fn one(present: Formula, label: LabelId, place: &Place) -> Self {
        Self { present, label: Joined::Terms(vec![(label, place.clone())], None) }
    }

    /// All terms.
    pub(in crate::verify) fn terms(&self) -> Vec<&Term> {
        match &self.label {
            Joined::Top => Vec::new(),
            Joined::Terms(joined, met) => joined.iter().chain(met).collect(),
        }
    }
}

/// The label of a run as a join.
#[derive(Clone, Debug)]
pub(super) struct Join {
    run: usize,
    parts: Vec<Part>,
}

impl Encoder<'_> {
    /// Says that the label of a run is the join of these.
    pub(in crate::verify) fn join(&mut self, run: usize, parts: Vec<Part>) -> Result<(), Outside> {
        for part in &parts {
            self.know_names(part)?;
        }
        self.joins.push(Join { run, parts });
        Ok(())
    }

    /// Says that the label of a run is the floor: the join of the labels of the messages that no
    /// tool wrote.
    pub(in crate::verify) fn floor(&mut self, run: usize) -> Result<(), Outside> {
        let parts = self.floor_parts();
        self.join(run, parts)
    }

    /// What the floor is the join of.
    pub(in crate::verify) fn floor_parts(&self) -> Vec<Part> {
        let messages = &self.policy().messages;
        let part = |label| Part::one(Formula::constant(true), label, &Place::default());
        [messages.system, messages.user].map(part).to_vec()
    }

    /// Adds what holds of labels that are joins to the background. To be called once every bound
    /// and every element that anything asks about is known.
    pub(in crate::verify) fn close_labels(&mut self) -> Result<(), Outside> {
        for join in self.joins.clone() {
            for (lattice, bounds) in self.bounds.clone().into_iter().enumerate() {
                for bound in bounds {
                    let mut all = Vec::new();
                    for part in &join.parts {
                        let level = self.part_level(part, lattice)?;
                        let table = self.policy().lattices.get(lattice);
                        let flows = table.is_some_and(|table| table.flows(level, bound));
                        all.push(part.present.clone().implies(Formula::constant(flows)));
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

    /// Which label a rule gives at a place: each that it may give, and when it does.
    pub(in crate::verify) fn choices(
        &mut self,
        rule: &LabelRule,
        place: &Place,
    ) -> Result<Vec<(LabelId, Formula)>, Outside> {
        let mut earlier = Formula::constant(false);
        let mut choices = Vec::new();
        for alternative in &rule.alternatives {
            // A guard that is undefined chooses nothing.
            let yes = self.condition(alternative.when, NO_RUN, place)?.yes;
            let chosen = Formula::and([!earlier.clone(), yes.clone()]);
            choices.push((alternative.label, chosen));
            earlier = Formula::or([earlier, yes]);
        }
        choices.push((rule.otherwise, !earlier));
        Ok(choices)
    }

    /// When a label of data flows to another, or to a bound, each read at its place.
    pub(in crate::verify) fn label_flows(
        &mut self,
        (low, at_low): (LabelId, &Place),
        (high, at_high): (LabelId, &Place),
        side: Side,
    ) -> Result<Formula, Outside> {
        let labels = &self.policy().labels;
        let (Some(low_term), Some(high_term)) = (labels.get(low.index()), labels.get(high.index()))
        else {
            return Ok(Formula::constant(false));
        };
        for (lattice, table) in self.policy().lattices.iter().enumerate() {
            if !table.flows(self.level_of(low, lattice)?, self.level_of(high, lattice)?) {
                return Ok(Formula::constant(false));
            }
        }
        let sets = low_term.sets.iter().zip(&high_term.sets).enumerate();
        let mut all = Vec::new();
        for (open, (low, high)) in sets {
            all.push(self.set_terms_flow(open, (low, at_low), (high, at_high), side)?);
        }
        Ok(Formula::and(all))
    }

    /// The level of a part in a closed lattice.
    pub(in crate::verify) fn part_level(
        &self,
        part: &Part,
        lattice: usize,
    ) -> Result<LevelId, Outside> {
        let no_lattice = || Outside("an order that is no lattice".to_owned());
        let table = self.policy().lattices.get(lattice).ok_or_else(no_lattice)?;
        let Joined::Terms(joined, met) = &part.label else {
            return table.top().ok_or_else(no_lattice);
        };
        let mut level = table.bottom().ok_or_else(no_lattice)?;
        for (label, _) in joined {
            level = table.join(level, self.level_of(*label, lattice)?).ok_or_else(no_lattice)?;
        }
        match met {
            None => Ok(level),
            Some((label, _)) => {
                table.meet(level, self.level_of(*label, lattice)?).ok_or_else(no_lattice)
            }
        }
    }

    fn level_of(&self, label: LabelId, lattice: usize) -> Result<LevelId, Outside> {
        let term = self.policy().labels.get(label.index());
        match term.and_then(|term| term.parts.get(lattice)) {
            Some(LabelPart::Level(level)) => Ok(*level),
            _ => Err(Outside("a label that names a level by a value".to_owned())),
        }
    }
}
