//! `rtbasc explain`: what a code means, from the page that explains it.

use clap::Args;
use rtbas_compiler::diag::{Code, nearest};

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
    let codes = args.codes.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    let width = textwrap::termwidth().min(WIDEST);
    let pages: Vec<String> = codes.iter().map(|code| page::text(code.page(), width)).collect();
    output::print(&pages.join("\n\n"))?;
    Ok(Exit::Fine)
}

fn find(name: &str) -> Result<Code, Failure> {
    let wanted = name.to_ascii_uppercase();
    let found = Code::ALL.iter().find(|code| code.name() == wanted);
    found.copied().ok_or_else(|| {
        let name = output::shown(name);
        let meant = nearest(&wanted, Code::ALL.iter().map(|code| code.name()));
        Failure::usage(match meant {
            Some(meant) => format!("there is no code `{name}`; did you mean `{meant}`?"),
            None => format!("there is no code `{name}`; `rtbasc explain` lists all"),
        })
    })
}
