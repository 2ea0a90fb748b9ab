//! Each numbered example is checked and tested by the commands of its README, and prints what lies
//! beside it in `expected.txt`. `UPDATE=1` writes that file.

#![expect(clippy::unwrap_used, reason = "an example that cannot be read is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::repository;

fn examples() -> Vec<PathBuf> {
    let folders = fs::read_dir(repository("examples")).unwrap();
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    let is_numbered = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
    folders.retain(|path| path.file_name().unwrap().to_str().is_some_and(is_numbered));
    folders.sort();
    folders
}

/// What the commands of a README print.
fn printed(folder: &Path) -> String {
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let commands = readme.lines().filter_map(|line| line.strip_prefix("$ rtbasc "));
    let mut printed = String::new();
    for command in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_rtbasc"))
            .args(command.split_whitespace())
            .current_dir(folder)
            .output()
            .unwrap();
        printed += &format!("$ rtbasc {command}\n");
        printed += &String::from_utf8(output.stdout).unwrap();
        printed += &String::from_utf8(output.stderr).unwrap();
        printed += &format!("exit code {}\n", output.status.code().unwrap());
    }
    printed
}

#[test]
fn every_numbered_example_prints_what_it_should() {
    let examples = examples();
    assert!(examples.len() >= 8, "{examples:?}");
    for folder in examples {
        let (expected, printed) = (folder.join("expected.txt"), printed(&folder));
        assert!(printed.contains("rtbasc test"), "{}: no test", folder.display());
        assert_eq!(printed.matches("exit code 0\n").count(), printed.matches("$ rtbasc").count());
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &printed).unwrap();
        }
        assert_eq!(fs::read_to_string(&expected).unwrap(), printed, "{}", folder.display());
    }
}
