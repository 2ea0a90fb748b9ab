//! What must hold of a text before it is parsed: every string and bracket is closed, brackets nest
//! to a bounded depth, and a reader sees every character.

use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Span, is_hidden};

/// Deepest nesting of brackets.
pub(super) const MAX_NESTING: usize = 64;

/// The first mistake.
pub(super) fn scan(file: FileId, text: &str) -> Option<Diagnostic> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        let span = Span::new(file, at..at + character.len_utf8());
        match character {
            _ if is_hidden(character) => return Some(unseen(span, character)),
            '/' if characters.as_str().starts_with('/') => {
                for (at, character) in characters.by_ref() {
                    if is_hidden(character) {
                        let span = Span::new(file, at..at + character.len_utf8());
                        return Some(unseen(span, character));
                    }
                    if character == '\n' {
                        break;
                    }
                }
            }
            '"' | '`' | '/' => {
                let mut escaped = false;
                loop {
                    match characters.next() {
                        Some((at, c)) if is_hidden(c) => {
                            return Some(unseen(Span::new(file, at..at + c.len_utf8()), c));
                        }
                        None | Some((_, '\n')) => return Some(unclosed_quote(span, character)),
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
                opening => return Some(crossed(file, span, character, opening)),
            },
            _ => {}
        }
    }
    let (at, opening) = open.pop()?;
    let message = format!("`{opening}` is never closed: expected `{}`", closing(opening));
    Some(Diagnostic::new(Code::E0102, Span::new(file, at..at + 1), message))
}

fn closing(opening: char) -> char {
    match opening {
        '{' => '}',
        '[' => ']',
        _ => ')',
    }
}

fn unseen(span: Span, character: char) -> Diagnostic {
    let code = u32::from(character);
    let message = format!("the character U+{code:04X} cannot be seen by a reader of the policy");
    Diagnostic::new(Code::E0104, span, message)
        .help(format!("delete it; in a string, write it as `\\u{code:04x}`"))
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

fn crossed(file: FileId, span: Span, found: char, opening: Option<(usize, char)>) -> Diagnostic {
    match opening {
        None => Diagnostic::new(Code::E0102, span, format!("`{found}` closes nothing")),
        Some((at, opening)) => {
            let expected = closing(opening);
            Diagnostic::new(Code::E0102, span, format!("expected `{expected}`, found `{found}`"))
                .label(Span::new(file, at..at + 1), format!("this `{opening}` is still open"))
        }
    }
}
