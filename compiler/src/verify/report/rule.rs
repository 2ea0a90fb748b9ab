//! Rules that do nothing, and tools that never run unasked.

use rtbas_artifact::ir::{Condition, ConditionId, Effect, LabelId, RuleId, Tool, ToolId};
use rtbas_artifact::program::Program;

use super::labelled;
use crate::diag::{Code, Diagnostic};
use crate::lower::Spans;
use crate::verify::live::{Idle, Why};

/// A rule that never decides, or always.
pub(in crate::verify) fn idle(
    program: &Program,
    id: ToolId,
    idle: &Idle,
    spans: &Spans,
) -> Diagnostic {
    let at = spans.rule(id, idle.rule);
    let tool = program.tool(id);
    let rule = tool.and_then(|tool| tool.rules.get(idle.rule.index()));
    let condition = rule
        .and_then(|rule| rule.when)
        .map_or_else(String::new, |when| program.show_condition(tool, when).to_string());
    let say = |message| Diagnostic::new(Code::E0508, at, message);
    match &idle.why {
        Why::Never => say("this rule never fires".to_owned())
            .note(format!("no label, no arguments and no facts make `{condition}` hold"))
            .help("delete the rule, or the part of it that contradicts the rest"),
        Why::Always => say("this rule fires whatever the call is".to_owned())
            .note(format!("`{condition}` holds of every label, all arguments and all facts"))
            .help(match rule.map(|rule| rule.effect) {
                Some(Effect::Allow) => "write `allow always`, if that is meant",
                _ => "write `otherwise`, if that is meant, and delete the rules below",
            }),
        Why::Shadowed(by) => {
            let name = tool.map_or("?", |tool| tool.name.as_str());
            let report = say(format!("this rule of `{name}` never decides"));
            let before = if by.len() == 1 { "this rule fires" } else { "one of these fires" };
            let report = by.iter().fold(report, |report, earlier: &RuleId| {
                labelled(report, spans.rule(id, *earlier), format!("{before} before it"))
            });
            report.help("put the narrower rule first, or delete this one")
        }
    }
}

/// A tool of which no call runs unasked.
pub(in crate::verify) fn unusable(program: &Program, id: ToolId, spans: &Spans) -> Diagnostic {
    let tool = program.tool(id);
    let name = tool.map_or("?", |tool| tool.name.as_str());
    let message = format!("no call of `{name}` can run unasked");
    let mut report = Diagnostic::new(Code::E0510, spans.tool(id), message);
    let messages = &program.policy().messages;
    let parts = [("system", messages.system), ("user", messages.user)];
    let shown = |label: LabelId| program.show_label(tool, label).to_string();
    let mut blocked = false;
    for (rule, bound) in tool.into_iter().flat_map(|tool| allowed(program, tool)) {
        for (who, label) in parts {
            let policy = program.policy();
            let terms = [label, bound].map(|label| policy.labels.get(label.index()));
            let [Some(low), Some(high)] = terms else { continue };
            if policy.surely_flows(low, high) {
                continue;
            }
            blocked = true;
            let text = format!(
                "every context holds `message {who}`, at {}, which does not flow to {}",
                shown(label),
                shown(bound)
            );
            report = labelled(report, spans.rule(id, rule), text);
        }
    }
    if !blocked {
        report = report.note("no call and no facts with something in every text and list make an `allow` rule the first");
    }
    report.help(format!(
        "raise the bound, or say `confirm always`: a user who is always asked learns to say yes to \
         `{name}`"
    ))
}

/// The `allow` rules of a tool, each with every bound that it names.
fn allowed(program: &Program, tool: &Tool) -> Vec<(RuleId, LabelId)> {
    let mut found = Vec::new();
    for (rule, id) in tool.rules.iter().zip(0..) {
        if rule.effect == Effect::Allow {
            let mut bounds = Vec::new();
            rule.when.into_iter().for_each(|when| add_bounds(program, when, &mut bounds));
            found.extend(bounds.into_iter().map(|bound| (RuleId(id), bound)));
        }
    }
    found
}

fn add_bounds(program: &Program, when: ConditionId, bounds: &mut Vec<LabelId>) {
    match program.policy().conditions.get(when.index()) {
        Some(Condition::Context(bound)) => bounds.push(*bound),
        Some(Condition::All(parts) | Condition::Any(parts)) => {
            parts.iter().for_each(|part| add_bounds(program, *part, bounds));
        }
        _ => {}
    }
}
