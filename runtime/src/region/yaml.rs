//! Reads a YAML 1.2 document as a stream of values with exact byte spans.
//!
//! Takes text, gives [`Token`]s or the words for what was expected instead. Which value is where is
//! the parser's word; that nothing else is written is not: the bytes between two scalars must be
//! white space or punctuation, a quoted scalar must lie within its quotes, and any other scalar must
//! spell its value. So comments, anchors, aliases, tags, directives, `?` keys and further documents
//! are refused whatever the parser does with them, and so is a text of which it skips a part.

pub(super) mod printed;

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, Span, StrInput, StructureStyle, options,
};

use rtbas_artifact::value::MAX_DEPTH;

use super::token::{Count, DEEP, Expected, Notation, Scalar, Token};

const SYNTAX: Expected = "one document of valid YAML";
const BARE: Expected = "values without comments, anchors, aliases, tags and directives";
const CHARACTERS: Expected = "no NUL, and a byte order mark only within quotes";
const BREAKS: Expected =
    "U+0085, U+2028 and U+2029 only within quotes: some readers of YAML begin a line there";
const QUOTES: Expected =
    "no backslash before a single quote, which YAML and Python read differently";

/// A document, read from its start.
pub(super) struct Reader<'t> {
    text: &'t str,
    parser: Parser<'t, StrInput<'t>>,
    /// The styles of the lists and records around the next token.
    open: Vec<StructureStyle>,
    /// Where the bytes begin that are not accounted for yet.
    cursor: usize,
    values: Count,
    has_mark: bool,
    has_old_break: bool,
}

impl<'t> Reader<'t> {
    /// Starts to read a document.
    pub(super) fn new(text: &'t str) -> Result<Self, Expected> {
        if text.contains('\0') {
            return Err(CHARACTERS);
        }
        let options = options! {
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
        };
        let mut reader = Self {
            text,
            parser: Parser::new_from_str_with_options(text, options),
            open: Vec::new(),
            cursor: 0,
            values: Count::default(),
            has_mark: text.contains('\u{feff}'),
            has_old_break: text.contains(is_old_break),
        };
        let (Event::StreamStart, _) = reader.event()? else { return Err(SYNTAX) };
        match reader.event()? {
            (Event::DocumentStart(false, _), _) => {}
            // Its `---` is punctuation.
            (Event::DocumentStart(true, _), span) => reader.account_for(&bytes(span)?)?,
            _ => return Err(SYNTAX),
        }
        Ok(reader)
    }

    fn slice(&self, range: Range<usize>) -> Result<&'t str, Expected> {
        self.text.get(range).ok_or(SYNTAX)
    }

    fn event(&mut self) -> Result<(Event<'t>, Span), Expected> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(e)) if *e.kind() == ErrorKind::RecursionLimitExceeded => Err(DEEP),
            _ => Err(SYNTAX),
        }
    }

    fn begin(&mut self, style: StructureStyle, start: usize) -> Result<usize, Expected> {
        if self.open.len() >= MAX_DEPTH {
            return Err(DEEP);
        }
        self.open.push(style);
        self.skip_to(start)?;
        Ok(start)
    }

    /// Where a list begins. Of one that is a field and as far indented as the field's name, the
    /// parser tells where its first element begins instead.
    fn dash(&self, style: StructureStyle, start: usize) -> Result<usize, Expected> {
        let gap = self.slice(self.cursor..start)?;
        let is_field = style == StructureStyle::Block && gap.trim_start().starts_with(':');
        let dash = gap.find('-').filter(|_| is_field);
        Ok(dash.map_or(start, |dash| self.cursor + dash))
    }

    /// The parser ends a block only where the next token begins; its own bytes end before that.
    fn end(&mut self, span: Span) -> Result<usize, Expected> {
        if self.open.pop() == Some(StructureStyle::Flow) {
            self.skip_to(bytes(span)?.end)?;
        }
        Ok(self.cursor)
    }

    fn scalar(
        &mut self,
        value: Cow<'t, str>,
        style: ScalarStyle,
        range: Range<usize>,
    ) -> Result<Scalar<'t>, Expected> {
        let raw = self.slice(range.clone())?;
        let (text, notation, span) = match style {
            ScalarStyle::Plain if raw.is_empty() => {
                let at = self.unwritten(range.start)?;
                (Cow::Borrowed(""), Notation::Plain, at..at)
            }
            ScalarStyle::Plain if spells(raw, &value) => (value, Notation::Plain, range),
            ScalarStyle::SingleQuoted if within(raw, '\'') => {
                let block = self.open.last() == Some(&StructureStyle::Block);
                if !block && escapes_quote(raw) {
                    return Err(QUOTES);
                }
                (value, Notation::Quoted, range)
            }
            ScalarStyle::DoubleQuoted if within(raw, '"') => (value, Notation::Quoted, range),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let span = self.block(&value, &range)?;
                (value, Notation::Quoted, span)
            }
            ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                return Err(BARE);
            }
        };
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        if self.has_mark && !quoted && text.contains('\u{feff}') {
            return Err(CHARACTERS);
        }
        // Without quotes around them, readers of YAML 1.1 end a value there, and 1.2 does not.
        if self.has_old_break && !quoted && raw.contains(is_old_break) {
            return Err(BREAKS);
        }
        self.account_for(&span)?;
        Ok(Scalar { text, notation, span })
    }

    /// Where a value would stand that is not written: right behind its `-` or `:`. The parser puts
    /// it before the colon or before the next token.
    fn unwritten(&self, place: usize) -> Result<usize, Expected> {
        let gap = self.slice(self.cursor..place)?;
        let at = self.cursor + gap.trim_end().len();
        let rest = self.slice(at..self.text.len())?;
        let colon = rest.trim_start().strip_prefix(':');
        Ok(colon.map_or(at, |after| self.text.len() - after.len()))
    }

    /// The span of a block scalar, which the parser gives from the first word of its content to
    /// the next token.
    fn block(&self, value: &str, range: &Range<usize>) -> Result<Range<usize>, Expected> {
        let before = self.slice(self.cursor..range.end)?;
        let start = self.cursor + before.find(['|', '>']).ok_or(SYNTAX)?;
        let written = self.slice(start + 1..range.end)?;
        let body = written.trim_start_matches(|c: char| matches!(c, '+' | '-' | '1'..='9'));
        let header = written.len() - body.len();
        if header > 2 || !spells(body, value) {
            return Err(BARE);
        }
        // The indentation of the next line belongs to what stands there.
        let unindented = written.trim_end_matches(' ');
        let cut = range.end < self.text.len() && unindented.ends_with(is_break);
        Ok(start..if cut { start + 1 + unindented.len() } else { range.end })
    }

    /// Checks what stands before a span that holds a value or a marker.
    fn account_for(&mut self, span: &Range<usize>) -> Result<(), Expected> {
        self.skip_to(span.start)?;
        self.cursor = span.end;
        Ok(())
    }

    /// Checks that nothing but white space and punctuation stands before a place.
    fn skip_to(&mut self, place: usize) -> Result<(), Expected> {
        let gap = self.slice(self.cursor..place)?;
        if !gap.bytes().all(|byte| b" \t\r\n-:,[]{}".contains(&byte)) {
            return Err(BARE);
        }
        self.cursor = place;
        Ok(())
    }
}

impl<'t> super::token::Reader<'t> for Reader<'t> {
    fn next(&mut self) -> Result<Token<'t>, Expected> {
        let (event, span) = self.event()?;
        if event.is_node() {
            self.values.add()?;
        }
        // An anchor is a number other than 0 here, and a tag is `Some`.
        match event {
            Event::Scalar(value, style, 0, None) => {
                self.scalar(value, style, bytes(span)?).map(Token::Scalar)
            }
            Event::SequenceStart(style, 0, None) => {
                let start = self.dash(style, bytes(span)?.start)?;
                self.begin(style, start).map(Token::List)
            }
            Event::MappingStart(style, 0, None) => {
                self.begin(style, bytes(span)?.start).map(Token::Record)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span).map(Token::End),
            _ => Err(BARE),
        }
    }

    fn finish(mut self) -> Result<(), Expected> {
        match self.event()? {
            // It may be written.
            (Event::DocumentEnd, span) if span.slice(self.text) == Some("...") => {
                self.account_for(&bytes(span)?)?;
            }
            (Event::DocumentEnd, _) => {}
            _ => return Err(SYNTAX),
        }
        let (Event::StreamEnd, _) = self.event()? else { return Err(SYNTAX) };
        self.skip_to(self.text.len())
    }
}

fn bytes(span: Span) -> Result<Range<usize>, Expected> {
    span.byte_range().ok_or(SYNTAX)
}

fn is_break(c: char) -> bool {
    c == '\n' || c == '\r'
}

/// What ended a line in YAML 1.1 only.
fn is_old_break(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a scalar without quotes spells its value: the same but for white space, which is folded.
fn spells(raw: &str, value: &str) -> bool {
    raw == value || (raw.contains(is_break) && ink(raw).eq(ink(value)))
}

fn ink(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace())
}

fn within(raw: &str, quote: char) -> bool {
    raw.len() >= 2 && raw.starts_with(quote) && raw.ends_with(quote)
}

/// Whether a backslash escapes a single quote in Python's notation, where YAML ends the scalar. A
/// tool that prints a record in that notation would let the author of a field end it early and
/// write the next one.
fn escapes_quote(raw: &str) -> bool {
    let mut escaped = false;
    raw.bytes().any(|byte| {
        let found = escaped && byte == b'\'';
        escaped = byte == b'\\' && !escaped;
        found
    })
}
