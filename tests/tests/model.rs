//! Engine and evaluator against the slow model, and against the theorem that they are to make true:
//! on random policies, by driving sessions of them.
//!
//! `PROPTEST_CASES` raises the number of cases. Their seed is fixed, so that a run can be repeated;
//! `PROPTEST_RNG_SEED` sets another.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod model {
    mod antitone;
    mod differential;
    mod mix;
    mod runner;
    mod two_runs;
    mod world;
}
