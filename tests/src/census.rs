//! What stands in a policy and happens in a session, so that a test can say that random ones are
//! not all alike.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{
    CellPart, Comparison, Condition, ConditionId, Effect, Format, LabelId, LabelPart, LabelRule,
    Names as Naming, NodeField, NodeKind, Operand, Policy, SetTerm, Tool, Type, TypeId, WriteKind,
};
use rtbas_artifact::sets::SetKind;

use crate::drive::{Event, run};
use crate::generate::Case;
use crate::generate::sessions::Step;
use crate::model::Model;
use crate::model::flaw::Flaw;
use crate::model::order::{Order, Space};
use crate::monitor::{Outcome, Role};

/// How many cases there were, and in how many of them each construct stood.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// How many cases there were.
    pub cases: usize,
    /// In how many each construct stood.
    pub constructs: BTreeMap<&'static str, usize>,
    /// How many calls were decided each way.
    pub effects: BTreeMap<Effect, usize>,
}

impl Census {
    /// Counts a case and what happened in it.
    pub fn count(&mut self, case: &Case, events: &[Event]) {
        self.cases += 1;
        let happened = happened(case, events);
        for construct in constructs(&case.policy).into_iter().chain(happened) {
            *self.constructs.entry(construct).or_default() += 1;
        }
        for event in events {
            if let Event::Rulings(rulings) = event {
                for ruling in rulings.iter().filter(|ruling| ruling.rule.is_some()) {
                    *self.effects.entry(ruling.effect).or_default() += 1;
                }
            }
        }
    }
}

/// Every construct that a policy can hold or a session can show.
pub const CONSTRUCTS: [&str; 96] = [
    "lattices: two",
    "lattices: one level",
    "lattices: levels without order",
    "lattices: not distributive",
    "lattices: readers",
    "lattices: sources",
    "lattices: turned round",
    "lattices: open alone",
    "facts: text",
    "facts: set",
    "facts: record",
    "stores: content",
    "stores: guarded cell",
    "stores: outsiders",
    "labels: two alternatives",
    "labels: guard reads a field",
    "labels: guard reads an argument",
    "labels: guard reads a fact",
    "labels: named by a value",
    "labels: set named by a field",
    "labels: set named by an argument",
    "labels: set named by a fact",
    "labels: optional name",
    "labels: own beside cells",
    "labels: none",
    "labels: guarded errors",
    "bounds: named by a value",
    "bounds: set named by an argument",
    "bounds: optional name",
    "messages: set named by a fact",
    "downgrades: guard",
    "downgrades: guard reads a field",
    "downgrades: check",
    "downgrades: named by a value",
    "results: text",
    "results: JSON",
    "results: map",
    "results: several kinds",
    "results: tag",
    "results: form",
    "results: Python",
    "results: list",
    "results: record in a record",
    "results: record of a store",
    "results: records of two stores in one",
    "results: optional field",
    "results: nullable leaf",
    "results: undivided list or record",
    "arguments: optional",
    "arguments: default",
    "arguments: nullable",
    "arguments: enumeration",
    "arguments: list",
    "arguments: record",
    "arguments: any",
    "arguments: map",
    "effects: writes",
    "effects: adds",
    "effects: changes",
    "effects: value",
    "effects: endorsement",
    "effects: endorsement of calls that run unasked",
    "rules: allow under a condition",
    "rules: confirm under a condition",
    "rules: deny under a condition",
    "conditions: context",
    "conditions: equal",
    "conditions: order",
    "conditions: in",
    "conditions: present",
    "conditions: matches",
    "conditions: function",
    "conditions: not",
    "conditions: and",
    "conditions: or",
    "sessions: two calls at once",
    "sessions: malformed call",
    "sessions: result fits",
    "sessions: divided result",
    "sessions: result does not fit",
    "sessions: failure",
    "sessions: withdrawn",
    "sessions: dropped",
    "sessions: approved",
    "sessions: rejected",
    "sessions: reply shown",
    "sessions: reply held",
    "sessions: one rule behind another",
    "sessions: regions of two labels",
    "sessions: sets decide",
    "sessions: downgrade applied",
    "sessions: downgrade refused by its label",
    "sessions: downgrade refused by its guard",
    "sessions: downgrade refused by its check",
    "sessions: downgrade decides",
    "sessions: turn above the floor, below the top",
];

fn constructs(policy: &Policy) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut note = |construct, holds| {
        if holds {
            found.insert(construct);
        }
    };
    let orders: Vec<Order> = policy.lattices.iter().map(Order::new).collect();
    note("lattices: two", orders.len() == 2);
    note("lattices: one level", orders.iter().any(|o| o.levels().len() == 1));
    note("lattices: levels without order", orders.iter().any(has_incomparable));
    note("lattices: not distributive", orders.iter().any(|o| !is_distributive(o)));
    let kind = |kind| policy.open.iter().any(|lattice| lattice.kind == kind);
    note("lattices: readers", kind(SetKind::Readers));
    note("lattices: sources", kind(SetKind::Sources));
    note("lattices: turned round", policy.open.iter().any(|lattice| lattice.dual));
    note("lattices: open alone", policy.lattices.is_empty());
    let is =
        |ty: TypeId, wanted: fn(&Type) -> bool| policy.types.get(ty.index()).is_some_and(wanted);
    let facts = &policy.facts;
    note("facts: text", facts.iter().any(|f| is(f.ty, |t| *t == Type::Text)));
    note("facts: set", facts.iter().any(|f| is(f.ty, |t| matches!(t, Type::Set(_)))));
    note("facts: record", facts.iter().any(|f| is(f.ty, is_record)));
    note("stores: content", policy.cells.iter().any(|c| c.part == CellPart::Content));
    let guarded = |rule: &LabelRule| !rule.alternatives.is_empty();
    note("stores: guarded cell", policy.cells.iter().any(|c| guarded(&c.label)));
    note("stores: outsiders", policy.stores.iter().any(|s| s.outsiders.is_some()));
    note(
        "results: records of two stores in one",
        policy.tools.iter().any(|tool| {
            let stores: BTreeSet<_> = tool.nodes.iter().filter_map(|n| n.record_of).collect();
            stores.len() > 1
        }),
    );
    for rule in rules(policy) {
        note("labels: two alternatives", rule.alternatives.len() > 1);
        let terms = rule.alternatives.iter().map(|a| a.label).chain([rule.otherwise]);
        note("labels: named by a value", terms.clone().any(|term| is_named(policy, term)));
        for naming in terms.flat_map(|term| namings(policy, term)) {
            let source = naming.value.source();
            note("labels: set named by a field", matches!(source, Operand::Field(_)));
            note("labels: set named by an argument", matches!(source, Operand::Argument(..)));
            note("labels: set named by a fact", matches!(source, Operand::Fact(..)));
            note("labels: optional name", naming.optional);
        }
        for alternative in &rule.alternatives {
            let read = operands(policy, alternative.when);
            let reads = |wanted: fn(&Operand) -> bool| read.iter().map(Operand::source).any(wanted);
            note("labels: guard reads a field", reads(|o| matches!(o, Operand::Field(_))));
            note("labels: guard reads an argument", reads(|o| matches!(o, Operand::Argument(..))));
            note("labels: guard reads a fact", reads(|o| matches!(o, Operand::Fact(..))));
        }
    }
    for condition in &policy.conditions {
        note(
            "bounds: named by a value",
            match condition {
                Condition::Context(bound) => is_named(policy, *bound),
                _ => false,
            },
        );
        if let Condition::Context(bound) = condition {
            for naming in namings(policy, *bound) {
                let source = naming.value.source();
                note("bounds: set named by an argument", matches!(source, Operand::Argument(..)));
                note("bounds: optional name", naming.optional);
            }
        }
        note(self::kind(condition), true);
        let read = operands_of(condition);
        note("conditions: function", read.iter().any(|o| matches!(o, Operand::Derived(..))));
    }
    let messages = &policy.messages;
    for message in [messages.system, messages.user, messages.reply] {
        let mut namings = namings(policy, message);
        let is_fact = |naming: &Naming| matches!(naming.value.source(), Operand::Fact(..));
        note("messages: set named by a fact", namings.any(is_fact));
    }
    for downgrade in &policy.downgrades {
        note("downgrades: guard", downgrade.when.is_some());
        let read = downgrade.when.map_or_else(Vec::new, |guard| operands(policy, guard));
        let is_field = |operand: &Operand| matches!(operand.source(), Operand::Field(_));
        note("downgrades: guard reads a field", read.iter().any(is_field));
        note("downgrades: check", downgrade.checked.is_some());
        let is_value = |naming: &Naming| !matches!(naming.value, Operand::Literal(_));
        let mut namings = [downgrade.from, downgrade.to].into_iter();
        let is_named = namings.any(|label| self::namings(policy, label).any(is_value));
        note("downgrades: named by a value", is_named);
    }
    found.extend(policy.tools.iter().flat_map(|tool| in_tool(policy, tool)));
    found
}

fn in_tool(policy: &Policy, tool: &Tool) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut note = |construct, holds| {
        if holds {
            found.insert(construct);
        }
    };
    note("labels: guarded errors", !tool.errors.alternatives.is_empty());
    note("results: text", tool.format == Format::Text);
    note("results: JSON", tool.format == Format::Json);
    note("results: Python", tool.format == Format::Python);
    for write in &tool.writes {
        note("effects: writes", write.how == WriteKind::Any);
        note("effects: adds", write.how == WriteKind::Adds);
        note("effects: changes", write.how == WriteKind::Changes);
        note("effects: value", write.value.is_some());
    }
    for endorsement in &tool.endorsements {
        note("effects: endorsement", !endorsement.unasked);
        note("effects: endorsement of calls that run unasked", endorsement.unasked);
    }
    let ty = |ty: TypeId| policy.types.get(ty.index());
    for node in &tool.nodes {
        note("labels: own beside cells", node.label.is_some() && !node.shows.is_empty());
        note("labels: none", node.label.is_none() && node.shows.is_empty());
        note("results: list", node.kinds.iter().any(|kind| matches!(kind, NodeKind::List(_))));
        note("results: several kinds", node.kinds.len() > 1);
        note("results: form", !tool.form.is_empty());
        note("results: tag", node.tag.is_some());
        note("results: record of a store", node.record_of.is_some());
        for kind in &node.kinds {
            match kind {
                NodeKind::Leaf(leaf) => {
                    note(
                        "results: nullable leaf",
                        ty(*leaf).is_some_and(|t| matches!(t, Type::Union(_))),
                    );
                    note(
                        "results: undivided list or record",
                        ty(*leaf).is_some_and(|t| {
                            is_record(t) || matches!(t, Type::List(_) | Type::Set(_))
                        }),
                    );
                }
                NodeKind::List(_) => {}
                NodeKind::Map { .. } => note("results: map", true),
                NodeKind::Record(fields) => {
                    note("results: optional field", fields.iter().any(|f| !f.required));
                    let is_record = |f: &NodeField| {
                        let node = tool.nodes.get(f.node.index());
                        let is_record = |kind: &NodeKind| matches!(kind, NodeKind::Record(_));
                        node.is_some_and(|n| n.kinds.iter().any(is_record))
                    };
                    note("results: record in a record", fields.iter().any(is_record));
                }
            }
        }
    }
    for argument in &tool.arguments {
        let is = |wanted: fn(&Type) -> bool| ty(argument.ty).is_some_and(wanted);
        note("arguments: optional", !argument.required);
        note("arguments: default", argument.default.is_some());
        note("arguments: nullable", is(|t| matches!(t, Type::Union(_))));
        note("arguments: enumeration", is(|t| matches!(t, Type::Enumeration(_))));
        note("arguments: list", is(|t| matches!(t, Type::List(_))));
        note("arguments: record", is(is_record));
        note("arguments: map", is(|t| matches!(t, Type::Map(_))));
        note("arguments: any", is(|t| *t == Type::Any));
    }
    for rule in tool.rules.iter().filter(|rule| rule.when.is_some()) {
        note("rules: allow under a condition", rule.effect == Effect::Allow);
        note("rules: confirm under a condition", rule.effect == Effect::Confirm);
        note("rules: deny under a condition", rule.effect == Effect::Deny);
    }
    found
}

fn happened(case: &Case, events: &[Event]) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut outputs = case.script.steps.iter().filter_map(|step| match step {
        Step::Output(output) => Some(output),
        Step::User(_) | Step::Reply(_) => None,
    });
    let mut output = None;
    let mut rulings = &[][..];
    for event in events {
        match event {
            Event::Rulings(now) => {
                output = outputs.next();
                rulings = now;
                if now.len() > 1 {
                    found.insert("sessions: two calls at once");
                }
                for ruling in now {
                    match ruling.rule {
                        None => drop(found.insert("sessions: malformed call")),
                        Some(0) => {}
                        Some(_) => drop(found.insert("sessions: one rule behind another")),
                    }
                }
            }
            Event::Settled(call, fits) => {
                let planned = output.and_then(|output| output.calls.get(*call));
                let (Some(planned), Some(ruling)) = (planned, rulings.get(*call)) else { continue };
                match ruling.effect {
                    Effect::Deny => continue,
                    Effect::Confirm if planned.approve => drop(found.insert("sessions: approved")),
                    Effect::Confirm => {
                        found.insert("sessions: rejected");
                        continue;
                    }
                    Effect::Allow => {}
                }
                found.insert(match (&planned.outcome, fits) {
                    (Outcome::Returned(_), Some(true)) => "sessions: result fits",
                    (Outcome::Returned(_), _) => "sessions: result does not fit",
                    (Outcome::Failed(_), _) => "sessions: failure",
                    (Outcome::Withdrawn, _) => "sessions: withdrawn",
                    (Outcome::Dropped, _) => "sessions: dropped",
                });
            }
            Event::Reply(shown) => {
                found.insert(if *shown { "sessions: reply shown" } else { "sessions: reply held" });
            }
            Event::View(view) => {
                let results = || view.messages.iter().filter(|m| m.role == Role::Tool);
                if results().any(|message| message.regions.len() > 3) {
                    found.insert("sessions: divided result");
                }
                let differ =
                    |labels: Vec<_>| labels.windows(2).any(|pair| pair.first() != pair.last());
                if results().any(|m| differ(m.regions.iter().map(|r| &r.label).collect())) {
                    found.insert("sessions: regions of two labels");
                }
            }
        }
    }
    found.extend(
        is_between(case, events).then_some("sessions: turn above the floor, below the top"),
    );
    for (construct, flaw) in DIFFERENCES {
        let flawed = run(&case.script, &mut Model::new(&case.policy, &case.facts, Some(flaw)));
        let is_other = match flaw {
            Flaw::SetsDoNotMatter => decisions(&flawed) != decisions(events),
            _ => flawed != events,
        };
        found.extend(is_other.then_some(construct));
        if flaw == Flaw::NoDowngrades && decisions(&flawed) != decisions(events) {
            found.insert("sessions: downgrade decides");
        }
    }
    found
}

/// What is seen of a session in that it would be another without it.
const DIFFERENCES: [(&str, Flaw); 5] = [
    ("sessions: sets decide", Flaw::SetsDoNotMatter),
    ("sessions: downgrade applied", Flaw::NoDowngrades),
    ("sessions: downgrade refused by its label", Flaw::DowngradeFromAnything),
    ("sessions: downgrade refused by its guard", Flaw::DowngradeWithoutGuard),
    ("sessions: downgrade refused by its check", Flaw::DowngradeUnchecked),
];

/// The effects of all calls, in order.
fn decisions(events: &[Event]) -> Vec<Effect> {
    let rulings = events.iter().filter_map(|event| match event {
        Event::Rulings(rulings) => Some(rulings),
        _ => None,
    });
    rulings.flatten().map(|ruling| ruling.effect).collect()
}

/// Whether an output was written at a label that is neither that of the first view nor the top.
fn is_between(case: &Case, events: &[Event]) -> bool {
    let space = Space::new(&case.policy.lattices, &case.policy.open, None);
    let mut labels = events.iter().zip(events.iter().skip(1)).filter_map(|pair| match pair {
        (Event::View(view), Event::Rulings(_)) => Some(&view.label),
        _ => None,
    });
    let Some(Event::View(first)) = events.first() else { return false };
    labels.any(|label| *label != first.label && *label != space.top())
}

fn rules(policy: &Policy) -> Vec<&LabelRule> {
    let nodes = policy.tools.iter().flat_map(|tool| &tool.nodes);
    let errors = policy.tools.iter().map(|tool| &tool.errors);
    let cells = policy.cells.iter().map(|cell| &cell.label);
    cells.chain(nodes.filter_map(|node| node.label.as_ref())).chain(errors).collect()
}

fn is_named(policy: &Policy, label: LabelId) -> bool {
    let term = policy.labels.get(label.index());
    term.is_some_and(|term| term.parts.iter().any(|part| matches!(part, LabelPart::Named(_))))
}

/// The values that name sets in a label.
fn namings(policy: &Policy, label: LabelId) -> impl Iterator<Item = &Naming> {
    let sets = policy.labels.get(label.index()).into_iter().flat_map(|term| &term.sets);
    sets.flat_map(|set| match set {
        SetTerm::All => &[],
        SetTerm::Of(naming) => naming.as_slice(),
    })
}

fn is_record(ty: &Type) -> bool {
    matches!(ty, Type::Record { .. })
}

fn kind(condition: &Condition) -> &'static str {
    match condition {
        Condition::Context(_) => "conditions: context",
        Condition::Compare(Comparison::Equal | Comparison::NotEqual, ..) => "conditions: equal",
        Condition::Compare(..) => "conditions: order",
        Condition::In(..) => "conditions: in",
        Condition::SubsetOf(..) => "conditions: subset_of",
        Condition::Present(_) => "conditions: present",
        Condition::Matches(..) => "conditions: matches",
        Condition::Not(_) => "conditions: not",
        Condition::All(_) => "conditions: and",
        Condition::Any(_) => "conditions: or",
    }
}

fn operands(policy: &Policy, condition: ConditionId) -> Vec<Operand> {
    match policy.conditions.get(condition.index()) {
        Some(Condition::Not(inner)) => operands(policy, *inner),
        Some(Condition::All(parts) | Condition::Any(parts)) => {
            parts.iter().flat_map(|part| operands(policy, *part)).collect()
        }
        Some(atom) => operands_of(atom),
        None => Vec::new(),
    }
}

fn operands_of(atom: &Condition) -> Vec<Operand> {
    match atom {
        Condition::Compare(_, left, right)
        | Condition::In(left, right)
        | Condition::SubsetOf(left, right) => {
            vec![left.clone(), right.clone()]
        }
        Condition::Present(operand) | Condition::Matches(operand, _) => vec![operand.clone()],
        Condition::Not(_) | Condition::All(_) | Condition::Any(_) | Condition::Context(_) => {
            Vec::new()
        }
    }
}

fn has_incomparable(order: &Order) -> bool {
    let apart = |a, b| !order.flows(a, b) && !order.flows(b, a);
    order.levels().any(|a| order.levels().any(|b| apart(a, b)))
}

/// Whether joins distribute over meets. Equivalent: no three levels have pairwise equal joins with
/// one another while their meets with one of them are equal, too.
fn is_distributive(order: &Order) -> bool {
    let meet = |a: usize, b: usize| {
        let lower = |c: &usize| order.flows(*c, a) && order.flows(*c, b);
        let greatest = |c: &usize| order.levels().filter(lower).all(|d| order.flows(d, *c));
        order.levels().filter(lower).find(greatest)
    };
    order.levels().all(|a| {
        order.levels().all(|b| {
            order.levels().all(|c| {
                // Complements of one level relative to others are unique.
                b == c || meet(a, b) != meet(a, c) || order.join(a, b) != order.join(a, c)
            })
        })
    })
}
