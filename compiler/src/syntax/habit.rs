//! Advice to those who write what other languages permit.
//!
//! Takes the place where a text stops being a policy, gives a next step where the habit behind it is
//! known.

/// The place where a text stops being a policy.
pub(super) struct Stop<'t> {
    /// What stands before it.
    pub(super) before: &'t str,
    /// The token that does not fit.
    pub(super) found: &'t str,
    /// What follows that token.
    pub(super) after: &'t str,
    /// What would have fitted, in words.
    pub(super) expected: &'t [&'t str],
}

impl Stop<'_> {
    fn expects(&self, words: &str) -> bool {
        self.expected.contains(&words)
    }
}

/// Advice that is surer than any keyword of a similar name.
pub(super) fn advice(at: &Stop<'_>) -> Option<String> {
    let operator = operator(at).map(str::to_owned);
    operator.or_else(|| arrow(at)).or_else(|| string(at)).or_else(|| label(at))
}

fn operator(at: &Stop<'_>) -> Option<&'static str> {
    let is_comparator = ["==", "!=", "<", "<=", ">", ">="].contains(&at.found);
    match at.found {
        "=" if at.expects("a comparison such as `==`") => Some("write `==`"),
        "/" if at.after.starts_with('*') => {
            Some("a comment begins with `//` and ends with the line")
        }
        "/" if at.expects("a value or a name") => {
            Some("a pattern stands behind `matches`: `a matches /…/`")
        }
        "\"" if at.expects("a pattern") => Some("a pattern stands between slashes: `/…/`"),
        "&&" => Some("write `and`"),
        "||" => Some("write `or`"),
        "!" => Some("write `not`"),
        "not" if at.expects("`context`") => {
            Some("`not not` says nothing: leave both out, or write parentheses")
        }
        _ if is_comparator && at.expects("`and`") => {
            Some("compare two values at a time: `1 < x and x < 5`")
        }
        _ if is_comparator && at.expected == ["`<=`"] => Some(
            "the context is compared with a label: `context <= {…}`; an argument of that name \
             stands in backticks",
        ),
        _ => None,
    }
}

/// A lattice whose order is written with signs of comparison.
fn arrow(at: &Stop<'_>) -> Option<String> {
    if !at.expects("`->`") {
        return None;
    }
    let (left, right) = (last_name(at.before), first_name(at.after));
    let (lower, upper) = match at.found {
        "<" | "<=" | "=>" => (left, right),
        ">" | ">=" => (right, left),
        _ => return None,
    };
    // A claim has an arrow too, and says nothing of an order.
    if !at.expects("`}`") || lower.is_empty() || upper.is_empty() {
        return Some("write `->`".to_owned());
    }
    Some(format!("an arrow points the way data may flow: write `{lower} -> {upper}`"))
}

/// A string in single quotes.
fn string(at: &Stop<'_>) -> Option<String> {
    let fits = ["a string", "a value", "a value or a name", "a type"];
    if at.found != "'" || !fits.iter().any(|words| at.expects(words)) {
        return None;
    }
    let line = at.after.lines().next().unwrap_or_default();
    Some(match line.split_once('\'') {
        Some((text, _)) if !text.contains(['"', '\\']) => {
            format!("a string stands in double quotes: `\"{text}\"`")
        }
        _ => "a string stands in double quotes".to_owned(),
    })
}

/// A label of several levels without braces.
fn label(at: &Stop<'_>) -> Option<String> {
    if at.found != "," || !at.expects("`.`") {
        return None;
    }
    let first = last_name(at.before);
    let before = at.before.trim_end().strip_suffix(first)?.trim_end();
    let is_bound = || before.strip_suffix("<=").is_some_and(|b| last_name(b) == "context");
    if !before.ends_with(':') && !is_bound() {
        return None;
    }
    let mut levels = vec![first];
    let mut rest = at.after;
    loop {
        let level = first_name(rest);
        levels.extend(Some(level).filter(|level| !level.is_empty()));
        let next = rest.trim_start().strip_prefix(level).map(str::trim_start);
        match next.and_then(|next| next.strip_prefix(',')) {
            Some(next) => rest = next,
            None => break,
        }
    }
    Some(format!("a label of several levels stands in braces: `{{{}}}`", levels.join(", ")))
}

/// A word that is no format, before the type of a result.
pub(super) fn format(at: &Stop<'_>) -> Option<String> {
    let begins_type = matches!(at.found, "[" | "{") || at.found.starts_with(is_of_name);
    if !begins_type || !at.expects("`result`") {
        return None;
    }
    let line = at.before.rsplit('\n').next()?;
    let (before, word) = line.trim_end().rsplit_once(char::is_whitespace)?;
    if last_name(before) != "result" || !word.chars().all(is_of_name) {
        return None;
    }
    Some(format!("formats are `text`, `json`, `yaml` and `python`, and `{word}` is none"))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '`')
}

/// The name that a text begins with; empty if it begins with none.
fn first_name(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|c| !is_of_name(c)).next().unwrap_or_default()
}

/// The name that a text ends with; empty if it ends with none.
fn last_name(text: &str) -> &str {
    let text = text.trim_end();
    text.rsplit(|c| !is_of_name(c)).next().unwrap_or_default()
}
