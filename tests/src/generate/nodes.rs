//! The regions of a tool's results.
//!
//! Own labels read what stands earlier in the same record. Cells' labels read what the record holds
//! in the fields of these names, whatever it shows there; `raise` sees to it that O3 holds for
//! the whole, if that is asked.

use rtbas_artifact::ir::{
    Cell, CellId, Format, LabelRule, Node, NodeField, NodeId, NodeKind, Operand, StoreId, Type,
    TypeId,
};
use rtbas_artifact::value::Value;

use crate::generate::Style;
use crate::generate::conditions::{Place, Source};
use crate::generate::dice::Dice;
use crate::generate::downgrades::{Asked, Draft};
use crate::generate::stores::Shelf;
use crate::generate::tables::Tables;
use crate::generate::values::{self, Use};
use crate::monitor::Label;

/// A generator of nodes.
#[derive(Debug)]
pub struct Shape<'a, 't> {
    /// What chooses.
    pub dice: &'a mut Dice<'t>,
    /// Where labels go.
    pub tables: &'a mut Tables,
    /// The stores.
    pub shelves: &'a [Shelf],
    /// Their cells.
    pub cells: &'a [Cell],
    /// Facts and arguments.
    pub sources: &'a [Source],
    /// What is asked of the policy.
    pub style: Style,
    /// The nodes so far.
    pub nodes: Vec<Node>,
    /// The tag of the node that is added next.
    pub tag: Option<String>,
    /// Downgrades of the nodes so far.
    pub drafts: Vec<Draft>,
}

/// The record of a store around a node.
#[derive(Clone, Debug, Default)]
struct Around {
    /// The names that lead to the node from there; none if no path of names does, or if there is no
    /// such record.
    path: Option<Vec<String>>,
    /// What later labels in the record can read.
    fields: Vec<Source>,
}

impl Around {
    /// The path to a field of the node.
    fn path_to(&self, name: &str) -> Option<Vec<String>> {
        self.path.iter().map(|path| [path, &[name.to_owned()][..]].concat()).next()
    }
}

impl Shape<'_, '_> {
    /// Nodes of results in a format, and downgrades of them.
    pub fn result(mut self, format: Format) -> (Vec<Node>, Vec<Draft>) {
        let mut around = Around::default();
        match format {
            Format::Text if self.dice.chance(50) => self.form(),
            Format::Text => {
                let ty = match self.dice.below(4) {
                    0 | 1 => self.tables.ty(Type::Text),
                    _ => values::ty(self.dice, self.tables, Use::Other, 1),
                };
                self.leaf(ty, None, &around);
            }
            _ => drop(self.any(2, &mut around)),
        }
        match self.style {
            Style::Free => {}
            Style::Swayed => raise(self.tables, self.cells, &mut self.nodes, &[]),
            Style::Sound => {
                raise(self.tables, self.cells, &mut self.nodes, &self.drafts);
                for index in 0..self.drafts.len() {
                    let Some(node) = self.drafts.get(index).map(|draft| draft.node) else { break };
                    let (cells, nodes, drafts) = (self.cells, &self.nodes, &self.drafts);
                    let read = read(self.tables, cells, nodes, drafts, node.index());
                    if let Some(draft) = self.drafts.get_mut(index) {
                        draft.raise(self.tables, &read);
                    }
                }
            }
        }
        (self.nodes, self.drafts)
    }

    /// A record whose fields stand in a text.
    fn form(&mut self) {
        let around = Around::default();
        let mut fields = Vec::new();
        for name in ["p", "q", "r"].into_iter().take(self.dice.between(1, 3)) {
            let ty = match self.dice.chance(60) {
                true => self.tables.ty(Type::Text),
                false => values::ty(self.dice, self.tables, Use::Other, 1),
            };
            let node = self.leaf(ty, None, &around);
            fields.push(NodeField { name: name.to_owned(), node, required: true });
        }
        let shape = self.dice.pick(self.shelves).map(|shelf| shelf.whole);
        let shows = shape.filter(|_| self.dice.chance(40)).into_iter().collect();
        self.add(vec![NodeKind::Record(fields)], shows, None, &around);
    }

    fn any(&mut self, depth: usize, around: &mut Around) -> NodeId {
        match self.dice.below(12) {
            0..=3 if depth > 0 => self.list(depth - 1, around),
            4..=7 => self.record_of(depth, around),
            8 if depth > 0 => self.record(depth - 1, around),
            9 if depth > 0 => self.map(depth - 1, around),
            10 => self.one_of(depth, around),
            _ => {
                let ty = values::ty(self.dice, self.tables, Use::Other, 1);
                self.leaf(ty, None, around)
            }
        }
    }

    fn list(&mut self, depth: usize, around: &mut Around) -> NodeId {
        let mut inside = Around { path: None, fields: around.fields.clone() };
        let element = match self.dice.below(5) {
            0..=3 => self.record_of(depth, &mut inside),
            _ => self.any(depth, &mut inside),
        };
        let shape = self.dice.pick(self.shelves).map(|shelf| shelf.whole);
        let shows = shape.filter(|_| self.dice.chance(80)).into_iter().collect();
        self.add(vec![NodeKind::List(element)], shows, None, around)
    }

    fn map(&mut self, depth: usize, around: &mut Around) -> NodeId {
        let mut inside = Around { path: None, fields: around.fields.clone() };
        let text = self.tables.ty(Type::Text);
        let key = self.leaf(text, None, &inside);
        let value = match self.dice.below(3) {
            0 => self.record_of(depth, &mut inside),
            _ => self.any(depth, &mut inside),
        };
        let shape = self.dice.pick(self.shelves).map(|shelf| shelf.whole);
        let shows = shape.filter(|_| self.dice.chance(80)).into_iter().collect();
        self.add(vec![NodeKind::Map { key, value }], shows, None, around)
    }

    /// One of several records of a store, or something else.
    fn one_of(&mut self, depth: usize, around: &mut Around) -> NodeId {
        let Some(shelf) = self.dice.pick(self.shelves) else { return self.record(depth, around) };
        let is_record = depth == 0 || !self.dice.chance(20);
        let mut inside = match is_record {
            true => Around { path: Some(Vec::new()), fields: Vec::new() },
            false => Around { path: None, fields: around.fields.clone() },
        };
        let mut kinds = Vec::new();
        if self.dice.chance(60) {
            let ty = [Type::Null, Type::Text, Type::Bool];
            let ty = self.dice.pick(&ty).cloned().unwrap_or(Type::Null);
            kinds.push(NodeKind::Leaf(self.tables.ty(ty)));
        }
        let records = self.dice.between(1, 3);
        for record in 0..records {
            let mut fields = Vec::new();
            if records > 1 {
                let value = Value::Text(format!("u{record}"));
                let ty = self.tables.ty(Type::Enumeration(vec![value]));
                let cell = shelf.fields.first().map(|column| column.cell);
                let node = self.below("tag", &mut inside, |this, a| this.leaf(ty, cell, a));
                fields.push(NodeField { name: "tag".to_owned(), node, required: true });
            }
            for column in &shelf.fields {
                if self.dice.chance(40) {
                    continue;
                }
                let (ty, cell) = (column.ty, Some(column.cell));
                let node = self.below(&column.name, &mut inside, |this, a| this.leaf(ty, cell, a));
                fields.push(self.field(&column.name, node));
            }
            if self.dice.chance(50) {
                fields.reverse();
            }
            kinds.push(NodeKind::Record(fields));
        }
        if !is_record {
            kinds.push(NodeKind::List(self.any(depth - 1, &mut inside)));
        }
        let mut shows: Vec<CellId> = vec![shelf.whole];
        shows.extend(shelf.fields.first().map(|column| column.cell).filter(|c| *c != shelf.whole));
        self.tag = (records > 1).then(|| "tag".to_owned());
        self.add(
            kinds,
            shows,
            is_record.then_some(shelf.id),
            if is_record { &inside } else { around },
        )
    }

    /// A record of a store.
    fn record_of(&mut self, depth: usize, around: &mut Around) -> NodeId {
        let Some(shelf) = self.dice.pick(self.shelves) else { return self.record(depth, around) };
        let mut inside = Around { path: Some(Vec::new()), fields: Vec::new() };
        let mut fields = Vec::new();
        for column in &shelf.fields {
            if self.dice.chance(12) {
                continue;
            }
            // Now and then the field is mixed up with that of another store.
            let mixed_up = self.dice.pick(self.shelves).filter(|_| self.dice.chance(60));
            let other = mixed_up.and_then(|s| s.fields.iter().find(|c| c.name == column.name));
            let (ty, cell) = (column.ty, Some(other.unwrap_or(column).cell));
            let node = self.below(&column.name, &mut inside, |this, a| this.leaf(ty, cell, a));
            fields.push(self.field(&column.name, node));
        }
        if self.dice.chance(15) {
            let ty = values::ty(self.dice, self.tables, Use::Other, 1);
            let node = self.below("extra", &mut inside, |this, a| this.leaf(ty, None, a));
            fields.push(self.field("extra", node));
        }
        if depth > 0 && self.dice.chance(45) {
            let node = self.below("more", &mut inside, |this, around| this.any(depth - 1, around));
            fields.push(self.field("more", node));
        }
        let mut shows: Vec<CellId> =
            self.dice.chance(50).then_some(shelf.whole).into_iter().collect();
        // Which of the fields are there is the record's own.
        for column in &shelf.fields {
            let may_lack = fields.iter().any(|f| f.name == column.name && !f.required);
            if may_lack && !shows.contains(&column.cell) && self.dice.chance(70) {
                shows.push(column.cell);
            }
        }
        self.add(vec![NodeKind::Record(fields)], shows, Some(shelf.id), &inside)
    }

    /// A record of no store.
    fn record(&mut self, depth: usize, around: &mut Around) -> NodeId {
        let mut fields = Vec::new();
        for name in ["p", "q", "r"].into_iter().take(self.dice.between(1, 3)) {
            let node = self.below(name, around, |this, around| match depth {
                1.. if this.dice.chance(50) => this.any(depth - 1, around),
                _ => {
                    let ty = values::ty(this.dice, this.tables, Use::Other, 1);
                    this.leaf(ty, None, around)
                }
            });
            fields.push(self.field(name, node));
        }
        let shows = self.dice.pick(self.shelves).map(|shelf| shelf.whole);
        let shows = shows.filter(|_| self.dice.chance(40)).into_iter().collect();
        self.add(vec![NodeKind::Record(fields)], shows, None, around)
    }

    fn field(&mut self, name: &str, node: NodeId) -> NodeField {
        NodeField { name: name.to_owned(), node, required: !self.dice.chance(35) }
    }

    /// Adds the node of a field. Later labels in the record around can read it if it is a leaf; what
    /// they can read inside of it lies below it as soon as it is read from outside.
    fn below(
        &mut self,
        name: &str,
        around: &mut Around,
        add: impl FnOnce(&mut Self, &mut Around) -> NodeId,
    ) -> NodeId {
        let outside = around.path.clone();
        around.path = around.path_to(name);
        let node = add(self, around);
        let path = std::mem::replace(&mut around.path, outside);
        let added = self.nodes.get(node.index());
        let (Some(path), Some(added)) = (path, added) else { return node };
        let ceiling = ceiling(self.tables, self.cells, added);
        for source in &mut around.fields {
            if matches!(&source.operand, Operand::Field(inside) if inside.starts_with(&path)) {
                source.ceiling = self.tables.space.join(&source.ceiling, &ceiling);
            }
        }
        if let [NodeKind::Leaf(ty)] = *added.kinds.as_slice() {
            around.fields.extend(Source::all(self.tables, &Operand::Field(path), ty, &ceiling));
        }
        node
    }

    fn leaf(&mut self, ty: TypeId, cell: Option<CellId>, around: &Around) -> NodeId {
        let mut shows: Vec<CellId> = cell.into_iter().collect();
        if cell.is_none() || self.dice.chance(30) {
            let all: Vec<CellId> = (0..).map(CellId).take(self.cells.len()).collect();
            let other = self.dice.pick(&all).copied().filter(|other| !shows.contains(other));
            shows.extend(other.filter(|_| self.dice.chance(75)));
        }
        self.add(vec![NodeKind::Leaf(ty)], shows, None, around)
    }

    fn add(
        &mut self,
        kinds: Vec<NodeKind>,
        shows: Vec<CellId>,
        record_of: Option<StoreId>,
        around: &Around,
    ) -> NodeId {
        let is_bare = shows.is_empty() && !self.dice.chance(12);
        let is_leaf = matches!(kinds.as_slice(), [NodeKind::Leaf(_)]);
        let label = (is_bare || self.dice.chance(15)).then(|| match is_leaf {
            // A shape is most often for all to see.
            false if !self.dice.chance(25) => self.tables.always(&self.tables.space.bottom()),
            _ => {
                // What lies in a region has at least its label, which must not depend on it then.
                let inside = |source: &&Source| match (&source.operand, &around.path) {
                    (Operand::Field(field), Some(path)) => field.starts_with(path),
                    _ => false,
                };
                let readable = |s: &&Source| self.style == Style::Free || !inside(s);
                let fields = around.fields.iter().filter(readable);
                let sources: Vec<Source> = self.sources.iter().chain(fields).cloned().collect();
                Place::new(self.dice, self.tables, &sources).rule()
            }
        });
        let tag = self.tag.take();
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let mut node = Node { kinds, tag, shows, label, record_of };
        if let [NodeKind::Leaf(ty)] = *node.kinds.as_slice() {
            let sources: Vec<Source> = self.sources.iter().chain(&around.fields).cloned().collect();
            let highest = ceiling(self.tables, self.cells, &node);
            let is_low = highest == self.tables.space.bottom();
            if self.dice.chance(if is_low { 20 } else { 85 }) {
                let (dice, tables) = (&mut *self.dice, &mut *self.tables);
                let (call, around) = (self.sources, &sources);
                let mut place = Asked { dice, tables, call, around };
                let (label, draft) = match self.style {
                    Style::Swayed => place.swayed((id, ty)),
                    Style::Free | Style::Sound => (None, place.draft((id, ty), &highest)),
                };
                if label.is_some() {
                    node = Node { shows: Vec::new(), label, ..node };
                }
                self.drafts.push(draft);
            }
        }
        self.nodes.push(node);
        id
    }
}

/// The rules that label a node, and the store whose record each reads, if it is a cell's.
fn rules<'a>(cells: &'a [Cell], node: &'a Node) -> Vec<(&'a LabelRule, Option<StoreId>)> {
    let shown = node.shows.iter().filter_map(|cell| cells.get(cell.index()));
    let shown = shown.map(|cell| (&cell.label, Some(cell.store)));
    shown.chain(node.label.iter().map(|label| (label, None))).collect()
}

/// What a node's label always flows to, the labels around it aside.
fn ceiling(tables: &Tables, cells: &[Cell], node: &Node) -> Label {
    let rules = rules(cells, node);
    if rules.is_empty() {
        return tables.space.top();
    }
    let ceilings: Vec<Label> = rules.iter().map(|(rule, _)| tables.ceiling(rule)).collect();
    tables.space.join_all(&ceilings)
}

/// Gives nodes higher labels of their own until each lies, whatever is chosen, above all that its
/// labels read (O3).
fn raise(tables: &mut Tables, cells: &[Cell], nodes: &mut [Node], drafts: &[Draft]) {
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..nodes.len() {
            let read = read(tables, cells, nodes, drafts, index);
            let Some(node) = nodes.get(index) else { continue };
            let rules = rules(cells, node);
            let floors: Vec<Label> = rules.iter().map(|(rule, _)| tables.floor(rule)).collect();
            if rules.is_empty() || tables.space.flows(&read, &tables.space.join_all(&floors)) {
                continue;
            }
            let own = node.label.as_ref().map(|own| tables.ceiling(own));
            let raised = tables.space.join_all([read].iter().chain(&own));
            let raised = tables.always(&raised);
            if let Some(node) = nodes.get_mut(index) {
                node.label = Some(raised);
                changed = true;
            }
        }
    }
}

/// The join of the ceilings of all that the labels of a node, and the guards of its downgrades, read
/// in the record around it.
fn read(tables: &Tables, cells: &[Cell], nodes: &[Node], drafts: &[Draft], index: usize) -> Label {
    let mut read = tables.space.bottom();
    // The node and what is around it, innermost first. No path here ends at what is around it.
    let around: Vec<usize> = std::iter::successors(Some(index), |&i| parent(nodes, i)).collect();
    let is_record = |&&i: &&usize| nodes.get(i).is_some_and(|node| node.record_of.is_some());
    let Some(&record) = around.iter().find(is_record) else { return read };
    let (Some(node), Some(store)) = (nodes.get(index), nodes.get(record).and_then(|n| n.record_of))
    else {
        return read;
    };
    let mut operands = Vec::new();
    for (rule, of) in rules(cells, node) {
        if of.is_none_or(|of| of == store) {
            operands.extend(tables.operands(rule));
        }
    }
    for draft in drafts.iter().filter(|draft| draft.node.index() == index) {
        draft.when.iter().for_each(|&guard| tables.read(guard, &mut operands));
    }
    for operand in operands {
        let Operand::Field(path) = operand.source() else { continue };
        // What lies in a record has at least its label.
        if record == index {
            read = tables.space.join(&read, &ceiling(tables, cells, node));
        }
        // Records that are told apart may all have a field of the name.
        let mut found = vec![record];
        let mut passed = Vec::new();
        for name in path {
            let records = found.iter().filter_map(|&at| nodes.get(at)).flat_map(Node::records);
            let fields = records.flatten().filter(|field| field.name == *name);
            found = fields.map(|field| field.node.index()).collect();
            passed.extend(&found);
        }
        for at in passed {
            // What is around the node is part of its label anyhow. A node that reads itself can
            // only have one label.
            let counts = at == index || !around.contains(&at);
            if let Some(node) = nodes.get(at).filter(|_| counts) {
                read = tables.space.join(&read, &ceiling(tables, cells, node));
            }
        }
    }
    read
}

fn parent(nodes: &[Node], index: usize) -> Option<usize> {
    nodes.iter().position(|node| node.steps().iter().any(|(_, below)| below.index() == index))
}
