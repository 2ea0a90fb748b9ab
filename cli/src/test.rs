//! `rtbasc test`: takes policies through the tests that they bring.
//!
//! Each call of a test is an output of its own. The user of a test is absent: a call that waits for
//! approval is rejected.

mod coverage;
mod junit;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rtbas::{Call, Decision, Engine, Permit, Reason, Receipt, Reply, Session, SessionError};
use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::Effect;
use rtbas_compiler::lower::{Outcome as Answer, Step, TestCase};
use rtbas_compiler::source::{Position, Sources, Span};
use serde_json::{Value, json};

use self::coverage::Coverage;
use crate::ci;
use crate::compile::compile_to_run;
use crate::exit::{self, Exit, Outcome};
use crate::output::{self, Readers, effect_name, shown};
use crate::policy;

/// Run the tests that policies bring
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Policies in source
    #[arg(required = true)]
    policies: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: TestFormat,
    /// Also say which rules no test made decide, and which regions none showed
    #[arg(long)]
    coverage: bool,
    /// Write which lines of rules decided to a new file, as an LCOV tracefile
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
}

/// In which form `test` says what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// Text for people
    #[default]
    Human,
    /// One JSON document for programs
    Json,
    /// A report in JUnit's form
    Junit,
    /// Annotations for workflows of GitHub
    Github,
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
    let mut coverage = Coverage::default();
    for path in &args.policies {
        runs.push(compile_to_run(path, |sources, verified| {
            let engine = policy::opened(verified)?;
            coverage.expect(path.parent().unwrap_or(Path::new("")), engine.artifact());
            let tests = verified.tests().iter();
            let cases = tests.map(|test| case(sources, &engine, test, &mut coverage));
            Ok(Run { file: path.display().to_string(), cases: cases.collect() })
        })?);
    }
    let cases = || runs.iter().flat_map(|run| &run.cases);
    let failed = cases().filter(|case| case.failure.is_some()).count();
    let passed = cases().count() - failed;
    match args.format {
        TestFormat::Human => {
            let mut lines: Vec<String> = runs.iter().flat_map(lines).collect();
            if args.coverage {
                lines.extend(coverage.lines());
            }
            lines.push(format!("{passed} passed, {failed} failed"));
            output::print_lines(&lines)?;
        }
        TestFormat::Junit => output::print(&junit::report(&runs)?)?,
        TestFormat::Github => {
            let lines: Vec<String> = cases().filter_map(annotation).collect();
            lines.iter().try_for_each(|line| output::print(&format!("{line}\n")))?;
        }
        TestFormat::Json => {
            let policies: Value = runs.iter().map(document).collect();
            let all = json!({ "passed": passed, "failed": failed, "policies": policies });
            output::print_json(&all)?;
        }
    }
    if let Some(path) = &args.lcov {
        output::create(path, coverage.lcov().as_bytes(), Readers::Default)
            .map_err(|problem| exit::Failure::usage(format!("`{}` {problem}", path.display())))?;
    }
    Ok(if failed == 0 { Exit::Fine } else { Exit::TestFailed })
}

/// A failed test at its line.
fn annotation(case: &Case) -> Option<String> {
    let failure = case.failure.as_ref()?;
    let place = Position { line: failure.line, column: 1 };
    let reason = failure.reason.iter().map(|reason| format!("\n{reason}"));
    let message: String = [failure.problem.clone()].into_iter().chain(reason).collect();
    let at = (failure.file.as_str(), place, place);
    Some(ci::annotation("error", Some(at), &case.name, &message))
}

fn case(sources: &Sources<'_>, engine: &Engine, test: &TestCase, coverage: &mut Coverage) -> Case {
    let failure = play(engine, test, coverage).err().map(|Flaw { at, problem, reason }| Failure {
        file: sources.path(at.file).to_owned(),
        line: sources.position(at).line,
        problem,
        reason,
    });
    Case { name: test.name.clone(), line: sources.position(test.span).line, failure }
}

fn play(engine: &Engine, test: &TestCase, coverage: &mut Coverage) -> Result<(), Flaw> {
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
                reason.iter().for_each(|reason| coverage.decided(reason));
                if found == Effect::Allow && outcome.is_some() && unfit.is_none() {
                    coverage.shown(tool, &session.view().map_err(at(*span))?);
                }
                let reason = reason.map(|reason| reason.to_string());
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
) -> Result<(Effect, Option<Reason>, Option<String>), SessionError> {
    let view = session.view()?;
    let call = Call { tool: tool.to_owned(), arguments: arguments.clone() };
    let decision = session.propose(&view, "", vec![call])?.pop();
    let reason = session.explain(0);
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
