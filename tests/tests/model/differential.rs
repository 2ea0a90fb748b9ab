//! Engine and model say the same: every decision and the rule that made it, the label of every
//! region of every message, every view and its label, which results have their declared shape, and
//! the bytes of every region.
//!
//! That this test can fail is a test of its own: a model with any one deliberate mistake is told from
//! the engine by the same cases.

use proptest::test_runner::{TestCaseError, TestRunner};
use rtbas_tests::drive::{Event, run};
use rtbas_tests::engine::Engine;
use rtbas_tests::generate::{Case, Style, cases};
use rtbas_tests::model::Model;
use rtbas_tests::model::flaw::Flaw;

use super::runner::{config, sample};

#[test]
fn engine_and_model_agree() {
    let mut runner = TestRunner::new(config("suite/model/differential.txt"));
    let result = runner.run(&cases(Style::Free), |case| {
        let real = of_engine(&case).map_err(TestCaseError::fail)?;
        let model = of_model(&case, None);
        match real.iter().zip(&model).find(|(real, model)| real != model) {
            Some((real, model)) => {
                Err(TestCaseError::fail(format!("engine: {real:#?}\nmodel: {model:#?}")))
            }
            None => Ok(()),
        }
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn no_mistake_goes_unnoticed() {
    let real: Vec<(Case, Vec<Event>)> = sample(Style::Free)
        .map(|case| {
            let events = of_engine(&case).unwrap();
            (case, events)
        })
        .collect();
    let mut unnoticed = Vec::new();
    for flaw in Flaw::ALL {
        let differs = |(case, real): &&(Case, Vec<Event>)| of_model(case, Some(flaw)) != *real;
        let noticed = real.iter().filter(differs).count();
        println!("{flaw:?} shows in {noticed} of {} cases", real.len());
        unnoticed.extend((noticed == 0).then_some(flaw));
    }
    assert_eq!(unnoticed, []);
}

fn of_engine(case: &Case) -> Result<Vec<Event>, String> {
    Ok(run(&case.script, &mut Engine::new(&case.policy, &case.facts)?))
}

fn of_model(case: &Case, flaw: Option<Flaw>) -> Vec<Event> {
    run(&case.script, &mut Model::new(&case.policy, &case.facts, flaw))
}
