//! Any bytes are refused or hold a policy that encodes to those very bytes; and whatever a policy
//! that is validly signed says, deciding calls by it, labelling results and giving reasons ends.
//!
//! An input is a file, of which the payload is taken too, or a payload, which is signed here.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use rtbas::{Call, Decision, Engine, Session};
use rtbas_artifact::eval::Arguments;
use rtbas_artifact::ir::{ConditionId, LabelId, NodeId, Policy, Tool};
use rtbas_artifact::open::Requirements;
use rtbas_artifact::wire::MAGIC;
use rtbas_fuzz::change::{self, Content};
use rtbas_fuzz::sample::{self, Dice};

#[path = "../../artifact/tests/artifact/fixture.rs"]
#[expect(dead_code, reason = "the fixture has more than is needed here")]
mod fixture;

use fixture::{hmac_signer, open_file, seal_again, signed, trusting, unsigned};

/// Length of a header.
const HEADER: usize = 56;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut dice = Dice::new(seed.into());
    if dice.below(3) > 0
        && let Some(changed) = change::payload(payload(&data[..size]), &mut dice)
        && let Some(place) = data.get_mut(..changed.len()).filter(|_| changed.len() <= max_size)
    {
        place.copy_from_slice(&changed);
        return changed.len();
    }
    fuzzer_mutate(data, size, max_size)
});

fuzz_target!(|input: &[u8]| {
    let _ = open_file(input);
    let payload = payload(input);
    let content = postcard::from_bytes::<Content>(payload);
    let (edition, version) =
        content.map_or((1, 3), |(policy, ..)| (policy.edition, policy.version));
    let file = signed(unsigned(edition, version, payload));
    let anything = Requirements { minimum_version: 0, properties: Vec::new() };
    let Ok(engine) = Engine::open(&file, &trusting(&[hmac_signer()]), &anything) else { return };
    assert!(seal_again(engine.artifact(), &[hmac_signer()]) == file, "there are two files for it");
    show(&engine);
    let mut dice = Dice::new(payload.iter().map(|byte| u64::from(*byte)).sum());
    let policy = engine.artifact().program().policy();
    let facts = policy.facts.iter();
    let facts = facts.map(|fact| (fact.name.clone(), sample::value(policy, fact.ty, &mut dice)));
    let Ok(mut session) = engine.session(facts.collect()) else { return };
    session.user("What is new?").expect("nothing is unsettled");
    for _ in 0..3 {
        step(&mut session, policy, &mut dice);
    }
    let view = session.view().expect("everything is settled");
    session.reply(&view, "Nothing.").expect("the view is current");
});

fn payload(input: &[u8]) -> &[u8] {
    match input.starts_with(&MAGIC) {
        true => input.get(HEADER..).unwrap_or_default(),
        false => input,
    }
}

/// Prints all that can be printed of a policy.
fn show(engine: &Engine) {
    let program = engine.artifact().program();
    let policy = program.policy();
    let tool = policy.tools.first();
    for id in (0..policy.conditions.len()).filter_map(|id| u32::try_from(id).ok()) {
        let _ = program.show_condition(tool, ConditionId(id)).to_string();
    }
    for id in (0..policy.labels.len()).filter_map(|id| u32::try_from(id).ok()) {
        let _ = program.show_label(None, LabelId(id)).to_string();
    }
    for claim in &policy.claims {
        let _ = program.show_claim(claim).to_string();
    }
    for tool in &policy.tools {
        let nodes = (0..tool.nodes.len()).filter_map(|id| u32::try_from(id).ok());
        nodes.for_each(|id| drop(tool.path_of(NodeId(id))));
    }
}

/// One output with a call of each tool, as declared or not, and what comes of it.
fn step(session: &mut Session, policy: &Policy, dice: &mut Dice) {
    let view = session.view().expect("everything is settled");
    let some = policy.tools.iter().skip(dice.below(policy.tools.len())).take(8);
    let calls: Vec<(&Tool, Call)> = some
        .map(|tool| {
            let arguments = arguments(policy, tool, dice);
            (tool, Call { tool: tool.name.clone(), arguments })
        })
        .collect();
    if calls.is_empty() {
        return;
    }
    let tools: Vec<&Tool> = calls.iter().map(|(tool, _)| *tool).collect();
    let calls = calls.into_iter().map(|(_, call)| call).collect();
    let decisions = session.propose(&view, "", calls).expect("the view is current");
    for index in 0..decisions.len() {
        let reason = session.explain(index).expect("a call has a reason");
        let _ = reason.to_string();
    }
    for (decision, tool) in decisions.into_iter().zip(tools) {
        let permit = match decision {
            Decision::Allow(permit) => permit,
            Decision::Confirm(request) => session.approve(request).expect("it is open"),
            Decision::Deny => continue,
        };
        let text = sample::result(policy, tool, dice);
        match dice.below(4) {
            0 => session.failed(permit, text).expect("it is open"),
            _ => drop(session.result(permit, text).expect("it is open")),
        }
    }
}

fn arguments(policy: &Policy, tool: &Tool, dice: &mut Dice) -> Arguments {
    let mut arguments = BTreeMap::new();
    for argument in &tool.arguments {
        if argument.required || dice.below(2) == 0 {
            let value = sample::value(policy, argument.ty, dice);
            arguments.insert(argument.name.clone(), value);
        }
    }
    arguments
}
