//! Patterns against a matcher that was written from the documents alone.

use proptest::prelude::*;
use rtbas_artifact::pattern::Pattern;
use rtbas_tests::model::pattern;

/// Patterns over few characters, so that many texts match.
fn patterns() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "a", "b", "é", ".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\n", "\\.", "\\u{e9}",
        "[ab]", "[^a]", "[a-c1]", "[^\\w-]", "[-\\d]", "[\\S\\n]",
    ]);
    atom.prop_map(str::to_owned).prop_recursive(4, 12, 3, |inner| {
        let many = prop::collection::vec(inner.clone(), 1..4);
        let times = prop::sample::select(vec!["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"]);
        prop_oneof![
            many.clone().prop_map(|parts| parts.concat()),
            many.prop_map(|parts| format!("({})", parts.join("|"))),
            (inner, times).prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

fn texts() -> impl Strategy<Value = String> {
    let characters =
        prop::sample::select(vec!['a', 'b', 'c', '1', 'é', '.', '-', '_', ' ', '\n', 'A']);
    prop::collection::vec(characters, 0..7).prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patterns_mean_what_the_documents_say(
        written in patterns(),
        texts in prop::collection::vec(texts(), 16),
    ) {
        let parsed = Pattern::new(written.as_str()).unwrap();
        for text in texts {
            let expected = pattern::matches(&written, &text);
            prop_assert_eq!(parsed.matches(&text), Some(expected), "{} on {:?}", parsed, text);
        }
    }
}
