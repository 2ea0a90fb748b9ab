//! Which crates may depend on which, as their `Cargo.toml` say.

use super::names::PLACES;
use super::tree::{CRATES, files, none};

/// The crates of the workspace that each may use, in tests too. `tests` may use all.
const PERMITTED: [(&str, &[&str]); 5] = [
    ("grammar", &[]),
    ("artifact", &[]),
    ("compiler", &["rtbas-grammar", "rtbas-artifact"]),
    ("runtime", &["rtbas-artifact"]),
    ("cli", &["rtbas-compiler", "rtbas", "rtbas-artifact"]),
];

#[test]
fn crates_depend_one_way() {
    let mut broken = Vec::new();
    for (of, line, name) in all() {
        let ours = name.starts_with("rtbas");
        let permitted = PERMITTED.iter().find(|(user, _)| *user == of);
        if ours && permitted.is_some_and(|(_, permitted)| !permitted.contains(&name.as_str())) {
            broken.push(format!("{of}/Cargo.toml:{line}: {of} depends on `{name}`"));
        }
    }
    none("crates depend one way; what two of them share belongs to `artifact`:", &broken);
}

#[test]
fn third_parties_have_one_crate_each() {
    let mut broken = Vec::new();
    for (of, line, name) in all() {
        let place = PLACES.iter().find(|(party, _)| *party == name.replace('-', "_"));
        if let Some((_, place)) = place.filter(|(_, place)| !place.starts_with(&format!("{of}/"))) {
            broken.push(format!("{of}/Cargo.toml:{line}: `{name}` belongs to {place}"));
        }
    }
    none("third parties are named in one place each; ask that place for what you need:", &broken);
}

/// The dependencies of all crates: the crate, the line and the name.
fn all() -> Vec<(&'static str, usize, String)> {
    let files = files();
    let mut all = Vec::new();
    for of in CRATES {
        let manifest = files.iter().find(|file| file.path == format!("{of}/Cargo.toml")).unwrap();
        let found = dependencies(&manifest.text);
        assert!(!found.is_empty(), "{}: no dependencies were read", manifest.path);
        all.extend(found.into_iter().map(|(line, name)| (of, line, name)));
    }
    all
}

/// The names under `[dependencies]`, `[dev-dependencies]` and the like, with their lines.
fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (line, text) in (1..).zip(manifest.lines()) {
        if let Some(header) = text.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            inside = header.ends_with("dependencies");
            // `[dependencies.name]` is a table of one dependency's options.
            if let Some((_, name)) = header.split_once("dependencies.") {
                found.push((line, name.to_owned()));
            }
        } else if inside && text.starts_with(|first: char| first.is_alphanumeric()) {
            let name = text.split(['.', '=', ' ']).next().unwrap();
            found.push((line, name.to_owned()));
        }
    }
    found
}
