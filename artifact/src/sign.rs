//! Keys and signatures: HMAC-SHA256 (RFC 2104) where one party builds and opens, Ed25519 (RFC 8032)
//! where those who open must not be able to build.
//!
//! Trusts `hmac`, `sha2` and `ed25519-dalek`, which are named in this file alone (SHA-256 for
//! digests also in [`crate::wire`]). Secrets are wiped when dropped and never printed.

mod text;

use std::collections::BTreeMap;
use std::fmt;

use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::wire::KeyId;

/// Stands before the signed bytes, so that no signature made for something else fits.
const ARTIFACT: &[u8] = b"rtbas artifact v1\0";
const HMAC_KEY_ID: &[u8] = b"rtbas hmac key id v1\0";
const ED25519_KEY_ID: &[u8] = b"rtbas ed25519 key id v1\0";

/// Fewest bytes in an HMAC key: as many as the hash has.
pub const MIN_HMAC_KEY: usize = 32;

/// How a signature is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// HMAC-SHA256: one secret signs and verifies.
    Hmac,
    /// Ed25519: a secret signs, its public half verifies.
    Ed25519,
}

impl Algorithm {
    /// Its number in the file.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Hmac => 1,
            Self::Ed25519 => 2,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hmac => "hmac-sha256",
            Self::Ed25519 => "ed25519",
        })
    }
}

/// Why something is not the key that it should be. Never shows any part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// Not a key file at all.
    NotAKey,
    /// What follows the colon is not hexadecimal.
    NotHex,
    /// A key of the wrong length, in bytes: what was found and what was expected.
    Length(usize, &'static str),
    /// A public key where a secret is needed.
    CannotSign,
    /// A secret where the public key suffices.
    NotPublic,
    /// Bytes that are no public key, or one that anybody can sign for.
    WeakPublicKey,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAKey => f.write_str(
                "not a key file: expected one line that starts with `rtbas-hmac-v1:`, \
                 `rtbas-ed25519-secret-v1:` or `rtbas-ed25519-public-v1:`; make one with \
                 `rtbasc keygen --kind ed25519 -o FILE`",
            ),
            Self::NotHex => f.write_str(
                "after the colon of a key file stand pairs of the digits 0-9 and a-f, \
                 but something else was found",
            ),
            Self::Length(found, expected) => {
                write!(
                    f,
                    "a key of {found} bytes, but {expected} were expected; make one with \
                     `rtbasc keygen -o FILE`"
                )
            }
            Self::CannotSign => f.write_str(
                "a public key cannot sign; give the secret key's file, the one without `.pub`",
            ),
            Self::NotPublic => f.write_str(
                "a secret key where the public one suffices; give the `.pub` file beside it, \
                 and keep the secret where policies are built",
            ),
            Self::WeakPublicKey => f.write_str("not a sound ed25519 public key; make a new pair"),
        }
    }
}

impl std::error::Error for KeyError {}

/// What signs artifacts.
#[derive(Clone)]
pub struct Signer(Secret);

#[derive(Clone)]
enum Secret {
    /// Already keyed: the key itself is not kept.
    Hmac(Hmac<Sha256>),
    Ed25519(SigningKey),
}

/// A key whose signatures count.
#[derive(Clone)]
pub struct TrustedKey(Check);

#[derive(Clone)]
enum Check {
    Hmac(Hmac<Sha256>),
    Ed25519(VerifyingKey),
}

/// The keys whose signatures count; several while one replaces another.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys(BTreeMap<(u8, KeyId), TrustedKey>);

fn hmac(key: &[u8]) -> Result<Hmac<Sha256>, KeyError> {
    let wrong = KeyError::Length(key.len(), "at least 32");
    if key.len() < MIN_HMAC_KEY {
        return Err(wrong);
    }
    Hmac::new_from_slice(key).map_err(|_| wrong)
}

fn hmac_id(keyed: &Hmac<Sha256>) -> KeyId {
    let code: [u8; 32] = keyed.clone().chain_update(HMAC_KEY_ID).finalize().into_bytes().into();
    id(&code)
}

fn ed25519_id(key: &VerifyingKey) -> KeyId {
    let code = Sha256::new().chain_update(ED25519_KEY_ID).chain_update(key.as_bytes());
    id(&code.finalize().into())
}

fn id(hash: &[u8; 32]) -> KeyId {
    let [a, b, c, d, e, f, g, h, ..] = *hash;
    KeyId([a, b, c, d, e, f, g, h])
}

impl Signer {
    /// Signs by HMAC-SHA256 with this key of random bytes.
    ///
    /// # Errors
    /// A key of fewer than [`MIN_HMAC_KEY`] bytes.
    pub fn hmac(key: &[u8]) -> Result<Self, KeyError> {
        hmac(key).map(|keyed| Self(Secret::Hmac(keyed)))
    }

    /// Signs by Ed25519 with the key pair of this secret: 32 random bytes.
    #[must_use]
    pub fn ed25519(secret: &[u8; 32]) -> Self {
        Self(Secret::Ed25519(SigningKey::from_bytes(secret)))
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        match self.0 {
            Secret::Hmac(_) => Algorithm::Hmac,
            Secret::Ed25519(_) => Algorithm::Ed25519,
        }
    }

    /// What verifies this signer's signatures. For HMAC that is the secret itself.
    #[must_use]
    pub fn trusted_key(&self) -> TrustedKey {
        TrustedKey(match &self.0 {
            Secret::Hmac(keyed) => Check::Hmac(keyed.clone()),
            Secret::Ed25519(key) => Check::Ed25519(key.verifying_key()),
        })
    }

    /// The name of the key.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.trusted_key().id()
    }

    /// Signs header and payload.
    pub(crate) fn sign(&self, signed: &[u8]) -> Vec<u8> {
        match &self.0 {
            Secret::Hmac(keyed) => {
                let code = keyed.clone().chain_update(ARTIFACT).chain_update(signed).finalize();
                code.into_bytes().to_vec()
            }
            Secret::Ed25519(key) => key.sign(&[ARTIFACT, signed].concat()).to_bytes().to_vec(),
        }
    }
}

impl TrustedKey {
    /// Trusts whoever has this HMAC key.
    ///
    /// # Errors
    /// A key of fewer than [`MIN_HMAC_KEY`] bytes.
    pub fn hmac(key: &[u8]) -> Result<Self, KeyError> {
        hmac(key).map(|keyed| Self(Check::Hmac(keyed)))
    }

    /// Trusts whoever has the secret half of this Ed25519 public key.
    ///
    /// # Errors
    /// Bytes that are no point of the curve, or one of small order.
    pub fn ed25519(public: &[u8; 32]) -> Result<Self, KeyError> {
        match VerifyingKey::from_bytes(public) {
            Ok(key) if !key.is_weak() => Ok(Self(Check::Ed25519(key))),
            _ => Err(KeyError::WeakPublicKey),
        }
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        match self.0 {
            Check::Hmac(_) => Algorithm::Hmac,
            Check::Ed25519(_) => Algorithm::Ed25519,
        }
    }

    /// The name of the key.
    #[must_use]
    pub fn id(&self) -> KeyId {
        match &self.0 {
            Check::Hmac(keyed) => hmac_id(keyed),
            Check::Ed25519(key) => ed25519_id(key),
        }
    }

    /// Whether this is the key's signature over header and payload. Codes are compared in constant
    /// time; of Ed25519's two readings of RFC 8032 this is the strict one.
    pub(crate) fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        match &self.0 {
            Check::Hmac(keyed) => {
                let mac = keyed.clone().chain_update(ARTIFACT).chain_update(signed);
                mac.verify_slice(signature).is_ok()
            }
            Check::Ed25519(key) => ed25519_dalek::Signature::from_slice(signature)
                .and_then(|signature| key.verify_strict(&[ARTIFACT, signed].concat(), &signature))
                .is_ok(),
        }
    }
}

impl TrustedKeys {
    /// The key that a signature names, if it is trusted.
    pub(crate) fn get(&self, algorithm: u8, key: KeyId) -> Option<&TrustedKey> {
        self.0.get(&(algorithm, key))
    }

    /// The names of the keys.
    pub fn ids(&self) -> impl Iterator<Item = KeyId> {
        self.0.keys().map(|(_, id)| *id)
    }
}

impl FromIterator<TrustedKey> for TrustedKeys {
    fn from_iter<I: IntoIterator<Item = TrustedKey>>(keys: I) -> Self {
        let named = keys.into_iter().map(|key| ((key.algorithm().code(), key.id()), key));
        Self(named.collect())
    }
}

impl From<TrustedKey> for TrustedKeys {
    fn from(key: TrustedKey) -> Self {
        [key].into_iter().collect()
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({} {})", self.algorithm(), self.id())
    }
}

impl fmt::Debug for TrustedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrustedKey({} {})", self.algorithm(), self.id())
    }
}
