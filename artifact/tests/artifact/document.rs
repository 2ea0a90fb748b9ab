//! `docs/artifact.md` names the sources that it describes, so that it cannot fall behind.

use std::fmt::Write;
use std::fs;

use sha2::{Digest, Sha256};

#[test]
fn the_document_describes_these_sources() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let document = fs::read_to_string(format!("{root}/docs/artifact.md")).unwrap();
    for source in ["artifact/src/ir.rs", "artifact/src/ir/claim.rs", "artifact/src/wire.rs"] {
        let digest = Sha256::digest(fs::read(format!("{root}/{source}")).unwrap());
        let mut line = format!("`{source}` ");
        for byte in digest {
            write!(line, "{byte:02x}").unwrap();
        }
        assert!(
            document.lines().any(|found| found == line),
            "`{source}` has changed: read `docs/artifact.md` again, correct it, and give it the \
             line\n{line}"
        );
    }
}
