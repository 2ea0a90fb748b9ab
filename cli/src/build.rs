//! `rtbasc build`: compiles a policy, proves what is to be proved, and writes the signed artifact.

use std::path::PathBuf;

use clap::Args;
use rtbas_artifact::seal::SealError;
use rtbas_artifact::sign::Signer;
use rtbas_compiler::emit::emit;

use crate::compile::compile_aloud;
use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::lint::LintOptions;
use crate::output;

/// Compile a policy, prove it, and write the signed artifact that an engine opens
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The policy, or `-`
    policy: PathBuf,
    /// The artifact to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A key that signs it; several sign it each, while one replaces another
    #[arg(long = "key", value_name = "KEYFILE", required = true)]
    keys: Vec<PathBuf>,
    #[command(flatten)]
    lint: LintOptions,
}

/// Writes the artifact, or says why there is none.
pub(crate) fn run(args: &Build) -> Outcome {
    // Before the proofs: a key that cannot be read need not wait for them.
    let signers = args.keys.iter().map(|path| input::key(path, Signer::from_text));
    let signers = signers.collect::<Result<Vec<_>, _>>()?;
    let verified = match compile_aloud(&args.policy, args.lint.lints())? {
        Ok(verified) => verified,
        Err(exit) => return Ok(exit),
    };
    let bytes = emit(&verified, &signers).map_err(|e| match e {
        SealError::SameKey(_) => Failure::usage(e.to_string()),
        _ => Failure::refused(e.to_string()),
    })?;
    let path = args.output.display();
    output::replace(&args.output, &bytes)
        .map_err(|problem| Failure::usage(format!("`{path}` {problem}")))?;
    let policy = verified.program().policy();
    output::print(&format!(
        "{path}: policy `{}`, version {}, {} bytes\n",
        policy.name,
        policy.version,
        bytes.len()
    ))?;
    Ok(Exit::Fine)
}
