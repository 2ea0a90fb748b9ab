//! Documents of lists and records in brackets: what JSON and Python have in common.
//!
//! The reader is our own, since it decides which bytes are whose: it gives exact spans, accepts no
//! more than its format's grammar, and needs neither recursion nor a tree to do so.

use std::borrow::Cow;
use std::marker::PhantomData;

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::value::MAX_DEPTH;

use super::token::{Count, DEEP, Expected, Notation, Reader, Scalar, Token};

/// What one format writes between the brackets.
pub(super) trait Notations {
    /// What a text is that this format reads, in words.
    const DOCUMENT: Expected;
    /// What closes a list that begins with a parenthesis, where the format has such lists.
    const HAS_TUPLES: bool;

    /// What the text in quotes at the start of `rest` means, and how many bytes it takes, quotes
    /// included. `None` if it begins with no quote.
    fn quoted(rest: &str) -> Option<Result<(Cow<'_, str>, usize), Expected>>;

    /// What a word means, in JSON's words.
    fn constant(word: &str) -> Option<&'static str>;
}

/// A document, read from its start.
#[derive(Debug)]
pub(super) struct Flow<'t, N> {
    text: &'t str,
    /// What is not read yet begins here.
    cursor: usize,
    /// The lists and records around the next token.
    open: Vec<Bracket>,
    place: Place,
    values: Count,
    notations: PhantomData<N>,
}

/// A list or record that has begun.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    close: u8,
    /// How many elements or fields have begun.
    items: usize,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A value.
    Value,
    /// The first element or key, or the end.
    Begin,
    /// A colon and a value.
    Colon,
    /// A comma and what follows it, or the end.
    Behind,
}

impl<'t, N: Notations> Flow<'t, N> {
    /// Starts to read a document.
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            cursor: 0,
            open: Vec::new(),
            place: Place::Value,
            values: Count::default(),
            notations: PhantomData,
        }
    }

    fn rest(&self) -> Result<&'t str, Expected> {
        self.text.get(self.cursor..).ok_or(N::DOCUMENT)
    }

    fn skip_blanks(&mut self) {
        let rest = self.text.as_bytes().get(self.cursor..).unwrap_or_default();
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.cursor += rest.iter().position(|byte| !blank(byte)).unwrap_or(rest.len());
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.cursor).copied()
    }

    /// Passes over a sign.
    fn pass(&mut self, sign: u8) -> Result<(), Expected> {
        if self.peek() != Some(sign) {
            return Err(N::DOCUMENT);
        }
        self.cursor += 1;
        self.skip_blanks();
        Ok(())
    }

    /// The end of the innermost list or record, if it stands here.
    fn end(&mut self, after_comma: bool) -> Result<Option<Token<'t>>, Expected> {
        let Some(bracket) = self.open.last().filter(|open| Some(open.close) == self.peek()) else {
            return Ok(None);
        };
        // `(1)` is no tuple, and `(1,)` is one.
        let is_single = bracket.close == b')' && bracket.items == 1;
        if is_single != after_comma {
            return Err(N::DOCUMENT);
        }
        self.open.pop();
        self.cursor += 1;
        self.place = Place::Behind;
        Ok(Some(Token::End(self.cursor)))
    }

    /// A value or a key.
    fn value(&mut self, is_key: bool) -> Result<Token<'t>, Expected> {
        self.values.add()?;
        let start = self.cursor;
        let close = match self.peek() {
            Some(b'[') => b']',
            Some(b'{') => b'}',
            Some(b'(') if N::HAS_TUPLES => b')',
            _ => return self.scalar(is_key).map(Token::Scalar),
        };
        if is_key {
            return Err(N::DOCUMENT);
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(DEEP);
        }
        self.open.push(Bracket { close, items: 0 });
        self.cursor += 1;
        self.place = Place::Begin;
        Ok(if close == b'}' { Token::Record(start) } else { Token::List(start) })
    }

    fn scalar(&mut self, is_key: bool) -> Result<Scalar<'t>, Expected> {
        let (start, rest) = (self.cursor, self.rest()?);
        let (text, length, notation) = match N::quoted(rest) {
            Some(quoted) => {
                let (text, length) = quoted?;
                (text, length, Notation::Quoted)
            }
            None if is_key => return Err(N::DOCUMENT),
            None => {
                let (text, length) = word::<N>(rest)?;
                (text, length, Notation::Word)
            }
        };
        self.cursor += length;
        self.place = if is_key { Place::Colon } else { Place::Behind };
        Ok(Scalar { text, notation, span: start..self.cursor })
    }
}

impl<'t, N: Notations> Reader<'t> for Flow<'t, N> {
    fn next(&mut self) -> Result<Token<'t>, Expected> {
        self.skip_blanks();
        let is_key = match self.place {
            Place::Value => false,
            Place::Colon => {
                self.pass(b':')?;
                false
            }
            place @ (Place::Begin | Place::Behind) => {
                if let Some(end) = self.end(false)? {
                    return Ok(end);
                }
                if place == Place::Behind {
                    self.pass(b',')?;
                    if let Some(end) = self.end(true)? {
                        return Ok(end);
                    }
                }
                let bracket = self.open.last_mut().ok_or(N::DOCUMENT)?;
                bracket.items += 1;
                bracket.close == b'}'
            }
        };
        self.value(is_key)
    }

    fn finish(mut self) -> Result<(), Expected> {
        self.skip_blanks();
        let is_whole = self.cursor == self.text.len() && self.open.is_empty();
        if is_whole && self.place == Place::Behind { Ok(()) } else { Err(N::DOCUMENT) }
    }
}

/// A constant or a number, and how long it is.
fn word<N: Notations>(rest: &str) -> Result<(Cow<'_, str>, usize), Expected> {
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.'));
    let word = rest.split(ends).next().unwrap_or_default();
    if let Some(constant) = N::constant(word) {
        return Ok((Cow::Borrowed(constant), word.len()));
    }
    match word.parse::<Decimal>() {
        Ok(_) => Ok((Cow::Borrowed(word), word.len())),
        Err(_) if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => Err(NUMBER),
        Err(_) => Err(N::DOCUMENT),
    }
}

const NUMBER: Expected = "numbers of at most 34 digits, written as in JSON";

/// The code point that an escape gives in hexadecimal, at the start of a text.
pub(super) fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// The text in the quotes that `rest` begins with, and how many bytes it takes with them. `escape`
/// gives what is escaped at the start of a text, behind the backslash, and how long that is.
pub(super) fn quoted(
    rest: &str,
    quote: u8,
    escape: impl Fn(&str) -> Option<(char, usize)>,
) -> Option<(Cow<'_, str>, usize)> {
    let mut text = Cow::Borrowed("");
    let mut from = 1;
    loop {
        let bytes = rest.as_bytes().get(from..)?;
        let stops = |byte: &u8| *byte == quote || *byte == b'\\' || *byte < b' ';
        let at = from + bytes.iter().position(stops)?;
        let plain = rest.get(from..at)?;
        if text.is_empty() {
            text = Cow::Borrowed(plain);
        } else {
            text.to_mut().push_str(plain);
        }
        match rest.as_bytes().get(at)? {
            byte if *byte == quote => return Some((text, at + 1)),
            b'\\' => {
                let (escaped, length) = escape(rest.get(at + 1..)?)?;
                text.to_mut().push(escaped);
                from = at + 1 + length;
            }
            // A control character stands in no quotes.
            _ => return None,
        }
    }
}
