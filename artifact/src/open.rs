//! From bytes to a policy that may be enforced: the only way.
//!
//! Takes bytes from anywhere. Trusts the given keys to say whose policy it is, and nothing else: a
//! signature is no reason to believe that the tables make sense. The order of the checks is the
//! order of [`OpenError`]'s variants, and that of `docs/artifact.md`.

use std::collections::BTreeSet;
use std::fmt;

use crate::certificate::{Certificate, Property};
use crate::ir::{Effect, Store, Tool};
use crate::origin::Origins;
use crate::program::Program;
use crate::sign::TrustedKeys;
use crate::validate::Invalid;
use crate::wire::{self, Digest, Frame, FrameError, KeyId};

/// What a deployment asks of an artifact beyond a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// The oldest version of the policy that is accepted, so that nobody can bring back an old one.
    pub minimum_version: u64,
    /// What must have been proved.
    pub properties: Vec<Property>,
}

impl Default for Requirements {
    /// Any version, every property.
    fn default() -> Self {
        Self { minimum_version: 0, properties: Property::ALL.to_vec() }
    }
}

/// Why an artifact was not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// Not an artifact of a format that is known here.
    Frame(FrameError),
    /// There is no signature.
    Unsigned,
    /// Signed, but by no key that is trusted here. These are the keys that the file names.
    UntrustedKeys(Vec<KeyId>),
    /// The signature that a trusted key is said to have made is not its signature.
    BadSignature(KeyId),
    /// The payload is not the one that the header measures.
    Digest,
    /// The payload does not decode, or is not what encoding its content again would give.
    Payload,
    /// Edition or version of the header are not those of the policy.
    Header,
    /// The policy is not valid.
    Invalid(Invalid),
    /// The origins do not fit the policy.
    Origins,
    /// The policy's version is below the required minimum.
    RolledBack {
        /// The version of the policy.
        found: u64,
        /// The oldest that is accepted.
        minimum: u64,
    },
    /// A required property was not proved.
    NotProved {
        /// The property.
        property: Property,
        /// Of this lattice, tool or policy.
        subject: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(error) => error.fmt(f),
            Self::Unsigned => f.write_str(
                "the artifact has no signature; build it again with `rtbasc build --key KEYFILE`",
            ),
            Self::UntrustedKeys(keys) => {
                let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "no key that signed it is trusted here; it names {}: trust that key, or \
                     build the artifact again with a key that is trusted",
                    keys.join(" and ")
                )
            }
            Self::BadSignature(key) => write!(
                f,
                "the signature that names key {key} does not match: the file was changed after \
                 it was signed; fetch or build it again"
            ),
            Self::Digest => f.write_str(
                "the payload does not have the digest that the header gives; build it again",
            ),
            Self::Payload => f.write_str(
                "the payload is not one that a compiler of this version writes; build it again",
            ),
            Self::Header => f.write_str(
                "edition or version in the header are not those of the policy; build it again",
            ),
            Self::Invalid(fault) => {
                write!(f, "the policy breaks a rule of its format: {fault}; build it again")
            }
            Self::Origins => f.write_str(
                "the origins do not fit the rules of the policy; build the artifact again",
            ),
            Self::RolledBack { found, minimum } => write!(
                f,
                "version {found} of the policy, but {minimum} or later is required; deploy the \
                 current artifact, or raise `version` in the policy and build it again"
            ),
            Self::NotProved { property, subject } => write!(
                f,
                "`{property}` is required but was not proved of `{subject}`; build the artifact \
                 with a compiler that proves it"
            ),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Frame(error) => Some(error),
            Self::Invalid(fault) => Some(fault),
            _ => None,
        }
    }
}

/// A policy that somebody trusted has signed, made ready.
#[derive(Clone, Debug)]
pub struct Artifact {
    program: Program,
    origins: Origins,
    certificate: Certificate,
    digest: Digest,
    signed_by: Vec<KeyId>,
}

impl Artifact {
    /// The policy, ready to be evaluated.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Where its rules stand in the source.
    #[must_use]
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// What was proved of it.
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The name of exactly this policy.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The trusted keys that signed it; at least one.
    #[must_use]
    pub fn signed_by(&self) -> &[KeyId] {
        &self.signed_by
    }

    /// The policy's own version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.program.policy().version
    }
}

/// Opens an artifact.
///
/// # Errors
/// The first check that fails, in the order of [`OpenError`]'s variants.
pub fn open(
    bytes: &[u8],
    keys: &TrustedKeys,
    requirements: &Requirements,
) -> Result<Artifact, OpenError> {
    let frame = Frame::read(bytes).map_err(OpenError::Frame)?;
    let signed_by = verified(&frame, keys)?;
    let digest = wire::digest(frame.payload());
    if digest != frame.header().digest {
        return Err(OpenError::Digest);
    }
    let (policy, origins, certificate) = wire::decode(frame.payload()).ok_or(OpenError::Payload)?;
    if (policy.edition, policy.version) != (frame.header().edition, frame.header().version) {
        return Err(OpenError::Header);
    }
    let program = Program::new(policy).map_err(OpenError::Invalid)?;
    if !origins.fit(program.policy()) {
        return Err(OpenError::Origins);
    }
    let (found, minimum) = (program.policy().version, requirements.minimum_version);
    if found < minimum {
        return Err(OpenError::RolledBack { found, minimum });
    }
    for &property in &requirements.properties {
        if let Some(subject) = not_proved(&program, &certificate, property) {
            return Err(OpenError::NotProved { property, subject });
        }
    }
    Ok(Artifact { program, origins, certificate, digest, signed_by })
}

/// The trusted keys that signed. Every signature that names one must hold; those of other keys and
/// other algorithms are passed over.
fn verified(frame: &Frame<'_>, keys: &TrustedKeys) -> Result<Vec<KeyId>, OpenError> {
    let mut signed_by = Vec::new();
    for signature in frame.signatures() {
        match keys.get(signature.algorithm, signature.key) {
            None => {}
            Some(key) if key.verifies(frame.signed(), signature.bytes) => {
                signed_by.push(signature.key);
            }
            Some(_) => return Err(OpenError::BadSignature(signature.key)),
        }
    }
    if !signed_by.is_empty() {
        return Ok(signed_by);
    }
    Err(match frame.signatures() {
        [] => OpenError::Unsigned,
        some => OpenError::UntrustedKeys(some.iter().map(|signature| signature.key).collect()),
    })
}

/// A lattice, store or tool of which the certificate lacks the property.
fn not_proved(program: &Program, certificate: &Certificate, property: Property) -> Option<String> {
    let policy = program.policy();
    let obligations = certificate.obligations.iter().filter(|o| o.property == property);
    let proved: BTreeSet<&str> = obligations.map(|o| o.subject.as_str()).collect();
    let lacks = |name: &&String| !proved.contains(name.as_str());
    let tool = |has: fn(&Tool) -> bool| {
        let mut tools = policy.tools.iter().filter(|tool| has(tool)).map(|tool| &tool.name);
        tools.find(lacks).cloned()
    };
    match property {
        Property::Lattice | Property::FaithfulCode => {
            policy.lattices.iter().map(|lattice| &lattice.name).find(lacks).cloned()
        }
        Property::RobustLabels => Some(&policy.name).filter(lacks).cloned(),
        Property::Outsiders => {
            let reads = |store: &&Store| store.outsiders.as_ref().is_some_and(|o| o.read.is_some());
            policy.stores.iter().filter(reads).map(|store| &store.name).find(lacks).cloned()
        }
        Property::Antitone | Property::LiveRules => tool(|_| true),
        Property::Stores => tool(|tool| !tool.writes.is_empty()),
        Property::Claim => {
            let claims = policy.claims.iter().map(|claim| program.show_claim(claim).to_string());
            claims.into_iter().find(|claim| !proved.contains(claim.as_str()))
        }
        Property::Usable => tool(|tool| tool.rules.iter().any(|r| r.effect == Effect::Allow)),
    }
}
