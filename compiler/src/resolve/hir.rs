//! The tree of a policy with its names resolved: ids of [`rtbas_artifact::ir`], and no sugar.
//!
//! Patterns are spelled out tool by tool, `*` field by field. Spans stay for what later phases may
//! complain about.

use rtbas_artifact::ir::{
    self, ArgumentId, CellId, CellPart, Comparison, DowngradeWord, Effect, FactId, Format, StoreId,
    Target, ToolId, TypeId, WriteKind,
};
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::sets::SetLattice;
use rtbas_artifact::value::Value;

pub use crate::syntax::ast::{Outcome, Step};

use super::types::Types;
use crate::source::{FileId, Span};

/// A policy.
#[derive(Debug)]
pub struct Policy {
    /// The file.
    pub file: FileId,
    /// Its name.
    pub name: String,
    /// The edition.
    pub edition: u16,
    /// The author's version.
    pub version: u64,
    /// The closed lattices of the product, in its order.
    pub lattices: Vec<Lattice>,
    /// The open ones.
    pub open: Vec<SetLattice>,
    /// All types.
    pub types: Types,
    /// The facts.
    pub facts: Vec<ir::Fact>,
    /// Labels of system messages and user messages, and the bound of replies.
    pub messages: [Label; 3],
    /// The stores.
    pub stores: Vec<Store>,
    /// Their cells.
    pub cells: Vec<Cell>,
    /// The tools, in order of their names.
    pub tools: Vec<Tool>,
    /// The downgrades.
    pub downgrades: Vec<Downgrade>,
    /// The claims.
    pub claims: Vec<Claim>,
    /// The tests.
    pub tests: Vec<Test>,
}

/// A lattice: levels and the edges of its order.
#[derive(Debug)]
pub struct Lattice {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Of a powerset, the element that its two levels tell of.
    pub element: Option<String>,
    /// Names of its levels.
    pub levels: Vec<String>,
    /// Where each stands first.
    pub spans: Vec<Span>,
    /// The declared edges.
    pub edges: Vec<Edge>,
}

/// `a -> b`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// a
    pub from: LevelId,
    /// b
    pub to: LevelId,
    /// Where.
    pub span: Span,
}

/// A label: for each lattice a level, if one is named.
#[derive(Clone, Debug)]
pub struct Label {
    /// The levels of closed lattices.
    pub levels: Vec<Option<LevelId>>,
    /// The sets of open ones.
    pub sets: Vec<Option<SetTerm>>,
    /// Where.
    pub span: Span,
}

/// A level of an open lattice.
#[derive(Clone, Debug)]
pub struct SetTerm {
    /// The set.
    pub term: ir::SetTerm,
    /// The values that it names, and whether they may be absent.
    pub operands: Vec<(Operand, bool)>,
}

/// A label that conditions choose.
#[derive(Clone, Debug)]
pub struct LabelRule {
    /// The labels, in order.
    pub alternatives: Vec<(Label, Condition)>,
    /// The last word.
    pub otherwise: Label,
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Condition {
    /// `context <= LABEL`
    Context(Label),
    /// `a == b`
    Compare(Comparison, Operand, Operand),
    /// `a in b`
    In(Operand, Operand),
    /// `a subset_of b`
    SubsetOf(Operand, Operand),
    /// `present(a)`
    Present(Operand),
    /// `not C`
    Not(Box<Condition>),
    /// `C and C`
    All(Vec<Condition>),
    /// `C or C`
    Any(Vec<Condition>),
    /// `a`, which is true or false
    Stated(Operand),
    /// `a matches /…/`
    Matches(Operand, Pattern),
}

impl Condition {
    /// Whether any part of it is about the context.
    #[must_use]
    pub fn reads_context(&self) -> bool {
        match self {
            Self::Context(_) => true,
            Self::Not(part) => part.reads_context(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::reads_context),
            _ => false,
        }
    }
}

/// What a condition reads.
#[derive(Clone, Debug)]
pub struct Operand {
    /// What.
    pub read: ir::Operand,
    /// Its type before the path into it is followed; `None` for a constant.
    pub root: Option<TypeId>,
    /// Where.
    pub span: Span,
}

/// A store.
#[derive(Debug)]
pub struct Store {
    /// Its name.
    pub name: String,
    /// Its records: the declared type, or an open one of the fields that have labels; of several
    /// declared alternatives one of all their fields.
    pub record: TypeId,
    /// The type of its records as it is declared, or that one.
    pub declared: TypeId,
    /// What outsiders may read, and the label of what they write.
    pub outsiders: Option<(Option<Label>, Option<Label>)>,
}

/// A cell of a store.
#[derive(Debug)]
pub struct Cell {
    /// The store.
    pub store: StoreId,
    /// The part.
    pub part: CellPart,
    /// Its label; top if `None`.
    pub label: Option<LabelRule>,
    /// Why.
    pub because: Option<String>,
    /// The declared type of a field's values, `null` among them where it may be left out.
    pub ty: Option<TypeId>,
    /// Whether each record has the field, as far as it is declared.
    pub required: bool,
}

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Where the policy speaks of it.
    pub span: Span,
    /// What the model is told.
    pub description: String,
    /// Its schema, in canonical JSON.
    pub schema: String,
    /// Its arguments.
    pub arguments: Vec<ir::Argument>,
    /// How results are written.
    pub format: Format,
    /// What stands around the fields of a result that is a text of a form.
    pub form: Vec<String>,
    /// The type of its results.
    pub result: TypeId,
    /// Where the result is declared, if it is.
    pub result_span: Option<Span>,
    /// What it reads.
    pub reads: Vec<Reads>,
    /// Own labels of regions of its result.
    pub labels: Vec<NodeLabel>,
    /// Label of its errors, if it is declared.
    pub errors: Option<LabelRule>,
    /// What it writes.
    pub writes: Vec<Write>,
    /// What it endorses.
    pub endorsements: Vec<ir::Endorsement>,
    /// Its rules.
    pub rules: Vec<Rule>,
}

/// `reads S as result[*]`
#[derive(Debug)]
pub struct Reads {
    /// The store.
    pub store: StoreId,
    /// The region that is a record of it; the whole result shows all of it if `None`.
    pub path: Option<Vec<Step>>,
    /// Where that region is named.
    pub region: Span,
    /// Where.
    pub span: Span,
}

/// `result.a : LABEL`
#[derive(Debug)]
pub struct NodeLabel {
    /// The region.
    pub path: Vec<Step>,
    /// Where it is named.
    pub span: Span,
    /// Its label.
    pub label: LabelRule,
}

/// One cell that a call writes.
#[derive(Debug)]
pub struct Write {
    /// The cell.
    pub cell: CellId,
    /// The arguments that flow into it.
    pub from: Vec<ArgumentId>,
    /// What the field holds afterwards.
    pub value: Option<Operand>,
    /// What becomes of the records.
    pub how: WriteKind,
}

/// A decision rule.
#[derive(Debug)]
pub struct Rule {
    /// What it decides.
    pub effect: Effect,
    /// When it fires; always, if `None`.
    pub when: Option<Condition>,
    /// Where.
    pub span: Span,
}

/// A downgrade of a region.
#[derive(Debug)]
pub struct Downgrade {
    /// Its name.
    pub name: String,
    /// Where that is.
    pub span: Span,
    /// Its word.
    pub word: DowngradeWord,
    /// The tool.
    pub tool: ToolId,
    /// The region.
    pub path: Vec<Step>,
    /// Where it is named.
    pub path_span: Span,
    /// What the region's label must flow to.
    pub from: Label,
    /// What it is lowered to.
    pub to: Label,
    /// What must hold around the value.
    pub when: Option<Condition>,
    /// What must hold of the value.
    pub checked: Option<Condition>,
    /// Who answers for it.
    pub by: String,
    /// Why.
    pub because: String,
}

/// What a claim lets pass: a downgrade, by its name, since not all are lowered, or approval of a
/// tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Exception {
    /// `NAME`
    Downgrade(String),
    /// `approval of TOOL`, or of all
    Approval(Option<ToolId>),
}

/// A claim about one target.
#[derive(Debug)]
pub struct Claim {
    /// The level.
    pub level: Label,
    /// The target.
    pub target: Target,
    /// The exception.
    pub unless: Option<Condition>,
    /// What may lower labels on the way.
    pub via: Vec<Exception>,
    /// Where.
    pub span: Span,
}

/// A test.
#[derive(Debug)]
pub struct Test {
    /// What it says.
    pub name: String,
    /// Where it says so.
    pub span: Span,
    /// The values of facts.
    pub facts: Vec<(FactId, Value, Span)>,
    /// What happens.
    pub steps: Vec<TestStep>,
}

/// A step of a test.
#[derive(Debug)]
pub enum TestStep {
    /// A message of the application.
    System(String),
    /// A message of the user.
    User(String),
    /// A call.
    Call(Call),
    /// A final answer and the decision on it.
    Reply(String, Option<Effect>, Span),
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// The tool.
    pub tool: ToolId,
    /// Its arguments, and which of the tool's each is, if it has one of that name.
    pub arguments: Vec<(String, Option<ArgumentId>, Value, Span)>,
    /// What comes back.
    pub outcome: Option<Outcome>,
    /// The decision that is expected.
    pub expected: Option<Effect>,
    /// Where.
    pub span: Span,
}
