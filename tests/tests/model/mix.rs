//! What the random policies and sessions hold: everything, and nothing too seldom.

use rtbas_artifact::ir::Effect;
use rtbas_tests::census::{CONSTRUCTS, Census};
use rtbas_tests::drive::run;
use rtbas_tests::generate::Style;
use rtbas_tests::model::Model;

use super::runner::sample;

/// A decision turns on a downgrade only where nothing else raises the label of the call.
const LAST_STRAW: &str = "sessions: downgrade decides";

#[test]
fn no_construct_is_rare() {
    for style in [Style::Free, Style::Sound] {
        let mut census = Census::default();
        for case in sample(style) {
            let events = run(&case.script, &mut Model::new(&case.policy, &case.facts, None));
            census.count(&case, &events);
        }
        let mut rare = Vec::new();
        for construct in CONSTRUCTS {
            let count = census.constructs.get(construct).copied().unwrap_or(0);
            println!("{:5.1} % {construct}", percent(count, census.cases));
            let least = match construct {
                LAST_STRAW => 0.5,
                _ if construct.starts_with("sessions: downgrade") => 2.0,
                _ => 5.0,
            };
            rare.extend((percent(count, census.cases) < least).then_some(construct));
        }
        let calls = census.effects.values().sum();
        for effect in [Effect::Allow, Effect::Confirm, Effect::Deny] {
            let count = census.effects.get(&effect).copied().unwrap_or(0);
            println!("{:5.1} % of the calls: {effect:?}", percent(count, calls));
            assert!(percent(count, calls) >= 10.0, "{style:?}: {effect:?} is rare");
        }
        assert_eq!(rare, Vec::<&str>::new(), "{style:?}");
    }
}

fn percent(count: usize, of: usize) -> f64 {
    100.0 * f64::from(u32::try_from(count).unwrap()) / f64::from(u32::try_from(of).unwrap())
}
