//! `rtbasc explain`: what a code means, from the page that explains it.

use clap::Args;
use rtbas_compiler::diag::Code;

use crate::exit::{Exit, Failure, Outcome};
use crate::output;

mod page;

/// Most columns of a line: longer ones are hard to read, however wide the terminal is.
const WIDEST: usize = 100;

/// Say what a code means, and show a program that has it and one that does it right
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Codes such as E0201; without any, all codes are listed
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

/// Prints the pages, or the list.
pub(crate) fn run(args: &Explain) -> Outcome {
    if args.codes.is_empty() {
        let line = |code: &Code| format!("{code}  {}", code.summary());
        output::print_lines(&Code::ALL.iter().map(line).collect::<Vec<_>>())?;
        return Ok(Exit::Fine);
    }
    let codes = args.codes.iter().map(|name| name.parse::<Code>()).collect::<Result<Vec<_>, _>>();
    let codes = codes.map_err(|e| Failure::usage(output::shown(&e.to_string())))?;
    let width = textwrap::termwidth().min(WIDEST);
    let pages: Vec<String> = codes.iter().map(|code| page::text(code.page(), width)).collect();
    output::print(&pages.join("\n\n"))?;
    Ok(Exit::Fine)
}
