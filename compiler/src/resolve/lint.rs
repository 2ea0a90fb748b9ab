//! `lint allow` and `lint deny`: codes by name, and only of warnings.

use super::scope::unknown;
use crate::diag::{Code, Diagnostic, Diagnostics, Severity, listed};
use crate::syntax::ast::Lint;

/// Makes the diagnostics heed the lines of a policy.
pub(super) fn apply(lints: &[Lint], diagnostics: &mut Diagnostics) {
    for Lint { stance, code: name, span } in lints {
        let warnings = || Code::ALL.iter().filter(|code| code.severity() == Severity::Warning);
        let Some(code) = Code::ALL.iter().find(|code| code.name() == name.text) else {
            diagnostics.push(unknown("warning", name, warnings().map(|code| code.name())));
            continue;
        };
        if code.severity() != Severity::Warning {
            let what = match code.severity() {
                Severity::Error => "an error",
                _ => "a note",
            };
            let message = format!("`{code}` is {what}, and only warnings are allowed or denied");
            let known = listed(warnings().map(|code| code.name()));
            let diagnostic = Diagnostic::new(Code::E0219, name.span, message);
            diagnostics.push(diagnostic.note(format!("the warnings are {known}")));
            continue;
        }
        if let Some(first) = diagnostics.lint(*code, *stance, *span) {
            let message = format!("the policy says already what is done about `{code}`");
            let diagnostic = Diagnostic::new(Code::E0216, *span, message);
            diagnostics.push(diagnostic.label(first, "said here"));
        }
    }
}
