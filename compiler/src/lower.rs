//! Phase 4: [`Typed`] → [`Lowered`]: the policy that will be proved and shipped, where its parts
//! come from, and its tests.
//!
//! Cannot fail. What is left unsaid becomes the strict side here: top for data, bottom for a bound.
//! In an order that is no lattice an end or a join may be missing; level 0 then stands for it, and
//! since `verify` refuses such an order, no artifact holds that.

use rtbas_artifact::ir::{self, Policy};
use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::origin::Origins;
use rtbas_artifact::ty::with_sets;

use crate::resolve::hir;
use crate::source::Sources;
use crate::typeck::Typed;

mod term;
mod node;
mod place;
mod written;
mod scenario;

pub use place::{LatticeSpans, Spans};
pub use scenario::{Outcome, Step, TestCase};

/// A policy, ready to be proved.
#[derive(Debug)]
pub struct Lowered {
    /// The policy.
    pub policy: Policy,
    /// Where its rules stand, for the reasons of decisions.
    pub origins: Origins,
    /// Where its parts stand, for diagnostics.
    pub spans: Spans,
    /// Its tests.
    pub tests: Vec<TestCase>,
}

/// Lowers a policy.
pub fn lower(typed: Typed, sources: &Sources<'_>) -> Lowered {
    let (policy, lattices) = typed.into_parts();
    let (spans, origins) = (place::spans(&policy), place::origins(&policy, sources));
    let tests = policy.tests.iter().map(|test| scenario::case(&policy, test)).collect();
    Lowered { policy: tables(policy, lattices), origins, spans, tests }
}

fn tables(policy: hir::Policy, lattices: Vec<Lattice>) -> Policy {
    let mut terms = term::Terms::new(&lattices, &policy.open);
    let [system, user, reply] = &policy.messages;
    let messages = ir::Messages {
        system: terms.data(system),
        user: terms.data(user),
        reply: terms.bound(reply),
    };
    let stores = policy.stores.iter().map(|store| store_of(&mut terms, store)).collect();
    let cells: Vec<ir::Cell> = policy
        .cells
        .iter()
        .map(|cell| ir::Cell {
            store: cell.store,
            part: cell.part.clone(),
            label: terms.rule(cell.label.as_ref()),
            because: cell.because.clone(),
            ty: cell.ty,
            required: cell.required,
        })
        .collect();
    let tools: Vec<ir::Tool> =
        policy.tools.iter().map(|tool| tool_of(&mut terms, &policy, &cells, tool)).collect();
    let downgrades: Vec<ir::Downgrade> = policy
        .downgrades
        .iter()
        .filter_map(|downgrade| {
            let nodes = tools.get(downgrade.tool.index()).map_or(&[][..], |tool| &tool.nodes);
            Some(ir::Downgrade {
                name: downgrade.name.clone(),
                word: downgrade.word,
                tool: downgrade.tool,
                node: node::at(nodes, &downgrade.path)?,
                from: terms.data(&downgrade.from),
                to: terms.data(&downgrade.to),
                when: downgrade.when.as_ref().map(|when| terms.condition(when)),
                checked: downgrade.checked.as_ref().map(|checked| terms.condition(checked)),
                by: downgrade.by.clone(),
                because: downgrade.because.clone(),
            })
        })
        .collect();
    let claims = policy
        .claims
        .iter()
        .map(|claim| ir::Claim {
            level: terms.bound(&claim.level),
            target: claim.target.clone(),
            unless: claim.unless.as_ref().map(|unless| terms.condition(unless)),
            via: claim.via.iter().filter_map(|e| exception(&downgrades, e)).collect(),
        })
        .collect();
    let (labels, conditions) = terms.into_tables();
    Policy {
        name: policy.name,
        edition: policy.edition,
        version: policy.version,
        lattices,
        open: policy.open,
        labels,
        types: policy.types.into_entries(),
        conditions,
        facts: policy.facts,
        messages,
        stores,
        cells,
        tools,
        downgrades,
        claims,
    }
}

fn exception(downgrades: &[ir::Downgrade], exception: &hir::Exception) -> Option<ir::Exception> {
    match exception {
        hir::Exception::Approval(tool) => Some(ir::Exception::Approval(*tool)),
        hir::Exception::Downgrade(name) => {
            let index = downgrades.iter().position(|downgrade| downgrade.name == *name)?;
            Some(ir::Exception::Downgrade(ir::DowngradeId(u32::try_from(index).ok()?)))
        }
    }
}

fn store_of(terms: &mut term::Terms<'_>, store: &hir::Store) -> ir::Store {
    let outsiders = store.outsiders.as_ref().map(|(read, write)| ir::Outsiders {
        read: read.as_ref().map(|label| terms.bound(label)),
        write: write.as_ref().map(|label| terms.data(label)),
    });
    ir::Store { name: store.name.clone(), record: store.record, outsiders }
}

fn tool_of(
    terms: &mut term::Terms<'_>,
    policy: &hir::Policy,
    cells: &[ir::Cell],
    tool: &hir::Tool,
) -> ir::Tool {
    let nodes = node::nodes(terms, policy, tool);
    let errors = match &tool.errors {
        Some(errors) => terms.rule(Some(errors)),
        None => {
            let label = terms.join_of(&nodes, cells);
            ir::LabelRule { alternatives: Vec::new(), otherwise: label }
        }
    };
    let rules = tool
        .rules
        .iter()
        .map(|rule| ir::Rule {
            effect: rule.effect,
            when: rule.when.as_ref().map(|when| terms.condition(when)),
        })
        .collect();
    ir::Tool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        schema: tool.schema.clone(),
        arguments: tool.arguments.clone(),
        format: tool.format,
        form: tool.form.clone(),
        nodes,
        errors,
        writes: tool.writes.iter().map(|write| write_of(policy, write)).collect(),
        endorsements: tool.endorsements.clone(),
        rules,
    }
}

/// What a field holds is of the field's type, so that a list of a set is a set.
fn write_of(policy: &hir::Policy, write: &hir::Write) -> ir::Write {
    let ty = policy.cells.get(write.cell.index()).and_then(|cell| cell.ty);
    let value = write.value.as_ref().map(|value| match (&value.read, ty) {
        (ir::Operand::Literal(value), Some(ty)) => {
            ir::Operand::Literal(with_sets(policy.types.entries(), ty, value.clone()))
        }
        (read, _) => read.clone(),
    });
    ir::Write { cell: write.cell, from: write.from.clone(), value, how: write.how }
}
