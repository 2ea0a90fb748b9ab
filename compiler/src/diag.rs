//! What the compiler says about a policy: data, made beside the check that finds the mistake and
//! rendered in one place ([`render`]).
//!
//! A message is lower case, without a final full stop, with names in backticks; a help can be
//! pasted or followed as it stands.

use std::collections::BTreeSet;

use crate::source::Span;

pub mod code;
pub mod lint;
pub mod render;

pub use code::Code;
pub use lint::Lints;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is emitted.
    Error,
    /// Probably a mistake.
    Warning,
    /// To be known.
    Note,
}

/// One thing that the compiler says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of thing it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and what was expected.
    pub message: String,
    /// Where.
    pub primary: Option<Span>,
    /// Other places that matter, and why.
    pub labels: Vec<(Span, String)>,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// A next step that works.
    pub help: Option<String>,
    /// The edits that take this step, where they are sure; their places do not overlap.
    pub fixes: Vec<Fix>,
}

/// An edit: this text in place of what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The place.
    pub at: Span,
    /// The text.
    pub text: String,
}

impl Diagnostic {
    /// A message at a place, if there is one.
    pub fn new(code: Code, at: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: at.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            fixes: Vec::new(),
        }
    }

    /// With another place.
    #[must_use]
    pub fn label(mut self, at: Span, text: impl Into<String>) -> Self {
        self.labels.push((at, text.into()));
        self
    }

    /// With something else to know.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// With a next step.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// With an edit that takes the next step.
    #[must_use]
    pub fn fix(mut self, at: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { at, text: text.into() });
        self
    }

    /// With the nearest of the names that would have been right, if one is near.
    #[must_use]
    pub fn did_you_mean<'n>(
        mut self,
        given: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        if let Some(name) = nearest(given, names) {
            self.help = Some(format!("did you mean `{name}`?"));
        }
        self
    }
}

/// Diagnostics that are kept at most: who has more than that to read does not read them.
const MOST: usize = 100;

/// The diagnostics of a compilation, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    /// One block may stand for many tools; what is wrong with it is said once.
    said: BTreeSet<(Code, Option<Span>, String)>,
    stances: lint::Stances,
    failed: bool,
    more: bool,
}

impl Diagnostics {
    /// None yet; warnings count as the caller wants.
    #[must_use]
    pub fn new(lints: Lints) -> Self {
        Self { stances: lint::Stances::new(lints), ..Self::default() }
    }

    /// Heeds what the policy says of a warning from here on. Gives the place where it said something
    /// of it before, if it did; then that holds.
    pub fn lint(&mut self, code: Code, stance: lint::Stance, at: Span) -> Option<Span> {
        self.stances.add(code, stance, at)
    }

    /// Warns of lines about warnings that were never met, if all was looked at.
    pub fn finish(&mut self) {
        if !self.failed {
            self.stances.unmet().into_iter().for_each(|diagnostic| self.push(diagnostic));
        }
    }

    /// Adds one, unless it is allowed, or the same was said before, or too much was.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let Some(diagnostic) = self.stances.apply(diagnostic) else { return };
        self.failed |= diagnostic.severity == Severity::Error;
        if self.found.len() >= MOST {
            self.more = true;
            return;
        }
        let key = (diagnostic.code, diagnostic.primary, diagnostic.message.clone());
        if self.said.insert(key) {
            self.found.push(diagnostic);
        }
    }

    /// The value of a phase, unless the phase or one before it found an error.
    pub fn gate<T>(&self, value: T) -> Option<T> {
        (!self.failed).then_some(value)
    }

    /// The list.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<Diagnostic> {
        if let Some(last) = self.found.last_mut().filter(|_| self.more) {
            last.notes.push("there is more to say, which is left out".to_owned());
        }
        self.found
    }
}

/// Bytes of the longest name that can be meant by another.
const LONGEST: usize = 128;

/// The name that was probably meant: the first of those at the least distance, if that is at most a
/// third of the longer one's length, or else the only one that begins or ends with what is given.
/// Capitals count for nothing, and nothing is near what nobody would type: comparing takes time and
/// memory in proportion to both lengths.
#[must_use]
pub fn nearest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let can_be_typed = |name: &&str| name.len() <= LONGEST;
    let given = Some(given).filter(can_be_typed)?.to_lowercase();
    let names: Vec<(&str, String)> =
        names.into_iter().filter(can_be_typed).map(|name| (name, name.to_lowercase())).collect();
    let length = |name: &str| name.chars().count().max(given.chars().count());
    let near = names.iter().map(|(name, low)| (strsim::damerau_levenshtein(&given, low), *name));
    let near = near.filter(|(distance, name)| distance * 3 <= length(name));
    let nearest = near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name);
    nearest.or_else(|| {
        let is_part = |low: &str| low.starts_with(&given) || low.ends_with(&given);
        let mut longer = names.iter().filter(|(_, low)| given.len() > 2 && is_part(low));
        let only = longer.next()?.0;
        longer.next().is_none().then_some(only)
    })
}

/// Names in backticks, in a row.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
