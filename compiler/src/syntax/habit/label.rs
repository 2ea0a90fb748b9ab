//! Labels and the orders that they are made of.

use super::{Advice, Stop, first_name, group, inside, last_name, range};

/// A lattice whose order is written with signs of comparison.
pub(super) fn arrow(at: &Stop<'_>) -> Option<Advice> {
    if !at.expects("`->`") {
        return None;
    }
    let (left, right) = (last_name(at.before()), first_name(at.after()));
    let (lower, upper) = match at.found {
        "<" | "<=" | "=>" | "→" | "-" => (left, right),
        ">" | ">=" | "←" => (right, left),
        _ => return None,
    };
    // A claim has an arrow too, and says nothing of an order.
    if !at.expects("`}`") || left.is_empty() || right.is_empty() {
        return Some(at.replace("->", "write `->`"));
    }
    let order = format!("{lower} -> {upper}");
    let help = format!("an arrow points the way data may flow: write `{order}`");
    let whole = range(at.text, left).start..range(at.text, right).end;
    Some(Advice::say(help).edit(whole, order))
}

fn in_braces(levels: &[&str]) -> String {
    format!("{{{}}}", levels.join(", "))
}

const BRACES: &str = "a label of several levels stands in braces";

/// A label in other brackets than braces.
pub(super) fn brackets(at: &Stop<'_>) -> Option<Advice> {
    if !at.expects("a label") || !matches!(at.found, "(" | "[") {
        return None;
    }
    let whole = group(at.rest())?;
    let right = format!("{{{}}}", inside(whole));
    let help = format!("{BRACES}: `{right}`");
    Some(Advice::say(help).edit(range(at.text, whole), right))
}

/// A label of several levels without braces.
pub(super) fn without_braces(at: &Stop<'_>) -> Option<Advice> {
    let signs = [",", "+", "|", "&", "and", "&&", "or", "||"];
    let first = last_name(at.before());
    if !signs.contains(&at.found) || !at.expects("`.`") || first.is_empty() {
        return None;
    }
    let before = at.before().trim_end().strip_suffix(first)?.trim_end();
    let is_bound = || before.strip_suffix("<=").is_some_and(|b| last_name(b) == "context");
    // A bound goes on with `and` as a condition.
    let is_sign = at.found == ",";
    let is_label = before.ends_with(':') || is_sign && is_bound();
    if !is_label {
        return None;
    }
    let mut levels = vec![first];
    let mut end = range(at.text, first).end;
    let mut rest = at.after();
    loop {
        let level = first_name(rest);
        if level.is_empty() {
            break;
        }
        levels.push(level);
        end = range(at.text, level).end;
        let next = at.text.get(end..).map(str::trim_start)?;
        match next.strip_prefix(at.found) {
            Some(next) => rest = next,
            None => break,
        }
    }
    let right = in_braces(&levels);
    let whole = range(at.text, first).start..end;
    Some(Advice::say(format!("{BRACES}: `{right}`")).edit(whole, right))
}

/// Levels in braces with nothing between them.
pub(super) fn without_comma(at: &Stop<'_>) -> Option<Advice> {
    let first = last_name(at.before());
    let is_name = !first_name(at.found).is_empty();
    if !at.expects("`,`") || !at.expects("`}`") || !is_name || first.is_empty() {
        return None;
    }
    let place = range(at.text, first).end;
    if at.line_before().trim().is_empty() {
        return Some(Advice::say("write `}` before this line").edit(place..place, "}"));
    }
    let right = format!("{first}, {}", at.found);
    Some(Advice::say(format!("write `{right}`")).edit(place..place, ","))
}

/// A level that is given like a field's value: `{integrity: trusted}`.
pub(super) fn with_colon(at: &Stop<'_>) -> Option<Advice> {
    let lattice = last_name(at.before());
    let level = first_name(at.after());
    let in_braces = at.before().trim_end().strip_suffix(lattice)?.trim_end().ends_with(['{', ',']);
    if !matches!(at.found, ":" | "=") || !at.expects("`.`") || level.is_empty() || !in_braces {
        return None;
    }
    let right = format!("{lattice}.{level}");
    let whole = range(at.text, lattice).start..range(at.text, level).end;
    Some(Advice::say(format!("write `{right}`, or `{level}` alone")).edit(whole, right))
}

/// A label with a condition, and none for the other case.
pub(super) fn guard(at: &Stop<'_>) -> Option<Advice> {
    if at.found == "if" && at.expects("`when`") && !at.expects("`otherwise`") {
        return Some(at.replace("when", "write `when`"));
    }
    if !at.expects("`else`") {
        return None;
    }
    let help = "a label that has a condition needs a stricter one for the other case";
    let line = at.before().rsplit(" when ").nth(1).unwrap_or_default();
    let label = line.trim_end();
    let level = last_name(label.trim_end_matches('}'));
    let Some(top) = top(at.text, level) else {
        return Some(Advice::say(format!("{help}: write `else` and that label")));
    };
    let right =
        if label.ends_with('}') { format!("else {{{top}}}") } else { format!("else {top}") };
    Some(at.insert(&right, format!("{help}: write `{right}`")))
}

/// The last level of the chain in which a level stands, as far as the text shows.
fn top<'t>(text: &'t str, level: &str) -> Option<&'t str> {
    let chains = text.split(['{', '}', '\n']).filter(|chain| chain.contains("->"));
    let mut chains = chains.map(|chain| chain.split("->").map(str::trim).collect::<Vec<_>>());
    let chain = chains.find(|chain| chain.contains(&level) && !level.is_empty())?;
    chain.last().copied().map(first_name)
}
