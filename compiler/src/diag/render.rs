//! Diagnostics as text for people and as JSON for programs. The only file that names the crate
//! that draws source snippets.

use codespan_reporting::diagnostic::{self as drawn, Label};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::{self, Config, Styles, StylesWriter, termcolor};
use serde_json::json;

use super::{Diagnostic, Severity};
use crate::source::{Sources, Span, is_hidden};

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
        // Writing into memory does not fail, and every span lies in a file of `sources`; a message
        // that cannot be drawn is still said.
        if term::emit_to_write_style(&mut writer, &config, &files, &draw(diagnostic)).is_err() {
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
