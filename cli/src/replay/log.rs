//! Recorded sessions, one a line: the format of `docs/session-log.md`.
//!
//! Takes the lines of a log; gives each session as the steps that it consists of, every result with
//! the call that it answers. Trusts nothing: what contradicts the format is an error that says
//! where. Arguments are the exception. A model wrote them, so arguments that are no values are for
//! the replay to deny, not for the reader to refuse.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use rtbas_artifact::eval::Arguments;
use rtbas_artifact::value::Value;

use super::lines::{Fault, Lines};

/// A recorded session.
#[derive(Debug)]
pub(crate) struct Recording {
    /// Names it in reports and labels.
    pub(crate) id: String,
    /// The name of the policy that it is for.
    pub(crate) suite: String,
    /// Ids of the calls whose results show an attacker's text, if the recorder knew.
    pub(crate) injected: Option<Vec<String>>,
    /// What happened, in order.
    pub(crate) steps: Vec<Step>,
}

/// One step of a session.
#[derive(Debug)]
pub(crate) enum Step {
    /// A system message.
    System(String),
    /// What the user wrote.
    User(String),
    /// What the model wrote.
    Output {
        /// Its text.
        text: String,
        /// Its calls; none in an answer to the user.
        calls: Vec<RecordedCall>,
    },
}

/// A call, and what came of it.
#[derive(Debug)]
pub(crate) struct RecordedCall {
    /// Its id.
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments, or why they are none.
    pub(crate) arguments: Result<Arguments, String>,
    /// What came back; `None` if the run broke off.
    pub(crate) outcome: Option<Outcome>,
}

/// What came back from a call.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It ran.
    Returned(String),
    /// It failed with this text.
    Failed(String),
}

#[derive(Deserialize)]
struct Line<'l> {
    id: String,
    suite: String,
    injected_results: Option<Vec<String>>,
    #[serde(borrow)]
    messages: Vec<Message<'l>>,
}

#[derive(Deserialize)]
struct Message<'l> {
    role: Role,
    content: Option<String>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'l>>>,
    tool_call_id: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Deserialize)]
struct Call<'l> {
    id: String,
    function: String,
    /// Read on its own, so that a model's arguments cannot make a session unreadable.
    #[serde(borrow)]
    args: &'l RawValue,
}

/// The next session of a log, or `None` at its end.
///
/// # Errors
/// A line that is no session, or a file that cannot be read.
pub(crate) fn next(lines: &mut Lines) -> Result<Option<Recording>, Fault> {
    let Some(line) = lines.advance()? else {
        return Ok(None);
    };
    let recording = parse(line).map_err(|problem| lines.fault(problem))?;
    Ok(Some(recording))
}

fn parse(line: &[u8]) -> Result<Recording, String> {
    if line.first() != Some(&b'{') {
        return Err("no session: a line is one JSON object".to_owned());
    }
    let line: Line<'_> = serde_json::from_slice(line).map_err(|error| {
        // To the parser the line is the whole document, so only its column says something.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let text = error.to_string();
        let text = text.strip_suffix(&place).unwrap_or(&text);
        format!("no session: {text} at column {}", error.column())
    })?;
    let mut steps = Vec::with_capacity(line.messages.len());
    let mut ids = BTreeSet::new();
    for (index, message) in line.messages.into_iter().enumerate() {
        add(&mut steps, &mut ids, message)
            .map_err(|problem| format!("`messages[{index}]`: {problem}"))?;
    }
    Ok(Recording { id: line.id, suite: line.suite, injected: line.injected_results, steps })
}

fn add(
    steps: &mut Vec<Step>,
    ids: &mut BTreeSet<String>,
    message: Message<'_>,
) -> Result<(), String> {
    const NO_CONTENT: &str = "field `content` is missing";
    match message.role {
        Role::System if steps.iter().any(|step| !matches!(step, Step::System(_))) => {
            return Err("a system message after the conversation has begun".to_owned());
        }
        Role::System => steps.push(Step::System(message.content.ok_or(NO_CONTENT)?)),
        Role::User => steps.push(Step::User(message.content.ok_or(NO_CONTENT)?)),
        Role::Assistant => {
            let calls = message.tool_calls.unwrap_or_default();
            if let Some(twice) = calls.iter().find(|call| !ids.insert(call.id.clone())) {
                return Err(format!("the call id `{}` is used twice", twice.id));
            }
            let calls = calls.into_iter().map(RecordedCall::new).collect();
            steps.push(Step::Output { text: message.content.unwrap_or_default(), calls });
        }
        Role::Tool => {
            let id = message.tool_call_id.ok_or("field `tool_call_id` is missing")?;
            let outcome = match message.error {
                Some(error) => Outcome::Failed(error),
                None => Outcome::Returned(message.content.ok_or(NO_CONTENT)?),
            };
            let calls = steps.iter_mut().rev().find_map(|step| match step {
                Step::Output { calls, .. } => Some(calls),
                Step::System(_) | Step::User(_) => None,
            });
            let call = calls.and_then(|calls| calls.iter_mut().find(|call| call.id == id));
            let call = call.ok_or_else(|| {
                format!("a result of `{id}`, but the last answer before it makes no such call")
            })?;
            if call.outcome.replace(outcome).is_some() {
                return Err(format!("a second result of `{id}`"));
            }
        }
    }
    Ok(())
}

impl RecordedCall {
    fn new(call: Call<'_>) -> Self {
        let arguments = arguments(call.args);
        Self { id: call.id, tool: call.function, arguments, outcome: None }
    }
}

fn arguments(json: &RawValue) -> Result<Arguments, String> {
    let fields: BTreeMap<String, serde_json::Value> = serde_json::from_str(json.get())
        .map_err(|error| format!("the arguments are no object of values: {error}"))?;
    let argument = |(name, value): (String, serde_json::Value)| match Value::from_json(&value) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(format!("argument `{name}`: {error}")),
    };
    fields.into_iter().map(argument).collect()
}
