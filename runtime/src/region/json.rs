//! JSON: RFC 8259, of which more than one reading is refused: a lone surrogate is no text, and a
//! name given twice is refused where records are read.

use std::borrow::Cow;

use super::flow::{Flow, Notations, hexadecimal, quoted};
use super::token::Expected;

/// A JSON document, read from its start.
pub(super) type Reader<'t> = Flow<'t, Json>;

/// How JSON writes.
#[derive(Debug)]
pub(super) struct Json;

impl Notations for Json {
    const DOCUMENT: Expected = "one document of valid JSON";
    const HAS_TUPLES: bool = false;

    fn quoted(rest: &str) -> Option<Result<(Cow<'_, str>, usize), Expected>> {
        let is_quoted = rest.starts_with('"');
        is_quoted.then(|| quoted(rest, b'"', escaped).ok_or(Self::DOCUMENT))
    }

    fn constant(word: &str) -> Option<&'static str> {
        ["null", "true", "false"].into_iter().find(|constant| *constant == word)
    }
}

/// What is escaped at the start of a text, behind the backslash, and how long that is.
fn escaped(text: &str) -> Option<(char, usize)> {
    let simple = match text.as_bytes().first()? {
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return code_point(text),
        _ => return None,
    };
    Some((simple, 1))
}

/// `u` and four digits, or the two of a surrogate pair.
fn code_point(text: &str) -> Option<(char, usize)> {
    let first = hexadecimal(text.get(1..)?, 4)?;
    if let Some(found) = char::from_u32(first) {
        return Some((found, 5));
    }
    let second = hexadecimal(text.get(5..)?.strip_prefix("\\u")?, 4)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let found = char::decode_utf16(pair).next()?.ok()?;
    Some((found, 11))
}
