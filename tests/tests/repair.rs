//! Broken policies are mended by what their messages say: each case in `suite/repair` is what a
//! newcomer might write, and the edits that the compiler offers, one message at a time, lead to a
//! policy that compiles. What the edits write can be read in the messages.

#![expect(clippy::unwrap_used, reason = "a test may stop where its files are not as expected")]

use std::fs;
use std::path::{Path, PathBuf};

use rtbas_compiler::compile;
use rtbas_compiler::diag::{Diagnostic, Severity};
use rtbas_compiler::source::Sources;

/// Messages that are heeded at most.
const PATIENCE: usize = 40;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/repair")
}

/// The errors of a policy.
fn errors(text: &str) -> Vec<Diagnostic> {
    let mut load = |path: &str| match path {
        "case.pol" => Ok(text.to_owned()),
        path => fs::read_to_string(folder().join(path)).map_err(|e| e.to_string()),
    };
    let mut sources = Sources::new(&mut load);
    let (_, said) = compile(&mut sources, "case.pol");
    said.into_iter().filter(|d| d.severity == Severity::Error).collect()
}

/// The text after the edits of a message.
fn mended(text: &str, mistake: &Diagnostic) -> String {
    let mut fixes = mistake.fixes.clone();
    fixes.sort_by_key(|fix| std::cmp::Reverse(fix.at.range().start));
    let mut text = text.to_owned();
    for fix in fixes {
        text.replace_range(fix.at.range(), &fix.text);
    }
    text
}

/// Whether a reader could have made an edit, knowing the message alone.
fn is_told(text: &str, mistake: &Diagnostic) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let help = mistake.help.as_deref().unwrap_or_default();
    let frees = |text: &str| ["allow", "permit"].iter().any(|word| text.contains(word));
    mistake.fixes.iter().all(|fix| {
        let old = text.get(fix.at.range()).unwrap();
        let is_told = match fix.text.trim() {
            "" => help.contains("delete") || mistake.fixes.len() > 1,
            new => squeezed(help).contains(&squeezed(new)),
        };
        // No edit lets through what was not let through before.
        is_told && (!frees(&fix.text) || frees(old) || mistake.fixes.len() > 1)
    })
}

#[test]
fn every_case_is_mended_by_its_messages() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "pol")).collect();
    cases.sort();
    assert!(cases.len() >= 12, "{} cases", cases.len());
    for case in cases {
        let mut text = fs::read_to_string(&case).unwrap();
        let mut log = String::new();
        for _ in 0..PATIENCE {
            let errors = errors(&text);
            let Some(next) = errors.iter().find(|error| !error.fixes.is_empty()) else { break };
            log += &format!("{}: {}\n", next.code, next.message);
            log += &format!("  help: {}\n", next.help.as_deref().unwrap_or("none"));
            assert!(is_told(&text, next), "{}\n{log}{:?}", case.display(), next.fixes);
            text = mended(&text, next);
        }
        let left: Vec<String> = errors(&text).iter().map(|e| e.message.clone()).collect();
        assert!(left.is_empty(), "{}\n{log}\n{text}\nleft: {left:#?}", case.display());
        let stem = case.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(stem, format!("{log}\n{text}")));
    }
}
