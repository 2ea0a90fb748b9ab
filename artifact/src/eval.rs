//! What a compiled policy means. The engine decides by it, the verifier replays by it, and there is
//! no other. Total: every call gets a decision, and whatever is missing counts for the strict side.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use smallvec::SmallVec;

use crate::ir::{
    Alternative, ArgumentId, Cell, CellPart, Comparison, Condition, ConditionId, Downgrade, Effect,
    LabelId, LabelPart, LabelRule, Names, Node, NodeId, Operand, RuleId, SetTerm, StoreId, Tool,
    ToolId,
};
use crate::label::Label;
use crate::program::Program;
use crate::sets::{NameSet, SetLattice};
use crate::ty::{self, Mismatch};
use crate::value::Value;

/// The facts of a session, each of its declared type (φ).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts(Vec<Value>);

/// Why the facts that a host supplies are not those that the policy declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactError {
    /// A declared fact is missing.
    Missing(String),
    /// A fact that the policy does not declare.
    Unknown(String),
    /// A fact of another type.
    Mistyped(String, Mismatch),
}

impl fmt::Display for FactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "fact `{name}` is missing"),
            Self::Unknown(name) => write!(f, "the policy declares no fact `{name}`"),
            Self::Mistyped(name, mismatch) => write!(f, "fact `{name}`: {mismatch}"),
        }
    }
}

impl std::error::Error for FactError {}

/// A call whose arguments are known, complete and of their types.
#[derive(Clone, Debug)]
pub struct Bound<'a> {
    tool: ToolId,
    values: SmallVec<[Option<&'a Value>; 8]>,
}

/// Why a call cannot be decided by rules; it is denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindError {
    /// The policy has no such tool.
    UnknownTool(String),
    /// The tool has no such argument.
    UnknownArgument(String),
    /// A required argument is missing.
    MissingArgument(String),
    /// An argument is of another type.
    MistypedArgument(String, Mismatch),
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTool(name) => write!(f, "the policy has no tool `{name}`"),
            Self::UnknownArgument(name) => write!(f, "the tool has no argument `{name}`"),
            Self::MissingArgument(name) => write!(f, "argument `{name}` is missing"),
            Self::MistypedArgument(name, mismatch) => write!(f, "argument `{name}`: {mismatch}"),
        }
    }
}

impl std::error::Error for BindError {}

/// Arguments by name, as a call gives them.
pub type Arguments = BTreeMap<String, Value>;

/// A decision and the rule that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The decision (D).
    pub effect: Effect,
    /// The rule that fired. `None` only where a tool has no rule that fires, which validation
    /// excludes; the decision is then to deny.
    pub rule: Option<RuleId>,
}

/// What a condition amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// A value that it reads is absent, null or of the wrong type.
    Undefined,
}

/// Where a label stands: which side is the strict one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A label of data: strict is up.
    Data,
    /// A bound: strict is down.
    Bound,
}

/// Fields of a record, as guards of a label read them.
pub trait Fields {
    /// The value under a path of field names.
    fn field(&self, path: &[String]) -> Option<&Value>;
}

impl Fields for Value {
    fn field(&self, path: &[String]) -> Option<&Value> {
        self.get(path)
    }
}

/// What conditions and labels read.
#[derive(Clone, Copy)]
pub struct Scope<'a, 'v> {
    /// The facts of the session.
    pub facts: &'a Facts,
    /// The call, where there is one.
    pub call: Option<&'a Bound<'v>>,
    /// The call's label with its arguments' labels (κ), where a decision is made.
    pub context: Option<&'a Label>,
    /// The record that a label belongs to, where there is one, and the store whose record it is.
    pub record: Option<(StoreId, &'a dyn Fields)>,
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("call", &self.call).finish_non_exhaustive()
    }
}

impl Facts {
    fn get(&self, index: usize) -> Option<&Value> {
        self.0.get(index)
    }
}

impl<'a> Bound<'a> {
    /// The tool called.
    #[must_use]
    pub fn tool(&self) -> ToolId {
        self.tool
    }

    /// The value of an argument, its default if the call left it out.
    #[must_use]
    pub fn argument(&self, id: ArgumentId) -> Option<&'a Value> {
        self.values.get(id.index()).copied().flatten()
    }
}

impl Program {
    /// The facts of a session, checked against the policy's declarations.
    ///
    /// # Errors
    /// A fact that is missing, undeclared, or of another type.
    pub fn facts(&self, mut given: BTreeMap<String, Value>) -> Result<Facts, FactError> {
        let policy = self.policy();
        let mut values = Vec::with_capacity(policy.facts.len());
        for fact in &policy.facts {
            let value =
                given.remove(&fact.name).ok_or_else(|| FactError::Missing(fact.name.clone()))?;
            let value = ty::with_sets(&policy.types, fact.ty, value);
            ty::check(&policy.types, fact.ty, &value)
                .map_err(|e| FactError::Mistyped(fact.name.clone(), e))?;
            values.push(value);
        }
        match given.into_keys().next() {
            Some(name) => Err(FactError::Unknown(name)),
            None => Ok(Facts(values)),
        }
    }

    /// Finds the tool of a call, checks its arguments and fills in defaults.
    ///
    /// # Errors
    /// An unknown tool or argument, a missing or mistyped argument. Such a call is denied.
    pub fn bind<'a>(&'a self, tool: &str, given: &'a Arguments) -> Result<Bound<'a>, BindError> {
        let unknown = || BindError::UnknownTool(tool.to_owned());
        let id = self.tool_named(tool).ok_or_else(unknown)?;
        let declared = &self.tool(id).ok_or_else(unknown)?.arguments;
        let mut values = SmallVec::with_capacity(declared.len());
        let mut known = 0;
        for argument in declared {
            let value = given.get(&argument.name);
            match value {
                Some(value) => {
                    known += 1;
                    ty::check(&self.policy().types, argument.ty, value)
                        .map_err(|e| BindError::MistypedArgument(argument.name.clone(), e))?;
                }
                None if argument.required => {
                    return Err(BindError::MissingArgument(argument.name.clone()));
                }
                None => {}
            }
            values.push(value.or(argument.default.as_ref()));
        }
        if known < given.len() {
            let is_known = |name: &&String| declared.iter().any(|a| a.name == **name);
            let name = given.keys().find(|name| !is_known(name)).cloned().unwrap_or_default();
            return Err(BindError::UnknownArgument(name));
        }
        Ok(Bound { tool: id, values })
    }

    /// The label of a call (κ): its context joined with the labels of whatever is filled into its
    /// arguments. A rule that names no argument's label binds all of them by its context bound.
    #[must_use]
    pub fn call_label(&self, context: &Label, filled: &[(ArgumentId, Label)]) -> Label {
        filled.iter().fold(context.clone(), |label, (_, filled)| label.join(filled))
    }

    /// Decides a call (D): the first rule that fires. `label` is [`Self::call_label`].
    #[must_use]
    pub fn decide(&self, facts: &Facts, call: &Bound<'_>, label: &Label) -> Verdict {
        let scope = Scope { facts, call: Some(call), context: Some(label), record: None };
        let rules = self.tool(call.tool).map_or(&[][..], |tool| &tool.rules);
        for (rule, id) in rules.iter().zip(0..) {
            let truth = rule.when.map_or(Truth::True, |when| self.holds(when, &scope));
            let fires = match rule.effect {
                Effect::Allow => truth == Truth::True,
                Effect::Confirm | Effect::Deny => truth != Truth::False,
            };
            if fires {
                return Verdict { effect: rule.effect, rule: Some(RuleId(id)) };
            }
        }
        Verdict { effect: Effect::Deny, rule: None }
    }

    /// What a condition amounts to: Kleene's three-valued logic.
    #[must_use]
    pub fn holds(&self, id: ConditionId, scope: &Scope<'_, '_>) -> Truth {
        let Some(condition) = self.policy().conditions.get(id.index()) else {
            return Truth::Undefined;
        };
        match condition {
            Condition::Context(bound) => match scope.context {
                Some(context) => self.context_flows(context, *bound, scope).into(),
                None => Truth::Undefined,
            },
            Condition::Compare(comparison, left, right) => {
                match (read(left, scope), read(right, scope)) {
                    (Some(left), Some(right)) => compare(*comparison, &left, &right),
                    _ => Truth::Undefined,
                }
            }
            Condition::In(element, set) => match (read(element, scope), read(set, scope)) {
                (Some(element), Some(set)) => contains(&set, &element),
                _ => Truth::Undefined,
            },
            Condition::SubsetOf(inner, outer) => match (read(inner, scope), read(outer, scope)) {
                (Some(inner), Some(outer)) => match inner.as_ref() {
                    Value::List(inner) => within(inner.iter(), &outer),
                    Value::Set(inner) => within(inner.iter(), &outer),
                    _ => Truth::Undefined,
                },
                _ => Truth::Undefined,
            },
            // Whether a field is there cannot be told where there is no record.
            Condition::Present(operand)
                if matches!(operand.source(), Operand::Field(_)) && scope.record.is_none() =>
            {
                Truth::Undefined
            }
            Condition::Present(operand) => read(operand, scope).is_some().into(),
            Condition::Not(inner) => match self.holds(*inner, scope) {
                Truth::True => Truth::False,
                Truth::False => Truth::True,
                Truth::Undefined => Truth::Undefined,
            },
            Condition::All(parts) => self.first_of(parts, scope, Truth::False, Truth::True),
            Condition::Any(parts) => self.first_of(parts, scope, Truth::True, Truth::False),
            Condition::Matches(operand, pattern) => match read(operand, scope).as_deref() {
                Some(Value::Text(text)) => {
                    pattern.matches(text).map_or(Truth::Undefined, Truth::from)
                }
                _ => Truth::Undefined,
            },
        }
    }

    /// `decisive` if any part is, else undefined if any part is, else `default`.
    fn first_of(
        &self,
        parts: &[ConditionId],
        scope: &Scope<'_, '_>,
        decisive: Truth,
        default: Truth,
    ) -> Truth {
        let mut result = default;
        for &part in parts {
            match self.holds(part, scope) {
                truth if truth == decisive => return decisive,
                Truth::Undefined => result = Truth::Undefined,
                Truth::True | Truth::False => {}
            }
        }
        result
    }

    fn context_flows(&self, context: &Label, bound: LabelId, scope: &Scope<'_, '_>) -> bool {
        match self.constant(bound) {
            Some(bound) => context.flows_to(bound),
            None => context.flows_to(&self.label(bound, Side::Bound, scope)),
        }
    }

    /// The value of a label term.
    #[must_use]
    pub fn label(&self, id: LabelId, side: Side, scope: &Scope<'_, '_>) -> Label {
        let space = self.space();
        if let Some(constant) = self.constant(id) {
            return constant.clone();
        }
        let strict = || match side {
            Side::Data => space.top().clone(),
            Side::Bound => space.bottom().clone(),
        };
        let Some(term) = self.policy().labels.get(id.index()) else {
            return strict();
        };
        let mut label = space.bottom().clone();
        for (lattice, part) in term.parts.iter().enumerate() {
            let level = match part {
                LabelPart::Level(level) => Some(*level),
                LabelPart::Named(operand) => match read(operand, scope).as_deref() {
                    Some(Value::Text(name)) => {
                        self.policy().lattices.get(lattice).and_then(|l| l.level(name))
                    }
                    _ => None,
                },
            };
            let level = level.and_then(|level| space.part(lattice, level));
            match (level, side) {
                (Some(part), _) => label.join_with(part),
                (None, Side::Data) => match space.mask(lattice) {
                    Some(top) => label.join_with(top),
                    None => return strict(),
                },
                (None, Side::Bound) => {}
            }
        }
        for (index, (set, lattice)) in term.sets.iter().zip(&self.policy().open).enumerate() {
            let names = names(set, lattice, scope, side).unwrap_or_else(|| match side {
                Side::Data => lattice.top(),
                Side::Bound => lattice.bottom(),
            });
            label = label.with_set(index, lattice.level(names));
        }
        label
    }

    /// The label of a message, which depends on facts at most.
    #[must_use]
    pub fn message_label(&self, id: LabelId, side: Side, facts: &Facts) -> Label {
        self.label(id, side, &Scope { facts, call: None, context: None, record: None })
    }

    /// The label of data that a rule gives: the first alternative whose guard holds, else the last.
    #[must_use]
    pub fn rule_label(&self, rule: &LabelRule, scope: &Scope<'_, '_>) -> Label {
        let holds = |a: &&Alternative| self.holds(a.when, scope) == Truth::True;
        let label = rule.alternatives.iter().find(holds).map_or(rule.otherwise, |a| a.label);
        self.label(label, Side::Data, scope)
    }

    /// The label that a region of a result is declared to have (decl n): the join of the labels of
    /// the cells it shows and its own, or top if it has neither.
    #[must_use]
    pub fn node_label(&self, tool: &Tool, node: NodeId, scope: &Scope<'_, '_>) -> Label {
        let top = || self.space().top().clone();
        let Some(node) = tool.nodes.get(node.index()) else {
            return top();
        };
        let cells = node.shows.iter().map(|cell| {
            let cell = self.policy().cells.get(cell.index());
            cell.map_or_else(top, |cell| {
                let record = scope.record.filter(|(store, _)| {
                    *store == cell.store && self.is_of_this_record(node, cell.store)
                });
                self.rule_label(&cell.label, &Scope { record, ..*scope })
            })
        });
        let own = node.label.iter().map(|label| self.rule_label(label, scope));
        cells.chain(own).reduce(|a, b| a.join(&b)).unwrap_or_else(top)
    }
}

impl Program {
    /// The label of a region once the downgrade that speaks of it is applied (δ), if one does.
    /// `label` is the declared one joined with the label of the call; `value` is the value of the
    /// region.
    #[must_use]
    pub fn downgraded(
        &self,
        tool: ToolId,
        node: NodeId,
        label: Label,
        scope: &Scope<'_, '_>,
        value: &Value,
    ) -> Label {
        let mut downgrades = self.policy().downgrades.iter();
        let speaks = |downgrade: &&Downgrade| (downgrade.tool, downgrade.node) == (tool, node);
        let Some(downgrade) = downgrades.find(speaks) else { return label };
        // The value checks itself: it is the record whose only field has no name.
        let own = Scope { record: Some((StoreId(u32::MAX), value)), ..*scope };
        let holds = |guard: Option<ConditionId>, scope| {
            guard.is_none_or(|guard| self.holds(guard, scope) == Truth::True)
        };
        let from = self.label(downgrade.from, Side::Bound, scope);
        if !label.flows_to(&from)
            || !holds(downgrade.when, scope)
            || !holds(downgrade.checked, &own)
        {
            return label;
        }
        let to = self.label(downgrade.to, Side::Data, scope);
        self.space().meet(&self.policy().lattices, &label, &to).unwrap_or(label)
    }

    /// Whether what a region shows of a store is of the record around it: one cell alone, or, where
    /// the region is such a record, its shape, its tag and those of its fields that may be missing.
    /// Where it shows others it shows the store at large, and no record's fields speak for others'.
    #[must_use]
    pub fn is_of_this_record(&self, node: &Node, store: StoreId) -> bool {
        let cells = node.shows.iter().filter_map(|cell| self.policy().cells.get(cell.index()));
        let mut cells = cells.filter(|cell| cell.store == store);
        let may_lack = |name: &String| {
            node.tag.as_ref() == Some(name)
                || node.records().flatten().any(|f| f.name == *name && !f.required)
        };
        let is_own = |cell: &Cell| match &cell.part {
            CellPart::Shape => true,
            CellPart::Field(name) => may_lack(name),
            CellPart::Content => false,
        };
        cells.clone().count() == 1 || node.record_of == Some(store) && cells.all(is_own)
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// The value of an operand. Null counts as absent.
fn read<'a>(operand: &'a Operand, scope: &'a Scope<'_, '_>) -> Option<Cow<'a, Value>> {
    let value = match operand {
        Operand::Literal(value) => Some(value),
        Operand::Fact(fact, path) => scope.facts.get(fact.index())?.get(path),
        Operand::Argument(argument, path) => scope.call?.argument(*argument)?.get(path),
        Operand::Field(path) => scope.record?.1.field(path),
        Operand::Derived(function, source) => {
            return function.of(read(source, scope)?.as_ref()).map(Cow::Owned);
        }
    };
    value.filter(|value| **value != Value::Null).map(Cow::Borrowed)
}

/// The names that a term of a lattice stands for; `None` if some value is none.
fn names(
    term: &SetTerm,
    lattice: &SetLattice,
    scope: &Scope<'_, '_>,
    side: Side,
) -> Option<NameSet> {
    // A result need not show a field that its record has, so its absence tells nothing; names that
    // are left out make a label stricter only where a join keeps the common ones.
    let may_lack = |names: &Names| match names.value {
        Operand::Field(_) => names.optional && !lattice.joins_by_union() && scope.record.is_some(),
        // There is a value, of which a function makes nothing.
        Operand::Derived(..) => false,
        Operand::Literal(_) | Operand::Fact(..) | Operand::Argument(..) => names.optional,
    };
    term.set(|names| match read(&names.value, scope) {
        Some(value) => {
            // Data without sources would be free.
            let frees = |names: &Vec<_>| names.is_empty() && lattice.joins_by_union();
            NameSet::of(&value).filter(|names| side == Side::Bound || !frees(names))
        }
        None => may_lack(names).then(Vec::new),
    })
}

/// Whether each of some elements is in a list or set.
fn within<'a>(mut elements: impl Iterator<Item = &'a Value>, outer: &Value) -> Truth {
    if !matches!(outer, Value::List(_) | Value::Set(_)) {
        return Truth::Undefined;
    }
    let found = elements.try_fold(Truth::True, |so_far, element| match contains(outer, element) {
        Truth::False => Err(Truth::False),
        Truth::True => Ok(so_far),
        Truth::Undefined => Ok(Truth::Undefined),
    });
    found.unwrap_or_else(|decided| decided)
}

/// Whether a list or set contains an element; undefined for any other value.
fn contains(set: &Value, element: &Value) -> Truth {
    match set {
        Value::List(list) => is_in(element, list.contains(element), list.iter()),
        // Values of one type stand together in a set, so its ends tell.
        Value::Set(set) => {
            is_in(element, set.contains(element), set.first().into_iter().chain(set.last()))
        }
        _ => Truth::Undefined,
    }
}

/// Membership is equality with some element: undefined where it is not found among elements of
/// which `sample` holds one of another type.
fn is_in<'a>(element: &Value, found: bool, mut sample: impl Iterator<Item = &'a Value>) -> Truth {
    match found {
        true => Truth::True,
        false if sample.all(|other| same_type(element, other)) => Truth::False,
        false => Truth::Undefined,
    }
}

fn same_type(left: &Value, right: &Value) -> bool {
    std::mem::discriminant(left) == std::mem::discriminant(right)
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Truth {
    if !same_type(left, right) {
        return Truth::Undefined;
    }
    let numbers = || match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
        _ => None,
    };
    let ordered = |holds: fn(std::cmp::Ordering) -> bool| {
        numbers().map_or(Truth::Undefined, |ordering| holds(ordering).into())
    };
    match comparison {
        Comparison::Equal => (left == right).into(),
        Comparison::NotEqual => (left != right).into(),
        Comparison::Less => ordered(std::cmp::Ordering::is_lt),
        Comparison::LessOrEqual => ordered(std::cmp::Ordering::is_le),
        Comparison::Greater => ordered(std::cmp::Ordering::is_gt),
        Comparison::GreaterOrEqual => ordered(std::cmp::Ordering::is_ge),
    }
}
