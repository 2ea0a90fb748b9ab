//! The canonical form of a policy's text: what it says stays, and how it is written becomes one of
//! a kind.
//!
//! Works on tokens and comments, never on the syntax tree: what is written out is what was read.
//! What comes out is read once more, and if anything but white space and a list's last comma had
//! changed, nothing would come out.

use pretty::Arena;
use rtbas_grammar::Rule;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{MAX_FILE, Sources};
use crate::syntax;
use layout::{Layout, WIDTH};
use lines::Lines;
use tree::Tree;

mod tree;
mod lines;
mod layout;

/// The canonical form of the policy at a path, if it has a syntax tree.
pub fn format(
    sources: &mut Sources<'_>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let file = syntax::load(sources, None, path, diagnostics)?;
    let matched = syntax::matched(sources, file, diagnostics)?;
    let policy = syntax::policy(file, &matched, diagnostics)?;
    diagnostics.gate(policy)?;
    let before = Tree::of(sources.text(file), matched);
    let formatted = print(&before);
    if formatted.len() > MAX_FILE {
        let size = formatted.len();
        let message = format!(
            "`{path}` has no canonical form: it would have {size} bytes, and at most {MAX_FILE} are \
             read"
        );
        diagnostics.push(Diagnostic::new(Code::E0101, None, message));
        return None;
    }
    let after = rtbas_grammar::parse(&formatted).ok().map(|matched| Tree::of(&formatted, matched));
    let is_same = after.is_some_and(|after| said(&before).eq(said(&after)));
    if !is_same {
        let message = "internal error: the formatter would have changed what the policy says";
        diagnostics.push(Diagnostic::new(Code::E0509, None, message));
        return None;
    }
    Some(formatted)
}

/// What is not to change.
#[derive(PartialEq)]
enum Said<'t> {
    Token(Option<Rule>, &'t str),
    Comment(&'t str),
}

/// What a text says, in order: its tokens, but for commas behind the last entry of a list, and its
/// comments.
fn said<'s>(tree: &'s Tree<'_>) -> impl Iterator<Item = Said<'s>> {
    let tokens = tree.tokens.iter().filter(|token| !token.trailing);
    let tokens = tokens.map(|token| Said::Token(token.rule, token.text));
    let comments = tree.tokens.iter().flat_map(|token| {
        token.before.iter().map(|comment| comment.text).chain(token.after.iter().copied())
    });
    let comments = comments.chain(tree.end.iter().map(|comment| comment.text));
    tokens.chain(comments.map(Said::Comment))
}

fn print(tree: &Tree<'_>) -> String {
    let mut lines = Lines::default();
    let arena = Arena::new();
    let layout = Layout { arena: &arena, tree };
    let items = &tree.root.parts;
    for (index, (item, columns)) in items.iter().zip(layout.items(items)).enumerate() {
        if index > 0 && layout.is_blank_above(item.first()) {
            lines.begin();
        }
        lines.begin();
        let arena = Arena::new();
        let item = Layout { arena: &arena, tree }.item(item, &columns);
        // Writing lines does not fail.
        let _ = item.render_raw(WIDTH, &mut lines);
    }
    for comment in &tree.end {
        if comment.blank {
            lines.begin();
        }
        lines.begin();
        let _ = layout.comment(comment, false).render_raw(WIDTH, &mut lines);
    }
    lines.text()
}
