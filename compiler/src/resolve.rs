//! Phase 2: [`ast`] → [`hir`].
//!
//! Takes the tree of a policy and loads the tool lists that it uses. Gives a tree without names:
//! every name is an id of something that exists, every pattern is spelled out, and every tool has
//! exactly one block. Trusts nothing in a tool list.

use crate::diag::Diagnostics;
use crate::source::Sources;
use crate::syntax::ast;

pub mod table;
pub(crate) mod scope;
mod lint;
pub mod types;
pub(crate) mod division;
pub mod hir;
pub(crate) mod form;
mod lattice;
mod schema;
pub mod tool_form;
mod tool_list;
mod context;
mod condition;
mod message;
pub(crate) mod store;
mod tool;
mod downgrade;
mod claim;
mod scenario;

/// Resolves the names of a policy.
pub fn resolve(
    sources: &mut Sources<'_>,
    policy: &ast::Policy,
    diagnostics: &mut Diagnostics,
) -> Option<hir::Policy> {
    lint::apply(&policy.lints, diagnostics);
    let mut cx = context::Context::new(policy, diagnostics);
    cx.imported = tool_list::load(sources, &policy.uses, &mut cx.types, cx.diagnostics);
    cx.declare_facts(&policy.facts);
    condition::declare(&mut cx, &policy.conditions);
    for written in &policy.stores {
        store::declare(&mut cx, written);
    }
    let messages = message::resolve(&mut cx, &policy.messages, policy.name.span);
    let tools = tool::resolve(&mut cx, &policy.tools);
    let downgrades = downgrade::resolve(&mut cx, &tools, &policy.downgrades);
    let speak =
        |cx: &mut context::Context<'_>, written| claim::claims(cx, &tools, &downgrades, written);
    let claims = policy.claims.iter().flat_map(|claim| speak(&mut cx, claim)).collect();
    let tests = policy.tests.iter().map(|test| scenario::test(&mut cx, &tools, test)).collect();
    cx.warn_of_unused(&tools);
    if let Some(user) = policy.messages.iter().find(|m| m.kind == ast::MessageKind::User) {
        tool::rules::warn_of_unbounded(&mut cx, &tools, sources.slice(user.label.span));
    }
    let context::Context { levels, types, facts, stores, cells, .. } = cx;
    let (lattices, open) = levels.into_lattices();
    let policy = hir::Policy {
        file: policy.file,
        name: policy.name.text.clone(),
        edition: policy.edition,
        version: policy.version,
        lattices,
        open,
        types,
        facts,
        messages: messages?,
        stores,
        cells,
        tools,
        downgrades,
        claims,
        tests,
    };
    diagnostics.gate(policy)
}
