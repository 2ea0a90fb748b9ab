//! Decision rules.

use super::{Advice, Stop, first_name, group, inside, last_name, range};

const EFFECTS: [&str; 3] = ["allow", "confirm", "deny"];

/// What follows `allow`, `confirm` or `deny`.
pub(super) fn decision(at: &Stop<'_>) -> Option<Advice> {
    if at.found == "{" && at.expects("a condition") {
        let braces = group(at.rest())?;
        let right = format!("({})", inside(braces));
        let help = format!("conditions stand in parentheses: write `{right}`");
        return Some(Advice::say(help).edit(range(at.text, braces), right));
    }
    if !at.expects("`otherwise`") || !at.expects("`when`") {
        return None;
    }
    let effect = last_name(at.before());
    match at.found {
        "if" => Some(at.replace("when", "write `when`")),
        "unless" => {
            let rest = at.after();
            let condition = rest.trim_start();
            let condition = group(condition).map_or_else(
                || condition.split([';', '\n', '}']).next().unwrap_or_default(),
                inside,
            );
            let end = match group(rest.trim_start()) {
                Some(braces) => range(at.text, braces).end,
                None => range(at.text, condition.trim_end()).end,
            };
            let right = format!("when not ({})", condition.trim());
            Some(Advice::say(format!("write `{right}`")).edit(at.offset..end, right))
        }
        "=" | ":" | ":=" => {
            let value = first_name(at.after());
            let end = range(at.text, value).end;
            let start = range(at.text, effect).start;
            let right = match (effect, value) {
                (effect, "true") => format!("{effect} always"),
                // What is not to be allowed is denied.
                ("allow", "false") => "deny always".to_owned(),
                _ => return None,
            };
            Some(Advice::say(format!("write `{right}`")).edit(start..end, right))
        }
        "{" => {
            let braces = group(at.rest())?;
            let right = format!("when ({})", inside(braces));
            Some(Advice::say(format!("write `{right}`")).edit(range(at.text, braces), right))
        }
        "}" | ";" | "" => Some(always(at, effect)),
        found if EFFECTS.contains(&found) || found == "tool" || found == "tools" => {
            Some(always(at, effect))
        }
        // What begins a condition.
        found if found.starts_with(|c: char| c.is_alphabetic() || c == '(') => {
            Some(at.insert("when", "write `when` before the condition"))
        }
        _ => None,
    }
}

/// The effects of other languages, where a rule can begin.
pub(super) fn effect(at: &Stop<'_>) -> Option<Advice> {
    let effect = match at.found {
        "forbid" | "block" | "reject" | "refuse" | "prohibit" | "disallow" => "deny",
        "ask" | "prompt" | "approve" => "confirm",
        "permit" | "accept" | "grant" => "allow",
        _ => return None,
    };
    let begins = at.expects("`}`");
    let is_rule = ["always", "when", "if", "otherwise"].contains(&first_name(at.after()));
    (begins && is_rule).then(|| at.replace(effect, format!("write `{effect}`")))
}

fn always(at: &Stop<'_>, effect: &str) -> Advice {
    at.insert("always", format!("write `{effect} always`, or when: `{effect} when …`"))
}

/// `else confirm`, `otherwise confirm` and `default confirm` for `confirm otherwise`, and `always
/// confirm` for `confirm always`.
pub(super) fn turned_round(at: &Stop<'_>) -> Option<Advice> {
    if !at.expects("`allow`") || !matches!(at.found, "else" | "otherwise" | "default" | "always") {
        return None;
    }
    let effect = first_name(at.after());
    let right = match effect {
        effect if at.found == "always" && EFFECTS.contains(&effect) => format!("{effect} always"),
        "deny" => "deny otherwise".to_owned(),
        "allow" | "confirm" => "confirm otherwise".to_owned(),
        _ => return None,
    };
    let help = format!("write `{right}`");
    Some(Advice::say(help).edit(at.offset..range(at.text, effect).end, right))
}
