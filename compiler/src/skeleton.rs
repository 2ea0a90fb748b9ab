//! A policy to start from: a list of tools in, the text of a policy out that compiles and permits
//! nothing unasked.
//!
//! Trusts nothing in the list. What it says of a tool is quoted in comments, and can make the
//! policy stricter, never freer: its author may be the one whom the policy is to keep out.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::resolve::scope::written;
use crate::resolve::tool_form::{Entry, entries};

mod result;
mod words;

use words::{Nature, nature, way_out};

/// What marks a line that its reader decides.
pub const MARK: &str = "DECIDE";

/// A policy for the tools of a list, which it uses by this path. `None` if it is no list of tools.
#[must_use]
pub fn skeleton(name: &str, path: &str, list: &Value) -> Option<String> {
    let mut entries = entries(list)?;
    // What a server lists first may change from one answer to the next.
    entries.sort_by_key(|entry| entry.text("name").unwrap_or_default());
    let name = if can_be_written(name) { written(name) } else { "agent".to_owned() };
    let mut text = head(&name, &Value::from(path));
    let (named, unnamed): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| entry.text("name").is_some_and(can_be_written));
    for entry in named {
        text.push('\n');
        text.push_str(&block(entry));
    }
    if !unnamed.is_empty() {
        let names: BTreeSet<String> =
            unnamed.iter().filter_map(|entry| entry.text("name")).map(quoted).collect();
        let names: Vec<String> = names.into_iter().collect();
        text.push_str(&format!(
            "\n// No policy can write the name of {}.\ntools * {{ confirm always }}\n",
            names.join(", ")
        ));
    }
    Some(text)
}

/// What stands before the tools.
fn head(name: &str, path: &Value) -> String {
    format!(
        r#"// A policy to start from. It is on the safe side: whatever a tool returns counts as private and
// as written by strangers, whatever it does counts as a change of all there is, and every call is
// put to the user. Lines marked {MARK} are yours to loosen where you know better.
// What the list says of a tool is quoted; its author may be wrong, or lie.

policy {name} edition 2026

lattice integrity {{ trusted -> untrusted }}
lattice secrecy   {{ public -> private }}
label {{ integrity, secrecy }}

use tools from {path}

// {MARK}: one store stands for all that tools read and write. Give each kind of state its own, and
// say of each field who can write it, as in:
//   type Mail = {{ id: int, sender: string, body: string }}
//   store mailbox of Mail {{
//     id : {{trusted, private}} because "our server numbers the mails"
//     *  : {{untrusted, private}}
//   }}
store world : {{untrusted, private}}

message system : {{trusted, public}}   // every context has the user's label, too
message user   : {{trusted, private}}
message reply  : {{trusted, private}}   // {MARK}: {{untrusted, private}}, if nobody but the user sees it
"#
    )
}

/// What is said of one tool.
fn block(entry: &Entry<'_>) -> String {
    let name = entry.text("name").unwrap_or_default();
    let mut lines = Vec::new();
    if let Some(description) = entry.text("description").filter(|text| !text.trim().is_empty()) {
        lines.push(format!("// The list says: {}", quoted(description)));
    }
    let annotations = entry.body().and_then(|body| body.get("annotations"));
    let hint = |hint: &str| annotations.and_then(|all| all.get(hint)).and_then(Value::as_bool);
    let hints = [
        ("readOnlyHint", true, "that it changes nothing"),
        ("readOnlyHint", false, "that it changes something"),
        ("destructiveHint", true, "that it can destroy"),
        ("openWorldHint", true, "that it reaches the outside"),
    ];
    let said = hints.iter().filter(|(key, value, _)| hint(key) == Some(*value));
    let said: Vec<&str> = said.map(|(_, _, words)| *words).collect();
    if !said.is_empty() {
        lines.push(format!("// The list says {}.", said.join(", and ")));
    }
    lines.push(format!("tool {} {{", written(name)));
    lines.extend(result::lines(entry).iter().map(|line| format!("  {line}")));
    lines.push("  reads world".to_owned());
    lines.push("  writes world".to_owned());
    let acts = hint("readOnlyHint") == Some(false) || hint("destructiveHint") == Some(true);
    let suggestion = match nature(name) {
        Nature::Reads if !acts => reading(entry),
        _ => acting(entry, hint("destructiveHint") == Some(true)),
    };
    lines.extend(suggestion.iter().map(|line| format!("  // {line}").trim_end().to_owned()));
    lines.push("  confirm always".to_owned());
    lines.push("}\n".to_owned());
    lines.join("\n")
}

/// What may be done with a tool that seems to read.
fn reading(entry: &Entry<'_>) -> Vec<String> {
    let mut lines = vec![format!("{MARK}: if it only reads, delete `writes`, and")];
    match way_out(&arguments(entry)) {
        Some(out) => {
            lines.push(format!("if `{out}` leads to strangers, who read what is in it, write"));
            lines.push("  allow   when context <= {untrusted, public}".to_owned());
            lines.push("  confirm otherwise".to_owned());
        }
        None => lines.push("write `allow always` for `confirm always`.".to_owned()),
    }
    lines
}

/// What may be done with a tool that seems to act.
fn acting(entry: &Entry<'_>, destroys: bool) -> Vec<String> {
    if destroys {
        return vec![format!("{MARK}: `deny always`, if the agent can do without it.")];
    }
    let mut lines = vec![format!("{MARK}: may it run unasked? For example:")];
    match words::recipient(&arguments(entry)) {
        Some(to) => {
            let known = written(&format!("known_{to}"));
            lines.push(format!("  fact {known} : set string   // outside this block"));
            let to = written(&to);
            let bound = "context <= {trusted, private}";
            lines.push(format!("  allow   when {bound} and {to} in {known}"));
        }
        None => lines.push("  allow   when context <= {trusted, private}".to_owned()),
    }
    lines.push("  confirm otherwise".to_owned());
    lines
}

/// The names of the arguments that are strings and can be written.
fn arguments(entry: &Entry<'_>) -> Vec<String> {
    let Ok((_, schema)) = entry.schema() else { return Vec::new() };
    let properties = schema.get("properties").and_then(Value::as_object);
    let texts = properties.into_iter().flatten().filter(|(name, schema)| {
        can_be_written(name) && schema.get("type").and_then(Value::as_str) == Some("string")
    });
    texts.map(|(name, _)| name.clone()).collect()
}

/// Whether a name can stand in a policy.
fn can_be_written(name: &str) -> bool {
    !name.is_empty() && !name.contains('`') && !name.chars().any(words::is_odd)
}

/// A text in a comment: one line, and not a long one.
fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let plain: String = text.chars().map(|c| if words::is_odd(c) { ' ' } else { c }).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
    let short: String = words.chars().take(MOST).collect();
    let more = if short.len() < words.len() { "…" } else { "" };
    format!("\"{short}{more}\"")
}
