//! The prover of antitone decisions (O5) and of live rules against brute force.
//!
//! Random rules over small domains are compiled like any policy. Then every call of the domain is
//! decided at every ordered pair of labels: the prover must refute exactly the rules for which some
//! call is decided more weakly at the stricter label, and find exactly the rules that decide no call
//! or fire at all of them. The domains hold a value on either side of
//! every constant and more texts than the rules name, so they are exhaustive for these rules.

#![expect(clippy::unwrap_used, reason = "a test may stop where its policy is not as expected")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rtbas_artifact::eval::{Arguments, Bound, Facts, Scope, Truth};
use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{Condition, Effect, Operand};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;
use rtbas_tests::prover::{Proof, prove, runner};

const TOOLS: &str = r#"{"tools": [{
    "name": "pay",
    "description": "Pays somebody.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "amount": {"type": "integer"},
            "memo": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
            "gift": {"type": "boolean"},
            "kind": {"enum": ["a", null]},
            "note": {"description": "anything"},
            "due": {"type": "string", "format": "date"},
            "at": {"type": "string", "format": "date-time"}
        },
        "required": ["to", "amount", "kind", "note"]
    }
}]}"#;

fn atom() -> impl Strategy<Value = String> {
    let text = prop_oneof![Just("to"), Just("memo"), Just("\"a\""), Just("\"b\"")];
    prop_oneof![
        8 => prop_oneof![
            Just("context <= trusted"),
            Just("context <= {untrusted, public}"),
            Just("context <= {trusted, private}"),
            Just("context <= {untrusted, private}"),
        ]
        .prop_map(str::to_owned),
        3 => (prop::sample::select(vec!["<", "<=", "==", "!=", ">", ">="]), 1..4).prop_map(|(w, n)| format!("amount {w} {n}")),
        2 => (prop_oneof![Just("to"), Just("memo")], prop_oneof![Just("=="), Just("!=")], text)
            .prop_map(|(a, w, b)| format!("{a} {w} {b}")),
        2 => prop_oneof![Just("to in payees"), Just("memo in payees"), Just("\"a\" in payees")]
            .prop_map(str::to_owned),
        1 => prop_oneof![Just("to in [\"a\", \"b\"]"), Just("memo in [\"a\"]")]
            .prop_map(str::to_owned),
        2 => prop_oneof![
            Just("present(memo)"),
            Just("gift == true"),
            Just("present(gift)"),
            Just("present(kind)"),
            Just("present(note)"),
        ]
        .prop_map(str::to_owned),
    ]
}

/// Atoms on texts alone. Each combination of answers to these patterns is that of some text of
/// [`TEXTS`], and of as many as there are texts to compare unless there are no more at all.
fn word() -> impl Strategy<Value = String> {
    let text = || prop::sample::select(vec!["to", "memo"]);
    let patterns = vec!["[ab]", "a|cc", "a|bb", "[^a]", ".{2}", "c*", "[a-c]{1,2}"];
    prop_oneof![
        4 => prop::sample::select(vec!["context <= trusted", "context <= {untrusted, public}"])
            .prop_map(str::to_owned),
        6 => (text(), prop::sample::select(patterns)).prop_map(|(x, p)| format!("{x} matches /{p}/")),
        1 => Just("to == memo".to_owned()),
        1 => (text(), prop::sample::select(vec!["a", "b", "cc"]))
            .prop_map(|(x, c)| format!("{x} == \"{c}\"")),
        1 => (text(), prop::sample::select(vec!["in payees", "in [\"a\", \"bb\"]"]))
            .prop_map(|(x, set)| format!("{x} {set}")),
        1 => Just("present(memo)".to_owned()),
    ]
}

const TEXTS: [&str; 17] = [
    "", "a", "b", "c", "d", "e", "f", "aa", "ab", "bb", "cc", "dd", "ee", "ff", "ccc", "cccc",
    "ddd",
];

/// Atoms on texts and on what functions give of them.
fn part() -> impl Strategy<Value = String> {
    let text = || prop::sample::select(vec!["to", "memo"]);
    let given =
        || prop::sample::select(vec!["domain(to)", "domain(memo)", "lower(to)", "lower(memo)"]);
    prop_oneof![
        6 => prop::sample::select(vec!["context <= trusted", "context <= {untrusted, public}"])
            .prop_map(str::to_owned),
        3 => (text(), prop::sample::select(vec!["x@.*", "[a-z@]+", ".*@b", ".*[A-Z].*"]))
            .prop_map(|(x, p)| format!("{x} matches /{p}/")),
        3 => (given(), prop::sample::select(vec!["[ab]", "b.*", ".*@.*", "x@[ab]"]))
            .prop_map(|(x, p)| format!("{x} matches /{p}/")),
        3 => (given(), prop::sample::select(vec!["a", "b", "x@a", "X@A"]))
            .prop_map(|(x, c)| format!("{x} == \"{c}\"")),
        2 => given().prop_map(|x| format!("{x} in payees")),
        1 => Just("domain(to) == domain(memo)".to_owned()),
        1 => Just("to == lower(memo)".to_owned()),
        1 => Just("to == \"x@B\"".to_owned()),
        1 => given().prop_map(|x| format!("present({x})")),
        1 => Just("present(memo)".to_owned()),
    ]
}

/// Atoms on dates and times.
fn moment() -> impl Strategy<Value = String> {
    let signs = || prop::sample::select(vec!["<", "<=", "==", "!=", ">", ">="]);
    let date =
        || prop::sample::select(vec!["due", "date(memo)", "\"2024-02-29\"", "\"2024-03-02\""]);
    prop_oneof![
        6 => prop::sample::select(vec!["context <= trusted", "context <= {untrusted, public}"])
            .prop_map(str::to_owned),
        4 => (signs(), date()).prop_map(|(sign, date)| format!("due {sign} {date}")),
        3 => (signs(), date()).prop_map(|(sign, date)| format!("date(memo) {sign} {date}")),
        2 => signs().prop_map(|sign| format!("at {sign} \"2024-02-29T23:00-01:00\"")),
        2 => Just("due in [\"2024-02-29\"]".to_owned()),
        1 => Just("due in days".to_owned()),
        1 => Just("\"2024-03-01\" in days".to_owned()),
        1 => Just("memo == \"2024-02-29\"".to_owned()),
        1 => Just("memo == \"x\"".to_owned()),
        1 => prop::sample::select(vec!["present(date(memo))", "present(memo)", "present(due)", "present(at)"])
            .prop_map(str::to_owned),
    ]
}

/// Calls that differ in their dates and times alone.
fn moments() -> Vec<Arguments> {
    let text = |text: &str| Value::Text(text.to_owned());
    let dates = [
        "2024-02-27",
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
        "2024-03-02",
        "2024-03-03",
        "2024-03-04",
    ]
    .map(text);
    let times = ["2024-02-29T23:59:59Z", "2024-03-01 00:00", "2024-03-01T00:00:00.1Z"].map(text);
    let maybe =
        |values: &[Value]| values.iter().cloned().map(Some).chain([None]).collect::<Vec<_>>();
    let memos: Vec<Value> =
        dates.iter().cloned().chain(["x", "y"].map(text)).chain([Value::Null]).collect();
    let others = [
        ("to", text("a")),
        ("amount", Value::Number(1.into())),
        ("kind", Value::Null),
        ("note", Value::Null),
    ];
    let mut calls = Vec::new();
    for due in maybe(&dates) {
        for at in maybe(&times) {
            for memo in &memos {
                let given =
                    [("due", due.clone()), ("at", at.clone()), ("memo", Some(memo.clone()))];
                let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
                let all = given.chain(others.clone());
                calls.push(all.map(|(name, value)| (name.to_owned(), value)).collect());
            }
        }
    }
    calls
}

/// Texts for all combinations of answers to [`part`] that there are.
const ADDRESSES: [&str; 39] = [
    "", "a", "A", "b", "B", "c", "C", "bc", "bC", "1", "x@a", "x@A", "X@a", "X@A", "x@b", "x@B",
    "X@B", "x@", "X@", "y@", "x@@", "x@c", "X@C", "y@a", "y@b", "y@c", "x@bc", "y@bd", "b@a",
    "B@a", "b@b", "b@c", "b@bc", "@b", "b@@b", "B@@b", "x@@b", "X@@b", "@",
];

fn condition(atom: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    atom.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|parts| format!("({})", parts.join(" and "))),
            2 => prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|parts| format!("({})", parts.join(" or "))),
            // Nothing below a negation may read a label.
            1 => inner.prop_map(|part| match part.contains("context") {
                true => part,
                false => format!("not ({part})"),
            }),
        ]
    })
}

fn effect() -> impl Strategy<Value = &'static str> {
    prop_oneof![2 => Just("allow"), 2 => Just("confirm"), 1 => Just("deny")]
}

fn policy(atom: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let rules = prop::collection::vec((effect(), condition(atom)), 2..5);
    (rules, prop_oneof![Just("confirm"), Just("deny")]).prop_map(|(rules, last)| {
        let rules: Vec<String> =
            rules.iter().map(|(effect, when)| format!("  {effect} when {when}")).collect();
        format!(
            "policy random edition 2026\n\
             lattice integrity {{ trusted -> untrusted }}\n\
             lattice secrecy {{ public -> private }}\n\
             label {{ integrity, secrecy }}\n\
             fact payees : set string\n\
             fact days : set date\n\
             use tools from \"tools.json\"\n\
             message system : {{trusted, public}}\n\
             message user : {{trusted, public}}\n\
             message reply : {{untrusted, private}}\n\
             tool pay {{\n{}\n  {last} otherwise\n}}\n",
            rules.join("\n")
        )
    })
}

fn calls() -> Vec<Arguments> {
    let text = |text: &str| Value::Text(text.to_owned());
    let absent = || std::iter::once(None);
    let texts = || ["a", "b", "c", "d"].map(text).into_iter().map(Some);
    let memos: Vec<_> = absent().chain([Some(Value::Null)]).chain(texts()).collect();
    let gifts: Vec<_> = absent().chain([true, false].map(Value::Bool).map(Some)).collect();
    let odds = [Value::Null, text("a")];
    let mut rest = Vec::new();
    for gift in &gifts {
        for kind in &odds {
            rest.extend(odds.iter().map(|note| (gift.clone(), kind.clone(), note.clone())));
        }
    }
    let mut calls = Vec::new();
    for amount in 0..=4 {
        for to in texts() {
            for memo in &memos {
                for (gift, kind, note) in &rest {
                    let given = [
                        ("amount", Some(Value::Number(amount.into()))),
                        ("to", to.clone()),
                        ("memo", memo.clone()),
                        ("gift", gift.clone()),
                        ("kind", Some(kind.clone())),
                        ("note", Some(note.clone())),
                    ];
                    let given = given.into_iter().filter_map(|(n, v)| Some((n.to_owned(), v?)));
                    calls.push(given.collect());
                }
            }
        }
    }
    calls
}

/// Calls that differ in their texts alone.
fn words<const N: usize>(texts: &[&str; N]) -> Vec<Arguments> {
    let text = |text: &str| Value::Text(text.to_owned());
    let others =
        [("amount", Value::Number(1.into())), ("kind", Value::Null), ("note", Value::Null)];
    let memos = texts.map(text).into_iter().chain([Value::Null]);
    let pairs =
        memos.flat_map(|memo| texts.map(text).map(|to| [("to", to), ("memo", memo.clone())]));
    let call = |pair: [(&str, Value); 2]| {
        pair.into_iter().chain(others.clone()).map(|(n, v)| (n.to_owned(), v)).collect()
    };
    pairs.map(call).collect()
}

/// Looks at every call of a session with every choice of facts, until one is found. The payees
/// matter only as far as an argument is one.
fn any_call(
    program: &Program,
    calls: &[Arguments],
    mut is_found: impl FnMut(&Facts, &Bound<'_>) -> bool,
) -> bool {
    let is_asked = |c: &Condition| matches!(c, Condition::In(_, Operand::Fact(..)));
    let asks = program.policy().conditions.iter().any(is_asked);
    calls.iter().any(|arguments| {
        let call = program.bind("pay", arguments).unwrap();
        let mut asked: Vec<&Value> =
            ["to", "memo"].iter().filter_map(|x| arguments.get(*x)).collect();
        let a = Value::Text("a".to_owned());
        asked.push(&a);
        asked.retain(|value| **value != Value::Null);
        let is_date = |value: &&Value| Function::Date.of(value).is_some();
        let third = Value::Text("2024-03-01".to_owned());
        let dates: Vec<Value> =
            arguments.get("due").into_iter().chain([&third]).filter(is_date).cloned().collect();
        let given = |value: &&Value| Function::ALL.map(|function| function.of(value));
        let mut given: Vec<Value> = asked.iter().flat_map(given).flatten().collect();
        given.retain(|given| matches!(given, Value::Text(_)));
        asked.extend(&given);
        asked.sort();
        asked.dedup();
        if !asks {
            asked.clear();
        }
        (0..1_u8 << asked.len().max(2)).any(|bits| {
            let chosen = asked.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let payees = Value::List(chosen.map(|(_, value)| (*value).clone()).collect());
            let days = dates.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let days = Value::List(days.map(|(_, value)| value.clone()).collect());
            let facts = BTreeMap::from([("payees".to_owned(), payees), ("days".to_owned(), days)]);
            is_found(&program.facts(facts).unwrap(), &call)
        })
    })
}

fn labels(program: &Program) -> Vec<Label> {
    let mut labels: Vec<Label> = vec![program.space().bottom().clone()];
    for (lattice, declared) in program.policy().lattices.iter().enumerate() {
        let top = program.space().part(lattice, declared.top().unwrap()).unwrap();
        labels.extend(labels.clone().iter().map(|label| label.join(top)));
    }
    labels
}

/// Whether some call is decided more weakly at the stricter of two labels.
fn weakens(program: &Program, calls: &[Arguments]) -> bool {
    let labels = labels(program);
    any_call(program, calls, |facts, call| {
        let decided: Vec<_> =
            labels.iter().map(|label| program.decide(facts, call, label).effect).collect();
        let pairs = labels.iter().zip(&decided);
        pairs.clone().any(|(low, at_low)| {
            pairs.clone().any(|(high, at_high)| low.flows_to(high) && at_low < at_high)
        })
    })
}

/// The rules with a condition that never decide, or fire whatever the call is. An `allow` rule behind
/// others may do that.
fn idle(program: &Program, calls: &[Arguments]) -> BTreeSet<usize> {
    let labels = labels(program);
    let rules = &program.policy().tools.first().unwrap().rules;
    let (mut silent, mut constant): (BTreeSet<usize>, BTreeSet<usize>) = Default::default();
    for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.when.is_some()) {
        silent.insert(index);
        if rule.effect != Effect::Allow || index == 0 {
            constant.insert(index);
        }
    }
    any_call(program, calls, |facts, call| {
        for label in &labels {
            let decided = program.decide(facts, call, label).rule.unwrap();
            silent.remove(&decided.index());
            let scope = Scope { facts, call: Some(call), context: Some(label), record: None };
            constant.retain(|index| {
                let rule = rules.get(*index).unwrap();
                let truth = program.holds(rule.when.unwrap(), &scope);
                match rule.effect {
                    Effect::Allow => truth == Truth::True,
                    Effect::Confirm | Effect::Deny => truth != Truth::False,
                }
            });
        }
        silent.is_empty() && constant.is_empty()
    });
    silent.into_iter().chain(constant).collect()
}

#[test]
fn the_prover_agrees_with_brute_force() {
    agree(policy(atom().boxed()), &calls());
}

#[test]
fn the_prover_agrees_on_functions() {
    agree(policy(part().boxed()), &words(&ADDRESSES));
}

#[test]
fn the_prover_agrees_on_dates() {
    agree(policy(moment().boxed()), &moments());
}

#[test]
fn the_prover_agrees_on_patterns() {
    agree(policy(word().boxed()), &words(&TEXTS));
}

fn agree(policies: impl Strategy<Value = String>, calls: &[Arguments]) {
    let [proved, refuted, live, dead] = [(); 4].map(|()| std::cell::Cell::new(0));
    let count = |holds: bool, yes: &std::cell::Cell<u32>, no: &std::cell::Cell<u32>| {
        let counter = if holds { yes } else { no };
        counter.set(counter.get() + 1);
    };
    runner(128)
        .run(&policies, |policy| {
            let Proof { program, is_antitone, idle: found } = prove(&policy, TOOLS).unwrap();
            count(is_antitone, &proved, &refuted);
            prop_assert_eq!(is_antitone, !weakens(&program, calls), "{}", policy);
            let idle = idle(&program, calls);
            count(idle.is_empty(), &live, &dead);
            let tool = policy.lines().position(|line| line.starts_with("tool pay")).unwrap();
            let found: BTreeSet<usize> =
                found.into_iter().map(|line| usize::try_from(line).unwrap() - tool - 2).collect();
            prop_assert_eq!(found, idle, "{}", policy);
            Ok(())
        })
        .unwrap();
    for (what, yes, no) in [("antitone", proved, refuted), ("of live rules", live, dead)] {
        let (yes, no) = (yes.get(), no.get());
        let mix = format!("{yes} are {what} and {no} are not: too one-sided to say much");
        assert!(yes >= 20 && no >= 20, "{mix}");
    }
}
