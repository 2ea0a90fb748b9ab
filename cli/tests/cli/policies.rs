//! `check` and `build`.

use std::fs;
use std::process::Command;

use insta::{assert_snapshot, with_settings};

use crate::run::{Folder, POLICY};

#[test]
fn check_says_what_was_proved_and_told() {
    let folder = Folder::with_policy();
    assert_snapshot!(folder.run(&["check", "hello.pol"]));
    with_settings!({ filters => vec![(r#""resource": \d+"#, r#""resource": N"#)] }, {
        assert_snapshot!(folder.run(&["check", "hello.pol", "--format", "json"]));
    });
    assert_eq!(folder.names(), ["hello.pol", "hello.tools.json", "hmac.key"]);
}

#[test]
fn check_reads_the_standard_input() {
    let folder = Folder::with_policy();
    let shown = folder.run_with(&["check", "-"], POLICY.as_bytes());
    assert!(shown.contains("policy `hello`") && shown.ends_with("exit code 0\n"), "{shown}");
}

#[test]
fn check_says_what_is_wrong() {
    let folder = Folder::with_policy();
    folder.write("hello.pol", POLICY.replace("{trusted, private} and", "{trusty, private} and"));
    assert_snapshot!(folder.run(&["check", "hello.pol"]));
    assert_snapshot!(folder.run(&["check", "hello.pol", "--format", "json"]));
}

#[test]
fn a_policy_that_is_no_text_is_named() {
    let folder = Folder::with_policy();
    fs::create_dir(folder.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    folder.write("latin1.pol", b"policy a\npolicy \xe4");
    folder.write("large.pol", " ".repeat(1024 * 1024 + 1));
    for path in ["folder", "fifo", "missing.pol", "latin1.pol", "large.pol", "/dev/zero"] {
        assert_snapshot!(folder.run(&["check", path]));
    }
    let endless = " ".repeat(1024 * 1024 + 1);
    assert_snapshot!(folder.run_with(&["check", "-"], endless.as_bytes()));
}

#[test]
fn a_policy_cannot_read_the_standard_input() {
    let folder = Folder::with_policy();
    folder.write("hello.pol", POLICY.replace("hello.tools.json", "-"));
    let tools = folder.read("hello.tools.json");
    assert_snapshot!(folder.run_with(&["check", "hello.pol"], &tools));
}

#[test]
fn what_is_built_can_be_inspected() {
    let folder = Folder::with_policy();
    let build = ["build", "hello.pol", "-o", "hello.rtbas", "--key", "hmac.key"];
    // The digest covers the solver's effort, and the size depends on it.
    with_settings!({ filters => vec![("[0-9a-f]{64}", "DIGEST"), (r"\d+ bytes", "N bytes")] }, {
        assert_snapshot!(folder.run(&build));
        assert_snapshot!(folder.run(&["inspect", "hello.rtbas", "--key", "hmac.key"]));
    });
    let once = folder.read("hello.rtbas");
    folder.run(&build);
    assert_eq!(folder.read("hello.rtbas"), once);
    assert_eq!(folder.names(), ["hello.pol", "hello.rtbas", "hello.tools.json", "hmac.key"]);
}

#[test]
fn a_key_pair_builds_with_one_half_and_opens_with_the_other() {
    let folder = Folder::with_policy();
    folder.run(&["keygen", "-o", "a.key"]);
    let built = folder.run(&["build", "hello.pol", "-o", "hello.rtbas", "--key", "a.key"]);
    assert!(built.ends_with("exit code 0\n"), "{built}");
    let shown = folder.run(&["inspect", "hello.rtbas", "--key", "a.key.pub"]);
    assert!(shown.contains(", trusted\n") && shown.ends_with("exit code 0\n"), "{shown}");
    folder.run(&["keygen", "-o", "b.key"]);
    let shown = folder.run(&["inspect", "hello.rtbas", "--key", "b.key.pub"]);
    assert!(shown.ends_with("exit code 1\n"), "{shown}");
}

#[test]
fn nothing_is_built_without_a_key() {
    let folder = Folder::with_policy();
    folder.run(&["keygen", "-o", "a.key"]);
    assert_snapshot!(folder.run(&["build", "hello.pol", "-o", "x.rtbas"]));
    assert_snapshot!(folder.run(&["build", "hello.pol", "-o", "x.rtbas", "--key", "a.key.pub"]));
    let twice = ["build", "hello.pol", "-o", "x.rtbas", "--key", "hmac.key", "--key", "hmac.key"];
    assert_snapshot!(folder.run(&twice));
    assert!(!folder.exists("x.rtbas"));
}

#[test]
fn what_cannot_be_built_leaves_the_old_artifact() {
    let folder = Folder::with_policy();
    folder.write("bad.pol", "policy bad");
    folder.write("old.rtbas", "old");
    fs::create_dir(folder.path("folder")).unwrap();
    let build = |policy, output| folder.run(&["build", policy, "-o", output, "--key", "hmac.key"]);
    assert_snapshot!(build("bad.pol", "old.rtbas"));
    assert_eq!(folder.read("old.rtbas"), b"old");
    assert_snapshot!(build("hello.pol", "folder"));
    assert_snapshot!(build("hello.pol", "nowhere/x.rtbas"));
}

#[test]
fn warnings_are_denied_and_allowed() {
    let folder = Folder::with_policy();
    let open = POLICY.replace("fact me", "fact you : string\nfact me");
    folder.write("hello.pol", &open);
    let check = |more: &[&str]| folder.run(&[&["check", "hello.pol"], more].concat());
    assert!(check(&[]).contains("warning[W0201]"));
    assert_snapshot!(check(&["--deny", "warnings"]));
    assert_snapshot!(check(&["--deny", "W0201"]));
    let quiet = check(&["--deny", "warnings", "--allow", "W0201"]);
    assert!(!quiet.contains("[W0201]") && quiet.ends_with("exit code 0\n"), "{quiet}");
    // What the policy allows is allowed, unless just that is denied.
    folder.write("hello.pol", open + "lint allow W0201 because \"the host has it anyway\"\n");
    let quiet = check(&["--deny", "warnings"]);
    assert!(!quiet.contains("[W0201]") && quiet.ends_with("exit code 0\n"), "{quiet}");
    let denied = check(&["--deny", "w0201", "--allow", "W0201"]);
    assert!(denied.contains("error[W0201]") && denied.ends_with("exit code 1\n"), "{denied}");
    let build = ["build", "hello.pol", "-o", "x.rtbas", "--key", "hmac.key", "--deny", "W0201"];
    assert!(folder.run(&build).ends_with("exit code 1\n") && !folder.exists("x.rtbas"));
}

#[test]
fn only_warnings_are_denied_and_allowed() {
    let folder = Folder::with_policy();
    assert_snapshot!(folder.run(&["check", "hello.pol", "--allow", "E0209"]));
    assert_snapshot!(folder.run(&["check", "hello.pol", "--deny", "W021"]));
}
