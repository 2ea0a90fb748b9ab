//! A text that has a canonical form says there what it said before, down to each comment, and stays
//! as it is when it is formatted again.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/tests/format/law.rs"]
mod law;

fuzz_target!(|text: &str| {
    // What has no canonical form is said, and there is no bug in the formatter among the reasons.
    match law::format(text) {
        Ok(_) => drop(law::lawful(text).unwrap_or_else(|broken| panic!("{broken}"))),
        Err(said) => assert!(!said.contains("E0509"), "{said}"),
    }
});
