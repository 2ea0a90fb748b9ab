//! A tool's `outputSchema` → the lines that declare its result.

use serde_json::{Map, Value};

use super::{MARK, can_be_written, written};
use crate::resolve::tool_form::Entry;

/// Deepest nesting that is written out, references included.
const DEEPEST: usize = 8;

/// Longest type that is written out, in bytes.
const LONGEST: usize = 600;

/// `result mcp T` if the list describes the result and the type can be written, else plain text.
pub(super) fn lines(entry: &Entry<'_>) -> Vec<String> {
    let text = "result text".to_owned();
    let schema = entry.body().and_then(|body| body.get("outputSchema"));
    let Some(schema) = schema else { return vec![text] };
    let is_right = |ty: &String| {
        ty.len() <= LONGEST && (ty.starts_with('{') || ty.starts_with("map ")) && !ty.ends_with('?')
    };
    match (Reader { root: schema }).ty(schema, 0).filter(is_right) {
        Some(ty) => vec![
            format!(
                "// {MARK}: is `structuredContent` of this type, as the list says, and does the host"
            ),
            "// hand in the whole result, in JSON? If it hands in the text alone: `result text`."
                .to_owned(),
            format!("result mcp {ty}"),
        ],
        None => vec![
            format!("// {MARK}: what does a result look like? The list's `outputSchema` says it."),
            text,
        ],
    }
}

struct Reader<'s> {
    root: &'s Value,
}

impl Reader<'_> {
    /// The type that a schema describes; `None` if it has no such type, or not for sure.
    fn ty(&self, schema: &Value, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let schema = schema.as_object()?;
        if let Some(reference) = schema.get("$ref") {
            let steps = reference.as_str()?.strip_prefix("#/")?.split('/');
            let target = steps.into_iter().try_fold(self.root, |value, step| value.get(step))?;
            return self.ty(target, depth + 1);
        }
        if let Some(values) = schema.get("enum") {
            let values = values.as_array()?.iter().map(Value::as_str);
            let values: Vec<String> =
                values.map(|value| Some(Value::from(value?).to_string())).collect::<Option<_>>()?;
            return (!values.is_empty()).then(|| values.join(" | "));
        }
        if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            return self.nullable(choices.as_array()?, depth);
        }
        match schema.get("type")? {
            Value::String(name) => self.named(name, schema, depth),
            Value::Array(names) => {
                let names: Vec<&str> = names.iter().map(Value::as_str).collect::<Option<_>>()?;
                match names.as_slice() {
                    [name, "null"] | ["null", name] => {
                        self.named(name, schema, depth).map(|ty| optional(&ty))
                    }
                    [name] => self.named(name, schema, depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A choice between some type and `null`.
    fn nullable(&self, choices: &[Value], depth: usize) -> Option<String> {
        let is_null = |choice: &&Value| choice.get("type").and_then(Value::as_str) == Some("null");
        match choices {
            [null, some] | [some, null] if is_null(&null) => {
                self.ty(some, depth + 1).map(|ty| optional(&ty))
            }
            _ => None,
        }
    }

    fn named(&self, name: &str, schema: &Map<String, Value>, depth: usize) -> Option<String> {
        Some(match name {
            "string" => match schema.get("format").and_then(Value::as_str) {
                Some("date") => "date".to_owned(),
                Some("date-time") => "datetime".to_owned(),
                _ => "string".to_owned(),
            },
            "boolean" => "bool".to_owned(),
            "number" => "number".to_owned(),
            "integer" => "int".to_owned(),
            "array" => format!("[{}]", self.ty(schema.get("items")?, depth + 1)?),
            "object" => self.record(schema, depth)?,
            _ => return None,
        })
    }

    fn record(&self, schema: &Map<String, Value>, depth: usize) -> Option<String> {
        let values = schema.get("additionalProperties").filter(|values| values.is_object());
        if let (None, None, Some(values)) =
            (schema.get("properties"), schema.get("required"), values)
        {
            // Alternatives would be read as those of the map.
            let value = self.ty(values, depth + 1)?;
            return (!value.contains('|') && !value.ends_with('?')).then(|| format!("map {value}"));
        }
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
        };
        // What is too long to be written is not written out first: references can make a short list
        // of tools describe a type of any length.
        let mut length = 0;
        let fields = schema.get("properties")?.as_object()?.iter().map(|(name, schema)| {
            let mark = if is_required(name) { "" } else { "?" };
            let name = can_be_written(name).then(|| written(name))?;
            let field = format!("{name}{mark}: {}", self.ty(schema, depth + 1)?);
            length += field.len();
            (length <= LONGEST).then_some(field)
        });
        let fields: Vec<String> = fields.collect::<Option<_>>()?;
        Some(format!("{{ {} }}", fields.join(", ")))
    }
}

/// A type that has `null`, too.
fn optional(ty: &str) -> String {
    if ty.ends_with('?') { ty.to_owned() } else { format!("{ty}?") }
}
