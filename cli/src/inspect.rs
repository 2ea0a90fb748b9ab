//! `rtbasc inspect`: says what an artifact is. Without a key, what it says of itself; with one, what
//! it holds.

use std::path::{Path, PathBuf};

use clap::Args;
use rtbas_artifact::ir::Policy;
use rtbas_artifact::open::{Artifact, Requirements, open};
use rtbas_artifact::origin::Origins;
use rtbas_artifact::sign::{Algorithm, TrustedKey, TrustedKeys};
use rtbas_artifact::wire::{FORMAT, Frame, MAX_BYTES, Signature};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::output::{self, Format, shown};
use crate::report;

/// Say what an artifact is and who signed it
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The artifact, or `-`
    artifact: PathBuf,
    /// A key that is trusted: the policy is shown only if one of them signed it
    #[arg(long = "key", value_name = "KEYFILE")]
    keys: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Prints what the artifact is.
pub(crate) fn run(args: &Inspect) -> Outcome {
    let path = args.artifact.as_path();
    let named = |problem: String| format!("`{}` {problem}", path.display());
    let bytes = input::bytes(path, MAX_BYTES).map_err(|e| Failure::usage(named(e)))?;
    let frame = Frame::read(&bytes)
        .map_err(|e| Failure::refused(named(format!("cannot be opened: {e}"))))?;
    let keys = args.keys.iter().map(|path| input::key(path, TrustedKey::from_text));
    let keys: TrustedKeys = keys.collect::<Result<_, _>>()?;
    let artifact = match args.keys.as_slice() {
        [] => None,
        _ => {
            // Whoever inspects an artifact wants to see which properties it lacks.
            let anything = Requirements { minimum_version: 0, properties: Vec::new() };
            let opened = open(&bytes, &keys, &anything);
            Some(opened.map_err(|e| Failure::refused(named(format!("cannot be opened: {e}"))))?)
        }
    };
    match args.format {
        Format::Human => output::print_lines(&human(path, &frame, artifact.as_ref()))?,
        Format::Json => output::print_json(&document(&frame, artifact.as_ref()))?,
    }
    Ok(Exit::Fine)
}

fn human(path: &Path, frame: &Frame<'_>, artifact: Option<&Artifact>) -> Vec<String> {
    let header = frame.header();
    let mut lines = vec![format!("{}: an artifact of format {FORMAT}", path.display())];
    lines.push(format!("  version    {} (edition {})", header.version, header.edition));
    lines.push(format!("  digest     {}", header.digest));
    for signature in frame.signatures() {
        let trusted = artifact.is_some_and(|a| a.signed_by().contains(&signature.key));
        let note = if trusted { ", trusted" } else { "" };
        lines.push(format!("  signed by  {} {}{note}", algorithm(signature), signature.key));
    }
    match artifact {
        None => lines.push(
            "nothing of this is verified: trust a key with `--key KEYFILE` to see the policy"
                .to_owned(),
        ),
        Some(artifact) => {
            lines.extend(report::lines(artifact.program(), artifact.certificate()));
            lines.extend(rules(artifact.program().policy(), artifact.origins()));
        }
    }
    lines
}

fn rules(policy: &Policy, origins: &Origins) -> Vec<String> {
    let mut lines = vec!["rules".to_owned()];
    for (tool, origins_of_tool) in policy.tools.iter().zip(&origins.rules) {
        lines.push(format!("  {}", tool.name));
        for origin in origins_of_tool {
            let place = format!("{}:{}:{}", origins.file(origin), origin.line, origin.column);
            lines.push(format!("    {}  {}", shown(&place), shown(&origin.text)));
        }
    }
    lines
}

fn document(frame: &Frame<'_>, artifact: Option<&Artifact>) -> Value {
    let header = frame.header();
    let signatures: Value = frame
        .signatures()
        .iter()
        .map(|signature| {
            let trusted = artifact.is_some_and(|a| a.signed_by().contains(&signature.key));
            json!({
                "algorithm": algorithm(signature),
                "key": signature.key.to_string(),
                "trusted": trusted,
            })
        })
        .collect();
    json!({
        "format": FORMAT,
        "edition": header.edition,
        "version": header.version,
        "digest": header.digest.to_string(),
        "signatures": signatures,
        "verified": artifact.is_some(),
        "policy": artifact.map(|a| report::document(a.program(), a.certificate())),
        "rules": artifact.map(rules_document),
    })
}

fn rules_document(artifact: &Artifact) -> Value {
    let (policy, origins) = (artifact.program().policy(), artifact.origins());
    let tools = policy.tools.iter().zip(&origins.rules).map(|(tool, origins_of_tool)| {
        let rules = origins_of_tool.iter().map(|origin| {
            json!({
                "file": origins.file(origin),
                "line": origin.line,
                "column": origin.column,
                "text": origin.text,
            })
        });
        json!({ "tool": tool.name, "rules": rules.collect::<Value>() })
    });
    tools.collect()
}

fn algorithm(signature: &Signature<'_>) -> String {
    let known = [Algorithm::Hmac, Algorithm::Ed25519];
    match known.into_iter().find(|known| known.code() == signature.algorithm) {
        Some(known) => known.to_string(),
        None => format!("algorithm {}", signature.algorithm),
    }
}
