//! Texts of a form: a record's values → the text that a tool would write, which divides into them
//! again.

use rtbas_artifact::value::Value;

use super::hir::{Policy, Tool};

/// A value that ends before its end is written: what stands behind it begins in it.
#[derive(Debug)]
pub(crate) struct EndsEarly<'t> {
    /// The field.
    pub(crate) field: &'t str,
    /// What stands behind it.
    pub(crate) piece: &'t str,
}

/// The text of a result.
pub(crate) fn text<'t>(
    policy: &'t Policy,
    tool: &'t Tool,
    value: &Value,
) -> Result<String, EndsEarly<'t>> {
    let fields = policy.types.fields(tool.result);
    let mut pieces = tool.form.iter();
    let mut text: String = pieces.next().into_iter().cloned().collect();
    for (i, (field, piece)) in fields.iter().zip(pieces).enumerate() {
        let written = scalar(value.get(std::slice::from_ref(&field.name)).unwrap_or(&Value::Null));
        let (start, end) = (text.len(), written.len());
        text.push_str(&written);
        text.push_str(piece);
        let found = text.get(start..).and_then(|behind| behind.find(piece.as_str()));
        if i + 1 < fields.len() && found != Some(end) {
            return Err(EndsEarly { field: &field.name, piece });
        }
    }
    Ok(text)
}

/// A value that is a text of its own.
pub(crate) fn scalar(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        value => value.to_string(),
    }
}
