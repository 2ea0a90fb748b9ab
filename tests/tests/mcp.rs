//! Labels of what a tool of the Model Context Protocol answers beside its structured content.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

use std::collections::BTreeMap;

use rtbas::{Call, Decision, Engine, Session};
use rtbas_artifact::open::Requirements;
use rtbas_artifact::sign::{Signer, TrustedKeys};
use rtbas_compiler::compile;
use rtbas_compiler::emit::emit;
use rtbas_compiler::source::Sources;

const POLICY: &str = r#"
policy mcp edition 2026
lattice integrity { trusted -> known -> untrusted -> unsaid }
label { integrity }
use tools from "tools.json"
type Note = { id: int, author: string, body: string }
store notes of Note {
  id, author : trusted
  shape : trusted
  body              : known when author == "me" else untrusted
}
message system : trusted
message user   : trusted
message reply  : untrusted
tool read {
  result mcp { notes: [{ id: int, author: string, body: string }] }
  result : trusted
  result.notes : trusted
  reads notes as result.notes[*]
  errors : known
  allow always
}
"#;

const TOOLS: &str = r#"{"tools": [{"name": "read", "inputSchema": {"type": "object"}}]}"#;

fn session() -> Session {
    let mut load = |path: &str| match path {
        "tools.json" => Ok(TOOLS.to_owned()),
        _ => Ok(POLICY.to_owned()),
    };
    let mut sources = Sources::new(&mut load);
    let (verified, said) = compile(&mut sources, "mcp.pol");
    let verified = verified.unwrap_or_else(|| panic!("{said:?}"));
    let signer = Signer::hmac(&[7; 32]).unwrap();
    let keys = TrustedKeys::from(signer.trusted_key());
    let bytes = emit(&verified, &[signer]).unwrap();
    let engine = Engine::open(&bytes, &keys, &Requirements::default()).unwrap();
    engine.session(BTreeMap::new()).unwrap()
}

/// The regions of a result, each as `path: label`, and whether the result fits.
fn regions(text: &str) -> Vec<String> {
    let mut session = session();
    session.user("read").unwrap();
    let view = session.view().unwrap();
    let call = Call { tool: "read".to_owned(), arguments: BTreeMap::new() };
    let decision = session.propose(&view, "", vec![call]).unwrap().remove(0);
    let Decision::Allow(permit) = decision else { panic!("{decision:?}") };
    session.result(permit, text).unwrap();
    let view = session.view().unwrap();
    let program = session.artifact().program();
    let show = |label| program.show(label).to_string().trim_matches(['{', '}']).to_owned();
    let regions = view.messages().last().unwrap().regions().iter();
    regions.map(|region| format!("{}: {}", region.path, show(&region.label))).collect()
}

const MINE: &str = r#"{"notes": [{"id": 1, "author": "me", "body": "x"}]}"#;

fn with(content: &str) -> Vec<String> {
    let all = regions(&format!(r#"{{"content": {content}, "structuredContent": {MINE}}}"#));
    let is_outer =
        |line: &String| line.starts_with("content") || line.starts_with("result.notes[0].body");
    all.into_iter().filter(is_outer).collect()
}

#[test]
fn a_text_that_repeats_the_structured_content_is_as_high_as_it() {
    let text = serde_json::Value::from(MINE);
    let body = "result.notes[0].body: known";
    assert_eq!(with(&format!(r#"[{{"type": "text", "text": {text}}}]"#)), [body, "content: known"]);
    assert_eq!(with("[]"), [body]);
}

#[test]
fn a_text_that_says_more_is_at_the_top() {
    let body = "result.notes[0].body: known";
    assert_eq!(with(r#"[{"type": "text", "text": "one note"}]"#), [body, "content: unsaid"]);
    let none =
        r#"{"content": [{"type": "text", "text": "none"}], "structuredContent": {"notes": []}}"#;
    assert_eq!(regions(none), ["result: trusted", "result.notes: trusted", "content: unsaid"]);
    assert_eq!(regions(r#"{"content": [{"type": "text", "text": "x"}]}"#), ["result: unsaid"]);
}

#[test]
fn a_failure_has_the_label_of_errors() {
    let failure = r#"{"content": [{"type": "text", "text": "no notes"}], "isError": true}"#;
    assert_eq!(regions(failure), ["result: known"]);
    let both = format!(r#"{{"structuredContent": {MINE}, "isError": true}}"#);
    assert_eq!(regions(&both), ["result: unsaid"]);
}
