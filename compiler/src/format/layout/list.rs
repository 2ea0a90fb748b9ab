//! What stands between brackets and is separated by commas.
//!
//! A list shares one line with what is around it, or stands on lines of its own: where its author
//! broke the line behind the opening bracket, where a comment is in it, and where it is too long.
//! Then its entries fill the lines, unless each was on a line of its own or is a list itself.

use pretty::DocAllocator;
use rtbas_grammar::Rule;

use super::{Doc, INDENT, Layout};
use crate::format::tree::{Part, is_list};

/// The entries of a list, with its brackets.
struct List<'p> {
    open: usize,
    close: usize,
    entries: Vec<Entry<'p>>,
    /// The first token of the first entry.
    first: usize,
    /// Whether it cannot share a line with others.
    is_broken: bool,
}

/// An entry, and the comma behind it.
struct Entry<'p> {
    parts: &'p [Part],
    comma: Option<usize>,
}

impl<'a, 't: 'a> Layout<'a, 't> {
    /// A list with its brackets.
    pub(super) fn list(&self, rule: Rule, parts: &[Part]) -> Doc<'a, 't> {
        let Some(list) = self.read_list(parts) else {
            return self.flow_of_tokens(parts);
        };
        let edge = |token: usize| match (list.is_broken, self.gap(token)) {
            (true, _) => self.arena.hardline(),
            (false, 0) => self.arena.line_(),
            _ => self.arena.line(),
        };
        let last = list.entries.last().and_then(|entry| entry.comma);
        let last = match last {
            _ if !is_list(rule) => self.nil(),
            Some(comma) if list.is_broken => self.comma(comma),
            None if list.is_broken => self.arena.text(","),
            _ => self.arena.text(",").flat_alt(self.nil()),
        };
        let body = edge(list.first).append(self.body(&list)).append(last).nest(INDENT);
        self.closed(self.token(list.open).append(body), list.close, edge(list.close)).group()
    }

    /// A record that begins a line of a list: its fields go on beside the bracket, and it closes
    /// behind the last of them.
    fn hanging(&self, parts: &[Part]) -> Option<Doc<'a, 't>> {
        let list = self.read_list(parts).filter(|list| !list.is_broken)?;
        let edge = |token: usize| self.before(token, self.space());
        let doc = self.token(list.open).append(edge(list.first));
        let doc = doc.append(self.body(&list).nest(INDENT));
        Some(doc.append(edge(list.close)).append(self.token(list.close)).group())
    }

    fn read_list<'p>(&self, parts: &'p [Part]) -> Option<List<'p>> {
        let [open, inside @ .., close] = parts else { return None };
        let (open, close) = (open.first(), close.first());
        let is_comma = |part: &Part| part.rule(self.tree) == Some(Rule::comma);
        let entries = inside.split_inclusive(is_comma).map(|parts| match parts.split_last() {
            Some((comma, parts)) if is_comma(comma) => Entry { parts, comma: Some(comma.first()) },
            _ => Entry { parts, comma: None },
        });
        let entries: Vec<Entry<'_>> = entries.collect();
        let first = entries.first()?.parts.first()?.first();
        let is_broken = self.token_at(first)?.begins || self.tree.has_comments(open, close);
        Some(List { open, close, entries, first, is_broken })
    }

    /// The entries, and the commas between them.
    fn body(&self, list: &List<'_>) -> Doc<'a, 't> {
        let on_lines = self.are_on_lines(&list.entries);
        let mut body = self.nil();
        for (index, entry) in list.entries.iter().enumerate() {
            let first = entry.parts.first().map_or(0, Part::first);
            let line = self.before(first, self.arena.line());
            let content = self.entry(entry.parts);
            body = body.append(match index {
                0 => content,
                _ if on_lines && list.is_broken && self.is_blank_above(first) => {
                    self.arena.hardline().append(line).append(content)
                }
                _ if on_lines => line.append(content),
                _ => line.append(content).group(),
            });
            if let Some(comma) = entry.comma.filter(|comma| !self.is_trailing(*comma)) {
                body = body.append(self.comma(comma));
            }
        }
        body
    }

    fn entry(&self, parts: &[Part]) -> Doc<'a, 't> {
        if let [part] = parts
            && let Part::Node(node) = part.core()
            && node.rule == Rule::value_record
            && let Some(record) = self.hanging(&node.parts)
        {
            return record;
        }
        self.flow(Rule::value, parts, INDENT)
    }

    /// Whether each entry has a line of its own where the list is broken into lines.
    fn are_on_lines(&self, entries: &[Entry<'_>]) -> bool {
        let firsts = || entries.iter().filter_map(|entry| entry.parts.first());
        let begins = |part: &Part| self.token_at(part.first()).is_some_and(|token| token.begins);
        let is_list = |part: &Part| self.is_long(part) || self.is_set(part);
        firsts().skip(1).all(begins) || firsts().any(is_list)
    }

    /// Whether a part is a level that is a set.
    fn is_set(&self, part: &Part) -> bool {
        let Part::Node(node) = part else { return false };
        let last = node.parts.last().and_then(|part| part.rule(self.tree));
        last == Some(Rule::names_of)
    }

    fn comma(&self, comma: usize) -> Doc<'a, 't> {
        self.before(comma, self.nil()).append(self.token(comma))
    }

    fn is_trailing(&self, comma: usize) -> bool {
        self.token_at(comma).is_some_and(|token| token.trailing)
    }

    fn gap(&self, token: usize) -> usize {
        self.token_at(token).map_or(0, |token| token.gap)
    }

    /// A list without entries.
    fn flow_of_tokens(&self, parts: &[Part]) -> Doc<'a, 't> {
        match parts {
            [open, close] => self.closed(self.part(open), close.first(), self.nil()),
            _ => self.nil(),
        }
    }

    /// A closing bracket, behind or below what it closes. Comments above it belong to the inside.
    pub(super) fn closed(
        &self,
        inside: Doc<'a, 't>,
        close: usize,
        edge: Doc<'a, 't>,
    ) -> Doc<'a, 't> {
        let comments = self.token_at(close).map_or(&[][..], |token| &token.before);
        let mut doc = inside;
        for comment in comments {
            let line = self.arena.hardline().append(self.comment(comment, true)).nest(INDENT);
            doc = doc.append(line);
        }
        let edge = if self.tree.is_apart(close) { self.arena.hardline() } else { edge };
        doc.append(edge).append(self.bare_token(close))
    }
}
