//! `rtbasc test`: takes policies through the tests that they bring.
//!
//! Each call of a test is an output of its own. The user of a test is absent: a call that waits for
//! approval is rejected.

use std::path::PathBuf;

use clap::Args;
use rtbas::{Call, Decision, Engine, Permit, Receipt, Reply, Session, SessionError};
use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::Effect;
use rtbas_compiler::lower::{Outcome as Answer, Step, TestCase};
use rtbas_compiler::source::{Sources, Span};
use serde_json::{Value, json};

use crate::compile::compile_to_run;
use crate::exit::{Exit, Outcome};
use crate::output::{self, Format, effect_name, shown};
use crate::policy;

/// Run the tests that policies bring
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Policies in source
    #[arg(required = true)]
    policies: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The tests of a policy, run.
struct Run {
    file: String,
    cases: Vec<Case>,
}

/// A test, run.
struct Case {
    name: String,
    line: u32,
    failure: Option<Failure>,
}

/// Where and why a test failed.
struct Failure {
    file: String,
    line: u32,
    problem: String,
    /// Why the call was decided as it was.
    reason: Option<String>,
}

/// The same, its place not looked up yet.
struct Flaw {
    at: Span,
    problem: String,
    reason: Option<String>,
}

/// Runs the tests and says which failed.
pub(crate) fn run(args: &Test) -> Outcome {
    let mut runs = Vec::with_capacity(args.policies.len());
    for path in &args.policies {
        runs.push(compile_to_run(path, |sources, verified| {
            let engine = policy::opened(verified)?;
            let cases = verified.tests().iter().map(|test| case(sources, &engine, test));
            Ok(Run { file: path.display().to_string(), cases: cases.collect() })
        })?);
    }
    let cases = || runs.iter().flat_map(|run| &run.cases);
    let failed = cases().filter(|case| case.failure.is_some()).count();
    let passed = cases().count() - failed;
    match args.format {
        Format::Human => {
            let mut lines: Vec<String> = runs.iter().flat_map(lines).collect();
            lines.push(format!("{passed} passed, {failed} failed"));
            output::print_lines(&lines)?;
        }
        Format::Json => {
            let policies: Value = runs.iter().map(document).collect();
            let all = json!({ "passed": passed, "failed": failed, "policies": policies });
            output::print_json(&all)?;
        }
    }
    Ok(if failed == 0 { Exit::Fine } else { Exit::TestFailed })
}

fn case(sources: &Sources<'_>, engine: &Engine, test: &TestCase) -> Case {
    let failure = play(engine, test).err().map(|Flaw { at, problem, reason }| Failure {
        file: sources.path(at.file).to_owned(),
        line: sources.position(at).line,
        problem,
        reason,
    });
    Case { name: test.name.clone(), line: sources.position(test.span).line, failure }
}

fn play(engine: &Engine, test: &TestCase) -> Result<(), Flaw> {
    let at =
        |at: Span| move |error: SessionError| Flaw { at, problem: error.to_string(), reason: None };
    let mut session = engine.session(test.facts.clone()).map_err(|e| Flaw {
        at: test.span,
        problem: e.to_string(),
        reason: None,
    })?;
    for step in &test.steps {
        match step {
            Step::System(text) => session.system(text).map_err(at(test.span))?,
            Step::User(text) => session.user(text).map_err(at(test.span))?,
            Step::Call { tool, arguments, outcome, expected, span } => {
                // What comes back from a call comes back only if it ran.
                let expected = expected.or(outcome.as_ref().map(|_| Effect::Allow));
                let called = call(&mut session, tool, arguments, outcome.as_ref());
                let (found, reason, unfit) = called.map_err(at(*span))?;
                compare(expected, found, *span, reason)?;
                if let Some(problem) = unfit {
                    return Err(Flaw { at: *span, problem, reason: None });
                }
            }
            Step::Reply { text, expected, span } => {
                let view = session.view().map_err(at(*span))?;
                let found = match session.reply(&view, text).map_err(at(*span))? {
                    Reply::Allow => Effect::Allow,
                    Reply::Confirm => Effect::Confirm,
                };
                compare(*expected, found, *span, None)?;
            }
        }
    }
    Ok(())
}

/// Proposes a call and settles it. Gives the decision, its reason, and what is wrong with the
/// result.
fn call(
    session: &mut Session,
    tool: &str,
    arguments: &Arguments,
    answer: Option<&Answer>,
) -> Result<(Effect, Option<String>, Option<String>), SessionError> {
    let view = session.view()?;
    let call = Call { tool: tool.to_owned(), arguments: arguments.clone() };
    let decision = session.propose(&view, "", vec![call])?.pop();
    let reason = session.explain(0).map(|reason| reason.to_string());
    let (effect, unfit) = match decision {
        Some(Decision::Allow(permit)) => (Effect::Allow, settle(session, permit, answer)?),
        Some(Decision::Confirm(request)) => {
            session.reject(request)?;
            (Effect::Confirm, None)
        }
        Some(Decision::Deny) | None => (Effect::Deny, None),
    };
    Ok((effect, reason, unfit))
}

fn settle(
    session: &mut Session,
    permit: Permit,
    answer: Option<&Answer>,
) -> Result<Option<String>, SessionError> {
    match answer {
        Some(Answer::Returns(text)) => match session.result(permit, text)? {
            Receipt::Fits => Ok(None),
            Receipt::Unfit(unfit) => Ok(Some(unfit.to_string())),
        },
        Some(Answer::Fails(text)) => session.failed(permit, text).map(|()| None),
        None => session.withdraw(permit).map(|()| None),
    }
}

fn compare(
    expected: Option<Effect>,
    found: Effect,
    at: Span,
    reason: Option<String>,
) -> Result<(), Flaw> {
    match expected {
        Some(expected) if expected != found => {
            let (expected, found) = (effect_name(expected), effect_name(found));
            let problem = format!("expected `{expected}`, but it is `{found}`");
            Err(Flaw { at, problem, reason })
        }
        _ => Ok(()),
    }
}

fn lines(run: &Run) -> Vec<String> {
    let mut lines = vec![run.file.clone()];
    for case in &run.cases {
        let name = shown(&case.name);
        match &case.failure {
            None => lines.push(format!("  ok      {name}")),
            Some(failure) => {
                lines.push(format!("  FAILED  {name}"));
                let Failure { file, line, problem, reason } = failure;
                lines.push(format!("    {file}:{line}: {}", shown(problem)));
                let reason = reason.iter().flat_map(|reason| reason.lines());
                lines.extend(reason.map(|line| format!("      {}", shown(line))));
            }
        }
    }
    lines
}

fn document(run: &Run) -> Value {
    let tests = run.cases.iter().map(|case| {
        let failure = case.failure.as_ref().map(|failure| {
            json!({
                "file": failure.file,
                "line": failure.line,
                "problem": failure.problem,
                "reason": failure.reason,
            })
        });
        json!({ "name": case.name, "line": case.line, "failure": failure })
    });
    json!({ "file": run.file, "tests": tests.collect::<Value>() })
}
