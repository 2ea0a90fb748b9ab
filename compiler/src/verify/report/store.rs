//! What calls would launder through stores, and what outsiders would read.

use rtbas_artifact::ir::{CellId, CellPart, Effect, ToolId};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::{facts, labelled, written};
use crate::diag::{Code, Diagnostic};
use crate::lower::Spans;
use crate::verify::launder::{How, Spill};

/// A call that runs, and a cell whose label does not hold afterwards.
pub(in crate::verify) fn spilled(
    program: &Program,
    id: ToolId,
    spill: &Spill,
    spans: &Spans,
) -> Diagnostic {
    let name = program.tool(id).map_or("?", |tool| tool.name.as_str());
    let cell = cell_name(program, spill.cell);
    let call = written(name, &spill.call);
    let runs = match spill.effect {
        Effect::Allow => "runs unasked",
        Effect::Confirm | Effect::Deny => "runs once the user has approved it",
    };
    let context = program.show(&spill.context);
    let (code, message) = match &spill.how {
        How::Written(_) => (
            Code::E0505,
            format!("what `{name}` writes to `{cell}` may be stricter than the label of `{cell}`"),
        ),
        How::Relabelled(field, ..) => (
            Code::E0506,
            format!(
                "by writing `{}`, `{name}` would lower the label of `{cell}`",
                cell_name(program, *field)
            ),
        ),
    };
    let mut report = Diagnostic::new(code, spans.tool(id), message);
    report = labelled(report, spans.cell(spill.cell), format!("the label of `{cell}`"));
    report = facts(report, &spill.call).note(format!("context {context}: `{call}` {runs}"));
    match &spill.how {
        How::Written(label) => {
            if let Value::Record(fields) = &spill.record
                && !fields.is_empty()
            {
                report = report.note(format!("the record is {}", spill.record));
            }
            let label = program.show(label);
            report = report.note(format!("`{cell}` is then {label}, to which that does not flow"));
            report = match reader(program, spill.cell) {
                Some((reader, path)) => report.note(format!(
                    "`{reader}` would read it back as `{path}`, as if it were no stricter"
                )),
                None => report,
            };
        }
        How::Relabelled(_, [was, is], then) => {
            let (was, is) = (program.show(was), program.show(is));
            let record = &spill.record;
            report = report.note(format!("the record is {record} before, and then {then}"));
            report = report.note(format!("what stands there at {was} would then be {is}"));
        }
    }
    report.help(help(program, spill, &cell))
}

fn help(program: &Program, spill: &Spill, cell: &str) -> String {
    let field = match &spill.how {
        How::Written(_) => cell.to_owned(),
        How::Relabelled(field, ..) => cell_name(program, *field),
    };
    match (spill.effect, &spill.how) {
        (Effect::Allow, How::Written(_)) => format!(
            "let the rule ask for a context that flows to the label of `{field}`, raise that label, \
             or say `endorses {field} because \"…\"`"
        ),
        (Effect::Allow, How::Relabelled(..)) => format!(
            "let such a call be approved, or say `endorses {field} because \"…\"`; where a call only \
             makes new records, say `adds`, not `writes`"
        ),
        (_, How::Written(_)) => format!(
            "say what approving it endorses, `approval endorses {field} because \"…\"`, or raise the \
             label of `{field}`"
        ),
        (_, How::Relabelled(..)) => format!(
            "say what approving it endorses, `approval endorses {field} because \"…\"`; where a call \
             only makes new records, say `adds`, not `writes`"
        ),
    }
}

/// A region in which somebody reads a cell back.
fn reader(program: &Program, cell: CellId) -> Option<(&str, String)> {
    program.policy().tools.iter().find_map(|tool| {
        let node = (0..).zip(&tool.nodes).find(|(_, node)| node.shows.contains(&cell))?.0;
        Some((tool.name.as_str(), tool.path_of(rtbas_artifact::ir::NodeId(node))?))
    })
}

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
