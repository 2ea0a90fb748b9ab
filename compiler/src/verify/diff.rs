//! What one policy lets through and another does not: the reviewer's question about a change.
//!
//! Calls are compared decision by decision, over all contexts, arguments and facts, and flows step by
//! step. Each difference comes with a call that both policies' evaluators have decided, or a session.
//! What cannot be compared is said, and never taken for no difference.

mod merge;
mod flows;

use std::collections::BTreeMap;

use rtbas_artifact::eval::{Arguments, Side};
use rtbas_artifact::ir::{Effect, Tool, ToolId};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::ty::describe;
use rtbas_artifact::value::Value;

use super::decision::Decisions;
use super::encode::place::Place;
use super::encode::{Encoder, Outside};
use super::flow::Flows;
use super::query::{Found, HIGH, LOW, find};
use super::report::written;
use super::term::Formula;
use super::witness::Call;
use merge::{Both, Link, Merged, Which, merge};

/// What one policy lets through and another does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Calls that are decided more freely.
    pub calls: Vec<OpenedCall>,
    /// What else calls may be like.
    pub calls_like: Vec<String>,
    /// Steps that data can take.
    pub flows: Vec<OpenedFlow>,
    /// What could not be compared, and why.
    pub unknown: Vec<String>,
}

/// A call that one policy decides more freely than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedCall {
    /// The tool; without one, it is the reply.
    pub tool: Option<String>,
    /// What was decided, and what is decided.
    pub effects: [Effect; 2],
    /// One such call, and the facts of its session.
    pub call: String,
    /// The facts of its session.
    pub facts: Vec<String>,
    /// The label of its context.
    pub context: String,
}

/// A step that data can take, of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedFlow {
    /// Where data starts.
    pub from: Vec<String>,
    /// Whether only what outsiders wrote there is meant.
    pub outside: bool,
    /// Where it arrives.
    pub to: String,
    /// What happens in the session, if it takes one.
    pub session: Vec<String>,
    /// Why it cannot be excluded, if no session is known.
    pub unknown: Option<String>,
}

impl Opened {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is let through on one side only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// What only the second policy lets through.
    pub opened: Opened,
    /// What only the first one does.
    pub closed: Opened,
}

/// Compares two policies.
#[must_use]
pub fn diff(old: &Program, new: &Program) -> Diff {
    let (mut opened, mut closed) = (calls(old, new), calls(new, old));
    let (before, after) = (Flows::new(old), Flows::new(new));
    opened.flows = flows::compare(&before, &after);
    closed.flows = flows::compare(&after, &before);
    Diff { opened, closed }
}

/// The calls that a policy lets through and another one does not.
fn calls(old: &Program, new: &Program) -> Opened {
    let mut opened = Opened::default();
    signatures(old, new, &mut opened);
    match merge(old, new) {
        Some(merged) => {
            let comparison = Comparison { old, new, merged: &merged };
            comparison.messages(&mut opened);
            comparison.calls(&mut opened);
        }
        None => opened.unknown.push("the two policies cannot be put side by side".to_owned()),
    }
    opened
}

/// Tools and arguments that there were not.
fn signatures(old: &Program, new: &Program, opened: &mut Opened) {
    for tool in &new.policy().tools {
        let name = &tool.name;
        let Some(before) = old.tool_named(name).and_then(|id| old.tool(id)) else {
            if tool.rules.iter().any(|rule| rule.effect != Effect::Deny) {
                opened.calls_like.push(format!("`{name}` is a tool that there was not"));
            }
            continue;
        };
        for argument in &tool.arguments {
            let of = |tool: &Tool| tool.arguments.iter().find(|a| a.name == argument.name).cloned();
            let is = describe(&new.policy().types, argument.ty);
            opened.calls_like.extend(match of(before) {
                None => Some(format!("`{name}` has an argument `{}`", argument.name)),
                Some(before) => {
                    let was = describe(&old.policy().types, before.ty);
                    (was != is)
                        .then(|| format!("`{name}.{}` is {is}, and was {was}", argument.name))
                }
            });
        }
    }
}

/// What is compared.
struct Comparison<'c> {
    old: &'c Program,
    new: &'c Program,
    merged: &'c Merged,
}

/// A call or the reply, before and after.
#[derive(Clone, Copy)]
enum Subject<'s> {
    Tool(&'s str, Both<ToolId>),
    Reply,
}

impl Comparison<'_> {
    /// Messages whose label was higher, or another: contexts begin lower now.
    fn messages(&self, opened: &mut Opened) {
        let merged = &self.merged.program;
        let who = self.merged.messages.into_iter().zip(["system", "user"]);
        for (Both { old: was, new: is }, who) in who {
            let flows = merged.constant(was).zip(merged.constant(is));
            if was != is && !flows.is_some_and(|(was, is)| was.flows_to(is)) {
                let is = merged.show_label(None, is);
                opened.calls_like.push(format!("messages of the {who} are labelled {is}"));
            }
        }
    }

    fn calls(&self, opened: &mut Opened) {
        let tools = self.merged.tools.iter().map(|(name, ids)| Subject::Tool(name, *ids));
        for subject in tools.chain([Subject::Reply]) {
            if self.is_same(subject) {
                continue;
            }
            for more in [Effect::Allow, Effect::Confirm] {
                match self.ask(subject, more) {
                    Ok(None) => {}
                    Ok(Some(call)) => {
                        opened.calls.push(call);
                        break;
                    }
                    Err(Outside(reason)) => {
                        let name = match subject {
                            Subject::Tool(name, _) => name,
                            Subject::Reply => "reply",
                        };
                        opened.unknown.push(format!("calls of `{name}`: {reason}"));
                        break;
                    }
                }
            }
        }
    }

    /// Whether the very same rules decide.
    fn is_same(&self, subject: Subject<'_>) -> bool {
        let merged = &self.merged.program;
        let rules = |id| merged.tool(id).map(|tool| &tool.rules);
        self.merged.links.is_empty()
            && match subject {
                Subject::Reply => self.merged.reply.old == self.merged.reply.new,
                Subject::Tool(_, ids) => rules(ids.old) == rules(ids.new),
            }
    }

    /// Looks for a call that is decided so, and was not.
    fn ask(&self, subject: Subject<'_>, more: Effect) -> Result<Option<OpenedCall>, Outside> {
        let program = &self.merged.program;
        let mut encoder = Encoder::new(program);
        let (place, goal) = self.goal(&mut encoder, subject, more)?;
        let mut all = vec![goal];
        encoder.floor(LOW)?;
        all.extend(self.merged.links.iter().map(|link| self.linked(&encoder, link)));
        match find(&mut encoder, program.policy(), Formula::and(all)) {
            Found::Nothing { .. } => Ok(None),
            Found::Unknown { reason } => Err(Outside(reason)),
            Found::Something(solution) => solution.show(program, &encoder, |values, _, high| {
                let call = match subject {
                    Subject::Reply => Call { arguments: Arguments::new(), facts: values.facts() },
                    Subject::Tool(_, Both { new: id, .. }) => {
                        let tool = program.tool(id).ok_or_else(nothing)?;
                        values.call(tool, &place)
                    }
                };
                // Of all labels that answer alike, one that a context can have.
                let messages = &program.policy().messages;
                let floor = [messages.system, messages.user].map(|label| program.constant(label));
                let high = floor.into_iter().flatten().fold(high, |high, part| high.join(part));
                let labels = self.labels(&encoder, &high).ok_or_else(nothing)?;
                self.decided(subject, &call, &labels)
            }),
        }
    }

    /// The decision is this one, and was stricter.
    fn goal(
        &self,
        encoder: &mut Encoder<'_>,
        subject: Subject<'_>,
        more: Effect,
    ) -> Result<(Place, Formula), Outside> {
        match subject {
            Subject::Tool(_, Both { old: was, new: is }) => {
                let tool = |id| self.merged.program.tool(id).ok_or_else(nothing);
                let place = encoder.call(tool(is)?);
                let was = Decisions::of(encoder, tool(was)?, &place, HIGH)?;
                let is = Decisions::of(encoder, tool(is)?, &place, HIGH)?;
                let stricter = match more {
                    Effect::Allow => !was.is(Effect::Allow),
                    Effect::Confirm | Effect::Deny => was.is(Effect::Deny),
                };
                Ok((place, Formula::and([is.is(more), stricter])))
            }
            Subject::Reply => {
                let place = Place::default();
                let Both { old: was, new: is } = self.merged.reply;
                let was = encoder.flows_to(HIGH, was, Side::Bound, &place)?;
                let is = encoder.flows_to(HIGH, is, Side::Bound, &place)?;
                let is = if more == Effect::Allow { is } else { Formula::constant(false) };
                Ok((place, Formula::and([is, !was])))
            }
        }
    }

    /// The label's levels of a lattice as it was and as it is go together.
    fn linked(&self, encoder: &Encoder<'_>, link: &Link) -> Formula {
        let pairs = link.pairs.iter().map(|pair| {
            let both = link.lattices.iter().zip(pair).flat_map(|(&index, &level)| {
                let lattice = self.merged.program.policy().lattices.get(index);
                let bounds = encoder.bounds.get(index).into_iter().flatten();
                bounds.map(move |&bound| {
                    let flows = lattice.is_some_and(|lattice| lattice.flows(level, bound));
                    let variable = super::encode::flows(HIGH, index, bound);
                    Formula::variable(variable).same(Formula::constant(flows))
                })
            });
            Formula::and(both.collect::<Vec<_>>())
        });
        Formula::or(pairs.collect::<Vec<_>>())
    }

    /// The label in the terms of each policy.
    fn labels(&self, encoder: &Encoder<'_>, high: &Label) -> Option<Both<Label>> {
        let merged = &self.merged.program;
        let mut levels = merged.space().levels(high)?;
        for link in &self.merged.links {
            // Any pair that answers like the one that was found stands for it.
            let answers = |index: usize, level| {
                let lattice = merged.policy().lattices.get(index);
                let bounds = encoder.bounds.get(index).into_iter().flatten();
                let flows = |bound| lattice.is_some_and(|lattice| lattice.flows(level, bound));
                bounds.map(|&bound| flows(bound)).collect::<Vec<_>>()
            };
            let found = link.lattices.map(|index| levels.get(index).copied());
            let [Some(was), Some(is)] = found else { return None };
            let same = |pair: &&[_; 2]| {
                let both = link.lattices.iter().zip(pair.iter().zip([was, is]));
                both.into_iter()
                    .all(|(&index, (&level, found))| answers(index, level) == answers(index, found))
            };
            let pair = link.pairs.iter().find(same)?;
            for (index, level) in link.lattices.iter().zip(pair) {
                *levels.get_mut(*index)? = *level;
            }
        }
        let label = |program: &Program, side: Which| {
            let mut label = program.space().bottom().clone();
            for (own, index) in self.merged.closed.of(side).iter().enumerate() {
                label.join_with(program.space().part(own, *levels.get(*index)?)?);
            }
            for (own, index) in self.merged.open.of(side).iter().enumerate() {
                label = label.with_set(own, high.set(*index)?.clone());
            }
            Some(label)
        };
        Some(Both { old: label(self.old, Which::Old)?, new: label(self.new, Which::New)? })
    }

    /// The call, decided by both policies.
    fn decided(
        &self,
        subject: Subject<'_>,
        call: &Call,
        labels: &Both<Label>,
    ) -> Result<Option<OpenedCall>, Outside> {
        let was = self.decision(Which::Old, subject, call, &labels.old);
        let is = self.decision(Which::New, subject, call, &labels.new);
        if was >= is {
            return Err(Outside("a call that solver and evaluator decide differently".to_owned()));
        }
        let shown = self.own(Which::New, subject, call);
        let tool = match subject {
            Subject::Tool(name, _) => Some(name.to_owned()),
            Subject::Reply => None,
        };
        Ok(Some(OpenedCall {
            call: written(tool.as_deref().unwrap_or("reply"), &shown),
            tool,
            effects: [was, is],
            facts: shown.facts.iter().map(|(fact, value)| format!("{fact} = {value}")).collect(),
            context: self.new.show(&labels.new).to_string(),
        }))
    }

    fn program(&self, which: Which) -> &Program {
        match which {
            Which::Old => self.old,
            Which::New => self.new,
        }
    }

    /// The call in the words of one side.
    fn own(&self, side: Which, subject: Subject<'_>, call: &Call) -> Call {
        let program = self.program(side);
        let pick = |names: &[String], own: Vec<&String>, from: &BTreeMap<String, Value>| {
            let both = own.into_iter().zip(names);
            let value =
                |(own, name): (&String, &String)| Some((own.clone(), from.get(name)?.clone()));
            both.filter_map(value).collect::<BTreeMap<_, _>>()
        };
        let facts = program.policy().facts.iter().map(|fact| &fact.name).collect();
        let names = self.merged.facts.of(side);
        let facts = pick(names, facts, &call.facts);
        let mut arguments = Arguments::new();
        if let Subject::Tool(name, _) = subject
            && let Some(tool) = program.tool_named(name).and_then(|id| program.tool(id))
        {
            let own = tool.arguments.iter().map(|argument| &argument.name).collect();
            let names = self.merged.arguments.get(name).map(|names| names.of(side));
            arguments = pick(names.map_or(&[][..], Vec::as_slice), own, &call.arguments);
        }
        Call { arguments, facts }
    }

    fn decision(&self, side: Which, subject: Subject<'_>, call: &Call, label: &Label) -> Effect {
        let program = self.program(side);
        let call = self.own(side, subject, call);
        let Ok(facts) = program.facts(call.facts) else { return Effect::Deny };
        match subject {
            Subject::Reply => {
                let bound = program.policy().messages.reply;
                match label.flows_to(&program.message_label(bound, Side::Bound, &facts)) {
                    true => Effect::Allow,
                    false => Effect::Confirm,
                }
            }
            Subject::Tool(name, _) => match program.bind(name, &call.arguments) {
                Ok(bound) => program.decide(&facts, &bound, label).effect,
                Err(_) => Effect::Deny,
            },
        }
    }
}

fn nothing() -> Outside {
    Outside("what cannot be shown".to_owned())
}
