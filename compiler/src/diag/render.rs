//! Diagnostics as text for people and as JSON for programs. The only file that names the crate
//! that draws source snippets.

use codespan_reporting::diagnostic::{self as drawn, Label};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::{self, Config, Styles, StylesWriter, termcolor};
use serde_json::json;

use super::{Diagnostic, Severity};
use crate::source::{Sources, Span, is_hidden};

/// Longest line that is drawn, in bytes; a place in a longer one is named.
const LONGEST_LINE: usize = 1000;

/// Diagnostics as text for people, with colours for a terminal if asked for.
#[must_use]
pub fn human(sources: &Sources<'_>, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut files = SimpleFiles::new();
    for (path, text) in sources.files() {
        files.add(path, visible(text));
    }
    let config = Config::default();
    let styles = Styles::default();
    let mut text = if color { termcolor::Buffer::ansi() } else { termcolor::Buffer::no_color() };
    for diagnostic in diagnostics {
        let mut writer = StylesWriter::new(&mut text, &styles);
        let places = diagnostic.primary.iter().chain(diagnostic.labels.iter().map(|(at, _)| at));
        let ends = places.flat_map(|at| [*at, Span { start: at.end, ..*at }]);
        let drawn = if ends.into_iter().all(|at| sources.line(at).len() <= LONGEST_LINE) {
            draw(diagnostic)
        } else {
            named(sources, diagnostic)
        };
        // Writing into memory does not fail, and every span lies in a file of `sources`; a message
        // that cannot be drawn is still said.
        if term::emit_to_write_style(&mut writer, &config, &files, &drawn).is_err() {
            let _ = term::emit_to_write_style(&mut writer, &config, &files, &bare(diagnostic));
        }
    }
    String::from_utf8_lossy(text.as_slice()).into_owned()
}

fn bare(diagnostic: &Diagnostic) -> drawn::Diagnostic<usize> {
    let severity = match diagnostic.severity {
        Severity::Error => drawn::Severity::Error,
        Severity::Warning => drawn::Severity::Warning,
        Severity::Note => drawn::Severity::Note,
    };
    let help = diagnostic.help.iter().map(|help| hanging("help: ", help));
    let notes = diagnostic.notes.iter().map(|note| hanging("note: ", note)).chain(help);
    drawn::Diagnostic::new(severity)
        .with_code(diagnostic.code.name())
        .with_message(visible(&diagnostic.message))
        .with_notes(notes.collect())
}

fn draw(diagnostic: &Diagnostic) -> drawn::Diagnostic<usize> {
    let primary = diagnostic.primary.iter().map(|at| Label::primary(at.file.index(), at.range()));
    let others = diagnostic.labels.iter().map(|(at, text)| {
        Label::secondary(at.file.index(), at.range()).with_message(visible(text))
    });
    bare(diagnostic).with_labels(primary.chain(others).collect())
}

/// The places by line and column.
fn named(sources: &Sources<'_>, diagnostic: &Diagnostic) -> drawn::Diagnostic<usize> {
    let place = |at: Span| {
        let position = sources.position(at);
        format!("{}:{}:{}", sources.path(at.file), position.line, position.column)
    };
    let primary = diagnostic.primary.iter().map(|at| format!("at {}", place(*at)));
    let labels = diagnostic.labels.iter().map(|(at, text)| format!("{}: {text}", place(*at)));
    let mut drawn = bare(diagnostic);
    drawn.notes.splice(0..0, primary.chain(labels).map(|place| visible(&place)));
    drawn
}

/// Text whose later lines are indented to stand below the first.
fn hanging(lead: &str, text: &str) -> String {
    let indent = format!("\n{}", " ".repeat(lead.len()));
    format!("{lead}{}", visible(text).replace('\n', &indent))
}

/// Text in which hidden characters show, and cannot steer a terminal. Offsets stay the same: what
/// stands for a character has as many bytes.
fn visible(text: &str) -> String {
    let shown = |character: char| match character {
        '\r' => ' ',
        _ if !is_hidden(character) => character,
        _ => match character.len_utf8() {
            1 => '?',
            2 => '¿',
            _ => char::REPLACEMENT_CHARACTER,
        },
    };
    text.chars().map(shown).collect()
}

/// Diagnostics as a JSON array.
#[must_use]
pub fn json(sources: &Sources<'_>, diagnostics: &[Diagnostic]) -> serde_json::Value {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let labels: serde_json::Value = diagnostic
                .labels
                .iter()
                .map(|(at, text)| json!({ "at": place(sources, *at), "message": text }))
                .collect();
            let fixes = diagnostic.fixes.iter();
            let fixes = fixes.map(|fix| json!({ "at": place(sources, fix.at), "text": fix.text }));
            let fixes: serde_json::Value = fixes.collect();
            json!({
                "code": diagnostic.code.name(),
                "severity": match diagnostic.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Note => "note",
                },
                "message": diagnostic.message,
                "at": diagnostic.primary.map(|at| place(sources, at)),
                "labels": labels,
                "notes": diagnostic.notes,
                "help": diagnostic.help,
                "fixes": fixes,
                "page": diagnostic.code.page_path(),
            })
        })
        .collect()
}

fn place(sources: &Sources<'_>, at: Span) -> serde_json::Value {
    let position = sources.position(at);
    json!({
        "file": sources.path(at.file),
        "line": position.line,
        "column": position.column,
        "start": at.start,
        "end": at.end,
    })
}
