//! Advice to those who write what other languages permit.
//!
//! Takes the place where a text stops being a policy, gives a next step where the habit behind it is
//! known, and the edits that take it. What is given is what was meant, never a freer decision.

use std::ops::Range;

mod item;
mod rule;
pub(super) mod condition;
mod label;
mod line;

/// The place where a text stops being a policy.
pub(super) struct Stop<'t> {
    pub(super) text: &'t str,
    /// Where the token begins that does not fit.
    pub(super) offset: usize,
    /// That token.
    pub(super) found: &'t str,
    /// What would have fitted, in words.
    pub(super) expected: &'t [&'t str],
}

/// What to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) help: String,
    /// Stretches of the text, and what is to stand there.
    pub(super) edits: Vec<(Range<usize>, String)>,
}

impl Advice {
    /// Advice that nobody can take without thinking.
    fn say(help: impl Into<String>) -> Self {
        Self { help: help.into(), edits: Vec::new() }
    }

    /// With a text in place of a stretch.
    fn edit(mut self, at: Range<usize>, text: impl Into<String>) -> Self {
        self.edits.push((at, text.into()));
        self
    }
}

impl<'t> Stop<'t> {
    fn expects(&self, words: &str) -> bool {
        self.expected.contains(&words)
    }

    /// What stands before the token.
    fn before(&self) -> &'t str {
        self.text.get(..self.offset).unwrap_or_default()
    }

    /// Where the token ends.
    fn end(&self) -> usize {
        self.offset + self.found.len()
    }

    /// What follows the token.
    fn after(&self) -> &'t str {
        self.text.get(self.end()..).unwrap_or_default()
    }

    /// From the token on.
    fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// What stands before the token on its line.
    fn line_before(&self) -> &'t str {
        self.before().rsplit('\n').next().unwrap_or_default()
    }

    /// The text in place of the token.
    fn replace(&self, text: &str, help: impl Into<String>) -> Advice {
        Advice::say(help).edit(self.offset..self.end(), text)
    }

    /// The token is one thing too many.
    fn delete(&self, help: impl Into<String>) -> Advice {
        self.replace("", help)
    }

    /// The text before the token, behind what stands there.
    fn insert(&self, text: &str, help: impl Into<String>) -> Advice {
        let at = self.before().trim_end().len();
        Advice::say(help).edit(at..at, format!(" {text}"))
    }
}

/// Advice that is surer than any keyword of a similar name.
pub(super) fn advice(at: &Stop<'_>) -> Option<Advice> {
    let habits = [
        item::comment,
        rule::effect,
        item::header,
        item::product,
        string,
        condition::operator,
        condition::word,
        label::arrow,
        item::claim,
        label::brackets,
        label::without_braces,
        label::without_comma,
        label::with_colon,
        label::guard,
        rule::decision,
        rule::turned_round,
        line::reads,
        line::writes,
        line::verb,
        line::of_type,
        item::statement,
    ];
    habits.into_iter().find_map(|habit| habit(at))
}

/// Advice where no keyword has a similar name.
pub(super) fn last_advice(at: &Stop<'_>) -> Option<Advice> {
    line::format(at).or_else(|| reason(at)).or_else(|| only(at)).or_else(|| separator(at))
}

/// A string in single quotes.
fn string(at: &Stop<'_>) -> Option<Advice> {
    let fits = ["a string", "a value", "a value or a name", "a type"];
    if at.found != "'" || !fits.iter().any(|words| at.expects(words)) {
        return None;
    }
    let line = at.after().lines().next().unwrap_or_default();
    let help = "a string stands in double quotes";
    Some(match line.split_once('\'') {
        Some((text, _)) if !text.contains(['"', '\\']) => {
            let right = format!("\"{text}\"");
            let end = at.end() + text.len() + 1;
            Advice::say(format!("{help}: `{right}`")).edit(at.offset..end, right)
        }
        _ => Advice::say(help),
    })
}

/// What is taken on trust, without a word why.
fn reason(at: &Stop<'_>) -> Option<Advice> {
    let ends = matches!(at.found, "}" | "");
    (ends && at.expects("`because`"))
        .then(|| Advice::say("say why, for those who review it: `because \"…\"`"))
}

/// One thing alone can stand here.
fn only(at: &Stop<'_>) -> Option<Advice> {
    let [only] = at.expected else { return None };
    let only = only.strip_prefix('`')?.strip_suffix('`')?;
    let help = format!("write `{only}`");
    let is_sign = |text: &str| !text.is_empty() && !text.contains(is_of_name);
    // A sign in a sign's place was meant to be it; anything else goes on after it.
    if is_sign(only) && is_sign(at.found) && at.found != "\"" {
        return Some(at.replace(only, help));
    }
    Some(at.insert(only, format!("{help} before this")))
}

/// A mark at the end of a line.
fn separator(at: &Stop<'_>) -> Option<Advice> {
    let is_mark = matches!(at.found, ";" | ",");
    is_mark.then(|| at.delete(format!("no mark ends a line: delete `{}`", at.found)))
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

/// The bracketed text that a text begins with, brackets included. The scan before the grammar has
/// seen to it that brackets fit.
fn group(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '{' | '[' | '(' if !in_string => depth += 1,
            '}' | ']' | ')' if !in_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
        if depth == 0 && !in_string {
            return None;
        }
    }
    None
}

/// What a bracketed text holds.
fn inside(group: &str) -> &str {
    let mut inner = group.chars();
    inner.next();
    inner.next_back();
    inner.as_str().trim()
}

/// The range of a part of a text that was cut out of it.
fn range(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}
