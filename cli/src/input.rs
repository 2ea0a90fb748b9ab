//! Reading files: regular ones and the standard input, up to a limit, so that no path makes the
//! program wait or swallow memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use rtbas_artifact::sign::KeyError;
use zeroize::Zeroizing;

use crate::exit::Failure;

/// Most bytes in a key file: more than any key needs.
const MAX_KEY: usize = 4096;

/// The bytes of a file, or of the standard input if the path is `-`.
///
/// # Errors
/// What is wrong with the file, in words that follow its name.
pub(crate) fn bytes(path: &Path, limit: usize) -> Result<Vec<u8>, String> {
    if path.as_os_str() == "-" {
        return limited(io::stdin().lock(), limit);
    }
    let kind = fs::metadata(path).map_err(|e| reason(&e))?;
    if kind.is_dir() {
        return Err("is a folder; give a file".to_owned());
    }
    if !kind.is_file() {
        return Err("is neither a file nor a folder; give a file, or `-` to read the standard \
                    input"
            .to_owned());
    }
    limited(File::open(path).map_err(|e| reason(&e))?, limit)
}

/// The text of a file, or of the standard input if the path is `-`.
///
/// # Errors
/// What is wrong with the file, in words that follow its name.
pub(crate) fn text(path: &Path, limit: usize) -> Result<String, String> {
    String::from_utf8(bytes(path, limit)?).map_err(|e| {
        let valid = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count();
        format!("is not UTF-8 from line {line} on; save it as UTF-8")
    })
}

/// A key of a key file.
///
/// # Errors
/// A file that cannot be read or holds no such key.
pub(crate) fn key<K>(path: &Path, read: fn(&str) -> Result<K, KeyError>) -> Result<K, Failure> {
    let failure = |problem: String| Failure::usage(format!("`{}` {problem}", path.display()));
    let bytes = Zeroizing::new(bytes(path, MAX_KEY).map_err(failure)?);
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    read(text).map_err(|e| failure(format!("cannot be used: {e}")))
}

fn limited(source: impl Read, limit: usize) -> Result<Vec<u8>, String> {
    // Room for a key at once: a buffer that grows leaves copies behind.
    let mut bytes = Vec::with_capacity(limit.min(MAX_KEY).saturating_add(1));
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    source.take(most).read_to_end(&mut bytes).map_err(|e| reason(&e))?;
    if bytes.len() > limit {
        return Err(format!("has more than {limit} bytes, the most that are read"));
    }
    Ok(bytes)
}

/// Why the system refused, in words that follow the name of a file.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read or written by you".to_owned(),
        io::ErrorKind::AlreadyExists => "exists already".to_owned(),
        _ => format!("cannot be read or written: {error}"),
    }
}
