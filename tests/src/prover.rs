//! The prover, asked about policies that tests have drawn.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rtbas_artifact::program::Program;
use rtbas_compiler::diag::{Code, Diagnostics, Severity};
use rtbas_compiler::source::Sources;
use rtbas_compiler::{lower, resolve, syntax, typeck, verify};

/// Whether a policy over the tools in `tools.json` is proved, and the program that it is. `None` if
/// it cannot be compiled, or if it is refused for another reason than decisions that are not
/// antitone.
#[must_use]
pub fn prove(policy: &str, tools: &str) -> Option<(Program, bool)> {
    let mut load = |path: &str| match path {
        "tools.json" => Ok(tools.to_owned()),
        _ => Ok(policy.to_owned()),
    };
    let mut sources = Sources::new(&mut load);
    let mut said = Diagnostics::default();
    let ast = syntax::parse(&mut sources, "random.pol", &mut said)?;
    let hir = resolve::resolve(&mut sources, &ast, &mut said)?;
    let typed = typeck::check(hir, &mut said)?;
    let lowered = lower::lower(typed, &sources, &mut said);
    let program = Program::new(lowered.policy.clone()).ok()?;
    verify::verify(lowered, &mut said);
    let errors = said.into_vec().into_iter().filter(|said| said.severity == Severity::Error);
    let mut codes: Vec<Code> = errors.map(|error| error.code).collect();
    // Rules that are drawn need not be of any use.
    codes.retain(|code| ![Code::E0508, Code::E0510].contains(code));
    let proved = codes.is_empty();
    (proved || codes == [Code::E0503]).then_some((program, proved))
}

/// Draws as many cases as are asked for, the same in every run.
#[must_use]
pub fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}
