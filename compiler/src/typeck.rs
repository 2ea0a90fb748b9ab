//! Phase 3: [`hir`] → [`Typed`].
//!
//! Takes a policy whose names are resolved. Gives it back with the tables of its lattices, when
//! every order is one, every condition compares what can compare, every guard can only lower a
//! label, and every region that is named exists. Whether an order is a lattice is for a proof to
//! say, in `verify`.

use rtbas_artifact::lattice::Lattice;

use crate::diag::Diagnostics;
use crate::resolve::hir;

mod order;
mod condition;
mod effect;
mod result;
mod downgrade;
mod scenario;

/// A policy without mistakes of type. Only [`check`] makes one.
#[derive(Debug)]
pub struct Typed {
    policy: hir::Policy,
    lattices: Vec<Lattice>,
}

impl Typed {
    /// The policy, and the tables of its lattices.
    pub(crate) fn into_parts(self) -> (hir::Policy, Vec<Lattice>) {
        (self.policy, self.lattices)
    }
}

/// Checks the types of a policy.
pub fn check(policy: hir::Policy, diagnostics: &mut Diagnostics) -> Option<Typed> {
    let lattices: Vec<Lattice> =
        policy.lattices.iter().filter_map(|lattice| order::table(lattice, diagnostics)).collect();
    // What compares levels needs the order of every lattice.
    let lattices = diagnostics.gate(lattices)?;
    order::warn_of_direction(&policy, &lattices, diagnostics);
    let mut rules = condition::Rules { policy: &policy, lattices: &lattices, diagnostics };
    for label in &policy.messages {
        rules.label(label);
    }
    for (read, write) in policy.stores.iter().filter_map(|store| store.outsiders.as_ref()) {
        read.iter().chain(write).for_each(|label| rules.label(label));
    }
    for cell in &policy.cells {
        rules.label_rules(&cell.label);
    }
    for tool in &policy.tools {
        rules.label_rules(&tool.errors);
        for node in &tool.labels {
            rules.label_rule(&node.label);
        }
        rules.effects(tool);
        for when in tool.rules.iter().filter_map(|rule| rule.when.as_ref()) {
            rules.condition(when);
        }
    }
    for claim in &policy.claims {
        rules.constant(&claim.level);
        claim.unless.iter().for_each(|unless| rules.condition(unless));
    }
    for downgrade in &policy.downgrades {
        rules.downgrade(downgrade);
    }
    result::check(&policy, diagnostics);
    scenario::check(&policy, diagnostics);
    diagnostics.gate(Typed { policy, lattices })
}
