//! `replay`.

#![expect(clippy::unwrap_used, reason = "a log that cannot be made is a failed test")]

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use insta::assert_snapshot;

use crate::run::{Folder, repository};

const SUITE: [&str; 6] =
    ["desk.pol", "desk.tools.json", "desk.jsonl", "marked.jsonl", "facts.json", "labels.tsv"];

fn desk() -> Folder {
    let folder = Folder::new();
    for name in SUITE {
        let file = repository("tests/suite/replay").join(name);
        folder.write(name, fs::read(file).unwrap());
    }
    folder
}

fn replay(folder: &Folder, arguments: &[&str]) -> String {
    let facts = ["replay", "desk.pol", "--facts", "facts.json"];
    folder.run(&[&facts, arguments].concat())
}

/// What was printed, without the line that says how the program was called.
fn printed(shown: &str) -> &str {
    shown.split_once('\n').unwrap().1
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Replays logs of one line each, and says what came of it.
fn replay_lines(lines: &[&str]) -> String {
    let folder = desk();
    let replay_line = |line: &&str| {
        folder.write("log.jsonl", line);
        format!("{line}\n{}\n", printed(&replay(&folder, &["log.jsonl"])))
    };
    lines.iter().map(replay_line).collect()
}

/// The same for one message of a session.
fn replay_messages(messages: &[&str]) -> String {
    let session = |m: &&str| format!(r#"{{"id": "x", "suite": "desk", "messages": [{m}]}}"#);
    let lines: Vec<String> = messages.iter().map(session).collect();
    replay_lines(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_report_counts_everything() {
    let folder = desk();
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--labels", "labels.tsv"]));
    let json = ["desk.jsonl", "--labels", "labels.tsv", "--format", "json"];
    assert_snapshot!(replay(&folder, &json));
    assert_snapshot!(replay(&folder, &["desk.jsonl"]));
}

#[test]
fn packed_logs_and_labels_are_read_by_what_they_are() {
    let folder = desk();
    let plain = replay(&folder, &["desk.jsonl", "--labels", "labels.tsv"]);
    let (log, labels) = (folder.read("desk.jsonl"), folder.read("labels.tsv"));
    folder.write("a.jsonl.gz", gzip(&log));
    folder.write("a.jsonl.zst", zstd::encode_all(&*log, 3).unwrap());
    folder.write("packed.jsonl", gzip(&log));
    folder.write("plain.jsonl.zst", &log);
    folder.write("labels.tsv.zst", zstd::encode_all(&*labels, 3).unwrap());
    folder.write("labels.tsv.gz", gzip(&labels));
    for log in ["a.jsonl.gz", "a.jsonl.zst", "packed.jsonl", "plain.jsonl.zst"] {
        for labels in ["labels.tsv.zst", "labels.tsv.gz"] {
            assert_eq!(printed(&replay(&folder, &[log, "--labels", labels])), printed(&plain));
        }
    }
}

#[test]
fn a_built_policy_decides_as_its_source_does() {
    let folder = desk();
    let key = format!("rtbas-hmac-v1:{}\n", "07".repeat(32));
    folder.write("hmac.key", key);
    folder.run(&["build", "desk.pol", "-o", "desk.rtbas", "--key", "hmac.key"]);
    let built = ["replay", "desk.rtbas", "desk.jsonl", "--facts", "facts.json"];
    let trusted = folder.run(&[&built[..], &["--key", "hmac.key"]].concat());
    assert_eq!(printed(&trusted), printed(&replay(&folder, &["desk.jsonl"])));
    assert_snapshot!(folder.run(&built));
}

#[test]
fn a_folder_stands_for_the_logs_in_it() {
    let folder = desk();
    let (first, second) = (folder.read("desk.jsonl"), folder.read("marked.jsonl"));
    // Members and frames may follow each other, as `cat` leaves them.
    folder.write("both.jsonl.gz", [gzip(&first), gzip(&second)].concat());
    let both = replay(&folder, &["both.jsonl.gz"]);
    let of_folder = replay(&folder, &["."]);
    assert_eq!(
        replay(&folder, &["desk.jsonl", "marked.jsonl"]).lines().count(),
        both.lines().count()
    );
    assert!(of_folder.contains("left out: their ids came before"));
}

#[test]
fn marks_around_results_are_taken_off() {
    let folder = desk();
    assert_snapshot!(replay(&folder, &["marked.jsonl"]));
    assert_snapshot!(replay(&folder, &["marked.jsonl", "--unwrap", "<<", ">>"]));
}

#[test]
fn decisions_are_explained() {
    let folder = desk();
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--explain", "attacked/stopped"]));
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--explain", "odd/calls"]));
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--explain", "attacked/stopped:c1"]));
    let json = ["desk.jsonl", "--explain", "attacked/stopped", "--format", "json"];
    assert_snapshot!(replay(&folder, &json));
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--explain", "attacked"]));
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--explain", "attacked/stopped:c3"]));
    assert_snapshot!(replay(&folder, &["desk.jsonl", "--explain", "trip/1"]));
}

#[test]
fn a_line_that_is_no_session_is_an_error() {
    assert_snapshot!(replay_lines(&[
        "not JSON",
        "[]",
        r#"{"id": "x", "suite": "desk"}"#,
        r#"{"id": "x", "messages": []}"#,
        r#"{"suite": "desk", "messages": []}"#,
        r#"{"id": "x", "suite": "desk", "messages": []} {}"#,
        r#"{"id": "x", "suite": "desk", "messages": {}}"#,
        r#"["x", "desk", null, []]"#,
        r#"{"id": "x", "suite": "desk", "messages": ["#,
        "\n\n  \n{\"id\": 1}",
        "{\"id\": \"\u{1b}[2J\", \"suite\": \"\u{1b}[2J\", \"messages\": []}",
        r#"{"id": "x", "suite": "\u001b[2J", "messages": []}"#,
        "",
    ]));
}

#[test]
fn a_message_that_is_none_is_an_error() {
    assert_snapshot!(replay_messages(&[
        r#"{"role": "developer", "content": ""}"#,
        r#"{"content": ""}"#,
        r#"{"role": "user"}"#,
        r#"{"role": "user", "content": "x"}, {"role": "system", "content": "x"}"#,
        r#"{"role": "user", "content": ["x"]}"#,
        r#"{"role": "tool", "content": "x"}"#,
        r#"{"role": "tool", "content": "x", "tool_call_id": "c0"}"#,
        r#"{"role": "assistant", "tool_calls": [{"function": "wipe", "args": {}}]}"#,
        r#"{"role": "assistant", "tool_calls": [{"id": "c0", "args": {}}]}"#,
        r#"{"role": "assistant", "tool_calls": [{"id": "c0", "function": "wipe"}]}"#,
    ]));
}

#[test]
fn results_answer_calls_of_the_last_answer_once() {
    let call = |id: &str| {
        format!(
            r#"{{"role": "assistant", "tool_calls": [{{"id": "{id}", "function": "wipe", "args": {{}}}}]}}"#
        )
    };
    let result = |id: &str| format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": ""}}"#);
    let sessions = [
        [call("c0"), call("c0")].join(", "),
        [call("c0"), result("c1")].join(", "),
        [call("c0"), result("c0"), result("c0")].join(", "),
        [call("c0"), call("c1"), result("c0")].join(", "),
        [call("c0"), r#"{"role": "tool", "tool_call_id": "c0"}"#.to_owned()].join(", "),
    ];
    assert_snapshot!(replay_messages(&sessions.each_ref().map(String::as_str)));
}

#[test]
fn arguments_that_are_no_values_are_denied_and_the_rest_goes_on() {
    let nested =
        |depth: usize| format!(r#"{{"day": {}0{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let arguments = [
        "null".to_owned(),
        r#""day: x""#.to_owned(),
        r#"{"day": 1e999}"#.to_owned(),
        r#"{"day": 12345678901234567890123456789012345}"#.to_owned(),
        nested(65),
        nested(200),
        nested(100_000),
    ];
    let folder = desk();
    for arguments in arguments {
        folder.write(
            "log.jsonl",
            format!(
                r#"{{"id": "x", "suite": "desk", "messages": [{{"role": "assistant", "tool_calls": [
                {{"id": "c0", "function": "read_calendar", "args": {arguments}}},
                {{"id": "c1", "function": "read_calendar", "args": {{"day": "x"}}}}]}}]}}"#
            )
            .replace('\n', ""),
        );
        let report = replay(&folder, &["log.jsonl"]);
        assert!(report.contains("2: 1 allow, 0 confirm, 1 deny"), "{report}");
    }
}

#[test]
fn cut_files_are_errors() {
    let folder = desk();
    let log = folder.read("desk.jsonl");
    let (gzip, zstd) = (gzip(&log), zstd::encode_all(&*log, 3).unwrap());
    folder.write("cut.jsonl.gz", &gzip[..gzip.len() / 2]);
    folder.write("cut.jsonl.zst", &zstd[..zstd.len() / 2]);
    folder.write("head.jsonl.gz", &gzip[..2]);
    folder.write("head.jsonl.zst", &zstd[..4]);
    folder.write("cut.jsonl", &log[..log.len() / 2]);
    let logs = ["cut.jsonl.gz", "cut.jsonl.zst", "head.jsonl.gz", "head.jsonl.zst", "cut.jsonl"];
    for log in logs {
        let report = replay(&folder, &[log]);
        assert!(report.contains(&format!("error: {log}:")), "{report}");
        assert!(report.ends_with("exit code 2\n"), "{report}");
    }
}

#[test]
fn a_line_may_not_be_endless() {
    let folder = desk();
    let line = vec![b'['; 100 * 1024 * 1024];
    folder.write("long.jsonl.zst", zstd::encode_all(&*line, 1).unwrap());
    assert_snapshot!(replay(&folder, &["desk.jsonl", "long.jsonl.zst"]));
}

#[test]
fn labels_that_are_none_are_an_error() {
    let folder = desk();
    let labels = String::from_utf8(folder.read("labels.tsv")).unwrap();
    let (header, rows) = labels.split_once('\n').unwrap();
    let (first, _) = rows.split_once('\n').unwrap();
    let bad = [
        String::new(),
        "id\tsame\n".to_owned(),
        labels.replacen("\t1\t1\t", "\tyes\t1\t", 1),
        format!("{header}\n{first}\n{first}\n"),
        format!("{header}\nhonest/named\t1\n"),
        labels.replacen("\tc0\t", "\tc0,c9\t", 1),
    ];
    let mut shown = String::new();
    for labels in bad {
        folder.write("bad.tsv", labels);
        shown += printed(&replay(&folder, &["desk.jsonl", "--labels", "bad.tsv"]));
    }
    assert_snapshot!(shown);
}

#[test]
fn what_is_missing_is_said() {
    let folder = desk();
    folder.write("same.pol", folder.read("desk.pol"));
    folder.write("trip.jsonl", r#"{"id": "t", "suite": "travel", "messages": []}"#);
    let mut shown = String::new();
    for arguments in [
        &["desk.pol", "desk.jsonl"][..],
        &["desk.pol", "desk.jsonl", "--facts", "desk.jsonl"],
        &["desk.pol", "desk.jsonl", "--facts", "more.json"],
        &["desk.pol", "desk.jsonl", "--facts", "mistyped.json"],
        &["desk.pol", "trip.jsonl", "--facts", "facts.json"],
        &["desk.pol", "same.pol", "desk.jsonl", "--facts", "facts.json"],
        &["desk.pol", "labels.tsv"],
        &["desk.pol", "missing"],
        &["desk.pol", "missing.jsonl", "--facts", "facts.json"],
        &["desk.pol", "same.pol"],
        &["desk.jsonl", "marked.jsonl"],
        &["missing.pol", "desk.jsonl"],
        &["desk.rtbas", "desk.jsonl"],
        &["desk.pol"],
    ] {
        folder.write("more.json", r#"{"team": [], "teem": []}"#);
        folder.write("mistyped.json", r#"{"team": 1}"#);
        shown += &folder.run(&[&["replay"], arguments].concat());
        shown += "\n";
    }
    assert_snapshot!(shown);
}

#[test]
fn a_remedy_is_one_that_can_be_met() {
    let folder = Folder::new();
    for file in ["limits.pol", "limits.tools.json", "limits.jsonl"] {
        folder.write(file, fs::read(repository("tests/suite/replay").join(file)).unwrap());
    }
    for call in ["small:c1", "large:c1"] {
        assert_snapshot!(folder.run(&["replay", "limits.pol", "limits.jsonl", "--explain", call]));
    }
}
