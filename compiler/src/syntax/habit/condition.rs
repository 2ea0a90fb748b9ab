//! Conditions and values.

use super::{Advice, Stop, first_name, group, is_of_name, range};

/// Signs that other languages join and compare with.
pub(super) fn operator(at: &Stop<'_>) -> Option<Advice> {
    let is_comparator = ["==", "!=", "<", "<=", ">", ">="].contains(&at.found);
    Some(match at.found {
        "=" if at.expects("a comparison such as `==`") => at.replace("==", "write `==`"),
        "/" if at.expects("a value or a name") => {
            Advice::say("a pattern stands behind `matches`: `a matches /…/`")
        }
        "\"" if at.expects("a pattern") => Advice::say("a pattern stands between slashes: `/…/`"),
        "&&" => at.replace("and", "write `and`"),
        "||" => at.replace("or", "write `or`"),
        "!" => at.replace("not ", "write `not`"),
        ";" if at.expects("`and`") && goes_on(at.after()) => at.replace(" and", "write `and`"),
        "not" if at.expects("`context`") => {
            Advice::say("`not not` says nothing: leave both out, or write parentheses")
        }
        _ if is_comparator && at.expects("`and`") => {
            Advice::say("compare two values at a time: `1 < x and x < 5`")
        }
        _ if is_comparator && at.expected == ["`<=`"] => at.replace(
            "<=",
            "the context is compared with a label: `context <= {…}`; an argument of that name \
             stands in backticks",
        ),
        "." if at.expected == ["`<=`"] => {
            let lattice = first_name(at.after());
            let end = range(at.text, lattice).end;
            let help = format!(
                "`context <= …` names the levels that matter, whatever their lattice: \
                 delete `.{lattice}`"
            );
            Advice::say(help).edit(at.offset..end, "")
        }
        _ => return None,
    })
}

/// Words that begin a line of a tool, or an item, and so no condition.
const LINES: [&str; 20] = [
    "adds",
    "allow",
    "approval",
    "changes",
    "condition",
    "confirm",
    "deny",
    "endorses",
    "errors",
    "fact",
    "lattice",
    "message",
    "never",
    "reads",
    "result",
    "store",
    "test",
    "tool",
    "tools",
    "writes",
];

/// Whether what follows a mark is the rest of a condition.
fn goes_on(after: &str) -> bool {
    let word = first_name(after);
    !word.is_empty() && !LINES.contains(&word)
}

/// Words that other languages compare with, or have for values.
pub(super) fn word(at: &Stop<'_>) -> Option<Advice> {
    let is_value = at.expects("a value");
    if let Some(value) = value(at.found).filter(|_| is_value) {
        return Some(at.replace(value, format!("write `{value}`")));
    }
    if !at.expects("a comparison such as `==`") {
        return None;
    }
    let left = last_path(at.before());
    if left.is_empty() {
        return None;
    }
    let start = range(at.text, left).start;
    let next = first_name(at.after());
    match (at.found, next) {
        ("is", "not") => {
            let rest = at.text.get(range(at.text, next).end..)?;
            let value = first_name(rest);
            let end = range(at.text, value).end;
            let right = if is_null(value) {
                format!("present({left})")
            } else {
                format!("{left} != {}", value_of(value))
            };
            Some(Advice::say(format!("write `{right}`")).edit(start..end, right))
        }
        ("is", value) if is_null(value) => {
            let right = format!("not present({left})");
            let end = range(at.text, value).end;
            Some(Advice::say(format!("write `{right}`")).edit(start..end, right))
        }
        ("is" | "equals" | "eq", _) => Some(at.replace("==", "write `==`")),
        ("not", "in") => {
            let list = at.text.get(range(at.text, next).end..)?;
            let list = list.trim_start();
            let list = group(list).unwrap_or_else(|| path(list));
            let right = format!("not ({left} in {list})");
            let help = format!("write `{right}`");
            Some(Advice::say(help).edit(start..range(at.text, list).end, right))
        }
        ("contains" | "has", _) => {
            let element = at.after().trim_start();
            let element = element.split(|c: char| c.is_whitespace() || c == ')').next()?;
            let right = format!("{element} in {left}");
            let help = format!("write `{right}`");
            Some(Advice::say(help).edit(start..range(at.text, element).end, right))
        }
        _ => None,
    }
}

/// What values of other languages are called here.
pub(crate) fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        "None" | "nil" | "NULL" | "Null" | "undefined" => "null",
        _ => return None,
    })
}

fn value_of(name: &str) -> &str {
    value(name).unwrap_or(name)
}

fn is_null(name: &str) -> bool {
    value_of(name) == "null"
}

fn is_of_path(c: char) -> bool {
    is_of_name(c) || c == '.'
}

/// The path that a text begins with.
fn path(text: &str) -> &str {
    text.split(|c| !is_of_path(c)).next().unwrap_or_default()
}

/// The path that a text ends with.
fn last_path(text: &str) -> &str {
    let text = text.trim_end();
    text.rsplit(|c| !is_of_path(c)).next().unwrap_or_default()
}
