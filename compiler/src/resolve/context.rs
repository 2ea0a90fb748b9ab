//! What is known while names are resolved.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{self, FactId, StoreId, TypeId};

use super::hir;
use super::lattice::Levels;
use super::scope::Names;
use super::tool_list::Imported;
use super::types::{TypeNames, Types};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::ast;

/// The declarations of a policy, as far as they are read.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) levels: Levels,
    abbreviations: &'a [(ast::Name, ast::Label)],
    abbreviation_names: Names<usize>,
    abbreviations_used: BTreeSet<usize>,
    conditions: &'a [ast::NamedCondition],
    condition_names: Names<usize>,
    conditions_used: BTreeSet<usize>,
    /// How many conditions have been written out where their names stand, in one place.
    pub(super) written_out: usize,
    pub(super) types: Types,
    pub(super) type_names: TypeNames<'a>,
    pub(super) facts: Vec<ir::Fact>,
    pub(super) fact_names: Names<FactId>,
    pub(super) facts_read: BTreeSet<FactId>,
    pub(super) stores: Vec<hir::Store>,
    pub(super) store_names: Names<StoreId>,
    pub(super) cells: Vec<hir::Cell>,
    pub(super) imported: Imported,
    /// Where an item can be added to the policy.
    pub(super) end: Span,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl<'a> Context<'a> {
    pub(super) fn new(policy: &'a ast::Policy, diagnostics: &'a mut Diagnostics) -> Self {
        let levels = Levels::new(policy, diagnostics);
        let mut abbreviation_names = Names::new("label");
        for ((name, _), id) in policy.abbreviations.iter().zip(0..) {
            if let Some(lattice) = levels.lattice_of(&name.text) {
                let message = format!("`{}` is a level of `{lattice}` already", name.text);
                let help = "give the label another name";
                diagnostics.push(Diagnostic::new(Code::E0203, name.span, message).help(help));
            } else {
                abbreviation_names.declare(name, id, diagnostics);
            }
        }
        let mut condition_names = Names::new("condition");
        for (condition, id) in policy.conditions.iter().zip(0..) {
            condition_names.declare(&condition.name, id, diagnostics);
        }
        Self {
            levels,
            abbreviations: &policy.abbreviations,
            abbreviation_names,
            abbreviations_used: BTreeSet::new(),
            conditions: &policy.conditions,
            condition_names,
            conditions_used: BTreeSet::new(),
            written_out: 0,
            types: Types::default(),
            type_names: TypeNames::new(&policy.types, diagnostics),
            facts: Vec::new(),
            fact_names: Names::new("fact"),
            facts_read: BTreeSet::new(),
            stores: Vec::new(),
            store_names: Names::new("store"),
            cells: Vec::new(),
            imported: Imported::default(),
            end: policy.end,
            diagnostics,
        }
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The type that is written.
    pub(super) fn ty(&mut self, ty: &'a ast::Type) -> TypeId {
        self.type_names.resolve(ty, &mut self.types, self.diagnostics)
    }

    /// The label that a name stands for, if it abbreviates one.
    pub(super) fn abbreviation(&mut self, level: &ast::Level) -> Option<&'a ast::Label> {
        let name = Some(&level.name.text).filter(|_| level.lattice.is_empty())?;
        let id = self.abbreviation_names.get(name).filter(|_| level.names.is_none())?;
        self.abbreviations_used.insert(id);
        self.abbreviations.get(id).map(|(_, label)| label)
    }

    /// The condition that a name stands for.
    pub(super) fn condition_named(&mut self, name: &str) -> Option<&'a ast::NamedCondition> {
        let id = self.condition_names.get(name)?;
        self.conditions_used.insert(id);
        self.conditions.get(id)
    }

    /// The names of conditions.
    pub(super) fn condition_names(&self) -> impl Iterator<Item = &str> {
        self.condition_names.iter().map(|(name, _)| name)
    }

    /// Declares the facts.
    pub(super) fn declare_facts(&mut self, facts: &'a [(ast::Name, ast::Type)]) {
        for (name, ty) in facts {
            let ty = self.ty(ty);
            let id = FactId(u32::try_from(self.facts.len()).unwrap_or(u32::MAX));
            if self.fact_names.declare(name, id, self.diagnostics) {
                self.facts.push(ir::Fact { name: name.text.clone(), ty });
            }
        }
    }

    /// Warns of what nothing reads or uses, if all that is read is known.
    pub(super) fn warn_of_unused(&mut self, tools: &[hir::Tool]) {
        self.type_names.finish(&mut self.types, self.diagnostics);
        if self.diagnostics.gate(()).is_none() {
            return;
        }
        let mut warn = |code, span, message: String| {
            self.diagnostics.push(Diagnostic::new(code, span, message));
        };
        for (name, span) in self.abbreviation_names.unused(&self.abbreviations_used) {
            warn(Code::W0205, span, format!("nothing uses the label `{name}`"));
        }
        for (name, span) in self.condition_names.unused(&self.conditions_used) {
            warn(Code::W0209, span, format!("nothing uses the condition `{name}`"));
        }
        for (name, span) in self.fact_names.unused(&self.facts_read) {
            warn(Code::W0201, span, format!("nothing reads the fact `{name}`"));
        }
        // A policy without tools is a part of others.
        if tools.is_empty() {
            return;
        }
        let touched: BTreeSet<StoreId> = tools.iter().flat_map(|tool| self.touched(tool)).collect();
        for (name, span) in self.store_names.unused(&touched) {
            let message = format!("no tool reads or writes the store `{name}`");
            let help = format!("say in a tool that it `reads {name}` or `writes {name}`");
            self.diagnostics.push(Diagnostic::new(Code::W0207, span, message).help(help));
        }
    }

    /// The stores that a tool reads or writes.
    fn touched(&self, tool: &hir::Tool) -> Vec<StoreId> {
        let read = tool.reads.iter().map(|reads| reads.store);
        let cells = tool.writes.iter().filter_map(|write| self.cells.get(write.cell.index()));
        read.chain(cells.map(|cell| cell.store)).collect()
    }
}
