//! YAML as programs print it: a small part of the language, read fast.
//!
//! Lists and records in blocks, names without quotes, and scalars on one or several lines, without
//! quotes, in either quotes or as a literal block; no tab and no character that cannot be seen.
//! Whatever else a text holds ends the reading with an error that says no more than that, and the
//! reader of the whole language starts over. Where this one reaches the end of a text, that one
//! gives the same tokens; the tests below hold the two against each other.

mod scalar;

use std::borrow::Cow;

use rtbas_artifact::value::MAX_DEPTH;

use crate::region::token::{self, Count, Expected, Notation, Scalar, Token};

/// What a text holds that this reader does not read.
const OTHER: Expected = "YAML as programs print it";

/// The longest name. Names that are much longer must not stand without a `?`.
const MAX_NAME: usize = 256;

/// A document, read from its start.
#[derive(Debug)]
pub(in crate::region) struct Reader<'t> {
    text: &'t str,
    /// What is not read yet begins here.
    at: usize,
    /// Where its line begins.
    line: usize,
    /// Where the last value ended.
    end: usize,
    /// The lists and records around the next token.
    open: Vec<Block>,
    place: Place,
    values: Count,
}

/// A list or record that has begun.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Where its dashes or names stand in their lines.
    column: usize,
    is_record: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The list or record that is the document.
    Start,
    /// A name, which ends at this byte.
    Name(usize),
    /// A dash.
    Dash,
    /// The end of `[]` or `{}`.
    Brackets,
    /// A value, behind a colon or a dash.
    Value,
    /// Something in this column of a new line, or the end of the text.
    Line(Option<usize>),
    /// Nothing.
    Done,
}

impl<'t> Reader<'t> {
    /// Starts to read a document.
    pub(in crate::region) fn new(text: &'t str) -> Self {
        let place = if is_seen(text) { Place::Start } else { Place::Done };
        let (open, values) = (Vec::new(), Count::default());
        Self { text, at: 0, line: 0, end: 0, open, place, values }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    fn slice(&self, from: usize, to: usize) -> Result<&'t str, Expected> {
        self.text.get(from..to).ok_or(OTHER)
    }

    /// The place behind blanks.
    fn behind_blanks(&self, from: usize) -> usize {
        let rest = self.rest(from);
        from + rest.iter().position(|byte| *byte != b' ').unwrap_or(rest.len())
    }

    /// Whether a line ends here.
    fn is_end_of_line(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b'\n'))
    }

    /// Whether a dash that begins an element stands here.
    fn is_dash(&self, at: usize) -> bool {
        self.byte(at) == Some(b'-') && matches!(self.byte(at + 1), Some(b' ' | b'\n'))
    }

    /// Where the next line with something on it begins, and where that thing stands; from the end
    /// of a line. `None` at the end of the text.
    fn next_line(&self, mut at: usize) -> Option<(usize, usize)> {
        while self.byte(at) == Some(b'\n') {
            let line = at + 1;
            at = self.behind_blanks(line);
            if !self.is_end_of_line(at) {
                return Some((line, at));
            }
        }
        None
    }

    /// Goes to the next line with something on it; gives the column of that thing.
    fn go_to_next_line(&mut self) -> Option<usize> {
        let next = self.next_line(self.at);
        (self.line, self.at) = next.unwrap_or((self.text.len(), self.text.len()));
        next.map(|(line, at)| at - line)
    }

    /// Where the name ends that stands here with a colon behind it.
    fn name(&self, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        rest.first().filter(|byte| is_letter(byte))?;
        let inside = |byte: &u8| is_letter(byte) || b" .@/-".contains(byte);
        let length = rest.iter().take(MAX_NAME).position(|byte| !inside(byte))?;
        let is_name = rest.get(length) == Some(&b':')
            && matches!(rest.get(length + 1), Some(b' ' | b'\n'))
            && rest.get(length.checked_sub(1)?) != Some(&b' ');
        is_name.then_some(at + length)
    }

    /// The list or record in lines of its own that begins here.
    fn block(&mut self, column: usize) -> Result<Token<'t>, Expected> {
        let is_record = !self.is_dash(self.at);
        self.place = match self.name(self.at) {
            _ if !is_record => Place::Dash,
            Some(end) => Place::Name(end),
            None => return Err(OTHER),
        };
        self.begin(Block { column, is_record })
    }

    fn begin(&mut self, block: Block) -> Result<Token<'t>, Expected> {
        self.values.add()?;
        if self.open.len() >= MAX_DEPTH {
            return Err(OTHER);
        }
        self.open.push(block);
        Ok(if block.is_record { Token::Record(self.at) } else { Token::List(self.at) })
    }

    /// The value behind a colon or a dash.
    fn value(&mut self) -> Result<Token<'t>, Expected> {
        let around = *self.open.last().ok_or(OTHER)?;
        self.at = self.behind_blanks(self.at);
        if self.is_end_of_line(self.at) {
            let column = self.go_to_next_line().ok_or(OTHER)?;
            // A list may stand as far left as the name of the field that it is.
            let is_deeper = column > around.column;
            let is_list = around.is_record && column == around.column && self.is_dash(self.at);
            return if is_deeper || is_list { self.block(column) } else { Err(OTHER) };
        }
        let begins_block = self.is_dash(self.at) || self.name(self.at).is_some();
        if !around.is_record && begins_block {
            return self.block(self.at - self.line);
        }
        match (self.byte(self.at), self.byte(self.at + 1)) {
            (Some(b'['), Some(b']')) => {
                self.place = Place::Brackets;
                self.begin(Block { column: around.column, is_record: false })
            }
            (Some(b'{'), Some(b'}')) => {
                self.place = Place::Brackets;
                self.begin(Block { column: around.column, is_record: true })
            }
            _ => {
                self.values.add()?;
                self.scalar(around.column).map(Token::Scalar)
            }
        }
    }

    /// Goes to the next line, where nothing but blanks stands on this one.
    fn go_behind_line(&mut self) -> Result<(), Expected> {
        // A literal block ends behind its last line.
        if self.at > self.line && self.byte(self.at - 1) == Some(b'\n') {
            self.at -= 1;
        }
        self.at = self.behind_blanks(self.at);
        if !self.is_end_of_line(self.at) {
            return Err(OTHER);
        }
        self.place = Place::Line(self.go_to_next_line());
        Ok(())
    }

    /// What stands in this column of the line, or the end of a list or record before it.
    fn line(&mut self, column: Option<usize>) -> Result<Token<'t>, Expected> {
        let block = *self.open.last().ok_or(OTHER)?;
        if let Some(column) = column {
            let is_dash = self.is_dash(self.at);
            let is_here = column == block.column;
            if column > block.column || is_here && block.is_record && is_dash {
                return Err(OTHER);
            }
            if is_here && block.is_record {
                return self.named(self.name(self.at).ok_or(OTHER)?);
            }
            if is_here && is_dash {
                return self.element();
            }
        }
        self.open.pop();
        if self.open.is_empty() {
            if column.is_some() {
                return Err(OTHER);
            }
            self.place = Place::Done;
        }
        Ok(Token::End(self.end))
    }

    fn named(&mut self, end: usize) -> Result<Token<'t>, Expected> {
        self.values.add()?;
        let (start, text) = (self.at, self.slice(self.at, end)?);
        self.at = end + 1;
        self.place = Place::Value;
        let text = Cow::Borrowed(text);
        Ok(Token::Scalar(Scalar { text, notation: Notation::Plain, span: start..end }))
    }

    fn element(&mut self) -> Result<Token<'t>, Expected> {
        self.at += 1;
        self.value()
    }

    fn brackets(&mut self) -> Result<Token<'t>, Expected> {
        self.open.pop();
        self.at += 2;
        self.end = self.at;
        self.go_behind_line()?;
        Ok(Token::End(self.end))
    }
}

impl<'t> token::Reader<'t> for Reader<'t> {
    fn next(&mut self) -> Result<Token<'t>, Expected> {
        match self.place {
            Place::Start if self.behind_blanks(0) == 0 && !self.is_end_of_line(0) => self.block(0),
            Place::Start | Place::Done => Err(OTHER),
            Place::Name(end) => self.named(end),
            Place::Dash => self.element(),
            Place::Brackets => self.brackets(),
            Place::Value => self.value(),
            Place::Line(column) => self.line(column),
        }
    }

    fn finish(self) -> Result<(), Expected> {
        if self.place == Place::Done && self.open.is_empty() { Ok(()) } else { Err(OTHER) }
    }
}

/// Whether every character of a text is one that can be seen, a blank or the end of a line.
fn is_seen(text: &str) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && *byte != b'\n' || *byte == 0x7f;
    // Without an early end within a chunk, its bytes are looked at many at a time.
    let is_seen = |chunk: &[u8]| !chunk.iter().fold(false, |found, byte| found | is_control(byte));
    let is_hidden = |c| {
        matches!(
            c,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    text.as_bytes().chunks(256).all(is_seen) && (text.is_ascii() || !text.contains(is_hidden))
}

#[cfg(test)]
mod tests;
