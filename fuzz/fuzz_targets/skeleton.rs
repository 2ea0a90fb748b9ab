//! Whatever a list of tools says, the policy to start from that is made of it is one, and allows
//! nothing unasked.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use rtbas_artifact::ir::Effect;
use rtbas_compiler::diag::Diagnostics;
use rtbas_compiler::skeleton::skeleton;
use rtbas_compiler::source::Sources;
use rtbas_compiler::syntax;
use rtbas_fuzz::phases;

fuzz_target!(|list: &str| -> Corpus {
    let Ok(json) = serde_json::from_str(list) else { return Corpus::Reject };
    let Some(policy) = skeleton("agent", "a.json", &json) else { return Corpus::Keep };
    let mut load = |path: &str| match path {
        "a.pol" => Ok(policy.clone()),
        _ => Ok(list.to_owned()),
    };
    let mut diagnostics = Diagnostics::default();
    let parsed = syntax::parse(&mut Sources::new(&mut load), "a.pol", &mut diagnostics);
    assert!(parsed.is_some(), "{:?}\n{policy}", diagnostics.into_vec());
    // The list may still be one that no policy can use.
    if let Some(lowered) = phases::lowered("a.pol", &mut load) {
        let mut rules = lowered.policy.tools.iter().flat_map(|tool| &tool.rules);
        assert!(rules.all(|rule| rule.effect != Effect::Allow), "{policy}");
    }
    Corpus::Keep
});
