//! `rtbasc check`: compiles a policy, proves what is to be proved, and writes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rtbas_compiler::diag::render;
use rtbas_compiler::verify::{Query, recorded};
use serde_json::json;

use crate::ci;
use crate::compile::{compile, compile_aloud};
use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::lint::LintOptions;
use crate::output::{self, Readers, shown};
use crate::report;

/// Compile a policy and prove what enforcement rests on
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The policy, or `-`
    policy: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    /// Print only what the policy is told and nobody proves: the trusted base
    #[arg(long)]
    told: bool,
    /// Write every question that is put to the solver to a new folder, as SMT-LIB
    #[arg(long, value_name = "FOLDER")]
    smt_lib: Option<PathBuf>,
    #[command(flatten)]
    lint: LintOptions,
}

/// In which form `check` says what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Text for people
    #[default]
    Human,
    /// One JSON document for programs
    Json,
    /// A log of SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations for workflows of GitHub
    Github,
}

/// Says what is wrong with the policy, or what was proved of it and what it was told.
pub(crate) fn run(args: &Check) -> Outcome {
    let Some(folder) = &args.smt_lib else { return checked(args) };
    let (outcome, asked) = recorded(|| checked(args));
    write(folder, &asked)?;
    outcome
}

/// Writes questions in the order in which they were asked, each with its obligation and its answer.
fn write(folder: &Path, asked: &[Query]) -> Result<(), Failure> {
    let failure =
        |path: &Path, problem: String| Failure::usage(format!("`{}` {problem}", path.display()));
    fs::create_dir(folder).map_err(|e| failure(folder, input::reason(&e)))?;
    for (index, query) in asked.iter().enumerate() {
        let path = folder.join(format!("{:05}.smt2", index + 1));
        let of = if query.of.is_empty() { "advice" } else { &query.of };
        let text = format!("; {}\n; answer: {}\n{}", shown(of), query.answer, query.text);
        output::create(&path, text.as_bytes(), Readers::Default)
            .map_err(|problem| failure(&path, problem))?;
    }
    Ok(())
}

fn checked(args: &Check) -> Outcome {
    let verified = match args.format {
        CheckFormat::Human => {
            let verified = compile_aloud(&args.policy, args.lint.lints())?;
            if let Ok(verified) = &verified {
                let lines = match args.told {
                    true => report::told(verified.program()),
                    false => report::lines(verified.program(), verified.certificate()),
                };
                output::print_lines(&lines)?;
            }
            verified
        }
        CheckFormat::Sarif => {
            let (verified, said) = compile(&args.policy, args.lint.lints(), |sources, said, _| {
                ci::sarif(sources, said)
            })?;
            output::print_json(&said)?;
            verified
        }
        CheckFormat::Github => {
            let (verified, said) = compile(&args.policy, args.lint.lints(), |sources, said, _| {
                ci::annotations(sources, said)
            })?;
            said.iter().try_for_each(|line| output::print(&format!("{line}\n")))?;
            verified
        }
        CheckFormat::Json => {
            let (verified, said) = compile(&args.policy, args.lint.lints(), |sources, said, _| {
                render::json(sources, said)
            })?;
            let report = verified.as_ref().ok();
            let report = report.map(|v| match args.told {
                true => json!({ "told": report::told(v.program()) }),
                false => report::document(v.program(), v.certificate()),
            });
            output::print_json(&json!({ "diagnostics": said, "policy": report }))?;
            verified
        }
    };
    Ok(verified.map_or_else(|exit| exit, |_| Exit::Fine))
}
