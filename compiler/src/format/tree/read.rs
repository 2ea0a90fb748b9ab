//! Reads a match into tokens and comments.

use rtbas_grammar::{Pair, Rule};
use unicode_width::UnicodeWidthStr;

use super::{Comment, Node, Part, Token, has_tight_braces, is_close, is_list, is_open};

/// The tokens of a match, its parts, and the comments below its last token.
pub(super) fn read<'t>(text: &'t str, file: Pair<'t>) -> (Vec<Token<'t>>, Node, Vec<Comment<'t>>) {
    let mut reader = Reader { text, ..Reader::default() };
    let mut parts = Vec::new();
    reader.parts(Rule::file, file, &mut parts);
    let Reader { mut tokens, comments, .. } = reader;
    gather_at_commas(&mut tokens);
    (tokens, Node { rule: Rule::file, parts }, comments)
}

/// Whether a colon stands close to the name before it.
fn has_tight_colon(rule: Rule) -> bool {
    matches!(rule, Rule::capture | Rule::field | Rule::entry | Rule::argument)
}

/// A comment that stands between an entry and its comma belongs behind the comma.
fn gather_at_commas(tokens: &mut [Token<'_>]) {
    let mut index = 1;
    while let Some([before, comma]) = tokens.get_mut(index - 1..=index) {
        let is_plain = comma.before.is_empty() && comma.after.is_empty();
        if comma.rule == Some(Rule::comma) && is_plain {
            comma.after = std::mem::take(&mut before.after);
        }
        index += 1;
    }
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    /// How far the text is read.
    at: usize,
    tokens: Vec<Token<'t>>,
    /// The comments since the last token, on lines of their own.
    comments: Vec<Comment<'t>>,
    /// The ends of lines since the last token or comment.
    newlines: usize,
    /// The column of the last comment at the end of a line, while only such comments follow.
    column: Option<usize>,
}

impl<'t> Reader<'t> {
    /// Reads a match.
    fn parts(&mut self, rule: Rule, pair: Pair<'t>, parts: &mut Vec<Part>) {
        let end = pair.as_span().end();
        for part in pair.into_inner() {
            let (inner, span) = (part.as_rule(), part.as_span());
            self.signs(rule, span.start(), parts);
            if part.clone().into_inner().next().is_none() {
                self.leaf(rule, inner, part.as_str(), parts);
            } else {
                let mut inside = Vec::new();
                self.parts(inner, part, &mut inside);
                self.find_lists(inner, &inside);
                if !inside.is_empty() {
                    parts.push(Part::Node(Node { rule: inner, parts: inside }));
                }
            }
        }
        self.signs(rule, end, parts);
    }

    /// Marks the brackets of a match that hold lists.
    fn find_lists(&mut self, rule: Rule, parts: &[Part]) {
        let mut open = None;
        let mut has_commas = is_list(rule);
        for part in parts {
            let Part::Token(index) = part else { continue };
            let rule_of = self.tokens.get(*index).and_then(|token| token.rule);
            if is_open(rule_of) {
                open = Some(*index);
                has_commas = is_list(rule);
            } else if is_close(rule_of) {
                if let Some(token) = open.take().and_then(|open| self.tokens.get_mut(open)) {
                    token.opens_list = has_commas;
                }
            } else if rule_of == Some(Rule::comma) {
                has_commas = true;
            }
        }
    }

    /// Reads a leaf. What is not quoted may have white space and comments at its end.
    fn leaf(&mut self, parent: Rule, rule: Rule, text: &'t str, parts: &mut Vec<Part>) {
        let token = match text.chars().next() {
            Some('"' | '`' | '/') => text,
            _ => text.split("//").next().unwrap_or(text).trim_end(),
        };
        if !token.is_empty() {
            self.token(parent, Some(rule), token, parts);
        }
    }

    /// Reads what stands before a place and is no leaf: white space, comments, and signs that have
    /// no rule.
    fn signs(&mut self, rule: Rule, end: usize, parts: &mut Vec<Part>) {
        while let Some(rest) = self.text.get(self.at..end) {
            let trimmed = rest.trim_start();
            let blank = rest.len() - trimmed.len();
            self.newlines += rest.bytes().take(blank).filter(|byte| *byte == b'\n').count();
            self.at += blank;
            if trimmed.is_empty() {
                return;
            }
            if trimmed.starts_with("//") {
                let comment = trimmed.split('\n').next().unwrap_or(trimmed);
                self.comment(comment.trim_end());
                self.at += comment.len();
            } else {
                let is_end = |c: char| c.is_whitespace();
                let sign = trimmed.split(is_end).next().unwrap_or(trimmed);
                let sign = sign.split("//").next().unwrap_or(sign);
                self.token(rule, None, sign, parts);
            }
        }
    }

    fn comment(&mut self, text: &'t str) {
        let line = self.text.get(..self.at).unwrap_or_default();
        let line = line.rsplit('\n').next().unwrap_or_default();
        let column = line.width();
        let trails = self.newlines == 0 && self.comments.is_empty();
        let goes_on = self.newlines == 1 && self.column == Some(column);
        match self.tokens.last_mut().filter(|_| trails || goes_on) {
            Some(token) => {
                token.after.push(text);
                self.column = Some(column);
            }
            None => {
                self.comments.push(Comment { text, blank: self.newlines > 1 });
                self.column = None;
            }
        }
        self.newlines = 0;
    }

    /// Takes a token, and decides by the match that it is a part of what stands close to it.
    fn token(&mut self, parent: Rule, rule: Option<Rule>, text: &'t str, parts: &mut Vec<Part>) {
        let before = self.tokens.last();
        let is_first = parts.is_empty();
        let after_comma = before.is_some_and(|before| before.rule == Some(Rule::comma));
        let is_close_to = match rule {
            Some(Rule::comma | Rule::dot | Rule::nullable) => true,
            Some(Rule::close_paren | Rule::close_bracket) => true,
            Some(Rule::close_brace) => {
                has_tight_braces(parent)
                    || before.is_some_and(|before| before.rule == Some(Rule::open_brace))
            }
            Some(Rule::open_paren) => !is_first,
            Some(Rule::open_bracket) => matches!(parent, Rule::items_step | Rule::keys_step),
            Some(Rule::colon) => has_tight_colon(parent),
            _ => false,
        };
        let is_close_to = is_close_to || before.is_none_or(|before| before.tight);
        let tight = match rule {
            Some(Rule::open_paren | Rule::open_bracket | Rule::dot) => true,
            Some(Rule::open_brace) => has_tight_braces(parent),
            _ => false,
        };
        if let Some(comma) = self.tokens.last_mut() {
            comma.trailing = is_close(rule) && after_comma && is_list(parent);
        }
        let begins = self.newlines > 0 || !self.comments.is_empty();
        parts.push(Part::Token(self.tokens.len()));
        self.tokens.push(Token {
            rule,
            text,
            before: std::mem::take(&mut self.comments),
            blank: self.newlines > 1,
            after: Vec::new(),
            begins,
            gap: usize::from(!is_close_to),
            trailing: false,
            opens_list: false,
            tight,
        });
        self.at += text.len();
        self.newlines = 0;
        self.column = None;
    }
}
