//! How the program ends.

use std::fmt;
use std::process::ExitCode;

/// What the exit code says. The numbers are part of the interface: scripts depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Fine = 0,
    /// The policy has errors, or not its canonical form, or the artifact is refused.
    Refused = 1,
    /// The command cannot be understood, or a file cannot be read or written.
    Usage = 2,
    /// A test of the policy failed.
    TestFailed = 3,
    /// The solver did not know whether the policy is safe, which is no proof.
    Unknown = 4,
    /// A policy lets through what the one before it did not.
    Opened = 5,
}

/// The numbers, for `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  all is well
  1  the policy has errors, or not its canonical form where `fmt --check` asks,
     or the artifact is refused
  2  the command is not understood, or a file cannot be read or written
  3  a test of the policy failed
  4  the solver did not know whether the policy is safe
  5  what `diff` compares lets something through that was not let through before";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How the program ends.
    pub(crate) exit: Exit,
    message: String,
}

/// What a command comes to.
pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    /// Something that ends the program in that way.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }

    /// A command that is wrong, or a file that is not what it should be.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// A policy or artifact that is refused.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { exit: Exit::Refused, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)
    }
}
