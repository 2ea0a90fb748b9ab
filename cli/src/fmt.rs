//! `rtbasc fmt`: writes policies in their canonical form.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::compile::format_aloud;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, shown};

/// Write policies in their canonical form
#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Policies to rewrite in place, or `-` from the standard input to the standard output
    #[arg(required = true)]
    policies: Vec<PathBuf>,
    /// Write nothing; name the policies that are not in their canonical form, and fail if any is not
    #[arg(long)]
    check: bool,
}

/// Formats each of the policies that can be, and ends with what was worst.
pub(crate) fn run(args: &Fmt) -> Outcome {
    let mut worst = Exit::Fine;
    for path in &args.policies {
        let exit = match format_aloud(path)? {
            Ok((before, after)) => settle(path, &before, &after, args.check)?,
            Err(exit) => exit,
        };
        if worst == Exit::Fine || exit == Exit::Usage {
            worst = exit;
        }
    }
    Ok(worst)
}

/// Writes the canonical form of a policy, or says that the policy does not have it.
fn settle(path: &Path, before: &str, after: &str, checks: bool) -> Outcome {
    let is_stdin = path.as_os_str() == "-";
    if checks {
        if before == after {
            return Ok(Exit::Fine);
        }
        output::print_lines(&difference(path, before, after))?;
        return Ok(Exit::Refused);
    }
    if is_stdin {
        output::print(after)?;
    } else if before != after {
        let path_shown = path.display();
        output::rewrite(path, after.as_bytes())
            .map_err(|problem| Failure::usage(format!("`{path_shown}` {problem}")))?;
        output::print(&format!("{path_shown}: rewritten\n"))?;
    }
    Ok(Exit::Fine)
}

/// The first line that would change, as it is and as it would be.
fn difference(path: &Path, before: &str, after: &str) -> Vec<String> {
    let (mut old, mut new) = (before.split('\n'), after.split('\n'));
    let mut line = 1;
    let (old, new) = loop {
        let (old, new) = (old.next(), new.next());
        if old != new || old.is_none() {
            break (old, new);
        }
        line += 1;
    };
    let old = old.map(|text| format!("  - {}", shown(text)));
    let new = new.map(|text| format!("  + {}", shown(text)));
    let head = format!("{}:{line}: not in canonical form from here on", path.display());
    std::iter::once(head).chain(old).chain(new).collect()
}
