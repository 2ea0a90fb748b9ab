//! Downgrades: names → the tool and the region whose label is lowered, and what guards it.

use rtbas_artifact::ir::{Type, TypeId};

use super::condition::{Scope, condition, label};
use super::context::Context;
use super::hir::{Downgrade, Step, Tool};
use super::scope::Names;
use super::tool::cover::find;
use super::tool::{form_of, record_around};
use crate::diag::{Code, Diagnostic};
use crate::syntax::ast;

/// The downgrades of a policy.
pub(super) fn resolve(
    cx: &mut Context<'_>,
    tools: &[Tool],
    written: &[ast::Downgrade],
) -> Vec<Downgrade> {
    let mut names = Names::new("downgrade");
    for downgrade in written {
        names.declare(&downgrade.name, (), cx.diagnostics);
    }
    let mut found: Vec<Downgrade> = Vec::new();
    for written in written {
        let Some(downgrade) = one(cx, tools, written) else { continue };
        let speaks_of =
            |other: &&Downgrade| (other.tool, &other.path) == (downgrade.tool, &downgrade.path);
        if let Some(first) = found.iter().find(speaks_of) {
            let message = "this region has a downgrade already";
            let help = "write one, from the strictest label to the last, with the guards of both";
            let diagnostic = Diagnostic::new(Code::E0216, downgrade.path_span, message);
            cx.diagnostics.push(diagnostic.label(first.path_span, "the first is here").help(help));
        }
        found.push(downgrade);
    }
    found
}

fn one(cx: &mut Context<'_>, tools: &[Tool], written: &ast::Downgrade) -> Option<Downgrade> {
    let id = find(cx, tools, &written.tool)?;
    let tool = tools.get(id.index())?;
    let call = Scope { arguments: &tool.arguments, ..Scope::default() };
    let (from, to) = (label(cx, call, &written.from), label(cx, call, &written.to));
    let record = record_around(cx, tool, &written.path.steps);
    let around = Scope { record, form: form_of(tool), ..call };
    let any = cx.types.simple(Type::Any);
    let value = leaf(cx, tool.result, &written.path.steps).unwrap_or(any);
    let own = Scope { value: Some(value), ..call };
    let mut guard = |scope, written: &Option<ast::Condition>| match written {
        Some(written) => condition(cx, scope, written).map(Some),
        None => Some(None),
    };
    let (when, checked) = (guard(around, &written.when), guard(own, &written.checked));
    Some(Downgrade {
        name: written.name.text.clone(),
        span: written.name.span,
        word: written.word,
        tool: id,
        path: written.path.steps.clone(),
        path_span: written.path.span,
        from,
        to,
        when: when?,
        checked: checked?,
        by: written.by.clone(),
        because: written.because.clone(),
    })
}

/// The type of a region. One that there is not is a mistake that `typeck` finds.
fn leaf(cx: &Context<'_>, result: TypeId, path: &[Step]) -> Option<TypeId> {
    path.iter().try_fold(result, |ty, step| match cx.types.step(&[ty], step).as_slice() {
        [only] => Some(*only),
        _ => None,
    })
}
