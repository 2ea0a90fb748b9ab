//! What continuous integration reads: SARIF 2.1.0 and the annotations of GitHub's workflows.

use rtbas_compiler::diag::{Code, Diagnostic, Severity};
use rtbas_compiler::source::{Position, Sources, Span};
use serde_json::{Value, json};

/// Diagnostics as a log of SARIF 2.1.0. Columns count characters.
pub(crate) fn sarif(sources: &Sources<'_>, said: &[Diagnostic]) -> Value {
    let mut codes: Vec<Code> = said.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort();
    codes.dedup();
    let rules = codes.iter().map(|code| {
        json!({
            "id": code.name(),
            "shortDescription": { "text": code.summary() },
            "fullDescription": { "text": code.summary() },
            "help": { "text": code.page(), "markdown": code.page() },
            "defaultConfiguration": { "level": level(code.severity()) },
        })
    });
    let results = said.iter().map(|diagnostic| result(sources, &codes, diagnostic));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "rtbasc",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Value>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Value>(),
        }],
    })
}

fn result(sources: &Sources<'_>, codes: &[Code], diagnostic: &Diagnostic) -> Value {
    let primary = diagnostic.primary.map(|at| location(sources, at, None));
    let related = diagnostic.labels.iter().map(|(at, text)| location(sources, *at, Some(text)));
    let fixes: Vec<Value> = fix(sources, diagnostic).into_iter().collect();
    json!({
        "ruleId": diagnostic.code.name(),
        "ruleIndex": codes.binary_search(&diagnostic.code).unwrap_or_default(),
        "level": level(diagnostic.severity),
        "message": { "text": text(diagnostic) },
        "locations": primary.into_iter().collect::<Value>(),
        "relatedLocations": related.collect::<Value>(),
        "fixes": fixes,
    })
}

/// The edits that take the next step, file by file.
fn fix(sources: &Sources<'_>, diagnostic: &Diagnostic) -> Option<Value> {
    let mut fixes: Vec<_> = diagnostic.fixes.iter().collect();
    fixes.sort_by_key(|fix| (fix.at.file, fix.at.start));
    let changes = fixes.chunk_by(|a, b| a.at.file == b.at.file).filter_map(|fixes| {
        let replacements = fixes.iter().map(|fix| {
            json!({
                "deletedRegion": region(sources, fix.at),
                "insertedContent": { "text": fix.text },
            })
        });
        Some(json!({
            "artifactLocation": { "uri": uri(sources.path(fixes.first()?.at.file)) },
            "replacements": replacements.collect::<Value>(),
        }))
    });
    let changes: Vec<Value> = changes.collect();
    let description = diagnostic.help.as_deref().unwrap_or("take the next step");
    (!changes.is_empty())
        .then(|| json!({ "description": { "text": description }, "artifactChanges": changes }))
}

fn location(sources: &Sources<'_>, at: Span, message: Option<&str>) -> Value {
    let physical = json!({
        "artifactLocation": { "uri": uri(sources.path(at.file)) },
        "region": region(sources, at),
    });
    match message {
        Some(message) => {
            json!({ "physicalLocation": physical, "message": { "text": message } })
        }
        None => json!({ "physicalLocation": physical }),
    }
}

fn region(sources: &Sources<'_>, at: Span) -> Value {
    let (start, end) = ends(sources, at);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// Where a span begins, and where what follows it does.
fn ends(sources: &Sources<'_>, at: Span) -> (Position, Position) {
    let end = Span { start: at.end, ..at };
    (sources.position(at), sources.position(end))
}

/// A path as a relative reference (RFC 3986): what has a meaning there is escaped.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    path.bytes().fold(scheme.to_owned(), |mut uri, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
        uri
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The message with its notes and its help, line by line.
fn text(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    let lines: Vec<String> =
        [diagnostic.message.clone()].into_iter().chain(notes).chain(help).collect();
    lines.join("\n")
}

/// Diagnostics as commands of GitHub's workflows, which show them at their lines.
pub(crate) fn annotations(sources: &Sources<'_>, said: &[Diagnostic]) -> Vec<String> {
    let annotate = |diagnostic: &Diagnostic| {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let place = diagnostic.primary.map(|at| {
            let (start, end) = ends(sources, at);
            (sources.path(at.file), start, end)
        });
        let title = format!("{}: {}", diagnostic.code, diagnostic.code.summary());
        annotation(level, place, &title, &text(diagnostic))
    };
    said.iter().map(annotate).collect()
}

/// One command. What follows its name is escaped, so that no text of a policy can begin another.
pub(crate) fn annotation(
    level: &str,
    place: Option<(&str, Position, Position)>,
    title: &str,
    message: &str,
) -> String {
    let mut properties = Vec::new();
    if let Some((path, start, end)) = place {
        let path = path.strip_prefix("./").unwrap_or(path);
        properties.push(format!("file={}", property(path)));
        properties.push(format!("line={},endLine={}", start.line, end.line));
        if start.line == end.line {
            properties.push(format!("col={},endColumn={}", start.column, end.column));
        }
    }
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}", properties.join(","), escaped(message))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
