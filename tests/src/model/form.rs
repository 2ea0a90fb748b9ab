//! Texts of a form, divided letter by letter.

use rtbas_artifact::ir::{NodeField, NodeKind, Tool};
use rtbas_artifact::value::Value;

use super::types::{Scalar, Types};

/// The values in a text, each with its field and its own text, if the text is of the tool's form:
/// each value is as short as the piece behind it lets it be, and the last as long.
pub(super) fn values<'p>(
    types: &Types<'_>,
    tool: &'p Tool,
    text: &str,
) -> Option<Vec<(&'p NodeField, Value, String)>> {
    let [NodeKind::Record(fields)] = tool.nodes.last()?.kinds.as_slice() else { return None };
    let (first, pieces) = tool.form.split_first()?;
    let mut rest = text.strip_prefix(first.as_str())?;
    let mut values = Vec::new();
    for (i, (field, piece)) in fields.iter().zip(pieces).enumerate() {
        let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        let end = ends.find(|at| {
            let behind = rest.get(*at..).unwrap_or_default();
            if i + 1 == fields.len() { behind == piece } else { behind.starts_with(piece) }
        })?;
        let text = rest.get(..end)?;
        let kinds = tool.nodes.get(field.node.index()).map(|node| node.kinds.as_slice());
        let Some([NodeKind::Leaf(ty)]) = kinds else { return None };
        values.push((field, types.scalar(*ty, Scalar::Part(text))?, text.to_owned()));
        rest = rest.get(end + piece.len()..)?;
    }
    Some(values)
}
