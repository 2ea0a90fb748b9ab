//! A policy made ready to be evaluated: validated, its label space built, its constants computed.

use std::collections::HashMap;
use std::fmt;

use crate::ir::{LabelId, LabelPart, Operand, Policy, SetTerm, Tool, ToolId};
use crate::label::{Label, LabelSpace};
use crate::sets::{NameSet, SetLattice};
use crate::validate::{Invalid, validate};

/// A policy that can be evaluated. Immutable; shared by all sessions.
#[derive(Clone)]
pub struct Program {
    policy: Policy,
    space: LabelSpace,
    /// For each label term: its value, if it depends on nothing.
    constants: Vec<Option<Label>>,
    tools: HashMap<String, ToolId>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("policy", &self.policy.name).finish_non_exhaustive()
    }
}

impl Program {
    /// Makes a policy ready.
    ///
    /// # Errors
    /// A policy that is not valid: there is no program of one.
    pub fn new(policy: Policy) -> Result<Self, Invalid> {
        validate(&policy)?;
        let space = LabelSpace::new(&policy.lattices, &policy.open);
        let constants = policy
            .labels
            .iter()
            .map(|term| {
                let mut label = space.bottom().clone();
                for (lattice, part) in term.parts.iter().enumerate() {
                    match part {
                        LabelPart::Level(level) => label.join_with(space.part(lattice, *level)?),
                        LabelPart::Named(_) => return None,
                    }
                }
                for (index, (set, lattice)) in term.sets.iter().zip(&policy.open).enumerate() {
                    label = label.with_set(index, lattice.level(constant_set(set, lattice)?));
                }
                Some(label)
            })
            .collect();
        let tools = policy.tools.iter().zip(0..).map(|(t, i)| (t.name.clone(), ToolId(i)));
        let tools = tools.collect();
        Ok(Self { policy, space, constants, tools })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The space of its labels.
    #[must_use]
    pub fn space(&self) -> &LabelSpace {
        &self.space
    }

    /// The value of a label term that depends on nothing.
    #[must_use]
    pub fn constant(&self, label: LabelId) -> Option<&Label> {
        self.constants.get(label.index())?.as_ref()
    }

    /// The tool of that name.
    #[must_use]
    pub fn tool_named(&self, name: &str) -> Option<ToolId> {
        self.tools.get(name).copied()
    }

    /// A tool of the policy.
    #[must_use]
    pub fn tool(&self, id: ToolId) -> Option<&Tool> {
        self.policy.tools.get(id.index())
    }

    /// A label in the policy's words, such as `{trusted, private}`.
    #[must_use]
    pub fn show<'a>(&'a self, label: &'a Label) -> impl fmt::Display + 'a {
        self.space.show(&self.policy.lattices, &self.policy.open, label)
    }
}

/// The set that a term stands for whatever happens, if it does.
fn constant_set(term: &SetTerm, lattice: &SetLattice) -> Option<NameSet> {
    term.set(|names| match &names.value {
        // An empty list of sources is one thing in data and another in a bound.
        Operand::Literal(value) => {
            NameSet::of(value).filter(|names| !names.is_empty() || !lattice.joins_by_union())
        }
        _ => None,
    })
}
