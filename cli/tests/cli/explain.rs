//! `explain`.

use insta::assert_snapshot;

use crate::run::Folder;

#[test]
fn a_page_is_printed() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["explain", "E0504"]));
    let both = folder.run(&["explain", "e0302", "W0204"]);
    assert!(both.contains("\nE0302: ") && both.contains("\n\nW0204: "), "{both}");
}

#[test]
fn pages_fit_a_terminal() {
    let folder = Folder::new();
    let codes = folder.run(&["explain"]);
    for code in codes.lines().filter(|line| line.starts_with(['E', 'W', 'N'])) {
        let (code, _) = code.split_once(' ').unwrap();
        let page = folder.run(&["explain", code]);
        assert!(page.ends_with("exit code 0\n"), "{page}");
        // Programs keep their lines.
        for line in page.lines().filter(|line| !line.starts_with("    ")) {
            assert!(line.chars().count() <= 80 && !line.contains("```"), "{code}: {line}");
        }
    }
}

#[test]
fn a_code_that_there_is_not_is_named() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["explain", "E201"]));
    assert_snapshot!(folder.run(&["explain", "E0201", "lattice\u{1b}"]));
}
