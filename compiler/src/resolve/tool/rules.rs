//! Decision rules are read from the top, so their order is checked: `always` stands alone,
//! `otherwise` comes last and after a `when`, and every tool has rules.

use rtbas_artifact::ir::Effect;

use super::{Context, RuleWhen, Tool, ToolBlock, ToolLine};
use crate::diag::{Code, Diagnostic};
use crate::resolve::hir::Condition;
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

/// Warns of rules that let calls run unasked whatever the model has read, though they look as if they
/// did not: a condition on arguments alone is one that a stranger's text can talk the model into.
pub(in crate::resolve) fn warn_of_unbounded(cx: &mut Context<'_>, tools: &[Tool], user: &str) {
    let any = cx.levels.strictest(true);
    let rules = tools.iter().flat_map(|tool| &tool.rules);
    for rule in rules.filter(|rule| rule.effect == Effect::Allow) {
        if rule.when.as_ref().is_none_or(Condition::reads_context) {
            continue;
        }
        let message = "this rule allows calls whatever the model has read";
        let note = "who wrote what it has read can talk it into a call for which the rule fires";
        let help = format!(
            "begin with a bound: `context <= {user} and …`; if it may be anybody, say so: \
             `context <= {any} and …`"
        );
        cx.push(Diagnostic::new(Code::W0210, rule.span, message).note(note).help(help));
    }
}

fn mistakes(block: &ToolBlock, tool: &str, rules: &[(Effect, &RuleWhen, Span)]) -> Vec<Diagnostic> {
    let error = |at, message: &str| Diagnostic::new(Code::E0211, at, message);
    let Some((last, before)) = rules.split_last() else {
        let message = format!("the tool `{tool}` has no decision rule");
        let brace = Span { start: block.whole.end.saturating_sub(1), ..block.whole };
        let brace = Span { end: brace.start, ..brace };
        let mistake = error(block.span, &message).help("write `deny always`, or when it may run");
        return vec![mistake.fix(brace, " deny always ")];
    };
    let mut found = Vec::new();
    for ((effect, when, at), (_, _, next)) in before.iter().zip(rules.iter().skip(1)) {
        let (word, label) = match when {
            RuleWhen::When(_) => continue,
            RuleWhen::Always => ("always", "this rule fires always"),
            RuleWhen::Otherwise => ("otherwise", "this rule is the last word"),
        };
        let message = format!("a rule follows `{word}`, and can never fire");
        let mistake = error(*next, &message).label(*at, label);
        let is_closed = !matches!(last.1, RuleWhen::When(_));
        found.push(if is_closed {
            mistake
                .help(format!("delete the rule with `{word}`, which another closes"))
                .fix(*at, "")
        } else {
            let last_word = format!("{} otherwise", closing(*effect));
            let help = format!("delete the rule with `{word}`, and write it last: `{last_word}`");
            let end = Span { start: last.2.end, ..last.2 };
            mistake.help(help).fix(*at, "").fix(end, format!("\n  {last_word}"))
        });
    }
    match last {
        (_, RuleWhen::When(_), at) => {
            let message = "the last rule has a condition: nothing decides where it does not hold";
            let end = Span { start: at.end, ..*at };
            let help = "add `confirm otherwise` or `deny otherwise`";
            found.push(error(*at, message).help(help).fix(end, "\n  confirm otherwise"));
        }
        (Effect::Allow, RuleWhen::Otherwise, at) => {
            let message = "`allow otherwise` allows whatever the rules before do not name";
            let help = "write `confirm otherwise`, or `allow always` and no other rule";
            found.push(error(*at, message).help(help).fix(*at, "confirm otherwise"));
        }
        (effect, RuleWhen::Otherwise, at) if before.is_empty() => {
            let effect = word(*effect);
            let message = "`otherwise` follows no rule";
            let right = format!("{effect} always");
            found.push(error(*at, message).help(format!("write `{right}`")).fix(*at, right));
        }
        (effect, RuleWhen::Always, at) if found.is_empty() && !before.is_empty() => {
            let message = "`always` stands alone; a rule that closes others says `otherwise`";
            let right = format!("{} otherwise", closing(*effect));
            found.push(error(*at, message).help(format!("write `{right}`")).fix(*at, right));
        }
        (_, RuleWhen::Otherwise | RuleWhen::Always, _) => {}
    }
    found
}

/// The word of a rule that closes others: nothing is allowed that no rule names.
fn closing(effect: Effect) -> &'static str {
    if effect == Effect::Deny { "deny" } else { "confirm" }
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Confirm => "confirm",
        Effect::Deny => "deny",
    }
}
