//! Key files: one line of text, a word that says what kind of key it is, a colon, and the key in
//! lower-case hexadecimal.

use zeroize::Zeroizing;

use super::{Algorithm, KeyError, Secret, Signer, TrustedKey};

const HMAC: &str = "rtbas-hmac-v1";
const ED25519_SECRET: &str = "rtbas-ed25519-secret-v1";
const ED25519_PUBLIC: &str = "rtbas-ed25519-public-v1";

impl Algorithm {
    /// The text of a secret key's file: what [`Signer::from_text`] reads.
    #[must_use]
    pub fn secret_text(self, secret: &[u8; 32]) -> Zeroizing<String> {
        match self {
            Self::Hmac => line(HMAC, secret),
            Self::Ed25519 => line(ED25519_SECRET, secret),
        }
    }
}

impl Signer {
    /// The signer of a secret key's file.
    ///
    /// # Errors
    /// Text that is no key file, or that of a public key.
    pub fn from_text(text: &str) -> Result<Self, KeyError> {
        match parse(text)? {
            (HMAC, key) => Self::hmac(&key),
            (ED25519_SECRET, key) => exactly_32(&key).map(Self::ed25519),
            _ => Err(KeyError::CannotSign),
        }
    }

    /// The text of the public key's file, if there is a public half.
    #[must_use]
    pub fn public_text(&self) -> Option<String> {
        match &self.0 {
            Secret::Hmac(_) => None,
            Secret::Ed25519(key) => {
                Some(line(ED25519_PUBLIC, key.verifying_key().as_bytes()).to_string())
            }
        }
    }
}

impl TrustedKey {
    /// The key of a public key's file, or of an HMAC key's.
    ///
    /// # Errors
    /// Text that is no key file, or that of an Ed25519 secret, which does not belong where
    /// artifacts are opened.
    pub fn from_text(text: &str) -> Result<Self, KeyError> {
        match parse(text)? {
            (HMAC, key) => Self::hmac(&key),
            (ED25519_PUBLIC, key) => exactly_32(&key).and_then(Self::ed25519),
            _ => Err(KeyError::NotPublic),
        }
    }
}

fn exactly_32(key: &[u8]) -> Result<&[u8; 32], KeyError> {
    key.try_into().map_err(|_| KeyError::Length(key.len(), "32"))
}

fn line(kind: &str, key: &[u8; 32]) -> Zeroizing<String> {
    // Room for all of it at once: a string that grows leaves copies behind.
    let mut text = Zeroizing::new(String::with_capacity(kind.len() + 2 + 2 * key.len()));
    text.push_str(kind);
    text.push(':');
    for digit in key.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
        text.extend(char::from_digit(u32::from(digit), 16));
    }
    text.push('\n');
    text
}

fn parse(text: &str) -> Result<(&'static str, Zeroizing<Vec<u8>>), KeyError> {
    let (kind, digits) = text.trim().split_once(':').ok_or(KeyError::NotAKey)?;
    let kinds = [HMAC, ED25519_SECRET, ED25519_PUBLIC];
    let kind = kinds.into_iter().find(|known| *known == kind).ok_or(KeyError::NotAKey)?;
    let nibble = |digit: &u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut key = Zeroizing::new(Vec::with_capacity(digits.len() / 2));
    for pair in digits.as_bytes().chunks(2) {
        let [high, low] = pair else { return Err(KeyError::NotHex) };
        let byte = nibble(high).zip(nibble(low)).map(|(high, low)| high << 4 | low);
        key.push(byte.ok_or(KeyError::NotHex)?);
    }
    Ok((kind, key))
}
