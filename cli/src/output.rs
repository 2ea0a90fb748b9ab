//! Writing: to the standard output, and files that stand whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use rtbas_artifact::ir::Effect;

use crate::exit::Failure;
use crate::input::reason;

/// For whom the output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    #[default]
    Human,
    /// One JSON document for programs
    Json,
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Whoever the system lets by default.
    Default,
    /// The file's owner.
    Owner,
}

/// Prints to the standard output. That its reader has gone away is no failure.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("the standard output {}", reason(&e))))
        }
        _ => Ok(()),
    }
}

/// Prints lines to the standard output.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print_lines(lines: &[String]) -> Result<(), Failure> {
    print(&(lines.join("\n") + "\n"))
}

/// Prints a JSON document to the standard output.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print_json(document: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{document:#}\n"))
}

/// Writes a file that must not exist.
///
/// # Errors
/// It exists, or cannot be written; then it does not exist afterwards.
pub(crate) fn create(path: &Path, bytes: &[u8], readers: Readers) -> Result<(), String> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => "would lie in a folder that does not exist".to_owned(),
        _ => reason(&e),
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|e| {
        // Half a file is worse than none; that it cannot be removed changes nothing.
        let _ = fs::remove_file(path);
        reason(&e)
    })
}

/// Writes a file in place of one that may exist: whoever reads it finds all of the old one or all
/// of the new.
///
/// # Errors
/// It cannot be written; then the old one is untouched.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::metadata(path).is_ok_and(|old| !old.is_file()) {
        return Err("is no file that could be replaced; give another name".to_owned());
    }
    put(path, |beside| create(beside, bytes, Readers::Default))
}

/// Writes a file anew that somebody wrote, as [`replace`] does: where a link leads, and with the
/// permissions that it has.
///
/// # Errors
/// It cannot be written; then the old one is untouched.
pub(crate) fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let path = &fs::canonicalize(path).map_err(|e| reason(&e))?;
    let permissions = fs::metadata(path).map_err(|e| reason(&e))?.permissions();
    if permissions.readonly() {
        return Err("may not be written".to_owned());
    }
    put(path, |beside| {
        create(beside, bytes, Readers::Owner)?;
        fs::set_permissions(beside, permissions).map_err(|e| reason(&e)).inspect_err(|_| {
            let _ = fs::remove_file(beside);
        })
    })
}

/// Has a file written beside a path, and moves it there.
fn put(path: &Path, write: impl FnOnce(&Path) -> Result<(), String>) -> Result<(), String> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = Path::new(&beside);
    write(beside)?;
    fs::rename(beside, path).map_err(|e| {
        let _ = fs::remove_file(beside);
        reason(&e)
    })
}

/// Text from a policy that is shown to people: it may not steer their terminal.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A decision as policies write it.
pub(crate) fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Deny => "deny",
        Effect::Confirm => "confirm",
        Effect::Allow => "allow",
    }
}
