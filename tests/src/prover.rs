//! The prover, asked about policies that tests have drawn.

use std::collections::BTreeSet;

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rtbas_artifact::program::Program;
use rtbas_compiler::diag::{Code, Diagnostics, Severity};
use rtbas_compiler::source::Sources;
use rtbas_compiler::{lower, resolve, syntax, typeck, verify};

/// What the prover says of a policy.
#[derive(Debug)]
pub struct Proof {
    /// The policy.
    pub program: Program,
    /// Whether its decisions are antitone.
    pub is_antitone: bool,
    /// The lines of rules that do nothing, or always fire.
    pub idle: BTreeSet<u32>,
}

/// What is proved of a policy over the tools in `tools.json`. `None` if it cannot be compiled, or if
/// something could not be decided.
#[must_use]
pub fn prove(policy: &str, tools: &str) -> Option<Proof> {
    let mut load = |path: &str| match path {
        "tools.json" => Ok(tools.to_owned()),
        _ => Ok(policy.to_owned()),
    };
    let mut sources = Sources::new(&mut load);
    let mut said = Diagnostics::default();
    let ast = syntax::parse(&mut sources, "random.pol", &mut said)?;
    let hir = resolve::resolve(&mut sources, &ast, &mut said)?;
    let typed = typeck::check(hir, &mut said)?;
    let lowered = lower::lower(typed, &sources);
    let program = Program::new(lowered.policy.clone()).ok()?;
    verify::verify(lowered, &mut said);
    let (mut is_antitone, mut idle) = (true, BTreeSet::new());
    for said in said.into_vec().into_iter().filter(|said| said.severity == Severity::Error) {
        match said.code {
            Code::E0503 => is_antitone = false,
            Code::E0508 => idle.extend(said.primary.map(|at| sources.position(at).line)),
            // Rules that are drawn need not be of any use.
            Code::E0510 => {}
            _ => return None,
        }
    }
    Some(Proof { program, is_antitone, idle })
}

/// Draws as many cases as are asked for, the same in every run.
#[must_use]
pub fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}
