//! Claims that do not hold, with the session that breaks them.

use rtbas_artifact::ir::{Claim, Effect, ToolId};
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::written;
use crate::diag::{Code, Diagnostic};
use crate::lower::Spans;
use crate::source::Span;
use crate::verify::claim::{Answer, Breach, Returned, Steered, Taint};

/// A session that breaks a claim.
pub(in crate::verify) fn broken(
    program: &Program,
    claim: &Claim,
    breach: &Breach,
    at: Option<Span>,
) -> Diagnostic {
    let claimed = program.show_claim(claim).to_string();
    let mut report = Diagnostic::new(Code::E0511, at, format!("`{claimed}` does not hold"));
    let mut before = Vec::new();
    earlier(breach, &mut before);
    let mut told: Vec<Vec<String>> = Vec::new();
    for taint in before {
        let session = steps(program, taint.session());
        // What lies above a level in two ways may have come in one.
        if told.contains(&session) {
            continue;
        }
        let when = if told.is_empty() { "in a session before" } else { "in one after that" };
        report = session.iter().fold(report, |report, step| report.note(format!("{when}, {step}")));
        report = report.note("what that call writes is kept, and read back in other sessions");
        told.push(session);
    }
    for (fact, value) in &breach.facts {
        report = report.note(format!("with fact {fact} = {value}"));
    }
    let later = if told.is_empty() { "" } else { "later, " };
    for step in steps(program, breach) {
        report = report.note(format!("{later}{step}"));
    }
    match breach.plays {
        true => report.help(format!(
            "here it is as a test, which fails until the policy is mended:\n{}",
            test(program, &claimed, breach)
        )),
        false => report
            .help("bound the rule more tightly, or say what the claim admits: `unless …`, `via …`"),
    }
}

/// A call that outsiders steer.
pub(in crate::verify) fn steered(
    program: &Program,
    tool: ToolId,
    found: &Steered,
    spans: &Spans,
) -> Diagnostic {
    let name = name(program, tool);
    let message = format!("outsiders may choose among the calls of `{name}` that run unasked");
    let mut report = Diagnostic::new(Code::N0501, spans.tool(tool), message);
    for (fact, value) in &found.session.facts {
        report = report.note(format!("with fact {fact} = {value}"));
    }
    report = steps(program, &found.session).into_iter().fold(report, Diagnostic::note);
    let instead = match found.effect {
        Effect::Confirm => "the user would be asked about",
        Effect::Deny | Effect::Allow => "nobody may call",
    };
    report.note(format!("in the same place {instead} `{}`", written(name, &found.other))).help(
        format!(
            "where that must not be, let the context flow to less, and claim it: `never … -> {name}`"
        ),
    )
}

/// A claim that would hold under any rules.
pub(in crate::verify) fn vacuous(claimed: &str, at: Option<Span>) -> Diagnostic {
    Diagnostic::new(Code::W0501, at, format!("`{claimed}` holds whatever the rules say"))
        .note("nothing that a tool returns is at its level, or above it")
        .help("label more strictly what others may write, or drop the claim")
}

fn name(program: &Program, tool: ToolId) -> &str {
    program.tool(tool).map_or("?", |tool| tool.name.as_str())
}

/// The sessions before, each once and after those that it builds on.
fn earlier<'b>(breach: &'b Breach, found: &mut Vec<&'b Taint>) {
    for taint in &breach.before {
        if !found.iter().any(|known| known.is(taint)) {
            earlier(taint.session(), found);
            found.push(taint);
        }
    }
}

/// What happens in a session.
pub(in crate::verify) fn steps(program: &Program, breach: &Breach) -> Vec<String> {
    let mut steps: Vec<String> = breach.calls.iter().map(|one| returned(program, one)).collect();
    let context = program.show(&breach.context);
    steps.push(match &breach.last {
        None => format!("context {context}: the reply is shown unasked"),
        Some((tool, call)) => {
            let call = written(name(program, *tool), call);
            let runs = match breach.approved {
                true => "runs once the user has approved it",
                false => "runs unasked",
            };
            format!("context {context}: `{call}` {runs}")
        }
    });
    steps
}

fn returned(program: &Program, one: &Returned) -> String {
    let call = written(name(program, one.tool), &one.call);
    let label = program.show(&one.label);
    let downgrades = &program.policy().downgrades;
    let by = one
        .lowered
        .and_then(|id| downgrades.get(id))
        .map(|downgrade| format!(", lowered by `{}`", downgrade.name));
    format!("`{call}` returns `{}`, which is {label}{}", one.path, by.unwrap_or_default())
}

/// The session as a test that expects the claim to hold.
fn test(program: &Program, claimed: &str, breach: &Breach) -> String {
    let mut lines = vec![format!("test {} {{", Value::Text(claimed.to_owned()))];
    for (name, value) in &breach.facts {
        lines.push(format!("  fact {name} = {value}"));
    }
    lines.push("  user \"…\"".to_owned());
    for one in &breach.calls {
        let call = written(name(program, one.tool), &one.call);
        let result = match &one.result {
            Answer::Value(value) => format!("returns {value}"),
            Answer::Failure => "fails \"…\"".to_owned(),
        };
        lines.push(format!("  call {call} {result} => allow"));
    }
    lines.push(match &breach.last {
        None => "  reply \"…\" => confirm".to_owned(),
        Some((tool, call)) => format!("  call {} => confirm", written(name(program, *tool), call)),
    });
    lines.push("}".to_owned());
    lines.join("\n")
}
