//! How files look, whatever they say.

use super::tree::{File, files, none};

/// Words that leave work for later. They are put together here, since this file is searched too.
const LATER: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("X", "XX"),
    concat!("to", "do!"),
    concat!("unimpl", "emented!"),
];

/// Folders at a machine's root in which people and CI keep their work.
const HOMES: [&str; 6] = ["home", "root", "Users", "work", "workspace", "builds"];

/// The endings of files that people write by hand.
const WRITTEN: [&str; 6] = ["rs", "md", "pol", "pest", "toml", "json"];

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The letters before and after each place where a text has a word.
fn around(text: &str, word: &str) -> impl Iterator<Item = (Option<char>, Option<char>)> {
    text.match_indices(word)
        .map(|(at, _)| (text[..at].chars().next_back(), text[at + word.len()..].chars().next()))
}

/// Whether a text holds a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let longer = |letter: char| word.ends_with(is_word) && is_word(letter);
    around(text, word)
        .any(|(before, after)| !before.is_some_and(is_word) && !after.is_some_and(longer))
}

/// Whether a text holds a path from a machine's root.
fn has_home(text: &str) -> bool {
    let inside = |letter: char| is_word(letter) || "./-}*~".contains(letter);
    let longer = |letter: char| is_word(letter) || letter == '-';
    let text = &text.replace("file://", "");
    HOMES.iter().any(|home| {
        around(text, &format!("/{home}"))
            .any(|(before, after)| !before.is_some_and(inside) && !after.is_some_and(longer))
    })
}

/// The lines of some files that have something, with what it is.
fn lines(of: impl Fn(&File) -> bool, what: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for file in files().iter().filter(|file| of(file)) {
        for (line, text) in (1..).zip(file.text.lines()) {
            found.extend(what(text).map(|what| format!("{}:{line}: {what}", file.path)));
        }
    }
    found
}

/// The files of code that have something.
fn code(what: impl Fn(&File) -> Option<String>) -> Vec<String> {
    let files = files();
    let code = files.iter().filter(|file| file.is(&["rs", "pest"]));
    code.filter_map(|file| what(file).map(|what| format!("{}:1: {what}", file.path))).collect()
}

#[test]
fn files_are_small() {
    let long = |file: &File| Some(file.text.lines().count()).filter(|count| *count > 600);
    let broken = code(|file| long(file).map(|count| format!("{count} lines")));
    none("a file of code has at most 600 lines; give a part of it a module of its own:", &broken);
}

#[test]
fn modules_begin_with_a_header() {
    let bare = |file: &File| file.is(&["rs"]) && !file.text.starts_with("//! ");
    let broken = code(|file| bare(file).then(|| "no header".to_owned()));
    none("a module begins with `//!`: what it takes, gives and trusts:", &broken);
}

#[test]
fn modules_have_names() {
    let unnamed = |file: &File| file.path.ends_with("/mod.rs");
    let broken = code(|file| unnamed(file).then(|| "a module without a name".to_owned()));
    none("a module `x` with parts is `x.rs` beside `x/`; rename the file:", &broken);
}

#[test]
fn nothing_is_left_for_later() {
    let word = |text: &str| LATER.iter().find(|word| has_word(text, word));
    let broken = lines(|_| true, |text| word(text).map(|word| format!("`{word}`")));
    none("what is here is finished; finish it or take it out:", &broken);
}

#[test]
fn exceptions_have_reasons() {
    let mut broken = Vec::new();
    for file in files().iter().filter(|file| file.is(&["rs"])) {
        for (word, needs) in
            [(concat!("[all", "ow("), None), (concat!("[exp", "ect("), Some("reason = \""))]
        {
            for (at, _) in file.text.match_indices(word) {
                let attribute = file.text[at..].split(']').next().unwrap();
                if !needs.is_some_and(|needs| attribute.contains(needs)) {
                    let line = file.text[..at].matches('\n').count() + 1;
                    broken.push(format!("{}:{line}: `{attribute}]`", file.path));
                }
            }
        }
    }
    none(
        "an exception from a lint is an `expect` with `reason = \"…\"`, never an `allow`:",
        &broken,
    );
}

#[test]
fn white_space_is_plain() {
    let written = |file: &File| file.is(&WRITTEN);
    let mut broken = lines(written, |text| {
        let tab = text.contains('\t').then_some("a tab");
        let end = text.ends_with(char::is_whitespace).then_some("white space at the end");
        tab.or(end).map(str::to_owned)
    });
    let files = files();
    let open = files.iter().filter(|file| written(file) && !file.text.ends_with('\n'));
    broken.extend(open.map(|file| format!("{}: no newline at the end", file.path)));
    none("no tabs, nothing at the end of a line, a newline at the end of a file:", &broken);
}

#[test]
fn no_file_names_a_machine() {
    let broken = lines(|_| true, |text| has_home(text).then(|| "the path of a machine".to_owned()));
    none("what is kept works everywhere; name places from the root of the tree:", &broken);
}
