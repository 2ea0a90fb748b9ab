//! Lines of a text file that may be packed.
//!
//! Takes a file that is plain, gzip (RFC 1952) or Zstandard (RFC 8878), told apart by its first
//! bytes and not by its name; gives its lines one at a time. Trusts nothing: a line has a limit, so
//! that a small file cannot unpack into all memory.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use indicatif::ProgressBar;

use crate::exit::Failure;
use crate::input::reason;
use crate::output::shown;

/// Longest line that is read, in bytes.
pub(crate) const MAX_LINE: u64 = 64 * 1024 * 1024;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// What is wrong with a file, and where. Names from it are shown so that they steer no terminal.
#[derive(Debug)]
pub(crate) struct Fault {
    path: PathBuf,
    /// The line, from 1, if it is about one.
    line: Option<usize>,
    problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = (self.path.display(), shown(&self.problem));
        match self.line {
            Some(line) => write!(f, "{path}:{line}: {problem}"),
            None => write!(f, "`{path}` {problem}"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::usage(fault.to_string())
    }
}

impl Fault {
    /// Something about a whole file, in words that follow its name.
    pub(crate) fn file(path: &Path, problem: impl fmt::Display) -> Self {
        Self { path: path.to_owned(), line: None, problem: problem.to_string() }
    }
}

/// The lines of a file, read as they are asked for.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    number: usize,
    line: Vec<u8>,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Lines {
    /// Opens a file. `progress` counts the bytes that are read of it, packed as they are.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn open(path: &Path, progress: &ProgressBar) -> Result<Self, Fault> {
        let fault = |error: io::Error| Fault::file(path, reason(&error));
        let file = File::open(path).map_err(fault)?;
        let mut packed = BufReader::new(progress.wrap_read(file));
        let head = packed.fill_buf().map_err(fault)?;
        let reader: Box<dyn BufRead> = if head.starts_with(GZIP) {
            Box::new(BufReader::new(MultiGzDecoder::new(packed)))
        } else if head.starts_with(ZSTD) {
            let unpacked = zstd::Decoder::with_buffer(packed).map_err(fault)?;
            Box::new(BufReader::new(unpacked))
        } else {
            Box::new(packed)
        };
        Ok(Self { path: path.to_owned(), reader, number: 0, line: Vec::new() })
    }

    /// The next line that is not blank, or `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read or unpacked, or the line is longer than [`MAX_LINE`].
    pub(crate) fn advance(&mut self) -> Result<Option<&[u8]>, Fault> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = self.reader.by_ref().take(MAX_LINE + 1);
            match limited.read_until(b'\n', &mut self.line) {
                Ok(0) => return Ok(None),
                Ok(length) if length as u64 > MAX_LINE => {
                    let limit = MAX_LINE / (1024 * 1024);
                    return Err(self.fault(format!("the line is longer than {limit} MiB")));
                }
                Ok(_) if self.line.trim_ascii().is_empty() => {}
                Ok(_) => return Ok(Some(self.line.trim_ascii())),
                Err(error) => {
                    return Err(self.fault(format!(
                        "cannot be read on from here: {error}; fetch or write the file again"
                    )));
                }
            }
        }
    }

    /// Something about the line that was read last.
    #[must_use]
    pub(crate) fn fault(&self, problem: impl fmt::Display) -> Fault {
        Fault { path: self.path.clone(), line: Some(self.number), problem: problem.to_string() }
    }
}
