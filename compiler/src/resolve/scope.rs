//! Name tables: each name once, and a suggestion for one that is not there.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, Diagnostics, listed, nearest};
use crate::source::Span;
use crate::syntax::ast::Name;

/// Names of one kind and what they stand for.
#[derive(Debug)]
pub(super) struct Names<T> {
    kind: &'static str,
    names: BTreeMap<String, (T, Span)>,
}

impl<T: Copy> Names<T> {
    /// No names yet. The kind is what a message calls them: `fact`, `store`.
    pub(super) fn new(kind: &'static str) -> Self {
        Self { kind, names: BTreeMap::new() }
    }

    /// Adds a name; whether it was new.
    pub(super) fn declare(
        &mut self,
        name: &Name,
        meaning: T,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        if let Some((_, first)) = self.names.get(&name.text) {
            diagnostics.push(twice(self.kind, name, *first));
            return false;
        }
        self.names.insert(name.text.clone(), (meaning, name.span));
        true
    }

    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<T> {
        self.names.get(name).map(|(meaning, _)| *meaning)
    }

    /// What a name stands for, or a message.
    pub(super) fn find(&self, name: &Name, diagnostics: &mut Diagnostics) -> Option<T> {
        let found = self.get(&name.text);
        if found.is_none() {
            diagnostics.push(unknown(self.kind, name, self.iter().map(|(known, _)| known)));
        }
        found
    }

    /// The names, in order, and where each is declared.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Span)> {
        self.names.iter().map(|(name, (_, span))| (name.as_str(), *span))
    }

    /// The names whose meaning is not among these, in order, and where each is declared.
    pub(super) fn unused(&self, used: &BTreeSet<T>) -> impl Iterator<Item = (&str, Span)>
    where
        T: Ord,
    {
        let unused = self.names.iter().filter(|(_, (meaning, _))| !used.contains(meaning));
        unused.map(|(name, (_, span))| (name.as_str(), *span))
    }
}

/// Names that a message lists at most.
const LISTED: usize = 12;

/// A name of a kind that has none of that name: the one that was probably meant, or all there are.
pub(super) fn unknown<'n>(
    kind: &str,
    name: &Name,
    known: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let message = format!("there is no {kind} `{}`", name.text);
    let diagnostic = Diagnostic::new(Code::E0201, name.span, message);
    if let Some(meant) = nearest(&name.text, known.iter().copied()) {
        return meaning(diagnostic, name.span, meant);
    }
    diagnostic.note(known_here(known))
}

/// The names that there are, or the first of them.
pub(super) fn known_here<'n>(known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match known.len() {
        0 => "there is none at all".to_owned(),
        1..=LISTED => format!("known here: {}", listed(known)),
        more => {
            let first = listed(known.into_iter().take(LISTED)).replace(" and ", ", ");
            format!("known here: {first} and {} more", more - LISTED)
        }
    }
}

/// With the name that was meant in a place.
pub(super) fn meaning(diagnostic: Diagnostic, at: Span, meant: &str) -> Diagnostic {
    diagnostic.help(format!("did you mean `{meant}`?")).fix(at, written(meant))
}

/// A name as a policy writes it: in backticks, unless it looks like a name.
pub(crate) fn written(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { format!("`{name}`") }
}

/// A second declaration of a name.
pub(super) fn twice(kind: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("the {kind} `{}` is declared twice", name.text);
    Diagnostic::new(Code::E0202, name.span, message)
        .label(first, "first declared here")
        .help("rename or delete one of them")
}
