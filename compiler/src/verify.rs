//! Phase 5: what ships is proved, or there is nothing to ship.
//!
//! Takes the lowered policy, gives [`Verified`], which only this phase can make and without which
//! nothing is emitted. The proofs are over the IR that ships: O1 (lattices and their codes), O3
//! (robust labels) and O5 (antitone decisions) of `docs/semantics.md`, and that rules are live and
//! tools usable. *Unknown* is an error of its
//! own. A counterexample is replayed through the tables or the evaluator before anyone sees it.

mod term;
mod z3;
mod lattice;
mod completion;
mod automaton;
mod encode;
mod witness;
mod decision;
mod query;
mod outcome;
mod trial;
mod robust;
mod antitone;
mod live;
mod usable;
mod launder;
mod outsiders;
mod source;
mod claim;
mod needless;
mod report;
pub mod flow;
pub mod diff;

use std::collections::BTreeSet;

use rtbas_artifact::certificate::{Certificate, Method, Obligation, Property};
use rtbas_artifact::ir::{Effect, StoreId, Tool, ToolId};
use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::origin::Origins;
use rtbas_artifact::program::Program;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lower::{Lowered, Spans, TestCase};
use crate::source::Span;
use outcome::Outcome;
pub use z3::{Query, recorded};

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
    let mut book = Book { program: &program, spans: &spans, obligations, diagnostics };
    labels(&mut book);
    stores(&mut book);
    let mut are_antitone = true;
    for (tool, id) in program.policy().tools.iter().zip(0..) {
        are_antitone &= decisions(&mut book, ToolId(id), tool);
    }
    // What is said of sessions rests on that.
    if are_antitone {
        sessions(&mut book);
    }
    downgrades(&mut book);
    let obligations = book.obligations;
    diagnostics.gate(())?;
    let certificate = Certificate { solver, obligations };
    Some(Verified { program, origins, certificate, tests })
}

/// What is proved, and what is said of the rest.
struct Book<'a> {
    program: &'a Program,
    spans: &'a Spans,
    obligations: Vec<Obligation>,
    diagnostics: &'a mut Diagnostics,
}

impl Book<'_> {
    /// Enters what came of an obligation: a proof, or a message.
    fn enter<W: std::fmt::Debug>(
        &mut self,
        property: Property,
        subject: &str,
        at: Option<Span>,
        outcome: Outcome<W>,
        refuted: impl FnOnce(&W) -> Diagnostic,
    ) {
        z3::asked_for(&format!("{property} of {subject}"));
        let message = match outcome {
            Outcome::Proved { method, resource } => {
                let subject = subject.to_owned();
                self.obligations.push(Obligation { property, subject, method, resource });
                return;
            }
            Outcome::Refuted(witness) => refuted(&witness),
            Outcome::Disagreement(witness) => report::disagreement(subject, &witness),
            Outcome::Unknown { reason } => report::unknown(property, subject, &reason, at),
        };
        self.diagnostics.push(message);
    }
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
        let outcome = lattice::check(lattice);
        z3::asked_for(&format!("{} of {name}", Property::Lattice));
        match outcome {
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
fn labels(book: &mut Book<'_>) {
    let (program, spans) = (book.program, book.spans);
    let chosen = robust::check(program);
    if chosen.is_empty() {
        book.obligations.push(Obligation {
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
            book.diagnostics.push(diagnostic);
        }
    }
}

/// O2 for every store that outsiders read.
fn stores(book: &mut Book<'_>) {
    let (program, spans) = (book.program, book.spans);
    for (store, id) in program.policy().stores.iter().zip(0..) {
        for outcome in outsiders::check(program, StoreId(id)) {
            let at = None;
            book.enter(Property::Outsiders, &store.name, at, outcome, |(cell, label)| {
                report::store::read_outside(program, *cell, label, spans)
            });
        }
    }
}

/// What holds of sessions: claims, and which calls outsiders steer.
fn sessions(book: &mut Book<'_>) {
    let prover = claim::Prover::new(book.program);
    claims(book, &prover);
    steered(book, &prover);
}

/// Allow rules that let pass what outsiders may choose: no mistake, but something to know of.
fn steered(book: &mut Book<'_>, prover: &claim::Prover<'_>) {
    let (program, spans) = (book.program, book.spans);
    let outside = source::outside(program, &source::classes(program));
    for (tool, id) in program.policy().tools.iter().zip(0..) {
        if tool.rules.iter().all(|rule| rule.effect != Effect::Allow || rule.when.is_none()) {
            continue;
        }
        for (class, label) in &outside {
            let Some(first) = class.first() else { continue };
            // What cannot be decided is no finding: this is advice, and no obligation.
            if let Ok(Some(found)) = prover.steered(first, *label, ToolId(id)) {
                book.diagnostics.push(report::claim::steered(program, ToolId(id), &found, spans));
                break;
            }
        }
    }
}

fn claims(book: &mut Book<'_>, prover: &claim::Prover<'_>) {
    let (program, spans) = (book.program, book.spans);
    let claims = &program.policy().claims;
    for (index, claim) in claims.iter().enumerate() {
        let subject = program.show_claim(claim).to_string();
        let at = spans.claims.get(index).copied();
        let outcome = prover.check(claim);
        if matches!(outcome, Outcome::Proved { .. }) && prover.is_vacuous(claim) {
            book.diagnostics.push(report::claim::vacuous(&subject, at));
        }
        book.enter(Property::Claim, &subject, at, outcome, |breach| {
            report::claim::broken(program, claim, breach, at)
        });
    }
}

/// Downgrades are exceptions that others review, so each must lower something.
fn downgrades(book: &mut Book<'_>) {
    let policy = book.program.policy();
    for (downgrade, at) in policy.downgrades.iter().zip(&book.spans.downgrades) {
        if needless::is_needless(policy, downgrade) {
            let name = &downgrade.name;
            let message = format!("`{name}` lowers nothing: its region has no stricter label");
            let help = "delete it, or name the region that is to be lowered";
            book.diagnostics.push(Diagnostic::new(Code::W0502, *at, message).help(help));
        }
    }
}

/// What is to be proved of each tool: O5, O2 and O3 of what it writes, and that its rules are of use.
/// Tells whether O5 holds.
fn decisions(book: &mut Book<'_>, id: ToolId, tool: &Tool) -> bool {
    let (program, spans) = (book.program, book.spans);
    let at = spans.tool(id);
    let antitone = antitone::check(program, tool);
    let is_antitone = matches!(antitone, Outcome::Proved { .. });
    book.enter(Property::Antitone, &tool.name, at, antitone, |witness| {
        report::not_antitone(program, id, witness, spans)
    });
    if !tool.writes.is_empty() {
        for outcome in launder::check(program, id, tool) {
            book.enter(Property::Stores, &tool.name, at, outcome, |spill| {
                report::store::spilled(program, id, spill, spans)
            });
        }
    }
    let rules = live::check(program, tool);
    let are_live = rules.iter().all(|outcome| matches!(outcome, Outcome::Proved { .. }));
    for outcome in rules {
        book.enter(Property::LiveRules, &tool.name, at, outcome, |idle| {
            report::rule::idle(program, id, idle, spans)
        });
    }
    // What is wrong with its rules says why a tool never runs; and the floor is the freest context
    // only if taint never allows more.
    if !is_antitone || !are_live {
        return is_antitone;
    }
    if let Some(outcome) = usable::check(program, tool) {
        book.enter(Property::Usable, &tool.name, at, outcome, |()| {
            report::rule::unusable(program, id, spans)
        });
    }
    is_antitone
}
