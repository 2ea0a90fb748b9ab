//! `replay --html`: the page. It is read by a tokenizer that follows the standard of HTML, as a
//! browser would.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a page that cannot be read is a failed test"
)]

use std::collections::BTreeSet;
use std::fs;

use html5gum::{Token, Tokenizer};
use insta::assert_snapshot;

use crate::run::{Folder, repository};

const VOID: [&str; 1] = ["meta"];

/// Text of an attacker: markup, quotes, and characters that nobody sees.
const HOSTILE: &str = concat!(
    "</script></style></title></div><img src=x onerror='alert(1)'><script>alert(2)</script>",
    "<!-- \" ' ` &quot; &#x3c;b&#x3e; ]]> --> \u{202e}dlrow\u{2066} \u{200b}\u{e0041}\u{fe0f}\0\r\n",
    "javascript:alert(3) https://evil.example/?q=1",
);

fn desk() -> Folder {
    let folder = Folder::new();
    for name in ["desk.pol", "desk.tools.json", "desk.jsonl", "facts.json", "labels.tsv"] {
        folder.write(name, fs::read(repository("tests/suite/replay").join(name)).unwrap());
    }
    folder
}

/// Replays a log, and gives what was printed.
fn replay(folder: &Folder, arguments: &[&str]) -> String {
    let first = ["replay", "desk.pol", "--facts", "facts.json", "--html", "page.html"];
    folder.run(&[&first, arguments].concat())
}

fn page(folder: &Folder, arguments: &[&str]) -> String {
    let printed = replay(folder, arguments);
    assert!(printed.ends_with("exit code 0\n"), "{printed}");
    String::from_utf8(folder.read("page.html")).unwrap()
}

/// The page as an outline: a line for each element and each text. Checks what holds for every page:
/// it is well formed, names only what it is made of, and loads and runs nothing.
fn outline(page: &str) -> String {
    let mut open: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut links = Vec::new();
    let mut shown = String::new();
    for token in Tokenizer::new(page).map(|token| token.unwrap()) {
        let depth = "  ".repeat(open.len());
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                assert!(!["script", "img", "iframe", "object", "link", "base"].contains(&&*name));
                shown += &format!("{depth}{name}");
                for (key, value) in &tag.attributes {
                    let key = String::from_utf8(key.to_vec()).unwrap();
                    let value = String::from_utf8(value.value.to_vec()).unwrap();
                    assert!(!key.starts_with("on") && key != "src" && key != "style", "{key}");
                    assert!(value.is_ascii() && !value.contains("//"), "{key}: {value}");
                    if key == "id" {
                        assert!(ids.insert(value.clone()), "two of #{value}");
                    }
                    if key == "href" {
                        links.push(value.strip_prefix('#').unwrap().to_owned());
                    }
                    shown += &format!(" {key}={value}");
                }
                shown += "\n";
                if !tag.self_closing && !VOID.contains(&&*name) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                assert_eq!(open.pop(), Some(name));
            }
            Token::String(text) => {
                let text = String::from_utf8(text.value.to_vec()).unwrap();
                if open.last().is_some_and(|name| name == "style") {
                    assert!(!text.contains("url(") && !text.contains("@import"));
                    shown += &format!("{depth}(style)\n");
                } else if !text.trim().is_empty() {
                    shown += &format!("{depth}{text:?}\n");
                }
            }
            Token::Comment(_) => panic!("a comment, which no page has"),
            Token::Error(error) => panic!("{error:?}"),
            Token::Doctype(_) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(links.iter().all(|link| ids.contains(link)), "{links:?}");
    shown
}

/// An outline without what changes with the style, the version and the artifact's format.
fn stable(outline: &str) -> String {
    let is_digest = |text: &str| text.len() == 66 && !text.contains([' ', '.']);
    let line = |line: &str| match line.trim_start() {
        digest if is_digest(digest) => "(digest)\n".to_owned(),
        made if made.starts_with("\"Made by") => "(version)\n".to_owned(),
        policy if policy.contains("'sha256-") => "(policy)\n".to_owned(),
        _ => format!("{line}\n"),
    };
    outline.lines().map(line).collect()
}

/// A log of one session whose every text is hostile.
fn hostile(folder: &Folder) {
    let text = serde_json::to_string(HOSTILE).unwrap();
    let mail = serde_json::to_string(&format!("- sender: x\n  subject: {text}\n")).unwrap();
    folder.write(
        "hostile.jsonl",
        format!(
            r#"{{"id": {text}, "suite": "desk", "injected_results": ["c0"], "messages": [
            {{"role": "system", "content": {text}}}, {{"role": "user", "content": {text}}},
            {{"role": "assistant", "content": {text}, "tool_calls": [
                {{"id": "c0", "function": "read_inbox", "args": {{}}}},
                {{"id": {text}, "function": {text}, "args": {{{text}: {text}}}}}]}},
            {{"role": "tool", "tool_call_id": "c0", "content": {mail}}},
            {{"role": "assistant", "content": null, "tool_calls": [
                {{"id": "c2", "function": "send", "args": {{"to": {text}, "text": {text}}}}},
                {{"id": "c3", "function": "send", "args": {text}}}]}},
            {{"role": "assistant", "content": {text}}}]}}"#
        )
        .replace('\n', ""),
    );
}

#[test]
fn a_page_has_this_structure() {
    let folder = desk();
    let page = page(&folder, &["desk.jsonl", "--labels", "labels.tsv"]);
    assert_snapshot!(stable(&outline(&page)));
}

#[test]
fn the_style_is_the_one_that_the_page_permits() {
    let page = page(&desk(), &["desk.jsonl"]);
    let policy = page.split_once("content=\"").unwrap().1.split_once('"').unwrap().0;
    let (from, to) = (page.find("<style>").unwrap() + 7, page.find("</style>").unwrap());
    let style = page.get(from..to).unwrap();
    use base64::Engine as _;
    let digest = <sha2::Sha256 as sha2::Digest>::digest(style);
    let digest = base64::engine::general_purpose::STANDARD.encode(digest);
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; \
             form-action 'none'"
        )
    );
}

#[test]
fn what_sessions_say_stays_text() {
    let folder = desk();
    hostile(&folder);
    let page = page(&folder, &["hostile.jsonl"]);
    let outline = outline(&page);
    assert!(outline.contains("<img src=x onerror='alert(1)'><script>"), "{outline}");
    for unseen in ["U+202E", "U+2066", "U+200B", "U+E0041", "U+FE0F", "U+0000", "U+000D"] {
        assert!(outline.contains(&format!("\"{unseen}\"")), "{unseen}");
    }
    assert!(!page.contains([
        '\u{202e}',
        '\u{2066}',
        '\u{200b}',
        '\u{e0041}',
        '\u{fe0f}',
        '\0',
        '\r'
    ]));
}

#[test]
fn one_replay_gives_one_page() {
    let folder = desk();
    let arguments = ["desk.jsonl", "--labels", "labels.tsv"];
    let first = page(&folder, &arguments);
    assert_eq!(first, page(&folder, &arguments));
    // What is printed for programs stays what it is.
    let json = replay(&folder, &[&arguments[..], &["--format", "json"]].concat());
    assert!(json.ends_with("}\nexit code 0\n"), "{json}");
    assert_eq!(first.as_bytes(), folder.read("page.html"));
}

#[test]
fn the_session_is_the_one_asked_for() {
    let folder = desk();
    let printed = replay(&folder, &["desk.jsonl", "--session", "odd/results"]);
    assert!(
        printed.contains("\npage       page.html, with the timeline of odd/results\n"),
        "{printed}"
    );
    assert!(
        outline(&String::from_utf8(folder.read("page.html")).unwrap()).contains("\"odd/results\"")
    );
    assert!(replay(&folder, &["desk.jsonl"]).contains("the timeline of attacked/stopped\n"));
}

#[test]
fn a_page_that_cannot_be_written_is_said() {
    let folder = desk();
    fs::create_dir(folder.path("folder")).unwrap();
    let mut shown = String::new();
    for arguments in [
        &["--html", "page.html", "--session", "nobody"][..],
        &["--html", "folder"],
        &["--html", "missing/page.html"],
        &["--session", "odd/results"],
        &["--html", "page.html", "--explain", "odd/results"],
    ] {
        let first = ["replay", "desk.pol", "desk.jsonl", "--facts", "facts.json"];
        shown += &folder.run(&[&first, arguments].concat());
        shown += "\n";
    }
    assert!(!folder.exists("page.html"));
    assert_snapshot!(shown);
}

#[test]
fn long_texts_and_many_regions_are_cut() {
    let folder = desk();
    let mails = "- sender: x\n  subject: y\n".repeat(4_000);
    let (mails, text) = (serde_json::json!(mails), serde_json::json!("é".repeat(40_000)));
    let call = r#"{"id": "c0", "function": "read_inbox", "args": {}}"#;
    folder.write(
        "long.jsonl",
        format!(
            r#"{{"id": "long", "suite": "desk", "messages": [{{"role": "user", "content": {text}}}, {{"role": "assistant", "tool_calls": [{call}]}}, {{"role": "tool", "tool_call_id": "c0", "content": {mails}}}]}}"#
        ),
    );
    let page = page(&folder, &["long.jsonl"]);
    outline(&page);
    assert!(
        page.contains(" … and 47232 bytes more")
            && page.contains("<p>and 11701 more</p>")
            && page.len() < 1_000_000,
        "{}",
        page.len()
    );
}
