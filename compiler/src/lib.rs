//! The compiler: the text of a policy in, proofs and an artifact out.
//!
//! The module list below is in reading order, and it is the order of permitted imports: a module
//! may use those above it and none below.

pub mod source;
pub mod diag;
pub mod syntax;
pub mod format;
pub mod resolve;
pub mod typeck;
pub mod lower;
pub mod verify;
pub mod emit;
pub mod skeleton;

use diag::{Diagnostic, Diagnostics, Lints};
use lower::{Lowered, Spans};
use rtbas_artifact::ir::Policy;
use rtbas_artifact::origin::Origins;
use source::Sources;
use verify::Verified;

/// Compiles the policy at a path, phase by phase. What is wrong with it, and what else there is to
/// say, is in the diagnostics; a phase that finds an error is the last.
pub fn compile(sources: &mut Sources<'_>, path: &str) -> (Option<Verified>, Vec<Diagnostic>) {
    compile_with(sources, path, Lints::default())
}

/// [`compile`], where the caller says which warnings count.
pub fn compile_with(
    sources: &mut Sources<'_>,
    path: &str,
    lints: Lints,
) -> (Option<Verified>, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::new(lints);
    let verified = phases(sources, path, &mut diagnostics);
    diagnostics.finish();
    // A warning that is denied may be the last thing that is said.
    let verified = verified.and_then(|verified| diagnostics.gate(verified));
    (verified, diagnostics.into_vec())
}

/// Proves a compiled policy again, from the tables that ship and without its source. What is wrong
/// has no places.
pub fn prove(policy: Policy, origins: Origins) -> (Option<Verified>, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let lowered = Lowered { policy, origins, spans: Spans::default(), tests: Vec::new() };
    let verified = verify::verify(lowered, &mut diagnostics);
    (verified, diagnostics.into_vec())
}

/// The canonical form of the policy at a path, or what keeps it from having one.
pub fn format(sources: &mut Sources<'_>, path: &str) -> (Option<String>, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let formatted = format::format(sources, path, &mut diagnostics);
    (formatted, diagnostics.into_vec())
}

fn phases(
    sources: &mut Sources<'_>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Verified> {
    let ast = syntax::parse(sources, path, diagnostics)?;
    let hir = resolve::resolve(sources, &ast, diagnostics)?;
    let typed = typeck::check(hir, diagnostics)?;
    let lowered = lower::lower(typed, sources);
    verify::verify(lowered, diagnostics)
}
