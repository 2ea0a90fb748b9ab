//! What code may name, and where: third parties, the world outside, and the table of codes.

use std::collections::BTreeSet;

use rtbas_compiler::diag::Code as Diagnosis;

use super::code::{Code, Path};
use super::tree::{CRATES, none, sources};

/// Third parties that are named in one place each.
pub(super) const PLACES: [(&str, &str); 13] = [
    ("clap", "cli/"),
    ("codespan_reporting", "compiler/src/diag/render.rs"),
    ("ed25519_dalek", "artifact/src/sign"),
    ("granit_parser", "runtime/src/region/yaml.rs"),
    ("hmac", "artifact/src/sign"),
    ("indicatif", "cli/"),
    ("maud", "cli/"),
    ("pest", "grammar/"),
    ("petgraph", "compiler/src/"),
    ("postcard", "artifact/src/wire.rs"),
    ("pretty", "compiler/src/format"),
    ("regex_syntax", "artifact/src/pattern"),
    ("z3", "compiler/src/verify/z3.rs"),
];

/// What reads or changes the world: modules of `std`, and macros.
const WORLD: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];
const PRINTS: [&str; 5] = ["dbg", "eprint", "eprintln", "print", "println"];

/// The third party that a path begins with, and its place. Its own parts and what it imports may
/// have such a name in a file, as `verify.rs` has a module `z3`.
fn third_party(code: &Code, path: &Path) -> Option<&'static (&'static str, &'static str)> {
    let first = path.first();
    let imported = |other: &Path| other.import.as_deref() == Some(first) && other.first() != first;
    if code.modules.iter().any(|module| module == first) || code.paths.iter().any(imported) {
        return None;
    }
    let crate_name = if first == "pest_derive" { "pest" } else { first };
    PLACES.iter().find(|(name, _)| *name == crate_name)
}

#[test]
fn third_parties_are_named_in_one_place_each() {
    let (mut broken, mut seen) = (Vec::new(), BTreeSet::new());
    for file in CRATES.iter().flat_map(|of| sources(of)) {
        let code = Code::of(&file);
        for path in &code.paths {
            let Some((name, place)) = third_party(&code, path) else { continue };
            seen.insert(*name);
            if !file.path.starts_with(place) {
                broken.push(format!("{}:{}: `{name}` belongs to {place}", file.path, path.line));
            }
        }
    }
    let unseen = PLACES.iter().filter(|(name, _)| !seen.contains(name));
    broken.extend(unseen.map(|(name, place)| format!("{place}: nothing names `{name}`")));
    none("third parties are named in one place each; ask that place for what you need:", &broken);
}

#[test]
fn libraries_do_no_io() {
    let mut broken = Vec::new();
    for file in ["grammar", "artifact", "compiler", "runtime"].iter().flat_map(|of| sources(of)) {
        let code = Code::of(&file);
        for path in &code.paths {
            if let [first, second, ..] = path.segments.as_slice()
                && first == "std"
                && WORLD.contains(&second.as_str())
            {
                broken.push(format!("{}:{}: `std::{second}`", file.path, path.line));
            }
        }
        let prints = code.macros().filter(|(name, _)| PRINTS.contains(name));
        broken.extend(prints.map(|(name, line)| format!("{}:{line}: `{name}!`", file.path)));
    }
    none("libraries do no IO and know no time; let the caller do it and hand in data:", &broken);
}

#[test]
fn every_code_is_used() {
    let table = "compiler/src/diag/code.rs";
    let mut used = BTreeSet::new();
    for file in sources("compiler").iter().filter(|file| file.path != table) {
        used.extend(Code::of(file).tokens.into_iter().map(|token| token.text));
    }
    let unused = Diagnosis::ALL.iter().filter(|code| !used.contains(code.name()));
    let broken: Vec<String> =
        unused.map(|code| format!("{table}: {code} is never given")).collect();
    none("every code is given by some check; delete the others from the table:", &broken);
}
