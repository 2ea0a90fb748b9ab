//! Results of the Model Context Protocol: a JSON record of `structuredContent`, which is divided,
//! beside `content`, which is not, and `isError`.
//!
//! The blocks of `content` are for a model to read and may say anything, so they are one region.
//! Mostly they are one text that says the structured content again; then they say no more than that.
//! Members that are null are not there; others than these are words outside of any region.

use std::ops::Range;

use rtbas_artifact::ir::{Tool, Type};
use rtbas_artifact::value::Value;

use super::divide::{self, Divider};
use super::json::Reader;
use super::token::{Notation, Scalar, Token};
use super::value::{ONCE, Undivided, named};
use super::{Beside, Content, Region, SHAPE, Step, Tree, Unfit, root};

const FORM: &str = "a result in MCP's form";

/// What was read of a result beside the structured content.
#[derive(Debug, Default)]
struct Members<'t> {
    seen: Vec<String>,
    /// The blocks and where they stand.
    content: Option<(Undivided<'t>, Range<usize>)>,
    is_error: bool,
}

/// Finds the regions of a result.
pub(super) fn divide(types: &[Type], tool: &Tool, text: &str) -> Result<Tree, Unfit> {
    let unfit = |expected: &str| Unfit::new(&[], 0, expected);
    let node = root(tool).ok_or_else(|| unfit(SHAPE))?;
    let mut divider = Divider::new(types, tool, Reader::new(text));
    let mut members = Members::default();
    if !matches!(divider.token()?, Token::Record(_)) {
        return Err(unfit(FORM));
    }
    loop {
        let name = match divider.token()? {
            Token::End(_) => break,
            key => named(key).map_err(unfit)?.0,
        };
        if members.seen.iter().any(|seen| *seen == name) {
            return Err(unfit(ONCE));
        }
        members.seen.push(name.clone().into_owned());
        match (&*name, divider.token()?) {
            ("structuredContent" | "content" | "isError" | "_meta", Token::Scalar(null))
                if is_null(&null) => {}
            ("structuredContent", first) => divider.region(node, None, Step::Root, first)?,
            ("content", first @ Token::List(_)) => {
                members.content = Some(divider.undivided(first).map_err(unfit)?);
            }
            ("isError", Token::Scalar(word)) if word.notation == Notation::Word => {
                members.is_error = match &*word.text {
                    "true" => true,
                    "false" => false,
                    _ => return Err(unfit(FORM)),
                };
            }
            _ => return Err(unfit(FORM)),
        }
    }
    let regions = divider.finish()?;
    members.tree(types, tool, regions, text)
}

impl Members<'_> {
    fn tree(
        self,
        types: &[Type],
        tool: &Tool,
        mut regions: Vec<Region>,
        text: &str,
    ) -> Result<Tree, Unfit> {
        let unfit = |expected: &str| Unfit::new(&[], 0, expected);
        let span = 0..text.len();
        let Some(first) = regions.first_mut() else {
            if !self.is_error {
                return Err(unfit("`structuredContent`"));
            }
            let node = root(tool).ok_or_else(|| unfit(SHAPE))?;
            let (step, content) = (Step::Root, Content::Leaf(Value::Null));
            let whole = Region { node, parent: None, step, span, content, end: 1 };
            return Ok(Tree { regions: vec![whole], beside: Beside::Failure });
        };
        // What is around the blocks has to hold them, and a failure has no result.
        if self.is_error || !matches!(first.content, Content::Record | Content::Map) {
            return Err(unfit("a record in `structuredContent`, and no error"));
        }
        first.span = span;
        let mut tree = Tree { regions, beside: Beside::Nothing };
        let Some((blocks, span)) = self.content else { return Ok(tree) };
        if !matches!(&blocks, Undivided::List(blocks) if blocks.is_empty()) {
            let again = only_text(&blocks).and_then(|text| {
                divide::divide(types, tool, Reader::new(text)).ok().and_then(|tree| tree.value(0))
            });
            let repeats = again.is_some() && again == tree.value(0);
            tree.beside = Beside::Blocks { span, repeats };
        }
        Ok(tree)
    }
}

/// The text of blocks that are one text and nothing else.
fn only_text<'b>(blocks: &'b Undivided<'_>) -> Option<&'b str> {
    let Undivided::List(blocks) = blocks else { return None };
    let [Undivided::Record(block)] = blocks.as_slice() else { return None };
    let text = |name| match block.get(name)? {
        Undivided::Scalar(scalar) if scalar.notation == Notation::Quoted => Some(&*scalar.text),
        _ => None,
    };
    let says_more = block.iter().any(|(name, value)| match value {
        _ if matches!(&**name, "type" | "text") => false,
        // A name that MCP does not have would say more by itself.
        Undivided::Scalar(scalar) => {
            !is_null(scalar) || !matches!(&**name, "annotations" | "_meta")
        }
        Undivided::List(_) | Undivided::Record(_) => true,
    });
    if says_more || text("type")? != "text" { None } else { text("text") }
}

fn is_null(scalar: &Scalar<'_>) -> bool {
    scalar.notation == Notation::Word && scalar.text == "null"
}
