//! Writes documents in YAML's several styles and knows where it has put each value. It shares
//! nothing with the reader under test, so the two agree only if both are right.

use std::ops::Range;

use proptest::prelude::*;
use rtbas_artifact::value::Value;
use serde_json::{Value as Json, json};

/// A document's value; each list's elements are of one shape.
#[derive(Clone, Debug)]
pub(crate) enum Doc {
    Text(String),
    /// A number or truth value, as written.
    Word(&'static str),
    List(Vec<Doc>),
    Record(Vec<(&'static str, Doc)>),
}

/// Names of fields in generated documents.
pub(crate) const NAMES: [&str; 5] = ["id", "sender", "subject", "body_text", "to"];

const NUMBERS: [&str; 6] = ["0", "-12", "100.0", "1e3", "2.5E-2", "1.0e+16"];

/// A shape and a document of it.
pub(crate) fn documents() -> impl Strategy<Value = (Json, Doc)> {
    shapes().prop_flat_map(|shape| (Just(shape.clone()), of_shape(shape)))
}

fn shapes() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![4 => Just("text"), 1 => Just("number"), 1 => Just("bool")];
    leaf.prop_map(Json::from).prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            inner.clone().prop_map(|element| json!([element])),
            prop::collection::vec((any::<bool>(), inner), 1..NAMES.len()).prop_map(|fields| {
                let named = NAMES.into_iter().zip(fields).map(|(name, (required, shape))| {
                    (if required { name.to_owned() } else { format!("{name}?") }, shape)
                });
                Json::Object(named.collect())
            }),
        ]
    })
}

fn of_shape(shape: Json) -> BoxedStrategy<Doc> {
    match shape {
        Json::Array(element) => {
            prop::collection::vec(of_shape(element[0].clone()), 0..4).prop_map(Doc::List).boxed()
        }
        Json::Object(fields) => {
            let fields: Vec<_> = fields
                .into_iter()
                .map(|(key, shape)| {
                    let name = NAMES.into_iter().find(|n| *n == key.trim_end_matches('?')).unwrap();
                    let value = of_shape(shape).prop_map(move |doc| Some((name, doc)));
                    if key.ends_with('?') {
                        prop_oneof![Just(None), value].boxed()
                    } else {
                        value.boxed()
                    }
                })
                .collect();
            let present = |fields: Vec<_>| Doc::Record(fields.into_iter().flatten().collect());
            fields.prop_shuffle().prop_map(present).boxed()
        }
        Json::String(leaf) if leaf == "number" => {
            prop::sample::select(&NUMBERS).prop_map(Doc::Word).boxed()
        }
        Json::String(leaf) if leaf == "bool" => {
            prop::sample::select(&["true", "false", "True"]).prop_map(Doc::Word).boxed()
        }
        _ => texts().prop_map(Doc::Text).boxed(),
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé]{1,8}( [a-z0-9😀:#'-]{1,8}){0,6}",
        "( {0,3}[a-z]{1,6}[ ,.:#'\"\\\\-]{0,2}[a-z]?\n{0,3}){0,6}",
        "\\PC{0,12}",
        "[ \t\n\r'\"\\\\:#|>&*!%@`{}\\[\\],?a-]{0,12}",
        prop::sample::select(&["null", "true", "12", "~", "", "---", "- x", "\u{feff}", "x\n"])
            .prop_map(str::to_owned),
    ]
}

/// A document as text, with the span of each region before those below it, and the leaves' values.
pub(crate) struct Written {
    pub text: String,
    pub regions: Vec<(Range<usize>, Option<Value>)>,
    choices: Vec<u8>,
    next: usize,
}

/// Where a value is written.
#[derive(Clone, Copy)]
struct Place {
    /// The column of the block around it, −1 for none.
    column: isize,
    flow: bool,
}

impl Written {
    pub(crate) fn new(doc: &Doc, choices: Vec<u8>) -> Self {
        let mut written = Self { text: String::new(), regions: Vec::new(), choices, next: 0 };
        if written.pick(4) == 0 {
            written.text.push_str("---\n");
        }
        written.value(doc, Place { column: -1, flow: false }, 0);
        if !written.text.ends_with('\n') {
            written.put_one_of(&["", "\n", "\n\n", "\n...\n"]);
        }
        written
    }

    /// One of `n` choices.
    fn pick(&mut self, n: usize) -> usize {
        self.next += 1;
        usize::from(self.choices[self.next % self.choices.len()]) % n
    }

    fn put_one_of(&mut self, pieces: &[&str]) {
        let piece = pieces[self.pick(pieces.len())];
        self.text.push_str(piece);
    }

    /// Starts a line that belongs to a value within `place`.
    fn line(&mut self, place: Place) {
        let extra = 1 + self.pick(3);
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', (place.column.max(0) as usize) + extra));
    }

    /// Writes a value at the end of the text, which is at the given column where a block begins.
    fn value(&mut self, doc: &Doc, place: Place, column: usize) -> usize {
        let index = self.regions.len();
        self.regions.push((self.text.len()..0, None));
        match doc {
            Doc::Text(text) => {
                self.text_leaf(text, place);
                self.regions[index].1 = Some(Value::Text(text.clone()));
            }
            Doc::Word(word) => {
                self.text.push_str(word);
                let lower = word.to_lowercase();
                let value = lower.parse().map(Value::Bool);
                self.regions[index].1 =
                    Some(value.unwrap_or_else(|_| Value::Number(word.parse().unwrap())));
            }
            Doc::List(items) if place.flow || items.is_empty() || self.pick(3) == 0 => {
                self.flow(items.iter().map(|item| (None, item)).collect(), place, ['[', ']']);
            }
            Doc::Record(fields) if place.flow || fields.is_empty() || self.pick(3) == 0 => {
                let fields = fields.iter().map(|(name, value)| (Some(*name), value)).collect();
                self.flow(fields, place, ['{', '}']);
            }
            Doc::List(items) => {
                let end = self.block(items.iter().map(|item| (None, item)).collect(), column);
                self.regions[index].0.end = end;
                return end;
            }
            Doc::Record(fields) => {
                let fields = fields.iter().map(|(name, value)| (Some(*name), value)).collect();
                let end = self.block(fields, column);
                self.regions[index].0.end = end;
                return end;
            }
        }
        self.regions[index].0.end = self.text.len();
        self.text.len()
    }

    /// Writes a list or record without brackets; gives where its last value ends.
    fn block(&mut self, entries: Vec<(Option<&'static str>, &Doc)>, column: usize) -> usize {
        let mut end = 0;
        let place = Place { column: column as isize, flow: false };
        for (position, (name, value)) in entries.into_iter().enumerate() {
            if position > 0 {
                // A line that a block scalar keeps would belong to its value.
                if !self.text.ends_with('\n') {
                    self.put_one_of(&["\n", "\n", " \n", "\n\n", "\r\n"]);
                }
                self.text.extend(std::iter::repeat_n(' ', column));
            }
            let Some(name) = name else {
                let wide = 1 + self.pick(2);
                self.text.push('-');
                self.text.extend(std::iter::repeat_n(' ', wide));
                end = self.value(value, place, column + 1 + wide);
                continue;
            };
            self.name(name);
            self.text.push(':');
            // Only a value that turns out to be a block may start on a line of its own; so that
            // is decided first, by letting it choose again.
            let (text, regions, next) = (self.text.len(), self.regions.len(), self.next);
            let deeper = column + 1 + self.pick(3);
            let deeper =
                if matches!(value, Doc::List(_)) && self.pick(2) == 0 { column } else { deeper };
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', deeper));
            let start = self.text.len();
            end = self.value(value, place, deeper);
            let block = matches!(value, Doc::List(_) | Doc::Record(_))
                && !self.text[start..].starts_with(['[', '{']);
            if !block {
                self.text.truncate(text);
                self.regions.truncate(regions);
                self.next = next;
                self.text.push(' ');
                end = self.value_inline(value, place);
            }
        }
        end
    }

    /// Writes a value that stays on the line: a collection goes in brackets.
    fn value_inline(&mut self, doc: &Doc, place: Place) -> usize {
        match doc {
            Doc::List(_) | Doc::Record(_) => self.value(doc, Place { flow: true, ..place }, 0),
            Doc::Text(_) | Doc::Word(_) => self.value(doc, place, 0),
        }
    }

    fn flow(&mut self, entries: Vec<(Option<&'static str>, &Doc)>, place: Place, ends: [char; 2]) {
        let place = Place { flow: true, ..place };
        self.text.push(ends[0]);
        let count = entries.len();
        for (position, (name, value)) in entries.into_iter().enumerate() {
            match self.pick(6) {
                0 => self.line(place),
                1 => self.text.push(' '),
                _ => {}
            }
            if let Some(name) = name {
                self.name(name);
                let quoted = self.text.ends_with(['\'', '"']);
                self.put_one_of(if quoted { &[":", ": "] } else { &[": "] });
            }
            self.value(value, place, 0);
            match self.pick(6) {
                0 => self.line(place),
                1 => self.text.push(' '),
                _ => {}
            }
            if position + 1 < count || self.pick(6) == 0 {
                self.put_one_of(&[",", ", "]);
            }
        }
        self.text.push(ends[1]);
    }

    fn name(&mut self, name: &str) {
        let quote = ["", "'", "\""][self.pick(3)];
        self.text.extend([quote, name, quote]);
    }

    fn text_leaf(&mut self, text: &str, place: Place) {
        match self.pick(5) {
            0 if is_plain(text, place.flow) => self.folded(text, place),
            1 if is_single(text, place) => {
                self.text.push('\'');
                self.folded(&text.replace('\'', "''"), place);
                self.text.push('\'');
            }
            2 if !place.flow && is_literal(text) => self.literal(text, place),
            3 if !place.flow && is_folded(text) => {
                self.put_one_of(&[">-", ">1-"]);
                let line = format!("\n{}", " ".repeat((place.column + 1).max(1) as usize));
                self.text.push_str(&line);
                for part in text.split_inclusive(' ') {
                    match part.strip_suffix(' ') {
                        Some(word) if self.pick(3) == 0 => self.text.extend([word, &line]),
                        _ => self.text.push_str(part),
                    }
                }
                self.text.push('\n');
            }
            _ => self.double(text, place),
        }
    }

    /// Text of which single blanks may become line breaks, and line breaks become two.
    fn folded(&mut self, text: &str, place: Place) {
        let chars: Vec<char> = text.chars().collect();
        for (at, &char) in chars.iter().enumerate() {
            let single = |c: Option<&char>| c.is_some_and(|c| !c.is_whitespace());
            let inner = single(chars.get(at.wrapping_sub(1))) && single(chars.get(at + 1));
            // A line must not begin with what is punctuation there.
            let word = chars.get(at + 1).is_some_and(|c| c.is_alphanumeric());
            match char {
                '\n' if chars.get(at.wrapping_sub(1)) == Some(&'\n') => self.text.push('\n'),
                '\n' => self.text.push_str("\n\n"),
                ' ' if inner && word && self.pick(3) == 0 => self.line(place),
                _ => {
                    if chars.get(at.wrapping_sub(1)) == Some(&'\n') {
                        self.text
                            .extend(std::iter::repeat_n(' ', place.column.max(0) as usize + 1));
                    }
                    self.text.push(char);
                }
            }
        }
    }

    fn double(&mut self, text: &str, place: Place) {
        self.text.push('"');
        let mut new_line = false;
        for char in text.chars() {
            if self.pick(12) == 0 {
                self.text.push('\\');
                self.line(place);
                new_line = true;
            }
            let code = u32::from(char);
            match char {
                '"' | '\\' => self.text.extend(['\\', char]),
                '\n' => self.text.push_str("\\n"),
                ' ' if new_line => self.text.push_str("\\ "),
                ' '..='~' if self.pick(12) == 0 => self.text.push_str(&format!("\\x{code:02x}")),
                ' '..='~' | 'é' | '😀' => self.text.push(char),
                _ if code < 0x1_0000 => self.text.push_str(&format!("\\u{code:04X}")),
                _ => self.text.push_str(&format!("\\U{code:08x}")),
            }
            new_line = false;
        }
        self.text.push('"');
    }

    fn literal(&mut self, text: &str, place: Place) {
        let deeper = 1 + self.pick(3);
        let indent =
            " ".repeat((place.column + if place.column < 0 { 1 } else { 0 }) as usize + deeper);
        self.text.push('|');
        if text.trim_start_matches('\n').starts_with(' ') || self.pick(3) == 0 {
            self.text.push_str(&deeper.to_string());
        }
        let body = text.trim_end_matches('\n');
        self.text.push_str(match text.len() - body.len() {
            0 => "-",
            1 => "",
            _ => "+",
        });
        self.text.push('\n');
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            if !line.is_empty() {
                self.text.extend([&indent, line]);
            }
            self.text.push('\n');
        }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && c != '\u{feff}'
}

fn is_plain(text: &str, flow: bool) -> bool {
    let reserved = text.eq_ignore_ascii_case("null");
    let harmless = |c: char| c.is_alphanumeric() || " -.'\"/(_#:".contains(c);
    let ends = text.starts_with(|c: char| c.is_alphabetic()) && !text.ends_with([' ', ':']);
    let ended = [if flow { ":" } else { ": " }, " #"].iter().any(|end| text.contains(end));
    !reserved && ends && !ended && text.chars().all(|c| harmless(c) && is_printable(c))
}

/// A line break in single quotes takes the blanks around it along.
fn is_single(text: &str, place: Place) -> bool {
    let in_block = !place.flow && place.column >= 0;
    let lost = [" \n", "\n ", "\t\n", "\n\t"].iter().any(|blanks| text.contains(blanks));
    let kept = !lost && !text.starts_with('\n') && !text.ends_with('\n');
    kept && (in_block || !text.contains('\\'))
        && text.chars().all(|c| is_printable(c) || c == '\u{feff}')
}

fn is_literal(text: &str) -> bool {
    let body = text.trim_end_matches('\n');
    let lines = || text.split('\n');
    !body.is_empty()
        && text.chars().all(is_printable)
        && lines().all(|line| line.is_empty() || !line.trim().is_empty())
        && !lines().any(|line| line.starts_with('\t'))
}

fn is_folded(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| is_printable(c) && !c.is_whitespace())
    };
    text.split(' ').all(word)
}
