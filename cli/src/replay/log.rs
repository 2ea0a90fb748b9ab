//! Recorded sessions, one a line: the format of `docs/session-log.md`.
//!
//! Takes the lines of a log; gives each session as the steps that it consists of, every result with
//! the call that it answers. Trusts nothing: what contradicts the format is an error that says
//! where. Arguments are the exception. A model wrote them, so arguments that are no values are for
//! the replay to deny, not for the reader to refuse.

use std::collections::BTreeSet;

use serde::Deserialize;

use rtbas::artifact::eval::Arguments;
use rtbas::artifact::value::Value;

use super::lines::{Fault, Lines};

/// A recorded session.
#[derive(Debug)]
pub(crate) struct Recording {
    /// Names it in reports and labels.
    pub(crate) id: String,
    /// The name of the policy that it is for.
    pub(crate) suite: String,
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
struct Line {
    id: String,
    suite: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: Role,
    content: Option<String>,
    tool_calls: Option<Vec<Call>>,
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
struct Call {
    id: String,
    function: String,
    args: serde_json::Value,
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
    let line: Line = serde_json::from_slice(line).map_err(|error| {
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
    Ok(Recording { id: line.id, suite: line.suite, steps })
}

fn add(
    steps: &mut Vec<Step>,
    ids: &mut BTreeSet<String>,
    message: Message,
) -> Result<(), String> {
    let content = || message.content.ok_or("field `content` is missing");
    match message.role {
        Role::System if steps.iter().any(|step| !matches!(step, Step::System(_))) => {
            return Err("a system message after the conversation has begun".to_owned());
        }
        Role::System => steps.push(Step::System(content()?)),
        Role::User => steps.push(Step::User(content()?)),
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
                None => Outcome::Returned(content()?),
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
    fn new(call: Call) -> Self {
        let arguments = arguments(&call.args);
        Self { id: call.id, tool: call.function, arguments, outcome: None }
    }
}

fn arguments(json: &serde_json::Value) -> Result<Arguments, String> {
    let fields = json.as_object().ok_or("the arguments are no object")?;
    let argument = |(name, value): (&String, &serde_json::Value)| match Value::from_json(value) {
        Ok(value) => Ok((name.clone(), value)),
        Err(error) => Err(format!("argument `{name}`: {error}")),
    };
    fields.iter().map(argument).collect()
}
