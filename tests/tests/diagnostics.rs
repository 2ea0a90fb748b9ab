//! Every policy in `suite/PHASE` is compiled, and what the compiler says is kept beside it. A case
//! has one mistake, and its folder is the phase that finds it.

#![expect(clippy::unwrap_used, reason = "a test may stop where its files are not as expected")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rtbas_compiler::compile;
use rtbas_compiler::diag::{Code, Diagnostic, Severity, render};
use rtbas_compiler::source::Sources;

fn folder(phase: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite").join(phase)
}

fn cases(phase: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(phase)).unwrap();
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "pol"));
    cases.sort();
    assert!(!cases.is_empty(), "{phase} has no cases");
    cases
}

/// What the compiler says of a policy, and its text and its JSON.
fn diagnose(case: &Path) -> (Vec<Diagnostic>, String, serde_json::Value) {
    let folder = case.parent().unwrap().to_owned();
    let mut load =
        |path: &str| std::fs::read_to_string(folder.join(path)).map_err(|e| e.kind().to_string());
    let mut sources = Sources::new(&mut load);
    let name = case.file_name().unwrap().to_str().unwrap();
    let (_, diagnostics) = compile(&mut sources, name);
    let text = render::human(&sources, &diagnostics, false);
    let json = render::json(&sources, &diagnostics);
    (diagnostics, text, json)
}

fn stem(case: &Path) -> &str {
    case.file_stem().unwrap().to_str().unwrap()
}

fn settings(phase: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder(phase));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// Compares every case of a phase with its snapshot; every case has a code of that phase.
fn check(phase: &str, number: &str) {
    let settings = settings(phase);
    for case in cases(phase) {
        let (diagnostics, text, _) = diagnose(&case);
        let of_phase = |d: &Diagnostic| d.code.name().get(1..3) == Some(number);
        assert!(diagnostics.iter().any(of_phase), "{}: no code of {phase}\n{text}", stem(&case));
        settings.bind(|| insta::assert_snapshot!(stem(&case), text));
    }
}

#[test]
fn syntax() {
    check("syntax", "01");
}

#[test]
fn resolve() {
    check("resolve", "02");
}

#[test]
fn typeck() {
    check("typeck", "03");
}

#[test]
fn a_file_that_is_not_there() {
    let (_, text, _) = diagnose(&folder("syntax").join("absent.pol"));
    settings("syntax").bind(|| insta::assert_snapshot!("absent", text));
}

/// Here a case may be silent: what is proved has nothing to say.
#[test]
fn verify() {
    let settings = settings("verify");
    for case in cases("verify") {
        let (diagnostics, text, _) = diagnose(&case);
        let of_phase = |d: &Diagnostic| matches!(d.code.name().get(1..3), Some("05" | "06"));
        let other = diagnostics.iter().find(|d| d.severity == Severity::Error && !of_phase(d));
        assert!(other.is_none(), "{}: stopped before its phase\n{text}", stem(&case));
        let text = if text.is_empty() { "proved\n".to_owned() } else { text };
        settings.bind(|| insta::assert_snapshot!(stem(&case), text));
    }
}

/// The fix that a report offers for an order that is no lattice makes it one.
#[test]
fn offered_levels_complete_a_lattice() {
    for stem in ["no_join", "no_top", "no_bottom", "no_order"] {
        let path = folder("verify").join(format!("{stem}.pol"));
        let (found, ..) = diagnose(&path);
        let help = found.iter().find_map(|d| d.help.clone()).unwrap();
        let (_, edges) = help.split_once(": ").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once("lattice integrity {").unwrap();
        let (order, after) = rest.split_once('}').unwrap();
        let mended = format!("{before}lattice integrity {{{order} {edges} }}{after}");
        let mut load = |name: &str| match name {
            "mended.pol" => Ok(mended.clone()),
            name => std::fs::read_to_string(folder("verify").join(name)).map_err(|e| e.to_string()),
        };
        let mut sources = Sources::new(&mut load);
        let (verified, diagnostics) = compile(&mut sources, "mended.pol");
        let said = render::human(&sources, &diagnostics, false);
        assert!(verified.is_some(), "{stem}: {mended}\n{said}");
    }
}

#[test]
fn every_code_has_a_case() {
    let mut seen: BTreeSet<Code> = BTreeSet::new();
    let cases = ["syntax", "resolve", "typeck", "verify"].into_iter().flat_map(cases);
    for case in cases.chain([folder("syntax").join("absent.pol")]) {
        seen.extend(diagnose(&case).0.into_iter().map(|diagnostic| diagnostic.code));
    }
    // A fault of the compiler and a wrong library cannot be had by a policy.
    let of_phases = |code: &&Code| !matches!(code, Code::E0509 | Code::E0602);
    let unseen: Vec<&Code> =
        Code::ALL.iter().filter(of_phases).filter(|code| !seen.contains(code)).collect();
    assert_eq!(unseen, Vec::<&Code>::new());
}

#[test]
fn a_text_beyond_the_limit_is_refused_once() {
    let mut load = |_: &str| Ok("policy p edition 2026 // ".to_owned() + &"x".repeat(1024 * 1024));
    let mut sources = Sources::new(&mut load);
    let (lowered, diagnostics) = compile(&mut sources, "big.pol");
    assert!(lowered.is_none());
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.contains("1048601 bytes"), "{}", diagnostics[0].message);
}

#[test]
fn a_long_line_is_named_and_not_drawn() {
    let mut load = |_: &str| Ok("policy p edition 2026 ".to_owned() + &" ".repeat(5000) + "latice");
    let mut sources = Sources::new(&mut load);
    let (_, diagnostics) = compile(&mut sources, "wide.pol");
    let text = render::human(&sources, &diagnostics, false);
    assert!(text.contains("at wide.pol:1:5023"), "{text}");
    assert!(text.len() < 500, "{text}");
}

#[test]
fn a_hundred_mistakes_are_enough() {
    let facts: String = (0..200).map(|i| format!("fact f{i} : missing\n")).collect();
    let mut load = |_: &str| Ok(format!("policy p edition 2026\n{facts}"));
    let mut sources = Sources::new(&mut load);
    let (lowered, diagnostics) = compile(&mut sources, "many.pol");
    assert!(lowered.is_none());
    assert_eq!(diagnostics.len(), 100);
    let last = diagnostics.last().and_then(|diagnostic| diagnostic.notes.last());
    assert_eq!(last.unwrap(), "there is more to say, which is left out");
}

#[test]
fn programs_get_json() {
    let (_, _, json) = diagnose(&folder("typeck").join("cycle.pol"));
    let json = serde_json::to_string_pretty(&json).unwrap();
    settings("typeck").bind(|| insta::assert_snapshot!("cycle.json", json));
}
