//! What a policy means, once more: slowly, and from the documents alone.
//!
//! Takes a policy's tables and the facts, and behaves as a session with the screener `all` has to:
//! the steps are those of `docs/semantics.md`, section 5, what labels and conditions mean is what
//! the comments in `artifact/src/ir.rs` say, and what a written result means is what
//! `runtime/src/region/value.rs` says it does. It calls nothing of the evaluator, the label codes,
//! the type checks, and nothing of the engine: labels are lists of levels, orders are climbed pair by
//! pair, and joins are searched for. Where engine and model differ, one of them is wrong.
//!
//! It trusts that the policy is valid, and that it is driven in order.

pub mod flaw;
pub mod names;
pub mod order;
pub mod pattern;
pub mod function;
pub mod types;
pub mod logic;
mod form;
pub mod regions;

use std::collections::BTreeMap;

use rtbas_artifact::ir::{Argument, Effect, LabelId, NodeId, Policy, Tool, ToolId};
use rtbas_artifact::value::Value;

use crate::model::flaw::Flaw;
use crate::model::logic::{Logic, Scope, Strict};
use crate::model::order::Space;
use crate::model::regions::{Labeller, Part, divide};
use crate::model::types::Types;
use crate::monitor::{Call, Label, Message, Monitor, Outcome, Region, Role, Ruling, View};
use crate::written::{Document, Written};

/// A session, as the documents describe it.
#[derive(Clone, Debug)]
pub struct Model<'p> {
    policy: &'p Policy,
    space: Space,
    facts: Vec<Value>,
    history: Vec<Message>,
    /// The calls of the last output.
    slots: Vec<Slot<'p>>,
    flaw: Option<Flaw>,
}

/// A tool, and the arguments of a call of it.
type Fitting<'p> = (ToolId, &'p Tool, Vec<Option<Value>>);

#[derive(Clone, Debug)]
struct Slot<'p> {
    /// The tool and the arguments in the order of their declarations; none if the call does not fit.
    call: Option<Fitting<'p>>,
    /// Label of the output that makes the call (l).
    context: Label,
    /// Label of the call (κ). No argument is filled from a region here, so it is the context's.
    label: Label,
    effect: Effect,
    answer: Option<Message>,
}

impl<'p> Model<'p> {
    /// A session of a policy. The facts are those that it declares.
    #[must_use]
    pub fn new(policy: &'p Policy, facts: &BTreeMap<String, Value>, flaw: Option<Flaw>) -> Self {
        let types = Types::new(&policy.types, flaw);
        let given = |name: &String| facts.get(name).cloned().unwrap_or(Value::Null);
        let facts = policy.facts.iter().map(|fact| types.fact(fact.ty, &given(&fact.name)));
        Self {
            policy,
            space: Space::new(&policy.lattices, &policy.open, flaw),
            facts: facts.collect(),
            history: Vec::new(),
            slots: Vec::new(),
            flaw,
        }
    }

    /// The labels of the policy.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The regions of a result of a call of the last output, if the result has its declared shape,
    /// and the nodes that they are. Whether the call may run does not matter.
    #[must_use]
    pub fn parts(&self, call: usize, document: &Document) -> Option<(Part, Vec<Region>)> {
        let slot = self.slots.get(call)?;
        let labeller = self.labeller(slot)?;
        let types = Types::new(&self.policy.types, self.flaw);
        let part = divide(&types, labeller.tool, document)?;
        let regions = labeller.regions(&part);
        Some((part, regions))
    }

    /// The label of the text of a call of the last output, should it fail.
    #[must_use]
    pub fn failure(&self, call: usize) -> Option<Label> {
        self.slots.get(call).and_then(|slot| self.labeller(slot)).map(|l| l.failure())
    }

    /// For each downgrade of a region of a result: whether a value would pass its check.
    #[must_use]
    pub fn checks(&self, call: usize, node: NodeId, value: &Value) -> Vec<bool> {
        let labeller = self.slots.get(call).and_then(|slot| self.labeller(slot));
        labeller.map_or_else(Vec::new, |labeller| labeller.checks(node, value))
    }

    /// What a written value means where a region of a result stands that is not divided further.
    #[must_use]
    pub fn read(&self, tool: &Tool, node: NodeId, written: &Written) -> Option<Value> {
        let ty = tool.nodes.get(node.index())?.leaf()?;
        Types::new(&self.policy.types, self.flaw).read(ty, written)
    }

    fn logic(&self) -> Logic<'_> {
        Logic { policy: self.policy, space: &self.space, flaw: self.flaw }
    }

    fn labeller<'s>(&'s self, slot: &'s Slot<'p>) -> Option<Labeller<'s>> {
        let (id, tool, arguments) = slot.call.as_ref()?;
        Some(Labeller {
            logic: self.logic(),
            id: *id,
            tool,
            facts: &self.facts,
            arguments,
            context: &slot.context,
            call: &slot.label,
        })
    }

    /// The label of a term that reads facts at most.
    fn of_facts(&self, label: LabelId, strict: Strict) -> Label {
        let scope = Scope { facts: &self.facts, arguments: &[], context: None, record: None };
        self.logic().term(label, strict, &scope)
    }

    /// F ⊔ the labels of all that is in the history.
    fn context(&self) -> Label {
        let messages = &self.policy.messages;
        let [system, user] =
            [messages.system, messages.user].map(|label| self.of_facts(label, Strict::Up));
        let floor = self.space.join(&system, &user);
        let shown = match self.flaw {
            Some(Flaw::ContextOfLastMessage) => self.history.len().saturating_sub(1),
            _ => 0,
        };
        let labels = self.history.iter().skip(shown).flat_map(|message| {
            message.regions.iter().map(|region| &region.label).chain([&message.existence])
        });
        let seen = self.space.join_all(labels);
        if self.flaw == Some(Flaw::NoFloor) { seen } else { self.space.join(&floor, &seen) }
    }

    /// The tool of a call, and its arguments with defaults filled in. `None` if there is no such
    /// tool, an argument is not the tool's, a required one is missing, or one is of another type.
    fn bind(&self, call: &Call) -> Option<Fitting<'p>> {
        let mut tools = (0..).map(ToolId).zip(&self.policy.tools);
        let (id, tool) = tools.find(|(_, tool)| tool.name == call.tool)?;
        let types = Types::new(&self.policy.types, self.flaw);
        let is_known = |name: &String| tool.arguments.iter().any(|a| a.name == *name);
        let ignored = self.flaw == Some(Flaw::UnknownArgumentsIgnored);
        if !ignored && !call.arguments.keys().all(is_known) {
            return None;
        }
        let argument = |declared: &Argument| {
            let default = match self.flaw {
                Some(Flaw::NoDefaults) => None,
                _ => declared.default.clone(),
            };
            match call.arguments.get(&declared.name) {
                Some(value) if !types.holds(declared.ty, value) => None,
                Some(Value::Null) if self.flaw == Some(Flaw::DefaultForNull) => {
                    Some(default.or(Some(Value::Null)))
                }
                Some(value) => Some(Some(value.clone())),
                None if declared.required => None,
                None => Some(default),
            }
        };
        let arguments: Option<_> = tool.arguments.iter().map(argument).collect();
        Some((id, tool, arguments?))
    }

    /// The first rule that fires, and its effect.
    fn decide(&self, tool: &Tool, arguments: &[Option<Value>], label: &Label) -> (Effect, usize) {
        let scope = Scope { facts: &self.facts, arguments, context: Some(label), record: None };
        let undefined = |effect| match effect {
            Effect::Allow => self.flaw == Some(Flaw::UndefinedAllows),
            Effect::Confirm | Effect::Deny => self.flaw != Some(Flaw::UndefinedDoesNotAsk),
        };
        let mut firing = tool.rules.iter().enumerate().filter(|(_, rule)| {
            let truth = rule.when.map_or(Some(true), |when| self.logic().holds(when, &scope));
            truth.unwrap_or(undefined(rule.effect))
        });
        let first =
            if self.flaw == Some(Flaw::LastRule) { firing.next_back() } else { firing.next() };
        first.map_or((Effect::Deny, 0), |(index, rule)| (rule.effect, index))
    }

    fn push(&mut self, role: Role, existence: Label, label: Label, text: &str, calls: &[Call]) {
        let mut message = whole(role, existence, label, text);
        message.calls = calls.to_vec();
        self.history.push(message);
    }

    fn notice(&self, slot: &Slot<'p>) -> Message {
        let label = match self.flaw {
            Some(Flaw::NoticeAtBottom) => self.space.bottom(),
            _ => slot.label.clone(),
        };
        whole(Role::Tool, slot.context.clone(), label, rtbas::NOTICE)
    }

    /// The answer to a call that may run, and whether it has its declared shape.
    fn answer(&self, call: usize, outcome: &Outcome) -> Option<(Message, Option<bool>)> {
        let slot = self.slots.get(call)?;
        Some(match outcome {
            Outcome::Returned(document) => {
                let text = document.text();
                let unfit = self.labeller(slot)?.unfit();
                let mut message = whole(Role::Tool, slot.context.clone(), unfit, &text);
                let parts = self.parts(call, document);
                let fits = parts.is_some();
                if let Some((_, regions)) = parts {
                    message.regions = regions;
                }
                (message, Some(fits))
            }
            Outcome::Failed(text) => {
                let label = self.labeller(slot)?.failure();
                (whole(Role::Tool, slot.context.clone(), label, text), None)
            }
            Outcome::Withdrawn => (self.notice(slot), None),
            Outcome::Dropped => return None,
        })
    }

    /// Once every call has its answer, they enter the history in the order of the calls.
    fn record(&mut self) {
        if self.slots.iter().any(|slot| slot.answer.is_none()) {
            return;
        }
        let answers = self.slots.iter_mut().map(|slot| slot.answer.take()).enumerate();
        let mut answers: Vec<Message> = answers
            .filter_map(|(i, answer)| Some(Message { answers: Some(i), ..answer? }))
            .collect();
        if self.flaw == Some(Flaw::AnswersReversed) {
            answers.reverse();
        }
        self.history.append(&mut answers);
        self.slots.clear();
    }
}

impl Monitor for Model<'_> {
    fn system(&mut self, text: &str) {
        let label = self.of_facts(self.policy.messages.system, Strict::Up);
        self.push(Role::System, label.clone(), label, text, &[]);
    }

    fn user(&mut self, text: &str) {
        let label = self.of_facts(self.policy.messages.user, Strict::Up);
        self.push(Role::User, label.clone(), label, text, &[]);
    }

    fn view(&self) -> View {
        View { label: self.context(), messages: self.history.clone() }
    }

    fn propose(&mut self, text: &str, calls: &[Call]) -> Vec<Ruling> {
        let context = self.context();
        self.push(Role::Assistant, context.clone(), context.clone(), text, calls);
        let mut rulings = Vec::new();
        self.slots.clear();
        for call in calls {
            let bound = self.bind(call);
            let (effect, rule) = match &bound {
                Some((_, tool, arguments)) => {
                    let (effect, rule) = self.decide(tool, arguments, &context);
                    (effect, Some(rule))
                }
                None => (Effect::Deny, None),
            };
            let runnable = bound.as_ref().filter(|_| effect > Effect::Deny);
            rulings.push(Ruling {
                effect,
                rule,
                label: self.space.show(&context),
                arguments: runnable.map(|(_, tool, arguments)| {
                    let named = tool.arguments.iter().zip(arguments);
                    named.filter_map(|(a, v)| Some((a.name.clone(), v.clone()?))).collect()
                }),
                endorses: runnable
                    .filter(|_| effect == Effect::Confirm)
                    .map_or_else(Vec::new, |(_, tool, _)| {
                        tool.endorsements.iter().map(|e| e.because.clone()).collect()
                    }),
            });
            let (context, label) = (context.clone(), context.clone());
            let mut slot = Slot { call: bound, context, label, effect, answer: None };
            if effect == Effect::Deny {
                slot.answer = Some(self.notice(&slot));
            }
            self.slots.push(slot);
        }
        self.record();
        rulings
    }

    fn settle(&mut self, call: usize, approve: bool, outcome: &Outcome) -> Option<bool> {
        let slot = self.slots.get(call)?;
        let (answer, fits) = match (slot.effect, outcome) {
            (Effect::Deny, _) => return None,
            (Effect::Confirm, _) if !approve => (self.notice(slot), None),
            (_, Outcome::Dropped) => return None,
            (_, outcome) => self.answer(call, outcome)?,
        };
        if let Some(slot) = self.slots.get_mut(call) {
            slot.answer = Some(answer);
        }
        self.record();
        fits
    }

    fn withdraw_all(&mut self) {
        let notices: Vec<Message> = self.slots.iter().map(|slot| self.notice(slot)).collect();
        for (slot, notice) in self.slots.iter_mut().zip(notices) {
            slot.answer.get_or_insert(notice);
        }
        self.record();
    }

    fn reply(&mut self, text: &str) -> bool {
        let context = self.context();
        self.push(Role::Assistant, context.clone(), context.clone(), text, &[]);
        self.slots.clear();
        self.space.flows(&context, &self.of_facts(self.policy.messages.reply, Strict::Down))
    }
}

fn whole(role: Role, existence: Label, label: Label, text: &str) -> Message {
    let path = match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "result",
    };
    let region = Region { path: path.to_owned(), label, parent: None, text: Some(text.to_owned()) };
    Message {
        role,
        existence,
        text: text.to_owned(),
        calls: Vec::new(),
        answers: None,
        regions: vec![region],
    }
}
