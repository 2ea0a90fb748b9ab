//! The engine: an opened artifact, shared by any number of sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use rtbas_artifact::eval::FactError;
use rtbas_artifact::open::{Artifact, OpenError, Requirements, open};
use rtbas_artifact::sign::TrustedKeys;
use rtbas_artifact::value::Value;

use crate::session::Session;

/// An opened policy. Cheap to clone; holds no state of any session.
#[derive(Clone, Debug)]
pub struct Engine {
    artifact: Arc<Artifact>,
}

/// What a model is told about a tool. It comes from the artifact and never from the wire: a server
/// that changes its descriptions cannot reach the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolDescription<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// What it does, in words.
    pub description: &'a str,
    /// The JSON Schema of its arguments.
    pub schema: &'a str,
}

impl Engine {
    /// Opens an artifact and makes an engine of it.
    ///
    /// # Errors
    /// Whatever [`open`] refuses.
    pub fn open(
        bytes: &[u8],
        keys: &TrustedKeys,
        requirements: &Requirements,
    ) -> Result<Self, OpenError> {
        Ok(Self { artifact: Arc::new(open(bytes, keys, requirements)?) })
    }

    /// The artifact.
    #[must_use]
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }

    /// The tools, as the model is to be told of them.
    pub fn tools(&self) -> impl Iterator<Item = ToolDescription<'_>> {
        self.artifact.program().policy().tools.iter().map(|tool| ToolDescription {
            name: &tool.name,
            description: &tool.description,
            schema: &tool.schema,
        })
    }

    /// Opens a session. Its facts do not change while it lives.
    ///
    /// # Errors
    /// Facts that are not those that the policy declares.
    pub fn session(&self, facts: BTreeMap<String, Value>) -> Result<Session, FactError> {
        let facts = self.artifact.program().facts(facts)?;
        Ok(Session::new(Arc::clone(&self.artifact), facts))
    }
}
