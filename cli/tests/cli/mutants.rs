//! Weakened policies: every step by which a policy could be loosened in silence is refuted by the
//! proofs, or shown by `diff`. A mutant that nothing shows is a fault of ours.
//!
//! Mutants are made of the tables, so that each is one step and no more.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where a policy is not as expected"
)]
#![expect(clippy::print_stdout, reason = "the table is for those who run it")]

use std::collections::BTreeMap;
use std::path::Path;

use rtbas_artifact::bits::BitMatrix;
use rtbas_artifact::ir::{
    Condition, ConditionId, Effect, Endorsement, LabelId, LabelPart, LabelRule, Policy, SetTerm,
};
use rtbas_artifact::lattice::Lattice;
use rtbas_artifact::open::{Requirements, open};
use rtbas_artifact::sign::{Signer, TrustedKey, TrustedKeys};
use rtbas_artifact::validate::validate;
use rtbas_compiler::emit::emit;
use rtbas_compiler::prove;

use crate::run::{Folder, repository};

/// A weakened policy: what kind of step it is, and where.
struct Mutant {
    kind: &'static str,
    place: String,
    policy: Policy,
}

/// All single steps that weaken a policy.
fn mutants(policy: &Policy) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut add = |kind, place: String, weaken: &mut dyn FnMut(&mut Policy)| {
        let mut weakened = policy.clone();
        weaken(&mut weakened);
        if weakened != *policy {
            found.push(Mutant { kind, place, policy: weakened });
        }
    };
    for (t, tool) in policy.tools.iter().enumerate() {
        for (r, rule) in tool.rules.iter().enumerate() {
            let place = || format!("{} rule {r}", tool.name);
            if rule.effect < Effect::Allow {
                let more =
                    if rule.effect == Effect::Deny { Effect::Confirm } else { Effect::Allow };
                add("weaken an effect", place(), &mut |p| p.tools[t].rules[r].effect = more);
            }
            if rule.when.is_some() && r + 2 < tool.rules.len() {
                add("swap two rules", place(), &mut |p| p.tools[t].rules.swap(r, r + 1));
            }
            let Some(when) = rule.when.filter(|_| rule.effect == Effect::Allow) else { continue };
            if let Some(Condition::All(parts)) = policy.conditions.get(when.index()) {
                for i in 0..parts.len() {
                    add("drop a guard", format!("{} part {i}", place()), &mut |p| {
                        let mut rest = parts.clone();
                        rest.remove(i);
                        p.tools[t].rules[r].when = Some(condition(p, Condition::All(rest)));
                    });
                }
            }
            for lattice in 0..policy.lattices.len() + policy.open.len() {
                add("raise a bound", format!("{} lattice {lattice}", place()), &mut |p| {
                    p.tools[t].rules[r].when = Some(raised(p, when, lattice));
                });
            }
        }
        for (n, node) in tool.nodes.iter().enumerate().filter(|(_, node)| node.label.is_some()) {
            let label = node.label.clone().unwrap();
            for lattice in 0..policy.lattices.len() + policy.open.len() {
                add("lower a region", format!("{} node {n}", tool.name), &mut |p| {
                    p.tools[t].nodes[n].label = Some(lowered(p, &label, lattice));
                });
            }
        }
        for w in 0..tool.writes.len() {
            add("drop a write", format!("{} write {w}", tool.name), &mut |p| {
                let cell = p.tools[t].writes.remove(w).cell;
                for endorsement in &mut p.tools[t].endorsements {
                    endorsement.cells.retain(|other| *other != cell);
                }
                p.tools[t].endorsements.retain(|endorsement| !endorsement.cells.is_empty());
            });
        }
        for e in (0..tool.endorsements.len()).filter(|e| !tool.endorsements[*e].unasked) {
            add("endorse unasked", format!("{} endorsement {e}", tool.name), &mut |p| {
                p.tools[t].endorsements[e].unasked = true;
            });
        }
        if !tool.writes.is_empty() && tool.endorsements.is_empty() {
            add("endorse", tool.name.clone(), &mut |p| {
                let cells = p.tools[t].writes.iter().map(|write| write.cell).collect();
                let because = "so".to_owned();
                p.tools[t].endorsements.push(Endorsement { cells, because, unasked: true });
            });
        }
    }
    for (c, cell) in policy.cells.iter().enumerate() {
        for lattice in 0..policy.lattices.len() + policy.open.len() {
            add("lower a cell", format!("cell {c}"), &mut |p| {
                p.cells[c].label = lowered(p, &cell.label, lattice);
            });
        }
    }
    for d in 0..policy.downgrades.len() {
        let name = &policy.downgrades[d].name;
        add("drop a downgrade's guard", name.clone(), &mut |p| p.downgrades[d].when = None);
        add("drop a downgrade's check", name.clone(), &mut |p| p.downgrades[d].checked = None);
    }
    for (s, store) in policy.stores.iter().enumerate() {
        add("forget outsiders", store.name.clone(), &mut |p| p.stores[s].outsiders = None);
    }
    for l in 0..policy.lattices.len() {
        add("turn an order round", policy.lattices[l].name.clone(), &mut |p| {
            p.lattices[l] = reversed(&p.lattices[l]);
        });
    }
    add("raise the reply's bound", "reply".to_owned(), &mut |p| {
        for lattice in 0..p.lattices.len() + p.open.len() {
            p.messages.reply = with(p, p.messages.reply, lattice, true);
        }
    });
    for lattice in 0..policy.lattices.len() + policy.open.len() {
        add("lower the user's label", format!("lattice {lattice}"), &mut |p| {
            p.messages.user = with(p, p.messages.user, lattice, false);
        });
    }
    for c in 0..policy.claims.len() {
        add("drop a claim", format!("claim {c}"), &mut |p| {
            p.claims.remove(c);
        });
    }
    found
}

fn condition(policy: &mut Policy, condition: Condition) -> ConditionId {
    policy.conditions.push(condition);
    ConditionId(u32::try_from(policy.conditions.len() - 1).unwrap())
}

/// A label with the top or the bottom of one lattice.
fn with(policy: &mut Policy, label: LabelId, lattice: usize, top: bool) -> LabelId {
    let mut term = policy.labels[label.index()].clone();
    match policy.lattices.get(lattice) {
        Some(closed) => {
            let level = if top { closed.top() } else { closed.bottom() };
            term.parts[lattice] = LabelPart::Level(level.unwrap());
        }
        None => {
            let open = lattice - policy.lattices.len();
            let all = policy.open[open].joins_by_union() == top;
            term.sets[open] = if all { SetTerm::All } else { SetTerm::Of(Vec::new()) };
        }
    }
    if term == policy.labels[label.index()] {
        return label;
    }
    policy.labels.push(term);
    LabelId(u32::try_from(policy.labels.len() - 1).unwrap())
}

fn lowered(policy: &mut Policy, rule: &LabelRule, lattice: usize) -> LabelRule {
    let mut rule = rule.clone();
    rule.otherwise = with(policy, rule.otherwise, lattice, false);
    for alternative in &mut rule.alternatives {
        alternative.label = with(policy, alternative.label, lattice, false);
    }
    rule
}

/// The condition with its bounds at the top of one lattice.
fn raised(policy: &mut Policy, id: ConditionId, lattice: usize) -> ConditionId {
    let old = policy.conditions[id.index()].clone();
    let new = match old.clone() {
        Condition::Context(bound) => Condition::Context(with(policy, bound, lattice, true)),
        Condition::All(parts) => {
            Condition::All(parts.into_iter().map(|part| raised(policy, part, lattice)).collect())
        }
        Condition::Any(parts) => {
            Condition::Any(parts.into_iter().map(|part| raised(policy, part, lattice)).collect())
        }
        other => other,
    };
    if new == old { id } else { condition(policy, new) }
}

fn reversed(lattice: &Lattice) -> Lattice {
    let n = lattice.levels.len();
    let mut up = BitMatrix::zeros(n, u32::try_from(n).unwrap());
    for a in 0..n {
        for b in 0..n {
            up.set(b, a, lattice.up.get(a, b));
        }
    }
    let mut turned = Lattice::new(lattice.name.clone(), lattice.levels.clone(), up);
    turned.element.clone_from(&lattice.element);
    turned
}

/// How each mutant of a policy is found out.
fn judged(policy: &Path, every: usize) -> BTreeMap<&'static str, BTreeMap<&'static str, usize>> {
    let folder = Folder::new();
    let key = format!("rtbas-hmac-v1:{}\n", "07".repeat(32));
    folder.write("key", &key);
    let shown = folder.run(&["build", policy.to_str().unwrap(), "-o", "old.rtbas", "--key", "key"]);
    assert!(shown.ends_with("exit code 0\n"), "{shown}");
    let keys = TrustedKeys::from(TrustedKey::from_text(&key).unwrap());
    let bytes = folder.read("old.rtbas");
    let old = open(&bytes, &keys, &Requirements::default()).unwrap();
    let mut table: BTreeMap<&'static str, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for mutant in mutants(old.program().policy()).into_iter().step_by(every) {
        let signer = [Signer::from_text(&key).unwrap()];
        let how = if validate(&mutant.policy).is_err() {
            "refused as no policy"
        } else {
            match prove(mutant.policy, old.origins().clone()).0 {
                None => "refuted",
                Some(verified) => {
                    folder.write("new.rtbas", emit(&verified, &signer).unwrap());
                    let shown = folder.run(&["diff", "old.rtbas", "new.rtbas", "--key", "key"]);
                    let (_, exit) = shown.rsplit_once("exit code ").unwrap();
                    assert!(["0", "5"].contains(&exit.trim()), "{shown}");
                    let differs = shown.contains("\n  - ") || shown.contains("\n  + ");
                    match exit.trim() {
                        "5" => "shown: it opens something",
                        _ if differs => "shown: the trusted base or the claims differ",
                        _ if shown.contains("closed: ") => "shown: it closes something",
                        _ => "not shown",
                    }
                }
            }
        };
        *table.entry(mutant.kind).or_default().entry(how).or_default() += 1;
        if how == "not shown" {
            println!("not shown: {} at {}", mutant.kind, mutant.place);
        }
    }
    table
}

fn judge(policies: &[&str], every: usize) {
    let mut hidden = 0;
    for name in policies {
        println!("{name}");
        for (kind, found) in judged(&repository(name), every) {
            println!("  {kind:<26} {found:?}");
            hidden += found.get("not shown").copied().unwrap_or(0);
        }
    }
    assert_eq!(hidden, 0, "mutants that nothing shows");
}

#[test]
fn weakened_policies_are_found_out() {
    judge(&["examples/agentdojo/banking.pol"], 4);
    judge(&["examples/agentdojo/slack.pol"], 9);
}

#[test]
#[ignore = "takes minutes"]
fn every_weakened_policy_is_found_out() {
    let suites = ["banking", "slack", "travel", "workspace"];
    let suites = suites.map(|suite| format!("examples/agentdojo/{suite}.pol"));
    judge(&suites.each_ref().map(String::as_str), 1);
}
