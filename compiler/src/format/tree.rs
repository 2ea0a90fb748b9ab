//! A matched text as a tree of tokens: everything in it but white space, comments kept beside the
//! tokens that they belong to.
//!
//! Knows of the grammar only what separates tokens: a leaf of the match is a token, and so is what
//! stands between leaves and is no comment. A rule that nobody here has heard of works like others.

use rtbas_grammar::{Pair, Rule};
use unicode_width::UnicodeWidthStr;

mod read;

/// A matched text.
#[derive(Debug)]
pub(super) struct Tree<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    /// The file: its header and its items.
    pub(super) root: Node,
    /// The comments below the last token.
    pub(super) end: Vec<Comment<'t>>,
    /// What is to be known of stretches of tokens, summed up from the first token.
    sums: Vec<Sums>,
}

/// A token and the comments around it.
#[derive(Debug)]
pub(super) struct Token<'t> {
    /// The rule whose leaf it is; a sign that has no rule has none.
    pub(super) rule: Option<Rule>,
    pub(super) text: &'t str,
    /// The comments on lines of their own above it.
    pub(super) before: Vec<Comment<'t>>,
    /// Whether a blank line stands above it, below its comments.
    pub(super) blank: bool,
    /// The comment at the end of its line, and those that go on below in the same column.
    pub(super) after: Vec<&'t str>,
    /// Whether it began a line.
    pub(super) begins: bool,
    /// The blanks before it where it shares a line with the token before it.
    pub(super) gap: usize,
    /// Whether it is a comma behind the last entry of a list, which stands only where the list is
    /// broken into lines.
    pub(super) trailing: bool,
    /// Whether it opens a list of entries, which may be broken into lines.
    pub(super) opens_list: bool,
    /// Whether the next token stands close to it.
    tight: bool,
}

/// A comment on a line of its own.
#[derive(Debug)]
pub(super) struct Comment<'t> {
    pub(super) text: &'t str,
    /// Whether a blank line stands above it.
    pub(super) blank: bool,
}

/// A match with parts.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) rule: Rule,
    /// At least one.
    pub(super) parts: Vec<Part>,
}

#[derive(Debug)]
pub(super) enum Part {
    /// The index of a token.
    Token(usize),
    Node(Node),
}

/// Up to a token, it included.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    width: usize,
    comments: usize,
    breaks: usize,
    forced: usize,
}

impl Part {
    pub(super) fn first(&self) -> usize {
        match self {
            Self::Token(token) => *token,
            Self::Node(node) => node.first(),
        }
    }

    pub(super) fn last(&self) -> usize {
        match self {
            Self::Token(token) => *token,
            Self::Node(node) => node.last(),
        }
    }

    pub(super) fn rule(&self, tree: &Tree<'_>) -> Option<Rule> {
        match self {
            Self::Token(token) => tree.rule(*token),
            Self::Node(node) => Some(node.rule),
        }
    }

    /// The match that this is in other words: `value` may hold nothing but a `value_list`.
    pub(super) fn core(&self) -> &Self {
        match self {
            Self::Node(Node { parts, .. }) => match parts.as_slice() {
                [only @ Self::Node(_)] => only.core(),
                _ => self,
            },
            Self::Token(_) => self,
        }
    }
}

impl Node {
    pub(super) fn first(&self) -> usize {
        first(&self.parts)
    }

    pub(super) fn last(&self) -> usize {
        last(&self.parts)
    }
}

/// Whether a match is a list of entries between brackets, with or without a comma behind the last.
pub(super) fn is_list(rule: Rule) -> bool {
    rule != Rule::capture && has_tight_braces(rule)
        || matches!(
            rule,
            Rule::product
                | Rule::powerset
                | Rule::factors
                | Rule::record_ty
                | Rule::value_list
                | Rule::value_record
                | Rule::call
        )
}

/// Whether braces stand close to what is in them.
pub(super) fn has_tight_braces(rule: Rule) -> bool {
    matches!(rule, Rule::label | Rule::names_of | Rule::cells | Rule::capture)
}

pub(super) fn is_open(rule: Option<Rule>) -> bool {
    matches!(rule, Some(Rule::open_brace | Rule::open_bracket | Rule::open_paren))
}

pub(super) fn is_close(rule: Option<Rule>) -> bool {
    matches!(rule, Some(Rule::close_brace | Rule::close_bracket | Rule::close_paren))
}

impl<'t> Tree<'t> {
    /// The tree of a text that matched.
    pub(super) fn of(text: &'t str, file: Pair<'t>) -> Self {
        let (mut tokens, root, end) = read::read(text, file);
        for part in &root.parts {
            if let Part::Node(item) = part {
                for entry in item.entries(&tokens).unwrap_or_default().iter().skip(1) {
                    if let Some(token) = tokens.get_mut(first(entry)) {
                        token.gap = 2;
                    }
                }
            }
        }
        let sums = sums(&tokens);
        Self { tokens, root, end, sums }
    }

    pub(super) fn rule(&self, token: usize) -> Option<Rule> {
        self.tokens.get(token)?.rule
    }

    /// The columns that a stretch of tokens takes on one line.
    pub(super) fn width(&self, first: usize, last: usize) -> usize {
        let gap = self.tokens.get(first).map_or(0, |token| token.gap);
        self.between(first.checked_sub(1), last, |sums| sums.width).saturating_sub(gap)
    }

    /// Whether comments stand between a token and the one before it, which keeps the two apart.
    pub(super) fn is_apart(&self, token: usize) -> bool {
        token > 0 && self.has_comments(token - 1, token)
    }

    /// Whether comments stand inside a stretch of tokens.
    pub(super) fn has_comments(&self, first: usize, last: usize) -> bool {
        self.between(Some(first), last, |sums| sums.comments) > 0
    }

    /// Whether a stretch of tokens was written on several lines.
    pub(super) fn has_breaks(&self, first: usize, last: usize) -> bool {
        self.between(Some(first), last, |sums| sums.breaks) > 0
    }

    /// Whether a stretch of tokens can stand on one line.
    pub(super) fn is_flat(&self, first: usize, last: usize) -> bool {
        !self.has_comments(first, last) && self.between(Some(first), last, |sums| sums.forced) == 0
    }

    /// A sum over the tokens behind `from`, up to `last`.
    fn between(&self, from: Option<usize>, last: usize, of: impl Fn(&Sums) -> usize) -> usize {
        let at = |token: usize| self.sums.get(token).map_or(0, &of);
        at(last).saturating_sub(from.map_or(0, at))
    }
}

impl Node {
    /// What stands between the braces of an item, if the item is a block: matches side by side, or
    /// clauses that begin with a keyword, but for what stands before the first.
    pub(super) fn entries(&self, tokens: &[Token<'_>]) -> Option<Vec<&[Part]>> {
        let rule = |part: &Part| match part {
            Part::Token(token) => tokens.get(*token).and_then(|token| token.rule),
            Part::Node(_) => None,
        };
        let (close, inside) = self.parts.split_last()?;
        let open = inside.iter().position(|part| rule(part) == Some(Rule::open_brace))?;
        if is_list(self.rule) || rule(close) != Some(Rule::close_brace) {
            return None;
        }
        let inside = inside.get(open + 1..)?;
        if inside.iter().all(|part| matches!(part, Part::Node(_))) {
            return Some(inside.chunks(1).collect());
        }
        let begins = |part: &Part| match part {
            Part::Node(node) => {
                let first = tokens.get(node.first());
                node.rule != Rule::because && first.is_some_and(Token::is_keyword)
            }
            Part::Token(_) => false,
        };
        Some(inside.chunk_by(|_, part| !begins(part)).collect())
    }
}

impl Token<'_> {
    /// Whether it is a word of the language.
    pub(super) fn is_keyword(&self) -> bool {
        self.text.starts_with(char::is_alphabetic)
            && !matches!(self.rule, Some(Rule::name | Rule::prefix))
    }
}

/// The first token of some parts.
pub(super) fn first(parts: &[Part]) -> usize {
    parts.first().map_or(0, Part::first)
}

/// The last token of some parts.
pub(super) fn last(parts: &[Part]) -> usize {
    parts.last().map_or(0, Part::last)
}

fn sums(tokens: &[Token<'_>]) -> Vec<Sums> {
    let mut total = Sums::default();
    let mut all = Vec::with_capacity(tokens.len());
    let mut before: Option<&Token<'_>> = None;
    for token in tokens {
        if !token.trailing {
            total.width += token.gap + token.text.width();
        }
        let opens = before.is_some_and(|before| before.opens_list);
        let commented = before.is_some_and(|b| !b.after.is_empty()) || !token.before.is_empty();
        total.comments += usize::from(commented);
        total.breaks += usize::from(token.begins);
        total.forced += usize::from(token.begins && opens && !is_close(token.rule));
        all.push(total);
        before = Some(token);
    }
    all
}
