//! The formatter: cases with what becomes of them, and laws that hold of every policy we have,
//! however its white space and comments are mangled.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop where its files are not as expected"
)]

use std::path::{Path, PathBuf};

use proptest::prelude::*;

#[path = "format/law.rs"]
mod law;

use law::{Piece, format, lawful, pieces};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The policies below a folder, by their paths.
fn policies(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(policies(&path));
        } else if path.extension().is_some_and(|end| end == "pol") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// All policies of the tree that have a canonical form.
fn known() -> Vec<(PathBuf, String)> {
    let folders = ["examples", "tests/suite", "benches/policies"];
    let mut all: Vec<_> = folders.iter().flat_map(|of| policies(&root().join(of))).collect();
    all.retain(|(_, text)| format(text).is_ok());
    assert!(all.len() > 100, "{} policies", all.len());
    all
}

#[test]
fn cases_become_what_is_kept_beside_them() {
    let folder = root().join("tests/suite/format");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (path, text) in policies(&folder) {
        let formatted = lawful(&text).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, formatted));
    }
}

#[test]
fn every_policy_survives() {
    for (path, text) in known() {
        let formatted = lawful(&text);
        let formatted = formatted.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let windows = lawful(&text.replace('\n', "\r\n")).unwrap();
        assert_eq!(formatted, windows, "{}", path.display());
    }
}

#[test]
fn white_space_becomes_plain() {
    let text = "\r\n\r\npolicy\twhite edition 2026\r\n\n \r\n\n// a comment \t\r\n\tfact a : int\t// b\r\n\r\n";
    let formatted = lawful(text).unwrap();
    assert_eq!(formatted, "policy white edition 2026\n\n// a comment\nfact a : int  // b\n");
}

#[test]
fn the_examples_are_canonical() {
    for folder in ["examples", "benches/policies"] {
        for (path, text) in policies(&root().join(folder)) {
            let path = path.display();
            let formatted = format(&text).unwrap();
            assert!(formatted == text, "`rtbasc fmt {path}` would change it");
        }
    }
}

/// What stands between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let comment =
        prop_oneof![Just("//\n"), Just("// a\n"), Just("  // b, {  \r\n"), Just("//c\t\n")];
    prop_oneof![
        8 => Just(" ".to_owned()),
        4 => Just("\n".to_owned()),
        1 => "( |\t|\n|\r\n){1,6}",
        1 => (comment, "[ \n]{0,3}").prop_map(|(comment, blank)| format!("{comment}{blank}")),
        1 => Just("\n\n// own line\n".to_owned()),
    ]
}

/// A policy, and whether it keeps each of its gaps, or what comes instead.
fn mangled() -> impl Strategy<Value = String> {
    let known = known();
    let gaps = prop_oneof![Just(0.02), Just(0.2), Just(0.9)].prop_flat_map(|often| {
        proptest::collection::vec(proptest::option::weighted(often, trivia()), 1..200)
    });
    (0..known.len(), gaps).prop_map(move |(index, gaps)| mangle(&known[index].1, &gaps))
}

fn mangle(text: &str, gaps: &[Option<String>]) -> String {
    let mut mangled = String::new();
    let mut gaps = gaps.iter().cycle();
    let mut at = 0;
    for piece in pieces(text) {
        let (Piece::Token(piece) | Piece::Comment(piece)) = piece;
        let start = at + text[at..].find(&piece).unwrap();
        let gap = &text[at..start];
        // A comment goes on to the end of its line.
        let line = if gap.contains('\n') { "\n" } else { "" };
        match gaps.next().unwrap() {
            Some(other) => mangled += &format!("{line}{other}"),
            None => mangled += gap,
        }
        mangled += &piece;
        at = start + piece.len();
    }
    mangled + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_mangled_policy_is_formatted(text in mangled()) {
        lawful(&text)?;
    }
}
