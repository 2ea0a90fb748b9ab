//! Matches → documents: where lines may break, and how far what follows is indented. What has
//! brackets is in [`list`], lines and blocks are in [`block`].
//!
//! A rule that has no layout of its own flows: one blank between its tokens, and where that is too
//! long for a line, breaks before keywords and behind commas.

use pretty::{Arena, DocAllocator, DocBuilder};
use rtbas_grammar::Rule;

use super::lines::Trailing;
use super::tree::{Comment, Node, Part, Token, Tree, has_tight_braces, is_close, is_open};

mod list;
mod columns;
mod block;

/// Columns of a line.
pub(super) const WIDTH: usize = 100;
/// Blanks by which a block's lines and a line's continuation are indented.
const INDENT: isize = 2;

pub(super) type Doc<'a, 't> = DocBuilder<'a, Arena<'a, Trailing<'t>>, Trailing<'t>>;

/// Lays out matches of a text.
pub(super) struct Layout<'a, 't> {
    pub(super) arena: &'a Arena<'a, Trailing<'t>>,
    pub(super) tree: &'a Tree<'t>,
}

impl<'a, 't: 'a> Layout<'a, 't> {
    fn nil(&self) -> Doc<'a, 't> {
        self.arena.nil()
    }

    fn space(&self) -> Doc<'a, 't> {
        self.arena.space()
    }

    fn token_at(&self, index: usize) -> Option<&'a Token<'t>> {
        self.tree.tokens.get(index)
    }

    /// A token, the comments above it, and the comment behind it.
    fn token(&self, index: usize) -> Doc<'a, 't> {
        let Some(token) = self.token_at(index) else { return self.nil() };
        let blank = token.blank && !token.before.is_empty();
        let mut doc = self.nil();
        for (place, comment) in token.before.iter().enumerate() {
            doc = doc.append(self.comment(comment, place > 0)).append(self.arena.hardline());
        }
        if blank {
            doc = doc.append(self.arena.hardline());
        }
        doc.append(self.bare_token(index))
    }

    /// A token without the comments above it.
    fn bare_token(&self, index: usize) -> Doc<'a, 't> {
        let Some(token) = self.token_at(index) else { return self.nil() };
        let text = self.arena.text(token.text);
        match token.after.is_empty() {
            true => text,
            false => text.append(self.nil().annotate(token.after.clone())),
        }
    }

    /// A comment, and the blank line above it.
    pub(super) fn comment(&self, comment: &Comment<'t>, keeps_blank: bool) -> Doc<'a, 't> {
        let text = self.arena.text(comment.text);
        match comment.blank && keeps_blank {
            true => self.arena.hardline().append(text),
            false => text,
        }
    }

    /// What stands before a token on the same line, or the break that comments make of it.
    fn before(&self, token: usize, otherwise: Doc<'a, 't>) -> Doc<'a, 't> {
        let gap = self.token_at(token).map_or(0, |token| token.gap);
        match (self.tree.is_apart(token), gap) {
            (true, _) => self.arena.hardline(),
            (false, 0) => self.nil(),
            _ => otherwise,
        }
    }

    fn part(&self, part: &Part) -> Doc<'a, 't> {
        match part {
            Part::Token(token) => self.token(*token),
            Part::Node(node) => self.node(node),
        }
    }

    fn node(&self, node: &Node) -> Doc<'a, 't> {
        let flow = || self.flow(node.rule, &node.parts, 0);
        match node.rule {
            Rule::condition => self.alternatives(node),
            Rule::group => match node.parts.as_slice() {
                [open, inside @ .., close] => self
                    .part(open)
                    .append(self.before(open.last() + 1, self.nil()))
                    .append(self.flow(node.rule, inside, 0).align())
                    .append(self.before(close.first(), self.nil()))
                    .append(self.part(close)),
                _ => flow(),
            },
            Rule::ty if node.parts.len() > 2 => self.alternatives(node).align(),
            Rule::label_rule => self.guards(node),
            Rule::enumeration => flow().align(),
            Rule::call => self.call(node),
            Rule::form => self.form(node),
            _ => flow(),
        }
    }

    /// Parts one behind the other. Where they do not fit, the line breaks before keywords and
    /// operators and behind commas, and goes on with that indentation.
    fn flow(&self, rule: Rule, parts: &[Part], indent: isize) -> Doc<'a, 't> {
        let mut doc = self.nil();
        let mut unit = self.nil();
        let mut rest = parts;
        while let Some((part, behind)) = rest.split_first() {
            let first = part.first();
            let is_first = rest.len() == parts.len();
            let list = self.list_length(part, rest);
            let piece = match list.and_then(|length| rest.split_at_checked(length)) {
                Some((list, behind)) => {
                    rest = behind;
                    self.list(rule, list)
                }
                None => {
                    rest = behind;
                    self.part(part)
                }
            };
            if is_first {
                unit = piece;
            } else if self.may_break(first) || self.tree.is_apart(first) {
                doc = doc.append(unit.group());
                unit = self.before(first, self.arena.line()).append(piece).nest(indent);
            } else {
                let piece = self.before(first, self.space()).append(piece);
                if list.is_some() || self.is_long(part) {
                    // The list breaks into lines, and what leads up to it stays in its place.
                    doc = doc.append(unit.group());
                    unit = piece;
                } else {
                    unit = unit.append(piece);
                }
            }
        }
        doc.append(unit.group())
    }

    /// How many parts belong to the list that a bracket opens.
    fn list_length(&self, part: &Part, rest: &[Part]) -> Option<usize> {
        let Part::Token(open) = part else { return None };
        self.token_at(*open).filter(|open| open.opens_list)?;
        let is_close =
            |part: &Part| matches!(part, Part::Token(token) if is_close(self.tree.rule(*token)));
        rest.iter().position(is_close).map(|close| close + 1)
    }

    /// Whether a part is a list that breaks into lines of its own, which a label does not.
    fn is_long(&self, part: &Part) -> bool {
        match part.core() {
            Part::Node(node) => {
                !has_tight_braces(node.rule)
                    && self.token_at(node.first()).is_some_and(|token| token.opens_list)
            }
            Part::Token(_) => false,
        }
    }

    /// Whether the line may break before a token: behind a comma, or before a keyword or an
    /// operator that does not follow another.
    fn may_break(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.token_at(before));
        let (Some(token), Some(before)) = (self.token_at(index), before) else { return false };
        let leads =
            |token: &Token<'_>| token.is_keyword() || matches!(token.text, "->" | "=>" | "|");
        token.gap > 0 && (before.rule == Some(Rule::comma) || leads(token) && !leads(before))
    }

    /// Conditions or types of which one must hold, on a line each where they do not share one.
    fn alternatives(&self, node: &Node) -> Doc<'a, 't> {
        let indent = if node.parts.len() > 1 { INDENT } else { 0 };
        let mut doc = self.nil();
        for (index, part) in node.parts.iter().enumerate() {
            let gap = match (index, part) {
                (0, _) => self.nil(),
                (_, Part::Token(or)) => self.before(*or, self.arena.line()),
                (_, part) => self.before(part.first(), self.space()),
            };
            doc = doc.append(gap).append(self.part(part).nest(indent));
        }
        doc.group()
    }

    /// A label and its guards: a line for each where they do not share one.
    fn guards(&self, node: &Node) -> Doc<'a, 't> {
        let mut doc = self.nil();
        for (index, part) in node.parts.iter().enumerate() {
            let parts = match part {
                Part::Node(guard) if guard.rule == Rule::guard => guard.parts.as_slice(),
                part => std::slice::from_ref(part),
            };
            for (place, part) in parts.iter().enumerate() {
                let gap = match self.tree.rule(part.first()) {
                    _ if index == 0 && place == 0 => self.nil(),
                    Some(Rule::kw_else) => self.before(part.first(), self.arena.line()),
                    _ => self.before(part.first(), self.space()),
                };
                let is_condition = part.rule(self.tree) == Some(Rule::condition);
                let indent = if is_condition { 2 * INDENT } else { 0 };
                doc = doc.append(gap).append(self.part(part).nest(indent));
            }
        }
        doc.group()
    }

    /// A text with values in it. Where it is too long for a line, lines begin with a string.
    fn form(&self, node: &Node) -> Doc<'a, 't> {
        let (mut doc, mut unit) = (self.nil(), self.nil());
        for (index, part) in node.parts.iter().enumerate() {
            let first = part.first();
            let begins = self.tree.rule(first) == Some(Rule::string) || self.tree.is_apart(first);
            if index > 0 && begins {
                doc = doc.append(unit.group());
                unit = self.before(first, self.arena.line()).append(self.part(part));
            } else if index > 0 {
                unit = unit.append(self.before(first, self.space())).append(self.part(part));
            } else {
                unit = self.part(part);
            }
        }
        doc.append(unit.group()).nest(INDENT)
    }

    /// A call of a test. What it returns stays on its line, on a line of its own, or is broken into
    /// lines, whichever does first.
    fn call(&self, node: &Node) -> Doc<'a, 't> {
        let is_tail = |part: &Part| {
            let rule = part.rule(self.tree);
            matches!(rule, Some(Rule::returns | Rule::fails | Rule::expected))
        };
        let tail = node.parts.iter().position(is_tail).unwrap_or(node.parts.len());
        let (head, tail) = node.parts.split_at_checked(tail).unwrap_or_default();
        let mut doc = self.flow(node.rule, head, 0);
        for part in tail {
            let (first, last) = (part.first(), part.last());
            let below = self.before(first, self.arena.line()).append(self.part(part)).nest(INDENT);
            let is_list = (first..=last).any(|token| is_open(self.tree.rule(token)));
            let fits = self.tree.is_flat(first, last) && self.tree.width(first, last) + 4 <= WIDTH;
            doc = doc.append(match is_list && !fits {
                true => self.before(first, self.space()).append(self.part(part)),
                false => below.group(),
            });
        }
        doc
    }
}
