//! The verifier against brute force, over small random policies.

#![expect(clippy::unwrap_used, reason = "a test may stop where a policy is not as it was drawn")]
#![expect(clippy::print_stdout, reason = "the mix is for those who run it")]

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{Condition, Effect, Exception, Policy, StoreId, Target};
use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::origin::Origins;
use rtbas_artifact::program::Program;
use rtbas_compiler::diag::{Code, Diagnostic, Severity};
use rtbas_tests::explore::{Explorer, draw, kind};
use rtbas_tests::generate::dice::tape;

/// Random choices for one policy.
const TAPE: usize = 600;

/// How often something was proved and refuted.
#[derive(Clone, Copy, Debug, Default)]
struct Mix {
    proved: usize,
    refuted: usize,
}

impl Mix {
    fn add(&mut self, holds: bool) {
        if holds {
            self.proved += 1;
        } else {
            self.refuted += 1;
        }
    }
}

#[derive(Debug, Default)]
struct Tally {
    mixes: BTreeMap<&'static str, Mix>,
    /// Refuted claims, by the number of calls that it takes.
    calls: BTreeMap<usize, usize>,
    /// Policies in which a construct occurs.
    constructs: BTreeMap<&'static str, usize>,
    disagreements: Vec<String>,
}

impl Tally {
    fn disagree(&mut self, what: &str, seed: u64, name: &str, verifier: bool, brute: bool) {
        if verifier != brute {
            self.disagreements.push(format!(
                "seed {seed}, {what} of {name}: the verifier says {verifier}, brute force {brute}"
            ));
        }
    }

    fn policy(&mut self, seed: u64) {
        let policy = draw::policy(&tape(seed, TAPE));
        let program = Program::new(policy.clone()).unwrap();
        for construct in constructs(&policy) {
            *self.constructs.entry(construct).or_default() += 1;
        }
        let said = rtbas_compiler::prove(policy.clone(), Origins::default()).1;
        let errors: Vec<&Diagnostic> =
            said.iter().filter(|said| said.severity == Severity::Error).collect();
        for said in &errors {
            if matches!(said.code, Code::E0509 | Code::E0601 | Code::E0602) {
                self.disagreements.push(format!("seed {seed}: {} {}", said.code, said.message));
            }
        }
        let has_code = |code: Code| errors.iter().any(|said| said.code == code);
        let has = |code: Code, name: &str| {
            errors.iter().any(|said| said.code == code && names(said, name))
        };
        let explorer = Explorer::new(&policy);
        let mut of_policy: BTreeMap<&'static str, bool> = BTreeMap::new();
        let mut enter = |what, holds: bool| *of_policy.entry(what).or_insert(true) &= holds;
        for tool in &policy.tools {
            let name = &tool.name;
            let antitone = explorer.is_antitone(tool);
            enter("decisions are antitone", antitone);
            self.disagree("antitone", seed, name, !has(Code::E0503, name), antitone);
            if !tool.writes.is_empty() {
                let sealed = explorer.is_sealed(tool);
                enter("stores launder nothing", sealed);
                self.disagree("stores", seed, name, !has(Code::E0505, name), sealed);
            }
            let live = explorer.is_live(tool);
            enter("rules are live", live);
            let may_run = tool.rules.iter().any(|rule| rule.effect == Effect::Allow);
            if may_run && antitone && live {
                let usable = explorer.is_usable(tool);
                enter("tools are usable", usable);
                self.disagree("usable", seed, name, !has(Code::E0510, name), usable);
            }
        }
        for (store, id) in policy.stores.iter().zip((0..).map(StoreId)) {
            if store.outsiders.is_some() {
                let fit = explorer.is_fit(id);
                enter("stores are fit for outsiders", fit);
                self.disagree("outsiders", seed, &store.name, !has(Code::E0507, &store.name), fit);
            }
        }
        // The message names the rule's place, which a policy without a source has not.
        let live = of_policy.get("rules are live").copied().unwrap_or(true);
        self.disagree("live", seed, "all rules", !has_code(Code::E0508), live);
        for (what, holds) in of_policy {
            self.mixes.entry(what).or_default().add(holds);
        }
        // What claims rest on.
        if [Code::E0503, Code::E0504, Code::E0505, Code::E0506].into_iter().any(has_code) {
            return;
        }
        for claim in &policy.claims {
            let shown = program.show_claim(claim).to_string();
            let broken = errors.iter().any(|said| {
                said.code == Code::E0511 && said.message.starts_with(&format!("`{shown}`"))
            });
            let breaks = explorer.breaks(claim);
            self.mixes.entry("claims hold").or_default().add(breaks.is_none());
            self.disagree("claims", seed, &shown, !broken, breaks.is_none());
            if let Some(calls) = breaks {
                *self.calls.entry(calls).or_default() += 1;
            }
        }
    }
}

fn names(said: &Diagnostic, name: &str) -> bool {
    said.message.contains(&format!("`{name}`")) || said.message.contains(&format!("`{name}."))
}

/// What occurs in a policy.
fn constructs(policy: &Policy) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut add = |is_there: bool, what| {
        if is_there {
            found.insert(what);
        }
    };
    add(policy.lattices.len() > 1, "a product");
    let is_chain = |lattice: &Lattice| {
        lattice.ids().all(|a| lattice.ids().all(|b| lattice.flows(a, b) || lattice.flows(b, a)))
    };
    add(policy.lattices.iter().any(|lattice| !is_chain(lattice)), "an order that is no chain");
    add(!policy.facts.is_empty(), "facts");
    add(policy.stores.iter().any(|store| store.outsiders.is_some()), "outsiders");
    let guarded = policy.cells.iter().any(|cell| !cell.label.alternatives.is_empty());
    add(guarded, "a label of a cell with a guard");
    for tool in &policy.tools {
        let nodes = tool.nodes.iter().filter_map(|node| node.label.as_ref());
        let mut nodes = nodes.filter(|label| !label.alternatives.is_empty());
        add(nodes.next().is_some(), "a label of a result with a guard");
        add(tool.nodes.iter().any(|node| node.record_of.is_some()), "records that are read");
        add(tool.arguments.iter().any(|a| !a.required), "an argument that may be left out");
        for write in &tool.writes {
            add(true, kind(write.how));
            add(write.value.is_some(), "a write with a value");
        }
        for endorsement in &tool.endorsements {
            let (unasked, approved) = ("a call that endorses", "an approval that endorses");
            add(true, if endorsement.unasked { unasked } else { approved });
        }
        for rule in &tool.rules {
            add(rule.effect == Effect::Deny, "deny");
            add(rule.effect == Effect::Confirm && rule.when.is_some(), "confirm when");
            add(rule.effect == Effect::Allow && rule.when.is_none(), "allow always");
        }
    }
    for downgrade in &policy.downgrades {
        add(true, "a downgrade");
        add(downgrade.when.is_some(), "a downgrade with a guard");
        add(downgrade.checked.is_some(), "a downgrade with a check");
    }
    for condition in &policy.conditions {
        add(matches!(condition, Condition::Not(_)), "not");
        add(matches!(condition, Condition::Any(_)), "or");
        add(matches!(condition, Condition::In(..)), "in");
        add(matches!(condition, Condition::Present(_)), "present");
    }
    for claim in &policy.claims {
        add(
            true,
            match claim.target {
                Target::Tool(_) => "never … -> tool",
                Target::Argument(..) => "never … -> tool.argument",
                Target::Reply => "never … -> reply",
                Target::Store(_) => "never … -> store",
                Target::Cell(_) => "never … -> store.field",
            },
        );
        add(claim.unless.is_some(), "unless");
        for exception in &claim.via {
            let (downgrade, approval) = ("via a downgrade", "via an approval");
            let is_downgrade = matches!(exception, Exception::Downgrade(_));
            add(true, if is_downgrade { downgrade } else { approval });
        }
    }
    found
}

/// Draws policies, compares, and looks at whether they were worth comparing.
fn run(policies: u64) {
    let mut tally = Tally::default();
    for seed in 1..=policies {
        tally.policy(seed);
    }
    let share = |part: usize, of: usize| part * 100 / of.max(1);
    println!("{policies} policies");
    for (what, Mix { proved, refuted }) in &tally.mixes {
        let share = share(*refuted, proved + refuted);
        println!("{what:<30} {proved:>6} proved, {refuted:>6} refuted ({share} %)");
    }
    let refuted: usize = tally.calls.values().sum();
    let long: usize = tally.calls.iter().filter(|(calls, _)| **calls >= 3).map(|(_, n)| n).sum();
    println!(
        "refuted claims by calls: {:?}, {} % with three or more",
        tally.calls,
        share(long, refuted)
    );
    let all = usize::try_from(policies).unwrap();
    for (what, count) in &tally.constructs {
        println!("{what:<34} in {:>3} % of policies", share(*count, all));
    }
    for disagreement in tally.disagreements.iter().take(20) {
        println!("{disagreement}");
    }
    assert!(tally.disagreements.is_empty(), "{} disagreements", tally.disagreements.len());
    for (what, Mix { proved, refuted }) in &tally.mixes {
        let least = (*proved).min(*refuted);
        assert!(share(least, proved + refuted) >= 20, "{what}: too much of one kind");
    }
    assert!(share(long, refuted) >= 20, "claims are broken too easily");
    let mut rare = tally.constructs.iter().filter(|(_, count)| share(**count, all) < 5);
    assert_eq!(rare.next(), None, "a construct is rare");
}

#[test]
fn the_verifier_agrees_with_brute_force() {
    run(800);
}

#[test]
#[ignore = "takes minutes, and a release build"]
fn the_verifier_agrees_with_brute_force_ten_thousand_times() {
    run(10_000);
}
