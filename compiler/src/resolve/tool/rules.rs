//! Decision rules are read from the top, so their order is checked: `always` stands alone,
//! `otherwise` comes last and after a `when`, and every tool has rules.

use rtbas_artifact::ir::Effect;

use super::{Context, RuleWhen, ToolBlock, ToolLine};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// Checks the rules of a block; `tool` is the name of one of its tools.
pub(super) fn check(cx: &mut Context<'_>, block: &ToolBlock, tool: &str) {
    let rules: Vec<(Effect, &RuleWhen, Span)> = block
        .lines
        .iter()
        .filter_map(|line| match line {
            ToolLine::Rule(effect, when, span) => Some((*effect, when, *span)),
            _ => None,
        })
        .collect();
    for mistake in mistakes(block, tool, &rules) {
        cx.push(mistake);
    }
}

/// Warns of a block that lets run unasked whatever tools a list gains.
pub(super) fn warn_of_later_tools(cx: &mut Context<'_>, block: &ToolBlock) {
    if !block.patterns.iter().any(|pattern| pattern.open && pattern.name.text.is_empty()) {
        return;
    }
    for line in &block.lines {
        if let ToolLine::Rule(Effect::Allow, RuleWhen::Always, at) = line {
            let message = "a tool that the list gains later would run unasked";
            let help = "write `confirm always` or `deny always`, or name the tools";
            cx.push(Diagnostic::new(Code::W0204, *at, message).help(help));
        }
    }
}

fn mistakes(block: &ToolBlock, tool: &str, rules: &[(Effect, &RuleWhen, Span)]) -> Vec<Diagnostic> {
    let error = |at, message: &str| Diagnostic::new(Code::E0211, at, message);
    let Some((last, before)) = rules.split_last() else {
        let message = format!("the tool `{tool}` has no decision rule");
        return vec![error(block.span, &message).help("write `deny always`, or when it may run")];
    };
    let mut found = Vec::new();
    for ((_, when, at), (_, _, next)) in before.iter().zip(rules.iter().skip(1)) {
        let (word, label) = match when {
            RuleWhen::When(_) => continue,
            RuleWhen::Always => ("always", "this rule fires always"),
            RuleWhen::Otherwise => ("otherwise", "this rule is the last word"),
        };
        let message = format!("a rule follows `{word}`, and can never fire");
        found.push(error(*next, &message).label(*at, label));
    }
    match last {
        (_, RuleWhen::When(_), at) => {
            let message = "the last rule has a condition: nothing decides where it does not hold";
            found.push(error(*at, message).help("add `confirm otherwise` or `deny otherwise`"));
        }
        (Effect::Allow, RuleWhen::Otherwise, at) => {
            let message = "`allow otherwise` allows whatever the rules before do not name";
            let help = "write `confirm otherwise`, or `allow always` and no other rule";
            found.push(error(*at, message).help(help));
        }
        (effect, RuleWhen::Otherwise, at) if before.is_empty() => {
            let effect = word(*effect);
            let message = "`otherwise` follows no rule";
            found.push(error(*at, message).help(format!("write `{effect} always`")));
        }
        (effect, RuleWhen::Always, at) if found.is_empty() && !before.is_empty() => {
            let message = "`always` stands alone; a rule that closes others says `otherwise`";
            let effect = if *effect == Effect::Deny { "deny" } else { "confirm" };
            found.push(error(*at, message).help(format!("write `{effect} otherwise`")));
        }
        (_, RuleWhen::Otherwise | RuleWhen::Always, _) => {}
    }
    found
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Confirm => "confirm",
        Effect::Deny => "deny",
    }
}
