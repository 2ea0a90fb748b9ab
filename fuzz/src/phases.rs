//! What becomes of a policy in all phases but the one that needs the solver.

use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::validate::validate;
use rtbas_compiler::diag::Diagnostics;
use rtbas_compiler::lower::{Lowered, lower};
use rtbas_compiler::source::{Loader, Sources};
use rtbas_compiler::{resolve, syntax, typeck};

use crate::message;

/// The policy at a path, if nothing is wrong with it; checks what is said and what is made of it.
pub fn lowered(path: &str, load: &mut Loader<'_>) -> Option<Lowered> {
    let mut sources = Sources::new(load);
    let mut diagnostics = Diagnostics::default();
    let lowered = phases(&mut sources, path, &mut diagnostics);
    let failed = diagnostics.gate(()).is_none();
    diagnostics.finish();
    message::check(&sources, &diagnostics.into_vec());
    let lowered = lowered.filter(|_| !failed)?;
    let Lowered { policy, origins, .. } = &lowered;
    // Orders that are no lattices are for the verifier to find.
    if policy.lattices.iter().all(|lattice: &Lattice| lattice.laws().is_ok()) {
        validate(policy).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(origins.fit(policy));
    }
    Some(lowered)
}

fn phases(sources: &mut Sources<'_>, path: &str, diagnostics: &mut Diagnostics) -> Option<Lowered> {
    let ast = syntax::parse(sources, path, diagnostics)?;
    let hir = resolve::resolve(sources, &ast, diagnostics)?;
    let typed = typeck::check(hir, diagnostics)?;
    Some(lower(typed, sources))
}
