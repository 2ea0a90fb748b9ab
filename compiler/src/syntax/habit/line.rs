//! Lines of items: what is read, written and of which type.

use super::{Advice, Stop, first_name, group, inside, is_of_name, last_name, range};

/// `reads S result[*]` without its `as`.
pub(super) fn reads(at: &Stop<'_>) -> Option<Advice> {
    // The grammar takes `result[*]` for the label of a region, and wants its colon.
    let start = at.before().rfind("reads ")?;
    let rest = at.text.get(start + "reads ".len()..)?;
    let store = first_name(rest);
    let between = at.text.get(range(at.text, store).end..at.offset)?;
    let path = between.trim();
    let is_path = first_name(path) == "result" && !path.contains([' ', '\n']);
    if !at.expects("`:`") || !is_path || between.trim_start_matches(' ').starts_with('\n') {
        return None;
    }
    let place = range(at.text, store).end;
    let help = format!("write `reads {store} as {path}`");
    Some(Advice::say(help).edit(place..place, " as"))
}

/// `writes S.f x` without its `from`, and `writes S.f, S.g`.
pub(super) fn writes(at: &Stop<'_>) -> Option<Advice> {
    let line = at.line_before();
    let verb = first_name(line);
    if !matches!(verb, "writes" | "adds" | "changes") || !at.expects("`from`") {
        return None;
    }
    if matches!(at.found, ":" | "==") {
        return Some(at.replace(" =", "what a field holds follows `=`"));
    }
    if at.found == "," {
        let cells = line.trim_start().strip_prefix(verb)?.trim();
        let (store, first) = cells.split_once('.')?;
        let mut fields = vec![first.trim()];
        let mut end = at.end();
        let mut rest = at.after();
        loop {
            let (name, after) = (first_name(rest), rest.trim_start());
            let field = after.get(name.len()..)?.strip_prefix('.').map(first_name);
            let last = field.filter(|_| name == store).unwrap_or(name);
            if last.is_empty() {
                break;
            }
            fields.push(last);
            end = range(at.text, last).end;
            match at.text.get(end..)?.trim_start().strip_prefix(',') {
                Some(next) => rest = next,
                None => break,
            }
        }
        let right = format!("{store}.{{{}}}", fields.join(", "));
        let help = format!("write `{right}`");
        return Some(Advice::say(help).edit(range(at.text, cells).start..end, right));
    }
    // A word that begins the next line is none of the arguments.
    let is_argument = !line.trim().is_empty() && at.found.starts_with(is_of_name);
    is_argument.then(|| at.insert("from", format!("write `from {}`", at.found)))
}

/// What else a call might be said to do to a store.
pub(super) fn verb(at: &Stop<'_>) -> Option<Advice> {
    let verb = match at.found {
        "appends" | "append" | "creates" | "create" | "inserts" | "insert" => "adds",
        "updates" | "update" | "modifies" | "modify" | "edits" | "edit" => "changes",
        "deletes" | "delete" | "removes" | "remove" | "replaces" | "replace" => "writes",
        _ => return None,
    };
    let is_line = at.expects("`writes`") && !first_name(at.after()).is_empty();
    is_line.then(|| at.replace(verb, format!("write `{verb}`")))
}

/// Types as other languages write them.
pub(super) fn of_type(at: &Stop<'_>) -> Option<Advice> {
    let name = last_name(at.before());
    let start = range(at.text, name).start;
    if at.found == "[" && !name.is_empty() && at.before().ends_with(name) {
        let brackets = group(at.rest())?;
        let end = range(at.text, brackets).end;
        let right = match (name, inside(brackets)) {
            ("list" | "List" | "array" | "Array", element) => format!("[{element}]"),
            ("Set" | "frozenset", element) => format!("set {element}"),
            ("Optional", some) => format!("{some}?"),
            (element, "") => format!("[{element}]"),
            _ => return None,
        };
        return Some(Advice::say(format!("write `{right}`")).edit(start..end, right));
    }
    let is_generic = matches!(name, "list" | "List" | "array" | "Array" | "set" | "Set");
    if at.found == "<" && is_generic {
        let element = at.after().split('>').next()?;
        let end = range(at.text, element).end + 1;
        let right = match name {
            "set" | "Set" => format!("set {}", element.trim()),
            _ => format!("[{}]", element.trim()),
        };
        return Some(Advice::say(format!("write `{right}`")).edit(start..end, right));
    }
    None
}

/// A word that is no format, before the type of a result.
pub(super) fn format(at: &Stop<'_>) -> Option<Advice> {
    let begins_type = matches!(at.found, "[" | "{") || at.found.starts_with(is_of_name);
    if !begins_type || !at.expects("`result`") {
        return None;
    }
    let (before, word) = at.line_before().trim_end().rsplit_once(char::is_whitespace)?;
    if last_name(before) != "result" || !word.chars().all(is_of_name) {
        return None;
    }
    Some(Advice::say(format!(
        "formats are `text`, `json`, `yaml`, `python` and `mcp`, and `{word}` is none"
    )))
}
