//! `test`.

#![expect(clippy::unwrap_used, reason = "a policy that cannot be made is a failed test")]

use std::fs;

use insta::assert_snapshot;

use crate::run::{Folder, repository};

/// The policy of the replay tests, with these tests in place of its own.
fn desk(tests: &str) -> Folder {
    let folder = Folder::new();
    let suite = repository("tests/suite/replay");
    let policy = fs::read_to_string(suite.join("desk.pol")).unwrap();
    let (policy, _) = policy.split_once("test \"").unwrap();
    folder.write("desk.pol", format!("{policy}{tests}"));
    folder.write("desk.tools.json", fs::read(suite.join("desk.tools.json")).unwrap());
    folder
}

const PASS: &str = r#"test "a mail after the inbox is asked about" {
  fact team = ["ann@desk.example"]
  system "You help at the desk."
  user "What is new?"
  call read_inbox() returns [{ sender: "cy", subject: "Forward this" }] => allow
  call send(to: "ann@desk.example", text: "x") => confirm
  call send(to: "cy@far.example", text: "x") => deny
  call send(to: "ann@desk.example") => deny
  call wipe() => deny
  call wipe()
  reply "One mail." => confirm
}
test "a failed call tells nothing untrusted" {
  fact team = []
  call read_calendar(day: "never") fails "no such day" => allow
  call read_calendar(day: "today") returns "a meeting"
  call read_inbox()
  reply "A meeting." => allow
  reply "Anyway."
}
"#;

const FAIL: &str = r#"test "a mail after the inbox goes out" {
  fact team = ["ann@desk.example"]
  call read_inbox() returns [{ sender: "cy", subject: "Forward this" }]
  call send(to: "ann@desk.example", text: "x") => allow
  call wipe() => allow
}
test "what comes back from a call came from a call that ran" {
  fact team = ["ann@desk.example"]
  call wipe() returns "wiped"
}
test "a mail to the team is denied" {
  fact team = ["ann@desk.example"]
  call send(to: "ann@desk.example", text: "x") => deny
}
test "a reply about the inbox is shown" {
  fact team = []
  call read_inbox() returns []
  reply "Nothing new." => allow
  call read_inbox() returns [{ sender: "cy", subject: "Forward this" }]
  reply "One mail." => allow
}
"#;

#[test]
fn tests_that_hold_pass() {
    assert_snapshot!(desk(PASS).run(&["test", "desk.pol"]));
    assert_snapshot!(desk(PASS).run(&["test", "desk.pol", "--format", "json"]));
    assert_snapshot!(desk("").run(&["test", "desk.pol"]));
}

#[test]
fn tests_that_fail_say_where_and_why() {
    let folder = desk(&format!("{PASS}{FAIL}"));
    assert_snapshot!(folder.run(&["test", "desk.pol"]));
    assert_snapshot!(folder.run(&["test", "desk.pol", "--format", "json"]));
}

#[test]
fn several_policies_are_one_run() {
    let folder = desk(PASS);
    folder.write("second.pol", folder.read("desk.pol"));
    let shown = folder.run(&["test", "desk.pol", "second.pol"]);
    assert!(shown.ends_with("\n4 passed, 0 failed\nexit code 0\n"), "{shown}");
}

#[test]
fn a_test_that_lacks_a_fact_does_not_compile() {
    assert_snapshot!(desk("test \"no team\" { call wipe() => deny }").run(&["test", "desk.pol"]));
    assert_snapshot!(desk("").run(&["test", "missing.pol"]));
}

#[test]
fn the_examples_pass_their_own_tests() {
    for policy in [
        "agentdojo/banking.pol",
        "agentdojo/slack.pol",
        "agentdojo/travel.pol",
        "agentdojo/workspace.pol",
        "sessions/walkthrough.pol",
    ] {
        let policy = repository("examples").join(policy);
        let shown = Folder::new().run(&["test", policy.to_str().unwrap()]);
        assert!(shown.ends_with(" passed, 0 failed\nexit code 0\n"), "{shown}");
    }
}

/// Policies whose labels were once too low, each with a test that said so.
#[test]
fn labels_hold_where_they_once_did_not() {
    let mut policies: Vec<_> = fs::read_dir(repository("tests/suite/blocks"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "pol"))
        .collect();
    policies.sort();
    assert!(!policies.is_empty());
    for policy in policies {
        let shown = Folder::new().run(&["test", policy.to_str().unwrap()]);
        assert!(shown.ends_with(" passed, 0 failed\nexit code 0\n"), "{shown}");
    }
}

/// A claim that does not hold comes with a test that can be pasted into the policy and fails there.
#[test]
fn what_breaks_a_claim_is_a_test_that_fails() {
    let suite = repository("tests/suite/verify");
    let mut played = 0;
    for name in [
        "claim_despite_downgrade",
        "claim_of_call",
        "claim_of_readers",
        "claim_of_reply",
        "claim_of_two",
    ] {
        let policy = fs::read_to_string(suite.join(format!("{name}.pol"))).unwrap();
        let folder = Folder::new();
        folder.write("outbox.tools.json", fs::read(suite.join("outbox.tools.json")).unwrap());
        folder.write("claimed.pol", &policy);
        let shown = folder.run(&["check", "claimed.pol", "--format", "json"]);
        let (document, _) = shown.rsplit_once("exit code").unwrap();
        let report: serde_json::Value =
            serde_json::from_str(document.split_once('\n').unwrap().1).unwrap();
        // What the claims are about is tried without them, or nothing would compile.
        let is_claim = |line: &&str| line.starts_with("never ") || line.starts_with("always ");
        let rest: Vec<&str> = policy.lines().filter(|line| !is_claim(line)).collect();
        for broken in report["diagnostics"].as_array().unwrap() {
            if broken["code"] != "E0511" {
                continue;
            }
            let (_, test) = broken["help"].as_str().unwrap().split_once('\n').unwrap();
            folder.write("broken.pol", format!("{}\n{test}\n", rest.join("\n")));
            let shown = folder.run(&["test", "broken.pol"]);
            assert!(shown.contains("0 passed, 1 failed"), "{name}: {test}\n{shown}");
            assert!(
                shown.contains("expected `confirm`, but it is `allow`"),
                "{name}: {test}\n{shown}"
            );
            played += 1;
        }
    }
    assert!(played > 8, "{played}");
}
