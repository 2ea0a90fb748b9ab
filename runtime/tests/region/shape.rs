//! Tools for tests, declared in a few words: `"text"` is a leaf, `["text"]` a list, and
//! `{"id": "integer", "note?": "text"}` a record that need not have a note, `{"*": "text"}` a map.
//! `{"|": ["null", ["text"]]}` is one of several, `{"|": […], "tag": "kind"}` a record that a tag tells.

use rtbas_artifact::ir::{
    Field, Format, LabelId, LabelRule, Node, NodeField, NodeId, NodeKind, Tool, Type, TypeId,
};
use rtbas_artifact::value::Value;
use serde_json::Value as Json;

/// The types that leaves can have, by name.
pub(crate) fn types() -> Vec<(&'static str, Type)> {
    let id = |name: &str| {
        let order = ["any", "null", "bool", "integer", "number", "text", "texts", "other texts"];
        TypeId(order.iter().position(|n| *n == name).unwrap() as u32)
    };
    let field = |name: &str, ty, required| Field { name: name.to_owned(), ty: id(ty), required };
    let point = vec![field("x", "number", true), field("y", "number", false)];
    let words = vec![Value::Text("low".into()), Value::Text("7".into()), Value::Bool(true)];
    vec![
        ("any", Type::Any),
        ("null", Type::Null),
        ("bool", Type::Bool),
        ("integer", Type::Integer),
        ("number", Type::Number),
        ("text", Type::Text),
        ("texts", Type::List(id("text"))),
        ("other texts", Type::List(id("text"))),
        ("word", Type::Enumeration(words)),
        ("text or null", Type::Union(vec![id("text"), id("null")])),
        ("number or text", Type::Union(vec![id("number"), id("text")])),
        ("text or number", Type::Union(vec![id("text"), id("number")])),
        ("text or texts", Type::Union(vec![id("text"), id("texts")])),
        ("set of texts", Type::Set(id("text"))),
        ("point", Type::Record { fields: point.clone(), open: false }),
        ("open point", Type::Record { fields: point, open: true }),
        ("kind a", Type::Enumeration(vec![Value::Text("a".into())])),
        ("kind b", Type::Enumeration(vec![Value::Text("b".into()), Value::Bool(true)])),
    ]
}

/// A tool whose results have a format and a shape.
pub(crate) fn tool(format: Format, shape: &Json) -> Tool {
    let mut nodes = Vec::new();
    node(shape, &mut nodes);
    Tool {
        name: "read".into(),
        description: String::new(),
        schema: String::new(),
        arguments: Vec::new(),
        format,
        form: Vec::new(),
        nodes,
        errors: LabelRule { alternatives: Vec::new(), otherwise: LabelId(0) },
        writes: Vec::new(),
        endorsements: Vec::new(),
        rules: Vec::new(),
    }
}

fn node(shape: &Json, nodes: &mut Vec<Node>) -> NodeId {
    let tag = shape["tag"].as_str().map(str::to_owned);
    let kinds = match shape["|"].as_array() {
        Some(shapes) => shapes.iter().map(|shape| kind(shape, nodes)).collect(),
        None => vec![kind(shape, nodes)],
    };
    nodes.push(Node { kinds, tag, shows: Vec::new(), label: None, record_of: None });
    NodeId(nodes.len() as u32 - 1)
}

fn kind(shape: &Json, nodes: &mut Vec<Node>) -> NodeKind {
    match shape {
        Json::String(ty) => {
            let at = types().iter().position(|(name, _)| name == ty);
            NodeKind::Leaf(TypeId(at.unwrap_or_else(|| panic!("no type {ty}")) as u32))
        }
        Json::Array(element) => NodeKind::List(node(&element[0], nodes)),
        Json::Object(fields) if fields.contains_key("*") => {
            NodeKind::Map { key: node(&"text".into(), nodes), value: node(&fields["*"], nodes) }
        }
        Json::Object(fields) => NodeKind::Record(
            fields
                .iter()
                .map(|(name, shape)| NodeField {
                    name: name.trim_end_matches('?').to_owned(),
                    node: node(shape, nodes),
                    required: !name.ends_with('?'),
                })
                .collect(),
        ),
        _ => panic!("no shape: {shape}"),
    }
}
