//! What the benchmarks share: policies compiled in process.
//!
//! Figures in `docs/performance.md` come from `make bench`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rtbas_artifact::sign::{Signer, TrustedKeys};
use rtbas_compiler::source::Sources;

/// Compiles a policy and signs it with a fixed key that nobody else should trust.
///
/// # Panics
/// If the policy does not compile: a benchmark of nothing is worse than none.
#[must_use]
pub fn artifact(policy: &Path) -> (Vec<u8>, TrustedKeys) {
    let folder = policy.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut load =
        |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string());
    let name = policy.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut sources = Sources::new(&mut load);
    let (verified, _) = rtbas_compiler::compile(&mut sources, &name.unwrap_or_default());
    let verified = verified.expect("the benchmark policy compiles");
    let signer = Signer::ed25519(&[7; 32]);
    let bytes = rtbas_compiler::emit::emit(&verified, std::slice::from_ref(&signer));
    let keys = std::iter::once(signer.trusted_key()).collect();
    (bytes.expect("the benchmark policy fits an artifact"), keys)
}

/// A policy of this package.
#[must_use]
pub fn policy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("policies").join(name)
}

/// Facts of the payments policy.
#[must_use]
pub fn payees() -> BTreeMap<String, rtbas_artifact::value::Value> {
    use rtbas_artifact::value::Value;
    let payees = ["CH93", "GB29", "SE35"].map(|iban| Value::Text(iban.to_owned()));
    BTreeMap::from([("payees".to_owned(), Value::List(payees.to_vec()))])
}
