//! Values and results as a policy declares them, chosen by a number.

use rtbas_artifact::ir::{Node, NodeId, NodeKind, Policy, Tool, Type, TypeId};
use rtbas_artifact::value::Value;
use serde_json::Value as Json;

/// Numbers that follow from one, to choose by.
#[derive(Debug)]
pub struct Dice {
    state: u64,
    left: usize,
}

/// Most choices in one value or result: where types share parts, all of one has no end to speak of.
const MOST: usize = 1000;

impl Dice {
    /// The choices that follow from a number.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, left: usize::MAX }
    }

    /// The choices for one value. Once they are used up, the first is always chosen.
    fn few(&mut self) -> Self {
        Self { state: self.below(usize::MAX) as u64, left: MOST }
    }

    /// A number below a bound; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        if self.left == 0 {
            return 0;
        }
        self.left -= 1;
        // The generator `splitmix64`.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % (bound.max(1) as u64)).unwrap_or(0)
    }

    /// One of these, if there is one.
    pub fn of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        all.get(self.below(all.len()))
    }
}

const TEXTS: [&str; 8] =
    ["", "a", "b", "a@b.org", "https://a.org/x", "2026-02-28", "2026-02-28T10:00:00Z", "ä\u{0}"];
const NUMBERS: [&str; 5] = ["0", "1", "-1.5", "1e40", "9999999999999999999999999999999999"];

/// A value that may be one of a type.
pub fn value(policy: &Policy, ty: TypeId, dice: &mut Dice) -> Value {
    of_type(policy, ty, &mut dice.few())
}

fn of_type(policy: &Policy, ty: TypeId, dice: &mut Dice) -> Value {
    let mut many = |inner: &TypeId| -> Vec<Value> {
        (0..dice.below(3)).map(|_| of_type(policy, *inner, dice)).collect()
    };
    match policy.types.get(ty.index()) {
        Some(Type::List(inner)) => Value::List(many(inner)),
        Some(Type::Set(inner)) => Value::Set(many(inner).into_iter().collect()),
        Some(Type::Map(inner)) => {
            Value::Record(TEXTS.map(str::to_owned).into_iter().zip(many(inner)).collect())
        }
        Some(Type::Record { fields, .. }) => {
            let fields = fields.iter().filter(|field| field.required || dice.below(2) == 0);
            let fields: Vec<_> = fields.map(|field| (field.name.clone(), field.ty)).collect();
            let field = |(name, ty)| (name, of_type(policy, ty, dice));
            Value::Record(fields.into_iter().map(field).collect())
        }
        Some(Type::Union(choices)) => match dice.of(choices) {
            Some(choice) => of_type(policy, *choice, dice),
            None => Value::Null,
        },
        Some(Type::Enumeration(values)) => dice.of(values).cloned().unwrap_or(Value::Null),
        Some(Type::Null) => Value::Null,
        Some(Type::Bool) => Value::Bool(dice.below(2) == 0),
        Some(Type::Integer | Type::Number) => number(dice),
        Some(Type::Any) if dice.below(2) == 0 => number(dice),
        _ => Value::Text(dice.of(&TEXTS).map_or("", |text| text).to_owned()),
    }
}

fn number(dice: &mut Dice) -> Value {
    let written = dice.of(&NUMBERS).and_then(|number| number.parse().ok());
    written.map_or(Value::Null, Value::Number)
}

/// A result that may be one of a tool.
pub fn result(policy: &Policy, tool: &Tool, dice: &mut Dice) -> String {
    let Some(root) = tool.nodes.len().checked_sub(1).and_then(|root| u32::try_from(root).ok())
    else {
        return String::new();
    };
    match node(policy, &tool.nodes, NodeId(root), &mut dice.few()) {
        Json::String(text) if dice.below(2) == 0 => text,
        json => json.to_string(),
    }
}

fn node(policy: &Policy, nodes: &[Node], id: NodeId, dice: &mut Dice) -> Json {
    let kind = nodes.get(id.index()).and_then(|node| dice.of(&node.kinds));
    match kind {
        Some(NodeKind::Leaf(ty)) => of_type(policy, *ty, dice).to_json(),
        Some(NodeKind::List(element)) => {
            (0..dice.below(4)).map(|_| node(policy, nodes, *element, dice)).collect()
        }
        Some(NodeKind::Record(fields)) => {
            let fields = fields.iter().filter(|field| field.required || dice.below(2) == 0);
            let fields: Vec<_> = fields.map(|field| (field.name.clone(), field.node)).collect();
            fields.into_iter().map(|(name, id)| (name, node(policy, nodes, id, dice))).collect()
        }
        Some(NodeKind::Map { value, .. }) => (0..dice.below(3))
            .map(|i| (TEXTS[i].to_owned(), node(policy, nodes, *value, dice)))
            .collect(),
        None => Json::Null,
    }
}
