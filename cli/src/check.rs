//! `rtbasc check`: compiles a policy, proves what is to be proved, and writes nothing.

use std::path::PathBuf;

use clap::Args;
use rtbas_compiler::diag::render;
use serde_json::json;

use crate::compile::{compile, compile_aloud};
use crate::exit::{Exit, Outcome};
use crate::lint::LintOptions;
use crate::output::{self, Format};
use crate::report;

/// Compile a policy and prove what enforcement rests on
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The policy, or `-`
    policy: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print only what the policy is told and nobody proves: the trusted base
    #[arg(long)]
    told: bool,
    #[command(flatten)]
    lint: LintOptions,
}

/// Says what is wrong with the policy, or what was proved of it and what it was told.
pub(crate) fn run(args: &Check) -> Outcome {
    let verified = match args.format {
        Format::Human => {
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
        Format::Json => {
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
