//! Divides a text that has a declared form: fixed pieces with a value between each two.
//!
//! A value ends where the next piece stands first, and the last one where the last piece ends the
//! text. So what an author writes can end their own value early and go on in the values behind it,
//! but can never reach a value before it: each value holds words of its own author and of the
//! authors of the values before it, and of nobody else. Labels follow that in `receive`. A value is
//! all that stands between two pieces, white space included: blanks around a number are words, too.

use rtbas_artifact::ir::{Node, NodeField, NodeKind, Tool, Type};
use rtbas_artifact::ty;

use super::token::{Notation, Scalar};
use super::value::Undivided;
use super::{Beside, Content, Region, SHAPE, Step, Tree, Unfit, root};

const FORM: &str = "a text of the declared form";

/// Finds the regions of a text.
pub(super) fn divide(types: &[Type], tool: &Tool, text: &str) -> Result<Tree, Unfit> {
    let unfit = |expected: &str| Unfit::new(&[], 0, expected);
    let node = root(tool).ok_or_else(|| unfit(SHAPE))?;
    let fields = match tool.nodes.get(node.index()).map(|node| node.kinds.as_slice()) {
        Some([NodeKind::Record(fields)]) => fields,
        _ => return Err(unfit(SHAPE)),
    };
    let (first, pieces) = tool.form.split_first().ok_or_else(|| unfit(SHAPE))?;
    let mut rest = text.strip_prefix(first.as_str()).ok_or_else(|| unfit(FORM))?;
    let (span, step, end) = (0..text.len(), Step::Root, fields.len() + 1);
    let content = Content::Record;
    let mut regions = vec![Region { node, parent: None, step, span, content, end }];
    for (field, piece) in fields.iter().zip(pieces) {
        let unfit = |expected: &str| unfit(expected).under(&field.name);
        let is_last = regions.len() == fields.len();
        let found = match is_last {
            true => rest.strip_suffix(piece.as_str()).map(|value| (value, "")),
            false => rest.split_once(piece.as_str()),
        };
        let (value, behind) = found.ok_or_else(|| unfit("a value, and the text behind it"))?;
        let start = text.len() - rest.len();
        let region = leaf(types, tool, field, value, start, regions.len());
        regions.push(region.map_err(|expected| unfit(&expected))?);
        rest = behind;
    }
    Ok(Tree { regions, beside: Beside::Nothing })
}

/// The region of a value, or what was expected in its place.
fn leaf(
    types: &[Type],
    tool: &Tool,
    field: &NodeField,
    text: &str,
    start: usize,
    index: usize,
) -> Result<Region, String> {
    let ty = tool.nodes.get(field.node.index()).and_then(Node::leaf);
    let ty = ty.ok_or_else(|| SHAPE.to_owned())?;
    let span = start..start + text.len();
    let scalar = Scalar { text: text.into(), notation: Notation::Part, span: span.clone() };
    let value = Undivided::Scalar(scalar).fit(types, ty);
    let content = Content::Leaf(value.ok_or_else(|| ty::describe(types, ty))?);
    let step = Step::Field(field.name.clone());
    Ok(Region { node: field.node, parent: Some(0), step, span, content, end: index + 1 })
}
