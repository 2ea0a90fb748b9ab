//! The program as it is run: what it prints and how it ends.

#[path = "cli/run.rs"]
mod run;
#[path = "cli/artifacts.rs"]
mod artifacts;
#[path = "cli/questions.rs"]
mod questions;
#[path = "cli/ci.rs"]
mod ci;
#[path = "cli/mutants.rs"]
mod mutants;
#[path = "cli/policies.rs"]
mod policies;
#[path = "cli/fmt.rs"]
mod fmt;
#[path = "cli/test_blocks.rs"]
mod test_blocks;
#[path = "cli/replay.rs"]
mod replay;
#[path = "cli/page.rs"]
mod page;
#[path = "cli/recordings.rs"]
mod recordings;
#[path = "cli/examples.rs"]
mod examples;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/init.rs"]
mod init;
#[path = "cli/shell.rs"]
mod shell;
#[path = "cli/hostile.rs"]
mod hostile;
