//! What holds of every text that has a canonical form, whoever wrote it.

use proptest::prelude::*;
use rtbas_compiler::diag::{Diagnostics, render};
use rtbas_compiler::source::Sources;
use rtbas_compiler::syntax;
use rtbas_grammar::Pair;

pub(crate) fn format(text: &str) -> Result<String, String> {
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
pub(crate) enum Piece {
    Token(String),
    Comment(String),
}

pub(crate) fn pieces(text: &str) -> Vec<Piece> {
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
pub(crate) fn lawful(text: &str) -> Result<String, TestCaseError> {
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
