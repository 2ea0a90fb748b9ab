//! Values as tools write them: what a test says that a call returns, in the tool's format.

use std::fmt::Write as _;

use rtbas_artifact::ir::Format;
use rtbas_artifact::value::Value;

use crate::resolve::form;
use crate::resolve::hir::{Policy, Tool};

/// A value as a tool would write it. JSON is a part of YAML.
pub(super) fn text(policy: &Policy, tool: &Tool, value: &Value) -> String {
    match (tool.format, value) {
        // A value that the text would cut short is a mistake that `typeck` finds.
        (Format::Text, value) if !tool.form.is_empty() => {
            form::text(policy, tool, value).unwrap_or_default()
        }
        (Format::Text, value) => form::scalar(value),
        (Format::Yaml | Format::Json, value) => value.to_string(),
        (Format::Mcp, value) => {
            let again = Value::Text(value.to_string());
            let content = format!(r#"[{{"type": "text", "text": {again}}}]"#);
            format!(r#"{{"content": {content}, "structuredContent": {value}}}"#)
        }
        (Format::Python, value) => {
            let mut out = String::new();
            python(value, &mut out);
            out
        }
    }
}

fn python(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Text(text) => quoted(text, out),
        Value::List(items) => list(items, out),
        Value::Set(items) => list(items, out),
        Value::Record(fields) => {
            out.push('{');
            for (i, (name, value)) in fields.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                quoted(name, out);
                out.push_str(": ");
                python(value, out);
            }
            out.push('}');
        }
    }
}

fn list<'v>(items: impl IntoIterator<Item = &'v Value>, out: &mut String) {
    out.push('[');
    for (i, item) in items.into_iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        python(item, out);
    }
    out.push(']');
}

fn quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            // Writing to a string does not fail.
            c if c.is_ascii_control() => drop(write!(out, "\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
}
