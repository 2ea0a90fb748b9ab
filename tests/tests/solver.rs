//! The solver, asked a second time: every question as SMT-LIB, in a process of its own, gets the same
//! answer. And two runs of the compiler say the same.

#![expect(clippy::unwrap_used, reason = "a test may stop where its files are not there")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rtbas_artifact::sign::Signer;
use rtbas_compiler::compile;
use rtbas_compiler::diag::render;
use rtbas_compiler::emit::emit;
use rtbas_compiler::source::Sources;
use rtbas_compiler::verify::{Query, recorded};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The policies of the examples and of the verifier's cases.
fn policies() -> Vec<PathBuf> {
    let mut open = vec![root().join("examples"), root().join("tests/suite/verify")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "pol") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What the compiler says of a policy, what it makes of it, and what it asked the solver.
fn compiled(path: &Path) -> (String, Option<Vec<u8>>, Vec<Query>) {
    let folder = path.parent().unwrap();
    let mut load =
        |name: &str| fs::read_to_string(folder.join(name)).map_err(|e| format!("it: {e}"));
    let mut sources = Sources::new(&mut load);
    let name = path.file_name().unwrap().to_str().unwrap();
    let ((verified, said), asked) = recorded(|| compile(&mut sources, name));
    let signer = Signer::hmac(&[7; 32]).unwrap();
    let bytes = verified.map(|verified| emit(&verified, &[signer]).unwrap());
    (render::human(&sources, &said, false), bytes, asked)
}

/// The answers of a solver that is a process, to questions that know nothing of each other.
fn answers(questions: &[&Query]) -> Vec<String> {
    let mut text = String::new();
    for query in questions {
        write!(text, "(reset)\n(set-option :rlimit 200000000)\n{}\n", query.text).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions.smt2");
    fs::write(&file, text).unwrap();
    // The program comes with the library, in the folder that holds both.
    let solver = root().join(".z3").canonicalize().unwrap();
    let solver = solver
        .ancestors()
        .find_map(|at| Some(at.join("bin/z3")).filter(|program| program.exists()));
    let output = Command::new(solver.unwrap()).arg("-smt2").arg(&file).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    said.lines().map(str::to_owned).collect()
}

#[test]
fn every_question_gets_the_same_answer_twice() {
    let asked: Vec<(PathBuf, Vec<Query>)> =
        policies().into_iter().map(|path| (path.clone(), compiled(&path).2)).collect();
    let all: Vec<&Query> = asked.iter().flat_map(|(_, asked)| asked).collect();
    assert!(all.len() > 500, "{} questions", all.len());
    for wanted in ["sat", "unsat"] {
        assert!(all.iter().filter(|query| query.answer == wanted).count() > 50);
    }
    let second = answers(&all);
    assert_eq!(second.len(), all.len(), "{:?}", second.iter().find(|line| line.contains("error")));
    for (query, second) in all.iter().zip(second) {
        assert_eq!(query.answer, second, "{}\n{}", query.of, query.text);
    }
}

#[test]
fn two_runs_say_the_same_and_make_the_same_bytes() {
    for path in policies() {
        assert_eq!(compiled(&path), compiled(&path), "{}", path.display());
    }
}
