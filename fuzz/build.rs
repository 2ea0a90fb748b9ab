//! Says where the solver's library is found when a target runs: a target lies one folder deeper than
//! the programs that `.cargo/config.toml` speaks of.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,$ORIGIN/../../../../.z3");
    println!("cargo:rerun-if-changed=build.rs");
}
