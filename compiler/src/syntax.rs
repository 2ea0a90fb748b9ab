//! Phase 1: text → [`ast`].
//!
//! Takes a file, gives its syntax tree, with the items of the files that it imports, or says where
//! the text stops being a policy. Before the generated parser runs, `scan` bounds the nesting of
//! brackets, and with it all recursion over the tree, here and in later phases.

use std::collections::BTreeSet;

use rtbas_grammar::Pair;

use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::source::{FileId, LoadError, Sources, Span};

pub mod ast;
mod parse;
mod scan;
mod habit;
mod import;

pub(crate) use habit::condition::value as value_elsewhere;

/// Loads a policy with the files that it imports, and parses them.
pub fn parse(
    sources: &mut Sources<'_>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Policy> {
    let file = load(sources, None, path, diagnostics)?;
    let policy = parse_file(sources, file, diagnostics)?;
    let policy = import::follow(sources, policy, diagnostics);
    diagnostics.gate(policy)
}

/// Loads a file: the policy, or one that is imported at a place.
pub(crate) fn load(
    sources: &mut Sources<'_>,
    at: Option<Span>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<FileId> {
    let loaded = match at {
        Some(at) => sources.load_beside(at.file, path),
        None => sources.load(path),
    };
    let unreadable = |error: LoadError| {
        Diagnostic::new(Code::E0101, at, format!("`{path}` cannot be read: {error}"))
    };
    loaded.map_err(|error| diagnostics.push(unreadable(error))).ok()
}

fn parse_file(
    sources: &Sources<'_>,
    file: FileId,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Policy> {
    let matched = matched(sources, file, diagnostics)?;
    policy(file, &matched, diagnostics)
}

/// Matches a text with the grammar.
pub(crate) fn matched<'s>(
    sources: &'s Sources<'_>,
    file: FileId,
    diagnostics: &mut Diagnostics,
) -> Option<Pair<'s>> {
    let text = sources.text(file);
    if let Some(mistake) = scan::scan(file, text) {
        diagnostics.push(mistake);
        return None;
    }
    let matched = rtbas_grammar::parse(text);
    matched.map_err(|error| diagnostics.push(unexpected(file, text, &error))).ok()
}

/// The syntax tree of a text that matched, without those of the files that it imports.
pub(crate) fn policy(
    file: FileId,
    matched: &Pair<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Policy> {
    parse::policy(file, matched, diagnostics)
}

/// What was expected, and what was found instead.
fn unexpected(file: FileId, text: &str, error: &rtbas_grammar::Unexpected) -> Diagnostic {
    let rest = text.get(error.offset..).unwrap_or("");
    let (found, length) = token(rest);
    let words: BTreeSet<String> =
        error.expected.iter().flat_map(|&at| rtbas_grammar::describe(at)).collect();
    // What has a name first, then keywords, then punctuation.
    let mut expected: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_keyword = |words: &str| words.starts_with('`');
    let is_symbol = |words: &str| is_keyword(words) && !words.contains(char::is_alphabetic);
    let is_end = |words: &str| words == END;
    expected.sort_by_key(|words| (is_end(words), is_symbol(words), is_keyword(words)));
    let short = in_short(&expected);
    let list = match short.split_last() {
        None => "something else".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    };
    let span = Span::new(file, error.offset..error.offset + length);
    let diagnostic = Diagnostic::new(Code::E0105, span, format!("expected {list}, found {found}"));
    let word = rest.get(..length).unwrap_or("");
    let stop = habit::Stop { text, offset: error.offset, found: word, expected: &expected };
    let similar = || {
        let keywords = expected.iter().filter(|words| !is_symbol(words));
        let keywords = keywords.filter_map(|words| words.strip_prefix('`')?.strip_suffix('`'));
        let meant = nearest(word, keywords.filter(|keyword| *keyword != word))?;
        let edits = vec![(span.range(), meant.to_owned())];
        Some(habit::Advice { help: format!("did you mean `{meant}`?"), edits })
    };
    let advice = habit::advice(&stop).or_else(similar).or_else(|| habit::last_advice(&stop));
    let Some(advice) = advice else {
        let left_out = GROUPS.iter().filter(|(name, _)| short.contains(name));
        return left_out.fold(diagnostic, |diagnostic, (name, words)| {
            diagnostic.note(format!("{name} begins with {}", words.join(", ")))
        });
    };
    let fix = |diagnostic: Diagnostic, (range, text)| diagnostic.fix(Span::new(file, range), text);
    advice.edits.into_iter().fold(diagnostic.help(advice.help), fix)
}

/// What the grammar calls the end of a text.
const END: &str = "the end of the file";

/// What begins a line of a tool, and what begins an item.
const GROUPS: [(&str, &[&str]); 2] = [
    (
        "the next line",
        &[
            "`adds`",
            "`allow`",
            "`approval`",
            "`changes`",
            "`confirm`",
            "`deny`",
            "`endorses`",
            "`errors`",
            "`reads`",
            "`result`",
            "`writes`",
        ],
    ),
    (
        "the next item",
        &[
            "`always`",
            "`condition`",
            "`declassify`",
            "`endorse`",
            "`fact`",
            "`import`",
            "`label`",
            "`lattice`",
            "`lint`",
            "`message`",
            "`never`",
            "`store`",
            "`test`",
            "`tool`",
            "`tools`",
            "`type`",
            "`use`",
        ],
    ),
];

/// What was expected, in few words: where a line or an item can go on, what begins the next one is
/// not spelled out.
fn in_short<'w>(expected: &[&'w str]) -> Vec<&'w str> {
    let mut short = expected.to_vec();
    for (name, words) in GROUPS {
        let is_other = |word: &&&str| !words.contains(word) && !matches!(**word, "`}`" | END);
        let others = short.iter().filter(is_other).count();
        let begun = words.iter().filter(|word| short.contains(word)).count();
        if others > 0 && begun * 4 > words.len() * 3 {
            short.retain(|word| !words.contains(word) && *word != END);
            let end = short.iter().position(|word| *word == "`}`").unwrap_or(short.len());
            short.insert(end, name);
        }
    }
    short
}

/// The first token of a text in words, and its length in bytes.
fn token(text: &str) -> (String, usize) {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let Some(first) = text.chars().next() else {
        return ("the end of the file".to_owned(), 0);
    };
    if first == '"' {
        return ("a string".to_owned(), first.len_utf8());
    }
    if first == '/' {
        return ("a pattern".to_owned(), first.len_utf8());
    }
    let length = match text.find(|c| !word(c)) {
        Some(0) => ["->", "=>", "==", "!=", "<=", ">=", "&&", "||"]
            .iter()
            .find(|symbol| text.starts_with(**symbol))
            .map_or(first.len_utf8(), |symbol| symbol.len()),
        Some(length) => length,
        None => text.len(),
    };
    (format!("`{}`", text.get(..length).unwrap_or("")), length)
}
