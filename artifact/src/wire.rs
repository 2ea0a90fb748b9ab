//! The bytes of an artifact: a header, the payload that it measures, and signatures over both.
//!
//! Takes and gives bytes, trusts none. Reading the frame of a file gives no policy; decoding the
//! payload is for [`crate::open`], after a signature has been checked. Layout: `docs/artifact.md`.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::certificate::Certificate;
use crate::ir::Policy;
use crate::origin::Origins;

/// The first bytes of every artifact. The first has its high bit set and the last two are a line
/// end, so that a transfer as text cannot go unnoticed.
pub const MAGIC: [u8; 8] = *b"\x8aRTBAS\r\n";
/// The version of the format that is written.
pub const FORMAT: u16 = 2;
/// Most bytes of an artifact.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What an artifact says of itself before anything is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The edition of the policy language.
    pub edition: u16,
    /// The policy's own version.
    pub version: u64,
    /// SHA-256 of the payload.
    pub digest: Digest,
}

/// Names exactly one policy: SHA-256 of a payload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// Names a key without giving it away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 8]);

macro_rules! shown_in_hex {
    ($($name:ty),*) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )* };
}

shown_in_hex!(Digest, KeyId);

/// A signature as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature<'a> {
    /// The algorithm's number: see [`crate::sign::Algorithm`]. A reader passes over numbers that it
    /// does not know.
    pub algorithm: u8,
    /// Which key made it.
    pub key: KeyId,
    /// The signature itself.
    pub bytes: &'a [u8],
}

/// The parts of a file, none of them decoded or verified.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    header: Header,
    signed: &'a [u8],
    payload: &'a [u8],
    signatures: Vec<Signature<'a>>,
}

/// Why bytes are no artifact of a format that this reader knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// More than [`MAX_BYTES`].
    TooLarge(usize),
    /// Another kind of file.
    NotAnArtifact,
    /// An artifact whose line ends were converted on its way.
    SentAsText,
    /// A format that this reader does not know.
    Format(u16),
    /// The file ends inside the named part.
    CutShort(&'static str),
    /// This many bytes follow the last signature.
    Trailing(usize),
    /// Signatures do not stand in the order of their algorithms and keys, each once.
    Order,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(n) => {
                write!(f, "{n} bytes, but an artifact has at most {MAX_BYTES}; split the policy")
            }
            Self::NotAnArtifact => {
                f.write_str("not a compiled policy; make one with `rtbasc build POLICY -o OUT`")
            }
            Self::SentAsText => f.write_str(
                "its line ends were converted on the way; copy the file again, in binary mode",
            ),
            Self::Format(found) => write!(
                f,
                "format {found}, but this version reads format {FORMAT}; update it, or build the \
                 artifact again with the compiler of this version"
            ),
            Self::CutShort(part) => {
                write!(f, "the file ends in its {part}; copy or build it again")
            }
            Self::Trailing(n) => {
                write!(f, "{n} bytes follow the last signature; copy or build the file again")
            }
            Self::Order => f.write_str(
                "its signatures are out of order or stand there twice; build the artifact again",
            ),
        }
    }
}

impl std::error::Error for FrameError {}

impl<'a> Frame<'a> {
    /// Splits a file into its parts.
    ///
    /// # Errors
    /// Bytes that are no artifact, or one of another format.
    pub fn read(file: &'a [u8]) -> Result<Self, FrameError> {
        if file.len() > MAX_BYTES {
            return Err(FrameError::TooLarge(file.len()));
        }
        let mut rest = file.strip_prefix(&MAGIC).ok_or_else(|| no_magic(file))?;
        let format = u16::from_le_bytes(take(&mut rest, "header")?);
        if format != FORMAT {
            return Err(FrameError::Format(format));
        }
        let edition = u16::from_le_bytes(take(&mut rest, "header")?);
        let version = u64::from_le_bytes(take(&mut rest, "header")?);
        let length = u32::from_le_bytes(take(&mut rest, "header")?);
        let digest = Digest(take(&mut rest, "header")?);
        let payload = take_slice(&mut rest, length as usize, "payload")?;
        let (signed, _) = file
            .split_at_checked(file.len() - rest.len())
            .ok_or(FrameError::CutShort("payload"))?;
        let [count] = take(&mut rest, "signatures")?;
        let mut signatures = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            signatures.push(signature(&mut rest)?);
        }
        if !rest.is_empty() {
            return Err(FrameError::Trailing(rest.len()));
        }
        if !signatures.is_sorted_by(|a, b| (a.algorithm, a.key) < (b.algorithm, b.key)) {
            return Err(FrameError::Order);
        }
        Ok(Self { header: Header { edition, version, digest }, signed, payload, signatures })
    }

    /// What the file says of itself. Anybody can have written it.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Its signatures, whoever made them.
    #[must_use]
    pub fn signatures(&self) -> &[Signature<'a>] {
        &self.signatures
    }

    /// The bytes that are signed: header and payload.
    pub(crate) fn signed(&self) -> &'a [u8] {
        self.signed
    }

    /// The payload.
    pub(crate) fn payload(&self) -> &'a [u8] {
        self.payload
    }
}

fn no_magic(file: &[u8]) -> FrameError {
    if file.len() < MAGIC.len() && MAGIC.starts_with(file) {
        return FrameError::CutShort("header");
    }
    let is_mangled = [&b"\x8aRTBAS\n"[..], b"\nRTBAS\r\n", b"\nRTBAS\n", b"\xef\xbf\xbdRTBAS"];
    match is_mangled.iter().any(|start| file.starts_with(start)) {
        true => FrameError::SentAsText,
        false => FrameError::NotAnArtifact,
    }
}

fn signature<'a>(rest: &mut &'a [u8]) -> Result<Signature<'a>, FrameError> {
    let [algorithm] = take(rest, "signatures")?;
    let key = KeyId(take(rest, "signatures")?);
    let length = u16::from_le_bytes(take(rest, "signatures")?);
    Ok(Signature { algorithm, key, bytes: take_slice(rest, usize::from(length), "signatures")? })
}

fn take<const N: usize>(rest: &mut &[u8], part: &'static str) -> Result<[u8; N], FrameError> {
    let (taken, left) = rest.split_first_chunk().ok_or(FrameError::CutShort(part))?;
    *rest = left;
    Ok(*taken)
}

fn take_slice<'a>(
    rest: &mut &'a [u8],
    length: usize,
    part: &'static str,
) -> Result<&'a [u8], FrameError> {
    let (taken, left) = rest.split_at_checked(length).ok_or(FrameError::CutShort(part))?;
    *rest = left;
    Ok(taken)
}

/// The digest of a payload.
pub(crate) fn digest(payload: &[u8]) -> Digest {
    Digest(Sha256::digest(payload).into())
}

/// The payload: the policy, its origins and its certificate.
pub(crate) fn encode(
    policy: &Policy,
    origins: &Origins,
    certificate: &Certificate,
) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(&(policy, origins, certificate))
}

/// What a payload holds, if these bytes are the ones that [`encode`] gives for it.
///
/// Memory is in proportion to the bytes: no length that they claim is believed before as many
/// bytes are there.
pub(crate) fn decode(payload: &[u8]) -> Option<(Policy, Origins, Certificate)> {
    let (policy, origins, certificate) = postcard::from_bytes(payload).ok()?;
    let canonical = encode(&policy, &origins, &certificate).ok()?;
    (canonical == payload).then_some((policy, origins, certificate))
}

/// Header and payload: what is signed. `None` if the payload is too long.
pub(crate) fn to_sign(policy: &Policy, payload: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() < MAX_BYTES)?;
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(policy.edition.to_le_bytes());
    bytes.extend(policy.version.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(digest(payload).0);
    bytes.extend(payload);
    Some(bytes)
}

/// Appends the signatures, in their order. `None` if there are too many or the file is too long.
pub(crate) fn append_signatures(
    mut file: Vec<u8>,
    signatures: &[Signature<'_>],
) -> Option<Vec<u8>> {
    file.push(u8::try_from(signatures.len()).ok()?);
    for signature in signatures {
        file.push(signature.algorithm);
        file.extend(signature.key.0);
        file.extend(u16::try_from(signature.bytes.len()).ok()?.to_le_bytes());
        file.extend(signature.bytes);
    }
    (file.len() <= MAX_BYTES).then_some(file)
}
