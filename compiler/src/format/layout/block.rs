//! Items, and the lines in them.

use pretty::DocAllocator;
use rtbas_grammar::Rule;

use super::columns::{Columns, Cut};
use super::{Doc, INDENT, Layout, WIDTH};
use crate::format::tree::{Node, Part, first, last};

impl<'a, 't: 'a> Layout<'a, 't> {
    /// The columns of the items of a file.
    pub(in crate::format) fn items(&self, items: &[Part]) -> Vec<Columns> {
        let items: Vec<&[Part]> = items.chunks(1).collect();
        self.columns(&items)
    }

    /// An item.
    pub(in crate::format) fn item(&self, item: &Part, columns: &Columns) -> Doc<'a, 't> {
        match item {
            Part::Token(token) => self.token(*token),
            Part::Node(node) => match self.block_of(node) {
                Some(_) if self.is_one_line(node) => self.short_block(node, columns),
                Some(entries) => self.block(node, &entries),
                None => self.line(node, columns),
            },
        }
    }

    /// Whether a blank line stands above a token and its comments.
    pub(in crate::format) fn is_blank_above(&self, token: usize) -> bool {
        let Some(token) = self.token_at(token) else { return false };
        token.before.first().map_or(token.blank, |comment| comment.blank)
    }

    /// What stands between the braces of an item, if the item is a block.
    pub(super) fn block_of<'p>(&self, node: &'p Node) -> Option<Vec<&'p [Part]>> {
        node.entries(&self.tree.tokens)
    }

    /// Whether a block stands on one line: it was written on one and fits, or there is nothing in
    /// it.
    pub(super) fn is_one_line(&self, node: &Node) -> bool {
        let (first, last) = (node.first(), node.last());
        let is_empty = self.block_of(node).is_some_and(|entries| entries.is_empty());
        let is_brace = |part: &&Part| part.rule(self.tree) == Some(Rule::open_brace);
        let open = node.parts.iter().find(is_brace).map_or(first, Part::first);
        !self.tree.has_comments(first, last)
            && (is_empty || !self.tree.has_breaks(open, last))
            && self.tree.width(first, last) <= WIDTH
    }

    /// A block on one line.
    fn short_block(&self, node: &Node, columns: &Columns) -> Doc<'a, 't> {
        let entries = self.block_of(node).unwrap_or_default();
        // The widths to fill up, by the token that stands behind them.
        let mut padding = Vec::new();
        if let Some((cut, brace)) =
            self.cut(node).and_then(|cut| Some((cut, node.parts.get(cut.at)?.first())))
        {
            padding.push((brace, columns.first.saturating_sub(cut.width)));
        }
        for (pair, most) in entries.windows(2).zip(&columns.entries) {
            if let [entry, next] = pair {
                let own = self.tree.width(first(entry), last(entry));
                padding.push((first(next), most.saturating_sub(own)));
            }
        }
        let mut padding = padding.into_iter().peekable();
        let mut doc = self.token(node.first());
        for index in node.first() + 1..=node.last() {
            let Some(token) = self.token_at(index).filter(|token| !token.trailing) else {
                continue;
            };
            let filled = padding.next_if(|(token, _)| *token == index);
            let blanks = token.gap + filled.map_or(0, |(_, blanks)| blanks);
            doc = doc.append(self.blanks(blanks)).append(self.bare_token(index));
        }
        doc
    }

    /// A block on lines of its own.
    fn block(&self, node: &Node, entries: &[&[Part]]) -> Doc<'a, 't> {
        let inside: usize = entries.iter().map(|entry| entry.len()).sum();
        let head = node.parts.len().saturating_sub(inside + 2);
        let Some((head, [brace, .., close])) = node.parts.split_at_checked(head) else {
            return self.flow(node.rule, &node.parts, INDENT);
        };
        let mut body = self.nil();
        for (index, (entry, columns)) in entries.iter().zip(self.columns(entries)).enumerate() {
            body = body.append(self.arena.hardline());
            if index > 0 && self.is_blank_above(first(entry)) {
                body = body.append(self.arena.hardline());
            }
            body = body.append(match entry {
                [Part::Node(node)] => self.line(node, &columns),
                parts => self.flow(node.rule, parts, INDENT),
            });
        }
        let doc = self.flow(node.rule, head, INDENT);
        let doc = doc.append(self.before(brace.first(), self.space())).append(self.part(brace));
        self.closed(doc.append(body.nest(INDENT)), close.first(), self.arena.hardline())
    }

    /// A line: an item without a block, or an entry of a block.
    fn line(&self, node: &Node, columns: &Columns) -> Doc<'a, 't> {
        let cut = self.cut(node);
        let Some((cut, (before, behind))) =
            cut.and_then(|cut| Some((cut, node.parts.split_at_checked(cut.at)?)))
        else {
            return match node.rule {
                Rule::call => self.call(node),
                _ => self.flow(node.rule, &node.parts, INDENT),
            };
        };
        let (before, own) = self.first_column(node, before, cut);
        let doc = before.append(self.blanks(columns.first.saturating_sub(own)));
        let hang = |doc: Doc<'a, 't>| match cut.width > WIDTH / 2 {
            true => doc.nest(INDENT),
            false => doc.align(),
        };
        match (node.rule, behind) {
            (_, []) => doc,
            (Rule::decision | Rule::always, [first, ..]) => doc
                .append(self.before(first.first(), self.space()))
                .append(hang(self.flow(node.rule, behind, 0))),
            (_, [reason]) => {
                let line = self.before(reason.first(), self.arena.line());
                doc.append(line.append(self.part(reason)).nest(INDENT).group())
            }
            (_, [sign, rest @ ..]) => {
                let next = rest.first().map_or(0, Part::first);
                let doc = doc.append(self.before(sign.first(), self.space()));
                let doc = doc.append(self.part(sign)).append(self.before(next, self.space()));
                let first = rest.first().and_then(|part| part.rule(self.tree));
                doc.append(match (node.rule, first) {
                    (_, Some(Rule::label_rule)) => hang(self.label(rest)),
                    (_, Some(Rule::condition)) | (Rule::claim | Rule::writes, _) => {
                        hang(self.flow(node.rule, rest, 0))
                    }
                    _ => self.flow(node.rule, rest, INDENT),
                })
            }
        }
    }

    /// What stands before the second column, and the width of its last line.
    fn first_column(&self, node: &Node, parts: &[Part], cut: Cut) -> (Doc<'a, 't>, usize) {
        if node.rule != Rule::field_line {
            return (self.flow(node.rule, parts, INDENT), cut.width);
        }
        let names = self.names(parts);
        let mut starts = names.starts.iter().peekable();
        let mut doc = self.nil();
        for (index, part) in parts.iter().enumerate() {
            let gap = match index {
                0 => self.nil(),
                _ if starts.next_if_eq(&&index).is_some() => self.arena.hardline(),
                _ => self.before(part.first(), self.space()),
            };
            doc = doc.append(gap).append(self.part(part));
        }
        (doc, names.last)
    }

    /// A label with its guards, and its reason on a line of its own where they do not share one.
    fn label(&self, parts: &[Part]) -> Doc<'a, 't> {
        let mut doc = self.nil();
        for (index, part) in parts.iter().enumerate() {
            let line = match index {
                0 => self.nil(),
                _ => self.before(part.first(), self.arena.line()),
            };
            doc = doc.append(line).append(self.part(part));
        }
        doc.group()
    }

    fn blanks(&self, count: usize) -> Doc<'a, 't> {
        match count {
            0 => self.nil(),
            1 => self.space(),
            _ => self.arena.text(" ".repeat(count)),
        }
    }
}
