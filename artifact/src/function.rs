//! What conditions make of a text before they compare it: `lower(x)`, `host(x)`, `domain(x)`, and
//! `date(x)` and `datetime(x)`, which are numbers.
//!
//! Each of them is absent for a text that it is not made for, so that a condition on it is
//! undefined. They are strict on purpose: two readers of one address must not see two hosts, so a
//! text that some reader might take otherwise is none.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::date;
use crate::pattern::Pattern;
use crate::value::Value;

/// A function of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Function {
    /// The text with the letters `A` to `Z` in lower case.
    Lower,
    /// The host of an absolute `http` or `https` address, in lower case. There is none if the
    /// address has a user, a backslash, white space or a control character, or if its host is not
    /// written in plain letters: escapes, `xn--`, brackets, and numbers but for four decimal ones.
    Host,
    /// The domain of a plain mail address, in lower case: what follows the only `@`. It is written
    /// as a host is.
    Domain,
    /// The days from 1970-01-01 to a date: see [`crate::date`].
    Date,
    /// The seconds from 1970-01-01T00:00Z to a time.
    Time,
}

/// The texts for which a function is made that gives a part of them in lower case: what stands
/// before that part, the part in lower case, and what stands behind. Without a pattern, nothing
/// stands there.
#[derive(Debug)]
pub struct Parts {
    /// Before.
    pub before: Option<Pattern>,
    /// What the function gives.
    pub value: Pattern,
    /// Behind.
    pub after: Option<Pattern>,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 5] = [Self::Lower, Self::Host, Self::Domain, Self::Date, Self::Time];

    /// Its name in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Date => "date",
            Self::Time => "datetime",
        }
    }

    /// What it gives for a value, if the value is a text that it is made for.
    #[must_use]
    pub fn of(self, value: &Value) -> Option<Value> {
        let Value::Text(text) = value else { return None };
        let (before, middle, after) = match self {
            Self::Date => return date::days(text).map(|days| Value::Number(days.into())),
            Self::Time => return date::seconds(text).map(Value::Number),
            Self::Lower | Self::Host | Self::Domain => self.split(text)?,
        };
        let value = middle.to_ascii_lowercase();
        let parts = self.parts()?;
        let fits = |pattern: &Option<Pattern>, text: &str| match pattern {
            Some(pattern) => pattern.matches(text) == Some(true),
            None => text.is_empty(),
        };
        let all = fits(&parts.before, before)
            && parts.value.matches(&value) == Some(true)
            && fits(&parts.after, after);
        all.then_some(Value::Text(value))
    }

    /// What texts it is made for, if it gives texts.
    #[must_use]
    pub fn parts(self) -> Option<&'static Parts> {
        match self {
            Self::Lower => LOWER.as_ref(),
            Self::Host => HOST.as_ref(),
            Self::Domain => DOMAIN.as_ref(),
            Self::Date | Self::Time => None,
        }
    }

    /// Where its part begins and ends, if the text is one that it is made for.
    fn split(self, text: &str) -> Option<(&str, &str, &str)> {
        match self {
            Self::Lower => Some(("", text, "")),
            Self::Host => {
                let start = text.find("://")? + "://".len();
                let (before, rest) = text.split_at_checked(start)?;
                let end = rest.find([':', '/', '?', '#']).unwrap_or(rest.len());
                let (host, after) = rest.split_at_checked(end)?;
                Some((before, host, after))
            }
            Self::Domain => {
                let (before, domain) = text.split_at_checked(text.find('@')? + 1)?;
                Some((before, domain, ""))
            }
            Self::Date | Self::Time => None,
        }
    }
}

/// Names of hosts: labels of letters, digits and hyphens between dots. None begins with `xn--`, and
/// the last begins with a letter, since readers take what ends in a number for an address in one of
/// many notations; of these four decimal numbers are one.
const NAME: &str = concat!(
    r"((([a-wyz0-9]([a-z0-9\-]*[a-z0-9])?",
    r"|x([a-mo-z0-9]([a-z0-9\-]*[a-z0-9])?|\-[a-z0-9\-]*[a-z0-9]|n(\-?[a-z0-9]([a-z0-9\-]*[a-z0-9])?)?)?)\.)*",
    r"([a-wyz]([a-z0-9\-]*[a-z0-9])?",
    r"|x([a-mo-z0-9]([a-z0-9\-]*[a-z0-9])?|\-[a-z0-9\-]*[a-z0-9]|n(\-?[a-z0-9]([a-z0-9\-]*[a-z0-9])?)?)?)",
    r"|((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))",
);

static LOWER: LazyLock<Option<Parts>> = LazyLock::new(|| parts(None, "[^A-Z]*", None));
static HOST: LazyLock<Option<Parts>> = LazyLock::new(|| {
    // An `@` behind the host is part of a path only where a slash says that the path begins.
    let after = concat!(
        r"(:\d{1,5})?(/[^\\\s\u{0}-\u{1f}\u{7f}-\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}]*",
        r"|[?#][^@\\\s\u{0}-\u{1f}\u{7f}-\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}]*)?",
    );
    parts(Some("[hH][tT][tT][pP][sS]?://"), NAME, Some(after))
});
static DOMAIN: LazyLock<Option<Parts>> = LazyLock::new(|| {
    let before = r"[A-Za-z0-9_+'=&~\-]+(\.[A-Za-z0-9_+'=&~\-]+)*@";
    parts(Some(before), NAME, None)
});

fn parts(before: Option<&str>, value: &str, after: Option<&str>) -> Option<Parts> {
    let pattern = |text: &str| Pattern::new(text).ok();
    Some(Parts {
        before: match before {
            Some(before) => Some(pattern(before)?),
            None => None,
        },
        value: pattern(value)?,
        after: match after {
            Some(after) => Some(pattern(after)?),
            None => None,
        },
    })
}
