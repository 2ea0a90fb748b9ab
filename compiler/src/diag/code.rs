//! The table of codes. A phase has a hundred of its own: 01 syntax, 02 resolve, 03 typeck, 04 lower,
//! 05 verify (refuted), 06 verify (not decided).

use std::fmt;
use std::str::FromStr;

use super::{Severity, nearest};

macro_rules! codes {
    ($($code:ident $summary:literal)*) => {
        /// The kind of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $summary] $code,)* }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The code as it is printed.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => stringify!($code),)* }
            }

            /// What it says, in a line.
            #[must_use]
            pub fn summary(self) -> &'static str {
                match self { $(Self::$code => $summary,)* }
            }

            /// The page that explains it, in Markdown.
            #[must_use]
            pub fn page(self) -> &'static str {
                // A code without a page does not compile: write `docs/errors/CODE.md`.
                match self {
                    $(Self::$code => {
                        include_str!(concat!("../../../docs/errors/", stringify!($code), ".md"))
                    })*
                }
            }
        }
    };
}

codes! {
    E0101 "a file cannot be read"
    E0102 "a string or a bracket is not closed, or brackets cross"
    E0103 "brackets are nested too deeply"
    E0104 "a character that readers cannot see"
    E0105 "something else was expected here"
    E0106 "no such edition, or a version out of range"
    E0107 "a string with an escape that means nothing"
    E0108 "a number that cannot be held exactly"
    E0109 "a record names a field twice"
    E0110 "a pattern that cannot be read"
    E0111 "a pattern that is too large"
    E0112 "a reason that says nothing"

    E0201 "no such name"
    E0202 "a name is declared twice"
    E0203 "a name means two things"
    E0204 "declarations contain each other without end"
    E0205 "a tool list cannot be read"
    E0206 "a tool's schema is not understood"
    E0207 "messages without a label"
    E0208 "lattices and the product `label { … }` do not agree"
    E0209 "a tool that the policy says nothing about"
    E0210 "a pattern of tool names that matches none, or competes with another"
    E0211 "decision rules are missing or out of order"
    E0212 "a label names two levels of one lattice"
    E0213 "a store's field has no label"
    E0214 "a lattice has too many levels"
    E0215 "`context` stands where it cannot be judged"
    E0216 "something is said twice"
    E0217 "something is endorsed that the tool does not write"
    E0218 "a condition or a function is given other values than it takes"
    E0219 "what is no warning is allowed or denied"
    E0220 "alternatives of a type that nothing tells apart"

    E0301 "the order of a lattice has a cycle"
    E0302 "a guard would raise a label"
    E0303 "values that never compare"
    E0304 "no such field, region or argument"
    E0305 "a result does not fit the store that it shows"
    E0306 "a value is not of its type"
    E0307 "a test does not give every fact"
    E0308 "a result is not written in this format"
    E0309 "a result has too many regions"
    E0310 "a call that does not run gets a result"
    E0311 "a value that names no reader and no source"
    E0312 "a downgrade that lowers nothing, or lets free text through"

    E0501 "two levels of a lattice have no least upper bound"
    E0502 "no level of a lattice flows to all others"
    E0503 "more taint would let a call through"
    E0504 "whoever writes a field would choose a label"
    E0505 "what a call writes would be read back at a lower label"
    E0506 "a write would lower the label of what is stored"
    E0507 "outsiders would read what they may not"
    E0508 "a rule that never decides, or fires whatever the call is"
    E0509 "a fault of the compiler itself"
    E0510 "a tool of which no call can run unasked"
    E0511 "a claim that does not hold"

    W0501 "a claim about data that nothing returns"
    W0502 "a downgrade of what is low already"
    N0501 "outsiders may choose among calls that run unasked"
    E0601 "the solver could not decide whether a property holds"
    E0602 "the solver that was loaded is not the one that was built for"

    W0201 "a fact that nothing reads"
    W0202 "a type that nothing uses"
    W0203 "a part of a schema that the engine does not check"
    W0204 "tools to come would run unasked"
    W0205 "the name of a label that nothing uses"
    W0206 "a warning is allowed that there is not"
    W0207 "a store that no tool reads or writes"
    W0208 "a pattern whose tools all have blocks of their own"
    W0209 "a condition that nothing uses"
    W0210 "a rule that allows calls whatever the model has read"
    W0211 "a value in braces stands inside a string"
    W0301 "a condition on constants alone"
    W0302 "an order that may be the wrong way round"

}

impl Code {
    /// How bad it is; the first letter says so.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self.name().as_bytes().first() {
            Some(b'W') => Severity::Warning,
            Some(b'N') => Severity::Note,
            _ => Severity::Error,
        }
    }

    /// Where the page that explains it lies in the source.
    #[must_use]
    pub fn page_path(self) -> String {
        format!("docs/errors/{self}.md")
    }
}

/// A name that no code has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCode {
    /// The name.
    pub name: String,
    /// The code that was probably meant.
    pub meant: Option<Code>,
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no code `{}`; ", self.name)?;
        match self.meant {
            Some(meant) => write!(f, "did you mean `{meant}`?"),
            None => f.write_str("`rtbasc explain` lists all"),
        }
    }
}

impl std::error::Error for NoCode {}

impl FromStr for Code {
    type Err = NoCode;

    /// The code of that name, in capitals or not.
    fn from_str(name: &str) -> Result<Self, NoCode> {
        let wanted = name.to_ascii_uppercase();
        let find = |name: &str| Self::ALL.iter().find(|code| code.name() == name).copied();
        find(&wanted).ok_or_else(|| {
            let meant = nearest(&wanted, Self::ALL.iter().map(|code| code.name()));
            NoCode { name: name.to_owned(), meant: meant.and_then(find) }
        })
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
