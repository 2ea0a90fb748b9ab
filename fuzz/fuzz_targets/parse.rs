//! Any text is a policy or gets messages about places that it has; a policy that is lowered without
//! an error can be evaluated, once its orders are lattices.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rtbas_fuzz::{files, phases};

fuzz_target!(|text: &str| {
    let mut load = |path: &str| match path {
        "a.pol" => Ok(text.to_owned()),
        other => files::load(other),
    };
    phases::lowered("a.pol", &mut load);
});
