//! A pattern means what the `regex` crate takes it for, and what is no pattern is refused at a place
//! that it has. The first line of an input is the pattern, the rest a text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use regex::Regex;
use rtbas_artifact::pattern::{Pattern, escape};

fuzz_target!(|input: &str| {
    let (written, text) = input.split_once('\n').unwrap_or((input, ""));
    let pattern = match Pattern::new(written) {
        Ok(pattern) => pattern,
        Err(error) => {
            assert!(written.get(error.at.clone()).is_some(), "{error} at {:?}", error.at);
            return;
        }
    };
    assert_eq!(Pattern::new(pattern.text()).ok().as_ref(), Some(&pattern));
    let _ = pattern.tree().count();
    // What needs too much memory for the one or the other is no disagreement.
    if let (Some(found), Ok(other)) = (pattern.matches(text), Regex::new(&elsewhere(written))) {
        assert_eq!(found, other.is_match(text), "{pattern} on {text:?}");
    }
    if !text.is_empty()
        && let Ok(literal) = Pattern::new(escape(text))
    {
        assert!(literal.matches(text) != Some(false));
    }
});

/// The pattern in the words of the `regex` crate, whose classes have all of Unicode in them.
fn elsewhere(pattern: &str) -> String {
    let mut words = String::from(r"\A(?:");
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('d') => words += "[0-9]",
                Some('D') => words += "[^0-9]",
                Some('w') => words += "[0-9A-Za-z_]",
                Some('W') => words += "[^0-9A-Za-z_]",
                Some('s') => words += r"[ \t\n\r\x0b\x0c]",
                Some('S') => words += r"[^ \t\n\r\x0b\x0c]",
                Some(other) => words.extend(['\\', other]),
                None => words.push('\\'),
            },
            other => words.push(other),
        }
    }
    words + r")\z"
}
