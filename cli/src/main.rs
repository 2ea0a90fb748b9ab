//! `rtbasc`, the compiler's command line: the only place that reads files and prints. One module
//! for each command.

mod exit;
mod input;
mod output;
mod lint;
mod compile;
mod ci;
mod report;
mod page;
mod check;
mod fmt;
mod build;
mod policy;
mod test;
mod replay;
mod inspect;
mod verify;
mod flows;
mod diff;
mod keygen;
mod explain;
mod init;
mod completions;
mod man;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Checks and compiles policies for LLM agents.
#[derive(Debug, Parser)]
#[command(name = "rtbasc", version, after_help = exit::HELP, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Init),
    Check(check::Check),
    Explain(explain::Explain),
    Fmt(fmt::Fmt),
    Build(build::Build),
    Test(test::Test),
    Replay(replay::Replay),
    Inspect(inspect::Inspect),
    Verify(verify::Verify),
    Flows(flows::Flows),
    Diff(diff::Diff),
    Keygen(keygen::Keygen),
    Completions(completions::Completions),
    Man(man::Man),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Init(args) => init::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Flows(args) => flows::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Keygen(args) => keygen::run(&args),
        Command::Completions(args) => completions::run(&args, Arguments::command()),
        Command::Man(args) => man::run(&args, Arguments::command()),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            // Where nobody can read the message, the exit code still says it.
            let _ = writeln!(io::stderr(), "{failure}");
            failure.exit.into()
        }
    }
}
