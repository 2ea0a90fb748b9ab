//! The grammar of the policy language, and the only crate that names the parser generator.
//!
//! Takes text, gives the tree of rules that matched, or what was expected where matching stopped.
//! Recursion follows the brackets of the text: the caller bounds their nesting. The grammar itself
//! is `pol.pest`; the compiler's `syntax` phase turns its tree into a syntax tree.

mod words;

pub use parser::Rule;
pub use words::describe;

/// A rule that matched, and the text that it matched.
pub type Pair<'t> = pest::iterators::Pair<'t, Rule>;

/// Where a text stops being a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexpected {
    /// Byte offset of the first text that does not fit.
    pub offset: usize,
    /// Rules that would have matched there, without repetition.
    pub expected: Vec<Rule>,
}

/// Parses the text of a policy.
///
/// # Errors
/// The furthest place that any reading of the text reached, and what was expected there.
pub fn parse(text: &str) -> Result<Pair<'_>, Unexpected> {
    let parsed = <parser::Policy as pest::Parser<Rule>>::parse(Rule::file, text);
    let nothing = || Unexpected { offset: 0, expected: vec![Rule::file] };
    parsed.map_err(unexpected)?.next().ok_or_else(nothing)
}

fn unexpected(error: pest::error::Error<Rule>) -> Unexpected {
    let offset = match error.location {
        pest::error::InputLocation::Pos(offset) => offset,
        pest::error::InputLocation::Span((start, _)) => start,
    };
    let mut expected = match error.variant {
        pest::error::ErrorVariant::ParsingError { positives, .. } => positives,
        pest::error::ErrorVariant::CustomError { .. } => Vec::new(),
    };
    expected.sort_unstable();
    expected.dedup();
    Unexpected { offset, expected }
}

mod parser {
    #![expect(missing_docs, reason = "the generator writes no documentation for the rules")]

    /// The generated parser.
    #[derive(Debug, pest_derive::Parser)]
    #[grammar = "pol.pest"]
    pub(crate) struct Policy;
}
