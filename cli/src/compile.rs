//! The way of a policy from its file to its proofs, for the commands that need them, and what the
//! compiler says on that way.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use rtbas_compiler::diag::{Code, Diagnostic, Lints, Severity, render};
use rtbas_compiler::source::{MAX_FILE, Sources};
use rtbas_compiler::verify::Verified;

use crate::exit::{Exit, Failure};
use crate::input;

/// Compiles and proves a policy, and has `say` make of the compiler's words what it will. Where
/// there is no proof, the exit code says why.
///
/// # Errors
/// A path that is no text.
pub(crate) fn compile<T>(
    path: &Path,
    lints: Lints,
    say: impl FnOnce(&Sources<'_>, &[Diagnostic], Option<&Verified>) -> T,
) -> Result<(Result<Verified, Exit>, T), Failure> {
    let ((verified, told, exit), unread) = with_sources(path, |sources, root| {
        let (verified, said) = rtbas_compiler::compile_with(sources, root, lints);
        let told = say(sources, &said, verified.as_ref());
        (verified, told, exit(&said))
    })?;
    Ok((verified.ok_or(if unread { Exit::Usage } else { exit }), told))
}

/// Does something with a policy's texts, and tells whether one of them could not be read.
fn with_sources<T>(
    path: &Path,
    work: impl FnOnce(&mut Sources<'_>, &str) -> T,
) -> Result<(T, bool), Failure> {
    let root = path.to_str().ok_or_else(|| {
        Failure::usage(format!("`{}` is a name that is not UTF-8; rename it", path.display()))
    })?;
    let mut unread = false;
    // Only the command line can mean the standard input: a policy's own paths are files.
    let mut load = |path: &str| {
        let file = if path == root { PathBuf::from(path) } else { Path::new(".").join(path) };
        input::text(&file, MAX_FILE).map_err(|problem| {
            unread = true;
            format!("it {problem}")
        })
    };
    let done = work(&mut Sources::new(&mut load), root);
    Ok((done, unread))
}

/// Formats a policy: gives it as it is and as it should be, or prints to the standard error why it
/// has no canonical form.
///
/// # Errors
/// A path that is no text.
pub(crate) fn format_aloud(path: &Path) -> Result<Result<(String, String), Exit>, Failure> {
    let (formatted, unread) = with_sources(path, |sources, root| {
        let (after, said) = rtbas_compiler::format(sources, root);
        print(sources, &said);
        let before = sources.files().next().map(|(_, text)| text.to_owned());
        before.zip(after)
    })?;
    Ok(formatted.ok_or(if unread { Exit::Usage } else { Exit::Refused }))
}

/// Compiles and proves a policy, and prints to the standard error what the compiler says.
///
/// # Errors
/// A path that is no text.
pub(crate) fn compile_aloud(path: &Path, lints: Lints) -> Result<Result<Verified, Exit>, Failure> {
    let (verified, ()) = compile(path, lints, |sources, said, _| print(sources, said))?;
    Ok(verified)
}

/// Compiles and proves a policy for a command that runs it, and has `run` make of it what it will.
/// What the compiler says is printed only where there is no proof: `check` is there for the rest.
///
/// # Errors
/// A path that is no text, a policy that is not proved, or whatever `run` refuses.
pub(crate) fn compile_to_run<T>(
    path: &Path,
    run: impl FnOnce(&Sources<'_>, &Verified) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (verified, ran) =
        compile(path, Lints::default(), |sources, said, verified| match verified {
            Some(verified) => Some(run(sources, verified)),
            None => {
                print(sources, said);
                None
            }
        })?;
    ran.unwrap_or_else(|| {
        let exit = verified.err().unwrap_or(Exit::Refused);
        Err(Failure::new(exit, format!("`{}` does not compile", path.display())))
    })
}

/// Prints to the standard error what the compiler says.
pub(crate) fn print(sources: &Sources<'_>, said: &[Diagnostic]) {
    let mut out = io::stderr().lock();
    let color = out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
    let text = render::human(sources, said, color) + &pointer(said);
    // Where nobody can read it, the exit code still says it.
    let _ = out.write_all(text.as_bytes());
}

/// Codes that the last line names at most.
const NAMED: usize = 4;

/// Where to read more about what was said.
fn pointer(said: &[Diagnostic]) -> String {
    let codes: BTreeSet<Code> = said.iter().map(|diagnostic| diagnostic.code).collect();
    let codes: Vec<&str> = codes.iter().take(NAMED).map(|code| code.name()).collect();
    match codes.as_slice() {
        [] => String::new(),
        codes => format!("more about this: rtbasc explain {}\n", codes.join(" ")),
    }
}

/// How the program ends over what was said: a mistake comes before what the solver left open.
pub(crate) fn exit(said: &[Diagnostic]) -> Exit {
    let mut errors = said.iter().filter(|d| d.severity == Severity::Error).peekable();
    let is_open = |d: &Diagnostic| matches!(d.code, Code::E0601 | Code::E0602);
    if errors.peek().is_some() && errors.all(is_open) { Exit::Unknown } else { Exit::Refused }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No small policy makes the solver give up, so that case is tested here.
    #[test]
    fn what_the_solver_left_open_is_not_a_mistake() {
        let exit = |codes: &[Code]| {
            let said: Vec<_> = codes.iter().map(|code| Diagnostic::new(*code, None, "")).collect();
            super::exit(&said)
        };
        assert_eq!(exit(&[Code::W0201, Code::E0601, Code::E0602]), Exit::Unknown);
        assert_eq!(exit(&[Code::E0601, Code::E0503]), Exit::Refused);
        assert_eq!(exit(&[]), Exit::Refused);
    }
}
