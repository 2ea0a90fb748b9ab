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
use rtbas_compiler::diag::{Diagnostics, render};
use rtbas_compiler::source::Sources;
use rtbas_compiler::syntax;
use rtbas_grammar::Pair;

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

fn format(text: &str) -> Result<String, String> {
    let mut load = |_: &str| Ok(text.to_owned());
    let mut sources = Sources::new(&mut load);
    let (formatted, diagnostics) = rtbas_compiler::format(&mut sources, "a.pol");
    formatted.ok_or_else(|| render::human(&sources, &diagnostics, false))
}

/// The syntax tree, without the places where things stand.
fn tree(text: &str) -> String {
    // What is imported is not formatted, so it may say nothing.
    let other = "policy other edition 2026";
    let mut load = |path: &str| Ok(if path == "a.pol" { text } else { other }.to_owned());
    let mut sources = Sources::new(&mut load);
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(&mut sources, "a.pol", &mut diagnostics).unwrap();
    let tree = format!("{tree:?}");
    let mut parts = tree.split("Span {");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + "Span" + part.split_once('}').unwrap().1)
}

/// What a text consists of, white space left out.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Token(String),
    Comment(String),
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    collect(text, rtbas_grammar::parse(text).unwrap(), &mut at, &mut pieces);
    between(&text[at..], &mut pieces);
    pieces
}

fn collect(text: &str, pair: Pair<'_>, at: &mut usize, pieces: &mut Vec<Piece>) {
    let span = pair.as_span();
    if pair.clone().into_inner().next().is_some() {
        pair.into_inner().for_each(|part| collect(text, part, at, pieces));
    } else if span.start() < span.end() {
        between(&text[*at..span.start()], pieces);
        // A leaf that is not quoted may have white space and comments at its end.
        let leaf = match span.as_str() {
            quoted if quoted.starts_with(['"', '`', '/']) => quoted,
            leaf => leaf.split("//").next().unwrap().trim_end(),
        };
        pieces.push(Piece::Token(leaf.to_owned()));
        *at = span.start() + leaf.len();
    }
}

/// Comments, and signs that have no rule.
fn between(text: &str, pieces: &mut Vec<Piece>) {
    for line in text.lines() {
        let (signs, comment) = line.find("//").map_or((line, ""), |at| line.split_at(at));
        pieces.extend(signs.split_whitespace().map(|sign| Piece::Token(sign.to_owned())));
        if !comment.is_empty() {
            pieces.push(Piece::Comment(comment.trim_end().to_owned()));
        }
    }
}

fn comments(text: &str) -> Vec<Piece> {
    pieces(text).into_iter().filter(|piece| matches!(piece, Piece::Comment(_))).collect()
}

/// Tokens, without commas behind the last entry of a list.
fn tokens(text: &str) -> Vec<Piece> {
    let mut tokens: Vec<Piece> = pieces(text);
    tokens.retain(|piece| matches!(piece, Piece::Token(_)));
    let is = |piece: Option<&Piece>, signs: &[&str]| matches!(piece, Some(Piece::Token(token)) if signs.contains(&token.as_str()));
    let kept =
        |at: &usize| !is(tokens.get(*at), &[","]) || !is(tokens.get(at + 1), &["]", "}", ")"]);
    (0..tokens.len()).filter(kept).map(|at| tokens[at].clone()).collect()
}

/// What holds of every text and its canonical form, which is given.
fn lawful(text: &str) -> Result<String, TestCaseError> {
    let formatted = format(text).map_err(TestCaseError::fail)?;
    prop_assert_eq!(tree(text), tree(&formatted), "{}\nbecame\n{}", text, formatted);
    prop_assert_eq!(tokens(text), tokens(&formatted));
    prop_assert_eq!(comments(text), comments(&formatted), "{}\nbecame\n{}", text, formatted);
    let again = format(&formatted).map_err(TestCaseError::fail)?;
    prop_assert_eq!(&formatted, &again, "{}\nbecame\n{}\nbecame\n{}", text, formatted, again);
    prop_assert!(formatted.ends_with('\n') && !formatted.ends_with("\n\n"), "{}", formatted);
    prop_assert!(!formatted.starts_with('\n') && !formatted.contains("\n\n\n"), "{}", formatted);
    prop_assert!(!formatted.contains(" \n") && !formatted.contains('\r'), "{}", formatted);
    Ok(formatted)
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
