//! A third opinion: what holds of a small policy, found by trying everything.
//!
//! Takes a policy of closed lattices and finite types; gives what `docs/semantics.md` says of it, by
//! walking through all facts, calls, records and contexts that there are. It calls nothing of the
//! verifier and nothing of the evaluator: what conditions and labels mean is [`crate::model`]'s word.
//!
//! A context is a pair of labels: the one that it has (l), and the raw one, which no downgrade
//! lowered and no endorsement excused. Sessions are not unrolled one by one: which pairs a context can
//! have is a least fixpoint over calls, within a session and, through the raw labels of what stores
//! hold, over sessions. With each pair goes the number of calls that it takes.

pub mod draw;

use std::collections::BTreeMap;

use rtbas_artifact::ir::{
    CellId, Claim, Effect, Exception, LabelId, NodeId, Policy, Rule, StoreId, Target, Tool, ToolId,
    Type, TypeId, WriteKind,
};
use rtbas_artifact::term::NodeStep;
use rtbas_artifact::value::Value;

use crate::model::logic::{Logic, Scope, Strict};
use crate::model::order::Space;
use crate::monitor::Label;

/// A label, by its place among all.
type Level = usize;
/// The arguments of a call.
type Arguments = Vec<Option<Value>>;
/// What something costs in calls, by what it is.
type Costs<K> = BTreeMap<K, usize>;

/// A policy with all of its labels.
#[derive(Debug)]
pub struct Explorer<'p> {
    policy: &'p Policy,
    space: Space,
    labels: Vec<Label>,
    flows: Vec<Vec<bool>>,
    joins: Vec<Vec<Level>>,
    facts: Vec<Vec<Value>>,
}

/// Something that a call returns.
struct Returned {
    label: Level,
    raw: Level,
    cells: Vec<CellId>,
}

impl<'p> Explorer<'p> {
    /// An explorer of a policy.
    #[must_use]
    pub fn new(policy: &'p Policy) -> Self {
        let space = Space::new(&policy.lattices, &policy.open, None);
        let labels = space.labels();
        let place = |label: &Label| labels.iter().position(|l| l == label).unwrap_or(0);
        let table = |row: &dyn Fn(&Label, &Label) -> Level| -> Vec<Vec<Level>> {
            labels.iter().map(|a| labels.iter().map(|b| row(a, b)).collect()).collect()
        };
        let joins = table(&|a, b| place(&space.join(a, b)));
        let flows = labels.iter().map(|a| labels.iter().map(|b| space.flows(a, b)).collect());
        let flows = flows.collect();
        let facts = product(policy.facts.iter().map(|fact| domain(policy, fact.ty)));
        Self { policy, space, labels, flows, joins, facts }
    }

    fn flow(&self, a: Level, b: Level) -> bool {
        self.flows.get(a).and_then(|row| row.get(b)).copied().unwrap_or(false)
    }

    fn join(&self, a: Level, b: Level) -> Level {
        self.joins.get(a).and_then(|row| row.get(b)).copied().unwrap_or(0)
    }

    fn place(&self, label: &Label) -> Level {
        self.labels.iter().position(|known| known == label).unwrap_or(0)
    }

    fn logic(&self) -> Logic<'_> {
        Logic { policy: self.policy, space: &self.space, flaw: None }
    }

    fn term(&self, id: LabelId, strict: Strict, facts: &[Value]) -> Level {
        let scope = Scope { facts, arguments: &[], context: None, record: None };
        self.place(&self.logic().term(id, strict, &scope))
    }

    /// F
    fn floor(&self, facts: &[Value]) -> Level {
        let messages = &self.policy.messages;
        let [system, user] =
            [messages.system, messages.user].map(|label| self.term(label, Strict::Up, facts));
        self.join(system, user)
    }

    fn calls(&self, tool: &Tool) -> Vec<Arguments> {
        product(tool.arguments.iter().map(|argument| {
            let mut values: Vec<_> =
                domain(self.policy, argument.ty).into_iter().map(Some).collect();
            if !argument.required {
                values.push(argument.default.clone());
            }
            values
        }))
    }

    fn records(&self, store: StoreId) -> Vec<Value> {
        let record = self.policy.stores.get(store.index()).map(|store| store.record);
        record.map_or_else(Vec::new, |ty| domain(self.policy, ty))
    }

    /// D
    fn decide(&self, tool: &Tool, facts: &[Value], arguments: &Arguments, at: Level) -> Effect {
        let fires = |rule: &&Rule| self.fires(rule, facts, arguments, at);
        tool.rules.iter().find(fires).map_or(Effect::Deny, |rule| rule.effect)
    }

    fn fires(&self, rule: &Rule, facts: &[Value], arguments: &Arguments, at: Level) -> bool {
        let context = self.labels.get(at);
        let scope = Scope { facts, arguments, context, record: None };
        let truth = rule.when.map_or(Some(true), |when| self.logic().holds(when, &scope));
        truth.unwrap_or(rule.effect != Effect::Allow)
    }

    /// Whether every rule with a condition is sometimes the first that fires, and none always fires.
    #[must_use]
    pub fn is_live(&self, tool: &Tool) -> bool {
        let conditional = (0..tool.rules.len())
            .filter(|i| tool.rules.get(*i).is_some_and(|rule| rule.when.is_some()));
        conditional.into_iter().all(|index| {
            let Some((rule, earlier)) =
                tool.rules.get(..=index).and_then(|rules| rules.split_last())
            else {
                return false;
            };
            // `allow otherwise` there is not, so a bound that all flows to is the way to say it.
            let mut rests = rule.effect == Effect::Allow && index > 0;
            let mut decides = false;
            for facts in &self.facts {
                for call in &self.calls(tool) {
                    for at in 0..self.labels.len() {
                        let fires = self.fires(rule, facts, call, at);
                        let mut before = earlier.iter();
                        rests |= !fires;
                        decides |= fires && !before.any(|rule| self.fires(rule, facts, call, at));
                    }
                }
            }
            decides && rests
        })
    }

    fn tool(&self, id: ToolId) -> Option<&'p Tool> {
        self.policy.tools.get(id.index())
    }

    /// O5: no call is decided more freely where there is more taint.
    #[must_use]
    pub fn is_antitone(&self, tool: &Tool) -> bool {
        self.everywhere(tool, |facts, call| {
            let effects: Vec<Effect> =
                (0..self.labels.len()).map(|at| self.decide(tool, facts, call, at)).collect();
            let pairs = effects.iter().enumerate();
            pairs.clone().all(|(low, at_low)| {
                pairs.clone().all(|(high, at_high)| !self.flow(low, high) || at_low >= at_high)
            })
        })
    }

    /// Whether some call runs unasked in the freest context.
    #[must_use]
    pub fn is_usable(&self, tool: &Tool) -> bool {
        !self.everywhere(tool, |facts, call| {
            self.decide(tool, facts, call, self.floor(facts)) != Effect::Allow
        })
    }

    /// O2: what calls that run write flows to the labels of what they write.
    #[must_use]
    pub fn is_sealed(&self, tool: &Tool) -> bool {
        self.everywhere(tool, |facts, call| {
            let floor = self.floor(facts);
            (0..self.labels.len()).filter(|at| self.flow(floor, *at)).all(|at| {
                let effect = self.decide(tool, facts, call, at);
                let written = tool.writes.iter().filter(|w| !is_excused(tool, w.cell, effect));
                effect == Effect::Deny
                    || written
                        .into_iter()
                        .all(|write| self.holds(tool, facts, call, at, write.cell))
            })
        })
    }

    /// Whether what is written at a label flows to a cell's, whatever the record is.
    fn holds(
        &self,
        tool: &Tool,
        facts: &[Value],
        call: &Arguments,
        at: Level,
        cell: CellId,
    ) -> bool {
        let Some(declared) = self.policy.cells.get(cell.index()) else { return false };
        let mut records = self.records(declared.store);
        records.retain(|record| self.may_be_left(tool, facts, call, declared.store, record));
        records.iter().all(|record| {
            let scope = Scope { facts, arguments: &[], context: None, record: Some(record) };
            self.flow(at, self.place(&self.logic().rule(&declared.label, &scope)))
        })
    }

    /// Whether a record may be what a call leaves behind: its fields are what the call sets them to.
    fn may_be_left(
        &self,
        tool: &Tool,
        facts: &[Value],
        call: &Arguments,
        store: StoreId,
        record: &Value,
    ) -> bool {
        use rtbas_artifact::ir::{CellPart, Operand};
        tool.writes.iter().all(|write| {
            let cell = self.policy.cells.get(write.cell.index());
            let Some(cell) = cell.filter(|cell| cell.store == store) else { return true };
            let (CellPart::Field(field), Some(value)) = (&cell.part, &write.value) else {
                return true;
            };
            let value = match value {
                Operand::Literal(value) => Some(value.clone()),
                Operand::Fact(fact, _) => facts.get(fact.index()).cloned(),
                Operand::Argument(argument, _) => call.get(argument.index()).cloned().flatten(),
                Operand::Field(_) | Operand::Derived(..) => None,
            };
            matches!(record, Value::Record(fields) if fields.get(field) == value.as_ref())
        })
    }

    /// O2: what outsiders read is fit for them.
    #[must_use]
    pub fn is_fit(&self, store: StoreId) -> bool {
        let read = self.policy.stores.get(store.index()).and_then(|s| s.outsiders.as_ref()?.read);
        let Some(read) = read else { return true };
        let cells: Vec<_> = self.policy.cells.iter().filter(|cell| cell.store == store).collect();
        self.facts.iter().all(|facts| {
            let bound = self.term(read, Strict::Down, facts);
            self.records(store).iter().all(|record| {
                let scope = Scope { facts, arguments: &[], context: None, record: Some(record) };
                cells.iter().all(|cell| {
                    self.flow(self.place(&self.logic().rule(&cell.label, &scope)), bound)
                })
            })
        })
    }

    fn everywhere(&self, tool: &Tool, holds: impl Fn(&[Value], &Arguments) -> bool) -> bool {
        let calls = self.calls(tool);
        self.facts.iter().all(|facts| calls.iter().all(|call| holds(facts, call)))
    }

    /// How many calls the shortest sessions take that break a claim together; none if it holds.
    #[must_use]
    pub fn breaks(&self, claim: &Claim) -> Option<usize> {
        let taints = self.taints(&claim.via);
        let mut least: Option<usize> = None;
        for facts in &self.facts {
            let level = self.term(claim.level, Strict::Down, facts);
            for (&(at, raw), &cost) in &self.contexts(facts, &claim.via, &taints) {
                if self.flow(level, raw) && self.lets_through(claim, facts, at) {
                    let calls = cost + usize::from(claim.target != Target::Reply);
                    least = Some(least.map_or(calls, |least| least.min(calls)));
                }
            }
        }
        least
    }

    /// Whether the target of a claim is reached unasked from a context.
    fn lets_through(&self, claim: &Claim, facts: &[Value], at: Level) -> bool {
        let is_excepted = |arguments: &Arguments| {
            let scope = Scope { facts, arguments, context: None, record: None };
            claim.unless.is_some_and(|unless| self.logic().holds(unless, &scope) == Some(true))
        };
        let runs = |tool: &Tool| {
            let calls = self.calls(tool);
            let mut calls = calls.iter().filter(|call| !is_excepted(call));
            calls.any(|call| self.decide(tool, facts, call, at) == Effect::Allow)
        };
        let writes = |is_it: &dyn Fn(CellId) -> bool| {
            let mut tools = self.policy.tools.iter();
            tools.any(|tool| tool.writes.iter().any(|write| is_it(write.cell)) && runs(tool))
        };
        match claim.target {
            Target::Tool(id) | Target::Argument(id, _) => self.tool(id).is_some_and(runs),
            Target::Reply => {
                let bound = self.term(self.policy.messages.reply, Strict::Down, facts);
                self.flow(at, bound) && !is_excepted(&Vec::new())
            }
            Target::Cell(cell) => writes(&|written| written == cell),
            Target::Store(store) => writes(&|written| {
                self.policy.cells.get(written.index()).is_some_and(|cell| cell.store == store)
            }),
        }
    }

    /// The raw labels that cells may hold beyond their own, over all sessions.
    fn taints(&self, via: &[Exception]) -> Costs<(CellId, Level)> {
        let mut taints = Costs::new();
        loop {
            let mut found = taints.clone();
            for facts in &self.facts {
                for (&(at, raw), &cost) in &self.contexts(facts, via, &taints) {
                    for (id, tool) in (0..).map(ToolId).zip(&self.policy.tools) {
                        let effects: Vec<Effect> = self
                            .calls(tool)
                            .iter()
                            .map(|call| self.decide(tool, facts, call, at))
                            .collect();
                        for write in &tool.writes {
                            let counts = |effect: &Effect| match effect {
                                Effect::Deny => false,
                                Effect::Allow => true,
                                // An approval that the claim names lets pass what it endorses.
                                Effect::Confirm => {
                                    !admits(via, id) || !is_excused(tool, write.cell, *effect)
                                }
                            };
                            if effects.iter().any(counts) {
                                lower(&mut found, (write.cell, raw), cost + 1);
                            }
                        }
                    }
                }
            }
            if found == taints {
                return taints;
            }
            taints = found;
        }
    }

    /// The pairs that a context can have.
    fn contexts(
        &self,
        facts: &[Value],
        via: &[Exception],
        taints: &Costs<(CellId, Level)>,
    ) -> Costs<(Level, Level)> {
        let floor = self.floor(facts);
        let mut known = Costs::from([((floor, floor), 0)]);
        loop {
            let mut found = known.clone();
            for (&(at, raw), &cost) in &known {
                for (&(other, other_raw), &other_cost) in &known {
                    let joined = (self.join(at, other), self.join(raw, other_raw));
                    lower(&mut found, joined, cost + other_cost);
                }
                for (id, tool) in (0..).map(ToolId).zip(&self.policy.tools) {
                    for call in &self.calls(tool) {
                        if self.decide(tool, facts, call, at) == Effect::Deny {
                            continue;
                        }
                        for returned in self.returns((id, tool), facts, call, at, via) {
                            let pair =
                                (self.join(at, returned.label), self.join(raw, returned.raw));
                            lower(&mut found, pair, cost + 1);
                            for (&(cell, taint), &before) in taints {
                                if returned.cells.contains(&cell) {
                                    let tainted = (pair.0, self.join(pair.1, taint));
                                    lower(&mut found, tainted, cost + 1 + before);
                                }
                            }
                        }
                    }
                }
            }
            if found == known {
                return known;
            }
            known = found;
        }
    }

    /// All that a call may return, in a context.
    fn returns(
        &self,
        tool: (ToolId, &Tool),
        facts: &[Value],
        call: &Arguments,
        at: Level,
        via: &[Exception],
    ) -> Vec<Returned> {
        let scope = Scope { facts, arguments: call, context: None, record: None };
        let errors = self.place(&self.logic().rule(&tool.1.errors, &scope));
        let errors = Returned { label: errors, raw: errors, cells: Vec::new() };
        let mut found = vec![errors];
        let root = NodeId(u32::try_from(tool.1.nodes.len().saturating_sub(1)).unwrap_or(0));
        let walk = Walk { explorer: self, tool, facts, call, at, via };
        let nothing = Returned { label: at, raw: at, cells: Vec::new() };
        walk.node(root, None, &nothing, &mut found);
        found
    }
}

struct Walk<'w> {
    explorer: &'w Explorer<'w>,
    tool: (ToolId, &'w Tool),
    facts: &'w [Value],
    call: &'w Arguments,
    at: Level,
    via: &'w [Exception],
}

impl Walk<'_> {
    /// What a region and those below it come to, of which the parent is this.
    fn node(
        &self,
        id: NodeId,
        field: Option<(&Value, &str)>,
        parent: &Returned,
        found: &mut Vec<Returned>,
    ) {
        let Some(node) = self.tool.1.nodes.get(id.index()) else { return };
        if let Some(store) = node.record_of {
            for record in self.explorer.records(store) {
                self.region(id, Some(&record), None, parent, found);
            }
            return;
        }
        match field {
            Some((record, name)) => {
                let value = match record {
                    Value::Record(fields) => fields.get(name),
                    _ => None,
                };
                self.region(id, Some(record), value, parent, found);
            }
            None => match node.leaf() {
                Some(ty) => {
                    for value in domain(self.explorer.policy, ty) {
                        self.region(id, None, Some(&value), parent, found);
                    }
                }
                None => self.region(id, None, None, parent, found),
            },
        }
    }

    fn region(
        &self,
        id: NodeId,
        record: Option<&Value>,
        value: Option<&Value>,
        parent: &Returned,
        found: &mut Vec<Returned>,
    ) {
        let explorer = self.explorer;
        let Some(node) = self.tool.1.nodes.get(id.index()) else { return };
        let scope = Scope { facts: self.facts, arguments: self.call, context: None, record };
        let cells = node.shows.iter().filter_map(|id| explorer.policy.cells.get(id.index()));
        let rules = cells.map(|cell| &cell.label).chain(&node.label);
        let labels: Vec<Label> = rules.map(|rule| explorer.logic().rule(rule, &scope)).collect();
        let declared = match labels.is_empty() {
            true => explorer.place(&explorer.space.top()),
            false => explorer.place(&explorer.space.join_all(&labels)),
        };
        let own = explorer.join(declared, self.at);
        let lowered = self.downgraded(id, own, &scope, value);
        let is_named = lowered.is_some_and(|(index, _)| names(self.via, index));
        let label = lowered.map_or(own, |(_, label)| explorer.join(label, self.at));
        let raw = if is_named { label } else { own };
        let returned = Returned {
            label: explorer.join(parent.label, label),
            raw: explorer.join(parent.raw, raw),
            cells: parent.cells.iter().chain(&node.shows).copied().collect(),
        };
        for (step, below) in node.steps() {
            let field = match step {
                NodeStep::Field(name) => record.map(|record| (record, name)),
                NodeStep::Items | NodeStep::Keys => None,
            };
            self.node(below, field, &returned, found);
        }
        found.push(returned);
    }

    /// δ: the downgrade that applies, and what it makes of a label.
    fn downgraded(
        &self,
        id: NodeId,
        label: Level,
        scope: &Scope<'_>,
        value: Option<&Value>,
    ) -> Option<(usize, Level)> {
        let explorer = self.explorer;
        let mut downgrades = explorer.policy.downgrades.iter().enumerate();
        let (index, downgrade) = downgrades.find(|(_, d)| (d.tool, d.node) == (self.tool.0, id))?;
        let [from, to] = [downgrade.from, downgrade.to]
            .map(|label| explorer.place(&explorer.logic().term(label, Strict::Up, scope)));
        let itself = Scope { record: value, ..*scope };
        let guards = [(downgrade.when, scope), (downgrade.checked, &itself)];
        let holds = guards.into_iter().all(|(guard, scope)| {
            guard.is_none_or(|guard| explorer.logic().holds(guard, scope) == Some(true))
        });
        let [own, to] = [label, to].map(|level| explorer.labels.get(level));
        let met = explorer.place(&explorer.space.meet(own?, to?));
        (holds && explorer.flow(label, from)).then_some((index, met))
    }
}

/// Whether what a tool writes to a cell is endorsed where its call is decided so.
fn is_excused(tool: &Tool, cell: CellId, effect: Effect) -> bool {
    tool.endorsements.iter().any(|endorsement| {
        endorsement.cells.contains(&cell) && (endorsement.unasked || effect == Effect::Confirm)
    })
}

/// Whether a claim admits what approving calls of a tool endorses.
fn admits(via: &[Exception], tool: ToolId) -> bool {
    via.iter().any(|exception| match exception {
        Exception::Approval(of) => of.is_none_or(|of| of == tool),
        Exception::Downgrade(_) => false,
    })
}

/// Whether a claim admits what a downgrade releases.
fn names(via: &[Exception], downgrade: usize) -> bool {
    via.iter().any(|e| matches!(e, Exception::Downgrade(id) if id.index() == downgrade))
}

fn lower<K: Ord>(costs: &mut Costs<K>, key: K, cost: usize) {
    let known = costs.entry(key).or_insert(cost);
    *known = cost.min(*known);
}

/// All values of a finite type.
fn domain(policy: &Policy, ty: TypeId) -> Vec<Value> {
    match policy.types.get(ty.index()) {
        Some(Type::Bool) => vec![Value::Bool(false), Value::Bool(true)],
        Some(Type::Enumeration(values)) => values.clone(),
        Some(Type::Record { fields, .. }) => {
            let values = product(fields.iter().map(|field| domain(policy, field.ty)));
            let record = |values: Vec<Value>| {
                let names = fields.iter().map(|field| field.name.clone());
                Value::Record(names.zip(values).collect())
            };
            values.into_iter().map(record).collect()
        }
        _ => Vec::new(),
    }
}

/// One of each, in all ways.
fn product<T: Clone>(of: impl Iterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    of.fold(vec![Vec::new()], |all, choices| {
        let with = |before: Vec<T>| {
            choices.clone().into_iter().map(move |choice| {
                let mut longer = before.clone();
                longer.push(choice);
                longer
            })
        };
        all.into_iter().flat_map(with).collect()
    })
}

/// What a call does to a store, for those who count.
#[must_use]
pub fn kind(how: WriteKind) -> &'static str {
    match how {
        WriteKind::Any => "writes",
        WriteKind::Adds => "adds",
        WriteKind::Changes => "changes",
    }
}
