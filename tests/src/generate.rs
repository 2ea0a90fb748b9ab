//! Random policies that are valid, and sessions of them.
//!
//! A policy is read off a tape of numbers by [`Dice`], so proptest shrinks a failure by making its
//! tape plainer. O2 of `docs/semantics.md`, about what is written to stores, is never looked at; O3
//! and O5 hold if they are asked for.

pub mod dice;
pub mod tables;
pub mod lattices;
pub mod values;
pub mod conditions;
pub mod sets;
pub mod downgrades;
pub mod stores;
pub mod nodes;
pub mod tools;
pub mod results;
pub mod sessions;

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::num::u32::ANY;
use proptest::strategy::Strategy;
use rtbas_artifact::ir::{Fact, FactId, Messages, Operand, Policy, ToolId, TypeId};
use rtbas_artifact::value::Value;

use crate::generate::conditions::{Place, Source};
use crate::generate::dice::Dice;
use crate::generate::sessions::Script;
use crate::generate::tables::Tables;
use crate::generate::tools::Ground;
use crate::generate::values::Use;

/// How long the tape of a policy is, and that of a session: longer than what is read of nearly all.
const TAPE: (usize, usize) = (2_000, 3_000);

/// What is asked of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// That it is valid.
    Free,
    /// Also, that what a label of a result depends on flows to every alternative of it (O3), and
    /// that more taint never gives a weaker decision (O5).
    Sound,
    /// The same, but that it is not asked what decides whether a label is lowered.
    Swayed,
}

/// A policy, the facts of a session, and what happens in it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The policy.
    pub policy: Policy,
    /// The facts, as a host gives them.
    pub facts: BTreeMap<String, Value>,
    /// The session.
    pub script: Script,
}

/// Random policies with sessions, shrinking to plain ones.
pub fn cases(style: Style) -> impl Strategy<Value = Case> {
    (vec(ANY, TAPE.0), vec(ANY, TAPE.1))
        .prop_map(move |(policy, session)| case(style, &policy, &session))
}

fn case(style: Style, policy: &[u32], session: &[u32]) -> Case {
    let policy = self::policy(&mut Dice::new(policy), style);
    let dice = &mut Dice::new(session);
    let fact = |fact: &Fact| (fact.name.clone(), values::value(dice, &policy.types, fact.ty));
    let facts = policy.facts.iter().map(fact).collect();
    let script = sessions::script(dice, &policy);
    Case { policy, facts, script }
}

/// A random policy.
fn policy(dice: &mut Dice<'_>, style: Style) -> Policy {
    let open = [0, 0, 0, 1, 1, 1, 2].get(dice.below(7)).copied().unwrap_or(0);
    let closed = if open > 0 { dice.below(3) } else { dice.between(1, 2) };
    let names = ["first", "second"].into_iter().take(closed);
    let closed = names.map(|name| lattices::lattice(dice, name)).collect();
    let names = ["who", "whence"].into_iter().take(open);
    let open = names.map(|name| sets::lattice(dice, name)).collect();
    let tables = &mut Tables::new(closed, open);
    let facts: Vec<Fact> = (0..dice.below(5)).map(|i| fact(dice, tables, i)).collect();
    let bottom = tables.space.bottom();
    let mut sources = Vec::new();
    for (fact, id) in facts.iter().zip(0..) {
        let operand = Operand::Fact(FactId(id), Vec::new());
        sources.extend(Source::all(tables, &operand, fact.ty, &bottom));
    }
    let labels = tables.space.labels();
    let mut message = |percent| {
        if dice.chance(15) {
            // Facts may name their sets.
            return Place::new(dice, tables, &sources).bound();
        }
        let any = dice.pick(&labels).filter(|_| dice.clone().chance(percent));
        tables.constant(any.unwrap_or(&bottom))
    };
    let (system, user) = (message(30), message(30));
    let reply = message(85);
    let (mut stores, mut cells) = (Vec::new(), Vec::new());
    let shelves: Vec<_> = (0..=usize::from(dice.chance(75)))
        .map(|_| stores::store(dice, tables, &sources, &mut stores, &mut cells))
        .collect();
    let ground = Ground { style, facts: &sources, shelves: &shelves, cells: &cells };
    let names = ["read", "send", "write"].into_iter().take(dice.between(1, 3));
    let mut downgrades = Vec::new();
    let mut tools = Vec::new();
    for (name, id) in names.zip((0..).map(ToolId)) {
        let (tool, drafts) = tools::tool(dice, tables, ground, name);
        tools.push(tool);
        for draft in drafts {
            downgrades.push(draft.of(id, downgrades.len()));
        }
    }
    Policy {
        name: "random".to_owned(),
        edition: 1,
        version: 1,
        lattices: tables.lattices.clone(),
        open: tables.open.clone(),
        labels: tables.labels.clone(),
        types: tables.types.clone(),
        conditions: tables.conditions.clone(),
        facts,
        messages: Messages { system, user, reply },
        stores,
        cells,
        tools,
        downgrades,
        claims: Vec::new(),
    }
}

fn fact(dice: &mut Dice<'_>, tables: &mut Tables, index: usize) -> Fact {
    let ty: TypeId = values::ty(dice, tables, Use::Other, 1);
    Fact { name: format!("fact{index}"), ty }
}
