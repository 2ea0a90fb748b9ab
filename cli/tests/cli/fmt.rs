//! `fmt`.

use std::fs;

use insta::assert_snapshot;

use crate::run::{Folder, POLICY};

const SHORT: &str =
    "policy short edition 2026\n\n\n\nlabel {a}   // one lattice\nlattice a{low->high}";

#[test]
fn policies_are_rewritten_once() {
    let folder = Folder::with_policy();
    folder.write("short.pol", SHORT);
    assert_snapshot!(folder.run(&["fmt", "hello.pol", "short.pol"]));
    let rewritten = folder.read("short.pol");
    assert_snapshot!(String::from_utf8(rewritten.clone()).unwrap());
    assert_snapshot!(folder.run(&["fmt", "hello.pol", "short.pol"]));
    assert_snapshot!(folder.run(&["fmt", "--check", "hello.pol", "short.pol"]));
    assert_eq!(folder.read("short.pol"), rewritten);
    assert_eq!(folder.names(), ["hello.pol", "hello.tools.json", "hmac.key", "short.pol"]);
    let checked = folder.run(&["check", "hello.pol"]);
    assert!(checked.ends_with("exit code 0\n"), "{checked}");
}

#[test]
fn the_standard_input_goes_to_the_standard_output() {
    let folder = Folder::new();
    assert_snapshot!(folder.run_with(&["fmt", "-"], SHORT.as_bytes()));
    assert_snapshot!(folder.run_with(&["fmt", "--check", "-"], SHORT.as_bytes()));
    assert_snapshot!(folder.run_with(&["fmt", "-"], b"policy"));
}

#[test]
fn a_check_says_what_would_change_and_changes_nothing() {
    let folder = Folder::with_policy();
    folder.write("short.pol", SHORT);
    folder.write("windows.pol", "policy windows edition 2026\r\n");
    folder.write("open.pol", "policy open edition 2026");
    assert_snapshot!(folder.run(&[
        "fmt",
        "--check",
        "hello.pol",
        "short.pol",
        "windows.pol",
        "open.pol"
    ]));
    assert_eq!(folder.read("hello.pol"), POLICY.as_bytes());
    assert_eq!(folder.read("short.pol"), SHORT.as_bytes());
}

#[test]
fn what_does_not_parse_is_left_alone() {
    let folder = Folder::new();
    folder.write("bad.pol", "policy bad   edition 2026\nlabel { a, }\nlattice a { low > high }\n");
    folder.write("new.pol", "policy new   edition 3026\n");
    folder.write("short.pol", SHORT);
    assert_snapshot!(folder.run(&["fmt", "bad.pol", "new.pol", "short.pol"]));
    assert!(folder.read("bad.pol").starts_with(b"policy bad   edition"));
    assert!(folder.read("new.pol").starts_with(b"policy new   edition"));
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder")).unwrap();
    folder.write("latin1.pol", b"policy a\npolicy \xe4");
    folder.write("short.pol", SHORT);
    assert_snapshot!(folder.run(&["fmt", "folder", "latin1.pol", "missing.pol", "short.pol"]));
    assert_snapshot!(folder.run(&["fmt"]));
}

#[cfg(unix)]
#[test]
fn a_file_stays_what_it_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    folder.write("short.pol", SHORT);
    symlink(folder.path("short.pol"), folder.path("link.pol")).unwrap();
    fs::set_permissions(folder.path("short.pol"), PermissionsExt::from_mode(0o664)).unwrap();
    let shown = folder.run(&["fmt", "link.pol"]);
    assert!(shown.ends_with("exit code 0\n"), "{shown}");
    assert!(folder.read("short.pol").ends_with(b"{ low -> high }\n"));
    assert!(fs::symlink_metadata(folder.path("link.pol")).unwrap().is_symlink());
    let mode = || fs::metadata(folder.path("short.pol")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o664);
    folder.write("short.pol", SHORT);
    fs::set_permissions(folder.path("short.pol"), PermissionsExt::from_mode(0o444)).unwrap();
    assert_snapshot!(folder.run(&["fmt", "short.pol"]));
    assert_eq!((folder.read("short.pol"), mode()), (SHORT.into(), 0o444));
}
