//! The history of a session: messages as labelled regions (H).
//!
//! Takes labels that are already computed; trusts nothing about the text. A message never changes
//! once it is in the history, so views share messages instead of copying them.

use std::ops::Range;

use rtbas_artifact::eval::Arguments;
use rtbas_artifact::label::Label;

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The application.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool, or the engine in its place.
    Tool,
}

/// A call as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The arguments by name.
    pub arguments: Arguments,
}

/// A message of the history.
#[derive(Debug)]
pub struct Message {
    pub(crate) role: Role,
    /// Label of the fact that this message exists (ε).
    pub(crate) existence: Label,
    pub(crate) text: String,
    pub(crate) regions: Vec<LabelledRegion>,
    /// The calls of an assistant's message.
    pub(crate) calls: Vec<Call>,
    /// For a tool's message: which call of the latest assistant's message it answers.
    pub(crate) answers: Option<usize>,
}

/// A labelled span of a message. A region's label is at least its parent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledRegion {
    /// How the region is reached in a tool's result, such as `result[2].subject`; the name of the
    /// message's role elsewhere.
    pub path: String,
    /// The bytes of the message's text that it covers.
    pub span: Range<usize>,
    /// Its label.
    pub label: Label,
    /// The region around it, by index in the message; the root has none.
    pub parent: Option<usize>,
}

impl Message {
    /// A message that is one region.
    pub(crate) fn whole(role: Role, existence: Label, label: Label, text: String) -> Self {
        let path = match role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "result",
        };
        let region =
            LabelledRegion { path: path.to_owned(), span: 0..text.len(), label, parent: None };
        Self { role, existence, text, regions: vec![region], calls: Vec::new(), answers: None }
    }

    /// Who it is from.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// Label of the fact that it exists: whoever may not know that, is not shown it (ε).
    #[must_use]
    pub fn existence(&self) -> &Label {
        &self.existence
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The calls that an assistant's message makes.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// For a tool's message: the index of the call that it answers, among the calls of the
    /// assistant's message before it.
    #[must_use]
    pub fn answers(&self) -> Option<usize> {
        self.answers
    }

    /// Its regions, root first.
    #[must_use]
    pub fn regions(&self) -> &[LabelledRegion] {
        &self.regions
    }

    /// Everything that whoever sees the whole message learns: the join of its labels.
    pub(crate) fn label(&self) -> Label {
        self.regions.iter().fold(self.existence.clone(), |label, region| label.join(&region.label))
    }
}
