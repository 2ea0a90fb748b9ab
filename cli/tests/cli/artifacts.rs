//! `keygen` and `inspect`.

use std::fs;
use std::process::Command;

use insta::{assert_snapshot, with_settings};

use crate::run::Folder;

#[test]
fn help_says_what_there_is() {
    assert_snapshot!(Folder::new().run(&["--help"]));
    assert_snapshot!(Folder::new().run(&["inspect", "--help"]));
    assert_snapshot!(Folder::new().run(&["keygen", "--help"]));
}

#[test]
fn an_unknown_command_is_an_error_of_usage() {
    assert_snapshot!(Folder::new().run(&["inspekt", "x"]));
}

#[test]
fn keygen_makes_keys_once() {
    let folder = Folder::new();
    with_settings!({ filters => vec![("[0-9a-f]{16}", "ID")] }, {
        assert_snapshot!(folder.run(&["keygen", "-o", "a.key"]));
        assert_snapshot!(folder.run(&["keygen", "--kind", "hmac", "-o", "b.key"]));
    });
    assert_eq!(folder.names(), ["a.key", "a.key.pub", "b.key"]);
    let (a, b) = (folder.read("a.key"), folder.read("b.key"));
    assert_snapshot!(folder.run(&["keygen", "-o", "a.key"]));
    assert_snapshot!(folder.run(&["keygen", "--kind", "hmac", "-o", "b.key"]));
    assert_eq!((folder.read("a.key"), folder.read("b.key")), (a, b));
}

#[test]
fn keygen_leaves_no_secret_without_its_public_half() {
    let folder = Folder::new();
    folder.write("a.key.pub", "somebody's");
    assert_snapshot!(folder.run(&["keygen", "-o", "a.key"]));
    assert!(!folder.exists("a.key"));
    assert_eq!(folder.read("a.key.pub"), b"somebody's");
    assert_snapshot!(folder.run(&["keygen", "-o", "nowhere/a.key"]));
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_secret() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    for kind in ["hmac", "ed25519"] {
        folder.run(&["keygen", "--kind", kind, "-o", kind]);
        let mode = fs::metadata(folder.path(kind)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn two_keys_are_never_the_same() {
    let folder = Folder::new();
    folder.run(&["keygen", "--kind", "hmac", "-o", "a.key"]);
    folder.run(&["keygen", "--kind", "hmac", "-o", "b.key"]);
    assert_ne!(folder.read("a.key"), folder.read("b.key"));
}

#[test]
fn inspect_shows_what_an_artifact_says_of_itself() {
    let folder = Folder::with_artifact();
    assert_snapshot!(folder.run(&["inspect", "small.rtbas"]));
    assert_snapshot!(folder.run(&["inspect", "small.rtbas", "--format", "json"]));
}

#[test]
fn inspect_shows_what_a_trusted_key_signed() {
    let folder = Folder::with_artifact();
    assert_snapshot!(folder.run(&["inspect", "small.rtbas", "--key", "hmac.key"]));
    let json = ["inspect", "small.rtbas", "--key", "hmac.key", "--format", "json"];
    assert_snapshot!(folder.run(&json));
    let both = ["inspect", "small.rtbas", "--key", "other.key", "--key", "hmac.key"];
    assert!(folder.run(&both).contains("policy `small`"));
}

#[test]
fn inspect_reads_the_standard_input() {
    let folder = Folder::with_artifact();
    let artifact = folder.read("small.rtbas");
    assert_snapshot!(folder.run_with(&["inspect", "-"], &artifact));
}

#[test]
fn inspect_refuses_what_no_trusted_key_signed() {
    let folder = Folder::with_artifact();
    assert_snapshot!(folder.run(&["inspect", "small.rtbas", "--key", "other.key"]));
    let mut changed = folder.read("small.rtbas");
    changed[100] ^= 1;
    folder.write("changed.rtbas", changed);
    assert_snapshot!(folder.run(&["inspect", "changed.rtbas", "--key", "hmac.key"]));
    folder.write("text", "policy small edition 2026\n");
    assert_snapshot!(folder.run(&["inspect", "text"]));
}

#[test]
fn keys_that_cannot_be_used_are_named() {
    let folder = Folder::with_artifact();
    folder.write("short.key", "rtbas-hmac-v1:0707\n");
    folder.write("long.key", "x".repeat(5000));
    for key in ["ed25519.key", "small.rtbas", "short.key", "long.key", "missing.key"] {
        assert_snapshot!(folder.run(&["inspect", "small.rtbas", "--key", key]));
    }
}

#[test]
fn what_is_no_file_is_named() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    for path in ["folder", "fifo", "missing"] {
        assert_snapshot!(folder.run(&["inspect", path]));
    }
}
