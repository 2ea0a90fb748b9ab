//! Which rules the tests of policies made decide, and which regions and failures they showed.
//!
//! Counted is what the engine did: the rule that it names as the cause of a decision, and the regions
//! into which it divided results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rtbas::{Cause, Message, Reason, View};
use rtbas_artifact::ir::{Effect, NodeId};
use rtbas_artifact::open::Artifact;

use crate::output::shown;

/// What was reached, and how often.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    folder: PathBuf,
    /// Rules by file, line and text.
    rules: BTreeMap<(String, u32, String), usize>,
    /// Regions by tool and path.
    regions: BTreeMap<(String, String), usize>,
}

impl Coverage {
    /// All that there is to reach in a policy.
    pub(super) fn expect(&mut self, folder: &Path, artifact: &Artifact) {
        folder.clone_into(&mut self.folder);
        let (policy, origins) = (artifact.program().policy(), artifact.origins());
        for origin in origins.rules.iter().flatten() {
            let place = self.place(origins.file(origin), origin.line, &origin.text);
            self.rules.entry(place).or_default();
        }
        for tool in &policy.tools {
            let runs = tool.rules.iter().any(|rule| rule.effect != Effect::Deny);
            let nodes = (0..).map(NodeId).take(tool.nodes.len());
            for path in nodes.filter(|_| runs).filter_map(|node| tool.path_of(node)) {
                self.regions.entry((tool.name.clone(), path)).or_default();
            }
        }
    }

    /// A decision.
    pub(super) fn decided(&mut self, reason: &Reason) {
        if let Cause::Rule(rule) = &reason.cause {
            let place = self.place(&rule.file, rule.line, &rule.text);
            self.rules.entry(place).and_modify(|times| *times += 1);
        }
    }

    /// Artifacts name files as the policy does; here they are found from where the program runs.
    fn place(&self, file: &str, line: u32, text: &str) -> (String, u32, String) {
        (self.folder.join(file).display().to_string(), line, text.to_owned())
    }

    /// What a call brought: the last message of a view.
    pub(super) fn shown(&mut self, tool: &str, view: &View) {
        let regions = view.messages().last().map_or(&[][..], Message::regions);
        for region in regions {
            let key = (tool.to_owned(), generic(&region.path));
            self.regions.entry(key).and_modify(|times| *times += 1);
        }
    }

    /// The table for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let reached = self.rules.values().filter(|times| **times > 0).count();
        let mut lines = vec![format!("rules: {reached} of {} decided", self.rules.len())];
        let missed = self.rules.iter().filter(|(_, times)| **times == 0);
        lines.extend(
            missed
                .map(|((file, line, text), _)| format!("  never  {file}:{line}: {}", shown(text))),
        );
        let reached = self.regions.values().filter(|times| **times > 0).count();
        lines.push(format!("regions: {reached} of {} shown", self.regions.len()));
        let missed = self.regions.iter().filter(|(_, times)| **times == 0);
        lines.extend(
            missed.map(|((tool, path), _)| format!("  never  {}.{}", shown(tool), shown(path))),
        );
        lines
    }

    /// The rules as an LCOV tracefile, line by line.
    pub(super) fn lcov(&self) -> String {
        let mut files: BTreeMap<&str, BTreeMap<u32, usize>> = BTreeMap::new();
        for ((file, line, _), times) in &self.rules {
            *files.entry(file).or_default().entry(*line).or_default() += times;
        }
        let mut text = String::from("TN:rtbasc\n");
        for (file, lines) in files {
            text += &format!("SF:{file}\n");
            for (line, times) in &lines {
                text += &format!("DA:{line},{times}\n");
            }
            let hit = lines.values().filter(|times| **times > 0).count();
            text += &format!("LF:{}\nLH:{hit}\nend_of_record\n", lines.len());
        }
        text
    }
}

/// A path with `[*]` for each place in a list.
fn generic(path: &str) -> String {
    let mut generic = String::new();
    let mut rest = path;
    while let Some((before, bracket)) = rest.split_once('[') {
        let (inside, after) = bracket.split_once(']').unwrap_or((bracket, ""));
        let place = if inside.starts_with("key") { "key" } else { "*" };
        generic.push_str(&format!("{before}[{place}]"));
        rest = after;
    }
    generic + rest
}
