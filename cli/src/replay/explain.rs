//! Why the calls of one session were decided as they were.

use rtbas::artifact::ir::Effect;
use rtbas::{Cause, Reason};
use serde_json::{Value, json};

use super::play::Judged;
use crate::output::shown;

/// Which calls are to be explained: those of a session, or one of them.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// As it was given.
    text: String,
}

impl Wanted {
    /// A session's id, or a session's id, a colon and a call's id.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Whether a session is the one; with the call, if one is named.
    pub(crate) fn find<'s>(&'s self, id: &str) -> Option<Option<&'s str>> {
        let rest = self.text.strip_prefix(id)?;
        match rest {
            "" => Some(None),
            rest => rest.strip_prefix(':').map(Some),
        }
    }
}

/// The reasons as text.
pub(crate) fn human(calls: &[&Judged]) -> String {
    let reason = |call: &&Judged| {
        let text = match &call.reason {
            Ok(reason) => reason.to_string(),
            Err(problem) => format!("`{}` is denied: {problem}", call.tool),
        };
        let mut lines = text.lines().map(shown);
        let first = lines.next().unwrap_or_default();
        let rest: String = lines.map(|line| format!("  {line}\n")).collect();
        format!("{}: {first}\n{rest}", shown(&call.id))
    };
    calls.iter().map(reason).collect()
}

/// The reasons as JSON.
pub(crate) fn document(session: &str, calls: &[&Judged]) -> Value {
    let calls: Value = calls.iter().map(|call| call_document(call)).collect();
    json!({ "session": session, "calls": calls })
}

fn call_document(call: &Judged) -> Value {
    let decision = match call.effect {
        Effect::Allow => "allow",
        Effect::Confirm => "confirm",
        Effect::Deny => "deny",
    };
    let (rule, problem) = match &call.reason {
        Ok(Reason { cause: Cause::Rule(place), .. }) => {
            let rule = json!({ "file": place.file, "line": place.line, "rule": place.text });
            (Some(rule), None)
        }
        Ok(Reason { cause: Cause::Call(problem), .. }) | Err(problem) => (None, Some(problem)),
    };
    json!({
        "call": call.id,
        "tool": call.tool,
        "decision": decision,
        "rule": rule,
        "problem": problem,
        "label": call.reason.as_ref().ok().map(|reason| &reason.label),
        "text": call.reason.as_ref().map_or_else(Clone::clone, ToString::to_string),
    })
}
