//! Files that are no policies, or no tool lists: one clear message each, soon, whatever they hold.

use std::fs;
use std::process::Command;

use insta::assert_snapshot;

use crate::run::{Folder, POLICY};

/// Checks a policy with a file of these bytes.
fn with(file: &str, bytes: impl AsRef<[u8]>) -> String {
    let folder = Folder::with_policy();
    folder.write(file, bytes);
    folder.run(&["check", "hello.pol"])
}

fn check(policy: impl AsRef<[u8]>) -> String {
    with("hello.pol", policy)
}

fn with_list(list: impl AsRef<[u8]>) -> String {
    with("hello.tools.json", list)
}

#[test]
fn encodings_are_named() {
    assert_snapshot!("latin_1", check(b"policy caf\xe9 edition 2026\n"));
    let utf_16: Vec<u8> = POLICY.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_snapshot!("utf_16", check([b"\xff\xfe", utf_16.as_slice()].concat()));
    assert_snapshot!("byte_order_mark", check(format!("\u{feff}{POLICY}")));
    assert_snapshot!("nul", check(POLICY.replace("store mail", "store \0mail")));
}

#[test]
fn line_ends_of_all_systems_are_read_or_named() {
    let windows = POLICY.replace('\n', "\r\n");
    assert!(check(&windows).ends_with("exit code 0\n"), "{}", check(windows));
    let broken = POLICY.replace("reads mail ", "reads mial ").replace('\n', "\r\n");
    assert_snapshot!("carriage_returns_are_not_drawn", check(broken));
    // To some programs this begins a line, and here it would go on with a comment.
    assert_snapshot!("carriage_return_alone", check(POLICY.replace("fact me", "// a\rfact me")));
}

#[test]
fn what_holds_no_policy_is_named() {
    assert_snapshot!("empty", check(""));
    assert_snapshot!("blank", check("\n  \n// nothing\n"));
    assert_snapshot!("fifty_megabytes", check(vec![b' '; 50_000_000]));
    let folder = Folder::new();
    fs::create_dir(folder.path("folder.pol")).unwrap();
    assert_snapshot!("folder", folder.run(&["check", "folder.pol"]));
    assert!(Command::new("mkfifo").arg(folder.path("fifo.pol")).status().unwrap().success());
    assert_snapshot!("fifo", folder.run(&["check", "fifo.pol"]));
}

#[test]
fn nesting_is_bounded() {
    let nested = |open: &str, close: &str| {
        let (open, close) = (open.repeat(10_000), close.repeat(10_000));
        check(POLICY.replace("to == me", &format!("{open}to == me{close}")))
    };
    assert_snapshot!("nested_parentheses", nested("(", ")"));
    assert_snapshot!("nested_negations", nested("not (", ")"));
    let lists = format!("[{}", "[".repeat(9_999));
    assert_snapshot!("nested_and_never_closed", check(POLICY.replace("string", &lists)));
    // What has no bracket does not nest.
    let long = |joined: &str| {
        let long = vec!["to == me"; 5_000].join(joined);
        check(POLICY.replace("to == me", &long))
    };
    assert!(long(" and ").contains("exit code"), "{}", long(" and "));
    assert!(check(POLICY.replace("to == me", &"not ".repeat(10_000))).contains("E0105"));
}

#[test]
fn names_are_what_they_look_like() {
    assert_snapshot!("tab_in_a_name", check(POLICY.replace("fact me", "fact `m\te`")));
}

/// What is compared with what takes no more time and memory for names that nobody would write.
#[test]
fn long_names_are_read_like_others() {
    let long = "a".repeat(300_000);
    let unknown = format!("type {long} = string\nfact f : {long}b\nfact me");
    let said = check(POLICY.replace("fact me", &unknown));
    assert!(said.contains("E0201") && !said.contains("did you mean"), "{} bytes", said.len());
    let reason = format!("store other : {{untrusted, private}} because \"{long}\"\nfact me");
    let said = check(POLICY.replace("fact me", &reason));
    assert!(said.contains("W0207") && said.ends_with("exit code 0\n"), "{} bytes", said.len());
}

#[test]
fn tool_lists_are_no_better() {
    assert_snapshot!("list_in_latin_1", with_list(b"{\"tools\": [\"caf\xe9\"]}"));
    assert_snapshot!("list_with_byte_order_mark", with_list("\u{feff}{\"tools\": []}"));
    assert_snapshot!("list_that_is_empty", with_list(""));
    assert_snapshot!("list_of_fifty_megabytes", with_list(vec![b' '; 50_000_000]));
    let nested = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    assert_snapshot!("list_of_lists", with_list(&nested));
    let schema = format!(
        "{{\"tools\": [{{\"name\": \"send_mail\", \"inputSchema\": {}{{}}{}}}]}}",
        "{\"items\":".repeat(100),
        "}".repeat(100)
    );
    assert!(with_list(schema).ends_with("exit code 1\n"));
    let folder = Folder::with_policy();
    fs::remove_file(folder.path("hello.tools.json")).unwrap();
    assert!(
        Command::new("mkfifo").arg(folder.path("hello.tools.json")).status().unwrap().success()
    );
    assert_snapshot!("list_that_is_a_fifo", folder.run(&["check", "hello.pol"]));
}

#[test]
fn a_result_that_a_short_list_makes_endless_is_left_out() {
    // Each of two thousand fields of the first is one of the second, and so on.
    let record = |next: &str| {
        let field = |i| format!(r##""p{i}": {{"$ref": "#/$defs/{next}"}}"##);
        let fields: Vec<String> = (0..2000).map(field).collect();
        format!(r#"{{"type": "object", "properties": {{{}}}}}"#, fields.join(", "))
    };
    let definitions = format!(
        r#"{{"a": {}, "b": {}, "c": {}, "d": {{"type": "string"}}}}"#,
        record("b"),
        record("c"),
        record("d")
    );
    let list = format!(
        r##"{{"tools": [{{"name": "t", "description": "x", "inputSchema": {{"type": "object",
            "properties": {{}}}}, "outputSchema": {{"$defs": {definitions}, "type": "object",
            "properties": {{"a": {{"$ref": "#/$defs/a"}}}}}}}}]}}"##
    );
    let folder = Folder::new();
    folder.write("long.json", list);
    let said = folder.run(&["init", "long.json"]);
    assert!(said.ends_with("exit code 0\n"), "{said}");
    let policy = fs::read_to_string(folder.path("long.pol")).unwrap();
    assert!(policy.contains("result text"), "{policy}");
}
