//! Why the calls of one session were decided as they were.

use rtbas::{Cause, Reason};
use serde_json::{Value, json};

use super::play::Judged;
use crate::output::{effect_name, shown};

/// Whether the text names a session of that id, and which of its calls, if it names one.
pub(crate) fn names<'t>(text: &'t str, id: &str) -> Option<Option<&'t str>> {
    match text.strip_prefix(id)? {
        "" => Some(None),
        rest => rest.strip_prefix(':').map(Some),
    }
}

/// Those of a session's calls that are to be explained: one, or all.
///
/// # Errors
/// The session does not make the call that is named.
pub(crate) fn choose<'c>(
    call: Option<&str>,
    calls: &'c [Judged],
) -> Result<Vec<&'c Judged>, String> {
    let named = |judged: &&Judged| call.is_none_or(|call| judged.id == call);
    let found: Vec<&Judged> = calls.iter().filter(named).collect();
    match call {
        Some(call) if found.is_empty() => {
            let ids: Vec<String> = calls.iter().map(|call| shown(&call.id)).collect();
            let (call, ids) = (shown(call), ids.join(", "));
            Err(format!("the session makes no call `{call}`; its calls are {ids}"))
        }
        _ => Ok(found),
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
        "decision": effect_name(call.effect),
        "rule": rule,
        "problem": problem,
        "label": call.reason.as_ref().ok().map(|reason| &reason.label),
        "text": call.reason.as_ref().map_or_else(Clone::clone, ToString::to_string),
    })
}
