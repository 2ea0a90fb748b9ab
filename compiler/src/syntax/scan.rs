//! What must hold of a text before it is parsed: every string and bracket is closed, brackets nest
//! to a bounded depth, and a reader sees every character.

use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Span, is_hidden};

/// Deepest nesting of brackets.
pub(super) const MAX_NESTING: usize = 64;

/// The first mistake.
pub(super) fn scan(file: FileId, text: &str) -> Option<Diagnostic> {
    if let Some(mistake) = unseen(file, text) {
        return Some(mistake);
    }
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        let span = Span::new(file, at..at + character.len_utf8());
        match character {
            '/' if characters.as_str().starts_with('/') => {
                characters.find(|(_, character)| *character == '\n');
            }
            '"' | '`' | '/' => {
                let mut escaped = false;
                loop {
                    match characters.next() {
                        None | Some((_, '\n')) => return Some(unclosed_quote(span, character)),
                        Some((at, '\t')) if character == '`' => {
                            let tab = Span::new(file, at..at + 1);
                            let message = "a tab stands in this name, and looks like blanks";
                            let mistake = Diagnostic::new(Code::E0104, tab, message);
                            return Some(mistake.help("write a blank").fix(tab, " "));
                        }
                        Some((_, c)) if c == character && !escaped => break,
                        Some((_, c)) => escaped = character != '`' && c == '\\' && !escaped,
                    }
                }
            }
            '{' | '[' | '(' if open.len() == MAX_NESTING => {
                let message = format!("brackets are nested more than {MAX_NESTING} deep");
                return Some(Diagnostic::new(Code::E0103, span, message));
            }
            '{' | '[' | '(' => open.push((at, character)),
            '}' | ']' | ')' => match open.pop() {
                Some((_, opening)) if closing(opening) == character => {}
                opening => {
                    let next = characters.as_str().trim_start().chars().next();
                    return Some(crossed(span, character, opening, next));
                }
            },
            _ => {}
        }
    }
    let (at, opening) = open.pop()?;
    Some(unclosed(file, text, at, opening))
}

/// Words that begin an item.
const ITEMS: [&str; 15] = [
    "condition",
    "fact",
    "import",
    "label",
    "lattice",
    "lint",
    "message",
    "never",
    "policy",
    "store",
    "test",
    "tool",
    "tools",
    "type",
    "use",
];

/// A bracket that stands open. Where lines are indented, the item that follows shows where it was
/// to be closed.
fn unclosed(file: FileId, text: &str, at: usize, opening: char) -> Diagnostic {
    let close = closing(opening);
    let message = format!("`{opening}` is never closed: expected `{close}`");
    let diagnostic = Diagnostic::new(Code::E0102, Span::new(file, at..at + 1), message);
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let before = text.get(..at).unwrap_or_default();
    let outer = indent(before.rsplit('\n').next().unwrap_or_default());
    let mut start = at;
    for line in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        let word = line.trim_start();
        let word = word.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
        if start > at && indent(line) <= outer && ITEMS.contains(&word) {
            let item = start + indent(line);
            let span = Span::new(file, item..item + word.len());
            let place = Span::new(file, start..start);
            return diagnostic
                .label(span, "the next item begins here")
                .help(format!("write `{close}` before this `{word}`"))
                .fix(place, format!("{close}\n"));
        }
        start += line.len();
    }
    let end = Span::new(file, text.len()..text.len());
    diagnostic
        .help(format!("write `{close}` at the end, or where it belongs"))
        .fix(end, format!("\n{close}\n"))
}

fn closing(opening: char) -> char {
    match opening {
        '{' => '}',
        '[' => ']',
        _ => ')',
    }
}

/// The first character that a reader of the policy does not see, or sees as something else.
fn unseen(file: FileId, text: &str) -> Option<Diagnostic> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        let span = Span::new(file, at..at + character.len_utf8());
        let mistake = |message: &str| Some(Diagnostic::new(Code::E0104, span, message));
        match character {
            // Some programs begin a line here, in which a comment of ours would go on.
            '\r' if !characters.as_str().starts_with('\n') => {
                let message = "a carriage return alone ends no line here, and ends one elsewhere";
                let help = "end lines with a line feed, as `\\n`, or with both, as `\\r\\n`";
                return mistake(message).map(|mistake| mistake.help(help).fix(span, "\n"));
            }
            '\u{feff}' if at == 0 => {
                let message = "the file begins with a byte order mark, which cannot be seen";
                let help = "delete it: save the file as UTF-8 without one";
                return mistake(message).map(|mistake| mistake.help(help).fix(span, ""));
            }
            _ if is_hidden(character) => {
                let code = u32::from(character);
                let message =
                    format!("the character U+{code:04X} cannot be seen by a reader of the policy");
                let units = character.encode_utf16(&mut [0; 2]).to_vec();
                let escape: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
                let help = format!("delete it; in a string, write it as `{escape}`");
                return mistake(&message).map(|mistake| mistake.help(help).fix(span, ""));
            }
            _ => {}
        }
    }
    None
}

fn unclosed_quote(span: Span, quote: char) -> Diagnostic {
    let (what, close) = match quote {
        '"' => ("string", "`\"`"),
        '/' => ("pattern", "`/`"),
        _ => ("quoted name", "a backtick"),
    };
    let message = format!("this {what} is not closed: expected {close} on the same line");
    let diagnostic = Diagnostic::new(Code::E0102, span, message);
    if quote == '/' {
        diagnostic.help("in a pattern a slash is `\\/`; a comment begins with `//`")
    } else if quote == '"' {
        diagnostic.help("a line break in a string is written `\\n`")
    } else {
        diagnostic
    }
}

/// A bracket that closes another than the last open one; `next` is what follows it.
fn crossed(
    span: Span,
    found: char,
    opening: Option<(usize, char)>,
    next: Option<char>,
) -> Diagnostic {
    match opening {
        None => Diagnostic::new(Code::E0102, span, format!("`{found}` closes nothing"))
            .help(format!("delete `{found}`"))
            .fix(span, ""),
        Some((at, opening)) => {
            let expected = closing(opening);
            let open = Span::new(span.file, at..at + 1);
            let message = format!("expected `{expected}`, found `{found}`");
            let diagnostic = Diagnostic::new(Code::E0102, span, message)
                .label(open, format!("this `{opening}` is still open"));
            match next {
                Some(next) if next == expected => {
                    diagnostic.help(format!("delete `{found}`")).fix(span, "")
                }
                _ => diagnostic.help(format!("write `{expected}`")).fix(span, expected),
            }
        }
    }
}
