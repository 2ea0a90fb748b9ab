//! The cases that all tests here look at.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};
use rtbas_tests::generate::{Case, Style, cases};

/// Cases that are drawn where `PROPTEST_CASES` says nothing: enough for every deliberate mistake of
/// the model to show.
const CASES: u32 = 1024;

/// How cases are drawn; those that failed once are kept in a file of that name and come first.
pub(super) fn config(regressions: &'static str) -> Config {
    let config = Config::default();
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_260),
        fixed => fixed,
    };
    let failure_persistence = Some(Box::new(FileFailurePersistence::Direct(regressions)) as _);
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { CASES };
    Config { cases, rng_seed, failure_persistence, source_file: Some(file!()), ..config }
}

/// As many cases as a test draws, one after the other.
pub(super) fn sample(style: Style) -> impl Iterator<Item = Case> {
    let config = Config { failure_persistence: None, ..config("") };
    let count = config.cases;
    let mut runner = TestRunner::new(config);
    let strategy = cases(style);
    (0..count).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}
