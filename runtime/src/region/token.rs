//! What readers of every format give: the values of a document in the order of the text, each with
//! the bytes that it is written in.
//!
//! A reader accounts for every byte: what is no value is white space or the format's punctuation, or
//! the document is refused.

use std::borrow::Cow;
use std::ops::Range;

/// Most values in one document.
const MAX_VALUES: usize = 1_000_000;

/// What stands where nesting is too deep.
pub(super) const DEEP: Expected = "at most 64 levels of nesting";

/// What was expected, in words.
pub(super) type Expected = &'static str;

/// Reads a document from its start.
pub(super) trait Reader<'t>: Sized {
    /// The next piece of the document.
    fn next(&mut self) -> Result<Token<'t>, Expected>;

    /// Checks that the document and the text end here.
    fn finish(self) -> Result<(), Expected>;
}

/// A piece of a document, in the order of the text.
#[derive(Debug)]
pub(super) enum Token<'t> {
    /// A value, or the key of a record.
    Scalar(Scalar<'t>),
    /// A list begins at this byte.
    List(usize),
    /// A record begins at this byte.
    Record(usize),
    /// The innermost list or record ends before this byte.
    End(usize),
}

/// A scalar as it is written.
#[derive(Clone, Debug)]
pub(super) struct Scalar<'t> {
    /// Its text, escapes and folds undone; empty where nothing is written.
    pub(super) text: Cow<'t, str>,
    /// How it is written.
    pub(super) notation: Notation,
    /// Where it is written.
    pub(super) span: Range<usize>,
}

/// How a scalar is written, which decides what it can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// Without quotes, in YAML: `null`, a number, or text.
    Plain,
    /// Without quotes, elsewhere: `null`, `true`, `false` or a number, in JSON's words.
    Word,
    /// In quotes or as a block: text.
    Quoted,
    /// As a result of its own, which is no document: text, or a word with white space around it.
    Whole,
    /// As a part of a text, from one byte to another: text, or a word.
    Part,
}

/// Counts the values of a document.
#[derive(Debug, Default)]
pub(super) struct Count(usize);

impl Count {
    /// One more.
    pub(super) fn add(&mut self) -> Result<(), Expected> {
        self.0 += 1;
        if self.0 > MAX_VALUES { Err("at most 1000000 values") } else { Ok(()) }
    }
}
