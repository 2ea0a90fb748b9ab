//! What outsiders would read.

use rtbas_artifact::ir::{CellId, CellPart};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

use crate::diag::{Code, Diagnostic};
use crate::lower::Spans;

/// Outsiders read a cell that may be stricter than what they may read.
pub(in crate::verify) fn read_outside(
    program: &Program,
    cell: CellId,
    label: &Label,
    spans: &Spans,
) -> Diagnostic {
    let at = spans.cell(cell);
    let name = cell_name(program, cell);
    let store = name.split('.').next().unwrap_or_default().to_owned();
    Diagnostic::new(Code::E0507, at, format!("outsiders would read `{name}`, and may not"))
        .note(format!(
            "`{name}` may be {}, which does not flow to what `outsiders read` of `{store}`",
            program.show(label)
        ))
        .help(
            "let `outsiders read` name a label to which the whole store flows, or drop it where \
             only those read whom the labels name",
        )
}

fn cell_name(program: &Program, id: CellId) -> String {
    let policy = program.policy();
    let Some(cell) = policy.cells.get(id.index()) else { return "?".to_owned() };
    let store = policy.stores.get(cell.store.index()).map_or("?", |store| store.name.as_str());
    match &cell.part {
        CellPart::Field(field) => format!("{store}.{field}"),
        CellPart::Shape => format!("{store}.shape"),
        CellPart::Content => store.to_owned(),
    }
}
