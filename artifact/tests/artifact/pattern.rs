//! What a pattern is, what is none and where, and that an artifact cannot bring another.

use rtbas_artifact::pattern::{MAX_REPEAT, MAX_TEXT, Pattern, Problem, escape};

#[test]
fn all_of_a_text_matches() {
    let cases: [(&str, &[&str], &[&str]); 14] = [
        ("abc", &["abc"], &["", "ab", "abcd", "xabc", "ABC"]),
        ("a|bc", &["a", "bc"], &["ac", "b", "abc"]),
        ("a(b|c)*", &["a", "abcb"], &["b", "ad"]),
        ("(?:ab)+c?", &["ab", "ababc"], &["", "c", "abcc"]),
        ("a{2}b{1,2}c{1,}", &["aabc", "aabbccc"], &["abc", "aabbbc", "aab"]),
        (".", &["a", "é", "\u{1f600}", "\r"], &["", "\n", "ab"]),
        ("[a-cx]", &["a", "c", "x"], &["d", "-", "A"]),
        ("[^a-c]", &["d", "\n", "é"], &["a", "", "dd"]),
        ("[-a]|[b-]", &["-", "a", "b"], &["c"]),
        ("\\d\\w\\s", &["1_ ", "9Z\t"], &["\u{661}a ", "1é ", "1a\u{a0}"]),
        ("\\D\\W\\S", &["a-b", "\u{661}éx"], &["1-b", "aab", "a- "]),
        ("[\\s\\S]*", &["", "a\nb"], &[]),
        ("\\.\\/\\\\\\n\\t\\r", &["./\\\n\t\r"], &["x/\\\n\t\r"]),
        ("\\u{e9}\\u00e9", &["éé"], &["ee"]),
    ];
    for (pattern, yes, no) in cases {
        let parsed = Pattern::new(pattern).unwrap();
        assert!(yes.iter().all(|text| parsed.matches(text) == Some(true)), "{pattern}");
        assert!(no.iter().all(|text| parsed.matches(text) == Some(false)), "{pattern}");
    }
}

#[test]
fn what_is_no_pattern_is_said_at_its_place() {
    let long = "a".repeat(MAX_TEXT + 1);
    let cases = [
        ("^a", "^"),
        ("a$", "$"),
        ("a\\b", "\\b"),
        ("(?=a)b", "(?="),
        ("(a)\\1", "\\1"),
        ("(?i)a", "(?i)"),
        ("(?i:a)", "i"),
        ("(?<n>a)", "n"),
        ("a*?", "*?"),
        ("a+*", "*"),
        ("*a", ""),
        ("a||b", ""),
        ("()", ""),
        ("a\\pL", "\\pL"),
        ("[[:alpha:]]", "[:alpha:]"),
        ("[a[b]]", "[b]"),
        ("[a-z&&b]", "a-z&&b"),
        ("[^\\s\\S]", "[^\\s\\S]"),
        ("[z-a]", "z-a"),
        ("a{3,2}", "{3,2}"),
        ("a{0}", "{0}"),
        ("a{1001}", "{1001}"),
        ("\\x41", "\\x41"),
        ("\\a", "\\a"),
        ("\\q", "\\q"),
        ("(a", "("),
        ("a)", ")"),
        ("[a", "["),
        ("a\nb", "\n"),
        ("(a{1000}){1000}", "(a{1000}){1000}"),
        (long.as_str(), long.as_str()),
    ];
    for (pattern, place) in cases {
        let error = Pattern::new(pattern).map(|_| ()).unwrap_err();
        assert_eq!(pattern.get(error.at.clone()), Some(place), "{pattern}: {error}");
    }
    let nested = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    let error = Pattern::new(nested).map(|_| ()).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge(_)), "{error}");
    assert!(Pattern::new(format!("a{{{MAX_REPEAT}}}")).is_ok());
}

#[test]
fn any_text_can_be_written_as_a_pattern() {
    let texts = ["", "a", "a.b*c", "<>/\\[](){}^$|?+-&&~#", "é\n\r\t\u{0}\u{7f}\u{85}", "a b"];
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        let pattern = Pattern::new(escape(text)).unwrap();
        assert_eq!(pattern.matches(text), Some(true), "{pattern}");
        assert_eq!(pattern.matches(&format!("{text}x")), Some(false), "{pattern}");
    }
}

#[test]
fn bytes_bring_no_pattern_that_a_policy_cannot_have() {
    let bytes = |text: &str| serde_json::to_string(text).unwrap();
    assert!(serde_json::from_str::<Pattern>(&bytes("a+")).is_ok());
    for text in ["^a", "(?i)a", "((((a{1000}){1000}){1000}){1000}){1000}", "\u{1b}"] {
        assert!(serde_json::from_str::<Pattern>(&bytes(text)).is_err(), "{text}");
    }
}

#[test]
fn the_texts_of_a_pattern_are_counted() {
    let cases = [
        ("[A-Z]{2}[0-9]{6}", Some(676_000_000)),
        ("yes|no|[0-9]{1,2}", Some(112)),
        ("a?b{2}", Some(2)),
        (".", Some(0x11_0000 - 0x800 - 1)),
        ("[a-z]{1000}", Some(u128::MAX)),
        ("a*", None),
        ("(a|b{1,}){3}", None),
    ];
    for (pattern, count) in cases {
        assert_eq!(Pattern::new(pattern).unwrap().tree().count(), count, "{pattern}");
    }
}
