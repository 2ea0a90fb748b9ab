//! What must hold of every message, whatever the text is that it is about.

use rtbas_compiler::diag::{Diagnostic, render};
use rtbas_compiler::source::{Sources, Span};

/// Checks that messages name places that there are, and can be shown.
pub fn check(sources: &Sources<'_>, said: &[Diagnostic]) {
    for diagnostic in said {
        let labels = diagnostic.labels.iter().map(|(at, _)| *at);
        let fixes = diagnostic.fixes.iter().map(|fix| fix.at);
        diagnostic
            .primary
            .into_iter()
            .chain(labels)
            .chain(fixes)
            .for_each(|at| within(sources, at));
    }
    let _ = render::human(sources, said, true);
    let _ = render::json(sources, said);
}

fn within(sources: &Sources<'_>, at: Span) {
    let text = sources.text(at.file);
    assert!(text.get(at.range()).is_some(), "{at:?} is no place in {text:?}");
}
