//! Where in the source a rule stands, so that a decision can say why.

use serde::{Deserialize, Serialize};

use crate::ir::{Policy, RuleId, ToolId};

/// Origins of a policy's rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// Source files, as the policy's own `import` and `use` lines name them.
    pub files: Vec<String>,
    /// For each tool, the origin of each of its rules.
    pub rules: Vec<Vec<Origin>>,
}

/// A place in the source and what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Index into [`Origins::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The source text, on one line.
    pub text: String,
}

impl Origins {
    /// Whether these are origins of that policy: each of its rules has one, in a file that is named.
    #[must_use]
    pub fn fit(&self, policy: &Policy) -> bool {
        let in_file = |origin: &Origin| (origin.file as usize) < self.files.len();
        self.rules.len() == policy.tools.len()
            && self.rules.iter().zip(&policy.tools).all(|(origins, tool)| {
                origins.len() == tool.rules.len() && origins.iter().all(in_file)
            })
    }

    /// The origin of a rule.
    #[must_use]
    pub fn rule(&self, tool: ToolId, rule: RuleId) -> Option<&Origin> {
        self.rules.get(tool.index())?.get(rule.index())
    }

    /// The file of an origin.
    #[must_use]
    pub fn file(&self, origin: &Origin) -> &str {
        self.files.get(origin.file as usize).map_or("?", String::as_str)
    }
}
