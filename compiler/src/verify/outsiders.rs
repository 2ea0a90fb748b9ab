//! O2 where outsiders read: each cell of a store that they read flows to what they may read of it.

use rtbas_artifact::certificate::Method;
use rtbas_artifact::eval::{Facts, Scope, Side};
use rtbas_artifact::ir::{Cell, CellId, LabelId, StoreId};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::encode::place::Place;
use super::encode::{Encoder, Outside};
use super::outcome::{All, Outcome};
use super::query::{Found, find};
use super::robust::choices;
use super::term::Formula;

/// Checks the cells of one store, if outsiders read it. A witness is a cell and a label that it may
/// have.
pub(super) fn check(program: &Program, store: StoreId) -> Vec<Outcome<(CellId, Label)>> {
    let policy = program.policy();
    let outsiders = policy.stores.get(store.index()).and_then(|store| store.outsiders.as_ref());
    let Some(bound) = outsiders.and_then(|outsiders| outsiders.read) else {
        return Vec::new();
    };
    let cells = (0..).map(CellId).zip(&policy.cells).filter(|(_, cell)| cell.store == store);
    let mut all = All::default();
    let mut seen = Vec::new();
    for (id, cell) in cells {
        // Cells that are labelled alike are read alike.
        if seen.contains(&&cell.label) {
            continue;
        }
        seen.push(&cell.label);
        all.add(
            search(program, id, cell, bound)
                .unwrap_or_else(|Outside(reason)| Outcome::Unknown { reason }),
        );
    }
    all.outcomes(Method::Ground)
}

fn search(
    program: &Program,
    id: CellId,
    cell: &Cell,
    bound: LabelId,
) -> Result<Outcome<(CellId, Label)>, Outside> {
    let policy = program.policy();
    let term = |label: LabelId| policy.labels.get(label.index());
    let flows =
        |label| term(label).zip(term(bound)).is_some_and(|(l, b)| policy.surely_flows(l, b));
    if choices(&cell.label).all(flows) {
        return Ok(Outcome::Proved { method: Method::Ground, resource: 0 });
    }
    let mut encoder = Encoder::new(program);
    let record = encoder.record(cell.store);
    let place = Place::default().with(&record);
    let mut escapes = Vec::new();
    for (label, chosen) in encoder.choices(&cell.label, &place)? {
        let flows = encoder.label_flows((label, &place), (bound, &place), Side::Bound)?;
        escapes.push(Formula::and([chosen, !flows]));
    }
    let solution = match find(&mut encoder, policy, Formula::or(escapes)) {
        Found::Nothing { resource } => {
            return Ok(Outcome::Proved { method: Method::Search, resource });
        }
        Found::Unknown { reason } => return Ok(Outcome::Unknown { reason }),
        Found::Something(solution) => solution,
    };
    solution.show(program, &encoder, |values, _, _| {
        let record = values.record(&record);
        let shown = program.facts(values.facts()).ok().map(|facts| {
            let label = label_of(program, cell, &facts, &record);
            let flows = label.flows_to(&program.message_label(bound, Side::Bound, &facts));
            (label, !flows)
        });
        let (label, agrees) = shown.ok_or_else(|| Outside("facts of other types".to_owned()))?;
        Ok(Outcome::replayed((id, label), agrees, &encoder))
    })
}

fn label_of(program: &Program, cell: &Cell, facts: &Facts, record: &Value) -> Label {
    let record = Some((cell.store, record as &dyn rtbas_artifact::eval::Fields));
    program.rule_label(&cell.label, &Scope { facts, call: None, context: None, record })
}
