//! The regions of a tool's result: which bytes of the message text are which declared node.
//!
//! Takes the text of a result and what the policy says about the tool's results, its format and
//! its nodes. Gives a [`Tree`] of regions with their byte spans and the values of its leaves, or
//! [`Unfit`]: then the whole message is one region without a label. Trusts the policy's tables and
//! nothing in the text, whose authors include attackers.
//!
//! A label holds for the bytes of its region, and a list or record lies lower than the leaves in
//! it. So what stands outside the leaves must not be anyone's words: only white space, the format's
//! punctuation and the names of declared fields. The readers of formats check that byte by byte;
//! `yaml` does not even believe its parser. Comments, tags and anchors are words, so a text with one
//! is unfit. How much white space there is, and how a name is quoted, still depends on the writer's
//! choice; views that hide a region therefore print the rest anew rather than cut bytes out.

mod token;
mod flow;
mod yaml;
mod json;
mod python;
mod value;
mod divide;
mod mcp;
mod form;

use std::fmt;
use std::ops::Range;

use rtbas_artifact::ir::{Format, Node, NodeId, Tool, Type};
use rtbas_artifact::ty;
use rtbas_artifact::value::Value;

use token::{Notation, Scalar};
use value::Undivided;

/// The regions of a result, each before those below it, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    regions: Vec<Region>,
    beside: Beside,
}

/// What a result says outside of its regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// Blocks of text and media.
    Blocks {
        /// Where they stand.
        span: Range<usize>,
        /// Whether they are one text that says what the regions say, and nothing else.
        repeats: bool,
    },
    /// All of it: the one region of the tree is the text of a failure.
    Failure,
}

/// A region of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The declared node that it is.
    pub node: NodeId,
    /// The region that it lies in.
    pub parent: Option<usize>,
    /// How it is reached from there.
    pub step: Step,
    /// Its bytes in the message: quotes and the header of a block scalar included. What is not
    /// written, such as the value in `key:`, is empty.
    pub span: Range<usize>,
    /// What it holds.
    pub content: Content,
    /// Index after the last region below it.
    pub end: usize,
}

/// How a region is reached from the one that it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is the whole result.
    Root,
    /// It is a field of a record.
    Field(String),
    /// It is an element of a list, or a value of a map, counted from zero.
    Index(usize),
    /// It is the name of a value of a map, counted like the values.
    Key(usize),
}

/// What a region holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A value that is not divided further.
    Leaf(Value),
    /// Its elements are the regions below it.
    List,
    /// Its fields are the regions below it.
    Record,
    /// Its names and their values are the regions below it, each name before its value.
    Map,
}

/// Why a text is not what its tool is declared to give. Names declared things only, never words of
/// the text: the message may go where the text may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The place, such as `result[2].subject`.
    pub path: String,
    /// What was expected there, in words.
    pub expected: String,
}

impl Unfit {
    fn new(regions: &[Region], index: usize, expected: &str) -> Self {
        Self { path: path(regions, index), expected: expected.to_owned() }
    }

    /// The same for a field of the record that it names.
    fn under(mut self, field: &str) -> Self {
        self.path.extend([".", field]);
        self
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at `{}`", self.expected, self.path)
    }
}

impl std::error::Error for Unfit {}

/// Finds the regions of a result. Linear in the text.
///
/// # Errors
/// A text that is not of the format, not of the declared shape, or that holds words outside of its
/// values.
pub fn find(types: &[Type], tool: &Tool, text: &str) -> Result<Tree, Unfit> {
    match tool.format {
        Format::Text if tool.form.is_empty() => whole(types, tool, text),
        Format::Text => form::divide(types, tool, text),
        Format::Yaml => {
            // What the fast reader cannot read, or finds unfit, the other one has a say on.
            if let Ok(tree) = divide::divide(types, tool, yaml::printed::Reader::new(text)) {
                return Ok(tree);
            }
            let reader = yaml::Reader::new(text).map_err(|e| Unfit::new(&[], 0, e))?;
            divide::divide(types, tool, reader)
        }
        Format::Json => divide::divide(types, tool, json::Reader::new(text)),
        Format::Python => divide::divide(types, tool, python::Reader::new(text)),
        Format::Mcp => mcp::divide(types, tool, text),
    }
}

/// The one region of a result that is text.
fn whole(types: &[Type], tool: &Tool, text: &str) -> Result<Tree, Unfit> {
    let unfit = |expected: &str| Unfit::new(&[], 0, expected);
    let node = root(tool).ok_or_else(|| unfit(SHAPE))?;
    let Some(ty) = tool.nodes.get(node.index()).and_then(Node::leaf) else {
        return Err(unfit("a format that can be divided, such as `yaml`"));
    };
    let span = 0..text.len();
    let scalar = Scalar { text: text.into(), notation: Notation::Whole, span: span.clone() };
    let value = Undivided::Scalar(scalar).fit(types, ty);
    let content = Content::Leaf(value.ok_or_else(|| unfit(&ty::describe(types, ty)))?);
    let region = Region { node, parent: None, step: Step::Root, span, content, end: 1 };
    Ok(Tree { regions: vec![region], beside: Beside::Nothing })
}

/// What is expected of a policy that declares no root or refers to a node that is none.
const SHAPE: &str = "a policy that declares the shape of the result";

/// The node that is the whole result.
fn root(tool: &Tool) -> Option<NodeId> {
    u32::try_from(tool.nodes.len().checked_sub(1)?).ok().map(NodeId)
}

impl Tree {
    /// All regions, each before those below it, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Region> {
        self.regions.iter()
    }

    /// What the result says outside of its regions.
    #[must_use]
    pub fn beside(&self) -> &Beside {
        &self.beside
    }

    /// The region at an index; the root's is 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Region> {
        self.regions.get(index)
    }

    /// Indices of the elements or fields directly in a region.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.get(index).map_or(0, |region| region.end);
        let within = move |child: &usize| *child < end;
        std::iter::successors(Some(index + 1).filter(within), move |&child| {
            self.get(child).map(|region| region.end).filter(within)
        })
    }

    /// A region's place, such as `result[2].subject`.
    #[must_use]
    pub fn path(&self, index: usize) -> String {
        path(&self.regions, index)
    }

    /// The value of a region with all below it. Guards of labels read a record's fields from its
    /// value, which is [`rtbas_artifact::eval::Fields`].
    #[must_use]
    pub fn value(&self, index: usize) -> Option<Value> {
        let field = |child: usize| match &self.get(child)?.step {
            Step::Field(name) => Some((name.clone(), self.value(child)?)),
            Step::Root | Step::Index(_) | Step::Key(_) => None,
        };
        match &self.get(index)?.content {
            Content::Leaf(value) => Some(value.clone()),
            Content::List => self
                .children(index)
                .map(|child| self.value(child))
                .collect::<Option<_>>()
                .map(Value::List),
            Content::Record => {
                self.children(index).map(field).collect::<Option<_>>().map(Value::Record)
            }
            Content::Map => {
                let below: Vec<Value> =
                    self.children(index).map(|child| self.value(child)).collect::<Option<_>>()?;
                let entry = |entry: &[Value]| match entry {
                    [Value::Text(name), value] => Some((name.clone(), value.clone())),
                    _ => None,
                };
                below.chunks(2).map(entry).collect::<Option<_>>().map(Value::Record)
            }
        }
    }
}

impl<'a> IntoIterator for &'a Tree {
    type Item = &'a Region;
    type IntoIter = std::slice::Iter<'a, Region>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn path(regions: &[Region], index: usize) -> String {
    let mut steps: Vec<&Step> = Vec::new();
    let mut at = regions.get(index);
    while let Some(region) = at {
        steps.push(&region.step);
        at = region.parent.and_then(|parent| regions.get(parent));
    }
    let mut path = String::from("result");
    for step in steps.into_iter().rev() {
        match step {
            Step::Root => {}
            Step::Field(name) => path.extend([".", name]),
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            // A name is data, so the path does not give it.
            Step::Key(index) => path.push_str(&format!("[key {index}]")),
        }
    }
    path
}
