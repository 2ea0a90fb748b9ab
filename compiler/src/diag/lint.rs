//! Which warnings count: who compiles a policy may deny or allow them, and so may the policy.
//!
//! What is asked for by code comes before what the policy says, and that before what is asked for
//! all warnings. A line of a policy speaks of warnings about its own file, whichever file imports
//! it. An error stays one.

use std::collections::{BTreeMap, BTreeSet};

use super::{Code, Diagnostic, Severity};
use crate::source::{FileId, Span};

/// What the caller wants of warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lints {
    /// Every warning is an error.
    pub deny_all: bool,
    /// These are errors.
    pub deny: BTreeSet<Code>,
    /// These are not said, unless they are denied as well.
    pub allow: BTreeSet<Code>,
}

/// What a policy says of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It is not said.
    Allow,
    /// It is an error.
    Deny,
}

/// The caller's word and the policy's.
#[derive(Debug, Default)]
pub(super) struct Stances {
    wanted: Lints,
    lines: BTreeMap<(Code, FileId), Line>,
}

#[derive(Debug)]
struct Line {
    stance: Stance,
    span: Span,
    /// Whether there was such a warning.
    met: bool,
}

impl Stances {
    pub(super) fn new(wanted: Lints) -> Self {
        Self { wanted, lines: BTreeMap::new() }
    }

    /// A line of the policy; the place of one that speaks of the same code there, if there is one.
    pub(super) fn add(&mut self, code: Code, stance: Stance, span: Span) -> Option<Span> {
        let key = (code, span.file);
        let first = self.lines.get(&key).map(|line| line.span);
        self.lines.entry(key).or_insert(Line { stance, span, met: false });
        first
    }

    /// The diagnostic as it is to be said; `None` if it is not.
    pub(super) fn apply(&mut self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        let code = diagnostic.code;
        if code.severity() != Severity::Warning {
            return Some(diagnostic);
        }
        let mut places =
            diagnostic.primary.iter().chain(diagnostic.labels.iter().map(|(at, _)| at));
        let line = places.find_map(|at| {
            let line = self.lines.get_mut(&(code, at.file))?;
            line.met = true;
            Some((line.stance, line.span))
        });
        let denied = Diagnostic { severity: Severity::Error, ..diagnostic.clone() };
        if self.wanted.deny.contains(&code) {
            return Some(denied.note(format!("this warning is denied: `--deny {code}`")));
        }
        match line {
            _ if self.wanted.allow.contains(&code) => None,
            Some((Stance::Allow, _)) => None,
            Some((Stance::Deny, span)) => Some(denied.label(span, "this warning is denied here")),
            None if self.wanted.deny_all => {
                Some(denied.note("warnings are denied: `--deny warnings`"))
            }
            None => Some(diagnostic),
        }
    }

    /// What is wrong with lines that allow what is never said.
    pub(super) fn unmet(&self) -> Vec<Diagnostic> {
        let unmet = self.lines.iter().filter(|(_, line)| !line.met && line.stance == Stance::Allow);
        let warn = |((code, _), line): (&(Code, FileId), &Line)| {
            let message = format!("nothing here gives the warning `{code}`");
            Diagnostic::new(Code::W0206, line.span, message).help("delete the line")
        };
        unmet.map(warn).collect()
    }
}
