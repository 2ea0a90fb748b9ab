//! What functions make of texts, read letter by letter.

use rtbas_artifact::function::Function;

/// What a function gives for a text.
#[must_use]
pub fn apply(function: Function, text: &str) -> Option<String> {
    match function {
        Function::Lower => Some(text.chars().map(|c| c.to_ascii_lowercase()).collect()),
        Function::Host => host(text),
        Function::Domain => domain(text),
    }
}

fn host(text: &str) -> Option<String> {
    let odd = |c: char| {
        c == '\\' || c.is_ascii_whitespace() || c.is_control() || matches!(c, '\u{b}' | '\u{a0}')
    };
    if text.chars().any(odd) {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    // The path begins with a slash; only there is an `@` no danger.
    let (authority, tail) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    if !tail.is_empty() && !tail.starts_with('/') && tail.contains('@') {
        return None;
    }
    let (name, port) = match authority.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (authority, None),
    };
    let is_port =
        |port: &str| (1..=5).contains(&port.len()) && port.chars().all(|c| c.is_ascii_digit());
    (port.is_none_or(is_port) && is_name(name)).then(|| name.to_ascii_lowercase())
}

fn domain(text: &str) -> Option<String> {
    let (local, name) = text.split_once('@')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_+'=&~-".contains(c);
    let is_atom = |atom: &str| !atom.is_empty() && atom.chars().all(plain);
    (local.split('.').all(is_atom) && is_name(name)).then(|| name.to_ascii_lowercase())
}

/// Whether this is the name of a host, or its address in four numbers.
fn is_name(name: &str) -> bool {
    let labels: Vec<String> = name.split('.').map(str::to_ascii_lowercase).collect();
    let is_number =
        |label: &String| label.parse::<u8>().is_ok_and(|number| number.to_string() == *label);
    if labels.len() == 4 && labels.iter().all(is_number) {
        return true;
    }
    let is_label = |label: &String| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let (first, last) = (label.chars().next(), label.chars().next_back());
        label.chars().all(fits)
            && first.is_some_and(|c| c != '-')
            && last.is_some_and(|c| c != '-')
            && !label.starts_with("xn--")
    };
    labels.iter().all(is_label)
        && labels.last().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_alphabetic()))
}
