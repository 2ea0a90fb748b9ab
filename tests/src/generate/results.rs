//! What tools return: documents that have their declared shape, and such that have not.

use rtbas_artifact::ir::{NodeId, NodeKind, Policy, Tool};

use crate::generate::dice::Dice;
use crate::generate::values;
use crate::written::{Document, Language, Layout, Written};

/// Texts that are no document without words outside of its values.
const BROKEN: [&str; 6] =
    ["# a comment\n1\n", "&a 1\n", "!t x\n", "a: b: c\n", "[1, 2\n", "--- 1\n--- 2\n"];
/// White space around words that are whole results.
const MARGINS: [(&str, &str); 6] =
    [("", ""), ("", "\n"), ("", "\r\n"), (" ", ""), ("", "\n\n"), ("\n", " \n")];

/// What a tool returns; most often it has the declared shape.
pub fn document(dice: &mut Dice<'_>, policy: &Policy, tool: &Tool) -> Document {
    if dice.chance(90) {
        return fitting(dice, policy, tool);
    }
    match fitting(dice, policy, tool) {
        Document::Tree(language, written) if dice.chance(70) => {
            Document::Tree(language, damaged(dice, language, written))
        }
        _ => Document::Broken(dice.pick(&BROKEN).copied().unwrap_or("").to_owned()),
    }
}

/// A document that has the declared shape.
pub fn fitting(dice: &mut Dice<'_>, policy: &Policy, tool: &Tool) -> Document {
    let root = NodeId(u32::try_from(tool.nodes.len().saturating_sub(1)).unwrap_or(0));
    if let Some(language) = Language::of(tool.format) {
        return Document::Tree(language, node(dice, language, policy, tool, root));
    }
    if let (Some((first, pieces)), Some([NodeKind::Record(fields)])) =
        (tool.form.split_first(), tool.nodes.last().map(|node| node.kinds.as_slice()))
    {
        let mut text = first.clone();
        for (field, piece) in fields.iter().zip(pieces) {
            text.push_str(&word(dice, policy, tool, field.node));
            text.push_str(piece);
        }
        return Document::Text(text);
    }
    let (before, after) = dice.pick(&MARGINS).copied().unwrap_or_default();
    Document::Text(format!("{before}{}{after}", word(dice, policy, tool, root)))
}

/// A value of a leaf as it stands in a text.
fn word(dice: &mut Dice<'_>, policy: &Policy, tool: &Tool, id: NodeId) -> String {
    let value = match tool.nodes.get(id.index()).map(|node| node.kinds.as_slice()) {
        Some([NodeKind::Leaf(ty)]) => values::written(dice, Language::Yaml, &policy.types, *ty),
        _ => Written::Plain("~".to_owned()),
    };
    match value {
        Written::Plain(word) | Written::Quoted(word) => word,
        value => Language::Yaml.token(&value),
    }
}

/// A value as a node declares it.
pub fn node(
    dice: &mut Dice<'_>,
    language: Language,
    policy: &Policy,
    tool: &Tool,
    id: NodeId,
) -> Written {
    let layout = if dice.chance(30) { Layout::Flow } else { Layout::Block };
    let kinds = tool.nodes.get(id.index()).map_or(&[][..], |node| &node.kinds);
    match dice.pick(kinds) {
        None => values::word(language, "~".to_owned()),
        Some(NodeKind::Leaf(ty)) => values::written(dice, language, &policy.types, *ty),
        Some(NodeKind::List(element)) => {
            let items =
                (0..dice.below(4)).map(|_| node(dice, language, policy, tool, *element)).collect();
            Written::List(layout, items)
        }
        Some(NodeKind::Record(fields)) => {
            let mut written = Vec::new();
            for field in fields {
                if field.required || dice.chance(60) {
                    written
                        .push((field.name.clone(), node(dice, language, policy, tool, field.node)));
                }
            }
            if dice.chance(15) {
                written.reverse();
            }
            Written::Record(layout, written)
        }
        Some(NodeKind::Map { value, .. }) => {
            let names = values::names(dice);
            let value = |name| (name, node(dice, language, policy, tool, *value));
            Written::Record(layout, names.into_iter().map(value).collect())
        }
    }
}

/// The value with a fault somewhere: one too many, one missing, or another kind.
fn damaged(dice: &mut Dice<'_>, language: Language, written: Written) -> Written {
    match written {
        Written::Plain(_) | Written::Word(_) | Written::Quoted(_) => match dice.below(3) {
            0 => Written::List(Layout::Flow, vec![written]),
            1 => Written::Quoted("other".to_owned()),
            _ => values::word(language, "2.5".to_owned()),
        },
        Written::List(layout, mut items) => {
            let place = dice.below(items.len() + 1);
            match items.get_mut(place) {
                Some(item) => *item = damaged(dice, language, item.clone()),
                None => items.push(Written::Record(Layout::Flow, vec![])),
            }
            Written::List(layout, items)
        }
        Written::Record(layout, mut fields) => {
            let place = dice.below(fields.len() + 1);
            match (dice.below(4), fields.get_mut(place)) {
                (0, Some(_)) => drop(fields.remove(place)),
                (1, Some(field)) => {
                    let twice = field.clone();
                    fields.push(twice);
                }
                (_, Some((_, value))) => *value = damaged(dice, language, value.clone()),
                (_, None) => {
                    fields.push(("other".to_owned(), values::word(language, "1".to_owned())));
                }
            }
            Written::Record(layout, fields)
        }
    }
}
