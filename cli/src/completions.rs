//! `rtbasc completions`: what a shell needs to complete the program's arguments.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::exit::{Exit, Failure, Outcome};
use crate::output;

/// Print a script that completes arguments in a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for this program.
pub(crate) fn run(args: &Completions, mut program: Command) -> Outcome {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    generate(args.shell, &mut program, name, &mut script);
    let script = String::from_utf8(script).map_err(|e| Failure::usage(e.to_string()))?;
    output::print(&script)?;
    Ok(Exit::Fine)
}
