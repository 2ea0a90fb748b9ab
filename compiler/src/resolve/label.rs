//! Lattices, their product, and labels: names of levels → ids.

use std::collections::BTreeMap;

use rtbas_artifact::lattice::{LevelId, MAX_LEVELS};
use rtbas_artifact::validate::MAX_LATTICES;

use super::hir::{self, Edge, Lattice};
use super::scope::Names;
use crate::diag::{Code, Diagnostic, Diagnostics, listed, nearest};
use crate::source::Span;
use crate::syntax::ast::{self, Level, Message, MessageKind, Name};

/// The lattices of the product and the names of their levels.
#[derive(Debug)]
pub(super) struct Levels {
    lattices: Vec<Lattice>,
    names: Vec<BTreeMap<String, LevelId>>,
}

impl Levels {
    /// The lattices of a policy, in the order of its `label { … }`.
    pub(super) fn new(policy: &ast::Policy, diagnostics: &mut Diagnostics) -> Self {
        let mut declared = Names::new("lattice");
        for (lattice, index) in policy.lattices.iter().zip(0_usize..) {
            declared.declare(&lattice.name, index, diagnostics);
        }
        let mut levels = Self { lattices: Vec::new(), names: Vec::new() };
        for index in product(policy, &declared, diagnostics) {
            if let Some(lattice) = policy.lattices.get(index) {
                levels.add(lattice, diagnostics);
            }
        }
        levels
    }

    pub(super) fn into_lattices(self) -> Vec<Lattice> {
        self.lattices
    }

    fn add(&mut self, lattice: &ast::Lattice, diagnostics: &mut Diagnostics) {
        let (mut levels, mut spans, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let mut names = BTreeMap::new();
        for chain in &lattice.chains {
            let mut previous: Option<(LevelId, &Name)> = None;
            for name in chain {
                // One beyond the limit stands for all beyond it.
                let next = u16::try_from(levels.len().min(MAX_LEVELS)).unwrap_or(u16::MAX);
                let id = *names.entry(name.text.clone()).or_insert_with(|| {
                    levels.push(name.text.clone());
                    spans.push(name.span);
                    LevelId(next)
                });
                if let Some((from, lower)) = previous {
                    edges.push(Edge { from, to: id, span: lower.span.to(name.span) });
                }
                previous = Some((id, name));
            }
        }
        let (name, span) = (lattice.name.text.clone(), lattice.name.span);
        if !(1..=MAX_LEVELS).contains(&levels.len()) {
            let count = levels.len();
            let message =
                format!("the lattice `{name}` has {count} levels; 1 to {MAX_LEVELS} are possible");
            diagnostics.push(Diagnostic::new(Code::E0214, span, message));
        }
        self.lattices.push(Lattice { name, span, levels, spans, edges });
        self.names.push(names);
    }

    /// The label that is written.
    pub(super) fn label(&self, label: &ast::Label, diagnostics: &mut Diagnostics) -> hir::Label {
        let mut levels = vec![None; self.lattices.len()];
        let mut spans: Vec<Option<Span>> = vec![None; self.lattices.len()];
        for level in &label.levels {
            let Some((lattice, id)) = self.level(level, diagnostics) else {
                continue;
            };
            let first = spans.get_mut(lattice).and_then(|span| span.replace(level.name.span));
            if let Some(first) = first {
                let lattice = self.lattices.get(lattice).map_or("", |lattice| &lattice.name);
                let message = format!("this label names a second level of `{lattice}`");
                let diagnostic = Diagnostic::new(Code::E0212, level.name.span, message);
                diagnostics.push(diagnostic.label(first, "the first is here"));
            } else if let Some(place) = levels.get_mut(lattice) {
                *place = Some(id);
            }
        }
        hir::Label { levels, span: label.span }
    }

    fn level(&self, level: &Level, diagnostics: &mut Diagnostics) -> Option<(usize, LevelId)> {
        let wanted = |lattice: &Lattice| match &level.lattice {
            Some(name) => name.text == lattice.name,
            None => true,
        };
        let among: Vec<usize> =
            (0..).zip(&self.lattices).filter(|(_, l)| wanted(l)).map(|(i, _)| i).collect();
        if let (Some(name), []) = (&level.lattice, among.as_slice()) {
            let known = self.lattices.iter().map(|lattice| lattice.name.as_str());
            diagnostics.push(super::scope::unknown("lattice", name, known));
            return None;
        }
        let id_in = |lattice: usize| self.names.get(lattice)?.get(&level.name.text).copied();
        let found: Vec<(usize, LevelId)> =
            among.iter().filter_map(|&lattice| Some((lattice, id_in(lattice)?))).collect();
        match found.as_slice() {
            [only] => Some(*only),
            [] => {
                let known = among.iter().filter_map(|&lattice| self.names.get(lattice));
                let known = known.flat_map(BTreeMap::keys).map(String::as_str);
                diagnostics.push(super::scope::unknown("level", &level.name, known));
                None
            }
            several => {
                diagnostics.push(self.ambiguous(&level.name, several));
                None
            }
        }
    }

    fn ambiguous(&self, level: &Name, found: &[(usize, LevelId)]) -> Diagnostic {
        let lattices = found.iter().filter_map(|(lattice, _)| self.lattices.get(*lattice));
        let names: Vec<String> =
            lattices.map(|lattice| format!("{}.{}", lattice.name, level.text)).collect();
        let message = format!("`{}` is a level of more than one lattice", level.text);
        let choices = listed(names.iter().map(String::as_str)).replace(" and ", " or ");
        Diagnostic::new(Code::E0203, level.span, message).help(format!("write {choices}"))
    }

    /// The labels of messages: of the system's, of the user's, and the bound of the reply.
    pub(super) fn messages(
        &self,
        messages: &[Message],
        header: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<[hir::Label; 3]> {
        let mut label = |kind| {
            let mut of_kind = messages.iter().filter(|message| message.kind == kind);
            let first = of_kind.next()?;
            for second in of_kind {
                let message = "these messages have a label already";
                let diagnostic = Diagnostic::new(Code::E0216, second.span, message);
                diagnostics.push(diagnostic.label(first.span, "given here"));
            }
            Some(self.label(&first.label, diagnostics))
        };
        let [system, user, reply] =
            [MessageKind::System, MessageKind::User, MessageKind::Reply].map(&mut label);
        let missing: Vec<String> = [("system", &system, true), ("user", &user, true)]
            .into_iter()
            .chain([("reply", &reply, false)])
            .filter(|(_, label, _)| label.is_none())
            .map(|(kind, _, up)| format!("message {kind} : {}", self.strictest(up)))
            .collect();
        if !missing.is_empty() {
            let message = "the policy does not label every kind of message";
            let help = "these are the strictest labels; choose what holds for yours:";
            let help = format!("{help}\n{}", missing.join("\n"));
            diagnostics.push(Diagnostic::new(Code::E0207, header, message).help(help));
        }
        Some([system?, user?, reply?])
    }

    /// A label that a policy can start from: in every lattice the first level that nothing lies
    /// above, or below.
    pub(super) fn strictest(&self, up: bool) -> String {
        let level = |lattice: &Lattice| {
            let end = |edge: &Edge| if up { edge.from } else { edge.to };
            let ids = (0..).map(LevelId).zip(&lattice.levels);
            let mut ends = ids.filter(|(id, _)| !lattice.edges.iter().any(|e| end(e) == *id));
            ends.next().map_or_else(String::new, |(_, name)| name.clone())
        };
        let levels: Vec<String> = self.lattices.iter().map(level).collect();
        format!("{{{}}}", levels.join(", "))
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
        diagnostics.push(diagnostic.help(if all.is_empty() {
            "declare one and name it:\nlattice integrity { trusted -> untrusted }\nlabel { integrity }"
                .to_owned()
        } else {
            format!("write `label {{ {} }}`", all.join(", "))
        }));
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
        match declared.find(name, diagnostics) {
            Some(index) if order.contains(&index) => {
                let message = format!("`{}` stands in the product twice", name.text);
                diagnostics.push(Diagnostic::new(Code::E0216, name.span, message));
            }
            Some(index) => order.push(index),
            None => {}
        }
    }
    if order.len() > MAX_LATTICES {
        let message = format!(
            "the product has {} lattices; at most {MAX_LATTICES} are possible",
            order.len()
        );
        diagnostics.push(Diagnostic::new(Code::E0208, first.span, message));
    }
    for (name, span) in declared.iter() {
        if declared.get(name).is_none_or(|index| !order.contains(&index)) {
            let message = format!("the lattice `{name}` is not part of the label");
            let diagnostic = Diagnostic::new(Code::E0208, span, message);
            let misspelt = first.lattices.iter().find(|n| declared.get(&n.text).is_none());
            let meant = misspelt.and_then(|n| nearest(&n.text, [name]));
            let help = match meant {
                Some(_) => format!("name it in `label {{ {} }}`", all.join(", ")),
                None => format!("write `label {{ {} }}`, or delete the lattice", all.join(", ")),
            };
            diagnostics.push(diagnostic.label(first.span, "the label").help(help));
        }
    }
    order
}
