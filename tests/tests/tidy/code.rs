//! Rust code as a list of tokens, and the paths in it. Comments, strings and what is only compiled
//! for tests are left out.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree, token_stream};

use super::tree::File;

/// A name, a bracket or a sign; `::` is one token, and every literal is `"`.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A path such as `crate::ir::Policy`, spelled out where it stands in a group.
pub(super) struct Path {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
    /// The name that a `use` gives it in this file.
    pub(super) import: Option<String>,
}

impl Path {
    pub(super) fn first(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }
}

/// A file of code.
pub(super) struct Code {
    pub(super) tokens: Vec<Token>,
    pub(super) paths: Vec<Path>,
    /// The modules that it declares and that have files of their own, in order.
    pub(super) modules: Vec<String>,
}

impl Code {
    pub(super) fn of(file: &File) -> Self {
        let stream = file.text.parse::<TokenStream>();
        let stream = stream.unwrap_or_else(|error| panic!("{}: {error}", file.path));
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        let paths = paths(&tokens);
        let module = |window: &[Token]| match window {
            [word, name, end] if word.text == "mod" && end.text == ";" => Some(name.text.clone()),
            _ => None,
        };
        let modules = tokens.windows(3).filter_map(module).collect();
        Self { tokens, paths, modules }
    }

    /// The names of the macros that are called, and the lines.
    pub(super) fn macros(&self) -> impl Iterator<Item = (&str, usize)> {
        self.tokens.windows(3).filter_map(|window| match window {
            [name, mark, open] if mark.text == "!" && "([{".contains(&open.text) => {
                Some((name.text.as_str(), name.line))
            }
            _ => None,
        })
    }
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let line = tree.span().start().line;
        let mut push = |text: &str| tokens.push(Token { text: text.to_owned(), line });
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '#' && is_for_tests(trees.peek()) => {
                skip_item(&mut trees);
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' && sign.spacing() == Spacing::Joint => {
                trees.next();
                push("::");
            }
            TokenTree::Punct(sign) => push(&sign.as_char().to_string()),
            TokenTree::Ident(name) => push(&name.to_string()),
            TokenTree::Literal(_) => push("\""),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                push(open);
                flatten(group.stream(), tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { text: close.to_owned(), line });
            }
        }
    }
}

fn is_for_tests(attribute: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = attribute else { return false };
    group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// Passes over an item, up to its body or its semicolon.
fn skip_item(trees: &mut Peekable<token_stream::IntoIter>) {
    let ends = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => sign.as_char() == ';',
        _ => false,
    };
    trees.find(ends);
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| &token.text)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

fn paths(tokens: &[Token]) -> Vec<Path> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let before = |count| at.checked_sub(count).map_or("", |at| text(tokens, at));
        // `use ::std::fs` begins with the sign that elsewhere goes on with a path.
        let rooted = before(1) == "::" && !(is_name(before(2)) || before(2) == ">");
        let import = before(1) == "use" || before(1) == "::" && before(2) == "use";
        let inside = matches!(before(1), "::" | ".") && !rooted;
        let here = text(tokens, at);
        let starts = import || !inside && here != "use" && text(tokens, at + 1) == "::";
        if starts && is_name(here) {
            at = path(tokens, at, &[], import, &mut paths);
        } else {
            at += 1;
        }
    }
    paths
}

/// Reads the path that starts at a token, or all paths of a group; gives where it ends.
fn path(
    tokens: &[Token],
    start: usize,
    prefix: &[String],
    import: bool,
    paths: &mut Vec<Path>,
) -> usize {
    let mut segments = prefix.to_vec();
    let mut at = start;
    loop {
        match text(tokens, at) {
            "{" if import => {
                at += 1;
                while !matches!(text(tokens, at), "}" | "") {
                    let here = text(tokens, at);
                    if is_name(here) || matches!(here, "*" | "{") {
                        at = path(tokens, at, &segments, import, paths);
                    } else {
                        at += 1;
                    }
                }
                return at + 1;
            }
            here if is_name(here) || here == "*" => segments.push(here.to_owned()),
            _ => break,
        }
        at += 1;
        if text(tokens, at) != "::" {
            break;
        }
        at += 1;
    }
    if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
        segments.pop();
    }
    let mut name = segments.last().cloned();
    if text(tokens, at) == "as" {
        name = Some(text(tokens, at + 1).to_owned());
        at += 2;
    }
    let line = tokens[start].line;
    paths.push(Path { segments, line, import: name.filter(|_| import) });
    at
}
