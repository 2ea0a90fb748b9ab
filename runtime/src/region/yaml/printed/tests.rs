//! The fast reader and the reader of the whole language, held against each other.

use proptest::prelude::*;

use super::Reader;
use crate::region::token::{self, Expected, Token};
use crate::region::yaml;

/// All that a reader gives.
fn tokens<'t>(mut reader: impl token::Reader<'t>) -> Result<Vec<String>, Expected> {
    let mut tokens = Vec::new();
    let mut depth = 0;
    loop {
        let token = reader.next()?;
        tokens.push(format!("{token:?}"));
        match token {
            Token::List(_) | Token::Record(_) => depth += 1,
            Token::End(_) => depth -= 1,
            Token::Scalar(_) => {}
        }
        if depth == 0 {
            return reader.finish().map(|()| tokens);
        }
    }
}

/// Whether the fast reader read the text; panics if the other reads it otherwise.
fn agree(text: &str) -> bool {
    let Ok(fast) = tokens(Reader::new(text)) else { return false };
    let whole = yaml::Reader::new(text).and_then(tokens);
    assert_eq!(Ok(fast), whole, "{text:?}");
    true
}

/// Documents, printed as programs do it, with choices read from a tape.
struct Printer {
    tape: Vec<u8>,
    at: usize,
    text: String,
}

impl Printer {
    fn pick(&mut self, n: u8) -> u8 {
        self.at += 1;
        self.tape.get(self.at - 1).map_or(0, |choice| choice % n)
    }

    fn one_of(&mut self, pieces: &[&'static str]) -> &'static str {
        let count = u8::try_from(pieces.len()).unwrap();
        pieces.get(usize::from(self.pick(count))).unwrap()
    }

    fn indent(&mut self, by: usize) {
        self.text.extend(std::iter::repeat_n(' ', by));
    }

    /// A list or record whose elements stand in a column; the first where the text ends.
    fn block(&mut self, column: usize, depth: usize) {
        let is_list = self.pick(2) == 1;
        for index in 0..=self.pick(3) {
            if index > 0 {
                self.indent(column);
            }
            if is_list {
                self.text.push_str("- ");
                if depth > 0 && self.pick(2) == 1 {
                    self.block(column + 2, depth - 1);
                    continue;
                }
            } else {
                let name = self.one_of(&["a", "b c", "x@y.z", "d-e", "_f", "9"]);
                self.text.push_str(name);
                self.text.push(':');
                if depth > 0 && self.pick(2) == 1 {
                    let deeper = [column, column + 1, column + 2][usize::from(self.pick(3))];
                    self.text.push('\n');
                    self.indent(deeper);
                    self.block(deeper, depth - 1);
                    continue;
                }
                self.text.push(' ');
            }
            let indent = column + 1 + usize::from(self.pick(3));
            self.scalar(indent);
            let blank = self.one_of(&["\n", "\n", "\n", " \n", "\n\n"]);
            self.text.push_str(blank);
        }
    }

    /// A scalar whose further lines are indented so far.
    fn scalar(&mut self, indent: usize) {
        let notation = self.pick(6);
        let quote = match notation {
            0 | 1 => "",
            2 => "'",
            3 => "\"",
            4 => {
                self.text.push_str("|-\n");
                for _ in 0..=self.pick(3) {
                    self.indent(indent);
                    let line = self.one_of(&["x", " y", "z: ", "- #", "'\n"]);
                    self.text.extend([line, "\n"]);
                }
                self.text.pop();
                return;
            }
            _ => {
                let piece = self.one_of(&["[]", "{}", "null", "-1.5", "true", ""]);
                return self.text.push_str(piece);
            }
        };
        self.text.push_str(quote);
        for _ in 0..=self.pick(5) {
            let word = self.one_of(match notation {
                0 | 1 => &["a", "é", "(b)", "c,", "d:e", "f#", "g'", "- "],
                2 => &["a", "''", ": ", "#", "  ", "- ", "\\", "\""],
                _ => &["a", "\\\"", "\\n", "\\x41", "\\u00e9", "'", "\\ ", ": ", "\\\\"],
            });
            self.text.push_str(word);
            match self.pick(6) {
                0 | 1 => self.text.push(' '),
                2 if notation != 0 => {
                    let gap = self.one_of(&["\n", " \n", "\n\n", "\n\n\n", "\\\n"]);
                    self.text.push_str(gap);
                    self.indent(indent);
                    self.text.push_str(if gap == "\\\n" { "\\ " } else { "h" });
                }
                _ => {}
            }
        }
        self.text.push_str(quote);
    }
}

fn printed() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..120).prop_map(|tape| {
        let mut printer = Printer { tape, at: 0, text: String::new() };
        printer.block(0, 4);
        printer.text
    })
}

/// Pieces that mean something, to be put where they do not belong.
const PIECES: [&str; 36] = [
    " ", "  ", "\n", "\n\n", "\n  ", "- ", "-", ": ", ":", "#", " #", "'", "''", "\"", "\\", "\\ ",
    "|", "|-", ">", "?", "? ", "&a ", "*a", "!t ", "[", "]", "{", "}", ",", "a: ", "---\n",
    "...\n", "\t", "%", "x", "\\\n",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_agree_on_what_is_printed(text in printed()) {
        agree(&text);
    }

    #[test]
    fn both_readers_agree_on_what_is_nearly_printed(
        text in printed(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(&PIECES[..])), 1..3),
    ) {
        let mut text: Vec<char> = text.chars().collect();
        for (place, cut, piece) in changes {
            let at = place.index(text.len() + 1);
            text.splice(at..(at + cut).min(text.len()), piece.chars());
        }
        let text: String = text.into_iter().collect();
        agree(&text);
    }
}

#[test]
fn what_programs_print_is_read_fast() {
    for text in [
        "a: 1\n",
        "- a\n- b\n",
        "a:\n- b: x\n  c: 'it''s'\n- b: y\n  c: []\nd: {}\n",
        "a:\n  - b: |-\n      x\n\n        y\n    c: |\n      z\n",
        "- body: 'Hi,\n\n\n    it is\n    on'\n  read: true\n  to:\n  - x@y.z\n",
        "a: \"x\\n\\\n  \\ y: \\xe9 \\\"\\\n  z\"\nb: one\n  two\n\n  three\n",
        "x@y.z: rw\nFlight Number: -1\n",
    ] {
        assert!(agree(text), "{text:?}");
    }
}
