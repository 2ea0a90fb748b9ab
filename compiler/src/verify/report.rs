//! Refutations as diagnostics: the place in the source, the counterexample in the policy's words,
//! and a way out.

pub(super) mod claim;
pub(super) mod rule;
pub(super) mod store;

use rtbas_artifact::certificate::Property;
use rtbas_artifact::ir::{CellPart, Effect, RuleId, ToolId};
use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::program::Program;

use super::antitone::Witness;
use super::completion::{Missing, missing_levels};
use super::lattice::Flaw;
use super::robust::{Chosen, Decider, Place};
use super::witness::Call;
use crate::diag::{Code, Diagnostic};
use crate::lower::Spans;
use crate::source::Span;

/// A lattice that is none.
pub(super) fn flaw(lattice: &Lattice, index: usize, flaw: Flaw, spans: &Spans) -> Diagnostic {
    let name = |level| lattice.level_name(level);
    let at = |level| spans.level(index, level);
    let here = spans.lattice(index);
    match flaw {
        Flaw::NoJoin(a, b) => {
            let uppers = lattice.minimal_upper_bounds(a, b);
            let what = if uppers.is_empty() { "upper bound" } else { "least upper bound" };
            let mut report = Diagnostic::new(
                Code::E0501,
                here,
                format!(
                    "`{}` and `{}` have no {what} in lattice `{}`",
                    name(a),
                    name(b),
                    lattice.name
                ),
            );
            for level in [a, b] {
                report = labelled(report, at(level), format!("`{}`", name(level)));
            }
            for level in &uppers {
                let text = format!("`{}` is a minimal upper bound of both", name(*level));
                report = labelled(report, at(*level), text);
            }
            report
                .note("data that mixes both levels must have one label: the least above both")
                .help(completion_help(lattice))
        }
        Flaw::NoBottom(a, b) => {
            let mut report = Diagnostic::new(
                Code::E0502,
                here,
                format!("no level of lattice `{}` flows to all others", lattice.name),
            );
            for level in [a, b] {
                let text = format!("nothing flows to `{}`", name(level));
                report = labelled(report, at(level), text);
            }
            report
                .note("words of the system need a label that may flow anywhere")
                .help(completion_help(lattice))
        }
        Flaw::Tables(a, b) => fault(
            here,
            format!(
                "the tables of lattice `{}` contradict each other on `{}` and `{}`",
                lattice.name,
                name(a),
                name(b)
            ),
        ),
    }
}

fn labelled(report: Diagnostic, at: Option<Span>, text: impl Into<String>) -> Diagnostic {
    match at {
        Some(at) => report.label(at, text),
        None => report,
    }
}

/// The edges to add so that the order becomes a lattice.
fn completion_help(lattice: &Lattice) -> String {
    let Some(missing) = missing_levels(lattice) else {
        return format!(
            "`{}` lacks more levels than can be listed here; give pairs of levels a common level \
             above them, one pair at a time",
            lattice.name
        );
    };
    let mut edges: Vec<String> = Vec::new();
    for Missing { name, below, above } in &missing {
        let into = below.iter().map(|level| format!("{level} -> {name}"));
        let out = above.iter().map(|level| format!("{name} -> {level}"));
        for edge in into.chain(out) {
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
    }
    let levels = if missing.len() == 1 { "this level" } else { "these levels" };
    format!("add {levels} to `{}`: {}", lattice.name, edges.join("   "))
}

/// A label that the author of a field may choose.
pub(super) fn chosen(program: &Program, chosen: &Chosen, spans: &Spans) -> Diagnostic {
    let policy = program.policy();
    let (of, at) = match &chosen.place {
        Place::Cell(id) => {
            let cell = policy.cells.get(id.index());
            let store = cell.and_then(|cell| policy.stores.get(cell.store.index()));
            let part = cell.map_or("?", |cell| match &cell.part {
                CellPart::Field(field) => field,
                CellPart::Shape => "shape",
                CellPart::Content => "*",
            });
            (format!("{}.{part}", store.map_or("?", |store| &store.name)), spans.cell(*id))
        }
        Place::Region(id, path) => {
            let tool = program.tool(*id).map_or("?", |tool| &tool.name);
            (format!("{path}` of `{tool}"), spans.tool(*id))
        }
        Place::Downgrade(index, decider) => {
            return chosen_downgrade(program, chosen, *index, *decider, spans);
        }
    };
    // No argument's name stands in a label that a record's author could choose.
    let field = &chosen.field;
    let choice = program.show_label(None, chosen.choice);
    let label = match chosen.label {
        Some(label) => program.show_label(None, label).to_string(),
        None => "at the top".to_owned(),
    };
    Diagnostic::new(
        Code::E0504,
        at,
        format!("whoever writes `{field}` would choose the label of `{of}`"),
    )
    .note(format!(
        "`{field}` may be {label}, which does not flow to {choice}, a label that it chooses"
    ))
    .help(format!("let the label read only what flows to {choice}, or give `{of}` one label"))
}

/// A downgrade that the author of a field may bring about.
fn chosen_downgrade(
    program: &Program,
    chosen: &Chosen,
    index: usize,
    decider: Decider,
    spans: &Spans,
) -> Diagnostic {
    let name = program.policy().downgrades.get(index).map_or("?", |downgrade| &downgrade.name);
    let field = &chosen.field;
    let choice = program.show_label(None, chosen.choice);
    let message = format!("whoever writes `{field}` would choose whether `{name}` lowers a label");
    let diagnostic = Diagnostic::new(Code::E0504, spans.downgrades.get(index).copied(), message);
    let help = match decider {
        Decider::Guard => format!(
            "let `when` read only what flows to {choice}; what is asked of the value itself stands \
             behind `checked`"
        ),
        Decider::Label => format!(
            "let the label that is lowered read only what flows to {choice}, lower it less far, or \
             lower it wherever it is"
        ),
    };
    match chosen.label {
        Some(label) => {
            let label = program.show_label(None, label);
            diagnostic.note(format!("`{field}` may be {label}, which does not flow to {choice}"))
        }
        None => diagnostic.note(format!("`{field}` may be at the top")),
    }
    .help(help)
}

/// A tool whose decisions grow weaker with taint.
pub(super) fn not_antitone(
    program: &Program,
    id: ToolId,
    witness: &Witness,
    spans: &Spans,
) -> Diagnostic {
    let name = program.tool(id).map_or("?", |tool| &tool.name);
    let (low, high) = (&witness.low, &witness.high);
    let rule = |rule: Option<RuleId>| spans.rule(id, rule?);
    let mut report = Diagnostic::new(
        Code::E0503,
        rule(high.1.rule).or_else(|| spans.tool(id)),
        format!("more taint would let `{name}` through"),
    );
    if low.1.rule != high.1.rule {
        let text = format!("{} the same call from a freer context", decides(low.1.effect));
        report = labelled(report, rule(low.1.rule), text);
    }
    let call = written(name, &witness.call);
    facts(report, &witness.call)
        .note(format!("context {}: `{call}` is {}", program.show(&low.0), decided(low.1.effect)))
        .note(format!("context {}: `{call}` is {}", program.show(&high.0), decided(high.1.effect)))
        .help(
            "whoever can raise the label would choose the weaker decision; let bounds stand in \
             `allow` rules only, freer ones after stricter ones",
        )
}

/// A call in the policy's words.
pub(super) fn written(tool: &str, call: &Call) -> String {
    let arguments = call.arguments.iter().map(|(name, value)| format!("{name}: {value}"));
    let arguments: Vec<String> = arguments.collect();
    format!("{tool}({})", arguments.join(", "))
}

/// The facts of the session in which a call is made.
fn facts(report: Diagnostic, call: &Call) -> Diagnostic {
    call.facts
        .iter()
        .fold(report, |report, (fact, value)| report.note(format!("with fact {fact} = {value}")))
}

/// Something that no policy should be able to bring about.
pub(super) fn fault(at: Option<Span>, message: String) -> Diagnostic {
    Diagnostic::new(Code::E0509, at, message)
        .help("this is a fault of the compiler; please report it with the policy")
}

/// The evaluator does not see what the solver sees.
pub(super) fn disagreement(subject: &str, witness: &impl std::fmt::Debug) -> Diagnostic {
    fault(None, format!("solver and evaluator disagree about `{subject}`"))
        .note(format!("{witness:?}"))
}

/// The solver could not tell.
pub(super) fn unknown(
    property: Property,
    subject: &str,
    reason: &str,
    at: Option<Span>,
) -> Diagnostic {
    Diagnostic::new(
        Code::E0601,
        at,
        format!("`{subject}`: whether it has {property} could not be decided"),
    )
    .note(format!("reason: {reason}"))
    .help("simplify the rules or the order; what is not proved is not emitted")
}

fn decides(effect: Effect) -> &'static str {
    match effect {
        Effect::Deny => "denies",
        Effect::Confirm => "asks the user about",
        Effect::Allow => "allows",
    }
}

fn decided(effect: Effect) -> &'static str {
    match effect {
        Effect::Deny => "denied",
        Effect::Confirm => "put to the user",
        Effect::Allow => "allowed",
    }
}
