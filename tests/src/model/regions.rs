//! What a result is divided into, and the label of each part.
//!
//! lab(n) = δ(decl(n) ⊔ κ) ⊔ l, joined down each path, where δ are the downgrades; a result that
//! has not the declared shape is one region at the top.

use std::collections::BTreeMap;

use rtbas_artifact::ir::{
    CellId, CellPart, ConditionId, Downgrade, Format, Node, NodeId, NodeKind, StoreId, Tool, ToolId,
};
use rtbas_artifact::value::Value;

use crate::model::flaw::Flaw;
use crate::model::form;
use crate::model::logic::{Logic, Scope, Strict};
use crate::model::types::{Scalar, Types, twice};
use crate::monitor::{Label, Region};
use crate::written::{Document, Language, Written};

/// A part of a result that has its declared shape.
#[derive(Clone, Debug)]
pub struct Part {
    /// The declared node that it is.
    pub node: NodeId,
    /// How it is reached from the part around it.
    pub step: String,
    /// Its value, with all below it.
    pub value: Value,
    /// Its text.
    pub text: String,
    /// The parts before it whose words it may hold.
    pub before: Vec<NodeId>,
    /// The parts in it, in the order in which they are written.
    pub below: Vec<Part>,
}

/// The last node is the root.
fn root(tool: &Tool) -> Option<NodeId> {
    u32::try_from(tool.nodes.len()).ok()?.checked_sub(1).map(NodeId)
}

/// The parts of a result, if it has its declared shape.
#[must_use]
pub fn divide(types: &Types<'_>, tool: &Tool, document: &Document) -> Option<Part> {
    let node = root(tool)?;
    match (tool.format, document) {
        (Format::Text, document) if !tool.form.is_empty() => {
            let (text, step) = (document.text(), String::new());
            let (mut below, mut values, mut before) = (Vec::new(), BTreeMap::new(), Vec::new());
            for (field, value, text) in form::values(types, tool, &text)? {
                values.insert(field.name.clone(), value.clone());
                let (node, step) = (field.node, format!(".{}", field.name));
                let part = Part { node, step, value, text, before, below: Vec::new() };
                before = [part.before.as_slice(), &[node]].concat();
                below.push(part);
            }
            let value = Value::Record(values);
            Some(Part { node, step, value, text, before: Vec::new(), below })
        }
        (Format::Text, document) => {
            let [NodeKind::Leaf(ty)] = tool.nodes.get(node.index())?.kinds.as_slice() else {
                return None;
            };
            let text = document.text();
            let value = types.scalar(*ty, Scalar::Whole(&text))?;
            let (step, before) = (String::new(), Vec::new());
            Some(Part { node, step, value, text, before, below: Vec::new() })
        }
        (format, Document::Tree(language, written)) if Language::of(format) == Some(*language) => {
            let reader = Reader { types, tool, language: *language };
            reader.part(node, String::new(), written)
        }
        (_, Document::Text(_) | Document::Tree(..) | Document::Broken(_)) => None,
    }
}

/// What the parts of a result are read by.
#[derive(Clone, Copy, Debug)]
struct Reader<'a> {
    types: &'a Types<'a>,
    tool: &'a Tool,
    language: Language,
}

impl Reader<'_> {
    fn repeats(&self, fields: &[(String, Written)]) -> bool {
        twice(fields) && self.types.flaw != Some(Flaw::NamesMayRepeat)
    }

    /// Which of several kinds a written value is: by the brackets around it, and of records by the
    /// first value of the tag.
    fn kind<'n>(&self, node: &'n Node, written: &Written) -> Option<&'n NodeKind> {
        let of_tag = |kind: &NodeKind, fields: &[(String, Written)]| {
            let Some(tag) = &node.tag else { return true };
            let NodeKind::Record(declared) = kind else { return false };
            let field = declared.iter().find(|field| field.name == *tag);
            let node = field.and_then(|field| self.tool.nodes.get(field.node.index()));
            let ty = match node.map(|node| node.kinds.as_slice()) {
                Some([NodeKind::Leaf(ty)]) => *ty,
                _ => return false,
            };
            let value = fields.iter().find(|(name, _)| name == tag).map(|(_, value)| value);
            value.is_some_and(|value| self.types.read(ty, value).is_some())
        };
        let brackets = node.kinds.iter().find(|kind| match (kind, written) {
            (NodeKind::List(_), Written::List(..)) => true,
            (NodeKind::Map { .. }, Written::Record(..)) => true,
            (NodeKind::Record(_), Written::Record(_, fields)) => of_tag(kind, fields),
            _ => false,
        });
        let leaf = node.kinds.iter().find(|kind| matches!(kind, NodeKind::Leaf(_)));
        let is_tagged = node.tag.is_some() && matches!(written, Written::Record(..));
        brackets.or(leaf.filter(|_| !is_tagged))
    }

    fn part(&self, node: NodeId, step: String, written: &Written) -> Option<Part> {
        let Self { types, tool, language } = *self;
        let text = language.token(written);
        let declared = tool.nodes.get(node.index())?;
        let (value, below) = match (self.kind(declared, written)?, written) {
            (NodeKind::Leaf(_), _) => {
                let read = |kind: &NodeKind| match kind {
                    NodeKind::Leaf(ty) => types.read(*ty, written),
                    _ => None,
                };
                (declared.kinds.iter().find_map(read)?, Vec::new())
            }
            (NodeKind::List(element), Written::List(_, items)) => {
                let item = |(i, item)| self.part(*element, format!("[{i}]"), item);
                let below: Vec<Part> = items.iter().enumerate().map(item).collect::<Option<_>>()?;
                (Value::List(below.iter().map(|part| part.value.clone()).collect()), below)
            }
            (NodeKind::Record(declared), Written::Record(_, fields)) => {
                let is_there = |name: &str| fields.iter().any(|(n, _)| n == name);
                if self.repeats(fields) || declared.iter().any(|f| f.required && !is_there(&f.name))
                {
                    return None;
                }
                let field = |(name, value): &(String, Written)| {
                    let node = declared.iter().find(|field| field.name == *name)?.node;
                    self.part(node, format!(".{name}"), value)
                };
                let below: Vec<Part> = fields.iter().map(field).collect::<Option<_>>()?;
                let values: BTreeMap<String, Value> = fields
                    .iter()
                    .zip(&below)
                    .map(|((name, _), part)| (name.clone(), part.value.clone()))
                    .collect();
                (Value::Record(values), below)
            }
            (NodeKind::Map { .. }, Written::Record(_, fields)) if self.repeats(fields) => {
                return None;
            }
            (NodeKind::Map { key, value }, Written::Record(_, fields)) => {
                let (mut below, mut values) = (Vec::new(), BTreeMap::new());
                for (i, (name, written)) in fields.iter().enumerate() {
                    below.push(Part {
                        node: *key,
                        step: format!("[key {i}]"),
                        value: Value::Text(name.clone()),
                        text: language.name(name),
                        before: Vec::new(),
                        below: Vec::new(),
                    });
                    let part = self.part(*value, format!("[{i}]"), written)?;
                    values.insert(name.clone(), part.value.clone());
                    below.push(part);
                }
                (Value::Record(values), below)
            }
            _ => return None,
        };
        Some(Part { node, step, value, text, before: Vec::new(), below })
    }
}

/// What the labels of a result depend on.
#[derive(Clone, Copy, Debug)]
pub struct Labeller<'a> {
    /// How rules are read.
    pub logic: Logic<'a>,
    /// The place of the tool.
    pub id: ToolId,
    /// The tool.
    pub tool: &'a Tool,
    /// The facts.
    pub facts: &'a [Value],
    /// The arguments of the call.
    pub arguments: &'a [Option<Value>],
    /// Label of the output that makes the call (l).
    pub context: &'a Label,
    /// Label of the call (κ).
    pub call: &'a Label,
}

/// Where a part lies.
#[derive(Clone, Debug)]
struct Place<'a> {
    path: String,
    parent: Option<usize>,
    label: Label,
    /// The records around it, outermost first.
    records: Vec<(StoreId, &'a Value)>,
}

impl<'a> Labeller<'a> {
    /// The regions of a result.
    #[must_use]
    pub fn regions(&self, root: &'a Part) -> Vec<Region> {
        let label = self.logic.space.bottom();
        let place = Place { path: "result".to_owned(), parent: None, label, records: Vec::new() };
        let mut regions = Vec::new();
        self.add(root, place, &mut regions);
        regions
    }

    fn add(&self, part: &'a Part, place: Place<'a>, regions: &mut Vec<Region>) {
        let Place { path, parent, label, mut records } = place;
        let store = self.tool.nodes.get(part.node.index()).and_then(|node| node.record_of);
        records.extend(store.map(|store| (store, &part.value)));
        let is_name = part.step.starts_with("[key ");
        let label = match self.logic.flaw {
            Some(Flaw::NameAtMap) if is_name => label,
            Some(Flaw::DowngradeBelowParent) if self.downgrade(part.node).is_some() => {
                self.own(part, &records)
            }
            _ => self.logic.space.join(&label, &self.own(part, &records)),
        };
        let index = regions.len();
        let text = part.below.is_empty().then(|| part.text.clone());
        regions.push(Region { path: path.clone(), label: label.clone(), parent, text });
        for below in &part.below {
            let label = match self.logic.flaw {
                Some(Flaw::RegionWithoutParent) => self.logic.space.bottom(),
                _ => label.clone(),
            };
            let path = format!("{path}{}", below.step);
            let place = Place { path, parent: Some(index), label, records: records.clone() };
            self.add(below, place, regions);
        }
    }

    /// What a part's node is declared, and, since it may hold words of theirs, the parts' before it.
    fn declared_to(&self, part: &Part, records: &[(StoreId, &Value)]) -> Label {
        let before = match self.logic.flaw {
            Some(Flaw::ValuesOfFormApart) => &[],
            _ => part.before.as_slice(),
        };
        let nodes = before.iter().chain([&part.node]);
        let labels: Vec<Label> = nodes.map(|node| self.declared(*node, records)).collect();
        self.logic.space.join_all(&labels)
    }

    /// The label of a part, that of the part around it aside.
    fn own(&self, part: &Part, records: &[(StoreId, &Value)]) -> Label {
        let space = self.logic.space;
        let declared = self.declared_to(part, records);
        let call = match self.logic.flaw {
            Some(Flaw::ResultWithoutCall) => return declared,
            Some(Flaw::DowngradeWithoutCall) => &space.bottom(),
            _ => self.call,
        };
        let mut label = space.join(&declared, call);
        let downgrade = match self.logic.flaw {
            Some(Flaw::NoDowngrades) => None,
            _ => self.downgrade(part.node),
        };
        if let Some(to) = downgrade.and_then(|of| self.lowered(of, &label, part, records)) {
            label = match self.logic.flaw {
                Some(Flaw::DowngradeIsTheLabel) => to,
                _ => space.meet(&label, &to),
            };
        }
        match self.logic.flaw {
            Some(Flaw::DowngradeBelowContext) => label,
            _ => space.join(&label, self.context),
        }
    }

    /// The downgrade that speaks of a node.
    fn downgrade(&self, node: NodeId) -> Option<&'a Downgrade> {
        let (id, mut downgrades) = (self.id, self.logic.policy.downgrades.iter());
        downgrades.find(move |downgrade| downgrade.tool == id && downgrade.node == node)
    }

    /// What a downgrade lowers a label to, if it does.
    fn lowered(
        &self,
        downgrade: &Downgrade,
        label: &Label,
        part: &Part,
        records: &[(StoreId, &Value)],
    ) -> Option<Label> {
        let scope = self.scope(records.last().map(|(_, value)| *value));
        let (nameless_from, nameless_to) = match self.logic.flaw {
            Some(Flaw::NamelessFromAtTop) => (Strict::Up, Strict::Up),
            Some(Flaw::NamelessToAtBottom) => (Strict::Down, Strict::Down),
            _ => (Strict::Down, Strict::Up),
        };
        let from = self.logic.term(downgrade.from, nameless_from, &scope);
        let flows = self.logic.space.flows(label, &from)
            || self.logic.flaw == Some(Flaw::DowngradeFromAnything);
        let guarded = match self.logic.flaw {
            Some(Flaw::DowngradeWithoutGuard) => true,
            _ => self.passes(downgrade.when, &scope),
        };
        let to = || self.logic.term(downgrade.to, nameless_to, &scope);
        (flows && guarded && self.is_checked(downgrade, &part.value)).then(to)
    }

    fn passes(&self, guard: Option<ConditionId>, scope: &Scope<'_>) -> bool {
        let undefined = self.logic.flaw == Some(Flaw::UndefinedLowers);
        guard.is_none_or(|guard| self.logic.holds(guard, scope).unwrap_or(undefined))
    }

    /// Whether a value passes the check of a downgrade, which reads it as `value`.
    fn is_checked(&self, downgrade: &Downgrade, value: &Value) -> bool {
        self.logic.flaw == Some(Flaw::DowngradeUnchecked)
            || self.passes(downgrade.checked, &self.scope(Some(value)))
    }

    /// For each downgrade of a node: whether a value would pass its check.
    #[must_use]
    pub fn checks(&self, node: NodeId, value: &Value) -> Vec<bool> {
        self.downgrade(node)
            .into_iter()
            .map(|downgrade| self.is_checked(downgrade, value))
            .collect()
    }

    /// The label that a node is declared to have: the join of the labels of the cells that it shows
    /// and of its own; the top if it has neither. Fields are read from the innermost record around
    /// it, itself included; a cell's label reads it only if it is one of the cell's store, and the
    /// node shows no other cell of that store, or is the record and shows which fields it has.
    fn declared(&self, node: NodeId, records: &[(StoreId, &Value)]) -> Label {
        let space = self.logic.space;
        let Some(node) = self.tool.nodes.get(node.index()) else { return space.top() };
        let innermost = match self.logic.flaw {
            Some(Flaw::OutermostRecord) => records.first(),
            _ => records.last(),
        };
        let mut labels = Vec::new();
        if !(node.label.is_some() && self.logic.flaw == Some(Flaw::OwnLabelInsteadOfCells)) {
            for cell in &node.shows {
                let Some(cell) = self.logic.policy.cells.get(cell.index()) else {
                    return space.top();
                };
                let of_store = |id: &&CellId| {
                    let other = self.logic.policy.cells.get(id.index());
                    other.is_some_and(|other| other.store == cell.store)
                };
                let is_alone = node.shows.iter().filter(of_store).count() == 1
                    || self.is_the_record(node, cell.store)
                    || self.logic.flaw == Some(Flaw::RecordForTheStore);
                let is_own = |store| {
                    let any = self.logic.flaw == Some(Flaw::AnyStoresRecord);
                    (store == cell.store || any) && is_alone
                };
                let record = innermost.filter(|(store, _)| is_own(*store)).map(|(_, value)| *value);
                labels.push(self.logic.rule(&cell.label, &self.scope(record)));
            }
        }
        if let Some(own) = &node.label {
            let record = innermost.map(|(_, value)| *value);
            labels.push(self.logic.rule(own, &self.scope(record)));
        }
        match labels.is_empty() {
            true if self.logic.flaw != Some(Flaw::UnlabelledAtBottom) => space.top(),
            _ => space.join_all(&labels),
        }
    }

    /// Whether a node is a record of a store and shows nothing more of it than which of its fields
    /// are there, and which of several records it is.
    fn is_the_record(&self, node: &Node, store: StoreId) -> bool {
        let records = node.kinds.iter().filter_map(|kind| match kind {
            NodeKind::Record(fields) => Some(fields),
            _ => None,
        });
        let optional: Vec<CellPart> = records
            .flatten()
            .filter(|field| !field.required)
            .map(|field| field.name.clone())
            .chain(node.tag.clone())
            .map(CellPart::Field)
            .chain([CellPart::Shape])
            .collect();
        let shown = node.shows.iter().filter_map(|id| self.logic.policy.cells.get(id.index()));
        let mut others = shown.filter(|cell| cell.store == store && !optional.contains(&cell.part));
        node.record_of == Some(store) && others.next().is_none()
    }

    /// The label of the text of a failure.
    #[must_use]
    pub fn failure(&self) -> Label {
        match self.logic.flaw {
            Some(Flaw::FailureAtCall) => self.call.clone(),
            _ => {
                let declared = self.logic.rule(&self.tool.errors, &self.scope(None));
                self.logic.space.join(&declared, self.call)
            }
        }
    }

    /// The label of a result that has not its shape.
    #[must_use]
    pub fn unfit(&self) -> Label {
        match self.logic.flaw {
            Some(Flaw::UnfitAtCall) => self.call.clone(),
            _ => self.logic.space.top(),
        }
    }

    fn scope<'s>(&'s self, record: Option<&'s Value>) -> Scope<'s> {
        Scope { facts: self.facts, arguments: self.arguments, context: None, record }
    }
}
