//! Which warnings count, as the command line says it.

use clap::Args;
use rtbas_compiler::diag::{Code, Lints, Severity};

use crate::output::shown;

/// Options of the commands that say what the compiler warns of.
#[derive(Debug, Args)]
pub(crate) struct LintOptions {
    /// Make a warning an error; `warnings` stands for all that the policy does not allow
    #[arg(long, value_name = "CODE", value_parser = denied)]
    deny: Vec<Denied>,
    /// Leave a warning out, unless it is denied as well
    #[arg(long, value_name = "CODE", value_parser = warning)]
    allow: Vec<Code>,
}

#[derive(Clone, Copy, Debug)]
enum Denied {
    All,
    One(Code),
}

fn denied(name: &str) -> Result<Denied, String> {
    if name == "warnings" { Ok(Denied::All) } else { warning(name).map(Denied::One) }
}

fn warning(name: &str) -> Result<Code, String> {
    let code: Code = name.parse().map_err(|e| shown(&format!("{e}")))?;
    if code.severity() == Severity::Warning {
        return Ok(code);
    }
    Err(format!("`{code}` is no warning, and only warnings are allowed or denied"))
}

impl LintOptions {
    /// What the compiler is told.
    pub(crate) fn lints(&self) -> Lints {
        let mut lints = Lints { allow: self.allow.iter().copied().collect(), ..Lints::default() };
        for denied in &self.deny {
            match denied {
                Denied::All => lints.deny_all = true,
                Denied::One(code) => {
                    lints.deny.insert(*code);
                }
            }
        }
        lints
    }
}
