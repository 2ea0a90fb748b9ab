//! `rtbasc verify`: takes an artifact that ships, checks who signed it, and proves again what its
//! certificate says, from its tables alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use rtbas_artifact::certificate::{Certificate, Property};
use rtbas_artifact::open::{Artifact, Requirements, open};
use rtbas_artifact::sign::{TrustedKey, TrustedKeys};
use rtbas_artifact::wire::MAX_BYTES;
use rtbas_compiler::source::Sources;

use crate::compile;
use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::output::{self, shown};
use crate::report;

/// Check who signed an artifact, and prove again what it says was proved
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The artifact, or `-`
    artifact: PathBuf,
    /// A key that is trusted; one of them must have signed it
    #[arg(long = "key", value_name = "KEYFILE", required = true)]
    keys: Vec<PathBuf>,
}

/// Proves the artifact's policy anew, or says what of its certificate does not hold.
pub(crate) fn run(args: &Verify) -> Outcome {
    let named = |problem: String| format!("`{}` {problem}", args.artifact.display());
    let keys = args.keys.iter().map(|path| input::key(path, TrustedKey::from_text));
    let keys: TrustedKeys = keys.collect::<Result<_, _>>()?;
    let artifact = opened(args, &keys)?;
    let policy = artifact.program().policy().clone();
    let (verified, said) = rtbas_compiler::prove(policy, artifact.origins().clone());
    // Its texts are not there, and nothing that is said names a place in them.
    compile::print(&Sources::new(&mut |_| Err(String::new())), &said);
    let Some(verified) = verified else {
        let problem = "is signed, but not all of it can be proved; do not deploy it".to_owned();
        return Err(Failure::new(compile::exit(&said), named(problem)));
    };
    let (shipped, again) = (entries(artifact.certificate()), entries(verified.certificate()));
    if let Some((property, subject)) = shipped.difference(&again).next() {
        let problem = format!(
            "says that `{property}` was proved of `{}`, which this compiler does not prove; build \
             it again",
            shown(subject)
        );
        return Err(Failure::refused(named(problem)));
    }
    let mut lines = vec![format!("{}: what it says was proved holds", args.artifact.display())];
    lines.extend(artifact.signed_by().iter().map(|key| format!("signed by a trusted key, {key}")));
    let beyond = again.difference(&shipped).count();
    if beyond > 0 {
        lines.push(format!("its certificate lacks {beyond} of the following; build it again"));
    }
    lines.extend(report::lines(verified.program(), verified.certificate()));
    output::print_lines(&lines)?;
    Ok(Exit::Fine)
}

fn opened(args: &Verify, keys: &TrustedKeys) -> Result<Artifact, Failure> {
    let named = |problem: String| format!("`{}` {problem}", args.artifact.display());
    let bytes = input::bytes(&args.artifact, MAX_BYTES).map_err(|e| Failure::usage(named(e)))?;
    // What it lacks is said by what is proved here.
    let anything = Requirements { minimum_version: 0, properties: Vec::new() };
    open(&bytes, keys, &anything)
        .map_err(|e| Failure::refused(named(format!("cannot be opened: {e}"))))
}

fn entries(certificate: &Certificate) -> BTreeSet<(Property, &str)> {
    certificate.obligations.iter().map(|o| (o.property, o.subject.as_str())).collect()
}
