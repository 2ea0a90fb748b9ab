//! Formulas: a small typed logic, built only through the constructors here. Each sort is a type of
//! its own, so an ill-sorted formula does not compile; trivial cases are simplified on the way in.
//!
//! Takes nothing, gives terms; `z3.rs` gives them to the solver. Quantifiers, arrays and strings
//! are absent on purpose: `docs/semantics.md` says how they are avoided.

use std::sync::Arc;

use rtbas_artifact::decimal::Decimal;

/// A proposition.
#[derive(Clone, Debug)]
pub(super) struct Formula(Arc<Node>);

/// What a proposition is made of.
#[derive(Debug)]
pub(super) enum Node {
    Constant(bool),
    Variable(String),
    Not(Formula),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Same(Formula, Formula),
    NumberEqual(Number, Number),
    Less(Number, Number),
    BitsEqual(Bits, Bits),
    /// Bits, read as an unsigned number, lie below a constant.
    Below(Bits, u64),
}

/// A number: a real, or one that ranges over the integers only.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Constant(Decimal),
    Variable { name: String, whole: bool },
}

/// A row of bits. Both sides of an operation have the same width.
#[derive(Clone, Debug)]
pub(super) enum Bits {
    /// Words, least significant first.
    Constant {
        words: Arc<[u64]>,
        width: u32,
    },
    Variable {
        name: String,
        width: u32,
    },
    And(Arc<(Bits, Bits)>),
    Or(Arc<(Bits, Bits)>),
    /// The row of a table under an index. Beyond the last row: the last.
    Lookup {
        rows: Arc<[Bits]>,
        index: Arc<Bits>,
    },
}

impl Formula {
    fn new(node: Node) -> Self {
        Self(Arc::new(node))
    }

    pub(super) fn node(&self) -> &Node {
        &self.0
    }

    pub(super) fn constant(value: bool) -> Self {
        Self::new(Node::Constant(value))
    }

    pub(super) fn variable(name: impl Into<String>) -> Self {
        Self::new(Node::Variable(name.into()))
    }

    pub(super) fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::gather(parts, false, Node::And)
    }

    pub(super) fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::gather(parts, true, Node::Or)
    }

    /// Drops neutral parts; one `decisive` part decides.
    fn gather(
        parts: impl IntoIterator<Item = Self>,
        decisive: bool,
        make: fn(Vec<Self>) -> Node,
    ) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part.node() {
                Node::Constant(value) if *value == decisive => return part,
                Node::Constant(_) => {}
                _ => kept.push(part),
            }
        }
        match kept.pop() {
            None => Self::constant(!decisive),
            Some(only) if kept.is_empty() => only,
            Some(last) => {
                kept.push(last);
                Self::new(make(kept))
            }
        }
    }

    pub(super) fn implies(self, then: Self) -> Self {
        Self::or([!self, then])
    }

    pub(super) fn same(self, other: Self) -> Self {
        match (self.node(), other.node()) {
            (Node::Constant(true), _) => other,
            (_, Node::Constant(true)) => self,
            (Node::Constant(false), _) => !other,
            (_, Node::Constant(false)) => !self,
            _ => Self::new(Node::Same(self, other)),
        }
    }
}

impl std::ops::Not for Formula {
    type Output = Self;

    fn not(self) -> Self {
        match self.node() {
            Node::Constant(value) => Self::constant(!value),
            Node::Not(inner) => inner.clone(),
            _ => Self::new(Node::Not(self)),
        }
    }
}

impl Number {
    pub(super) fn equal(self, other: Self) -> Formula {
        match (&self, &other) {
            (Self::Constant(a), Self::Constant(b)) => Formula::constant(a == b),
            _ => Formula::new(Node::NumberEqual(self, other)),
        }
    }

    pub(super) fn less(self, other: Self) -> Formula {
        match (&self, &other) {
            (Self::Constant(a), Self::Constant(b)) => Formula::constant(a < b),
            _ => Formula::new(Node::Less(self, other)),
        }
    }
}

impl Bits {
    pub(super) fn constant(words: &[u64], width: u32) -> Self {
        Self::Constant { words: words.into(), width }
    }

    pub(super) fn variable(name: impl Into<String>, width: u32) -> Self {
        Self::Variable { name: name.into(), width }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self::And(Arc::new((self, other)))
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self::Or(Arc::new((self, other)))
    }

    pub(super) fn equal(self, other: Self) -> Formula {
        Formula::new(Node::BitsEqual(self, other))
    }

    pub(super) fn below(self, bound: u64) -> Formula {
        Formula::new(Node::Below(self, bound))
    }

    pub(super) fn lookup(rows: Arc<[Self]>, index: Self) -> Self {
        Self::Lookup { rows, index: Arc::new(index) }
    }
}
