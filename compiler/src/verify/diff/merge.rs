//! Two policies in the tables of one, so that one query can speak of both.
//!
//! Only what decides calls is taken over: each tool with its arguments and rules, once as it was and
//! once as it is. Facts and arguments of one name and type are the same; lattices too, if they are.
//! Of lattices that changed, levels of one name go together, and a level that only one side has goes
//! with the other's top, which is how data is seen that nobody has labelled.

use std::collections::BTreeMap;

use rtbas_artifact::ir::{
    Argument, ArgumentId, Condition, ConditionId, Fact, FactId, Format, LabelId, LabelPart,
    LabelRule, LabelTerm, Messages, Names, Node, NodeKind, Operand, Policy, Rule, SetTerm, Tool,
    ToolId, Type, TypeId,
};
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::program::Program;

/// What is said of a lattice that the other side does not have: it binds nothing.
#[derive(Clone, Copy)]
enum Side {
    Data,
    Bound,
}

/// Which of two policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Old,
    New,
}

/// Something of a policy as it was, and of the one as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Both<T> {
    pub(super) old: T,
    pub(super) new: T,
}

impl<T> Both<T> {
    pub(super) fn of(&self, which: Which) -> &T {
        match which {
            Which::Old => &self.old,
            Which::New => &self.new,
        }
    }

    fn of_mut(&mut self, which: Which) -> &mut T {
        match which {
            Which::Old => &mut self.old,
            Which::New => &mut self.new,
        }
    }
}

/// Two policies as one.
pub(super) struct Merged {
    pub(super) program: Program,
    /// The tools that both have: by name, as it was and as it is.
    pub(super) tools: Vec<(String, Both<ToolId>)>,
    /// The lattices that changed.
    pub(super) links: Vec<Link>,
    /// For each side, where its closed and its open lattices are.
    pub(super) closed: Both<Vec<usize>>,
    pub(super) open: Both<Vec<usize>>,
    /// For each side, what its facts are called here.
    pub(super) facts: Both<Vec<String>>,
    /// For each tool of both, what the arguments of each side are called here.
    pub(super) arguments: BTreeMap<String, Both<Vec<String>>>,
    /// The bound of the reply, as it was and as it is.
    pub(super) reply: Both<LabelId>,
    /// The labels of system and user messages, as they were and as they are.
    pub(super) messages: [Both<LabelId>; 2],
}

/// A lattice as it was and as it is, and the levels that go together.
pub(super) struct Link {
    pub(super) lattices: [usize; 2],
    pub(super) pairs: Vec<[LevelId; 2]>,
}

/// What only the side before has, and the other has otherwise.
fn before(name: &str) -> String {
    format!("{name} (before)")
}

/// Merges two policies. What holds of every context, the floor, is the second's.
pub(super) fn merge(old: &Program, new: &Program) -> Option<Merged> {
    let sides = Both { old: old.policy(), new: new.policy() };
    let mut merger = Merger::new(sides);
    let [old_messages, new_messages] = [Which::Old, Which::New].map(|side| {
        let messages = &sides.of(side).messages;
        Some(Messages {
            system: merger.label(side, messages.system, Side::Data, &[])?,
            user: merger.label(side, messages.user, Side::Data, &[])?,
            reply: merger.label(side, messages.reply, Side::Bound, &[])?,
        })
    });
    let (was, is) = (old_messages?, new_messages?);
    let messages = [Both { old: was.system, new: is.system }, Both { old: was.user, new: is.user }];
    let reply = Both { old: was.reply, new: is.reply };
    merger.policy.messages = is;
    let mut tools = Vec::new();
    let mut arguments = BTreeMap::new();
    for tool in &sides.old.tools {
        let Some(other) = new.tool_named(&tool.name).and_then(|id| new.tool(id)) else { continue };
        let (both, names) = merger.arguments(Both { old: tool, new: other })?;
        let was = merger.tool(Which::Old, tool, &both, &names.old)?;
        let is = merger.tool(Which::New, other, &both, &names.new)?;
        tools.push((tool.name.clone(), Both { old: was, new: is }));
        arguments.insert(tool.name.clone(), names);
    }
    merger.policy.labels = in_order(merger.labels);
    merger.policy.conditions = in_order(merger.conditions);
    merger.policy.types = in_order(merger.types);
    let program = Program::new(merger.policy).ok()?;
    let (closed, open, facts, links) = (merger.closed, merger.open, merger.facts, merger.links);
    Some(Merged { program, tools, links, closed, open, facts, arguments, reply, messages })
}

fn in_order<T: Ord, I: Ord + Copy>(table: BTreeMap<T, I>) -> Vec<T> {
    let mut entries: Vec<(T, I)> = table.into_iter().collect();
    entries.sort_by_key(|(_, id)| *id);
    entries.into_iter().map(|(entry, _)| entry).collect()
}

struct Merger<'p> {
    sides: Both<&'p Policy>,
    policy: Policy,
    types: BTreeMap<Type, TypeId>,
    labels: BTreeMap<LabelTerm, LabelId>,
    conditions: BTreeMap<Condition, ConditionId>,
    closed: Both<Vec<usize>>,
    open: Both<Vec<usize>>,
    facts: Both<Vec<String>>,
    fact_ids: Both<Vec<FactId>>,
    links: Vec<Link>,
}

/// The id of an entry, which is added if it is not there.
macro_rules! intern {
    ($table:expr, $id:ident, $entry:expr) => {{
        let next = $id(u32::try_from($table.len()).unwrap_or(u32::MAX));
        *$table.entry($entry).or_insert(next)
    }};
}

impl<'p> Merger<'p> {
    fn new(sides: Both<&'p Policy>) -> Self {
        let empty = LabelId(0);
        let policy = Policy {
            name: "merged".to_owned(),
            edition: sides.new.edition,
            version: 0,
            lattices: Vec::new(),
            open: Vec::new(),
            labels: Vec::new(),
            types: Vec::new(),
            conditions: Vec::new(),
            facts: Vec::new(),
            messages: Messages { system: empty, user: empty, reply: empty },
            stores: Vec::new(),
            cells: Vec::new(),
            tools: Vec::new(),
            downgrades: Vec::new(),
            claims: Vec::new(),
        };
        let mut merger = Self {
            sides,
            policy,
            types: BTreeMap::new(),
            labels: BTreeMap::new(),
            conditions: BTreeMap::new(),
            closed: Both::default(),
            open: Both::default(),
            facts: Both::default(),
            fact_ids: Both::default(),
            links: Vec::new(),
        };
        merger.lattices();
        merger.facts();
        merger
    }

    fn lattices(&mut self) {
        let Both { old, new } = self.sides;
        self.policy.lattices.clone_from(&new.lattices);
        self.closed.new = (0..new.lattices.len()).collect();
        for lattice in &old.lattices {
            let same = |other: &&Lattice| {
                (&other.name, &other.element) == (&lattice.name, &lattice.element)
            };
            let other = new.lattices.iter().find(same);
            let index = new.lattices.iter().position(|other| same(&other));
            if let (Some(other), Some(index)) = (other, index) {
                if other == lattice {
                    self.closed.old.push(index);
                    continue;
                }
                let here = self.policy.lattices.len();
                let pairs = pairs(lattice, other);
                self.links.push(Link { lattices: [here, index], pairs });
            }
            self.closed.old.push(self.policy.lattices.len());
            let mut lattice = lattice.clone();
            lattice.name = before(&lattice.name);
            self.policy.lattices.push(lattice);
        }
        self.policy.open.clone_from(&new.open);
        self.open.new = (0..new.open.len()).collect();
        for lattice in &old.open {
            match new.open.iter().position(|other| other == lattice) {
                Some(index) => self.open.old.push(index),
                None => {
                    self.open.old.push(self.policy.open.len());
                    let mut lattice = lattice.clone();
                    lattice.name = before(&lattice.name);
                    self.policy.open.push(lattice);
                }
            }
        }
    }

    fn facts(&mut self) {
        for side in [Which::New, Which::Old] {
            let policy = *self.sides.of(side);
            for fact in &policy.facts {
                let Some(ty) = self.ty(side, fact.ty) else { continue };
                let known = self.policy.facts.iter().position(|f| f.name == fact.name);
                let shared = known.filter(|index| {
                    self.policy.facts.get(*index).is_some_and(|known| known.ty == ty)
                });
                let name = match known {
                    Some(_) if shared.is_none() => before(&fact.name),
                    _ => fact.name.clone(),
                };
                let index = shared.unwrap_or(self.policy.facts.len());
                if shared.is_none() {
                    self.policy.facts.push(Fact { name: name.clone(), ty });
                }
                self.facts.of_mut(side).push(name);
                self.fact_ids.of_mut(side).push(FactId(u32::try_from(index).unwrap_or(u32::MAX)));
            }
        }
    }

    fn ty(&mut self, side: Which, id: TypeId) -> Option<TypeId> {
        let ty = match self.sides.of(side).types.get(id.index())?.clone() {
            Type::List(item) => Type::List(self.ty(side, item)?),
            Type::Set(item) => Type::Set(self.ty(side, item)?),
            Type::Map(value) => Type::Map(self.ty(side, value)?),
            Type::Union(choices) => {
                let choices = choices.into_iter().map(|choice| self.ty(side, choice));
                Type::Union(choices.collect::<Option<_>>()?)
            }
            Type::Record { mut fields, open } => {
                for field in &mut fields {
                    field.ty = self.ty(side, field.ty)?;
                }
                Type::Record { fields, open }
            }
            plain => plain,
        };
        Some(intern!(self.types, TypeId, ty))
    }

    fn label(
        &mut self,
        side: Which,
        id: LabelId,
        of: Side,
        arguments: &[ArgumentId],
    ) -> Option<LabelId> {
        let term = self.sides.of(side).labels.get(id.index())?;
        let mut parts = Vec::new();
        for (index, lattice) in self.policy.lattices.iter().enumerate() {
            let own = self.closed.of(side).iter().position(|own| *own == index);
            parts.push(match own.and_then(|own| term.parts.get(own)) {
                Some(LabelPart::Level(level)) => LabelPart::Level(*level),
                Some(LabelPart::Named(value)) => {
                    LabelPart::Named(self.operand(side, value, arguments)?)
                }
                None => LabelPart::Level(match of {
                    Side::Data => lattice.bottom()?,
                    Side::Bound => lattice.top()?,
                }),
            });
        }
        let mut sets = Vec::new();
        for (index, lattice) in self.policy.open.iter().enumerate() {
            let own = self.open.of(side).iter().position(|own| *own == index);
            sets.push(match (own.and_then(|own| term.sets.get(own)), of) {
                (Some(SetTerm::All), _) => SetTerm::All,
                (Some(SetTerm::Of(names)), _) => {
                    let names = names.iter().map(|name| {
                        let value = self.operand(side, &name.value, arguments)?;
                        Some(Names { value, optional: name.optional })
                    });
                    SetTerm::Of(names.collect::<Option<_>>()?)
                }
                (None, Side::Data) if lattice.joins_by_union() => SetTerm::Of(Vec::new()),
                (None, Side::Bound) if !lattice.joins_by_union() => SetTerm::Of(Vec::new()),
                (None, _) => SetTerm::All,
            });
        }
        Some(intern!(self.labels, LabelId, LabelTerm { parts, sets }))
    }

    fn operand(&self, side: Which, operand: &Operand, arguments: &[ArgumentId]) -> Option<Operand> {
        Some(match operand {
            Operand::Literal(_) | Operand::Field(_) => operand.clone(),
            Operand::Fact(fact, path) => {
                Operand::Fact(*self.fact_ids.of(side).get(fact.index())?, path.clone())
            }
            Operand::Argument(argument, path) => {
                Operand::Argument(*arguments.get(argument.index())?, path.clone())
            }
            Operand::Derived(function, source) => {
                Operand::Derived(*function, Box::new(self.operand(side, source, arguments)?))
            }
        })
    }

    fn condition(
        &mut self,
        side: Which,
        id: ConditionId,
        arguments: &[ArgumentId],
    ) -> Option<ConditionId> {
        let condition = self.sides.of(side).conditions.get(id.index())?.clone();
        let operand = |of: &Self, operand: &Operand| of.operand(side, operand, arguments);
        let condition = match condition {
            Condition::Context(label) => {
                Condition::Context(self.label(side, label, Side::Bound, arguments)?)
            }
            Condition::Compare(how, a, b) => {
                Condition::Compare(how, operand(self, &a)?, operand(self, &b)?)
            }
            Condition::In(a, b) => Condition::In(operand(self, &a)?, operand(self, &b)?),
            Condition::SubsetOf(a, b) => {
                Condition::SubsetOf(operand(self, &a)?, operand(self, &b)?)
            }
            Condition::Present(a) => Condition::Present(operand(self, &a)?),
            Condition::Matches(a, pattern) => Condition::Matches(operand(self, &a)?, pattern),
            Condition::Not(inner) => Condition::Not(self.condition(side, inner, arguments)?),
            Condition::All(parts) => Condition::All(self.all(side, &parts, arguments)?),
            Condition::Any(parts) => Condition::Any(self.all(side, &parts, arguments)?),
        };
        Some(intern!(self.conditions, ConditionId, condition))
    }

    fn all(
        &mut self,
        side: Which,
        parts: &[ConditionId],
        arguments: &[ArgumentId],
    ) -> Option<Vec<ConditionId>> {
        parts.iter().map(|part| self.condition(side, *part, arguments)).collect()
    }

    /// The arguments of both: what has one name and type is one.
    fn arguments(&mut self, tools: Both<&Tool>) -> Option<(Vec<Argument>, Both<Vec<String>>)> {
        let (mut both, mut names) = (Vec::<Argument>::new(), Both::<Vec<String>>::default());
        for side in [Which::New, Which::Old] {
            for argument in &tools.of(side).arguments {
                let ty = self.ty(side, argument.ty)?;
                let known = both.iter_mut().find(|known| known.name == argument.name);
                let name = match known {
                    Some(known) if known.ty == ty => {
                        known.required |= argument.required;
                        names.of_mut(side).push(argument.name.clone());
                        continue;
                    }
                    Some(_) => before(&argument.name),
                    None => argument.name.clone(),
                };
                names.of_mut(side).push(name.clone());
                // What only one side knows may be left out for the other's sake.
                let knows = |tool: &Tool| tool.arguments.iter().any(|a| a.name == argument.name);
                let required = argument.required && [tools.old, tools.new].into_iter().all(knows);
                let default = argument.default.clone();
                both.push(Argument { name, ty, required, default });
            }
        }
        Some((both, names))
    }

    fn tool(
        &mut self,
        side: Which,
        tool: &Tool,
        both: &[Argument],
        names: &[String],
    ) -> Option<ToolId> {
        let ids: Vec<ArgumentId> = names
            .iter()
            .map(|name| {
                let index = both.iter().position(|argument| argument.name == *name)?;
                u32::try_from(index).ok().map(ArgumentId)
            })
            .collect::<Option<_>>()?;
        let mut rules = Vec::new();
        for rule in &tool.rules {
            let when = match rule.when {
                Some(when) => Some(self.condition(side, when, &ids)?),
                None => None,
            };
            rules.push(Rule { effect: rule.effect, when });
        }
        let any = intern!(self.types, TypeId, Type::Any);
        let index = self.policy.tools.len();
        self.policy.tools.push(Tool {
            name: format!("{index:08}"),
            description: String::new(),
            schema: "{}".to_owned(),
            arguments: both.to_vec(),
            format: Format::Text,
            form: Vec::new(),
            nodes: vec![Node {
                kinds: vec![NodeKind::Leaf(any)],
                tag: None,
                shows: Vec::new(),
                label: None,
                record_of: None,
            }],
            errors: LabelRule { alternatives: Vec::new(), otherwise: self.policy.messages.system },
            writes: Vec::new(),
            endorsements: Vec::new(),
            rules,
        });
        u32::try_from(index).ok().map(ToolId)
    }
}

/// Levels of one name, and those that only one side has with the top of the other.
fn pairs(old: &Lattice, new: &Lattice) -> Vec<[LevelId; 2]> {
    let mut pairs = Vec::new();
    for level in old.ids() {
        let other = new.level(old.level_name(level)).or_else(|| new.top());
        pairs.extend(other.map(|other| [level, other]));
    }
    for level in new.ids() {
        if old.level(new.level_name(level)).is_none() {
            pairs.extend(old.top().map(|top| [top, level]));
        }
    }
    pairs
}
