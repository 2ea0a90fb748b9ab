//! The program as it is run: what it prints and how it ends.

#[path = "cli/run.rs"]
mod run;
#[path = "cli/artifacts.rs"]
mod artifacts;
#[path = "cli/policies.rs"]
mod policies;
