//! Artifacts that are kept for ever hold something of all that a policy can say.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop where its files are not as expected"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rtbas_artifact::open::{Requirements, open};
use rtbas_artifact::sign::Signer;
use rtbas_compiler::diag::render;
use rtbas_compiler::emit::emit;
use rtbas_compiler::source::Sources;
use serde_json::Value as Json;

/// Keys that guard nothing.
fn signers() -> [Signer; 2] {
    [Signer::hmac(&[7; 32]).unwrap(), Signer::ed25519(&[9; 32])]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/artifact/v2")
}

/// The artifact of a policy in the folder.
fn built(name: &str) -> Vec<u8> {
    let path = folder().join(name).display().to_string();
    let mut load = |path: &str| std::fs::read_to_string(path).map_err(|e| e.to_string());
    let mut sources = Sources::new(&mut load);
    let (verified, diagnostics) = rtbas_compiler::compile(&mut sources, &path);
    let said = render::human(&sources, &diagnostics, false);
    emit(&verified.unwrap_or_else(|| panic!("{said}")), &signers()).unwrap()
}

/// The names of fields and variants in a document, and of variants that hold nothing.
fn words(json: &Json, found: &mut BTreeSet<String>) {
    match json {
        Json::String(word) => drop(found.insert(word.clone())),
        Json::Array(items) => items.iter().for_each(|item| words(item, found)),
        Json::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            words(value, found);
        }),
        _ => {}
    }
}

/// What the files must have among them: the variants of `ir.rs` that policies can bring about.
const VARIANTS: [&str; 65] = [
    "Adds",
    "All",
    "Allow",
    "Any",
    "Approval",
    "Argument",
    "Bool",
    "Cell",
    "Changes",
    "Compare",
    "Confirm",
    "Content",
    "Context",
    "Date",
    "Declassify",
    "Deny",
    "Derived",
    "Domain",
    "Downgrade",
    "Endorse",
    "Enumeration",
    "Equal",
    "Fact",
    "Field",
    "GreaterOrEqual",
    "Greater",
    "In",
    "Integer",
    "Json",
    "Leaf",
    "Less",
    "LessOrEqual",
    "Level",
    "List",
    "Literal",
    "Lower",
    "Map",
    "Matches",
    "Named",
    "Not",
    "NotEqual",
    "Null",
    "Number",
    "Of",
    "Pattern",
    "Present",
    "Python",
    "Readers",
    "Record",
    "Reply",
    "Set",
    "Shape",
    "Sources",
    "Store",
    "SubsetOf",
    "Text",
    "Time",
    "Tool",
    "Union",
    "Yaml",
    "alternatives",
    "because",
    "dual",
    "element",
    "tag",
];

/// `UPDATE=1` builds the file that is made of a policy, if it is missing.
#[test]
fn good_files_hold_something_of_everything() {
    let whole = folder().join("good/whole.rtbas");
    if std::env::var_os("UPDATE").is_some() && !whole.exists() {
        std::fs::write(&whole, built("whole.pol")).unwrap();
    }
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder().join("good")).unwrap() {
        let path = entry.unwrap().path();
        let keys = signers().iter().map(Signer::trusted_key).collect();
        let artifact = open(&std::fs::read(&path).unwrap(), &keys, &Requirements::default());
        let artifact = artifact.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        words(&serde_json::to_value(artifact.program().policy()).unwrap(), &mut found);
    }
    let missing: Vec<_> = VARIANTS.iter().filter(|name| !found.contains(**name)).collect();
    assert!(missing.is_empty(), "no file has {missing:?}");
}

/// The policy that a file was made of still compiles, so that the file can be made anew while the
/// format is not released.
#[test]
fn the_policy_of_a_good_file_compiles() {
    built("whole.pol");
}
