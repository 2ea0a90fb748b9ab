//! The prover of antitone decisions (O5) against brute force, where bounds are sets of readers or
//! sources that values name.
//!
//! Random rules are compiled like any policy. Then calls and facts over three names are decided at
//! every ordered pair of labels over these names. What brute force finds, the prover must refute;
//! what the prover refutes it has replayed itself, and it may need more names than three.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where its policy is not as expected"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::Effect;
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::sets::NameSet;
use rtbas_artifact::value::Value;
use rtbas_tests::prover::{Proof, prove, runner};

const TOOLS: &str = r#"{"tools": [{
    "name": "send",
    "description": "Sends a mail.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "to": {"type": "array", "items": {"type": "string"}},
            "cc": {"type": "array", "items": {"type": "string"}},
            "who": {"type": "string"}
        },
        "required": ["to", "who"]
    }
}]}"#;

/// The names of which everything is made.
const NAMES: [&str; 3] = ["a", "b", "c"];

fn set() -> impl Strategy<Value = String> {
    let value =
        prop::sample::select(vec!["to", "cc", "cc?", "who", "me", "team", "\"a\"", "[\"b\"]"]);
    let values = prop::collection::vec(value, 0..3);
    prop_oneof![
        1 => Just("who.all".to_owned()),
        1 => Just("who.none".to_owned()),
        6 => values.prop_map(|values| format!("who {{{}}}", values.join(", "))),
    ]
}

fn atom() -> impl Strategy<Value = String> {
    let level = prop::sample::select(vec!["trusted", "untrusted"]);
    let list = || prop::sample::select(vec!["to", "cc", "team", "[\"a\"]", "[\"a\", \"b\"]", "[]"]);
    prop_oneof![
        6 => (level, set()).prop_map(|(level, set)| format!("context <= {{{level}, {set}}}")),
        2 => (list(), list()).prop_map(|(a, b)| format!("{a} subset_of {b}")),
        1 => prop::sample::select(vec!["who in team", "who in to", "me in cc", "who == me"])
            .prop_map(str::to_owned),
        1 => Just("present(cc)".to_owned()),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    atom().prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or {b})")),
            // Nothing below a negation may read a label.
            1 => inner.prop_map(|part| match part.contains("context") {
                true => part,
                false => format!("not ({part})"),
            }),
        ]
    })
}

fn policy() -> impl Strategy<Value = String> {
    let effect = || prop::sample::select(vec!["allow", "confirm", "deny"]);
    let form = prop::sample::select(vec!["readers", "sources", "dual readers", "dual sources"]);
    let rules = prop::collection::vec((effect(), condition()), 1..4);
    (form, rules, prop::sample::select(vec!["confirm", "deny"])).prop_map(|(form, rules, last)| {
        let rules: Vec<String> =
            rules.iter().map(|(effect, when)| format!("  {effect} when {when}")).collect();
        let (all, none) =
            if form.contains("readers") { ("anyone", "nobody") } else { ("any", "none") };
        let rules = rules.join("\n").replace("who.all", all).replace("who.none", none);
        // `who` is an argument, too, so the lattice is called by its form.
        let word = form.trim_start_matches("dual ");
        let rules = rules.replace("who {", &format!("{word} {{"));
        format!(
            "policy random edition 2026\n\
             lattice integrity {{ trusted -> untrusted }}\n\
             lattice names = {form}\n\
             label {{ integrity, names }}\n\
             fact me : string\n\
             fact team : set string\n\
             use tools from \"tools.json\"\n\
             message system : {{trusted, {all}}}\n\
             message user : {{trusted, {all}}}\n\
             message reply : {{trusted, {all}}}\n\
             tool send {{\n{rules}\n  {last} otherwise\n}}\n"
        )
    })
}

/// Every list of names without repetition, in order.
fn lists() -> Vec<Value> {
    let list = |bits: u8| {
        let chosen = NAMES.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        Value::List(chosen.map(|(_, name)| Value::Text((*name).to_owned())).collect())
    };
    (0..8).map(list).collect()
}

fn labels(program: &Program) -> Vec<Label> {
    let space = program.space();
    let untrusted =
        space.bottom().join(space.part(0, rtbas_artifact::lattice::LevelId(1)).unwrap());
    let lattice = program.policy().open.first().unwrap();
    let mut sets = vec![NameSet::All];
    for list in lists() {
        let names = NameSet::of(&list).unwrap();
        sets.push(names.into_iter().collect::<Vec<Arc<str>>>().into_iter().collect());
    }
    let levels = sets.into_iter().map(|set| lattice.level(set));
    levels
        .flat_map(|level| {
            [space.bottom().clone(), untrusted.clone()].map(|l| l.with_set(0, level.clone()))
        })
        .collect()
}

/// Whether some call is decided more weakly at the stricter of two labels.
fn weakens(program: &Program) -> bool {
    let labels = labels(program);
    let pairs: Vec<(usize, usize)> = (0..labels.len())
        .flat_map(|low| (0..labels.len()).map(move |high| (low, high)))
        .filter(|&(low, high)| labels[low].flows_to(&labels[high]))
        .collect();
    let text = |name: &str| Value::Text(name.to_owned());
    let lists = lists();
    let copies = std::iter::once(None).chain(lists.iter().step_by(3).cloned().map(Some));
    let copies: Vec<Option<Value>> = copies.collect();
    for team in lists.iter().step_by(2) {
        for me in ["a", "c"] {
            let facts = [("me".to_owned(), text(me)), ("team".to_owned(), team.clone())];
            let facts = program.facts(BTreeMap::from(facts)).unwrap();
            for to in &lists {
                for cc in &copies {
                    for who in ["a", "b"] {
                        let given = [
                            ("to", Some(to.clone())),
                            ("cc", cc.clone()),
                            ("who", Some(text(who))),
                        ];
                        let given = given.into_iter().filter_map(|(n, v)| Some((n.to_owned(), v?)));
                        let arguments: Arguments = given.collect();
                        let call = program.bind("send", &arguments).unwrap();
                        let effects: Vec<Effect> = labels
                            .iter()
                            .map(|l| program.decide(&facts, &call, l).effect)
                            .collect();
                        if pairs.iter().any(|&(low, high)| effects[low] < effects[high]) {
                            return true;
                        }
                    }
                }
            }
        }
    }
    false
}

#[test]
fn the_prover_agrees_with_brute_force() {
    let counts = std::cell::Cell::new((0, 0, 0));
    runner(96)
        .run(&policy(), |policy| {
            let Proof { program, is_antitone: is_proved, .. } = prove(&policy, TOOLS).unwrap();
            let found = weakens(&program);
            prop_assert!(!(is_proved && found), "{}", policy);
            let (proved, refuted, missed) = counts.get();
            counts.set(match (is_proved, found) {
                (true, _) => (proved + 1, refuted, missed),
                (false, true) => (proved, refuted + 1, missed),
                (false, false) => (proved, refuted, missed + 1),
            });
            Ok(())
        })
        .unwrap();
    let (proved, refuted, missed) = counts.get();
    let mix = format!("{proved} proved, {refuted} refuted, {missed} by more names than three");
    assert!(proved >= 15 && refuted >= 15 && missed <= refuted / 4, "{mix}");
}
