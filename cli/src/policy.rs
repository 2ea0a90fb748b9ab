//! Policies made ready to run, for the commands that run them.
//!
//! A policy in source is compiled, sealed with a key that nobody else will ever have, and opened
//! again: there is one door to the engine, and it is `open`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rtbas::Engine;
use rtbas_artifact::open::Requirements;
use rtbas_artifact::program::Program;
use rtbas_artifact::sign::{MIN_HMAC_KEY, Signer, TrustedKey, TrustedKeys};
use rtbas_artifact::wire::MAX_BYTES;
use rtbas_compiler::emit::emit;
use rtbas_compiler::verify::Verified;
use zeroize::Zeroizing;

use crate::compile::compile_to_run;
use crate::exit::Failure;
use crate::input;

/// Whether a file is a policy, by its name.
pub(crate) fn is_policy(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "pol" || end == "rtbas")
}

/// Opens policies, source or built, by their names.
///
/// # Errors
/// One that is refused, or two of one name.
pub(crate) fn engines(
    paths: &[PathBuf],
    keys: &[PathBuf],
) -> Result<BTreeMap<String, Engine>, Failure> {
    let keys = keys.iter().map(|path| input::key(path, TrustedKey::from_text));
    let keys: TrustedKeys = keys.collect::<Result<_, _>>()?;
    let mut engines = BTreeMap::new();
    for path in paths {
        let engine = match path.extension() {
            Some(end) if end == "pol" => compile_to_run(path, |_, verified| opened(verified))?,
            _ => built(path, &keys)?,
        };
        let name = engine.artifact().program().policy().name.clone();
        if engines.insert(name.clone(), engine).is_some() {
            return Err(Failure::usage(format!("two policies are named `{name}`; give one")));
        }
    }
    Ok(engines)
}

/// What a policy is, source or built.
///
/// # Errors
/// One that is refused.
pub(crate) fn program(path: &Path, keys: &[PathBuf]) -> Result<Program, Failure> {
    let keys = keys.iter().map(|path| input::key(path, TrustedKey::from_text));
    let keys: TrustedKeys = keys.collect::<Result<_, _>>()?;
    match path.extension() {
        Some(end) if end == "rtbas" => Ok(built(path, &keys)?.artifact().program().clone()),
        _ => compile_to_run(path, |_, verified| Ok(verified.program().clone())),
    }
}

/// Seals what was proved with a key that is made up here and forgotten, and opens it.
///
/// # Errors
/// A policy that no engine opens, or a system without random numbers.
pub(crate) fn opened(verified: &Verified) -> Result<Engine, Failure> {
    let refused = |problem: String| {
        let name = &verified.program().policy().name;
        Failure::refused(format!("policy `{name}` cannot be opened: {problem}"))
    };
    let mut secret = Zeroizing::new([0; MIN_HMAC_KEY]);
    getrandom::fill(&mut *secret).map_err(|e| refused(e.to_string()))?;
    let signer = Signer::hmac(&*secret).map_err(|e| refused(e.to_string()))?;
    let keys = TrustedKeys::from(signer.trusted_key());
    let bytes = emit(verified, &[signer]).map_err(|e| refused(e.to_string()))?;
    Engine::open(&bytes, &keys, &Requirements::default()).map_err(|e| refused(e.to_string()))
}

fn built(path: &Path, keys: &TrustedKeys) -> Result<Engine, Failure> {
    let named = |problem: String| format!("`{}` {problem}", path.display());
    let bytes = input::bytes(path, MAX_BYTES).map_err(|e| Failure::usage(named(e)))?;
    if keys.ids().next().is_none() {
        let help = "is an artifact; name a key that signed it by `--key KEYFILE`";
        return Err(Failure::usage(named(help.to_owned())));
    }
    Engine::open(&bytes, keys, &Requirements::default())
        .map_err(|e| Failure::refused(named(format!("cannot be opened: {e}"))))
}
