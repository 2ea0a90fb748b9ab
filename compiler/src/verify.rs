//! Phase 5: what ships is proved, or there is nothing to ship.
//!
//! Takes the lowered policy, gives [`Verified`], which only this phase can make and without which
//! nothing is emitted. The proofs are over the IR that ships: O1 (lattices and their codes), O3
//! (robust labels) and O5 (antitone decisions) of `docs/semantics.md`. *Unknown* is an error of its
//! own. A counterexample is replayed through the tables or the evaluator before anyone sees it.

mod term;
mod z3;
mod lattice;
mod completion;
mod automaton;
mod encode;
mod witness;
mod robust;
mod antitone;
mod report;

use std::collections::BTreeSet;

use rtbas_artifact::certificate::{Certificate, Method, Obligation, Property};
use rtbas_artifact::ir::ToolId;
use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::origin::Origins;
use rtbas_artifact::program::Program;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lower::{Lowered, Spans, TestCase};

/// A policy with the proofs that stand behind it.
#[derive(Debug)]
pub struct Verified {
    program: Program,
    origins: Origins,
    certificate: Certificate,
    tests: Vec<TestCase>,
}

impl Verified {
    /// The policy, ready to be evaluated.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Where its rules stand in the source.
    #[must_use]
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// What was proved.
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The tests that the policy brings.
    #[must_use]
    pub fn tests(&self) -> &[TestCase] {
        &self.tests
    }
}

/// Proves the obligations of a policy, or says which fails and why.
pub fn verify(lowered: Lowered, diagnostics: &mut Diagnostics) -> Option<Verified> {
    let solver = match z3::version() {
        Ok(solver) => solver,
        Err(wrong) => {
            let help = "run `make .z3` in the source tree, and leave LD_LIBRARY_PATH alone";
            diagnostics.push(Diagnostic::new(Code::E0602, None, wrong.to_string()).help(help));
            return None;
        }
    };
    let Lowered { policy, origins, spans, tests } = lowered;
    let mut obligations = Vec::new();
    lattices(&policy.lattices, &spans, &mut obligations, diagnostics);
    diagnostics.gate(())?;
    let program = match Program::new(policy) {
        Ok(program) => program,
        Err(invalid) => {
            let message = format!("the lowered policy is not valid: {invalid}");
            diagnostics.push(report::fault(None, message));
            return None;
        }
    };
    labels(&program, &spans, &mut obligations, diagnostics);
    decisions(&program, &spans, &mut obligations, diagnostics);
    diagnostics.gate(())?;
    let certificate = Certificate { solver, obligations };
    Some(Verified { program, origins, certificate, tests })
}

/// O1 for every lattice.
fn lattices(
    lattices: &[Lattice],
    spans: &Spans,
    obligations: &mut Vec<Obligation>,
    diagnostics: &mut Diagnostics,
) {
    for (index, lattice) in lattices.iter().enumerate() {
        let name = &lattice.name;
        // The elements of a powerset are the same lattice, and share its name.
        let earlier = index.checked_sub(1).and_then(|before| lattices.get(before));
        if earlier.is_some_and(|earlier| earlier.name == *name && earlier.up == lattice.up) {
            continue;
        }
        match lattice::check(lattice) {
            lattice::Outcome::Proved { method, resource } => {
                let proved =
                    |property| Obligation { property, subject: name.clone(), method, resource };
                // One query shows both.
                obligations.extend([Property::Lattice, Property::FaithfulCode].map(proved));
            }
            lattice::Outcome::Refuted(flaw) => {
                diagnostics.push(report::flaw(lattice, index, flaw, spans));
            }
            lattice::Outcome::Unknown { reason } => {
                let at = spans.lattice(index);
                diagnostics.push(report::unknown(Property::Lattice, name, &reason, at));
            }
        }
    }
}

/// O3 for every label.
fn labels(
    program: &Program,
    spans: &Spans,
    obligations: &mut Vec<Obligation>,
    diagnostics: &mut Diagnostics,
) {
    let chosen = robust::check(program);
    if chosen.is_empty() {
        obligations.push(Obligation {
            property: Property::RobustLabels,
            subject: program.policy().name.clone(),
            method: Method::Ground,
            resource: 0,
        });
    }
    // One label may stand for many fields; what is wrong with it is said once.
    let mut said = BTreeSet::new();
    for chosen in chosen {
        let diagnostic = report::chosen(program, &chosen, spans);
        if said.insert((diagnostic.primary, chosen.field)) {
            diagnostics.push(diagnostic);
        }
    }
}

/// O5 for every tool.
fn decisions(
    program: &Program,
    spans: &Spans,
    obligations: &mut Vec<Obligation>,
    diagnostics: &mut Diagnostics,
) {
    let property = Property::Antitone;
    for (tool, id) in program.policy().tools.iter().zip(0..) {
        let id = ToolId(id);
        match antitone::check(program, tool) {
            antitone::Outcome::Proved { method, resource } => obligations.push(Obligation {
                property,
                subject: tool.name.clone(),
                method,
                resource,
            }),
            antitone::Outcome::Refuted(witness) => {
                diagnostics.push(report::not_antitone(program, id, &witness, spans));
            }
            antitone::Outcome::Disagreement(witness) => {
                diagnostics.push(report::disagreement(program, id, &witness));
            }
            antitone::Outcome::Unknown { reason } => {
                let at = spans.tool(id);
                diagnostics.push(report::unknown(property, &tool.name, &reason, at));
            }
        }
    }
}
