//! Tool lists, in any form that [`tool_form`] knows → signatures. What a list says about a tool is
//! what the model is told; the types of its arguments are what the engine enforces.

use std::collections::BTreeMap;

use rtbas_artifact::ir::Argument;
use serde_json::Value;
use serde_json::value::RawValue;

use super::schema;
use super::tool_form::{self, Entry, NoSchema};
use super::types::Types;
use crate::diag::{Code, Diagnostic, Diagnostics, listed};
use crate::source::{FileId, LoadError, Sources, Span, is_name};

/// An imported tool.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) schema: String,
    pub(super) arguments: Vec<Argument>,
    /// The `use` line.
    pub(super) used: Span,
}

/// Keywords that a message lists at most.
const LISTED: usize = 8;

/// What was imported.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// The tools, sorted by name.
    pub(super) tools: Vec<Signature>,
    /// Whether a list or a tool could not be read, so that there may be others.
    pub(super) incomplete: bool,
}

/// Reads every list that the policy uses.
pub(super) fn load(
    sources: &mut Sources<'_>,
    uses: &[(String, Span)],
    types: &mut Types,
    diagnostics: &mut Diagnostics,
) -> Imported {
    let mut incomplete = false;
    let mut tools: BTreeMap<String, Signature> = BTreeMap::new();
    for (path, used) in uses {
        let file = match sources.load_beside(used.file, path) {
            Ok(file) => file,
            Err(error) => {
                diagnostics.push(unreadable(path, *used, &error));
                incomplete = true;
                continue;
            }
        };
        let list = List { file, text: sources.text(file), used: *used };
        for tool in list.tools(types, diagnostics) {
            let Some(tool) = tool else {
                incomplete = true;
                continue;
            };
            if let Some(first) = tools.get(&tool.name) {
                let message = format!("there are two tools `{}`", tool.name);
                let diagnostic = Diagnostic::new(Code::E0202, *used, message);
                let help = "rename one in its list and where the host offers it: a model could not \
                            tell them apart either";
                let diagnostic = diagnostic.help(help);
                diagnostics.push(if first.used == *used {
                    diagnostic.note("both stand in this list")
                } else {
                    diagnostic.label(first.used, "the first comes from here")
                });
            } else {
                tools.insert(tool.name.clone(), tool);
            }
        }
    }
    Imported { tools: tools.into_values().collect(), incomplete }
}

fn unreadable(path: &str, used: Span, error: &LoadError) -> Diagnostic {
    Diagnostic::new(Code::E0205, used, format!("`{path}` cannot be read: {error}"))
}

struct List<'t> {
    file: FileId,
    text: &'t str,
    used: Span,
}

impl List<'_> {
    /// The tools; `None` in place of what cannot be read.
    fn tools(&self, types: &mut Types, diagnostics: &mut Diagnostics) -> Vec<Option<Signature>> {
        let document: Value = match serde_json::from_str(self.text) {
            Ok(document) => document,
            Err(error) => {
                diagnostics.push(self.no_json(&error));
                return vec![None];
            }
        };
        if let Some((name, value)) = tool_form::repeated(self.text) {
            let start = value.as_ptr() as usize - self.text.as_ptr() as usize;
            let at = Span::new(self.file, start..start + value.len());
            let message = format!("an object gives `{name}` twice");
            let diagnostic = Diagnostic::new(Code::E0205, at, message);
            let diagnostic = diagnostic.label(self.used, "the list is used here");
            let help = "delete one: the host may read the one, and the policy the other";
            diagnostics.push(diagnostic.help(help));
            return vec![None];
        }
        let Some(entries) = tool_form::entries(&document) else {
            let message = "this is no list of tools";
            let help = "the answer to MCP's `tools/list` is: \
                        {\"tools\": [{\"name\": …, \"description\": …, \"inputSchema\": …}]}\n\
                        a list of functions is: \
                        [{\"type\": \"function\", \"function\": \
                        {\"name\": …, \"parameters\": …}}]";
            diagnostics.push(Diagnostic::new(Code::E0205, self.used, message).help(help));
            return vec![None];
        };
        entries.iter().map(|entry| self.tool(entry, types, diagnostics)).collect()
    }

    fn tool(
        &self,
        entry: &Entry<'_>,
        types: &mut Types,
        diagnostics: &mut Diagnostics,
    ) -> Option<Signature> {
        let Some(name) = entry.text("name").filter(|name| is_name(name)) else {
            let message = "a tool has no `name`, or one with characters that cannot be seen";
            diagnostics.push(Diagnostic::new(Code::E0205, self.place(&entry.place), message));
            return None;
        };
        let (key, schema) = match entry.schema() {
            Ok(found) => found,
            Err(problem) => {
                let diagnostic = no_schema(name, &problem, self.place(&entry.place));
                diagnostics.push(diagnostic.label(self.used, "the list is used here"));
                return None;
            }
        };
        let translated = schema::arguments(&schema, types);
        let mut input = entry.place.clone();
        input.extend(entry.inner.into_iter().chain(key).map(str::to_owned));
        for (pointer, message) in translated.mistakes {
            let message = format!("schema of `{name}`: {message}");
            let place = self.place(&[input.clone(), pointer].concat());
            let diagnostic = Diagnostic::new(Code::E0206, place, message);
            diagnostics.push(diagnostic.label(self.used, "the list is used here"));
        }
        if let Some(first) = translated.unchecked.first() {
            let place = self.place(&[input.as_slice(), first].concat());
            let unchecked: Vec<String> =
                translated.unchecked.iter().map(|pointer| pointer.join(".")).collect();
            let keywords = listed(unchecked.iter().take(LISTED).map(String::as_str));
            let more = match unchecked.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!("the engine does not check all of the schema of `{name}`");
            let diagnostic = Diagnostic::new(Code::W0203, place, message);
            let diagnostic = diagnostic.label(self.used, "the list is used here");
            diagnostics.push(diagnostic.note(format!("not checked: {keywords}{more}")));
        }
        Some(Signature {
            name: name.to_owned(),
            description: entry.text("description").unwrap_or_default().to_owned(),
            schema: schema.to_string(),
            arguments: translated.arguments,
            used: self.used,
        })
    }

    fn no_json(&self, error: &serde_json::Error) -> Diagnostic {
        let before = self.text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let line: usize = before.map(str::len).sum();
        let at = (line + error.column().saturating_sub(1)).min(self.text.len());
        let message = error.to_string();
        // The library adds the place, which is shown anyway.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
        let span = Span::new(self.file, at..at);
        Diagnostic::new(Code::E0205, span, format!("this is no JSON: {message}"))
            .label(self.used, "the list is used here")
    }

    /// Where a value of the document stands.
    fn place(&self, pointer: &[String]) -> Span {
        let found = locate(self.text, pointer).unwrap_or(self.text.trim());
        let start = found.as_ptr() as usize - self.text.as_ptr() as usize;
        Span::new(self.file, start..start + found.len())
    }
}

fn no_schema(name: &str, problem: &NoSchema, at: Span) -> Diagnostic {
    let mistake = |message: String| Diagnostic::new(Code::E0206, at, message);
    match problem {
        NoSchema::Missing => mistake(format!("the tool `{name}` has no `inputSchema`"))
            .help("a tool without arguments has `\"inputSchema\": {\"type\": \"object\"}`"),
        NoSchema::Two(first, second) => {
            mistake(format!("the tool `{name}` has both `{first}` and `{second}`"))
                .help("give the schema of its arguments once")
        }
        NoSchema::Kind(kind) => mistake(format!(
            "the tool `{name}` is of type `{kind}` and gives no schema"
        ))
        .help("take it out of the list: calls without a schema of arguments cannot be decided"),
    }
}

/// The text of a value in a JSON document.
fn locate<'t>(text: &'t str, pointer: &[String]) -> Option<&'t str> {
    pointer.iter().try_fold(text, |text, step| {
        let value: &RawValue = if text.trim_start().starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            items.get(step.parse::<usize>().ok()?)?
        } else {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            fields.get(step)?
        };
        Some(value.get())
    })
}
