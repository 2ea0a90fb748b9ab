//! Imports: the items of other files join those of the policy.
//!
//! Each file is parsed once, however many import it. Two paths mean one file if they read the same
//! when `.` and `..` are taken out and the texts are the same; whoever reaches two files by such
//! paths, through links, gets both.

use super::ast::Policy;
use super::{load, parse_file};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span};

/// Most files of one policy.
const MAX_FILES: usize = 256;
/// Most files in a chain of imports.
const MAX_CHAIN: usize = 32;

/// Adds to a policy what the files that it imports declare, and those that these import.
pub(super) fn follow(
    sources: &mut Sources<'_>,
    mut policy: Policy,
    diagnostics: &mut Diagnostics,
) -> Policy {
    let mut imports = Imports { known: vec![policy.file], chain: vec![policy.file] };
    let lines = std::mem::take(&mut policy.imports);
    imports.add(sources, &mut policy, lines, diagnostics);
    policy
}

struct Imports {
    /// The files that have been loaded.
    known: Vec<FileId>,
    /// From the policy to the file whose imports are looked at.
    chain: Vec<FileId>,
}

impl Imports {
    fn add(
        &mut self,
        sources: &mut Sources<'_>,
        policy: &mut Policy,
        lines: Vec<(String, Span)>,
        diagnostics: &mut Diagnostics,
    ) {
        for (path, at) in lines {
            let Some(file) = load(sources, Some(at), &path, diagnostics) else { continue };
            if let Some(start) = self.chain.iter().position(|known| same(sources, *known, file)) {
                let circle = self.chain.iter().skip(start).chain([&file]);
                let names: Vec<&str> = circle.map(|file| sources.name(*file)).collect();
                let message = format!("imports go round in a circle: {}", names.join(" -> "));
                let help = "move what both need into a file that imports neither";
                diagnostics.push(Diagnostic::new(Code::E0204, at, message).help(help));
                continue;
            }
            if self.known.iter().any(|known| same(sources, *known, file)) {
                continue;
            }
            if self.chain.len() >= MAX_CHAIN || self.known.len() >= MAX_FILES {
                let message = format!(
                    "a policy has at most {MAX_FILES} files, and imports are at most {MAX_CHAIN} deep"
                );
                diagnostics.push(Diagnostic::new(Code::E0103, at, message));
                return;
            }
            self.known.push(file);
            let Some(mut imported) = parse_file(sources, file, diagnostics) else { continue };
            let lines = std::mem::take(&mut imported.imports);
            policy.absorb(imported);
            self.chain.push(file);
            self.add(sources, policy, lines, diagnostics);
            self.chain.pop();
        }
    }
}

fn same(sources: &Sources<'_>, a: FileId, b: FileId) -> bool {
    plain(sources.path(a)) == plain(sources.path(b)) && sources.text(a) == sources.text(b)
}

/// The steps of a path without `.` and `..`.
fn plain(path: &str) -> Vec<&str> {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" if !steps.is_empty() => {}
            "." => {}
            ".." if !matches!(steps.last(), None | Some(&".." | &"")) => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps
}

impl Policy {
    /// Takes over the items of another file. Its name, its version and its tests are its own.
    fn absorb(&mut self, other: Self) {
        let Self {
            file: _,
            name: _,
            edition: _,
            version: _,
            imports: _,
            lattices,
            products,
            abbreviations,
            conditions,
            facts,
            types,
            uses,
            stores,
            messages,
            tools,
            downgrades,
            claims,
            tests: _,
            lints,
            end: _,
        } = other;
        self.lattices.extend(lattices);
        self.products.extend(products);
        self.abbreviations.extend(abbreviations);
        self.conditions.extend(conditions);
        self.facts.extend(facts);
        self.types.extend(types);
        self.uses.extend(uses);
        self.stores.extend(stores);
        self.messages.extend(messages);
        self.tools.extend(tools);
        self.downgrades.extend(downgrades);
        self.claims.extend(claims);
        self.lints.extend(lints);
    }
}
