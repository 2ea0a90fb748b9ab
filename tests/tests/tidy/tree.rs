//! The files of the tree: what is kept in the repository, without what was built from it.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose code ships, and the package of tests.
pub(super) const CRATES: [&str; 6] = ["grammar", "artifact", "compiler", "runtime", "cli", "tests"];

/// Folders of the root that hold no crate of the workspace.
const OTHERS: [&str; 6] = ["benches", "docs", "examples", "fuzz", ".cargo", ".ci"];

/// A file of the tree.
pub(super) struct File {
    /// Its path below the root, with `/`.
    pub(super) path: String,
    /// Its text; of a binary file, what can be read of it.
    pub(super) text: String,
}

impl File {
    /// Whether the name ends with one of these, after a dot.
    pub(super) fn is(&self, endings: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files, in the order of their paths.
pub(super) fn files() -> Vec<File> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let folder = CRATES.iter().chain(&OTHERS).any(|known| *known == name);
        // A hidden file of the root may be somebody's own.
        if folder || (root().join(&name).is_file() && !name.starts_with('.')) {
            collect(name, &mut files);
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The Rust files of a crate's `src`.
pub(super) fn sources(of: &str) -> Vec<File> {
    let mut files = Vec::new();
    collect(format!("{of}/src"), &mut files);
    files.retain(|file| file.is(&["rs"]));
    assert!(!files.is_empty(), "{of}/src has no Rust files");
    files
}

/// Reads a file, or all files below a folder.
fn collect(path: String, files: &mut Vec<File>) {
    let place = root().join(&path);
    if place.is_dir() {
        for entry in fs::read_dir(place).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // What cargo, insta and fuzzers leave behind.
            let found = path == "fuzz" && matches!(&*name, "corpus" | "artifacts");
            if !found && !name.starts_with("target") && !name.ends_with(".snap.new") {
                collect(format!("{path}/{name}"), files);
            }
        }
    } else {
        let text = String::from_utf8_lossy(&fs::read(place).unwrap()).into_owned();
        files.push(File { path, text });
    }
}

/// Fails with every place that breaks a rule.
pub(super) fn none(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}\n  {}\n", broken.join("\n  "));
}
