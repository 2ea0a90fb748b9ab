//! What holds of every text that was found to fit, whoever wrote it: spans are exact, and only leaves
//! hold words.

use rtbas::region::{Beside, Content, Tree};
use rtbas_artifact::ir::{Format, NodeKind, Tool, Type};
use rtbas_artifact::ty;

/// What a text that was found to fit must be like, whoever wrote it.
pub(crate) fn check(types: &[Type], tool: &Tool, text: &str, tree: &Tree) {
    if !tool.form.is_empty() {
        return check_form(tool, text, tree);
    }
    let whole = 0..text.len();
    let text = &match tree.beside() {
        Beside::Nothing => text.to_owned(),
        Beside::Failure => {
            assert!(tree.iter().map(|region| &region.span).eq([&whole]));
            return;
        }
        // Blocks lie in no region but the whole, and their words count as those of one.
        Beside::Blocks { span, .. } => {
            let mut inner = tree.iter().skip(1).map(|region| &region.span);
            assert!(inner.all(|other| other.end <= span.start || span.end <= other.start));
            format!("{}{}{}", &text[..span.start], " ".repeat(span.len()), &text[span.end..])
        }
    };
    let mut last = 0;
    let mut outside = String::new();
    for (index, region) in tree.iter().enumerate() {
        assert!(text.get(region.span.clone()).is_some(), "{:?}", region.span);
        assert!(region.span.start >= last, "regions overlap or are not in order");
        if let Some(parent) = region.parent {
            let around = &tree.get(parent).unwrap().span;
            assert!(parent < index);
            assert!(around.start <= region.span.start && region.span.end <= around.end);
        }
        match &region.content {
            Content::Leaf(value) => {
                let mut kinds = tool.nodes[region.node.index()].kinds.iter();
                let is_of = |kind: &NodeKind| match kind {
                    NodeKind::Leaf(leaf) => ty::check(types, *leaf, value).is_ok(),
                    _ => false,
                };
                assert!(kinds.any(is_of), "{value}");
                outside.push_str(&text[last..region.span.start]);
                outside.push(' ');
                last = region.span.end;
            }
            Content::List | Content::Record | Content::Map => {
                outside.push_str(&text[last..region.span.start]);
                last = region.span.start;
            }
        }
    }
    outside.push_str(&text[last..]);
    let is_name = |word: &str| names(tool).any(|name| name == unescaped(word));
    let outside = outside.trim().strip_suffix("...").unwrap_or(outside.trim());
    for word in outside
        .split([' ', '\n', '\r', '\t', '-', ':', ',', '[', ']', '{', '}', '\'', '"', '(', ')'])
    {
        assert!(word.is_empty() || is_name(word), "`{word}` stands outside of the leaves");
    }
}

/// The values of a text of a declared form and its pieces take turns, and are all of it.
fn check_form(tool: &Tool, text: &str, tree: &Tree) {
    let leaves = tree.iter().skip(1).map(|leaf| &text[leaf.span.clone()]);
    let pieces = tool.form.iter().skip(1).zip(leaves).map(|(piece, leaf)| format!("{leaf}{piece}"));
    assert_eq!(format!("{}{}", tool.form[0], pieces.collect::<String>()), text);
}

/// What stands around the structured content of a result in MCP's form.
const MEMBERS: [&str; 7] =
    ["structuredContent", "content", "isError", "_meta", "true", "false", "null"];

/// The names of all declared fields, and those that the format has.
fn names(tool: &Tool) -> impl Iterator<Item = &str> {
    let kinds = tool.nodes.iter().flat_map(|node| &node.kinds);
    let fields = kinds.filter_map(|kind| match kind {
        NodeKind::Record(fields) => Some(fields),
        _ => None,
    });
    let fields = fields.flatten().map(|field| field.name.as_str());
    fields.chain(MEMBERS.into_iter().filter(|_| tool.format == Format::Mcp))
}

/// A name without the escapes by code point that it may be written with.
fn unescaped(word: &str) -> String {
    let mut parts = word.split('\\');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (skipped, digits, radix) = match part.chars().next() {
            Some('x') => (1, 2, 16),
            Some('u') => (1, 4, 16),
            Some('U') => (1, 8, 16),
            _ => (0, part.chars().take(3).take_while(|c| c.is_digit(8)).count(), 8),
        };
        let code = part.get(skipped..skipped + digits);
        let code = code.and_then(|code| u32::from_str_radix(code, radix).ok());
        match code.and_then(char::from_u32) {
            Some(c) => format!("{name}{c}{}", &part[skipped + digits..]),
            None => format!("{name}\\{part}"),
        }
    })
}
