//! The labels of a session, each with a letter and a colour. The letter stands wherever the colour
//! does, so that nobody needs the colour.

use std::collections::BTreeMap;

use maud::{Markup, html};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

use crate::page::text::short;

/// How many colours there are for labels that raise no context, and for those that do.
const CALM: usize = 4;
const RAISED: usize = 6;

/// The labels that a session's history holds.
#[derive(Debug)]
pub(crate) struct Labels<'a> {
    program: &'a Program,
    floor: &'a Label,
    entries: Vec<Entry>,
    /// Their indices by their words.
    by_text: BTreeMap<String, usize>,
}

/// One of them.
#[derive(Debug)]
struct Entry {
    text: String,
    letter: String,
    colour: String,
    raised: bool,
}

impl<'a> Labels<'a> {
    /// None yet.
    pub(crate) fn new(program: &'a Program, floor: &'a Label) -> Self {
        Self { program, floor, entries: Vec::new(), by_text: BTreeMap::new() }
    }

    /// The index of a label, which gets one if it has none.
    pub(crate) fn index(&mut self, label: &Label) -> usize {
        let text = self.program.show(label).to_string();
        if let Some(&index) = self.by_text.get(&text) {
            return index;
        }
        let raised = !label.flows_to(self.floor);
        let before = self.entries.iter().filter(|entry| entry.raised == raised).count();
        let colour = match raised {
            false => format!("calm{}", before % CALM),
            true => format!("raised{}", before % RAISED),
        };
        let index = self.entries.len();
        self.entries.push(Entry { text: text.clone(), letter: letters(index), colour, raised });
        self.by_text.insert(text, index);
        index
    }

    /// A label by its letter.
    pub(crate) fn tag(&self, index: usize) -> Markup {
        html! {
            @if let Some(Entry { letter, colour, .. }) = self.entries.get(index) {
                b class={ "tag " (colour) } { span.heard { "label " } (letter) }
            }
        }
    }

    /// The class of a label's colour.
    pub(crate) fn colour(&self, index: usize) -> &str {
        self.entries.get(index).map_or("", |entry| &entry.colour)
    }

    /// A label by its letter and in words.
    pub(crate) fn full(&self, index: usize) -> Markup {
        let text = self.entries.get(index).map_or("", |entry| &entry.text);
        html! { span.label { (self.tag(index)) " " code { (short(text)) } } }
    }

    /// A label that is given in words, by its letter if it has one.
    pub(crate) fn brief(&self, text: &str) -> Markup {
        match self.by_text.get(text) {
            Some(&index) => self.tag(index),
            None => html! { code { (short(text)) } },
        }
    }

    /// The same by letter and in words.
    pub(crate) fn worded(&self, text: &str) -> Markup {
        match self.by_text.get(text) {
            Some(&index) => self.full(index),
            None => html! { code { (short(text)) } },
        }
    }

    /// All of them.
    pub(crate) fn legend(&self) -> Markup {
        html! {
            table {
                caption { "Labels in this session; raised is what exceeds the words of system and user" }
                thead { tr { th scope="col" { "Letter" } th scope="col" { "Label" } th scope="col" { "Raised" } } }
                tbody {
                    @for (index, entry) in self.entries.iter().enumerate() {
                        tr {
                            th scope="row" { (self.tag(index)) }
                            td { code { (short(&entry.text)) } }
                            td { @if entry.raised { "yes" } @else { "no" } }
                        }
                    }
                }
            }
        }
    }
}

/// A, B, …, Z, AA, AB, …
fn letters(index: usize) -> String {
    let digit = u32::try_from(index % 26).unwrap_or(0);
    let last = char::from_digit(digit + 10, 36).unwrap_or('?').to_ascii_uppercase();
    let before = (index / 26).checked_sub(1).map_or_else(String::new, letters);
    format!("{before}{last}")
}
