//! What comes back from a tool, as a labelled message.
//!
//! The label of a region is the one that the policy declares for it, joined with the label of the
//! call (κ) and with its parent's: lab(n) = δ(decl(n) ⊔ κ) ⊔ l, joined down each path, where δ are
//! the downgrades. A field in a text of a declared form has the labels of the fields before it, too,
//! before any downgrade. Text that does not fit its declared shape is one region at the top.

use std::cell::OnceCell;

use rtbas_artifact::eval::{Bound, Facts, Fields, Scope};
use rtbas_artifact::ir::{StoreId, Tool};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use crate::decision::Permit;
use crate::history::{LabelledRegion, Message, Role};
use crate::region::{self, Beside, Content, Tree, Unfit};

/// What became of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It has the declared regions.
    Fits,
    /// It does not fit the shape that the policy declares, so all of it is one region at the top.
    Unfit(Unfit),
}

/// An executed call, as far as the labels of what it returns depend on it.
pub(crate) struct Received<'a> {
    program: &'a Program,
    facts: &'a Facts,
    /// The tool and its arguments. They bound when the permit was made, and so they do again; were
    /// it otherwise, everything would stand at the top.
    call: Option<(&'a Tool, Bound<'a>)>,
    /// Label of the output that made the call (l).
    context: Label,
    /// Label of the call (κ).
    label: Label,
}

/// A record of a result. Most labels read no field, so its value is made when one does.
struct Record<'t> {
    tree: &'t Tree,
    index: usize,
    value: OnceCell<Option<Value>>,
}

impl Fields for Record<'_> {
    fn field(&self, path: &[String]) -> Option<&Value> {
        self.value.get_or_init(|| self.tree.value(self.index)).as_ref()?.get(path)
    }
}

impl<'a> Received<'a> {
    pub(crate) fn new(
        program: &'a Program,
        facts: &'a Facts,
        permit: &'a Permit,
        context: Label,
        label: Label,
    ) -> Self {
        let bound = program.bind(&permit.tool, &permit.arguments).ok();
        let call = bound.and_then(|bound| Some((program.tool(bound.tool())?, bound)));
        Self { program, facts, call, context, label }
    }

    /// The message of a result.
    pub(crate) fn result(self, text: String) -> (Message, Receipt) {
        let found = match &self.call {
            Some((tool, bound)) => self.regions(tool, bound, &text).map(Some),
            None => Ok(None),
        };
        let top = self.program.space().top().clone();
        let message = Message::whole(Role::Tool, self.context, top, text);
        match found {
            Ok(Some(regions)) => (Message { regions, ..message }, Receipt::Fits),
            Ok(None) => (message, Receipt::Fits),
            Err(unfit) => (message, Receipt::Unfit(unfit)),
        }
    }

    /// The message of a failure.
    pub(crate) fn error(self, text: String) -> Message {
        let label = match &self.call {
            Some((tool, bound)) => self.failure(tool, bound),
            None => self.program.space().top().clone(),
        };
        Message::whole(Role::Tool, self.context, label, text)
    }

    fn failure(&self, tool: &Tool, bound: &Bound<'a>) -> Label {
        self.program.rule_label(&tool.errors, &self.scope(bound, None)).join(&self.label)
    }

    fn regions(
        &self,
        tool: &Tool,
        bound: &Bound<'a>,
        text: &str,
    ) -> Result<Vec<LabelledRegion>, Unfit> {
        let tree = region::find(&self.program.policy().types, tool, text)?;
        if let Beside::Failure = tree.beside() {
            let (path, span, label) = (tree.path(0), 0..text.len(), self.failure(tool, bound));
            return Ok(vec![LabelledRegion { path, span, label, parent: None }]);
        }
        let mut labelled: Vec<LabelledRegion> = Vec::new();
        let mut records: Vec<(StoreId, Record<'_>)> = Vec::new();
        // For each region: the record whose fields the guards of its label read.
        let mut record_of: Vec<Option<usize>> = Vec::new();
        let mut before = self.label.clone();
        for (index, region) in tree.iter().enumerate() {
            let store = tool.nodes.get(region.node.index()).and_then(|node| node.record_of);
            if let Some(store) = store {
                records.push((store, Record { tree: &tree, index, value: OnceCell::new() }));
                record_of.push(Some(records.len() - 1));
            } else {
                record_of.push(region.parent.and_then(|parent| *record_of.get(parent)?));
            }
            let record = record_of.last().copied().flatten().and_then(|at| records.get(at));
            let record = record.map(|(store, record)| (*store, record as &dyn Fields));
            let scope = self.scope(bound, record);
            let mut label = self.program.node_label(tool, region.node, &scope).join(&self.label);
            // In a text of a declared form, words of one field can end up in those behind it. That
            // a field was found harmless says nothing of them.
            if !tool.form.is_empty() && region.parent.is_some() {
                label.join_with(&before);
                before.clone_from(&label);
            }
            if let Content::Leaf(value) = &region.content {
                label = self.program.downgraded(bound.tool(), region.node, label, &scope, value);
                label.join_with(&self.context);
            }
            if let Some(parent) = region.parent.and_then(|parent| labelled.get(parent)) {
                label.join_with(&parent.label);
            }
            let (path, span) = (tree.path(index), region.span.clone());
            labelled.push(LabelledRegion { path, span, label, parent: region.parent });
        }
        if let Beside::Blocks { span, repeats } = tree.beside() {
            // What is said again is as high as all of it; of what else is said nobody speaks.
            let label = match repeats {
                true => labelled
                    .iter()
                    .fold(self.program.space().bottom().clone(), |all, one| all.join(&one.label)),
                false => self.program.space().top().clone(),
            };
            let (path, span) = ("content".to_owned(), span.clone());
            labelled.push(LabelledRegion { path, span, label, parent: Some(0) });
        }
        Ok(labelled)
    }

    fn scope<'s>(
        &'s self,
        call: &'s Bound<'a>,
        record: Option<(StoreId, &'s dyn Fields)>,
    ) -> Scope<'s, 'a> {
        Scope { facts: self.facts, call: Some(call), context: None, record }
    }
}
