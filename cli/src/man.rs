//! `rtbasc man`: manual pages, one for the program and one for each command.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};

use crate::exit::{Exit, Failure, Outcome};
use crate::input::reason;

/// Write manual pages into a folder
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder, such as `/usr/local/share/man/man1`; it is made if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes the pages of this program.
pub(crate) fn run(args: &Man, program: Command) -> Outcome {
    let made = fs::create_dir_all(&args.folder);
    made.and_then(|()| clap_mangen::generate_to(program, &args.folder))
        .map_err(|e| Failure::usage(format!("`{}` {}", args.folder.display(), reason(&e))))?;
    Ok(Exit::Fine)
}
