//! From a policy to the bytes of a signed artifact. Deterministic: the same policy and the same
//! keys give the same bytes.

use std::fmt;

use crate::certificate::Certificate;
use crate::ir::Policy;
use crate::origin::Origins;
use crate::sign::Signer;
use crate::validate::{Invalid, validate};
use crate::wire::{self, KeyId, MAX_BYTES, Signature};

/// Why there is no artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealError {
    /// No signer was given, and nobody opens an artifact without a signature.
    NoSigner,
    /// The same key was given twice.
    SameKey(KeyId),
    /// The policy is not valid.
    Invalid(Invalid),
    /// The origins are those of another policy.
    Origins,
    /// The file would have more than [`MAX_BYTES`], or more than 255 signatures.
    TooLarge,
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSigner => f.write_str(
                "nothing to sign with, and no engine opens an unsigned artifact; \
                 give at least one key",
            ),
            Self::SameKey(key) => write!(f, "key {key} is given twice; give each key once"),
            Self::Invalid(fault) => write!(f, "the policy is not valid: {fault}"),
            Self::Origins => f.write_str("the origins do not fit the rules of the policy"),
            Self::TooLarge => write!(
                f,
                "the artifact would have more than {MAX_BYTES} bytes or more than 255 signatures; \
                 split the policy, or sign with fewer keys"
            ),
        }
    }
}

impl std::error::Error for SealError {}

/// Makes the bytes of a signed artifact.
///
/// # Errors
/// A policy or origins that [`crate::open::open`] would refuse, no key, the same key twice, or a
/// policy that is too large.
pub fn seal(
    policy: &Policy,
    origins: &Origins,
    certificate: &Certificate,
    signers: &[Signer],
) -> Result<Vec<u8>, SealError> {
    validate(policy).map_err(SealError::Invalid)?;
    if !origins.fit(policy) {
        return Err(SealError::Origins);
    }
    let mut signers: Vec<_> =
        signers.iter().map(|signer| (signer.algorithm().code(), signer.id(), signer)).collect();
    signers.sort_by_key(|(algorithm, key, _)| (*algorithm, *key));
    let mut pairs = signers.iter().zip(signers.iter().skip(1));
    if let Some(((_, key, _), _)) = pairs.find(|(a, b)| (a.0, a.1) == (b.0, b.1)) {
        return Err(SealError::SameKey(*key));
    }
    if signers.is_empty() {
        return Err(SealError::NoSigner);
    }
    let payload = wire::encode(policy, origins, certificate).map_err(|_| SealError::TooLarge)?;
    let file = wire::to_sign(policy, &payload).ok_or(SealError::TooLarge)?;
    let made: Vec<Vec<u8>> = signers.iter().map(|(_, _, signer)| signer.sign(&file)).collect();
    let signatures: Vec<Signature<'_>> = signers
        .iter()
        .zip(&made)
        .map(|((algorithm, key, _), bytes)| Signature { algorithm: *algorithm, key: *key, bytes })
        .collect();
    wire::append_signatures(file, &signatures).ok_or(SealError::TooLarge)
}
