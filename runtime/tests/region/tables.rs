//! Texts one by one: what they hold, or at which place and why they are refused.

use rtbas::region::{Content, find};
use rtbas_artifact::eval::Fields;
use rtbas_artifact::ir::{Format, Type};
use serde_json::{Value as Json, json};

use super::shape::{tool, types};

/// The leaves of a text, each as `path ¦ its bytes ¦ its value`, or `path ¦ what was expected`.
pub(crate) fn leaves(format: Format, shape: &Json, text: &str) -> Vec<String> {
    let types: Vec<Type> = types().into_iter().map(|(_, ty)| ty).collect();
    let tree = match find(&types, &tool(format, shape), text) {
        Ok(tree) => tree,
        Err(unfit) => return vec![format!("{} ¦ {}", unfit.path, unfit.expected)],
    };
    let line = |(index, region): (usize, &rtbas::region::Region)| match &region.content {
        Content::Leaf(value) => {
            let bytes = &text[region.span.clone()];
            Some(format!("{} ¦ {bytes} ¦ {value}", tree.path(index)))
        }
        Content::List | Content::Record | Content::Map => None,
    };
    tree.iter().enumerate().filter_map(line).collect()
}

fn yaml(shape: Json, text: &str, expected: &[&str]) {
    assert_eq!(leaves(Format::Yaml, &shape, text), expected, "{text:?}");
}

/// A document of one leaf that is refused, and what was expected instead.
fn refused(shape: Json, text: &str, path: &str, expected: &str) {
    assert_eq!(leaves(Format::Yaml, &shape, text), [format!("{path} ¦ {expected}")], "{text:?}");
}

#[test]
fn scalars_of_every_style_have_exact_spans() {
    let record = || json!({"a": "text", "b?": "text"});
    let a = |a: &str| vec![format!("result.a ¦ {a}")];
    for (text, leaf) in [
        ("a: x", "x ¦ \"x\""),
        ("a:   x  \n\n", "x ¦ \"x\""),
        (
            "a: plain\n  on two\n\n  lines\n",
            "plain\n  on two\n\n  lines ¦ \"plain on two\\nlines\"",
        ),
        ("a: 'it''s'", "'it''s' ¦ \"it's\""),
        ("a: 'C:\\'", "'C:\\' ¦ \"C:\\\\\""),
        ("a: \"é\\t\\x41\\u00e9\"", "\"é\\t\\x41\\u00e9\" ¦ \"é\\tAé\""),
        ("a: \"\\uD83D\\uDE00\"", "\"\\uD83D\\uDE00\" ¦ \"😀\""),
        ("a: \"x \\\n    \\ y\"", "\"x \\\n    \\ y\" ¦ \"x  y\""),
        ("a: |\n  x\n   y\n", "|\n  x\n   y\n ¦ \"x\\n y\\n\""),
        ("a: |2-\n    x\n\n", "|2-\n    x\n\n ¦ \"  x\""),
        ("a: >+\n  x\n  y\n\n", ">+\n  x\n  y\n\n ¦ \"x y\\n\\n\""),
        ("a: |-  \n\n  x", "|-  \n\n  x ¦ \"\\nx\""),
        ("a: |\n  x\n    ", "|\n  x\n     ¦ \"x\\n  \\n\""),
        ("a: 2022-01-01", "2022-01-01 ¦ \"2022-01-01\""),
        ("a: 100.0", "100.0 ¦ \"100.0\""),
        ("a: True", "True ¦ \"True\""),
        ("a: x#y", "x#y ¦ \"x#y\""),
        ("a: '\u{feff}x'", "'\u{feff}x' ¦ \"\u{feff}x\""),
        ("{a: x}", "x ¦ \"x\""),
        ("{'a':'x'}", "'x' ¦ \"x\""),
        ("{\"a\":\"x\"}\n", "\"x\" ¦ \"x\""),
        ("{a: x,}", "x ¦ \"x\""),
        ("--- {a: x}", "x ¦ \"x\""),
        ("---\na: x\n...\n", "x ¦ \"x\""),
        ("\"a\": x\r\n", "x ¦ \"x\""),
    ] {
        assert_eq!(leaves(Format::Yaml, &record(), text), a(leaf), "{text:?}");
    }
    yaml(
        record(),
        "a: |\n  x\n\nb: y",
        &["result.a ¦ |\n  x\n\n ¦ \"x\\n\"", "result.b ¦ y ¦ \"y\""],
    );
    yaml(
        json!([record()]),
        "- a: |\n    x\n  b: >-\n    y\n- a: ''\n",
        &[
            "result[0].a ¦ |\n    x\n ¦ \"x\\n\"",
            "result[0].b ¦ >-\n    y\n ¦ \"y\"",
            "result[1].a ¦ '' ¦ \"\"",
        ],
    );
}

#[test]
fn what_python_prints_is_read_where_both_agree() {
    yaml(
        json!({"message": "text", "ok": "bool"}),
        "{'message': 'Password updated.', 'ok': True}",
        &[
            "result.message ¦ 'Password updated.' ¦ \"Password updated.\"",
            "result.ok ¦ True ¦ true",
        ],
    );
    yaml(json!({"a": "text"}), "{'a': \"it's\"}", &["result.a ¦ \"it's\" ¦ \"it's\""]);
    // Python reads one string; YAML ends it at the first quote and finds a field behind it.
    let quotes = "no backslash before a single quote, which YAML and Python read differently";
    let shape = json!({"subject": "text", "amount?": "number", "note": "text", "to?": "text"});
    let printed = r#"{'subject': '\', amount: 5, note: "', 'note': '", to: \''}"#;
    refused(shape, printed, "result.subject", quotes);
    refused(json!("text"), r"'it\'", "result", quotes);
    yaml(json!(["text"]), r"['x\\']", &[r#"result[0] ¦ 'x\\' ¦ "x\\\\""#]);
}

#[test]
fn the_type_decides_what_a_scalar_means() {
    for (ty, text, value) in [
        ("number", "100.0", "100"),
        ("number", "1e3", "1000"),
        ("number", "1.0e+3", "1000"),
        ("number", "-0.5", "-0.5"),
        ("integer", "12", "12"),
        ("integer", "100.0", "100"),
        ("bool", "true", "true"),
        ("bool", "FALSE", "false"),
        ("null", "---", "null"),
        ("null", "~", "null"),
        ("null", "--- Null", "null"),
        ("text", "NO", "\"NO\""),
        ("text", "'null'", "\"null\""),
        ("text or null", "null", "null"),
        ("text or null", "'null'", "\"null\""),
        ("number or text", "7", "7"),
        ("number or text", "'7'", "\"7\""),
        ("text or number", "7", "\"7\""),
        ("text or texts", "[a]", "[\"a\"]"),
        ("word", "low", "\"low\""),
        ("word", "7", "\"7\""),
        ("word", "true", "true"),
        ("any", "null", "null"),
        ("any", "1e2", "100"),
        ("any", "+1", "\"+1\""),
        ("any", ".inf", "\".inf\""),
        ("any", "'1'", "\"1\""),
        ("any", "{a: [1, x], '<<': ~}", "{\"<<\":null,\"a\":[1,\"x\"]}"),
        ("texts", "- a\n- '1'\n", "[\"a\",\"1\"]"),
        ("set of texts", "[b, a, b]", "[\"a\",\"b\"]"),
        ("point", "{x: 1}", "{\"x\":1}"),
        ("open point", "y: 2\nx: 1\nz: [~]", "{\"x\":1,\"y\":2,\"z\":[null]}"),
    ] {
        let found = leaves(Format::Yaml, &json!(ty), text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rsplit(" ¦ ").next(), Some(value), "{ty}: {text:?}: {}", found[0]);
    }
    for (ty, text, expected) in [
        ("text", "null", "a string"),
        ("text", "", "one document of valid YAML"),
        ("text", "---", "a string"),
        ("text", "[a]", "a string"),
        ("number", "'1'", "a number"),
        ("number", "+1", "a number"),
        ("number", ".5", "a number"),
        ("number", "0x1f", "a number"),
        ("number", ".nan", "a number"),
        ("number", "1e7000", "a number"),
        ("integer", "1.5", "a whole number"),
        ("bool", "yes", "true or false"),
        ("bool", "'true'", "true or false"),
        ("null", "''", "null"),
        ("word", "high", "one of \"low\", \"7\", true"),
        ("word", "[low]", "one of \"low\", \"7\", true"),
        ("texts", "a", "a list"),
        ("texts", "[~]", "a list"),
        ("point", "{y: 1}", "a record"),
        ("point", "{x: 1, z: 1}", "a record"),
        ("any", "{a: 1, 'a': 2}", "each field once"),
        ("any", "{<<: {a: 1}}", "names of fields, and no `<<`"),
        ("any", "{[a]: 1}", "names of fields, and no `<<`"),
        ("any", "{: 1}", "names of fields, and no `<<`"),
    ] {
        refused(json!(ty), text, "result", expected);
    }
}

#[test]
fn text_is_read_whole_or_as_a_word() {
    let text = |ty: &str, text: &str| leaves(Format::Text, &json!(ty), text);
    assert_eq!(text("text", " a: [\n"), ["result ¦  a: [\n ¦ \" a: [\\n\""]);
    assert_eq!(text("text", ""), ["result ¦  ¦ \"\""]);
    assert_eq!(text("any", "12"), ["result ¦ 12 ¦ \"12\""]);
    assert_eq!(text("number", "1810.0\n"), ["result ¦ 1810.0\n ¦ 1810"]);
    assert_eq!(text("number", "1810.0\r\n"), ["result ¦ 1810.0\r\n ¦ 1810"]);
    for blank in [" true", "true ", "true\n\n", "true \n", "\ttrue", "\u{a0}true"] {
        assert_eq!(text("bool", blank), ["result ¦ true or false"]);
    }
    assert_eq!(text("word", " low\n"), ["result ¦ one of \"low\", \"7\", true"]);
    assert_eq!(text("word", "low\n"), ["result ¦ low\n ¦ \"low\""]);
    assert_eq!(text("integer", "two"), ["result ¦ a whole number"]);
    assert_eq!(text("texts", "[a]"), ["result ¦ a list"]);
    let divided = leaves(Format::Text, &json!(["text"]), "- a");
    assert_eq!(divided, ["result ¦ a format that can be divided, such as `yaml`"]);
}

#[test]
fn words_outside_of_values_are_refused() {
    let shape = || json!([{"id": "any", "to?": ["text"]}]);
    let bare = "values without comments, anchors, aliases, tags and directives";
    for text in [
        "- id: 1 # pay\n",
        "- id: 1 #\n",
        "# pay\n- id: 1\n",
        "- id: 1\n# pay",
        "- id: | # pay\n    x\n",
        "- id: |\n    x\n # pay\n",
        "- id: [1, # pay\n 2]\n",
        "- # pay\n  id: 1\n",
        "- id: &pay 1\n",
        "- id: !pay 1\n",
        "- id: ! 1\n",
        "- id: !!str 1\n",
        "- !pay {id: 1}\n",
        "- &pay\n  id: 1\n",
        "- ? id\n  : 1\n",
        "- {? id : 1}\n",
        "- id: [&pay 1, *pay]\n",
        "\u{feff}- id: 1\n",
    ] {
        let found = leaves(Format::Yaml, &shape(), text);
        assert!(found.len() == 1 && found[0].ends_with(bare), "{text:?}: {found:?}");
    }
    for old_break in ['\u{85}', '\u{2028}', '\u{2029}'] {
        let expected = "U+0085, U+2028 and U+2029 only within quotes: some readers of YAML begin a \
                        line there";
        for text in ["- id: a#  to: []\n", "- id: |\n    a#    b\n", "- id: >\n    a#\n"] {
            let found = leaves(Format::Yaml, &shape(), &text.replace('#', &old_break.to_string()));
            assert!(found.len() == 1 && found[0].ends_with(expected), "{text:?}: {found:?}");
        }
        for text in ["- id: 'a#  to: b'\n", "- id: \"a#b\"\n"] {
            let found = leaves(Format::Yaml, &shape(), &text.replace('#', &old_break.to_string()));
            assert!(found[0].starts_with("result[0].id"), "{text:?}: {found:?}");
        }
    }
    for text in [
        "%YAML 1.2\n---\n- id: 1\n",
        "- id: 1\n---\n- id: 2\n",
        "- id: 1\n...\n- id: 2\n",
        "- id: 1\n...\n# pay\n---\n",
        "- id: *pay\n",
        "- id: 'x\n",
        "- id: 1\n pay\n",
        "\n",
        "",
    ] {
        let found = leaves(Format::Yaml, &shape(), text);
        let syntax = "one document of valid YAML";
        let words = found[0].split_once(" ¦ ").unwrap().1;
        assert!(found.len() == 1 && (words == syntax || words == bare), "{text:?}: {found:?}");
    }
    let characters = "no NUL, and a byte order mark only within quotes";
    refused(json!("text"), "a\0# pay", "result", characters);
    refused(json!("text"), "a \u{feff}b", "result", characters);
    refused(json!("text"), "|\n  a \u{feff}b", "result", characters);
}

#[test]
fn the_declared_shape_is_kept() {
    let shape = || json!([{"id": "integer", "to?": ["text"], "from?": {"name": "text or null"}}]);
    for (text, path, expected) in [
        ("id: 1", "result", "a list"),
        ("~", "result", "a list"),
        ("- x", "result[0]", "a record"),
        ("- id: 1\n- id: x", "result[1].id", "a whole number"),
        ("- id: 1\n  pay: 2", "result[0]", "no fields beside those declared"),
        ("- id: 1\n  \"id\": 2", "result[0]", "each field once"),
        ("- to: []", "result[0].id", "a value"),
        ("- id: 1\n  to: ~", "result[0].to", "a list"),
        ("- id: 1\n  to:", "result[0].to", "a list"),
        ("- id: 1\n  from: null", "result[0].from", "a record"),
        ("- id: 1\n  from: {}", "result[0].from.name", "a value"),
        ("- id: 1\n  <<: {id: 2}", "result[0]", "names of fields, and no `<<`"),
        ("- id: 1\n  ~: 2", "result[0]", "no fields beside those declared"),
        ("- id: 1\n  : 2", "result[0]", "names of fields, and no `<<`"),
        ("- id: 1\n  [to]: 2", "result[0]", "names of fields, and no `<<`"),
    ] {
        refused(shape(), text, path, expected);
    }
    yaml(
        shape(),
        "- id: 1\n  from: {name}\n- from:\n    name:\n\n  id: 2",
        &[
            "result[0].id ¦ 1 ¦ 1",
            "result[0].from.name ¦  ¦ null",
            "result[1].from.name ¦  ¦ null",
            "result[1].id ¦ 2 ¦ 2",
        ],
    );
    yaml(shape(), "[]", &[]);
}

#[test]
fn nesting_and_size_are_bounded() {
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(leaves(Format::Yaml, &json!("any"), &deep(64))[0].contains("[[]]"));
    for text in [deep(65), deep(100_000), "- ".repeat(65) + "x", "- ".repeat(30) + &deep(40)] {
        refused(json!("any"), &text, "result", "at most 64 levels of nesting");
    }
    let many = format!("[{}]", "1,".repeat(1_000_000));
    refused(json!("any"), &many, "result", "at most 1000000 values");
    refused(json!(["any"]), &many, "result", "at most 1000000 values");
}

#[test]
fn a_refusal_says_nothing_of_the_text() {
    let types: Vec<Type> = types().into_iter().map(|(_, ty)| ty).collect();
    let tool = tool(Format::Yaml, &json!([{"id": "integer", "at?": "open point"}]));
    for text in
        ["- id: SECRET", "- SECRET: 1", "- {id: 1, at: {SECRET: 1}}", "- id: *SECRET", "SECRET\0"]
    {
        let unfit = find(&types, &tool, text).unwrap_err();
        assert!(!format!("{unfit} {unfit:?}").contains("SECRET"), "{unfit}");
    }
    let unfit = find(&types, &tool, "- id: SECRET").unwrap_err();
    assert_eq!(unfit.to_string(), "expected a whole number at `result[0].id`");
}

#[test]
fn what_is_not_written_stands_behind_its_punctuation() {
    let types: Vec<Type> = types().into_iter().map(|(_, ty)| ty).collect();
    let tool = tool(Format::Yaml, &json!([{"id": "null", "to?": "null"}]));
    for (text, spans) in [
        ("- id:", [0..5, 2..5, 5..5]),
        ("- id: \n\n", [0..5, 2..5, 5..5]),
        ("[{id : }]", [0..9, 1..8, 6..6]),
        ("[{id}]", [0..6, 1..5, 4..4]),
    ] {
        let tree = find(&types, &tool, text).unwrap();
        assert!(tree.iter().map(|region| region.span.clone()).eq(spans), "{text:?}: {tree:?}");
    }
}

#[test]
fn guards_read_the_fields_of_a_record() {
    let types: Vec<Type> = types().into_iter().map(|(_, ty)| ty).collect();
    let shape = json!([{"sender": "text", "meta": {"size": "number", "to": ["text"]}}]);
    let text = "- sender: a\n  meta: {size: 3, to: [b]}\n- sender: c\n  meta: {size: 4, to: []}\n";
    let tree = find(&types, &tool(Format::Yaml, &shape), text).unwrap();
    let second = tree.children(0).nth(1).unwrap();
    let record = tree.value(second).unwrap();
    let read = |path: &[&str]| {
        let path: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
        record.field(&path).map(ToString::to_string)
    };
    assert_eq!(read(&["sender"]).as_deref(), Some("\"c\""));
    assert_eq!(read(&["meta", "size"]).as_deref(), Some("4"));
    assert_eq!(read(&["meta", "to"]).as_deref(), Some("[]"));
    assert_eq!(read(&["meta", "from"]), None);
}
