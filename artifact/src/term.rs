//! What holds of label terms whatever their values are, and what regions are called.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::ir::{
    Fact, LabelPart, LabelTerm, Names, Node, NodeField, NodeId, NodeKind, Operand, Policy, SetTerm,
    Tool, Type, TypeId,
};
use crate::lattice::Lattice;
use crate::sets::{NameSet, SetLattice};

impl Policy {
    /// Whether one label of data flows to another for all values that both name, which are the same
    /// in both. May miss that it does.
    #[must_use]
    pub fn surely_flows(&self, low: &LabelTerm, high: &LabelTerm) -> bool {
        let parts = low.parts.iter().zip(&high.parts).zip(&self.lattices);
        let sets = low.sets.iter().zip(&high.sets).zip(&self.open);
        parts.into_iter().all(|((low, high), lattice)| part_flows(lattice, low, high))
            && sets.into_iter().all(|((low, high), lattice)| {
                set_flows(&self.types, &self.facts, lattice, low, high)
            })
    }
}

/// Whether one set in a label of data flows to another whatever the values are. May miss that it
/// does.
#[must_use]
pub fn set_flows(
    types: &[Type],
    facts: &[Fact],
    lattice: &SetLattice,
    low: &SetTerm,
    high: &SetTerm,
) -> bool {
    if is_set(low, &lattice.bottom()) || is_set(high, &lattice.top()) {
        return true;
    }
    let (SetTerm::Of(low), SetTerm::Of(high)) = (low, high) else {
        return low == high;
    };
    // A value that is none makes its term strict: of no harm above, and below only if the same
    // value makes the other strict, too.
    match lattice.joins_by_union() {
        true => low.iter().all(|names| high.contains(names)),
        false => {
            let harmless = |names: &Names| high.contains(names) || is_certain(types, facts, names);
            high.iter().all(|names| low.contains(names)) && low.iter().all(harmless)
        }
    }
}

/// Whether a value is always there and names what it should.
fn is_certain(types: &[Type], facts: &[Fact], names: &Names) -> bool {
    let holds_names = |ty: TypeId| match types.get(ty.index()) {
        Some(Type::Text | Type::Pattern(_)) => true,
        Some(Type::List(item) | Type::Set(item)) => types.get(item.index()) == Some(&Type::Text),
        _ => false,
    };
    match &names.value {
        Operand::Literal(value) => NameSet::of(value).is_some(),
        Operand::Fact(fact, path) if path.is_empty() => {
            facts.get(fact.index()).is_some_and(|fact| holds_names(fact.ty))
        }
        _ => false,
    }
}

fn part_flows(lattice: &Lattice, low: &LabelPart, high: &LabelPart) -> bool {
    match (low, high) {
        (LabelPart::Level(low), LabelPart::Level(high)) => lattice.flows(*low, *high),
        (LabelPart::Named(low), LabelPart::Named(high)) => low == high,
        (LabelPart::Named(_), LabelPart::Level(high)) => Some(*high) == lattice.top(),
        (LabelPart::Level(low), LabelPart::Named(_)) => Some(*low) == lattice.bottom(),
    }
}

/// Whether a term is this constant.
fn is_set(term: &SetTerm, set: &NameSet) -> bool {
    match term {
        SetTerm::All => *set == NameSet::All,
        SetTerm::Of(names) => names.is_empty() && *set == NameSet::none(),
    }
}

impl Tool {
    /// The path of a region of the tool's result, such as `result[*].subject`.
    #[must_use]
    pub fn path_of(&self, node: NodeId) -> Option<String> {
        let root = NodeId(u32::try_from(self.nodes.len().checked_sub(1)?).ok()?);
        self.path_from(root, "result".to_owned(), node)
    }

    fn path_from(&self, at: NodeId, path: String, node: NodeId) -> Option<String> {
        if at == node {
            return Some(path);
        }
        let steps = self.nodes.get(at.index())?.steps();
        let mut steps = steps.into_iter();
        steps.find_map(|(step, below)| self.path_from(below, format!("{path}{step}"), node))
    }
}

/// A step of the path to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeStep<'a> {
    /// To the elements of a list, or the values of a map.
    Items,
    /// To the names of a map.
    Keys,
    /// To a field of a record.
    Field(&'a str),
}

impl fmt::Display for NodeStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items => f.write_str("[*]"),
            Self::Keys => f.write_str("[key]"),
            Self::Field(name) => write!(f, ".{name}"),
        }
    }
}

impl Node {
    /// The nodes directly below, each once, with the step that leads there.
    #[must_use]
    pub fn steps(&self) -> Vec<(NodeStep<'_>, NodeId)> {
        let mut steps = Vec::new();
        for kind in &self.kinds {
            match kind {
                NodeKind::Leaf(_) => {}
                NodeKind::List(item) => steps.push((NodeStep::Items, *item)),
                NodeKind::Map { key, value } => {
                    steps.extend([(NodeStep::Keys, *key), (NodeStep::Items, *value)]);
                }
                NodeKind::Record(fields) => {
                    steps.extend(fields.iter().map(|f| (NodeStep::Field(&f.name), f.node)));
                }
            }
        }
        let mut seen = BTreeSet::new();
        steps.retain(|(_, node)| seen.insert(*node));
        steps
    }

    /// The fields of each record that it may be.
    pub fn records(&self) -> impl Iterator<Item = &[NodeField]> {
        self.kinds.iter().filter_map(|kind| match kind {
            NodeKind::Record(fields) => Some(fields.as_slice()),
            _ => None,
        })
    }

    /// The type, if this is never divided further.
    #[must_use]
    pub fn leaf(&self) -> Option<TypeId> {
        match self.kinds.as_slice() {
            [NodeKind::Leaf(ty)] => Some(*ty),
            _ => None,
        }
    }
}

impl SetTerm {
    /// The values that it names.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let names = match self {
            Self::Of(names) => names.as_slice(),
            Self::All => &[],
        };
        names.iter().map(|names| &names.value)
    }

    /// Whether it reads a field of a record.
    #[must_use]
    pub fn reads_fields(&self) -> bool {
        self.operands().any(|operand| matches!(operand.source(), Operand::Field(_)))
    }

    /// The set that it stands for, where this is what each value names; `None` if one names none.
    pub(crate) fn set(&self, each: impl Fn(&Names) -> Option<Vec<Arc<str>>>) -> Option<NameSet> {
        match self {
            Self::All => Some(NameSet::All),
            Self::Of(names) => {
                let named = names.iter().map(each).collect::<Option<Vec<_>>>()?;
                Some(named.into_iter().flatten().collect())
            }
        }
    }
}

impl LabelTerm {
    /// The values that it names.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let levels = self.parts.iter().filter_map(|part| match part {
            LabelPart::Named(operand) => Some(operand),
            LabelPart::Level(_) => None,
        });
        levels.chain(self.sets.iter().flat_map(SetTerm::operands))
    }

    /// Whether it reads a field of a record.
    #[must_use]
    pub fn reads_fields(&self) -> bool {
        self.operands().any(|operand| matches!(operand.source(), Operand::Field(_)))
    }
}
