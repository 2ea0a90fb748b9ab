//! What continuous integration reads: SARIF, JUnit, GitHub's annotations, and coverage.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what cannot be read is a failed test"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::{Folder, POLICY};

/// Mistakes of several kinds, with texts that other formats take for their own.
fn broken() -> Folder {
    let folder = Folder::with_policy();
    let text = POLICY
        .replace("fact me : string", "fact me : string\nfact unused : int")
        .replace("\"anyone can write to us\"", "\"a::error,b: 100%\"")
        .replace("context <= {trusted, private}", "context <= {trusty, private}");
    folder.write("a b.pol", text);
    folder
}

fn tested() -> Folder {
    let folder = Folder::with_policy();
    let tests = "test \"mail & <more>\" {\n  fact me = \"me\"\n  user \"…\"\n  \
                 call read_mail() returns \"x\" => allow\n  \
                 call send_mail(to: \"me\", body: \"x\") => confirm\n}\n\
                 test \"none :: waits,\" {\n  fact me = \"me\"\n  user \"…\"\n  \
                 call read_mail() => confirm\n}\n";
    folder.write("hello.pol", format!("{POLICY}{tests}"));
    folder
}

/// The schema of SARIF 2.1.0, as the crate brings it that the schema was made into.
fn schema() -> Value {
    // What other platforms need is not there.
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let schema = fs::read(manifest.parent().unwrap().join("src/schema.json")).unwrap();
    let mut schema: Value = serde_json::from_slice(&schema).unwrap();
    // One of its patterns has a bracket that nothing opens; it is about a field that is not used.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"]["pattern"] = "^[a-zA-Z]{2}".into();
    }
    schema
}

/// What the program printed, without its command and its exit code.
fn printed(shown: &str) -> &str {
    let (_, rest) = shown.split_once('\n').unwrap();
    rest.rsplit_once("exit code").unwrap().0
}

#[test]
fn sarif_is_valid() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for folder in [broken(), Folder::with_policy()] {
        let name = if folder.exists("a b.pol") { "a b.pol" } else { "hello.pol" };
        let shown = folder.run(&["check", name, "--format", "sarif"]);
        let log: Value = serde_json::from_str(printed(&shown)).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
        let _: serde_sarif::sarif::Sarif = serde_json::from_value(log).unwrap();
    }
    assert!(!validator.is_valid(&serde_json::json!({ "version": "2.0.0", "runs": [] })));
}

#[test]
fn sarif_has_places_and_edits() {
    let shown = broken().run(&["check", "a b.pol", "--format", "sarif"]);
    let log: Value = serde_json::from_str(printed(&shown)).unwrap();
    assert_snapshot!(format!("{:#}", log["runs"][0]["results"]));
}

#[test]
fn annotations_of_workflows_hold_nothing_but_themselves() {
    assert_snapshot!(broken().run(&["check", "a b.pol", "--format", "github"]));
    assert_snapshot!(tested().run(&["test", "hello.pol", "--format", "github"]));
}

#[test]
fn tests_are_reported_in_junits_form() {
    assert_snapshot!(tested().run(&["test", "hello.pol", "--format", "junit"]));
}

#[test]
fn coverage_says_what_no_test_reached() {
    let folder = tested();
    assert_snapshot!(folder.run(&["test", "hello.pol", "--coverage", "--lcov", "hello.lcov"]));
    assert_snapshot!(String::from_utf8(folder.read("hello.lcov")).unwrap());
    assert_snapshot!(folder.run(&["test", "hello.pol", "--lcov", "hello.lcov"]));
}
