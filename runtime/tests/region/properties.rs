//! What holds for every document: spans are exact, and only leaves hold words.

use std::ops::Range;

use proptest::prelude::*;
use rtbas::region::{Content, Step, find};
use rtbas_artifact::ir::{Format, Tool, Type};
use rtbas_artifact::value::Value;
use serde_json::json;

use super::emit::{Written, documents};
use super::law::check;
use super::shape::{tool, types};

pub(crate) fn all_types() -> Vec<Type> {
    types().into_iter().map(|(_, ty)| ty).collect()
}

/// The regions of a text are these, and no words stand outside of them.
pub(crate) fn has_regions(
    tool: &Tool,
    text: &str,
    regions: &[(Range<usize>, Option<Value>)],
) -> Result<(), TestCaseError> {
    let types = all_types();
    let tree = match find(&types, tool, text) {
        Ok(tree) => tree,
        Err(unfit) => return Err(TestCaseError::fail(format!("{unfit} in {text:?}"))),
    };
    let found: Vec<_> = tree
        .iter()
        .map(|region| match &region.content {
            Content::Leaf(value) => (region.span.clone(), Some(value.clone())),
            Content::List | Content::Record | Content::Map => (region.span.clone(), None),
        })
        .collect();
    prop_assert_eq!(&found, regions, "in {:?}", text);
    check(&types, tool, text, &tree);
    Ok(())
}

/// A text that is found to fit is as such texts must be.
pub(crate) fn is_lawful(tool: &Tool, text: &str) {
    let types = all_types();
    if let Ok(tree) = find(&types, tool, text) {
        check(&types, tool, text, &tree);
    }
}

/// A place in a text, how much is cut out there, and what is put there.
pub(crate) type Change = (prop::sample::Index, usize, &'static str);

/// A text with changes, one after the other.
pub(crate) fn changed(text: &str, changes: Vec<Change>) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, cut, piece) in changes {
        let at = place.index(text.len() + 1);
        text.splice(at..(at + cut).min(text.len()), piece.chars());
    }
    text.into_iter().collect()
}

/// Pieces that mean something to YAML, to be put where they do not belong.
const HOSTILE: [&str; 38] = [
    " # to",
    "\n# to\n",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "? ",
    "<<: ",
    "\n---\n",
    "\n...\n",
    "%YAML 1.2\n",
    "\u{feff}",
    "\0",
    "|",
    ">",
    "|+\n",
    ">2-\n",
    "'",
    "\"",
    "\\",
    "\t",
    "\r",
    "\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "- ",
    "\u{85}",
    "\u{2028}",
    "  ",
    "id: 1",
    "\nto: x",
    ", sender: 'x'",
    "~",
    "@",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_document_has_the_regions_that_were_written(
        (shape, doc) in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        let written = Written::new(&doc, choices);
        has_regions(&tool(Format::Yaml, &shape), &written.text, &written.regions)?;
    }

    #[test]
    fn names_of_a_map_are_regions(
        (shape, doc) in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        prop_assume!(shape.is_object());
        let written = Written::new(&doc, choices);
        let (types, tool) = (all_types(), tool(Format::Yaml, &json!({"*": "any"})));
        let tree = find(&types, &tool, &written.text).unwrap();
        check(&types, &tool, &written.text, &tree);
        let value = find(&types, &super::shape::tool(Format::Yaml, &shape), &written.text).unwrap();
        let names = value.children(0).map(|child| value.get(child).unwrap().step.clone());
        let keys = tree.iter().filter(|region| matches!(region.step, Step::Key(_)));
        let keys = keys.map(|key| {
            Step::Field(written.text[key.span.clone()].trim_matches(['\'', '"']).to_owned())
        });
        prop_assert!(names.eq(keys), "in {:?}", written.text);
    }

    #[test]
    fn a_leaf_reads_the_same_by_itself(
        (shape, doc) in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        let types = all_types();
        let written = Written::new(&doc, choices);
        let tree = find(&types, &tool(Format::Yaml, &shape), &written.text).unwrap();
        for region in &tree {
            let Content::Leaf(value) = &region.content else { continue };
            let alone = &written.text[region.span.clone()];
            // The indentation that the header of a block tells counts from where it stands, and
            // a backslash at a quote means something else within brackets or at the root.
            let elsewhere = alone.starts_with(['|', '>']) || alone.contains("\\'");
            if !elsewhere {
                let leaf = match value {
                    Value::Text(_) => "text",
                    Value::Number(_) => "number",
                    _ => "bool",
                };
                let again = find(&types, &tool(Format::Yaml, &json!(leaf)), alone).unwrap();
                prop_assert_eq!(again.value(0), Some(value.clone()), "in {:?}", alone);
            }
        }
    }

    #[test]
    fn hostile_pieces_put_no_words_outside_of_leaves(
        (shape, doc) in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..4_usize, prop::sample::select(&HOSTILE[..])), 1..4),
    ) {
        let text = changed(&Written::new(&doc, choices).text, changes);
        is_lawful(&tool(Format::Yaml, &shape), &text);
    }

    #[test]
    fn any_text_is_read_or_refused(
        shape in prop::sample::select(vec![
            json!("text"), json!("any"), json!(["any"]), json!([{"id?": "any", "to?": ["text or null"]}]),
        ]),
        text in prop_oneof![
            "\\PC*",
            "[ \n\t\r#&*!|>'\"%@`\\[\\]{},:?a0~<.\u{feff}-]{0,40}",
            "(- |id: |to: |\n|\n  |[a-z'\"]){0,20}",
        ],
    ) {
        is_lawful(&tool(Format::Yaml, &shape), &text);
    }

    #[test]
    fn text_is_one_region(text in "\\PC*") {
        let tool = tool(Format::Text, &json!("text"));
        let tree = find(&all_types(), &tool, &text).unwrap();
        prop_assert_eq!(tree.iter().len(), 1);
        prop_assert_eq!(&tree.get(0).unwrap().span, &(0..text.len()));
        prop_assert_eq!(tree.value(0), Some(Value::Text(text)));
    }
}

/// A tree can be walked from its root to every region, and its values are those of its leaves.
#[test]
fn a_tree_is_walked_by_its_children() {
    let shape = json!([{"id": "integer", "to": ["text"]}]);
    let text = "- id: 1\n  to: [a, b]\n- {id: 2, to: []}\n";
    let tree = find(&all_types(), &tool(Format::Yaml, &shape), text).unwrap();
    let mut walked = vec![0];
    let mut at = 0;
    while at < walked.len() {
        for child in tree.children(walked[at]) {
            assert_eq!(tree.get(child).unwrap().parent, Some(walked[at]));
            walked.push(child);
        }
        at += 1;
    }
    walked.sort_unstable();
    assert!(walked.iter().copied().eq(0..tree.iter().len()));
    assert_eq!(tree.get(2).unwrap().step, Step::Field("id".into()));
    let value = json!([{"id": 1, "to": ["a", "b"]}, {"id": 2, "to": []}]);
    assert_eq!(tree.value(0).map(|v| v.to_json()), Some(value));
    assert_eq!(tree.value(99), None);
    assert_eq!(tree.children(99).count(), 0);
    let paths: Vec<String> = (0..tree.iter().len()).map(|i| tree.path(i)).collect();
    assert_eq!(
        paths[..5],
        ["result", "result[0]", "result[0].id", "result[0].to", "result[0].to[0]"]
    );
}
