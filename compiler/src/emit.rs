//! Phase 6: signed bytes of what was verified.

use rtbas_artifact::seal::{SealError, seal};
use rtbas_artifact::sign::Signer;

use crate::verify::Verified;

/// The bytes of the artifact, signed by each signer. The same policy and keys give the same bytes.
///
/// # Errors
/// No signer, the same key twice, or a policy that is too large to ship.
pub fn emit(verified: &Verified, signers: &[Signer]) -> Result<Vec<u8>, SealError> {
    seal(verified.program().policy(), verified.origins(), verified.certificate(), signers)
}
