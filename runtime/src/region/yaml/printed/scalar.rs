//! Scalars on one or several lines: without quotes, in either quotes, or as a literal block.

use std::borrow::Cow;

use super::{OTHER, Reader};
use crate::region::flow::hexadecimal;
use crate::region::token::{Expected, Notation, Scalar};

impl<'t> Reader<'t> {
    /// The scalar that begins here, in a list or record at a column.
    pub(super) fn scalar(&mut self, column: usize) -> Result<Scalar<'t>, Expected> {
        let start = self.at;
        let (text, notation) = match self.byte(start).ok_or(OTHER)? {
            b'\'' => (self.single(column)?, Notation::Quoted),
            b'"' => (self.double(column)?, Notation::Quoted),
            b'|' => (self.literal(column)?, Notation::Quoted),
            _ => (self.plain(column)?, Notation::Plain),
        };
        if notation == Notation::Quoted {
            self.end = self.at;
        }
        self.go_behind_line()?;
        Ok(Scalar { text, notation, span: start..self.end })
    }

    /// Text without quotes, which goes on in the lines that are indented further.
    fn plain(&mut self, column: usize) -> Result<Cow<'t, str>, Expected> {
        let is_start = match (self.byte(self.at), self.byte(self.at + 1)) {
            (Some(b'-'), Some(next)) => next.is_ascii_digit(),
            (Some(first), _) => {
                first.is_ascii_alphanumeric() || b"_/($+.~".contains(&first) || !first.is_ascii()
            }
            (None, _) => false,
        };
        if !is_start {
            return Err(OTHER);
        }
        let mut text = Cow::Borrowed(self.plain_line()?);
        while let Some((line, next)) = self.next_line(self.at) {
            if next - line <= column {
                break;
            }
            if matches!(self.byte(next), Some(b'#' | b'-' | b'?' | b':')) {
                return Err(OTHER);
            }
            fold(text.to_mut(), self.slice(self.at, line)?);
            (self.line, self.at) = (line, next);
            let more = self.plain_line()?;
            text.to_mut().push_str(more);
        }
        Ok(text)
    }

    /// The rest of a line of text without quotes. No field's name and no comment is in it.
    fn plain_line(&mut self) -> Result<&'t str, Expected> {
        let start = self.at;
        let rest = self.rest(start);
        let mut last = b' ';
        let mut length = rest.len();
        for (i, &byte) in rest.iter().enumerate() {
            match byte {
                b'\n' if last == b':' => return Err(OTHER),
                b'\n' => {
                    length = i;
                    break;
                }
                b' ' if last == b':' => return Err(OTHER),
                b'#' if last == b' ' => return Err(OTHER),
                _ => {}
            }
            last = byte;
        }
        self.at = start + length;
        if last == b':' {
            return Err(OTHER);
        }
        let line = self.slice(start, self.at)?.trim_end_matches(' ');
        self.end = start + line.len();
        Ok(line)
    }

    /// Goes on behind a break in text in quotes, and adds what the break stands for.
    fn fold(&mut self, text: &mut String, column: usize) -> Result<(), Expected> {
        let (line, next) = self.next_line(self.at).ok_or(OTHER)?;
        if next - line <= column {
            return Err(OTHER);
        }
        fold(text, self.slice(self.at, line)?);
        (self.line, self.at) = (line, next);
        Ok(())
    }

    fn single(&mut self, column: usize) -> Result<Cow<'t, str>, Expected> {
        let mut text = Cow::Borrowed("");
        self.at += 1;
        loop {
            let run = self.run(|byte| byte == b'\'' || byte == b'\n')?;
            match (self.byte(self.at), self.byte(self.at + 1)) {
                (Some(b'\''), Some(b'\'')) => {
                    add(&mut text, run);
                    text.to_mut().push('\'');
                    self.at += 2;
                }
                (Some(b'\''), _) => {
                    add(&mut text, run);
                    self.at += 1;
                    return Ok(text);
                }
                _ => {
                    add(&mut text, run.trim_end_matches(' '));
                    self.fold(text.to_mut(), column)?;
                }
            }
        }
    }

    fn double(&mut self, column: usize) -> Result<Cow<'t, str>, Expected> {
        let mut text = Cow::Borrowed("");
        self.at += 1;
        loop {
            let run = self.run(|byte| byte == b'"' || byte == b'\\' || byte == b'\n')?;
            match self.byte(self.at) {
                Some(b'"') => {
                    add(&mut text, run);
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    add(&mut text, run);
                    self.at += 1;
                    self.escape(text.to_mut(), column)?;
                }
                _ => {
                    add(&mut text, run.trim_end_matches(' '));
                    self.fold(text.to_mut(), column)?;
                }
            }
        }
    }

    /// Text up to a byte that stops it.
    fn run(&mut self, stops: impl Fn(u8) -> bool) -> Result<&'t str, Expected> {
        let start = self.at;
        let length = self.rest(start).iter().position(|byte| stops(*byte)).ok_or(OTHER)?;
        self.at += length;
        self.slice(start, self.at)
    }

    /// What stands behind a backslash.
    fn escape(&mut self, text: &mut String, column: usize) -> Result<(), Expected> {
        let escaped = match self.byte(self.at).ok_or(OTHER)? {
            byte @ (b'"' | b'\\' | b'/' | b' ') => char::from(byte),
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'0' => '\0',
            b'x' => return self.code_point(text, 2),
            b'u' => return self.code_point(text, 4),
            b'U' => return self.code_point(text, 8),
            b'\n' => {
                let (line, next) = self.next_line(self.at).ok_or(OTHER)?;
                // An empty line would stand for something.
                if line != self.at + 1 || next - line <= column {
                    return Err(OTHER);
                }
                (self.line, self.at) = (line, next);
                return Ok(());
            }
            _ => return Err(OTHER),
        };
        text.push(escaped);
        self.at += 1;
        Ok(())
    }

    fn code_point(&mut self, text: &mut String, digits: usize) -> Result<(), Expected> {
        let written = self.text.get(self.at + 1..).ok_or(OTHER)?;
        let found = hexadecimal(written, digits).and_then(char::from_u32);
        text.push(found.ok_or(OTHER)?);
        self.at += 1 + digits;
        Ok(())
    }

    /// The lines behind `|` or `|-`, of which the first is not empty and the last is followed by
    /// another line or ends the text.
    fn literal(&mut self, column: usize) -> Result<Cow<'t, str>, Expected> {
        let is_stripped = self.byte(self.at + 1) == Some(b'-');
        let mut line = self.at + if is_stripped { 2 } else { 1 };
        if self.byte(line) != Some(b'\n') {
            return Err(OTHER);
        }
        line += 1;
        let indent = self.behind_blanks(line) - line;
        if indent <= column || self.is_end_of_line(line + indent) {
            return Err(OTHER);
        }
        let mut text = String::new();
        loop {
            match self.byte(line) {
                // Which empty lines belong to the text its end alone would tell.
                Some(b'\n') => {
                    let (next, at) = self.next_line(line).ok_or(OTHER)?;
                    let empty = self.text.get(line..next).unwrap_or_default();
                    if at - next < indent || empty.contains(|c| c != '\n') {
                        return Err(OTHER);
                    }
                    text.push_str(empty);
                    line = next;
                    continue;
                }
                None => break,
                Some(_) => {}
            }
            let begin = self.behind_blanks(line);
            if self.is_end_of_line(begin) {
                return Err(OTHER);
            }
            if begin - line < indent {
                break;
            }
            let rest = self.rest(line);
            let length = rest.iter().position(|byte| *byte == b'\n').ok_or(OTHER)?;
            text.push_str(self.slice(line + indent, line + length + 1)?);
            line += length + 1;
        }
        if is_stripped {
            text.truncate(text.trim_end_matches('\n').len());
        }
        self.at = line;
        Ok(Cow::Owned(text))
    }
}

/// Adds what line breaks between two lines stand for: `gap` is what stands between them, from the
/// first break to the last.
fn fold(text: &mut String, gap: &str) {
    let breaks = gap.bytes().filter(|byte| *byte == b'\n').count();
    if breaks == 1 {
        text.push(' ');
    }
    text.extend(std::iter::repeat_n('\n', breaks.saturating_sub(1)));
}

/// Adds a piece to a text, which is borrowed as long as it is one piece.
fn add<'t>(text: &mut Cow<'t, str>, piece: &'t str) {
    if text.is_empty() {
        *text = Cow::Borrowed(piece);
    } else {
        text.to_mut().push_str(piece);
    }
}
