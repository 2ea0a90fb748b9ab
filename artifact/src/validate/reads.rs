//! What conditions and labels read, and whether it means something at the place where they stand.
//!
//! Conditions and labels are shared between places, so what each reads is summed up once and
//! compared with what can be read at each place of use.

use super::{Invalid, MAX_ENTRIES, MAX_NESTING, each, index, text, value};
use crate::ir::{
    Condition, ConditionId, LabelId, LabelPart, LabelRule, LabelTerm, Operand, Policy, SetTerm,
};

/// What can be read at a place, beside facts and constants.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    /// The label of the call.
    pub(super) context: bool,
    /// This many arguments of the call.
    pub(super) arguments: usize,
    /// The fields of a record.
    pub(super) fields: bool,
}

/// What a condition or a label reads.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    /// Whether a label names a value.
    values: bool,
    /// Whether the label of the call.
    context: bool,
    /// How many arguments there must be.
    arguments: usize,
    /// Whether fields of a record.
    fields: bool,
}

impl Reads {
    fn and(self, other: Self) -> Self {
        Self {
            values: self.values || other.values,
            context: self.context || other.context,
            arguments: self.arguments.max(other.arguments),
            fields: self.fields || other.fields,
        }
    }
}

/// What the labels and conditions of a policy read.
#[derive(Debug)]
pub(super) struct Readers<'a> {
    policy: &'a Policy,
    labels: Vec<Reads>,
    conditions: Vec<Reads>,
}

impl<'a> Readers<'a> {
    /// Checks labels and conditions and sums up what they read. The conditions refer to earlier
    /// ones only.
    pub(super) fn new(policy: &'a Policy) -> Result<Self, Invalid> {
        let mut this = Self { policy, labels: Vec::new(), conditions: Vec::new() };
        for (i, term) in policy.labels.iter().enumerate() {
            let reads = this.term(term).map_err(|e| e.under(&format!("labels[{i}]")))?;
            this.labels.push(reads);
        }
        for (i, condition) in policy.conditions.iter().enumerate() {
            let reads = this.summed(condition);
            this.conditions.push(reads.map_err(|e| e.under(&format!("conditions[{i}]")))?);
        }
        Ok(this)
    }

    fn term(&self, term: &LabelTerm) -> Result<Reads, Invalid> {
        let lattices = &self.policy.lattices;
        if term.parts.len() != lattices.len() {
            let (parts, lattices) = (term.parts.len(), lattices.len());
            let problem = format!("{parts} parts, but the policy has {lattices} lattices");
            return Err(Invalid::new("parts", problem));
        }
        if term.sets.len() != self.policy.open.len() {
            let (sets, open) = (term.sets.len(), self.policy.open.len());
            let problem = format!("{sets} sets, but the policy has {open} open lattices");
            return Err(Invalid::new("sets", problem));
        }
        for (part, lattice) in term.parts.iter().zip(lattices) {
            if let LabelPart::Level(level) = part {
                index("parts", level.index(), lattice.levels.len())?;
            }
        }
        each("sets", &term.sets, |set| match set {
            SetTerm::All => Ok(()),
            SetTerm::Of(names) => each("names", names, |_| Ok(())),
        })?;
        let mut reads = Reads::default();
        for operand in term.operands() {
            let values = !matches!(operand, Operand::Literal(_));
            reads = reads.and(Reads { values, ..self.operand(operand)? });
        }
        Ok(reads)
    }

    fn summed(&self, condition: &Condition) -> Result<Reads, Invalid> {
        let below = |id: &ConditionId| self.conditions.get(id.index()).copied().unwrap_or_default();
        match condition {
            Condition::Context(bound) => {
                index("bound", bound.index(), self.labels.len())?;
                let bound = self.labels.get(bound.index()).copied().unwrap_or_default();
                Ok(Reads { context: true, ..bound })
            }
            Condition::Present(operand) | Condition::Matches(operand, _) => self.operand(operand),
            Condition::Compare(_, left, right)
            | Condition::In(left, right)
            | Condition::SubsetOf(left, right) => Ok(self.operand(left)?.and(self.operand(right)?)),
            Condition::Not(inner) if below(inner).context => {
                Err(Invalid::new("not", "the negation of a condition that reads a label"))
            }
            Condition::Not(inner) => Ok(below(inner)),
            Condition::All(parts) | Condition::Any(parts) => {
                Ok(parts.iter().map(below).fold(Reads::default(), Reads::and))
            }
        }
    }

    fn operand(&self, operand: &Operand) -> Result<Reads, Invalid> {
        let (path, reads) = match operand {
            Operand::Literal(literal) => {
                value("literal", literal, 0)?;
                return Ok(Reads::default());
            }
            Operand::Fact(fact, path) => {
                index("fact", fact.index(), self.policy.facts.len())?;
                (path, Reads::default())
            }
            Operand::Argument(argument, path) => {
                // The table of arguments is the tool's, so the place of use decides.
                let arguments = argument.index().saturating_add(1);
                (path, Reads { arguments, ..Reads::default() })
            }
            Operand::Field(path) => (path, Reads { fields: true, ..Reads::default() }),
            Operand::Derived(_, inner) => {
                return match **inner {
                    Operand::Derived(..) => {
                        Err(Invalid::new("operand", "a function of what a function gives"))
                    }
                    _ => self.operand(inner),
                };
            }
        };
        if path.len() > MAX_NESTING {
            return Err(Invalid::new("path", format!("more than {MAX_NESTING} steps")));
        }
        each("path", path, |step| text("step", step))?;
        Ok(reads)
    }

    /// Checks that a label depends on nothing.
    pub(super) fn constant(&self, place: &str, label: LabelId) -> Result<(), Invalid> {
        index(place, label.index(), self.labels.len())?;
        match self.labels.get(label.index()) {
            Some(reads) if reads.values => {
                Err(Invalid::new(place, "a label that names a value, where only levels can stand"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a condition reads only what can be read here.
    pub(super) fn condition(
        &self,
        place: &str,
        condition: ConditionId,
        reach: Reach,
    ) -> Result<(), Invalid> {
        index(place, condition.index(), self.conditions.len())?;
        within(place, self.conditions.get(condition.index()), reach)
    }

    /// Checks that an operand reads only what can be read here.
    pub(super) fn value(&self, place: &str, read: &Operand, reach: Reach) -> Result<(), Invalid> {
        let reads = self.operand(read).map_err(|fault| fault.under(place))?;
        within(place, Some(&reads), reach)
    }

    /// Checks that a label rule reads only what can be read here, and that a guard only lowers.
    pub(super) fn rule(&self, place: &str, rule: &LabelRule, reach: Reach) -> Result<(), Invalid> {
        if rule.alternatives.len() > MAX_ENTRIES {
            return Err(Invalid::new(place, format!("more than {MAX_ENTRIES} alternatives")));
        }
        self.label(place, rule.otherwise, reach)?;
        for alternative in &rule.alternatives {
            self.condition(place, alternative.when, reach)?;
            self.label(place, alternative.label, reach)?;
            if self.raises(alternative.label, rule.otherwise) {
                let problem = "an alternative that does not flow to the label where no guard holds";
                return Err(Invalid::new(place, problem));
            }
        }
        Ok(())
    }

    /// Checks that a label reads only what can be read here.
    pub(super) fn label(&self, place: &str, label: LabelId, reach: Reach) -> Result<(), Invalid> {
        index(place, label.index(), self.labels.len())?;
        within(place, self.labels.get(label.index()), reach)
    }

    /// Whether one label might not flow to the other.
    pub(super) fn raises(&self, alternative: LabelId, otherwise: LabelId) -> bool {
        let term = |label: LabelId| self.policy.labels.get(label.index());
        let pair = term(alternative).zip(term(otherwise));
        pair.is_some_and(|(low, high)| !self.policy.surely_flows(low, high))
    }
}

fn within(place: &str, reads: Option<&Reads>, reach: Reach) -> Result<(), Invalid> {
    let reads = reads.copied().unwrap_or_default();
    let problem = match () {
        () if reads.context && !reach.context => "it reads the call's label, which only rules can",
        () if reads.fields && !reach.fields => "it reads a field where there is no record",
        () if reads.arguments > reach.arguments => "it reads an argument that does not exist here",
        () => return Ok(()),
    };
    Err(Invalid::new(place, problem))
}
