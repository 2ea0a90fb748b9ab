//! Python literals as `repr` prints them: dicts with texts as keys, lists, tuples, texts, numbers,
//! `True`, `False` and `None`.
//!
//! Python's own grammar has more ways to write the same, and some to write what is no value:
//! prefixes, texts that join without a comma, three quotes, other escapes, calls, comments. `repr`
//! prints none of the former, and which value the latter have no program can tell, so all of them
//! are refused. So are sets, which cannot be told from dicts before their first element is read.

use std::borrow::Cow;

use super::flow::{Flow, Notations, hexadecimal, quoted};
use super::token::Expected;

/// A Python literal, read from its start.
pub(super) type Reader<'t> = Flow<'t, Python>;

/// How Python writes.
#[derive(Debug)]
pub(super) struct Python;

impl Notations for Python {
    const DOCUMENT: Expected = "one Python literal as `repr` prints it";
    const HAS_TUPLES: bool = true;

    fn quoted(rest: &str) -> Option<Result<(Cow<'_, str>, usize), Expected>> {
        let quote = *rest.as_bytes().first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
        Some(quoted(rest, quote, escaped).ok_or(Self::DOCUMENT))
    }

    fn constant(word: &str) -> Option<&'static str> {
        Some(match word {
            "None" => "null",
            "True" => "true",
            "False" => "false",
            _ => return None,
        })
    }
}

/// What is escaped at the start of a text, behind the backslash, and how long that is. Surrogates
/// are no text.
fn escaped(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes().first()? {
        byte @ (b'\'' | b'"' | b'\\') => return Some((char::from(*byte), 1)),
        b'n' => return Some(('\n', 1)),
        b'r' => return Some(('\r', 1)),
        b't' => return Some(('\t', 1)),
        b'x' => 2,
        b'u' => 4,
        b'U' => 8,
        _ => return None,
    };
    let found = char::from_u32(hexadecimal(text.get(1..)?, digits)?)?;
    Some((found, 1 + digits))
}
