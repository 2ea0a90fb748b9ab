//! Guesses from names. They choose what a comment suggests, and nothing else.

use crate::source::is_hidden;

/// What a tool seems to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It tells something.
    Reads,
    /// It may change something.
    Acts,
}

/// First words of names of tools that read.
const READS: [&str; 14] = [
    "check", "count", "describe", "fetch", "find", "get", "list", "lookup", "query", "read",
    "search", "show", "status", "view",
];

/// Arguments that say where something goes.
const RECIPIENTS: [&str; 12] = [
    "account",
    "address",
    "channel",
    "destination",
    "email",
    "payee",
    "recipient",
    "recipients",
    "room",
    "target",
    "to",
    "user",
];

/// Arguments that go out to wherever they point.
const ADDRESSES: [&str; 7] = ["domain", "endpoint", "host", "link", "uri", "url", "website"];

/// What a tool of that name seems to do.
pub(super) fn nature(tool: &str) -> Nature {
    let first = words(tool).into_iter().next().unwrap_or_default();
    if READS.contains(&first.as_str()) { Nature::Reads } else { Nature::Acts }
}

/// The first argument that seems to say where something goes.
pub(super) fn recipient(arguments: &[String]) -> Option<String> {
    named(arguments, &RECIPIENTS)
}

/// The first argument that seems to be an address.
pub(super) fn way_out(arguments: &[String]) -> Option<String> {
    named(arguments, &ADDRESSES)
}

fn named(arguments: &[String], known: &[&str]) -> Option<String> {
    let is_known = |name: &&String| words(name).iter().any(|word| known.contains(&word.as_str()));
    arguments.iter().find(is_known).cloned()
}

/// The words that a name is made of: `getUser_by-id` is `get`, `user`, `by` and `id`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a character may not stand in a name or in a comment.
pub(super) fn is_odd(c: char) -> bool {
    c.is_control() || is_hidden(c)
}
