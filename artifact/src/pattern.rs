//! Patterns over text, in one sublanguage with one meaning.
//!
//! A pattern describes whole texts: all of a text matches, or the text does not. It is made of
//! characters, escapes, classes, `.` (any character but a line feed), alternation, groups and
//! repetition. Characters are Unicode code points; `\d`, `\w` and `\s` are ASCII; case counts.
//! Nothing in it looks around or back, so matching takes time in proportion to the text.
//!
//! Takes a pattern's text, from a policy or from an artifact, and trusts it in neither case: there
//! is no [`Pattern`] of a text that is none or that is too large.

mod tree;
mod read;

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, Input, MatchKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use tree::{Class, Tree};

/// Most bytes in the text of a pattern.
pub const MAX_TEXT: usize = 4096;
/// Most times that a pattern may say that something is repeated.
pub const MAX_REPEAT: u32 = 1000;
/// Largest [`Tree::weight`] of a pattern.
pub const MAX_WEIGHT: usize = 16_384;
/// Bytes of memory after which a matcher forgets the states that it has made, unless one pattern
/// needs more.
const CACHE: usize = 256 * 1024;

/// A pattern. Two are equal if their texts are.
#[derive(Clone)]
pub struct Pattern(Arc<Inner>);

struct Inner {
    text: String,
    tree: Tree,
    /// Made when it is first asked for: of the patterns of a policy most are not asked in a session.
    matcher: OnceLock<Option<Matcher>>,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong.
    pub problem: Problem,
    /// Where in the text, in bytes.
    pub at: Range<usize>,
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Something that patterns have elsewhere, and not here. In words, and what to write instead.
    Unsupported(&'static str, &'static str),
    /// Something that is not a pattern anywhere, in words.
    Malformed(String),
    /// More than a limit allows, in words.
    TooLarge(String),
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Unsupported(what, help) => write!(f, "{what}: {help}"),
            Problem::Malformed(what) | Problem::TooLarge(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// The pattern of a text, which stands between the slashes of `/…/`.
    ///
    /// # Errors
    /// The first place where it is none, or that it is too large.
    pub fn new(text: impl Into<String>) -> Result<Self, PatternError> {
        let text = text.into();
        let tree = read::read(&text)?;
        let weight = tree.weight();
        if weight > MAX_WEIGHT {
            let problem = Problem::TooLarge(format!(
                "the pattern comes to {weight} parts when its repetitions are written out; at most \
                 {MAX_WEIGHT} are possible"
            ));
            return Err(PatternError { problem, at: 0..text.len() });
        }
        Ok(Self(Arc::new(Inner { text, tree, matcher: OnceLock::new() })))
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What it is made of.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// Whether all of a text matches. `None` only if there is no memory for the matcher.
    #[must_use]
    pub fn matches(&self, text: &str) -> Option<bool> {
        let matcher = self.0.matcher.get_or_init(|| Matcher::new(&self.0.tree));
        matcher.as_ref()?.matches(text)
    }
}

/// A text as a pattern that matches it and nothing else.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => pattern.push_str("\\n"),
            '\r' => pattern.push_str("\\r"),
            '\t' => pattern.push_str("\\t"),
            c if c.is_control() => pattern.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            '<' | '>' => pattern.push(character),
            c if c.is_ascii_punctuation() => pattern.extend(['\\', c]),
            c => pattern.push(c),
        }
    }
    pattern
}

/// A deterministic automaton whose states are made as texts ask for them, in bounded memory.
struct Matcher {
    automaton: DFA,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync>>,
}

impl Matcher {
    fn new(tree: &Tree) -> Option<Self> {
        let states = thompson::Config::new().which_captures(WhichCaptures::None);
        let states =
            thompson::Compiler::new().configure(states).build_from_hir(&tree.hir()).ok()?;
        // All matches are followed, so that the last to end is the longest.
        let config = DFA::config().match_kind(MatchKind::All).cache_capacity(CACHE);
        let config = config.skip_cache_capacity_check(true);
        let automaton = DFA::builder().configure(config).build_from_nfa(states).ok()?;
        let shared = automaton.clone();
        Some(Self { automaton, caches: Pool::new(Box::new(move || shared.create_cache())) })
    }

    fn matches(&self, text: &str) -> Option<bool> {
        let input = Input::new(text).anchored(Anchored::Yes);
        let longest = self.automaton.try_search_fwd(&mut self.caches.get(), &input).ok()?;
        Some(longest.is_some_and(|found| found.offset() == text.len()))
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.text())
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Pattern {}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text().cmp(other.text())
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
