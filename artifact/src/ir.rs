//! What a compiled policy is: tables and indices, no source text, no spans.
//!
//! Everything that nests lies in a table whose entries refer only to earlier entries, so a decoded
//! policy cannot be cyclic. Formal core: `docs/semantics.md`; the names of its symbols stand behind
//! the fields.

use serde::{Deserialize, Deserializer, Serialize};

use crate::function::Function;
use crate::lattice::{Lattice, LevelId};
use crate::pattern::Pattern;
use crate::sets::SetLattice;
use crate::value::Value;

mod claim;

pub use claim::{Claim, Exception, Target};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a table index.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}

ids! {
    /// Index into [`Policy::types`].
    TypeId,
    /// Index into [`Policy::conditions`].
    ConditionId,
    /// Index into [`Policy::labels`].
    LabelId,
    /// Index into [`Policy::facts`].
    FactId,
    /// Index into [`Policy::stores`].
    StoreId,
    /// Index into [`Policy::cells`].
    CellId,
    /// Index into [`Policy::tools`].
    ToolId,
    /// Index into [`Tool::arguments`].
    ArgumentId,
    /// Index into [`Tool::nodes`].
    NodeId,
    /// Index into [`Tool::rules`].
    RuleId,
    /// Index into [`Policy::downgrades`].
    DowngradeId,
}

/// A compiled policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// The edition of the language that it was written in.
    pub edition: u16,
    /// Its own version, raised by its author; a host can refuse older ones.
    pub version: u64,
    /// The closed lattices whose product, with the open ones, is the label (L).
    pub lattices: Vec<Lattice>,
    /// The open lattices.
    pub open: Vec<SetLattice>,
    /// Label terms.
    pub labels: Vec<LabelTerm>,
    /// Types. A type refers to earlier types only.
    pub types: Vec<Type>,
    /// Conditions. A condition refers to earlier conditions only.
    pub conditions: Vec<Condition>,
    /// Trusted values that the host supplies when a session opens (φ).
    pub facts: Vec<Fact>,
    /// Labels of messages and the bound of the reply.
    pub messages: Messages,
    /// State that outlives a call.
    pub stores: Vec<Store>,
    /// The fields of all stores, and their shapes (S.f and S.#), with their labels (σ).
    pub cells: Vec<Cell>,
    /// The tools, in order of their names.
    pub tools: Vec<Tool>,
    /// Named exceptions that lower labels of regions (δ).
    pub downgrades: Vec<Downgrade>,
    /// What is claimed of all sessions.
    pub claims: Vec<Claim>,
}

/// A label, each part a level or a value that names one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LabelTerm {
    /// One part for each closed lattice of the policy, in order.
    pub parts: Vec<LabelPart>,
    /// One set for each open lattice, in order.
    pub sets: Vec<SetTerm>,
}

/// A level of an open lattice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SetTerm {
    /// All names.
    All,
    /// The names that these values are or hold. Where one of them is none, the strict side holds:
    /// top for data, bottom for a bound.
    Of(Vec<Names>),
}

/// A value that names readers or sources: a text is one, a list or set of texts are those, and a
/// map's are its keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Names {
    /// The value.
    pub value: Operand,
    /// Whether an absent value stands for no names, and not for the strict side.
    pub optional: bool,
}

/// One lattice's part of a label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LabelPart {
    /// A level.
    Level(LevelId),
    /// The level whose name is this value. Where there is no such value or no such level, the
    /// strict side holds: top for data, bottom for a bound.
    Named(Operand),
}

/// A label that may depend on values: the first alternative whose guard holds, else the last word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelRule {
    /// Guarded alternatives in source order (gi, λi). Each flows to `otherwise`, so that a guard
    /// can only lower a label, and one that is undefined lowers nothing.
    pub alternatives: Vec<Alternative>,
    /// The label where no guard holds (λ0).
    pub otherwise: LabelId,
}

/// One guarded alternative of a [`LabelRule`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// Over facts, arguments and fields of the same record; never over labels.
    pub when: ConditionId,
    /// The label where it holds.
    pub label: LabelId,
}

/// A type of values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// Any value at all.
    Any,
    /// `null`
    Null,
    /// `true` and `false`
    Bool,
    /// Numbers without a fractional part.
    Integer,
    /// Exact numbers.
    Number,
    /// Text.
    Text,
    /// One of these values.
    Enumeration(Vec<Value>),
    /// Lists of one type of element.
    List(TypeId),
    /// Sets of one type of element.
    Set(TypeId),
    /// Records.
    Record {
        /// Known fields, in order of declaration.
        fields: Vec<Field>,
        /// Whether other fields may stand beside them.
        open: bool,
    },
    /// A value of at least one of these types.
    Union(Vec<TypeId>),
    /// Records of any fields, with values of one type.
    Map(TypeId),
    /// Texts that are dates: see [`crate::date`].
    Date,
    /// Texts that are times.
    Time,
    /// Texts that match.
    Pattern(Pattern),
}

/// A field of a record type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// Whether it must be there.
    pub required: bool,
}

/// A value that a condition or a label reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    /// A constant.
    Literal(Value),
    /// A fact, or a field in it.
    Fact(FactId, Vec<String>),
    /// An argument of the call, or a field in it.
    Argument(ArgumentId, Vec<String>),
    /// A field of the record that the label belongs to. For the label of a region that is the
    /// innermost record around it, whatever its store. For the label of a cell it is that record
    /// only if it is one of the cell's store, and the cell is the only one of its store that the
    /// region shows: where there are several, the region shows the store at large. Without a record
    /// every atom that reads a field is undefined.
    Field(Vec<String>),
    /// What a function makes of a value that is read; nothing of nothing.
    Derived(Function, #[serde(deserialize_with = "plain")] Box<Operand>),
}

impl Operand {
    /// The argument that is read, or in which a field is.
    #[must_use]
    pub fn argument(&self) -> Option<ArgumentId> {
        match self.source() {
            Self::Argument(argument, _) => Some(*argument),
            _ => None,
        }
    }

    /// What is read, before a function makes something of it.
    #[must_use]
    pub fn source(&self) -> &Self {
        match self {
            Self::Derived(_, source) => source,
            read => read,
        }
    }
}

/// An operand without a function, so that bytes cannot nest one in another as deep as they like.
fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<Operand>, D::Error> {
    /// The first variants of [`Operand`].
    #[derive(Deserialize)]
    enum Plain {
        Literal(Value),
        Fact(FactId, Vec<String>),
        Argument(ArgumentId, Vec<String>),
        Field(Vec<String>),
    }
    Ok(Box::new(match Plain::deserialize(deserializer)? {
        Plain::Literal(value) => Operand::Literal(value),
        Plain::Fact(fact, path) => Operand::Fact(fact, path),
        Plain::Argument(argument, path) => Operand::Argument(argument, path),
        Plain::Field(path) => Operand::Field(path),
    }))
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Comparison {
    /// `==`, on values of any type
    Equal,
    /// `!=`
    NotEqual,
    /// `<`, on numbers
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A condition. An atom with an absent, null or mistyped operand is *undefined*, which makes
/// `allow` rules and label guards fail and `deny` and `confirm` rules fire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Condition {
    /// `context <= LABEL`: the call's label, its arguments' labels included, flows to the bound.
    Context(LabelId),
    /// A comparison.
    Compare(Comparison, Operand, Operand),
    /// `a in B`: the first equals some element of the second, a list or a set. Undefined where it
    /// equals none and some are of another type.
    In(Operand, Operand),
    /// `a subset_of B`: each element of the first equals some element of the second, both lists or
    /// sets. Undefined where that is undefined of an element and it is false of none.
    SubsetOf(Operand, Operand),
    /// The value is there and not null. Undefined only for a field where there is no record.
    Present(Operand),
    /// Negation. Nothing below it reads a label.
    Not(ConditionId),
    /// Conjunction; true if empty.
    All(Vec<ConditionId>),
    /// Disjunction; false if empty.
    Any(Vec<ConditionId>),
    /// `a matches /…/`: all of a text is as the pattern says. Undefined for anything but text.
    Matches(Operand, Pattern),
}

/// A trusted value that the host supplies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// Labels of the messages that no tool wrote, and the bound of the final answer. Constant terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Messages {
    /// Label of system messages.
    pub system: LabelId,
    /// Label of the user's messages.
    pub user: LabelId,
    /// What the context of a final answer must flow to for it to be shown unasked.
    pub reply: LabelId,
}

/// A store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// Its name.
    pub name: String,
    /// The type of its records; of several alternatives one of all their fields, and where none is
    /// declared an open one of the fields that have labels, of any type.
    pub record: TypeId,
    /// What outsiders may read of it (ρ) and the label of what they write into it (ω), where they
    /// reach it at all. Constant terms.
    pub outsiders: Option<Outsiders>,
}

/// What outsiders do with a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outsiders {
    /// Label of what they may read, if they may read.
    pub read: Option<LabelId>,
    /// Label of what they write, if they may write.
    pub write: Option<LabelId>,
}

/// One field of a store, or its shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The store.
    pub store: StoreId,
    /// Which part of it.
    pub part: CellPart,
    /// Its label (σ).
    pub label: LabelRule,
    /// Why the label is what it is, where the policy says so; part of the trusted base.
    pub because: Option<String>,
    /// The declared type of a field's values, if one is declared: `null` among them where a record
    /// may be without the field.
    pub ty: Option<TypeId>,
    /// Whether each record has the field, as far as the policy declares it.
    pub required: bool,
}

/// Which part of a store a cell is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CellPart {
    /// A field of the store's records.
    Field(String),
    /// All content of a store without declared records.
    Content,
    /// Which records exist, how many, and in which order (S.#).
    Shape,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What the model is told about it.
    pub description: String,
    /// Its input schema as given, in JSON, for the model. Enforcement reads `arguments`.
    pub schema: String,
    /// Its arguments, in order of the schema.
    pub arguments: Vec<Argument>,
    /// How its results are written.
    pub format: Format,
    /// What stands around the fields of a result that is text, in their order: one piece more than
    /// the root has fields, and none but the first and the last empty. No pieces if the text is one
    /// value.
    pub form: Vec<String>,
    /// The regions that its results may have. A node refers to earlier nodes only; the last is
    /// the root.
    pub nodes: Vec<Node>,
    /// Label of the text of a failed call.
    pub errors: LabelRule,
    /// What a call writes. Arguments that no write names are selectors: they flow to every cell
    /// written, and to the shape.
    pub writes: Vec<Write>,
    /// What calls endorse, or the user's approval of them: part of the trusted base.
    pub endorsements: Vec<Endorsement>,
    /// The decision rules in source order (D). The last has no condition.
    pub rules: Vec<Rule>,
}

/// An argument of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// Whether a call must give it.
    pub required: bool,
    /// What it is when a call leaves it out, filled in before the decision.
    pub default: Option<Value>,
}

/// How a tool writes its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Format {
    /// Text: one scalar, or a record whose fields stand between the pieces of a form. A field ends
    /// where the next piece stands first, so what a field holds may be words of those before it, and
    /// its label is joined with theirs as they are before any downgrade.
    Text,
    /// One YAML 1.2 document without aliases, tags and duplicate keys.
    Yaml,
    /// One JSON document (RFC 8259) without duplicate keys.
    Json,
    /// One Python literal as `repr` prints it, without duplicate keys.
    Python,
    /// What a tool of the Model Context Protocol answers, in JSON: a record of `structuredContent`,
    /// which is divided, of `content`, which is not, and of `isError`.
    Mcp,
}

/// A region of a result (n), and the label it is declared to have (decl n): the join of the labels
/// of the cells that it shows and its own. One that shows none and has none is unlabelled: top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What it may be, mostly one thing. Which of several it is, is the node's. Several are told
    /// apart by how they are written: there is one list at most, and one record or map at most, but
    /// for records that a tag tells apart. What is none of these is a leaf, of the first type that
    /// it fits.
    pub kinds: Vec<NodeKind>,
    /// The field that tells records apart. Each has it, and no value of it is that of two.
    pub tag: Option<String>,
    /// The cells that it shows.
    pub shows: Vec<CellId>,
    /// Its own label, beside the cells'.
    pub label: Option<LabelRule>,
    /// The store that this is a record of: guards below read its fields.
    pub record_of: Option<StoreId>,
}

/// What a node may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeKind {
    /// A value that is not divided further.
    Leaf(TypeId),
    /// A list; its length and order are the node's.
    List(NodeId),
    /// A record; which of its optional fields are there is the node's.
    Record(Vec<NodeField>),
    /// A record of any fields. How many there are, and in which order, is the node's; which names
    /// they have is the key's, and what they hold the value's. Name and value lie side by side.
    Map {
        /// A leaf: the text of a name.
        key: NodeId,
        /// What stands under a name.
        value: NodeId,
    },
}

/// A field of a record node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeField {
    /// Its name.
    pub name: String,
    /// Its region.
    pub node: NodeId,
    /// Whether it must be there.
    pub required: bool,
}

/// One cell that a call writes, and from what. A tool writes a cell once, and all cells of one store
/// in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// The cell.
    pub cell: CellId,
    /// The arguments that flow into it, beside the selectors.
    pub from: Vec<ArgumentId>,
    /// What the cell's field of the record written holds afterwards, where that is said: a constant,
    /// or a fact or an argument or a field in one. An argument is among `from`.
    pub value: Option<Operand>,
    /// What becomes of the store's records.
    pub how: WriteKind,
}

/// What a call does to the records of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WriteKind {
    /// Records may be added, changed and removed.
    Any,
    /// Records are added, and those that are there stay as they were.
    Adds,
    /// Fields of records change, and which records there are stays: the shape is not written.
    Changes,
}

/// An exception for what a call writes: the cells' labels hold for it, whatever it was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endorsement {
    /// The cells whose labels hold for what the call writes.
    pub cells: Vec<CellId>,
    /// Why that is so.
    pub because: String,
    /// Whether it also speaks for calls that run unasked.
    pub unasked: bool,
}

/// A decision, weakest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Effect {
    /// The call does not run.
    Deny,
    /// The user must approve this very call.
    Confirm,
    /// The call runs unasked.
    Allow,
}

/// A decision rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// What it decides.
    pub effect: Effect,
    /// When it fires; always, if `None`.
    pub when: Option<ConditionId>,
}

/// A named exception: where the label of a region flows to `from` and the guards hold, it is lowered
/// to its meet with `to` (δ). Part of the trusted base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Downgrade {
    /// What it is called.
    pub name: String,
    /// Which word the policy has for it; both mean the same.
    pub word: DowngradeWord,
    /// The tool.
    pub tool: ToolId,
    /// The region of its result, a leaf.
    pub node: NodeId,
    /// Facts and arguments may name values in it; a value that names nothing makes it the bottom.
    pub from: LabelId,
    /// The same; a value that names nothing makes it the top. It flows to `from`.
    pub to: LabelId,
    /// Over facts, arguments and fields of the record around the region.
    pub when: Option<ConditionId>,
    /// Over facts, arguments and the value of the region, which is the field without a name.
    pub checked: Option<ConditionId>,
    /// Who answers for it.
    pub by: String,
    /// Why it is right.
    pub because: String,
}

/// The word that a policy has for a downgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DowngradeWord {
    /// `endorse`: data is better founded than its source.
    Endorse,
    /// `declassify`: data may be read by more than its source.
    Declassify,
}
