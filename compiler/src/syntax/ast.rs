//! The tree of a policy as it was written: one node for each construct, names still names.

use std::fmt;

use rtbas_artifact::ir::{Comparison, DowngradeWord, Effect, Format, WriteKind};
use rtbas_artifact::pattern;
use rtbas_artifact::sets::SetKind;
use rtbas_artifact::value::Value;

use crate::diag::lint::Stance;
use crate::source::{FileId, Span};

/// A policy; items of one kind in source order.
#[derive(Debug)]
pub struct Policy {
    /// The file.
    pub file: FileId,
    /// Its name.
    pub name: Name,
    /// The edition.
    pub edition: u16,
    /// The author's version.
    pub version: u64,
    /// `import`
    pub imports: Vec<(String, Span)>,
    /// `lattice`
    pub lattices: Vec<Lattice>,
    /// `label`
    pub products: Vec<Product>,
    /// `label NAME = LABEL`
    pub abbreviations: Vec<(Name, Label)>,
    /// `condition`
    pub conditions: Vec<NamedCondition>,
    /// `fact`
    pub facts: Vec<(Name, Type)>,
    /// `type`
    pub types: Vec<(Name, Type)>,
    /// `use tools from`
    pub uses: Vec<(String, Span)>,
    /// `store`
    pub stores: Vec<Store>,
    /// `message`
    pub messages: Vec<Message>,
    /// `tool` and `tools`
    pub tools: Vec<ToolBlock>,
    /// `endorse` and `declassify`
    pub downgrades: Vec<Downgrade>,
    /// `never`
    pub claims: Vec<Claim>,
    /// `test`
    pub tests: Vec<Test>,
    /// `lint`
    pub lints: Vec<Lint>,
    /// The end of its text, where an item can be added.
    pub end: Span,
}

/// A name and where it stands, without its backticks.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// `lint allow CODE because "…"`; the reason is for readers.
#[derive(Debug)]
pub struct Lint {
    /// What is done about the warning.
    pub stance: Stance,
    /// The code.
    pub code: Name,
    /// The whole line.
    pub span: Span,
}

/// `lattice NAME …`
#[derive(Debug)]
pub struct Lattice {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub form: LatticeForm,
    /// Whether its order is turned round.
    pub dual: bool,
}

/// What a lattice is.
#[derive(Debug)]
pub enum LatticeForm {
    /// `{ a -> b -> c  d }`: the chains; each arrow is an edge.
    Chains(Vec<Vec<Name>>),
    /// `powerset { a, b }`
    Powerset(Vec<Name>),
    /// `product { l, m }`
    Product(Vec<Name>),
    /// `readers` or `sources`
    Open(SetKind),
    /// Another lattice.
    Lattice(Name),
}

/// `label { a, b }`
#[derive(Debug)]
pub struct Product {
    /// The lattices.
    pub lattices: Vec<Name>,
    /// Where.
    pub span: Span,
}

/// A type.
#[derive(Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// What a type is.
#[derive(Debug)]
pub enum TypeKind {
    /// A type's name.
    Name(String),
    /// `[T]`
    List(Box<Type>),
    /// `set T`
    Set(Box<Type>),
    /// `map T`
    Map(Box<Type>),
    /// `{ a: T, b?: T }`
    Record(Vec<Field>),
    /// `"a" | "b"`
    Enumeration(Vec<String>),
    /// `/…/`
    Pattern(pattern::Pattern),
    /// `T?`
    Nullable(Box<Type>),
    /// `T | U`
    Union(Vec<Type>),
}

/// A field of a record type.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it must be there.
    pub required: bool,
}

/// `{trusted, secrecy.private, readers {sender}}`
#[derive(Debug)]
pub struct Label {
    /// Its levels.
    pub levels: Vec<Level>,
    /// Where.
    pub span: Span,
}

/// A level, qualified or not; or an abbreviation of a label.
#[derive(Debug)]
pub struct Level {
    /// Its lattice, as far as it is named.
    pub lattice: Vec<Name>,
    /// Its name. Before a set, that of the lattice or of its form.
    pub name: Name,
    /// The names in the set.
    pub names: Option<Vec<Names>>,
    /// Where.
    pub span: Span,
}

/// A value that names readers, sources or an element: `sender`, `cc?`
#[derive(Debug)]
pub struct Names {
    /// The value.
    pub operand: Operand,
    /// Whether it may be absent.
    pub optional: bool,
}

/// `LABEL when C else … else LABEL`
#[derive(Debug)]
pub struct LabelRule {
    /// The labels that a condition chooses, in order.
    pub alternatives: Vec<(Label, Condition)>,
    /// The last word.
    pub otherwise: Label,
}

/// A condition.
#[derive(Debug)]
pub enum Condition {
    /// `context <= LABEL`
    Context(Label, Span),
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
    /// `t(a, …)`, or `a` alone
    Stated(Operand),
    /// `a matches /…/`
    Matches(Operand, pattern::Pattern),
}

/// `condition NAME(a, b) = C`
#[derive(Debug)]
pub struct NamedCondition {
    /// Its name.
    pub name: Name,
    /// What stands for values where it is used.
    pub parameters: Vec<Name>,
    /// The condition.
    pub condition: Condition,
}

/// What a condition reads.
#[derive(Debug)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where.
    pub span: Span,
}

/// A constant, a name, or a name applied to others.
#[derive(Debug)]
pub enum OperandKind {
    /// A constant.
    Literal(Value),
    /// A fact, an argument or a field, and the fields in it.
    Path(Name, Vec<Name>),
    /// `f(a, …)`
    Application(Name, Vec<Operand>),
}

/// `store NAME …`
#[derive(Debug)]
pub struct Store {
    /// Its name.
    pub name: Name,
    /// `of TYPE`
    pub of: Option<Type>,
    /// Labels of its fields.
    pub lines: Vec<StoreLine>,
    /// `outsiders`
    pub outsiders: Vec<Outsiders>,
}

/// A label of a part of a store.
#[derive(Debug)]
pub struct StoreLine {
    /// The part.
    pub part: StorePart,
    /// Its label.
    pub label: LabelRule,
    /// Why.
    pub because: Option<String>,
    /// Where.
    pub span: Span,
}

/// Which part of a store.
#[derive(Debug)]
pub enum StorePart {
    /// All of it: `store NAME : LABEL`.
    All,
    /// These fields.
    Fields(Vec<Name>),
    /// `shape`
    Shape,
    /// `*`
    Rest,
}

/// `outsiders read LABEL write LABEL`
#[derive(Debug)]
pub struct Outsiders {
    /// What they may read.
    pub read: Option<Label>,
    /// What they write.
    pub write: Option<Label>,
    /// Where.
    pub span: Span,
}

/// `message KIND : LABEL`
#[derive(Debug)]
pub struct Message {
    /// Whose.
    pub kind: MessageKind,
    /// Its label.
    pub label: Label,
    /// Where.
    pub span: Span,
}

/// Whose message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The application's.
    System,
    /// The user's.
    User,
    /// The final answer.
    Reply,
}

/// `tool NAME { … }` or `tools PATTERN, … { … }`
#[derive(Debug)]
pub struct ToolBlock {
    /// The tools.
    pub patterns: Vec<Pattern>,
    /// What is said of them.
    pub lines: Vec<ToolLine>,
    /// The head: the keyword and the patterns.
    pub span: Span,
    /// All of it.
    pub whole: Span,
}

/// Which tools a block speaks of.
#[derive(Debug)]
pub struct Pattern {
    /// The tool's name, or how it begins.
    pub name: Name,
    /// Whether a name may go on: `read_*`, `*`. A star in backticks is a part of the name.
    pub open: bool,
}

/// A line of a tool.
#[derive(Debug)]
pub enum ToolLine {
    /// `result yaml T`
    Result(Format, Option<Type>, Span),
    /// `result text "…" {a: T} "…"`
    Form(Form, Span),
    /// `result.a : LABEL`
    Node(NodePath, LabelRule),
    /// `reads S as result[*]`
    Reads(Name, Option<NodePath>),
    /// `errors : LABEL`
    Errors(LabelRule, Span),
    /// `writes S.f from a`
    Writes(Writes),
    /// `allow when C`
    Rule(Effect, RuleWhen, Span),
    /// `approval endorses S because "…"`
    Endorses(Endorses),
}

/// `writes S.f from a`, `adds S.f = a`
#[derive(Debug)]
pub struct Writes {
    /// What becomes of records: the verb.
    pub how: WriteKind,
    /// What is written.
    pub cells: Cells,
    /// From which arguments; from all if `None`.
    pub from: Option<Vec<Name>>,
    /// What the fields hold afterwards.
    pub value: Option<Operand>,
    /// The verb and what is written.
    pub span: Span,
}

/// `approval endorses S because "…"`
#[derive(Debug)]
pub struct Endorses {
    /// What is endorsed.
    pub cells: Cells,
    /// Why.
    pub because: String,
    /// Whether in calls that run unasked, too.
    pub unasked: bool,
}

/// A text in which values stand.
#[derive(Debug)]
pub struct Form {
    /// What stands around the values: one piece more than there are values.
    pub pieces: Vec<String>,
    /// The values, as fields of a record.
    pub record: Type,
}

/// A region of a result.
#[derive(Debug)]
pub struct NodePath {
    /// From the root.
    pub steps: Vec<Step>,
    /// Where.
    pub span: Span,
}

/// A step into a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// `[*]`
    Items,
    /// `[key]`
    Keys,
    /// `.name`
    Field(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items => f.write_str("[*]"),
            Self::Keys => f.write_str("[key]"),
            Self::Field(name) => write!(f, ".{name}"),
        }
    }
}

/// A store, or some of its cells.
#[derive(Debug)]
pub struct Cells {
    /// The store.
    pub store: Name,
    /// Its cells; all if `None`.
    pub cells: Option<Vec<CellName>>,
    /// Where.
    pub span: Span,
}

/// A cell of a store.
#[derive(Clone, Debug)]
pub enum CellName {
    /// `shape`
    Shape(Span),
    /// A field.
    Field(Name),
}

/// When a rule fires.
#[derive(Debug)]
pub enum RuleWhen {
    /// `always`
    Always,
    /// `otherwise`
    Otherwise,
    /// `when C`
    When(Box<Condition>),
}

/// `endorse NAME { t.result.a : LABEL -> LABEL when C checked C by "…" because "…" }`
#[derive(Debug)]
pub struct Downgrade {
    /// The word that it begins with.
    pub word: DowngradeWord,
    /// Its name.
    pub name: Name,
    /// The tool.
    pub tool: Name,
    /// The region of its result.
    pub path: NodePath,
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

/// `never LABEL -> t, t.x unless C via d`, or `always confirm t when C`
#[derive(Debug)]
pub struct Claim {
    /// The level; none if any is meant.
    pub level: Option<Label>,
    /// Where it does not go.
    pub targets: Vec<ClaimTarget>,
    /// The exception.
    pub unless: Option<Condition>,
    /// What may lower labels on the way.
    pub via: Vec<Exception>,
    /// Where.
    pub span: Span,
}

/// Where a claim says that data does not go.
#[derive(Debug)]
pub enum ClaimTarget {
    /// `reply`
    Reply,
    /// A tool.
    Tool(Name),
    /// A tool or a store.
    Whole(Name),
    /// An argument of a tool, or part of a store.
    Part(Name, CellName),
}

/// What a claim lets pass.
#[derive(Debug)]
pub enum Exception {
    /// A downgrade.
    Downgrade(Name),
    /// `approval of t`, or `approval of *`
    Approval(Option<Name>),
}

/// `test "…" { … }`
#[derive(Debug)]
pub struct Test {
    /// What it says.
    pub name: String,
    /// Where it says so.
    pub span: Span,
    /// The values of facts.
    pub facts: Vec<(Name, Value, Span)>,
    /// What happens.
    pub steps: Vec<TestStep>,
}

/// A step of a test.
#[derive(Debug)]
pub enum TestStep {
    /// `system "…"`
    System(String),
    /// `user "…"`
    User(String),
    /// `call t(…) …`
    Call(Call),
    /// `reply "…"`
    Reply(String, Option<Effect>, Span),
}

/// `call t(a: V) returns V => allow`
#[derive(Debug)]
pub struct Call {
    /// The tool.
    pub tool: Name,
    /// Its arguments.
    pub arguments: Vec<(Name, Value, Span)>,
    /// What comes back.
    pub outcome: Option<Outcome>,
    /// The decision.
    pub expected: Option<Effect>,
    /// Where.
    pub span: Span,
}

/// What comes back from a call.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A value.
    Returns(Value, Span),
    /// An error's text.
    Fails(String, Span),
}
