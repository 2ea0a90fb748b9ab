//! The session that breaks a claim, as the evaluator sees it.

use std::collections::BTreeMap;

use rtbas_artifact::eval::{Bound, Facts, Fields, Scope, Side, Truth};
use rtbas_artifact::ir::{CellId, Effect, Node, NodeId, NodeKind, StoreId, Tool, ToolId};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::carrier::{Carried, Carrier, downgrade};
use super::{Ceiling, Goal, Sink};
use crate::verify::encode::place::Place;
use crate::verify::source::{At, Step};
use crate::verify::witness::{Call, Values, smallest};

/// A session that breaks a claim.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Breach {
    /// The facts of the session.
    pub(in crate::verify) facts: BTreeMap<String, Value>,
    /// The calls that carry something in, in their order.
    pub(in crate::verify) calls: Vec<Returned>,
    /// The call that it is about; without one, the reply.
    pub(in crate::verify) last: Option<(ToolId, Call)>,
    /// The label of the context, if just what matters of each result is shown.
    pub(in crate::verify) context: Label,
    /// Whether the user approved that call.
    pub(in crate::verify) approved: bool,
    /// Whether it is broken, too, if all that these calls return is shown, and none of them is
    /// asked about.
    pub(in crate::verify) plays: bool,
    /// What happened in sessions before, where a store keeps it.
    pub(in crate::verify) before: Vec<Taint>,
}

/// A call, what it returns, and what matters of that.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Returned {
    pub(in crate::verify) tool: ToolId,
    pub(in crate::verify) call: Call,
    /// The region.
    pub(in crate::verify) path: String,
    pub(in crate::verify) result: Answer,
    /// The label that it gets.
    pub(in crate::verify) label: Label,
    /// The downgrade that lowered it.
    pub(in crate::verify) lowered: Option<usize>,
}

#[derive(Clone, Debug)]
pub(in crate::verify) enum Answer {
    Value(Value),
    Failure,
}

/// A session before, whose last call wrote a cell above its label.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Taint(std::rc::Rc<Breach>);

impl Taint {
    pub(super) fn new(breach: Breach) -> Self {
        Self(std::rc::Rc::new(breach))
    }

    pub(in crate::verify) fn session(&self) -> &Breach {
        &self.0
    }

    /// Whether it is the very same.
    pub(in crate::verify) fn is(&self, other: &Self) -> bool {
        std::rc::Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The cells that may hold what lies above a ceiling, and a session that left it there.
pub(super) type Tainted = BTreeMap<CellId, Taint>;

/// Plays what the solver found.
pub(super) struct Player<'g> {
    pub(super) program: &'g Program,
    pub(super) goal: &'g Goal<'g>,
    pub(super) tainted: &'g BTreeMap<Ceiling, Tainted>,
}

/// What a region's labels come to.
struct Labels {
    label: Label,
    raw: Label,
    lowered: Option<usize>,
}

impl Player<'_> {
    /// The session, and whether the evaluator sees the claim broken in it.
    pub(super) fn play<'c>(
        &self,
        values: &Values<'_>,
        carriers: impl Iterator<Item = (&'c Carrier, &'c Carried)>,
        last: &Place,
    ) -> Option<(Breach, bool)> {
        let program = self.program;
        let facts = program.facts(values.facts()).ok()?;
        let messages = &program.policy().messages;
        let message = |label| program.message_label(label, Side::Data, &facts);
        let floor = message(messages.system).join(&message(messages.user));
        let (mut context, mut raw, mut shown) = (floor.clone(), floor.clone(), floor.clone());
        let (mut calls, mut before) = (Vec::new(), Vec::new());
        let (mut plays, mut runs) = (true, true);
        let mut reached: Vec<Ceiling> = Vec::new();
        for (carrier, carried) in carriers {
            let tool = program.tool(carrier.source.tool)?;
            let call = values.call(tool, &carried.call);
            let bound = program.bind(&tool.name, &call.arguments).ok()?;
            // What is called late is called in the context that there is by then.
            let at = match carrier.late {
                true => context.clone(),
                false => floor.clone(),
            };
            runs &= program.decide(&facts, &bound, &at).effect != Effect::Deny;
            plays &= program.decide(&facts, &bound, &shown).effect == Effect::Allow;
            let one = Region {
                player: self,
                values,
                carrier,
                carried,
                facts: &facts,
                tool,
                bound: &bound,
            };
            let mut labels = one.labels(&at)?;
            if let Some(outside) = carrier.outside {
                let written = message(outside);
                labels.raw.join_with(&written);
                if !carrier.lowered {
                    labels.label.join_with(&written);
                }
            }
            let (result, whole) = one.whole(&at)?;
            for ceiling in self.goal.ceilings {
                let cells = self.tainted.get(ceiling);
                let mut tainted = carried.cells.iter().filter_map(|cell| cells?.get(cell));
                if let Some(taint) = tainted.next() {
                    reached.push(*ceiling);
                    before.push(taint.clone());
                }
            }
            context.join_with(&labels.label);
            raw.join_with(&labels.raw);
            shown.join_with(&whole);
            let path = carrier.source.path(program)?;
            drop(bound);
            let (label, lowered) = (labels.label, labels.lowered);
            // One result may carry more than one thing.
            let is_it = |other: &Returned| {
                (other.tool, &other.call.arguments, &other.path)
                    == (carrier.source.tool, &call.arguments, &path)
            };
            if calls.iter().any(is_it) {
                continue;
            }
            calls.push(Returned { tool: carrier.source.tool, call, path, result, label, lowered });
        }
        let claim = self.goal.claim;
        let (last, passes, excepted) = match self.goal.sink {
            Sink::Reply => {
                let bound = program.message_label(messages.reply, Side::Bound, &facts);
                let scope = Scope { facts: &facts, call: None, context: None, record: None };
                plays &= shown.flows_to(&bound);
                let excepted = claim.unless.map(|unless| program.holds(unless, &scope));
                (None, context.flows_to(&bound), excepted)
            }
            Sink::Call(id, effect) => {
                let tool = program.tool(id)?;
                let call = values.call(tool, last);
                let bound = program.bind(&tool.name, &call.arguments).ok()?;
                let scope =
                    Scope { facts: &facts, call: Some(&bound), context: None, record: None };
                let excepted = claim.unless.map(|unless| program.holds(unless, &scope));
                plays &= program.decide(&facts, &bound, &shown).effect == effect;
                let passes = program.decide(&facts, &bound, &context).effect == effect;
                drop(bound);
                (Some((id, call)), passes, excepted)
            }
        };
        let levels = program.space().levels(&raw)?;
        let is_above = |ceiling: &Ceiling| {
            let lattice = program.policy().lattices.get(ceiling.lattice);
            let level = levels.get(ceiling.lattice);
            let flows = lattice.zip(level).is_some_and(|(l, level)| l.flows(*level, ceiling.level));
            !flows || reached.contains(ceiling)
        };
        let level = program.message_label(claim.level, Side::Bound, &facts);
        let open = self.goal.open.iter().all(|(open, _)| {
            let only = |label: &Label| {
                let bottom = program.space().bottom().clone();
                label.set(*open).map(|set| bottom.with_set(*open, set.clone()))
            };
            only(&level).zip(only(&raw)).is_some_and(|(level, raw)| level.flows_to(&raw))
        });
        let is_reached = open && self.goal.ceilings.iter().all(is_above);
        let agrees = runs && passes && is_reached && excepted != Some(Truth::True);
        let facts = values.facts();
        let approved = matches!(self.goal.sink, Sink::Call(_, Effect::Confirm));
        let breach = Breach { facts, calls, last, context, approved, plays, before };
        Some((breach, agrees))
    }
}

/// A carrier, with values.
struct Region<'r, 'a> {
    player: &'r Player<'r>,
    values: &'r Values<'r>,
    carrier: &'r Carrier,
    carried: &'r Carried,
    facts: &'a Facts,
    tool: &'a Tool,
    bound: &'r Bound<'a>,
}

impl<'a> Region<'_, 'a> {
    fn chain(&self) -> &[Step] {
        match &self.carrier.source.at {
            At::Region(chain) => chain,
            At::Failure | At::Undivided => &[],
        }
    }

    fn scope<'s>(&'s self, record: Option<&'s (StoreId, Value)>) -> Scope<'s, 'a> {
        let record = record.map(|(store, value)| (*store, value as &dyn Fields));
        Scope { facts: self.facts, call: Some(self.bound), context: None, record }
    }

    /// The record that begins with each region of the chain.
    fn records(&self) -> Vec<Option<(StoreId, Value)>> {
        let record = |begins: &Option<(StoreId, _)>| {
            begins.as_ref().map(|(store, record)| (*store, self.values.record(record)))
        };
        self.carried.records.iter().map(record).collect()
    }

    /// What the region's labels come to, where its call is made at the floor.
    fn labels(&self, floor: &Label) -> Option<Labels> {
        let program = self.player.program;
        let plain = |label: Label| Labels { raw: label.clone(), label, lowered: None };
        match &self.carrier.source.at {
            At::Undivided => return Some(plain(program.space().top().clone())),
            At::Failure => {
                let label = program.rule_label(&self.tool.errors, &self.scope(None));
                return Some(plain(label.join(floor)));
            }
            At::Region(_) => {}
        }
        let (mut label, mut raw, mut lowered) = (floor.clone(), floor.clone(), None);
        let records = self.records();
        let mut around = None;
        for (index, (step, begins)) in self.chain().iter().zip(&records).enumerate() {
            around = begins.as_ref().or(around);
            let scope = self.scope(around);
            let mut own = program.node_label(self.tool, step.node, &scope).join(floor);
            if index > 0 {
                own.join_with(&self.before(step.node, floor));
            }
            let speaks = downgrade(program, &self.carrier.source);
            if index + 1 == self.chain().len()
                && let Some((id, _)) = speaks
                && let Some(value) = &self.carried.value
            {
                let value = self.values.of(value)?;
                let (tool, node) = (self.carrier.source.tool, step.node);
                let now = program.downgraded(tool, node, own.clone(), &scope, &value).join(floor);
                lowered = (now != own).then_some(id);
                raw.join_with(if self.player.goal.via.downgrades.contains(&id) {
                    &now
                } else {
                    &own
                });
                label.join_with(&now);
            } else {
                raw.join_with(&own);
                label.join_with(&own);
            }
        }
        Some(Labels { label, raw, lowered })
    }

    /// The labels of the fields before one in a text of a form.
    fn before(&self, node: NodeId, floor: &Label) -> Label {
        let root = self.chain().first().and_then(|step| self.tool.nodes.get(step.node.index()));
        let form = root.filter(|_| !self.tool.form.is_empty());
        let fields = form.into_iter().flat_map(|root| root.records().flatten());
        let earlier = fields.map(|field| field.node).take_while(|earlier| *earlier != node);
        let scope = self.scope(None);
        earlier.fold(floor.clone(), |all, earlier| {
            all.join(&self.player.program.node_label(self.tool, earlier, &scope))
        })
    }

    /// The smallest result that holds the region, and the label of all of it.
    fn whole(&self, floor: &Label) -> Option<(Answer, Label)> {
        let program = self.player.program;
        match self.carrier.source.at {
            At::Failure => {
                let label = program.rule_label(&self.tool.errors, &self.scope(None));
                return Some((Answer::Failure, label.join(floor)));
            }
            At::Undivided => {
                let label = program.space().top().clone();
                return Some((Answer::Value(Value::Null), label));
            }
            At::Region(_) => {}
        }
        let mut label = floor.clone();
        let records = self.records();
        let root = self.chain().first()?.node;
        let mut whole = Whole { region: self, records: &records, label: &mut label };
        let value = whole.value(root, Some(0), None, None)?;
        Some((Answer::Value(value), label))
    }
}

/// Builds the smallest result that holds a region, and joins the labels of all that is in it.
struct Whole<'w, 'r, 'a> {
    region: &'w Region<'r, 'a>,
    records: &'w [Option<(StoreId, Value)>],
    label: &'w mut Label,
}

impl Whole<'_, '_, '_> {
    /// The value of a region; `at` is its place in the chain, if it lies there, and `known` what it
    /// has to be.
    fn value(
        &mut self,
        id: NodeId,
        at: Option<usize>,
        around: Option<&(StoreId, Value)>,
        known: Option<&Value>,
    ) -> Option<Value> {
        let region = self.region;
        let program = region.player.program;
        let node = region.tool.nodes.get(id.index())?;
        let begins = at.and_then(|at| self.records.get(at)?.as_ref());
        let around = begins.or(around);
        let known = begins.map(|(_, record)| record).or(known);
        let next = at.and_then(|at| region.chain().get(at + 1));
        let on_way = |kind: &&NodeKind| match (kind, next) {
            (NodeKind::List(item), Some(next)) => *item == next.node,
            (NodeKind::Map { key, value }, Some(next)) => *key == next.node || *value == next.node,
            (NodeKind::Record(fields), Some(next)) => {
                fields.iter().any(|f| f.node == next.node && next.field.as_ref() == Some(&f.name))
            }
            _ => false,
        };
        let fits = |kind: &&NodeKind| match (kind, known) {
            (NodeKind::Record(_) | NodeKind::Map { .. }, Some(known)) => {
                matches!(known, Value::Record(_))
            }
            (NodeKind::List(_), Some(known)) => matches!(known, Value::List(_) | Value::Set(_)),
            (NodeKind::Leaf(ty), Some(known)) => {
                rtbas_artifact::ty::check(&program.policy().types, *ty, known).is_ok()
            }
            (_, None) => true,
        };
        let kind = node.kinds.iter().find(on_way).or_else(|| node.kinds.iter().find(fits))?;
        let below = at.filter(|_| on_way(&kind)).map(|at| at + 1);
        let value = match kind {
            NodeKind::Leaf(ty) => match known {
                Some(value) => value.clone(),
                None => match region.carried.value.as_ref().filter(|_| self.is_last(at)) {
                    Some(value) => region.values.of(value)?,
                    None => smallest(&program.policy().types, *ty),
                },
            },
            NodeKind::List(item) => {
                let mut known: Vec<Option<&Value>> = match known {
                    Some(Value::List(items)) => items.iter().map(Some).collect(),
                    Some(Value::Set(items)) => items.iter().map(Some).collect(),
                    _ => Vec::new(),
                };
                if known.is_empty() && below.is_some() {
                    known.push(None);
                }
                let items = known.into_iter().enumerate().map(|(index, known)| {
                    self.value(*item, below.filter(|_| index == 0), around, known)
                });
                Value::List(items.collect::<Option<_>>()?)
            }
            NodeKind::Map { key, value } => {
                let some = Value::Text("x".to_owned());
                let mut known: Vec<(Value, Option<&Value>)> = match known {
                    Some(Value::Record(entries)) => {
                        let entry =
                            |(key, value): (&String, _)| (Value::Text(key.clone()), Some(value));
                        entries.iter().map(entry).collect()
                    }
                    _ => Vec::new(),
                };
                if known.is_empty() && below.is_some() {
                    known.push((some, None));
                }
                let is_key = next.is_some_and(|next| next.node == *key);
                let mut entries = BTreeMap::new();
                for (index, (name, known)) in known.into_iter().enumerate() {
                    let below = below.filter(|_| index == 0);
                    let name = self.value(*key, below.filter(|_| is_key), around, Some(&name))?;
                    let value = self.value(*value, below.filter(|_| !is_key), around, known)?;
                    let Value::Text(name) = name else { return None };
                    entries.insert(name, value);
                }
                Value::Record(entries)
            }
            NodeKind::Record(fields) => {
                let mut record = BTreeMap::new();
                for field in fields {
                    let is_next = next.is_some_and(|n| n.field.as_ref() == Some(&field.name));
                    let known =
                        known.and_then(|known| known.get(std::slice::from_ref(&field.name)));
                    if !field.required && !is_next && known.is_none() {
                        continue;
                    }
                    let below = below.filter(|_| is_next);
                    record
                        .insert(field.name.clone(), self.value(field.node, below, around, known)?);
                }
                Value::Record(record)
            }
        };
        self.join(node, id, around, at, &value);
        Some(value)
    }

    fn is_last(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| at + 1 == self.region.chain().len())
    }

    fn join(
        &mut self,
        node: &Node,
        id: NodeId,
        around: Option<&(StoreId, Value)>,
        at: Option<usize>,
        value: &Value,
    ) {
        let region = self.region;
        let program = region.player.program;
        let scope = region.scope(around);
        let mut label = program.node_label(region.tool, id, &scope);
        if at != Some(0) {
            label.join_with(&region.before(id, program.space().bottom()));
        }
        if node.leaf().is_some() {
            label = program.downgraded(region.carrier.source.tool, id, label, &scope, value);
        }
        self.label.join_with(&label);
    }
}
