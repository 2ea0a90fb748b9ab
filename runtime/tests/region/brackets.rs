//! JSON and Python literals: which texts are some, what they hold, and at which bytes.

use std::ops::Range;

use proptest::prelude::*;
use rtbas::region::find;
use rtbas_artifact::ir::Format;
use rtbas_artifact::value::Value;
use serde_json::{Value as Json, json};

use super::emit::{Doc, documents};
use super::properties::{all_types, changed, has_regions, is_lawful};
use super::shape::tool;
use super::tables::leaves;

const JSON: &str = "one document of valid JSON";
const PYTHON: &str = "one Python literal as `repr` prints it";
const NUMBER: &str = "numbers of at most 34 digits, written as in JSON";

/// The value of a text where any is declared, or what was expected instead.
fn read(format: Format, text: &str) -> Result<Json, String> {
    let tree = find(&all_types(), &tool(format, &json!("any")), text);
    tree.map(|tree| tree.value(0).unwrap().to_json()).map_err(|unfit| unfit.expected)
}

#[test]
fn regions_are_the_bytes_that_values_are_written_in() {
    let shape = json!([{"id": "integer", "a?": "text", "b?": ["text or null"]}]);
    assert_eq!(
        leaves(
            Format::Json,
            &shape,
            " [ {\"id\" : 1,\n\"a\":\"x\\n\"} , { \"b\":[null,\"\"],\"id\":2}]\n"
        ),
        [
            "result[0].id ¦ 1 ¦ 1",
            "result[0].a ¦ \"x\\n\" ¦ \"x\\n\"",
            "result[1].b[0] ¦ null ¦ null",
            "result[1].b[1] ¦ \"\" ¦ \"\"",
            "result[1].id ¦ 2 ¦ 2",
        ]
    );
    assert_eq!(
        leaves(Format::Python, &shape, "({'id': 1.0, \"a\": 'it\\'s'}, {'b': (None,), 'id': 2})"),
        [
            "result[0].id ¦ 1.0 ¦ 1",
            "result[0].a ¦ 'it\\'s' ¦ \"it's\"",
            "result[1].b[0] ¦ None ¦ null",
            "result[1].id ¦ 2 ¦ 2",
        ]
    );
}

#[test]
fn json_is_strict() {
    for (text, value) in [
        ("{}", json!({})),
        (" [ ] ", json!([])),
        ("\t\r\n0\n", json!(0)),
        ("-0.5e1", json!("-5")),
        (r#""\u00e9\uD83D\uDE00\/\b\f""#, json!("é😀/\u{8}\u{c}")),
        (r#""\u0000""#, json!("\0")),
        ("\"\u{7f}\u{2028}\u{feff}\"", json!("\u{7f}\u{2028}\u{feff}")),
        (r#"{"":{"<<":null},"a":[true,false]}"#, json!({"": {"<<": null}, "a": [true, false]})),
    ] {
        let found = read(Format::Json, text).map(|value| match value {
            Json::Number(number) if number.to_string() == "-5" => json!("-5"),
            value => value,
        });
        assert_eq!(found, Ok(value), "{text:?}");
    }
    for text in [
        "",
        " ",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{null:1}",
        "{[]:1}",
        "[(1)]",
        "1 2",
        "{} {}",
        "{}x",
        "[]]",
        "\u{feff}{}",
        "\u{a0}1",
        "1\0",
        "\"a",
        "\"a\"\"b\"",
        "\"\n\"",
        "\"\0\"",
        "\"\\x41\"",
        "\"\\'\"",
        "\"\\u12\"",
        "\"\\u+041\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\\\udc00\"",
        "// x\n1",
        "1 // x",
        "[1 /**/]",
        "None",
        "True",
        "NaN",
        "Infinity",
        "nulls",
        "~",
    ] {
        assert_eq!(read(Format::Json, text), Err(JSON.to_owned()), "{text:?}");
    }
    for text in ["-", "+1", "01", "1.", ".5", "1e", "-Infinity", "1_0", "0x1", "1e6145"] {
        let found = read(Format::Json, text).unwrap_err();
        assert!([JSON, NUMBER].contains(&found.as_str()), "{text:?}: {found}");
    }
    assert_eq!(read(Format::Json, &"9".repeat(35)), Err(NUMBER.to_owned()));
}

#[test]
fn python_is_what_repr_prints() {
    for (text, value) in [
        ("{}", json!({})),
        ("()", json!([])),
        ("(1,)", json!([1])),
        ("[(1, 2), []]", json!([[1, 2], []])),
        ("{'a': None, 'b': (True, False)}", json!({"a": null, "b": [true, false]})),
        ("'it\\'s \"x\"'", json!("it's \"x\"")),
        ("\"it's\"", json!("it's")),
        ("'\\n\\r\\t\\\\\\x00\\xe9\\u2028\\U0001f600'", json!("\n\r\t\\\0é\u{2028}😀")),
        ("{'a':1,\n 'b':2}\n", json!({"a": 1, "b": 2})),
    ] {
        assert_eq!(read(Format::Python, text), Ok(value), "{text:?}");
    }
    for text in [
        "(1)",
        "(,)",
        "[1,]",
        "{'a': 1,}",
        "{1: 2}",
        "{None: 2}",
        "{'a', 'b'}",
        "{('a',): 1}",
        "set()",
        "null",
        "true",
        "nan",
        "inf",
        "{'a': inf}",
        "b'a'",
        "u'a'",
        "r'\\n'",
        "f'{a}'",
        "'a' 'b'",
        "['a' 'b']",
        "'''a'''",
        "''''''",
        "'a\nb'",
        "'a\tb'",
        "'\\\n'",
        "'\\a'",
        "'\\0'",
        "'\\d'",
        "'\\N{DASH}'",
        "'\\ud83d\\ude00'",
        "'\\U00110000'",
        "'\\x4'",
        "[1] # x",
        "1 + 1",
        "1j",
        "...",
        "a",
        "datetime.datetime(2024, 5, 15, 0, 0)",
        "<Status.open: 'open'>",
        "[1] if 1 else 2",
        "{'a': 1}['a']",
        "{**{}}",
        "[*[]]",
    ] {
        let found = read(Format::Python, text).unwrap_err();
        assert!([PYTHON, NUMBER].contains(&found.as_str()), "{text:?}: {found}");
    }
}

#[test]
fn a_name_stands_once_however_it_is_written() {
    for (format, text) in [
        (Format::Json, r#"{"id": 1, "\u0069d": 2}"#),
        (Format::Json, r#"{"id": 1, "id": 1}"#),
        (Format::Python, r"{'id': 1, 'i\x64': 2}"),
        (Format::Python, "{'id': 1, \"id\": 2}"),
    ] {
        assert_eq!(read(format, text), Err("each field once".to_owned()), "{text}");
        let shape = json!({"id": "integer"});
        assert_eq!(leaves(format, &shape, text), ["result ¦ each field once"], "{text}");
    }
    let shape = json!({"id": "integer", "to?": "text"});
    let unknown = "result ¦ no fields beside those declared";
    assert_eq!(leaves(Format::Json, &shape, r#"{"id": 1, "To": "x"}"#), [unknown]);
    assert_eq!(leaves(Format::Json, &shape, r#"{"to": "x"}"#), ["result.id ¦ a value"]);
}

#[test]
fn a_map_has_any_names_and_each_is_a_region() {
    let shape = json!({"*": ["integer"]});
    assert_eq!(
        leaves(Format::Json, &shape, r#"{"a b\n": [1], "": [], "<<": [2]}"#),
        [
            r#"result[key 0] ¦ "a b\n" ¦ "a b\n""#,
            "result[0][0] ¦ 1 ¦ 1",
            r#"result[key 1] ¦ "" ¦ """#,
            r#"result[key 2] ¦ "<<" ¦ "<<""#,
            "result[2][0] ¦ 2 ¦ 2",
        ]
    );
    assert_eq!(
        leaves(Format::Python, &json!({"*": {"id": "integer"}}), "{'it\\'s': {'id': 1}}"),
        ["result[key 0] ¦ 'it\\'s' ¦ \"it's\"", "result[0].id ¦ 1 ¦ 1"]
    );
    assert_eq!(
        leaves(Format::Yaml, &json!({"*": "text"}), "a@b.c: r\n'null': 'x: y'\n? \"#\"\n: z\n")
            .len(),
        1
    );
    assert_eq!(
        leaves(Format::Yaml, &json!({"*": "text"}), "a@b.c: r\n'null': 'x: y'\n~: z\n"),
        [
            "result[key 0] ¦ a@b.c ¦ \"a@b.c\"",
            "result[0] ¦ r ¦ \"r\"",
            "result[key 1] ¦ 'null' ¦ \"null\"",
            "result[1] ¦ 'x: y' ¦ \"x: y\"",
            "result[key 2] ¦ ~ ¦ \"~\"",
            "result[2] ¦ z ¦ \"z\"",
        ]
    );
    let once = ["result ¦ each field once"];
    assert_eq!(leaves(Format::Json, &json!({"*": "any"}), r#"{"a": 1, "\u0061": 2}"#), once);
    assert_eq!(leaves(Format::Yaml, &json!({"*": "any"}), "1: a\n'1': b\n"), once);
    assert_eq!(leaves(Format::Yaml, &json!({"*": "any"}), "- a"), ["result ¦ a map"]);
    assert_eq!(
        leaves(Format::Json, &json!({"*": "integer"}), r#"{"secret": "x"}"#),
        ["result[0] ¦ a whole number"]
    );
    let tree = find(&all_types(), &tool(Format::Json, &shape), r#"{"b": [1], "a": []}"#).unwrap();
    assert_eq!(tree.value(0).map(|v| v.to_json()), Some(json!({"a": [], "b": [1]})));
}

#[test]
fn a_tag_tells_records_apart_wherever_it_stands() {
    let shape = json!([{
        "|": [{"kind": "kind a", "x": "integer"}, {"y?": ["text"], "kind": "kind b"}],
        "tag": "kind",
    }]);
    let text = r#"[{"x": 1, "kind": "a"}, {"kind": true, "y": ["kind", "a"]}, {"kind": "b"}]"#;
    assert_eq!(
        leaves(Format::Json, &shape, text),
        [
            "result[0].x ¦ 1 ¦ 1",
            "result[0].kind ¦ \"a\" ¦ \"a\"",
            "result[1].kind ¦ true ¦ true",
            "result[1].y[0] ¦ \"kind\" ¦ \"kind\"",
            "result[1].y[1] ¦ \"a\" ¦ \"a\"",
            "result[2].kind ¦ \"b\" ¦ \"b\"",
        ]
    );
    let yaml = "- x: 1\n  kind: a\n- kind: b\n  y:\n  - {kind: a}\n";
    assert_eq!(leaves(Format::Yaml, &shape, yaml), ["result[1].y[0] ¦ a string"]);
    for (text, unfit) in [
        (r#"[{"x": 1}]"#, "result[0].kind ¦ a value"),
        (r#"[{"kind": ["a"], "x": 1}]"#, "result[0].kind ¦ a value"),
        (r#"[{"kind": "c"}]"#, "result[0].kind ¦ a value that tells which record this is"),
        (r#"[{"kind": "a", "y": []}]"#, "result[0] ¦ no fields beside those declared"),
        (r#"[{"kind": "a", "x": 1, "kind": "b"}]"#, "result[0] ¦ each field once"),
        (r#"[{"k\u0069nd": "b", "kind": "a", "x": 1}]"#, "result[0] ¦ each field once"),
        (r#"[{"x": {"kind": "a"}, "kind": "a"}]"#, "result[0].x ¦ a whole number"),
        (r#"["a"]"#, "result[0] ¦ one of the declared kinds of values"),
        (r#"[{"kind": "a", "x": 1"#, "result[0] ¦ one document of valid JSON"),
    ] {
        assert_eq!(leaves(Format::Json, &shape, text), [unfit], "{text}");
    }
}

#[test]
fn brackets_tell_lists_records_and_scalars_apart() {
    let shape = json!({"|": ["null", "integer", ["text"], {"id": {"|": ["text", {"*": "bool"}]}}]});
    for (text, expected) in [
        ("null", &["result ¦ null ¦ null"][..]),
        ("7", &["result ¦ 7 ¦ 7"]),
        (r#"["a"]"#, &["result[0] ¦ \"a\" ¦ \"a\""]),
        (r#"{"id": "a"}"#, &["result.id ¦ \"a\" ¦ \"a\""]),
        (
            r#"{"id": {"b": true}}"#,
            &["result.id[key 0] ¦ \"b\" ¦ \"b\"", "result.id[0] ¦ true ¦ true"],
        ),
        (r#""a""#, &["result ¦ null or a whole number"]),
        (r#"{"id": ["a"]}"#, &["result.id ¦ a string"]),
    ] {
        assert_eq!(leaves(Format::Json, &shape, text), expected, "{text}");
    }
}

#[test]
fn what_has_no_quotes_is_no_text() {
    for format in [Format::Json, Format::Python] {
        assert_eq!(leaves(format, &json!("text"), "12"), ["result ¦ a string"]);
        assert_eq!(leaves(format, &json!("number"), "\"12\""), ["result ¦ a number"]);
        assert_eq!(leaves(format, &json!("text or number"), "12"), ["result ¦ 12 ¦ 12"]);
        assert_eq!(
            leaves(format, &json!("text or null"), "'~'".replace('\'', "\"").as_str()).len(),
            1
        );
    }
    assert_eq!(leaves(Format::Python, &json!("text or null"), "None"), ["result ¦ None ¦ null"]);
    assert_eq!(leaves(Format::Json, &json!("word"), "\"7\""), ["result ¦ \"7\" ¦ \"7\""]);
    assert_eq!(leaves(Format::Json, &json!("word"), "7").len(), 1);
    assert!(leaves(Format::Json, &json!("word"), "7")[0].contains("one of"));
}

#[test]
fn nesting_and_length_are_bounded() {
    let nested = |n: usize| [vec!["["; n].concat(), vec!["]"; n].concat()].concat();
    let deep = Err("at most 64 levels of nesting".to_owned());
    for format in [Format::Json, Format::Python] {
        assert!(read(format, &nested(64)).is_ok());
        assert_eq!(read(format, &nested(65)), deep);
        assert_eq!(read(format, &"[".repeat(5_000_000)), deep);
        let many = format!("[{}0]", "0,".repeat(1_000_000));
        assert_eq!(read(format, &many), Err("at most 1000000 values".to_owned()));
    }
}

/// A document as text, with the span of each region before those below it, and the leaves' values.
struct Written {
    format: Format,
    text: String,
    regions: Vec<(Range<usize>, Option<Value>)>,
    choices: Vec<u8>,
    next: usize,
}

impl Written {
    fn new(format: Format, doc: &Doc, choices: Vec<u8>) -> Self {
        let (text, regions) = (String::new(), Vec::new());
        let mut written = Self { format, text, regions, choices, next: 0 };
        written.blank();
        written.value(doc);
        written.blank();
        written
    }

    fn pick(&mut self, n: usize) -> usize {
        self.next += 1;
        usize::from(self.choices[self.next % self.choices.len()]) % n
    }

    fn blank(&mut self) {
        let blanks = ["", "", "", " ", "\n", "\t", "\r\n  "];
        let blank = blanks[self.pick(blanks.len())];
        self.text.push_str(blank);
    }

    fn value(&mut self, doc: &Doc) {
        let index = self.regions.len();
        self.regions.push((self.text.len()..0, None));
        match doc {
            Doc::Text(text) => {
                self.text(text);
                self.regions[index].1 = Some(Value::Text(text.clone()));
            }
            Doc::Word(word) => {
                let word = match (self.format, word.to_lowercase().as_str()) {
                    (Format::Python, "true") => "True",
                    (Format::Python, "false") => "False",
                    (_, "true") => "true",
                    _ => word,
                };
                self.text.push_str(word);
                let truth = word.to_lowercase().parse().map(Value::Bool);
                let value = truth.unwrap_or_else(|_| Value::Number(word.parse().unwrap()));
                self.regions[index].1 = Some(value);
            }
            Doc::List(items) => {
                let is_tuple = self.format == Format::Python && self.pick(2) == 0;
                self.text.push(if is_tuple { '(' } else { '[' });
                for (at, item) in items.iter().enumerate() {
                    self.comma(at);
                    self.value(item);
                }
                self.blank();
                self.text.push_str(if is_tuple && items.len() == 1 { "," } else { "" });
                self.text.push(if is_tuple { ')' } else { ']' });
            }
            Doc::Record(fields) => {
                self.text.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    self.comma(at);
                    let quote = if self.format == Format::Python { "'" } else { "\"" };
                    self.text.extend([quote, name, quote]);
                    self.blank();
                    self.text.push(':');
                    self.blank();
                    self.value(value);
                }
                self.blank();
                self.text.push('}');
            }
        }
        self.regions[index].0.end = self.text.len();
    }

    fn comma(&mut self, at: usize) {
        self.blank();
        self.text.push_str(if at == 0 { "" } else { "," });
        self.blank();
    }

    fn text(&mut self, text: &str) {
        let python = self.format == Format::Python;
        let quote = if python && self.pick(2) == 0 { '\'' } else { '"' };
        self.text.push(quote);
        for c in text.chars() {
            let code = u32::from(c);
            let escaped = match c {
                c if c == quote || c == '\\' => format!("\\{c}"),
                '\n' if self.pick(2) == 0 => "\\n".to_owned(),
                '\0'..' ' => format!("\\u{code:04x}"),
                c if self.pick(9) > 0 => c.to_string(),
                '\0'..='ÿ' if python => format!("\\x{code:02X}"),
                _ if python => format!("\\U{code:08x}"),
                c => c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04X}")).collect(),
            };
            self.text.push_str(&escaped);
        }
        self.text.push(quote);
    }
}

/// Pieces that mean something, to be put where they do not belong.
const HOSTILE: [&str; 30] = [
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    " ",
    "\n",
    "\t",
    "\0",
    "\u{feff}",
    "#",
    "//",
    "/*",
    "null",
    "None",
    "-",
    "1",
    "e",
    ".",
    "\\u",
    "d800",
    "id",
    "\"to\": 1",
    "'''",
];

fn formats() -> impl Strategy<Value = Format> {
    prop_oneof![Just(Format::Json), Just(Format::Python)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_document_has_the_regions_that_were_written(
        format in formats(),
        (shape, doc) in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        let written = Written::new(format, &doc, choices);
        has_regions(&tool(format, &shape), &written.text, &written.regions)?;
    }

    #[test]
    fn hostile_pieces_put_no_words_outside_of_leaves(
        format in formats(),
        (shape, doc) in documents(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..4_usize, prop::sample::select(&HOSTILE[..])), 0..4),
    ) {
        let text = changed(&Written::new(format, &doc, choices).text, changes);
        is_lawful(&tool(format, &shape), &text);
        if format == Format::Json {
            agrees_with_serde(&text)?;
        }
    }

    #[test]
    fn any_text_is_read_or_refused(
        format in formats(),
        shape in prop::sample::select(vec![
            json!("text"), json!("any"), json!(["any"]), json!([{"id?": "any", "to?": ["text or null"]}]),
        ]),
        text in prop_oneof![
            "\\PC*",
            "[ \n\t,:\\[\\]{}()'\"\\\\a01e.+-]{0,40}",
            "(\\[|\\]|\\{|\\}|,|:|\"id\"|'to'|null|None|1|\"|\\\\u00e9){0,20}",
        ],
    ) {
        is_lawful(&tool(format, &shape), &text);
        if format == Format::Json {
            agrees_with_serde(&text)?;
        }
    }
}

/// What is read as JSON, another reader reads alike; what it reads and we do not has a name twice
/// or a number that is too long.
fn agrees_with_serde(text: &str) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_str::<Json>(text).ok();
    match read(Format::Json, text) {
        Ok(ours) => {
            let theirs = theirs.map(|theirs| Value::from_json(&theirs).unwrap().to_json());
            prop_assert_eq!(Some(ours), theirs, "{:?}", text);
        }
        Err(expected) if theirs.is_some() => {
            prop_assert!(["each field once", NUMBER].contains(&expected.as_str()), "{:?}", text);
        }
        Err(_) => {}
    }
    Ok(())
}
