//! Any text is divided into regions that lie where they say, with nobody's words outside of them, or
//! it is refused; and what is JSON is what another reader of JSON takes for it.
//!
//! The first byte of an input chooses the format and the second the shape, as their letters in
//! [`FORMATS`] and [`SHAPES`], or `f` a text of one of [`FORMS`]; the text follows.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use rtbas::region::{Beside, Content, Tree, find};
use rtbas_artifact::ir::{Format, Tool, Type};
use rtbas_artifact::value::Value;
use rtbas_fuzz::once::Once;
use serde_json::Value as Json;

#[path = "../../runtime/tests/region/law.rs"]
mod law;
#[path = "../../runtime/tests/region/shape.rs"]
mod shape;

const FORMATS: [(u8, Format); 5] = [
    (b't', Format::Text),
    (b'y', Format::Yaml),
    (b'j', Format::Json),
    (b'p', Format::Python),
    (b'm', Format::Mcp),
];

/// What results may be declared to be; the first is `a`.
const SHAPES: [&str; 14] = [
    r#""any""#,
    r#"["any"]"#,
    r#"{"*": "any"}"#,
    r#""text""#,
    r#""number or text""#,
    r#""word""#,
    r#"{"id": "integer", "sender": "text", "to?": ["text or null"], "subject?": "text"}"#,
    r#"[{"id": "integer", "sender": "text", "to?": ["text or null"], "subject?": "text"}]"#,
    r#"{"*": {"id?": "number", "body?": "text"}}"#,
    r#"{"|": ["null", ["text"], {"id": "number"}]}"#,
    r#"[{"|": [{"kind": "kind a", "x": "integer"}, {"y?": ["text"], "kind": "kind b"}], "tag": "kind"}]"#,
    r#"[["bool"]]"#,
    r#""set of texts""#,
    r#"{"at": "point", "near?": ["open point"]}"#,
];

/// Texts of a declared form: what they are made of, and what stands around that.
const FORMS: [(&str, &[&str]); 2] = [
    (r#"{"a": "text", "b": "integer", "c": "text"}"#, &["To ", " (", ")\n", ""]),
    (r#"{"a": "number", "b": "text"}"#, &["", "aa", "a"]),
];

/// The types of all leaves, and each tool.
static POLICY: LazyLock<(Vec<Type>, Vec<Vec<Tool>>)> = LazyLock::new(|| {
    let shapes = SHAPES.map(|shape| serde_json::from_str(shape).expect("a shape"));
    let of = |format| shapes.iter().map(|of| shape::tool(format, of)).collect();
    let forms = FORMS.map(|(of, pieces)| {
        let of = serde_json::from_str(of).expect("a shape");
        let form = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        Tool { form, ..shape::tool(Format::Text, &of) }
    });
    let tools = FORMATS.map(|(_, format)| of(format)).into_iter().chain([forms.into()]);
    (shape::types().into_iter().map(|(_, ty)| ty).collect(), tools.collect())
});

fuzz_target!(|input: &[u8]| -> Corpus {
    let [format, shape, text @ ..] = input else { return Corpus::Reject };
    let Ok(text) = std::str::from_utf8(text) else { return Corpus::Reject };
    let mut letters = FORMATS.iter().map(|(letter, _)| letter).chain([&b'f']);
    let Some(format) = letters.position(|letter| letter == format) else {
        return Corpus::Reject;
    };
    let (types, tools) = &*POLICY;
    let index = usize::from(shape.wrapping_sub(b'a'));
    let Some(tool) = tools[format].get(index) else { return Corpus::Reject };
    let found = find(types, tool, text);
    if let Ok(tree) = &found {
        law::check(types, tool, text, tree);
        walk(tree);
        if matches!(tool.format, Format::Json | Format::Python) {
            alone(types, tool.format, tree, text);
        }
    }
    if let Ok(tree) = &found
        && let Beside::Blocks { span, repeats: true } = tree.beside()
    {
        let json = tools.iter().flatten().filter(|tool| tool.format == Format::Json).nth(index);
        repeats(types, json.expect("a tool of that shape"), tree, &text[span.clone()]);
    }
    if (tool.format, index) == (Format::Json, 0) {
        same_as_another_reader(text, found.ok().and_then(|tree| tree.value(0)));
    }
    Corpus::Keep
});

/// Every region is below its parent, and has a value.
fn walk(tree: &Tree) {
    assert!(tree.value(0).is_some());
    for (index, region) in tree.iter().enumerate() {
        assert!(
            tree.children(index)
                .all(|child| tree.get(child).is_some_and(|child| child.parent == Some(index)))
        );
        assert!(region.end > index && region.end <= tree.iter().len());
        assert!(tree.path(index).starts_with("result"));
    }
}

/// A leaf that is read without a type is the same where it stands alone.
fn alone(types: &[Type], format: Format, tree: &Tree, text: &str) {
    let any = shape::tool(format, &Json::from("any"));
    for region in tree.iter() {
        let Content::Leaf(value) = &region.content else { continue };
        // A type may read a text as something else; what is no text, and no list of texts, is read
        // as it is written.
        if matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) {
            let again = find(types, &any, &text[region.span.clone()]);
            let again = again.ok().and_then(|tree| tree.value(0));
            let quoted = matches!(again, Some(Value::Text(_)));
            assert!(quoted || again.as_ref() == Some(value), "{value} became {again:?}");
        }
    }
}

/// Blocks that repeat what is divided are one text that says it, and nothing else.
fn repeats(types: &[Type], json: &Tool, tree: &Tree, blocks: &str) {
    let blocks: Vec<Json> = serde_json::from_str(blocks).expect("blocks are JSON");
    let [Json::Object(block)] = blocks.as_slice() else { panic!("{blocks:?}") };
    let more =
        |(name, value): (&String, &Json)| name != "type" && name != "text" && !value.is_null();
    assert!(block["type"] == "text" && !block.iter().any(more), "{block:?}");
    let again = find(types, json, block["text"].as_str().expect("a text"));
    assert_eq!(again.ok().and_then(|tree| tree.value(0)), tree.value(0));
}

/// Compares with what `serde_json` makes of a text.
fn same_as_another_reader(text: &str, found: Option<Value>) {
    let expected = serde_json::from_str::<Once>(text).ok();
    let expected = expected.and_then(|Once(json)| Value::from_json(&json).ok());
    assert_eq!(found, expected);
}
