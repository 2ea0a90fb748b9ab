//! What was proved of a policy, by which solver, at what cost.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The proofs that stand behind an artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// The solver and its version, such as `z3 5.3.3.0`.
    pub solver: String,
    /// What was proved, in the order of the phases.
    pub obligations: Vec<Obligation>,
}

/// One proved obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obligation {
    /// What was proved.
    pub property: Property,
    /// Of what: the name of a lattice, of a tool, or of the policy.
    pub subject: String,
    /// How.
    pub method: Method,
    /// Solver effort in its own resource units; 0 where no solver was asked.
    pub resource: u64,
}

/// A property of a policy. Numbers are those of `docs/semantics.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Property {
    /// O1: the declared order is a bounded lattice.
    Lattice,
    /// O1: the code that ships is faithful to that order, and unions of codes are joins.
    FaithfulCode,
    /// O5: more taint never gives a weaker decision.
    Antitone,
    /// O3: no label is chosen by whoever writes the fields that it reads.
    RobustLabels,
    /// O2: what a call that runs may write flows to the labels of what it writes, and its writes
    /// lower no label of what is stored.
    Stores,
    /// O2: what outsiders read of a store flows to what they may read.
    Outsiders,
    /// A `never` claim holds in every session.
    Claim,
    /// Every rule with a condition can be the first that fires, and none fires always.
    LiveRules,
    /// A call of the tool can run unasked.
    Usable,
}

/// How an obligation was discharged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Method {
    /// The solver searched for a counterexample and found that there is none.
    Search,
    /// Every instance was checked.
    Ground,
    /// The form of what is proved leaves no counterexample.
    Form,
    /// It says that something exists, and an instance was found.
    Instance,
}

impl Property {
    /// Every property.
    pub const ALL: [Self; 9] = [
        Self::Lattice,
        Self::FaithfulCode,
        Self::RobustLabels,
        Self::Outsiders,
        Self::Antitone,
        Self::Stores,
        Self::LiveRules,
        Self::Usable,
        Self::Claim,
    ];
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lattice => "bounded lattice",
            Self::FaithfulCode => "faithful code",
            Self::Antitone => "antitone decisions",
            Self::RobustLabels => "robust labels",
            Self::Stores => "no laundering",
            Self::Outsiders => "fit for outsiders",
            Self::LiveRules => "live rules",
            Self::Claim => "claims",
            Self::Usable => "usable tools",
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Search => "searched",
            Self::Ground => "checked case by case",
            Self::Form => "seen from its form",
            Self::Instance => "shown by an instance",
        })
    }
}
