//! Lattices and their product: declarations → axes, and names of levels → ids.
//!
//! A label has one level of each axis. A product in the product is flat: its axes stand side by
//! side, each under the path of names that leads to it. A powerset is the product of one chain of
//! two levels for each of its elements.

use std::collections::BTreeMap;

use rtbas_artifact::lattice::{Lattice as Table, LevelId, MAX_LEVELS};
use rtbas_artifact::sets::{SetKind, SetLattice};
use rtbas_artifact::validate::{MAX_LATTICES, MAX_NESTING, MAX_OPEN};

use super::hir::{Edge, Lattice};
use super::scope::{Names, unknown, written};
use crate::diag::{Code, Diagnostic, Diagnostics, listed, nearest};
use crate::syntax::ast::{self, LatticeForm, Name};

/// The axes of the label and the names of their levels.
#[derive(Debug)]
pub(super) struct Levels {
    lattices: Vec<Lattice>,
    open: Vec<SetLattice>,
    axes: Vec<Axis>,
}

/// One factor of the product.
#[derive(Debug)]
pub(super) struct Axis {
    /// The names that lead to it, the lattice's own last.
    path: Vec<String>,
    pub(super) kind: AxisKind,
}

/// What a factor is.
#[derive(Debug)]
pub(super) enum AxisKind {
    /// The closed lattice at this index, and its levels by name.
    Closed(usize, BTreeMap<String, LevelId>),
    /// The closed lattices from this index on, one for each element.
    Powerset(usize, Vec<String>),
    /// The open lattice at this index.
    Open(usize, SetLattice),
}

/// What a name of a level stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// The level of the closed lattice at an index.
    Level(usize, LevelId),
    /// The set of one element.
    Element(usize),
    /// The set of all names of the open lattice at an index, or of none.
    Set(usize, bool),
}

impl Axis {
    pub(super) fn name(&self) -> String {
        self.path.join(".")
    }

    /// Whether a qualifier leads here: its names stand in the path in this order.
    fn is_under(&self, qualifier: &[Name]) -> bool {
        let mut path = self.path.iter();
        qualifier.iter().all(|name| path.any(|step| *step == name.text))
    }

    fn level(&self, name: &str) -> Option<Found> {
        match &self.kind {
            AxisKind::Closed(index, levels) => {
                levels.get(name).map(|level| Found::Level(*index, *level))
            }
            AxisKind::Powerset(_, elements) => {
                elements.iter().position(|element| element == name).map(Found::Element)
            }
            AxisKind::Open(index, lattice) => match name {
                _ if name == lattice.kind.all() => Some(Found::Set(*index, true)),
                _ if name == lattice.kind.none() => Some(Found::Set(*index, false)),
                _ => None,
            },
        }
    }

    /// The names of its levels.
    fn levels(&self) -> Vec<&str> {
        match &self.kind {
            AxisKind::Closed(_, levels) => levels.keys().map(String::as_str).collect(),
            AxisKind::Powerset(_, elements) => elements.iter().map(String::as_str).collect(),
            AxisKind::Open(_, lattice) => vec![lattice.kind.all(), lattice.kind.none()],
        }
    }
}

impl Levels {
    /// The lattices of a policy, in the order of its `label { … }`.
    pub(super) fn new(policy: &ast::Policy, diagnostics: &mut Diagnostics) -> Self {
        let mut declared = Names::new("lattice");
        for (lattice, index) in policy.lattices.iter().zip(0_usize..) {
            declared.declare(&lattice.name, index, diagnostics);
        }
        let levels = Self { lattices: Vec::new(), open: Vec::new(), axes: Vec::new() };
        let order = product(policy, &declared, diagnostics);
        let mut builder = Builder { policy, declared: &declared, levels, diagnostics };
        for index in order {
            if let Some(lattice) = policy.lattices.get(index) {
                builder.add(lattice, &[], false, &mut Vec::new());
            }
        }
        let levels = builder.levels;
        let (closed, open) = (levels.lattices.len(), levels.open.len());
        if closed > MAX_LATTICES || open > MAX_OPEN {
            let at = policy.products.first().map_or(policy.name.span, |product| product.span);
            let message = format!(
                "the label has {closed} closed and {open} open lattices, the elements of powersets \
                 counted; at most {MAX_LATTICES} and {MAX_OPEN} are possible"
            );
            diagnostics.push(Diagnostic::new(Code::E0208, at, message));
        }
        levels
    }

    pub(super) fn into_lattices(self) -> (Vec<Lattice>, Vec<SetLattice>) {
        (self.lattices, self.open)
    }

    /// How many closed and how many open lattices there are.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.lattices.len(), self.open.len())
    }

    /// The axis at an index.
    pub(super) fn axis(&self, index: usize) -> Option<&Axis> {
        self.axes.get(index)
    }

    /// What a name of a level stands for, and on which axis; `None` after a message.
    pub(super) fn level(
        &self,
        level: &ast::Level,
        diagnostics: &mut Diagnostics,
    ) -> Option<(usize, Found)> {
        let among = self.under(&level.lattice, diagnostics)?;
        let found: Vec<(usize, Found)> = among
            .iter()
            .filter_map(|(index, axis)| Some((*index, axis.level(&level.name.text)?)))
            .collect();
        match found.as_slice() {
            [only] => Some(*only),
            [] => {
                diagnostics.push(self.no_level(level, &among));
                None
            }
            several => {
                diagnostics.push(self.ambiguous(level, several.iter().map(|(index, _)| *index)));
                None
            }
        }
    }

    /// The lattice that has a level of this name, if one does.
    pub(super) fn lattice_of(&self, level: &str) -> Option<String> {
        self.axes.iter().find(|axis| axis.level(level).is_some()).map(Axis::name)
    }

    /// The axis whose levels are sets that a name before braces means; `None` after a message.
    pub(super) fn set(&self, level: &ast::Level, diagnostics: &mut Diagnostics) -> Option<usize> {
        let name = std::slice::from_ref(&level.name);
        let among = self.under(&level.lattice, diagnostics)?;
        let is_set = |axis: &Axis| match &axis.kind {
            AxisKind::Closed(..) => false,
            AxisKind::Powerset(..) => axis.is_under(name),
            AxisKind::Open(_, lattice) => {
                axis.is_under(name) || lattice.kind.word() == level.name.text
            }
        };
        let found: Vec<usize> =
            among.iter().filter(|(_, axis)| is_set(axis)).map(|(index, _)| *index).collect();
        match found.as_slice() {
            [only] => Some(*only),
            [] => {
                let sets = self.axes.iter().filter_map(|axis| match &axis.kind {
                    AxisKind::Closed(..) => None,
                    AxisKind::Powerset(..) => axis.path.last().map(String::as_str),
                    AxisKind::Open(_, lattice) => Some(lattice.kind.word()),
                });
                let diagnostic = unknown("lattice of sets", &level.name, sets);
                diagnostics.push(diagnostic);
                None
            }
            several => {
                diagnostics.push(self.ambiguous(level, several.iter().copied()));
                None
            }
        }
    }

    /// The axes that a qualifier leads to; `None` after a message.
    fn under(
        &self,
        qualifier: &[Name],
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<(usize, &Axis)>> {
        let axes = self.axes.iter().enumerate();
        let among: Vec<(usize, &Axis)> =
            axes.filter(|(_, axis)| axis.is_under(qualifier)).collect();
        if let ([], Some(name)) = (among.as_slice(), qualifier.last()) {
            let known = self.axes.iter().flat_map(|axis| &axis.path).map(String::as_str);
            diagnostics.push(unknown("lattice", name, known));
            return None;
        }
        Some(among)
    }

    fn no_level(&self, level: &ast::Level, among: &[(usize, &Axis)]) -> Diagnostic {
        let known = among.iter().flat_map(|(_, axis)| axis.levels());
        let diagnostic = unknown("level", &level.name, known);
        let is_lattice = |axis: &&Axis| axis.path.last() == Some(&level.name.text);
        let is_elsewhere = |axis: &&Axis| axis.level(&level.name.text).is_some();
        if let Some(axis) = self.axes.iter().find(is_elsewhere) {
            let right = format!("{}.{}", axis.name(), level.name.text);
            let help = format!("it is a level of `{}`: write `{right}`", axis.name());
            Diagnostic { fixes: Vec::new(), ..diagnostic }.help(help).fix(level.span, right)
        } else if let Some(axis) = self.axes.iter().find(is_lattice) {
            let levels = listed(axis.levels());
            diagnostic
                .help(format!("`{}` is a lattice; name one of its levels: {levels}", axis.name()))
        } else {
            diagnostic
        }
    }

    fn ambiguous(&self, level: &ast::Level, found: impl Iterator<Item = usize>) -> Diagnostic {
        let is_set = level.names.is_some();
        let names: Vec<String> = found
            .filter_map(|index| self.axes.get(index))
            .map(|axis| match is_set {
                true => format!("{} {{…}}", axis.name()),
                false => format!("{}.{}", axis.name(), level.name.text),
            })
            .collect();
        let what = if is_set { "means the sets" } else { "is a level" };
        let message = format!("`{}` {what} of more than one lattice", level.name.text);
        let choices = listed(names.iter().map(String::as_str)).replace(" and ", " or ");
        Diagnostic::new(Code::E0203, level.name.span, message).help(format!("write {choices}"))
    }

    /// A label that a policy can start from: on every axis the first level that nothing lies above,
    /// or below.
    pub(super) fn strictest(&self, up: bool) -> String {
        let levels: Vec<String> = self.axes.iter().map(|axis| self.end(axis, up)).collect();
        format!("{{{}}}", levels.join(", "))
    }

    fn end(&self, axis: &Axis, up: bool) -> String {
        let end_of = |lattice: &Lattice| {
            let end = |edge: &Edge| if up { edge.from } else { edge.to };
            let ids = (0..).map(LevelId).zip(&lattice.levels);
            let mut ends = ids.filter(|(id, _)| !lattice.edges.iter().any(|e| end(e) == *id));
            ends.next().map(|(id, name)| (id, name.clone()))
        };
        match &axis.kind {
            AxisKind::Closed(index, _) => {
                let end = self.lattices.get(*index).and_then(end_of);
                end.map_or_else(String::new, |(_, name)| name)
            }
            AxisKind::Powerset(first, elements) => {
                let lattices = self.lattices.iter().skip(*first).zip(elements);
                let is_in = |(lattice, element): (&Lattice, &String)| {
                    end_of(lattice).filter(|(id, _)| *id == Table::MEMBER).map(|_| element.clone())
                };
                let members: Vec<String> = lattices.filter_map(is_in).collect();
                format!("{} {{{}}}", axis.name(), members.join(", "))
            }
            AxisKind::Open(_, lattice) => {
                let end = if up { lattice.top() } else { lattice.bottom() };
                let is_all = end == rtbas_artifact::sets::NameSet::All;
                let kind = lattice.kind;
                (if is_all { kind.all() } else { kind.none() }).to_owned()
            }
        }
    }
}

/// Makes axes of declarations.
struct Builder<'a, 'd> {
    policy: &'a ast::Policy,
    declared: &'a Names<usize>,
    levels: Levels,
    diagnostics: &'d mut Diagnostics,
}

impl<'a> Builder<'a, '_> {
    /// Adds a lattice under the names that lead to it. `within` are the lattices that it is part
    /// of, to find one that contains itself.
    fn add(
        &mut self,
        lattice: &'a ast::Lattice,
        path: &[String],
        dual: bool,
        within: &mut Vec<&'a str>,
    ) {
        let path = [path, std::slice::from_ref(&lattice.name.text)].concat();
        self.form(lattice, &lattice.form, path, dual != lattice.dual, within);
    }

    fn form(
        &mut self,
        named: &'a ast::Lattice,
        form: &'a LatticeForm,
        path: Vec<String>,
        dual: bool,
        within: &mut Vec<&'a str>,
    ) {
        // Products of products double with each step; what is beyond the limit is an error anyway.
        if self.levels.axes.len() > MAX_LATTICES + MAX_OPEN {
            return;
        }
        match form {
            LatticeForm::Chains(chains) => self.closed(&named.name, chains, path, dual),
            LatticeForm::Powerset(elements) => self.powerset(&named.name, elements, path, dual),
            LatticeForm::Open(kind) => self.open(*kind, path, dual),
            LatticeForm::Lattice(other) => {
                let Some(other) = self.find(other, within) else { return };
                within.push(&other.name.text);
                self.form(other, &other.form, path, dual != other.dual, within);
                within.pop();
            }
            LatticeForm::Product(factors) => {
                let mut seen: Vec<&str> = Vec::new();
                for factor in factors {
                    if seen.contains(&factor.text.as_str()) {
                        let message = format!("`{}` stands in the product twice", factor.text);
                        let help = "give it a second name: `lattice other = …`";
                        let diagnostic = Diagnostic::new(Code::E0216, factor.span, message);
                        self.diagnostics.push(diagnostic.help(help));
                        continue;
                    }
                    seen.push(&factor.text);
                    let Some(other) = self.find(factor, within) else { continue };
                    within.push(&other.name.text);
                    self.add(other, &path, dual, within);
                    within.pop();
                }
            }
        }
    }

    /// A lattice that another is made of.
    fn find(&mut self, name: &'a Name, within: &[&str]) -> Option<&'a ast::Lattice> {
        let index = self.declared.find(name, self.diagnostics)?;
        if within.contains(&name.text.as_str()) {
            let message = format!("the lattice `{}` is made of itself", name.text);
            self.diagnostics.push(Diagnostic::new(Code::E0204, name.span, message));
            return None;
        }
        if within.len() >= MAX_NESTING {
            let message = format!("lattices are made of each other more than {MAX_NESTING} deep");
            self.diagnostics.push(Diagnostic::new(Code::E0103, name.span, message));
            return None;
        }
        self.policy.lattices.get(index)
    }

    fn open(&mut self, kind: SetKind, path: Vec<String>, dual: bool) {
        let lattice = SetLattice { name: path.join("."), kind, dual };
        let kind = AxisKind::Open(self.levels.open.len(), lattice.clone());
        self.levels.open.push(lattice);
        self.levels.axes.push(Axis { path, kind });
    }

    fn powerset(&mut self, name: &Name, elements: &[Name], path: Vec<String>, dual: bool) {
        let first = self.levels.lattices.len();
        let mut names: Vec<String> = Vec::new();
        for element in elements {
            if names.contains(&element.text) {
                let message = format!("`{}` stands in the powerset twice", element.text);
                self.diagnostics.push(Diagnostic::new(Code::E0216, element.span, message));
                continue;
            }
            let (out, member) = (LevelId(0), Table::MEMBER);
            let (from, to) = if dual { (member, out) } else { (out, member) };
            self.levels.lattices.push(Lattice {
                name: path.join("."),
                span: name.span,
                element: Some(element.text.clone()),
                levels: vec![format!("not {}", element.text), element.text.clone()],
                spans: vec![element.span; 2],
                edges: vec![Edge { from, to, span: element.span }],
            });
            names.push(element.text.clone());
        }
        self.levels.axes.push(Axis { path, kind: AxisKind::Powerset(first, names) });
    }

    fn closed(&mut self, name: &Name, chains: &[Vec<Name>], path: Vec<String>, dual: bool) {
        let (mut levels, mut spans, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let mut names = BTreeMap::new();
        for chain in chains {
            let mut previous: Option<(LevelId, &Name)> = None;
            for name in chain {
                // One beyond the limit stands for all beyond it.
                let next = u16::try_from(levels.len().min(MAX_LEVELS)).unwrap_or(u16::MAX);
                let id = *names.entry(name.text.clone()).or_insert_with(|| {
                    levels.push(name.text.clone());
                    spans.push(name.span);
                    LevelId(next)
                });
                if let Some((lower, before)) = previous {
                    let (from, to) = if dual { (id, lower) } else { (lower, id) };
                    edges.push(Edge { from, to, span: before.span.to(name.span) });
                }
                previous = Some((id, name));
            }
        }
        let span = name.span;
        if !(1..=MAX_LEVELS).contains(&levels.len()) {
            let count = levels.len();
            let message = format!(
                "the lattice `{}` has {count} levels; 1 to {MAX_LEVELS} are possible",
                name.text
            );
            self.diagnostics.push(Diagnostic::new(Code::E0214, span, message));
        }
        let index = self.levels.lattices.len();
        let name = path.join(".");
        self.levels.lattices.push(Lattice { name, span, element: None, levels, spans, edges });
        self.levels.axes.push(Axis { path, kind: AxisKind::Closed(index, names) });
    }
}

/// Indices of the lattices in the order of the product.
fn product(
    policy: &ast::Policy,
    declared: &Names<usize>,
    diagnostics: &mut Diagnostics,
) -> Vec<usize> {
    let all: Vec<&str> = policy.lattices.iter().map(|lattice| lattice.name.text.as_str()).collect();
    let Some(first) = policy.products.first() else {
        let missing = "the policy does not say which lattices make up a label";
        let diagnostic = Diagnostic::new(Code::E0208, policy.name.span, missing);
        let line = format!("label {{ {} }}", all.join(", "));
        diagnostics.push(if all.is_empty() {
            let lines = "lattice integrity { trusted -> untrusted }\nlabel { integrity }";
            diagnostic
                .help(format!("declare one and name it:\n{lines}"))
                .fix(policy.end, format!("{lines}\n"))
        } else {
            diagnostic.help(format!("write `{line}`")).fix(policy.end, format!("{line}\n"))
        });
        // Labels are still resolved, in order of declaration.
        return all.iter().filter_map(|name| declared.get(name)).collect();
    };
    for second in policy.products.iter().skip(1) {
        let message = "the product of lattices is declared twice";
        let diagnostic = Diagnostic::new(Code::E0202, second.span, message);
        diagnostics.push(diagnostic.label(first.span, "first declared here"));
    }
    let mut order: Vec<usize> = Vec::new();
    for name in &first.lattices {
        // What was meant is taken for said, so that one slip gives one message.
        if let Some(index) =
            lattice_with(policy, &name.text).filter(|_| declared.get(&name.text).is_none())
        {
            let lattice = policy.lattices.get(index).map_or("", |lattice| &lattice.name.text);
            let message = format!("there is no lattice `{}`", name.text);
            let help = format!("it is a level of `{lattice}`: write `{lattice}`");
            let mistake = Diagnostic::new(Code::E0201, name.span, message).help(help);
            diagnostics.push(mistake.fix(name.span, written(lattice)));
            order.push(index);
            continue;
        }
        let meant =
            || nearest(&name.text, all.iter().copied()).and_then(|meant| declared.get(meant));
        match declared.find(name, diagnostics).or_else(meant) {
            Some(index) if order.contains(&index) => {
                let message = format!("`{}` stands in the product twice", name.text);
                diagnostics.push(Diagnostic::new(Code::E0216, name.span, message));
            }
            Some(index) => order.push(index),
            None => {}
        }
    }
    let used = within_others(policy);
    for (name, span) in declared.iter() {
        let is_in = declared.get(name).is_some_and(|index| order.contains(&index));
        if !is_in && !used.contains(&name) {
            let message = format!("the lattice `{name}` is not part of the label");
            let diagnostic = Diagnostic::new(Code::E0208, span, message);
            let right = format!("label {{ {} }}", all.join(", "));
            let help = format!("write `{right}`, or delete the lattice");
            let diagnostic = diagnostic.label(first.span, "the label").help(help);
            diagnostics.push(diagnostic.fix(first.span, right));
        }
    }
    order
}

/// The lattice with a level of this name.
fn lattice_with(policy: &ast::Policy, level: &str) -> Option<usize> {
    policy.lattices.iter().position(|lattice| match &lattice.form {
        LatticeForm::Chains(chains) => chains.iter().flatten().any(|name| name.text == level),
        LatticeForm::Powerset(elements) => elements.iter().any(|name| name.text == level),
        LatticeForm::Open(_) | LatticeForm::Lattice(_) | LatticeForm::Product(_) => false,
    })
}

/// The lattices that others are made of.
fn within_others(policy: &ast::Policy) -> Vec<&str> {
    let parts = policy.lattices.iter().flat_map(|lattice| match &lattice.form {
        LatticeForm::Product(factors) => factors.as_slice(),
        LatticeForm::Lattice(other) => std::slice::from_ref(other),
        LatticeForm::Chains(_) | LatticeForm::Powerset(_) | LatticeForm::Open(_) => &[],
    });
    parts.map(|name| name.text.as_str()).collect()
}
