//! Runs the program in a folder of its own.

#![expect(clippy::unwrap_used, reason = "a program that cannot be run is a failed test")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A policy that is fine.
pub(crate) const POLICY: &str = r#"policy hello edition 2026 version 2

lattice integrity { trusted -> untrusted }
lattice secrecy { public -> private }
label { integrity, secrecy }
use tools from "hello.tools.json"
store mail : {untrusted, private} because "anyone can write to us"
fact me : string
message system : {trusted, public}
message user   : {trusted, private}
message reply  : {untrusted, private}
tool read_mail { result text  reads mail  allow always }
tool send_mail {
  result text
  writes mail
  allow when context <= {trusted, private} and to == me
  confirm otherwise
  approval endorses mail because "the user sees the mail"
}
"#;

/// A folder that goes when the test ends.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with the artifact of the corpus and the keys that signed it.
    pub(crate) fn with_artifact() -> Self {
        let folder = Self::new();
        let artifact = repository("tests/suite/artifact/v2/good/small.rtbas");
        folder.write("small.rtbas", fs::read(artifact).unwrap());
        folder.write("hmac.key", format!("rtbas-hmac-v1:{}\n", "07".repeat(32)));
        folder.write("other.key", format!("rtbas-hmac-v1:{}\n", "08".repeat(32)));
        let secret = "09".repeat(32);
        folder.write("ed25519.key", format!("rtbas-ed25519-secret-v1:{secret}\n"));
        folder
    }

    /// A folder with a policy that is fine, and a key.
    pub(crate) fn with_policy() -> Self {
        let folder = Self::new();
        folder.write("hello.pol", POLICY);
        let tools = repository("examples/hello.tools.json");
        folder.write("hello.tools.json", fs::read(tools).unwrap());
        folder.write("hmac.key", format!("rtbas-hmac-v1:{}\n", "07".repeat(32)));
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names of the files in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the program in this folder: its exit code, and what it printed where.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.run_with(arguments, b"")
    }

    /// The same, with a standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rtbasc"))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input closes it, which is fine.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        let mut shown = format!("$ rtbasc {}\n", arguments.join(" "));
        shown += &String::from_utf8(output.stdout).unwrap();
        shown += &String::from_utf8(output.stderr).unwrap();
        format!("{shown}exit code {}\n", output.status.code().unwrap())
    }
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
