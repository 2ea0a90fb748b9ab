//! Small random policies whose labels, values and calls can all be tried.

use rtbas_artifact::ir::{
    Alternative, Argument, ArgumentId, Cell, CellId, CellPart, Claim, Comparison, Condition,
    ConditionId, Downgrade, DowngradeId, DowngradeWord, Effect, Endorsement, Exception, Fact,
    FactId, Field, Format, LabelId, LabelRule, Messages, Node, NodeField, NodeId, NodeKind,
    Operand, Outsiders, Policy, Rule, Store, StoreId, Target, Tool, ToolId, Type, TypeId, Write,
    WriteKind,
};
use rtbas_artifact::value::Value;

use crate::generate::dice::Dice;
use crate::generate::lattices;
use crate::generate::tables::Tables;
use crate::monitor::Label;

/// Most labels of a policy.
const LABELS: usize = 12;
const CLAIMS: usize = 3;
const NAMES: [&str; 5] = ["t0", "t1", "t2", "t3", "t4"];

/// A policy, out of a tape.
#[must_use]
pub fn policy(tape: &[u32]) -> Policy {
    let mut dice = Dice::new(tape);
    let mut first = lattices::lattice(&mut dice, "first");
    for _ in 0..3 {
        // Of two levels there is little to say.
        if first.levels.len() < 4 {
            first = lattices::lattice(&mut dice, "first");
        }
    }
    let mut closed = vec![first.clone()];
    if dice.chance(40) {
        let second = lattices::lattice(&mut dice, "second");
        if first.levels.len() * second.levels.len() <= LABELS {
            closed.push(second);
        }
    }
    let mut tables = Tables::new(closed, Vec::new());
    let labels = tables.space.labels();
    let text = |text: &str| Value::Text(text.to_owned());
    let word = tables.ty(Type::Enumeration(vec![text("a"), text("b")]));
    let bool = tables.ty(Type::Bool);
    let (facts, cells, sources) = (Vec::new(), Vec::new(), Vec::new());
    let mut draw = Draw { dice, tables, labels, word, bool, facts, cells, sources };
    draw.all()
}

struct Draw<'t> {
    dice: Dice<'t>,
    tables: Tables,
    labels: Vec<Label>,
    word: TypeId,
    bool: TypeId,
    facts: Vec<Fact>,
    cells: Vec<Cell>,
    /// The labels that results may have.
    sources: Vec<Label>,
}

/// Something that a condition may read, with its type.
type Source = (Operand, TypeId);

impl Draw<'_> {
    fn all(&mut self) -> Policy {
        let bottom = self.tables.space.bottom();
        for index in 0..self.dice.below(3) {
            let ty = self.scalar();
            self.facts.push(Fact { name: format!("fact{index}"), ty });
        }
        let system = self.tables.constant(&bottom);
        let any = self.any();
        // Above the top there is nothing to claim.
        let is_top = any == self.tables.space.top();
        let floor = if self.dice.chance(92) && !is_top { any } else { bottom };
        let user = self.tables.constant(&floor);
        let reply = self.any_above(&floor);
        let reply = self.tables.constant(&reply);
        let stores: Vec<Store> = (0..self.dice.between(1, 3)).map(|id| self.store(id)).collect();
        let mut tools = Vec::new();
        let mut downgrades = Vec::new();
        let count = self.dice.between(2, 5);
        for (name, id) in NAMES.into_iter().take(count).zip((0..).map(ToolId)) {
            let tool = self.tool(name, stores.len(), &floor);
            downgrades.extend(self.downgrade(id, &tool, downgrades.len()));
            tools.push(tool);
        }
        let claims = (0..CLAIMS)
            .map(|_| self.claim(&tools, (stores.len(), downgrades.len()), &floor))
            .collect();
        Policy {
            name: "small".to_owned(),
            edition: 1,
            version: 1,
            lattices: self.tables.lattices.clone(),
            open: Vec::new(),
            labels: self.tables.labels.clone(),
            types: self.tables.types.clone(),
            conditions: self.tables.conditions.clone(),
            facts: self.facts.clone(),
            messages: Messages { system, user, reply },
            stores,
            cells: self.cells.clone(),
            tools,
            downgrades,
            claims,
        }
    }

    fn any(&mut self) -> Label {
        self.dice.pick(&self.labels).cloned().unwrap_or_default()
    }

    fn any_above(&mut self, floor: &Label) -> Label {
        let any = self.any();
        self.tables.space.join(&any, floor)
    }

    fn scalar(&mut self) -> TypeId {
        if self.dice.chance(25) { self.bool } else { self.word }
    }

    fn value(&mut self, ty: TypeId) -> Value {
        let second = self.dice.chance(50);
        if ty == self.bool {
            return Value::Bool(second);
        }
        Value::Text(if second { "b" } else { "a" }.to_owned())
    }

    /// A store of records of two fields; the label of the second may depend on the first.
    fn store(&mut self, index: usize) -> Store {
        let id = StoreId(u32::try_from(index).unwrap_or(0));
        let field = |name: &str, ty| Field { name: name.to_owned(), ty, required: true };
        let fields = vec![field("f", self.word), field("g", self.word)];
        let record = self.tables.ty(Type::Record { fields, open: false });
        let low = self.any_or_bottom();
        let first = self.tables.always(&low);
        let any = self.any_or_bottom();
        let high = self.tables.space.join(&any, &low);
        self.sources.extend([low.clone(), high.clone()]);
        let second = match self.dice.chance(40) {
            false => self.tables.always(&high),
            true => {
                let between = self.any_above(&low);
                let between = self.tables.space.meet(&between, &high);
                let read = (Operand::Field(vec!["f".to_owned()]), self.word);
                let when = self.atom(&[read]);
                let label = self.tables.constant(&between);
                let otherwise = self.tables.constant(&high);
                LabelRule { alternatives: vec![Alternative { when, label }], otherwise }
            }
        };
        let shape = if self.dice.chance(80) { low } else { self.any_or_bottom() };
        self.sources.push(shape.clone());
        let shape = self.tables.always(&shape);
        let part = |name: &str| CellPart::Field(name.to_owned());
        let cells = [(part("f"), first), (part("g"), second), (CellPart::Shape, shape)];
        for (part, label) in cells {
            let ty = (part != CellPart::Shape).then_some(self.word);
            let required = part != CellPart::Shape;
            self.cells.push(Cell { store: id, part, label, because: None, ty, required });
        }
        let outsiders = self.dice.chance(30).then(|| {
            let any = self.any();
            Outsiders { read: Some(self.tables.constant(&any)), write: None }
        });
        Store { name: format!("s{index}"), record, outsiders }
    }

    fn tool(&mut self, name: &str, stores: usize, floor: &Label) -> Tool {
        let arguments: Vec<Argument> = (0..self.dice.below(3))
            .map(|index| {
                let (ty, required) = (self.scalar(), !self.dice.chance(15));
                Argument { name: format!("x{index}"), ty, required, default: None }
            })
            .collect();
        let of_call: Vec<Source> = arguments
            .iter()
            .zip(0..)
            .map(|(a, id)| (Operand::Argument(ArgumentId(id), Vec::new()), a.ty))
            .chain(self.of_facts())
            .collect();
        let nodes = match self.dice.chance(60) {
            true => self.records(stores),
            false => vec![self.leaf(&of_call)],
        };
        let errors = self.any_or_bottom();
        self.sources.push(errors.clone());
        let errors = self.tables.always(&errors);
        let writes = if self.dice.chance(55) { self.writes(stores, &arguments) } else { vec![] };
        let endorsements = self.endorsements(&writes);
        Tool {
            name: name.to_owned(),
            description: String::new(),
            schema: "{}".to_owned(),
            arguments,
            format: Format::Json,
            form: Vec::new(),
            nodes,
            errors,
            writes,
            endorsements,
            rules: self.rules(&of_call, floor),
        }
    }

    /// A label, seldom the top: what is there already need not be put together.
    fn any_or_bottom(&mut self) -> Label {
        let any = self.any();
        let is_top = any == self.tables.space.top();
        match self.dice.chance(50) || is_top && self.dice.chance(90) {
            true => self.tables.space.bottom(),
            false => any,
        }
    }

    fn of_facts(&self) -> Vec<Source> {
        let facts = self.facts.iter().zip(0..);
        facts.map(|(fact, id)| (Operand::Fact(FactId(id), Vec::new()), fact.ty)).collect()
    }

    /// A list of the records of a store.
    fn records(&mut self, stores: usize) -> Vec<Node> {
        let store = self.dice.below(stores);
        let cell = |part: usize| CellId(u32::try_from(store * 3 + part).unwrap_or(0));
        let node = |kind, cell| Node {
            kinds: vec![kind],
            tag: None,
            shows: vec![cell],
            label: None,
            record_of: None,
        };
        let field = |name: &str, node| NodeField {
            name: name.to_owned(),
            node: NodeId(node),
            required: true,
        };
        let fields = vec![field("f", 0), field("g", 1)];
        let mut record = node(NodeKind::Record(fields), cell(2));
        record.record_of = Some(StoreId(u32::try_from(store).unwrap_or(0)));
        vec![
            node(NodeKind::Leaf(self.word), cell(0)),
            node(NodeKind::Leaf(self.word), cell(1)),
            record,
            node(NodeKind::List(NodeId(2)), cell(2)),
        ]
    }

    /// A value with a label of its own.
    fn leaf(&mut self, of_call: &[Source]) -> Node {
        let high = self.any_or_bottom();
        let otherwise = self.tables.constant(&high);
        self.sources.push(high.clone());
        let mut alternatives = Vec::new();
        if !of_call.is_empty() && self.dice.chance(40) {
            let any = self.any();
            let low = self.tables.space.meet(&any, &high);
            let (when, label) = (self.atom(of_call), self.tables.constant(&low));
            alternatives.push(Alternative { when, label });
        }
        let label = Some(LabelRule { alternatives, otherwise });
        let kinds = vec![NodeKind::Leaf(self.word)];
        Node { kinds, tag: None, shows: Vec::new(), label, record_of: None }
    }

    fn writes(&mut self, stores: usize, arguments: &[Argument]) -> Vec<Write> {
        let store = self.dice.below(stores);
        let how = [WriteKind::Any, WriteKind::Adds, WriteKind::Changes];
        let how = self.dice.pick(&how).copied().unwrap_or(WriteKind::Any);
        let from: Vec<ArgumentId> = (0..).map(ArgumentId).take(arguments.len()).collect();
        let mut writes = Vec::new();
        for part in 0..3_usize {
            if part == 2 && how == WriteKind::Changes || !self.dice.chance(75) {
                continue;
            }
            let cell = CellId(u32::try_from(store * 3 + part).unwrap_or(0));
            let value = (part < 2 && self.dice.chance(40)).then(|| {
                let words =
                    from.iter().zip(arguments).filter(|(_, a)| a.ty == self.word && a.required);
                let words: Vec<ArgumentId> = words.map(|(id, _)| *id).collect();
                match self.dice.pick(&words).copied() {
                    Some(id) if self.dice.chance(50) => Operand::Argument(id, Vec::new()),
                    _ => Operand::Literal(self.value(self.word)),
                }
            });
            writes.push(Write { cell, from: from.clone(), value, how });
        }
        writes
    }

    fn endorsements(&mut self, writes: &[Write]) -> Vec<Endorsement> {
        let mut endorse = |percent, unasked| {
            let cells: Vec<CellId> = writes.iter().map(|write| write.cell).collect();
            let is_drawn = !cells.is_empty() && self.dice.chance(percent);
            is_drawn.then(|| Endorsement { cells, because: "so".to_owned(), unasked })
        };
        let (unasked, approved) = (endorse(55, true), endorse(92, false));
        unasked.into_iter().chain(approved).collect()
    }

    fn rules(&mut self, of_call: &[Source], floor: &Label) -> Vec<Rule> {
        let always = |effect| Rule { effect, when: None };
        if self.dice.chance(35) {
            return vec![always(Effect::Allow)];
        }
        if self.dice.chance(16) {
            // Stricter where there is less taint.
            let bound = self.any_above(floor);
            let bound = self.tables.constant(&bound);
            let when = Some(self.tables.condition(Condition::Context(bound)));
            return vec![Rule { effect: Effect::Confirm, when }, always(Effect::Allow)];
        }
        let mut rules = Vec::new();
        if !of_call.is_empty() && self.dice.chance(20) {
            rules.push(Rule { effect: Effect::Deny, when: Some(self.atom(of_call)) });
        }
        if self.dice.chance(85) {
            for _ in 0..self.dice.between(1, 2).min(1 + self.dice.below(2)) {
                let effect = if self.dice.chance(88) { Effect::Allow } else { Effect::Confirm };
                let bound = match self.dice.chance(95) {
                    true => self.any(),
                    false => self.any_above(floor),
                };
                let bound = self.tables.constant(&bound);
                let mut all = vec![self.tables.condition(Condition::Context(bound))];
                if !of_call.is_empty() && self.dice.chance(60) {
                    all.push(self.condition(of_call));
                }
                let when = match all.as_slice() {
                    [only] => *only,
                    _ => self.tables.condition(Condition::All(all)),
                };
                rules.push(Rule { effect, when: Some(when) });
            }
        }
        let last = [Effect::Confirm, Effect::Confirm, Effect::Confirm, Effect::Deny];
        rules.push(always(self.dice.pick(&last).copied().unwrap_or(Effect::Deny)));
        rules
    }

    fn condition(&mut self, sources: &[Source]) -> ConditionId {
        let first = self.atom(sources);
        let condition = match self.dice.below(4) {
            0 => Condition::Not(first),
            1 => Condition::Any(vec![first, self.atom(sources)]),
            2 => Condition::All(vec![first, self.atom(sources)]),
            _ => return first,
        };
        self.tables.condition(condition)
    }

    fn atom(&mut self, sources: &[Source]) -> ConditionId {
        let Some((read, ty)) = self.dice.pick(sources).cloned() else {
            return self.tables.condition(Condition::All(Vec::new()));
        };
        let same: Vec<Operand> = sources
            .iter()
            .filter(|(other, of)| *of == ty && *other != read)
            .map(|(other, _)| other.clone())
            .collect();
        let value = Operand::Literal(self.value(ty));
        let other = match self.dice.pick(&same).cloned() {
            Some(other) if self.dice.chance(30) => other,
            _ => value,
        };
        let condition = match self.dice.below(6) {
            0 => Condition::Compare(Comparison::NotEqual, read, other),
            1 => {
                let list = Value::List(vec![self.value(ty)]);
                Condition::In(read, Operand::Literal(list))
            }
            2 => Condition::Present(read),
            _ => Condition::Compare(Comparison::Equal, read, other),
        };
        self.tables.condition(condition)
    }

    fn downgrade(&mut self, id: ToolId, tool: &Tool, index: usize) -> Option<Downgrade> {
        if !self.dice.chance(30) {
            return None;
        }
        let leaves = tool.nodes.iter().zip((0..).map(NodeId));
        let leaves: Vec<NodeId> =
            leaves.filter(|(node, _)| node.leaf().is_some()).map(|(_, id)| id).collect();
        let node = self.dice.pick(&leaves).copied()?;
        let from = self.any();
        let any = self.any();
        let to = self.tables.space.meet(&any, &from);
        let mut sources = self.of_facts();
        if tool.nodes.len() > 1 {
            sources.push((Operand::Field(vec!["f".to_owned()]), self.word));
        }
        let when = (!sources.is_empty() && self.dice.chance(40)).then(|| self.atom(&sources));
        let value = (Operand::Field(Vec::new()), self.word);
        let checked = self.dice.chance(40).then(|| self.atom(&[value]));
        let [from, to] = [from, to].map(|label| self.tables.constant(&label));
        Some(Downgrade {
            name: format!("d{index}"),
            word: DowngradeWord::Endorse,
            tool: id,
            node,
            from,
            to,
            when,
            checked,
            by: "us".to_owned(),
            because: "so".to_owned(),
        })
    }

    /// A level for a claim, often one that a context of the tool cannot openly have.
    fn level(&mut self, tools: &[&Tool], floor: &Label) -> LabelId {
        let mut bounds = Vec::new();
        for when in tools.iter().flat_map(|tool| &tool.rules).filter_map(|rule| rule.when) {
            bounds.extend(self.bounds(when));
        }
        let space = &self.tables.space;
        let above = self.labels.iter().filter(|label| !space.flows(label, floor));
        let above: Vec<Label> = above.cloned().collect();
        let beyond = |label: &&Label| !bounds.iter().any(|bound| space.flows(label, bound));
        let hidden: Vec<Label> = above.iter().filter(beyond).cloned().collect();
        let single = |label: &Label| self.sources.iter().any(|s| space.flows(label, s));
        let pairs = || self.sources.iter().flat_map(|a| self.sources.iter().map(move |b| (a, b)));
        // What two results have together, and none alone.
        let split = |label: &&Label| {
            !single(label) && pairs().any(|(a, b)| space.flows(label, &space.join(a, b)))
        };
        let split: Vec<Label> = above.iter().filter(split).cloned().collect();
        let choices = [split, hidden, above];
        let first = [0, 0, 0, 0, 1].get(self.dice.below(5)).copied().unwrap_or(0);
        let chosen = choices.iter().cycle().skip(first).take(3).find(|labels| !labels.is_empty());
        let level = match chosen {
            Some(labels) => self.dice.pick(labels).cloned().unwrap_or_default(),
            None => self.any(),
        };
        self.tables.constant(&level)
    }

    /// The bounds of a condition.
    fn bounds(&self, condition: ConditionId) -> Vec<Label> {
        match self.tables.conditions.get(condition.index()) {
            Some(Condition::Context(bound)) => {
                vec![self.tables.bound(*bound, &self.tables.space.top())]
            }
            Some(Condition::All(parts)) => {
                parts.iter().flat_map(|part| self.bounds(*part)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn claim(
        &mut self,
        tools: &[Tool],
        (stores, downgrades): (usize, usize),
        floor: &Label,
    ) -> Claim {
        let tool = self.dice.below(tools.len());
        let id = ToolId(u32::try_from(tool).unwrap_or(0));
        let arguments = tools.get(tool).map_or(&[][..], |tool| &tool.arguments);
        let cells = stores * 3;
        let target = match self.dice.below(18) {
            0 => Target::Reply,
            1 => Target::Store(StoreId(u32::try_from(self.dice.below(stores)).unwrap_or(0))),
            2 => Target::Cell(CellId(u32::try_from(self.dice.below(cells)).unwrap_or(0))),
            3 if !arguments.is_empty() => Target::Argument(id, ArgumentId(0)),
            _ => Target::Tool(id),
        };
        let of_call: Vec<Source> = match target {
            Target::Tool(_) | Target::Argument(..) => arguments
                .iter()
                .zip(0..)
                .map(|(a, id)| (Operand::Argument(ArgumentId(id), Vec::new()), a.ty))
                .chain(self.of_facts())
                .collect(),
            _ => self.of_facts(),
        };
        let unless =
            (!of_call.is_empty() && self.dice.chance(35)).then(|| self.condition(&of_call));
        let sinks: Vec<&Tool> = match &target {
            Target::Reply => Vec::new(),
            Target::Tool(_) | Target::Argument(..) => tools.get(tool).into_iter().collect(),
            Target::Store(StoreId(store)) => {
                let writes = |write: &Write| write.cell.0 / 3 == *store;
                tools.iter().filter(|tool| tool.writes.iter().any(writes)).collect()
            }
            Target::Cell(cell) => {
                let writes = |write: &Write| write.cell == *cell;
                tools.iter().filter(|tool| tool.writes.iter().any(writes)).collect()
            }
        };
        let level = self.level(&sinks, floor);
        let mut via = Vec::new();
        if self.dice.chance(12) {
            let of = self.dice.chance(50).then_some(id);
            via.push(Exception::Approval(of));
        }
        if downgrades > 0 && self.dice.chance(40) {
            let id = u32::try_from(self.dice.below(downgrades)).unwrap_or(0);
            via.push(Exception::Downgrade(DowngradeId(id)));
        }
        Claim { level, target, unless, via }
    }
}
