//! Texts of a declared form: where values end, and whose words they can hold.

use proptest::prelude::*;
use rtbas::region::{Tree, find};
use rtbas_artifact::ir::{Format, Tool};
use serde_json::{Value as Json, json};

use super::law::check;
use super::properties::all_types;
use super::shape::tool;

/// A tool whose results are these values between these pieces.
fn form(shape: &Json, pieces: &[&str]) -> Tool {
    let form = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    Tool { form, ..tool(Format::Text, shape) }
}

/// The values of a text as they stand there, or where it is unfit and what was expected.
fn values(tool: &Tool, text: &str) -> Result<Vec<String>, String> {
    let tree =
        find(&all_types(), tool, text).map_err(|e| format!("{} ¦ {}", e.path, e.expected))?;
    let leaves = tree.iter().filter(|region| region.parent.is_some());
    check(&all_types(), tool, text, &tree);
    Ok(leaves.map(|leaf| text[leaf.span.clone()].to_owned()).collect())
}

#[test]
fn values_stand_between_pieces() {
    let shape = json!({"a": "text", "b": "integer", "c": "text"});
    let tool = form(&shape, &["To ", " (", ")\n", ""]);
    let fits = |text: &str| values(&tool, text).unwrap();
    assert_eq!(fits("To eve (12)\nHi\n"), ["eve", "12", "Hi\n"]);
    assert_eq!(fits("To  (-1)\n"), ["", "-1", ""]);
    assert_eq!(fits("To é\u{301} (1)\n(2)\n (3)\n"), ["é\u{301}", "1", "(2)\n (3)\n"]);
    let tree = find(&all_types(), &tool, "To eve (12)\nHi").unwrap();
    assert_eq!(tree.value(0).unwrap().to_json(), json!({"a": "eve", "b": 12, "c": "Hi"}));
    let paths: Vec<String> = (0..4).map(|index| tree.path(index)).collect();
    assert_eq!(paths, ["result", "result.a", "result.b", "result.c"]);
}

#[test]
fn all_of_the_text_has_to_fit() {
    let shape = json!({"a": "text", "b": "integer", "c": "kind a"});
    let tool = form(&shape, &["To ", " (", ")\n", "."]);
    for (text, unfit) in [
        ("", "result ¦ a text of the declared form"),
        ("to eve (1)\na.", "result ¦ a text of the declared form"),
        ("\u{feff}To eve (1)\na.", "result ¦ a text of the declared form"),
        ("To eve", "result.a ¦ a value, and the text behind it"),
        ("To eve (1)", "result.b ¦ a value, and the text behind it"),
        ("To eve (1)\r\na.", "result.b ¦ a value, and the text behind it"),
        ("To eve (1)\na", "result.c ¦ a value, and the text behind it"),
        ("To eve (1)\na.\n", "result.c ¦ a value, and the text behind it"),
        ("To eve ( 1)\na.", "result.b ¦ a whole number"),
        ("To eve (1\u{a0})\na.", "result.b ¦ a whole number"),
        ("To eve ()\na.", "result.b ¦ a whole number"),
        ("To eve (1) (2)\na.", "result.b ¦ a whole number"),
        ("To eve (1)\nb.", "result.c ¦ one of \"a\""),
        ("To eve (1)\n a.", "result.c ¦ one of \"a\""),
        ("To eve (1)\na..", "result.c ¦ one of \"a\""),
    ] {
        assert_eq!(values(&tool, text).unwrap_err(), unfit, "{text:?}");
    }
}

#[test]
fn pieces_do_not_share_bytes() {
    let tool = form(&json!({"a": "text", "b": "text"}), &["aa", "aba", "ba"]);
    assert_eq!(values(&tool, "aaababa"), Ok(vec![String::new(), String::new()]));
    assert_eq!(values(&tool, "aaabaababa"), Ok(vec![String::new(), "aba".to_owned()]));
    assert!(values(&tool, "aaaba").is_err());
    assert!(values(&tool, "aababa").is_err());
    let one = form(&json!({"a": "text"}), &["aa", "aa"]);
    assert!(values(&one, "aaa").is_err());
    assert_eq!(values(&one, "aaaa"), Ok(vec![String::new()]));
}

#[test]
fn a_long_text_is_read_once() {
    let tool = form(&json!({"a": "text", "b": "text"}), &["", "aab", ""]);
    let text = "a".repeat(4_000_000);
    assert!(values(&tool, &text).is_err());
    assert_eq!(values(&tool, &format!("{text}b")).unwrap()[0].len(), 3_999_998);
}

#[test]
fn tables_that_no_compiler_made_are_unfit() {
    for (shape, pieces) in [
        (json!("text"), &["", ""][..]),
        (json!(["text"]), &["", ""]),
        (json!({"a": ["text"]}), &["", ""]),
        (json!({"a": {"b": "text"}}), &["", ""]),
    ] {
        assert!(find(&all_types(), &form(&shape, pieces), "x").is_err(), "{shape}");
    }
}

/// Words of several authors, among them the pieces that stand between them and parts of those.
fn words() -> impl Strategy<Value = String> {
    let word =
        prop::sample::select(&["a", "b", "é", ", ", ",", " ", ": ", ":", "1", "\n", "\r\n"][..]);
    prop::collection::vec(word, 0..5).prop_map(|words| words.concat())
}

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let between = prop::sample::select(&["a", "ab", "aa", ", ", ": ", " a", "\n", "é"][..]);
    let edge = prop::sample::select(&["", "a", ": ", "\n"][..]);
    let between = prop::collection::vec(between, 3);
    (edge.clone(), between, edge).prop_map(|(first, between, last)| {
        [first].into_iter().chain(between).chain([last]).map(str::to_owned).collect()
    })
}

/// What a tool writes, and where the words of each author end.
fn written(pieces: &[String], words: &[String]) -> (String, Vec<usize>) {
    let (mut text, mut ends) = (pieces[0].clone(), Vec::new());
    for (word, piece) in words.iter().zip(&pieces[1..]) {
        text.push_str(word);
        ends.push(text.len());
        text.push_str(piece);
    }
    (text, ends)
}

fn spans(tree: &Tree) -> Vec<std::ops::Range<usize>> {
    tree.iter().skip(1).map(|region| region.span.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Whatever all authors write: a value ends where its author's words end or before, so it holds
    /// words of its author and of those before, and of nobody else; and it is the same whatever
    /// those behind write.
    #[test]
    fn no_words_get_into_a_value_before_them(
        pieces in pieces(),
        words in prop::collection::vec(words(), 4),
        others in prop::collection::vec(words(), 4),
        kept in 0_usize..4,
    ) {
        let shape = json!({"a": "text", "b": "text", "c": "text", "d": "text"});
        let tool = Tool { form: pieces.clone(), ..tool(Format::Text, &shape) };
        let (text, ends) = written(&pieces, &words);
        let tree = find(&all_types(), &tool, &text).unwrap();
        let found = spans(&tree);
        for (span, end) in found.iter().zip(&ends) {
            prop_assert!(span.end <= *end, "{text:?} {found:?} {ends:?}");
        }
        prop_assert_eq!(values(&tool, &text).unwrap().len(), 4);
        let other: Vec<String> = words[..=kept].iter().chain(&others[kept + 1..]).cloned().collect();
        let (other, _) = written(&pieces, &other);
        let again = find(&all_types(), &tool, &other).unwrap();
        prop_assert_eq!(&found[..kept], &spans(&again)[..kept]);
        // The last value is all that is left, so what stands behind it is its own author's.
        if kept < 3 {
            prop_assert_eq!(&found[kept], &spans(&again)[kept]);
        }
    }

    /// Any text at all divides into exact spans, or into none.
    #[test]
    fn any_text_divides_exactly_or_not_at_all(pieces in pieces(), text in words()) {
        let shape = json!({"a": "text", "b": "integer", "c": "text or null", "d": "text"});
        let tool = Tool { form: pieces, ..tool(Format::Text, &shape) };
        if let Ok(found) = values(&tool, &text) {
            prop_assert_eq!(found.len(), 4);
        }
    }
}
