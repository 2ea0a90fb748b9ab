//! O5: raising the label of a call never weakens its decision.
//!
//! Policies whose rules are made that way (see [`Style::Sound`]) keep to it for every pair of
//! labels, whatever the facts and the arguments. That the test can fail: among policies with any
//! rules there are some that do not.

use rtbas_artifact::eval::Arguments;
use rtbas_artifact::label::Label;
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::program::Program;
use rtbas_artifact::sets::NameSet;
use rtbas_tests::generate::dice::{Dice, tape};
use rtbas_tests::generate::sessions;
use rtbas_tests::generate::{Case, Style};
use rtbas_tests::model::order::Space;
use rtbas_tests::monitor;

use super::runner::sample;

/// Calls that are tried of each policy.
const CALLS: u64 = 12;
/// Labels that they are tried at, about.
const LABELS: usize = 75;

#[test]
fn raising_the_label_never_weakens_the_decision() {
    for case in sample(Style::Sound) {
        if let Some(violation) = violation(&case) {
            panic!("{violation}\n{:#?}", case.policy);
        }
    }
}

#[test]
fn rules_in_any_order_are_not_antitone() {
    assert!(sample(Style::Free).any(|case| violation(&case).is_some()));
}

/// A call that is decided more weakly at a higher label.
fn violation(case: &Case) -> Option<String> {
    let program = Program::new(case.policy.clone()).unwrap();
    let facts = program.facts(case.facts.clone()).unwrap();
    let space = Space::new(&case.policy.lattices, &case.policy.open, None);
    let all = space.labels();
    // Where there are many, every so many-th will do.
    let step = (all.len() / LABELS) | 1;
    let labels = all.into_iter().step_by(step);
    let labels: Vec<_> = labels.map(|l| (code(&program, &l), l)).collect();
    for seed in 0..CALLS {
        let call = sessions::call(&mut Dice::new(&tape(seed, 40)), &case.policy);
        let arguments: Arguments = call.arguments;
        let Ok(bound) = program.bind(&call.tool, &arguments) else { continue };
        let decide = |label: &Label| program.decide(&facts, &bound, label).effect;
        let decided: Vec<_> = labels.iter().map(|(code, label)| (label, decide(code))).collect();
        for (low, at_low) in &decided {
            for (high, at_high) in &decided {
                if at_low < at_high && space.flows(low, high) {
                    let (low, high) = (space.show(low), space.show(high));
                    return Some(format!(
                        "`{}` with {arguments:?}: {at_low:?} at {low}, but {at_high:?} at {high}",
                        call.tool
                    ));
                }
            }
        }
    }
    None
}

/// The evaluator's form of a label.
fn code(program: &Program, label: &monitor::Label) -> Label {
    let mut code = program.space().bottom().clone();
    for (open, names) in label.sets.iter().enumerate() {
        let names = match names {
            monitor::Names::All => NameSet::All,
            monitor::Names::Of(names) => names.iter().map(|name| name.as_str().into()).collect(),
        };
        code = code.with_set(open, program.policy().open.get(open).unwrap().level(names));
    }
    for (lattice, level) in label.levels.iter().enumerate() {
        let level = LevelId(u16::try_from(*level).unwrap());
        code.join_with(program.space().part(lattice, level).unwrap());
    }
    code
}
