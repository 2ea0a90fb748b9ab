//! The files of the tree that policies name, by their last names.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// The text of the tool list or policy of that name, whatever folder it is asked for in.
pub fn load(path: &str) -> Result<String, String> {
    static FILES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let mut files = BTreeMap::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for folder in ["docs/tools", "examples", "tests/suite"] {
            collect(&root.join(folder), &mut files);
        }
        files
    });
    let name = path.rsplit('/').next().unwrap_or(path);
    files.get(name).cloned().ok_or_else(|| "no such file".to_owned())
}

fn collect(folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the tree") {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "json" || end == "pol")
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            files.entry(name.to_owned()).or_insert(text);
        }
    }
}
