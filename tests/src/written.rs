//! What a tool returns, as its author wrote it: a tree that is known beforehand, and its bytes.
//!
//! The engine is given the bytes and has to find the tree in them; the model is given the tree. So
//! whatever the engine's reader gets wrong shows as a difference.

use std::fmt::Write as _;

use rtbas_artifact::ir::Format;

/// What a tool returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// Plain text.
    Text(String),
    /// A document.
    Tree(Language, Written),
    /// Text that is no document in any language without comments, anchors and tags.
    Broken(String),
}

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// Python's literals.
    Python,
}

/// A value of a document, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A scalar without quotes, in YAML.
    Plain(String),
    /// A number or a constant elsewhere, in JSON's words.
    Word(String),
    /// A scalar in quotes.
    Quoted(String),
    /// A list.
    List(Layout, Vec<Written>),
    /// A record, its fields in the order in which they are written.
    Record(Layout, Vec<(String, Written)>),
}

/// How a list or a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One element a line, unless something around it is written on one line. In YAML without
    /// brackets.
    Block,
    /// On one line, in brackets. In Python a list is a tuple then.
    Flow,
}

impl Document {
    /// Its bytes.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Broken(text) => text.clone(),
            Self::Tree(language, root) => {
                let mut text = String::new();
                language.write(root, &mut text, 0, true);
                text.push('\n');
                text
            }
        }
    }
}

impl Language {
    /// What results of a format are written in; none if they are text.
    #[must_use]
    pub fn of(format: Format) -> Option<Self> {
        match format {
            Format::Text | Format::Mcp => None,
            Format::Yaml => Some(Self::Yaml),
            Format::Json => Some(Self::Json),
            Format::Python => Some(Self::Python),
        }
    }

    /// How a value is written on one line.
    #[must_use]
    pub fn token(self, value: &Written) -> String {
        let mut text = String::new();
        self.write(value, &mut text, 0, false);
        text
    }

    /// How a name is written.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        let mut text = String::new();
        self.write_name(&mut text, name);
        text
    }

    fn write_name(self, out: &mut String, name: &str) {
        let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match self {
            Self::Yaml if is_plain => out.push_str(name),
            _ => self.quote(out, name),
        }
    }

    fn write(self, value: &Written, out: &mut String, indent: usize, block: bool) {
        match value {
            Written::Plain(word) => out.push_str(word),
            Written::Word(word) => out.push_str(self.word(word)),
            Written::Quoted(text) => self.quote(out, text),
            Written::List(Layout::Block, items)
                if self == Self::Yaml && block && !items.is_empty() =>
            {
                for (i, item) in items.iter().enumerate() {
                    line(out, indent, i);
                    out.push('-');
                    self.below(item, out, indent);
                }
            }
            Written::Record(Layout::Block, fields)
                if self == Self::Yaml && block && !fields.is_empty() =>
            {
                for (i, (name, value)) in fields.iter().enumerate() {
                    line(out, indent, i);
                    self.write_name(out, name);
                    out.push(':');
                    self.below(value, out, indent);
                }
            }
            Written::List(layout, items) => {
                let is_tuple = self == Self::Python && *layout == Layout::Flow;
                let lines = self.lines(*layout, block && !items.is_empty());
                out.push(if is_tuple { '(' } else { '[' });
                for (i, item) in items.iter().enumerate() {
                    comma(out, indent, i, lines);
                    self.write(item, out, indent + 2, lines);
                }
                if is_tuple && items.len() == 1 {
                    out.push(',');
                }
                last_line(out, indent, lines);
                out.push(if is_tuple { ')' } else { ']' });
            }
            Written::Record(layout, fields) => {
                let lines = self.lines(*layout, block && !fields.is_empty());
                out.push('{');
                for (i, (name, value)) in fields.iter().enumerate() {
                    comma(out, indent, i, lines);
                    self.write_name(out, name);
                    out.push_str(": ");
                    self.write(value, out, indent + 2, lines);
                }
                last_line(out, indent, lines);
                out.push('}');
            }
        }
    }

    /// Whether elements in brackets stand on lines of their own.
    fn lines(self, layout: Layout, block: bool) -> bool {
        self != Self::Yaml && block && layout == Layout::Block
    }

    /// A value behind a `-` or a name: on lines of its own if it is written as a block.
    fn below(self, value: &Written, out: &mut String, indent: usize) {
        let is_block = match value {
            Written::List(Layout::Block, items) => !items.is_empty(),
            Written::Record(Layout::Block, fields) => !fields.is_empty(),
            _ => false,
        };
        if is_block {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 2));
        } else {
            out.push(' ');
        }
        self.write(value, out, indent + 2, true);
    }

    fn word(self, word: &str) -> &str {
        match (self, word) {
            (Self::Python, "null") => "None",
            (Self::Python, "true") => "True",
            (Self::Python, "false") => "False",
            _ => word,
        }
    }

    fn quote(self, out: &mut String, text: &str) {
        let quote = if self == Self::Python && !text.contains('\'') { '\'' } else { '"' };
        out.push(quote);
        for c in text.chars() {
            match c {
                c if c == quote || c == '\\' => out.extend(['\\', c]),
                // Writing to a string does not fail.
                c if c.is_control() => drop(write!(out, "\\u{:04x}", u32::from(c))),
                c => out.push(c),
            }
        }
        out.push(quote);
    }
}

/// Starts a new line, but for the first element of a block.
fn line(out: &mut String, indent: usize, index: usize) {
    if index > 0 {
        out.push('\n');
        out.push_str(&" ".repeat(indent));
    }
}

/// What stands before an element in brackets.
fn comma(out: &mut String, indent: usize, index: usize, lines: bool) {
    out.push_str(if index == 0 { "" } else { "," });
    match lines {
        true => out.extend(["\n", &" ".repeat(indent + 2)]),
        false => out.push_str(if index == 0 { "" } else { " " }),
    }
}

/// What stands before the bracket that closes.
fn last_line(out: &mut String, indent: usize, lines: bool) {
    if lines {
        out.extend(["\n", &" ".repeat(indent)]);
    }
}
