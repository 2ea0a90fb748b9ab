//! The cases that all tests here look at.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};
use rtbas_tests::generate::{Case, Style, cases};

/// How cases are drawn; those that failed once are kept in a file of that name and come first.
pub(super) fn config(regressions: &'static str) -> Config {
    let config = Config::default();
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_260),
        fixed => fixed,
    };
    let failure_persistence = Some(Box::new(FileFailurePersistence::Direct(regressions)) as _);
    Config { rng_seed, failure_persistence, source_file: Some(file!()), ..config }
}

/// As many cases as a test draws, one after the other.
pub(super) fn sample(style: Style) -> impl Iterator<Item = Case> {
    let config = Config { failure_persistence: None, ..config("") };
    let count = config.cases;
    let mut runner = TestRunner::new(config);
    let strategy = cases(style);
    (0..count).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}
