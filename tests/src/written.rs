//! What a tool returns, as its author wrote it: a tree that is known beforehand, and its bytes.
//!
//! The engine is given the bytes and has to find the tree in them; the model is given the tree. So
//! whatever the engine's reader gets wrong shows as a difference.

use std::fmt::Write as _;

/// What a tool returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// Plain text.
    Text(String),
    /// A YAML document.
    Yaml(Written),
    /// Text that is no YAML document without comments, anchors and tags.
    Broken(String),
}

/// A value of a YAML document, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A scalar without quotes.
    Plain(String),
    /// A scalar in double quotes.
    Quoted(String),
    /// A list.
    List(Layout, Vec<Written>),
    /// A record, its fields in the order in which they are written.
    Record(Layout, Vec<(String, Written)>),
}

/// How a list or a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One element a line, unless something around it is written in brackets.
    Block,
    /// In brackets.
    Flow,
}

impl Document {
    /// Its bytes.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Broken(text) => text.clone(),
            Self::Yaml(root) => {
                let mut text = String::new();
                root.write(&mut text, 0, true);
                text.push('\n');
                text
            }
        }
    }
}

impl Written {
    /// How the value is written within brackets.
    #[must_use]
    pub fn token(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0, false);
        text
    }

    fn write(&self, out: &mut String, indent: usize, block: bool) {
        match self {
            Self::Plain(word) => out.push_str(word),
            Self::Quoted(text) => quote(out, text),
            Self::List(Layout::Block, items) if block && !items.is_empty() => {
                for (i, item) in items.iter().enumerate() {
                    line(out, indent, i);
                    out.push('-');
                    item.below(out, indent);
                }
            }
            Self::Record(Layout::Block, fields) if block && !fields.is_empty() => {
                for (i, (name, value)) in fields.iter().enumerate() {
                    line(out, indent, i);
                    out.push_str(name);
                    out.push(':');
                    value.below(out, indent);
                }
            }
            Self::List(_, items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    item.write(out, indent, false);
                }
                out.push(']');
            }
            Self::Record(_, fields) => {
                out.push('{');
                for (i, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    out.push_str(name);
                    out.push_str(": ");
                    value.write(out, indent, false);
                }
                out.push('}');
            }
        }
    }

    /// A value behind a `-` or a name: on lines of its own if it is written as a block.
    fn below(&self, out: &mut String, indent: usize) {
        let is_block = match self {
            Self::List(Layout::Block, items) => !items.is_empty(),
            Self::Record(Layout::Block, fields) => !fields.is_empty(),
            _ => false,
        };
        if is_block {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 2));
        } else {
            out.push(' ');
        }
        self.write(out, indent + 2, true);
    }
}

/// Starts a new line, but for the first element of a block.
fn line(out: &mut String, indent: usize, index: usize) {
    if index > 0 {
        out.push('\n');
        out.push_str(&" ".repeat(indent));
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Writing to a string does not fail.
            c if c.is_control() => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}
